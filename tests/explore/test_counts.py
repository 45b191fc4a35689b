#!/usr/bin/env python3
"""As many executions as there are orders that matter, no more and no less, where theory gives
their number; every way to reduce comes to the same. Programs are lines for script.c, or those of
counted.c and waiting.c, whose threads are told apart, though most begin alike."""

import itertools
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = os.environ.get("HEDDLE_TEST_FULL")


def threads(*lines):
    """Main has nothing to do but to make and join the others."""
    return "\n".join(("", *lines)) + "\n"


def same(n, line):
    return threads(*[line] * n)


FOUR_AT_A_BARRIER_FOR_TWO = "B0\nB0\nB0\nB0\n"

# Two operations of different threads that conflict come in one of two orders; every consistent
# combination of orders is one execution.
COUNTS = [
    # n writers of one variable: all orders of n.
    *((same(n, "w0"), math.factorial(n)) for n in (1, 2, 3)),
    # Readers alone, and writers of variables of their own: nothing conflicts.
    (same(3, "r0r0"), 1), (threads("w0w0", "w1w1"), 1), (threads("l0u0l0u0", "l1u1"), 1),
    # n readers and a writer: each reader before or after it, whatever the others do.
    *((threads("w0", *["r0"] * n), 2 ** n) for n in (1, 2)),
    ("w0\nr0\nr0\nr0\n", 2 ** 3),
    # Two threads that add k times: which k of the 2k places the first one has.
    *((same(2, "a0" * k), math.comb(2 * k, k)) for k in (1, 2, 3)),
    # The same for sections under one lock: a section is whole.
    *((same(2, "l0u0" * k), math.comb(2 * k, k)) for k in (1, 2, 3)),
    (same(2, "l0g0h0u0" * 2), math.comb(4, 2)),
    # Three threads, two sections each: 6! / (2! 2! 2!).
    (same(3, "l0u0l0u0"), 90),
    # Pairs of variables: orders of each are independent, 2! 2!; with two adds each C(4, 2)^2.
    ("w0\nw0\nw1\nw1\n", 4), (threads("a0a0", "a0a0a1", "a1"), math.comb(4, 2) * 2),
    # Readers share a lock, a writer excludes them: as with variables.
    (same(3, "R0U0"), 1), (threads("W0U0", "R0U0", "R0U0"), 2 ** 2), (same(3, "W0U0"), 6),
    # Compare-and-swap: one is first. A load that decides what is done next: before or after.
    (same(2, "c0"), 2), (threads("i0w1", "w0"), 2),
    # Two tries for a lock: one after the other (2), or one in vain while the other has it (2).
    (same(2, "t0u0"), 4),
    # Two locks, one inside the other, in opposite orders: two serial orders and the deadlock.
    (threads("l0l1u1u0", "l1l0u0u1"), 3),
    # A barrier for two: who came first makes no difference; of four, which two are the first pair does.
    (same(2, "B0B0"), 1), (FOUR_AT_A_BARRIER_FOR_TWO, math.comb(4, 2)), (threads("w0B0", "w0B0"), 2),
    # What comes before a barrier and what comes after it have one order.
    (threads("w0B0r1", "w1B0r0"), 1),
    # Litmus tests: two orders for each pair of conflicting accesses, less the combinations that
    # would be a circle. Store buffering, message passing and 2+2W: 2^2 - 1.
    (threads("w0r1", "w1r0"), 3), (threads("w0w1", "r1r0"), 3), (threads("w0w1", "w1w0"), 3),
    # Independent reads of independent writes: 2^4, less the one in which the readers disagree.
    ("w0\nw1\nr0r1\nr1r0\n", 15),
]

# Executions before the first deadlock is met: done again then, without sequences. None: any number, as who is
# the last of a round changes with the order.
DONE_AGAIN = {threads("l0l1u1u0", "l1l0u0u1"): 2, FOUR_AT_A_BARRIER_FOR_TWO: None}

# Programs of counted.c. Readers: before or after the writer. Numbers: who came as which; nobody looks at increments. The last zero: known from the paper on
# source sets. Fibonacci, and somebody who looks: another model checker makes 218,243 of size 5.
COUNTED = [
    *(("readers", n, 2 ** n) for n in (1, 3, 6)),
    *(("numbers", n, math.factorial(n)) for n in (2, 4, 5)), *(("increments", n, 1) for n in (2, 8)),
    *(("lastzero", n, (n + 3) * 2 ** n // 4) for n in (2, 5, 7)),
    # All orders of n. Each looks before or after the next one writes, but not all before: 2^n - 1. Pairs of writers.
    ("writers", 4, 24), *(("ring", n, 2 ** n - 1) for n in (2, 3, 5)), ("pairs", 6, 2 ** 3),
    # Each writes before or after it is looked at; before, between or after two looks.
    ("scan", 5, 2 ** 5), ("scan-twice", 3, 3 ** 3),
    # Which n of 2n steps are whose, be they additions, or stores and loads.
    ("turns", 3, math.comb(6, 3)), ("follow", 3, math.comb(6, 3)),
    # Two orders of the writers; each reader before, between or after them.
    ("two-writers", 4, 2 * 3 ** 3),
    # Who is first swaps; the others find that, in any order.
    ("swap", 4, 4),
    # (2n)! / 2^n orders of sections.
    ("sections", 3, 90),
    # Barriers: one order, unless somebody looks who was the last.
    ("barrier", 2, 1), ("barrier", 6, 1), ("last", 2, 2), ("last", 3, 6), ("last-by-other", 3, 6),
]
LARGE = [("fibonacci", 5, 218243), ("readers", 16, 2 ** 16)]

# Programs of waiting.c. Sections of a lock come in all orders, however it is waited for. Waiting for a flag: no
# order matters; counting how often it was seen set: 0 to 3 times each. Of those who remember that they
# waited, k of n do, and write in any order. A barrier of atomics: all orders of arriving, twice. A semaphore as a
# lock: all orders; n posts and n waits: a wait comes after as many posts as waits (Catalan's number), in all orders.
WAITING = [
    *((name, n, math.factorial(n)) for name in ("ticket", "test-and-set", "compare-and-swap", "try-lock", "by-pointer")
      for n in (2, 3, 4)),
    ("flag", 3, 1), *(("count", n, 4 ** n) for n in (1, 3)),
    *((name, n, math.factorial(n)) for name in ("test-first", "test-first-and-swap", "semaphore-lock") for n in (2, 3, 4)),
    # Either has the lock first. The other comes after it, or was told that it has to wait, whether by its look or by its exchange.
    ("test-first-and-tell", 2, 2 * 2),
    *(("both", n, 1) for n in (1, 2)), *(("sense-barrier", n, math.factorial(n) ** 2) for n in (2, 3)),
    *(("semaphore", n, math.comb(2 * n, n) // (n + 1) * math.factorial(n)) for n in (1, 2, 3)),
    # It came when it was open, or before: then it has tried with the other number.
    ("try-with-other", 1, 2),
    *(("remember", n, sum(math.perm(n, k) for k in range(n + 1))) for n in (1, 2, 3)),
]

# Rounds of several looks are made, and then left out: each of these has its executions in vain.
SEVERAL_LOOKS = {"both"}

# No execution is begun in vain.
OPTIMAL = {"semaphore-lock", "semaphore", "sense-barrier"}

# Of those that leave nothing behind from one round to the next but what nobody reads again, at any level of optimisation.
# A plain variable that each round reads must be read (a race would be one), and gcc -O2 keeps a copy of a counter of its
# own beside a compare-and-swap, which no later round overwrites: these have more executions there.
AT_LEVELS = [one for one in WAITING if one[1] < 4 and one[0] not in ("by-pointer", "compare-and-swap")]

PLAIN_TOO = {"by-pointer", "test-first-and-swap"}

WAYS = [(), ("--switch-at", "accesses"), ("--snapshots", "all"), ("--snapshots", "no", "--jobs", "2")]


class Counts(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.script = cls.build(os.path.join(HERE, "script.c"), "script")
        cls.counted = cls.build(os.path.join(HERE, "counted.c"), "counted")
        cls.optimised = cls.build(os.path.join(HERE, "counted.c"), "optimised", "-O2")
        cls.waiting, *cls.at_levels = (cls.build(os.path.join(HERE, "waiting.c"), "waiting" + level, level)
                                       for level in ("-O1", "-O0", "-O2"))

    def count(self, said, what):
        """Executions that were whole; no others were begun."""
        self.assertIn("complete:", said, what)
        found = re.search(r"(\d+) executions \((\d+) redundant", said)
        again = DONE_AGAIN.get(what, 0)
        if again is not None:
            self.assertEqual(int(found.group(2)), again, what)
        return int(found.group(1)) - int(found.group(2))

    def executions(self, program, options):
        with open(self.path("program"), "w", encoding="utf-8") as file:
            file.write(program)
        with open(self.path("result"), "wb"):
            pass
        with open(self.path("program"), encoding="utf-8") as stdin:
            done = self.heddle("explore", "--strategy", "dpor", "--keep-going", "--output",
                               self.path("out"), *options, "--", self.script, self.path("result"),
                               stdin=stdin)
        return self.count(done.stdout + done.stderr, program)

    def test_counts(self):
        for i, (program, count) in enumerate(COUNTS):
            # All ways for each; in short tests they take turns.
            ways = WAYS if os.environ.get("HEDDLE_TEST_FULL") else {(), WAYS[i % len(WAYS)]}
            for options in ways:
                with self.subTest(program, options=options):
                    self.assertEqual(self.executions(program, options), count, program)

    def test_counted_programs(self):
        full = os.environ.get("HEDDLE_TEST_FULL")
        for i, (name, size, count) in enumerate(COUNTED + (LARGE if full else [])):
            ways = [()] if count > 1000 else WAYS if full else {(), WAYS[i % len(WAYS)]}
            for options in ways:
                with self.subTest(name, size=size, options=options):
                    done = self.heddle("explore", "--strategy", "dpor", "--output",
                                       self.path("out"), *options, "--", self.counted, name,
                                       str(size))
                    self.assertEqual(self.count(done.stdout + done.stderr, name), count)

    def test_barriers(self):
        """Whether somebody looks who was the last is seen in optimised code, too."""
        for name, size, count in COUNTED[-5:]:
            done = self.heddle("explore", "--strategy", "dpor", "--output", self.path("out"), "--",
                               self.optimised, name, str(size))
            self.assertEqual(self.count(done.stdout + done.stderr, name), count)

    def test_waiting_programs(self):
        """A round of a loop in vain makes no execution; of those begun in vain there are few."""
        for i, (name, size, count) in enumerate(WAITING):
            # Where others may come before plain accesses, a round with some is more than its looks.
            for options in {(), WAYS[i % len(WAYS)] if name not in PLAIN_TOO else ()}:
                with self.subTest(name, size=size, options=options):
                    whole, vain = self.whole(self.waiting, name, size, *options)
                    self.assertEqual(whole, count)
                    if name not in SEVERAL_LOOKS:
                        self.assertLessEqual(vain, 0 if name in OPTIMAL else 4 + count)

    def whole(self, program, name, size, *options):
        """How many executions were whole, how many were not."""
        done = self.heddle("explore", "--strategy", "dpor", "--symmetry", "no", "--output", self.path("out"), *options, "--",
                           program, name, str(size))
        said = done.stdout + done.stderr
        self.assertIn("complete:", said)
        found = re.search(r"(\d+) executions \((\d+) redundant", said)
        return int(found.group(1)) - int(found.group(2)), int(found.group(2))

    def test_waiting_at_levels(self):
        """What is left of a round where nobody reads it makes no execution, however the compiler came to leave it."""
        for i, (name, size, count) in enumerate(AT_LEVELS):
            for program in self.at_levels if FULL else self.at_levels[i % 2:][:1] + self.at_levels[:name == "ticket"]:
                with self.subTest(name, size=size, program=program):
                    whole, vain = self.whole(program, name, size)
                    self.assertEqual(whole, count)
                    if name not in SEVERAL_LOOKS:
                        self.assertLessEqual(vain, 4 + count)

    def test_same_numbers(self):
        """What is known about loops at an execution does not depend on who made those before it, nor how."""
        for name, size, count in (("gates", 2, 2), ("gates", 3, 6), ("test-and-set", 3, 6)):
            said = {}
            for jobs, snapshots in itertools.product(("1", "2"), ("no", "auto", "all")):
                if size == 3 and snapshots == "all" and not os.environ.get("HEDDLE_TEST_FULL"):
                    continue
                done = self.heddle("explore", "--strategy", "dpor", "--symmetry", "no", "--output", self.path("out"),
                                   "--jobs", jobs, "--snapshots", snapshots, "--", self.waiting,
                                   name, str(size))
                found = re.search(r"(\d+) executions \((\d+) redundant.* depth \d+",
                                  done.stdout + done.stderr)
                self.assertEqual(int(found.group(1)) - int(found.group(2)), count, name)
                said.setdefault(found.group(0), []).append((jobs, snapshots))
            self.assertEqual(len(said), 1, said)

    def test_rounds_that_are_not_in_vain(self):
        """A loop that gives up some day does so; one try for a lock in vain is no loop."""
        done = self.heddle("explore", "--strategy", "dpor", "--output", self.path("out"), "--",
                           self.waiting, "a-while", "1")
        self.assertIn("SIGABRT", done.stdout)
        done = self.heddle("explore", "--strategy", "dpor", "--output", self.path("out"), "--",
                           self.waiting, "try-once", "1")
        self.assertIn("no findings", done.stdout + done.stderr)
        self.assertIn("complete:", done.stdout + done.stderr)

    def test_waits_for_ever(self):
        """A lock that is never given back is found out, and not taken for a wait that ends."""
        for program in (self.waiting, *self.at_levels):
            for name in ("keep", "keep-by-swap", "never-both"):
                done = self.heddle("explore", "--strategy", "dpor", "--output", self.path("out"), "--", program, name, "2")
                self.assertIn("found: livelock by dpor", done.stdout + done.stderr, (program, name))


if __name__ == "__main__":
    harness.main()
