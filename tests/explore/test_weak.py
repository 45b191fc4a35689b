#!/usr/bin/env python3
"""explore --model c11 against the axioms of RC11, and --model tso against a machine with store buffers: of every litmus
test, the executions that come to an end are as many as are consistent, and an outcome is met if and only if it is
allowed. The named tests are those of tests/unit/runtime/weak/litmus.def, where the expectations are reasoned; for random
ones the oracle says."""

import json
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
LITMUS = os.path.join(HERE, "..", "unit", "runtime", "weak", "litmus.def")
FULL = bool(os.environ.get("HEDDLE_TEST_FULL"))

# A thread of a program does other things between two atomic operations: then this one is not allowed.
APART = "acquire at one place"


RULES = {"c11": "under the memory model of C11", "tso": "under the memory model of x86"}


def named(model="c11"):
    expected = r"(true|false), (\d+)"
    with open(LITMUS, encoding="utf-8") as file:
        for found in re.finditer(rf'LITMUS\("(.*?)", "(.*?)", "(.*?)", {expected}, {expected}\)', file.read()):
            name, words, outcome, *by_model = found.groups()
            allowed, count = by_model[:2] if model == "c11" else by_model[2:]
            if name != APART or model == "tso":
                yield name, words, outcome, allowed == "true", int(count)


def random_operation(rng):
    loc, value = rng.choice("xxxyyyz"), rng.randint(1, 3)
    kind = rng.choice("RRRRWWWWAXCKFF")
    if kind == "R":
        return f"R{loc}{rng.choice('rras')}"
    if kind == "W":
        return f"W{loc}{value}{rng.choice('rrls')}"
    if kind == "F":
        return f"F{rng.choice('albs')}"
    if kind in "CK":  # a failure order that is no stronger than the other, or the compiler changes them
        orders = rng.choice(["rr", "ar", "aa", "lr", "br", "ba", "sr", "sa", "ss"])
        return f"{kind}{loc}{rng.randint(0, 1)}{value}{orders}"
    return f"{kind}{loc}1{rng.choice('ralbs')}"


def random_words(rng):
    left, threads = rng.randint(4, 8), []
    for _ in range(rng.randint(2, 4)):
        n = min(left, rng.randint(1, 3))
        left -= n
        # Something elsewhere between any two operations, as in every program.
        threads.append(" ! ".join(random_operation(rng) for _ in range(n)))
    return " | ".join(thread for thread in threads if thread)


class Weak(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.litmus = cls.build(os.path.join(HERE, "litmus_run.c"), "litmus")

    def explore(self, words, outcome, *options, model="c11"):
        """How many distinct executions ended, and whether one had this outcome."""
        done = self.heddle("explore", "--model", model, "--keep-going", "--output", self.path("out"), *options,
                           "--", self.litmus, words, outcome)
        said = done.stdout + done.stderr
        self.assertIn("complete:", said, words)
        self.assertIn(RULES[model], said, words)
        rounds, runs, redundant = map(int, re.search(r"(\d+) rounds?, (\d+) executions \((\d+) redundant",
                                                     said).groups())
        # Before the program is known to have weaker orders, one is made in which everything is in one order.
        whole = runs - redundant - (rounds - 1)
        found = re.search(r"the memory model: (\d+) distinct", said)
        if found and "--strategy" not in options:
            self.assertEqual(whole, int(found.group(1)), f"{words}: no execution is made twice")
        self.redundant = redundant
        # All is seq_cst: as many as there are orders.
        return int(found.group(1)) if found else whole, "ends with status 3" in said

    def test_named(self):
        tests = list(named())
        self.assertGreaterEqual(len(tests), 60)
        for name, words, outcome, allowed, count in tests:
            with self.subTest(name, words=words, outcome=outcome):
                self.assertEqual(self.explore(words, outcome), (count, allowed))
                if not set(words) & set("AXCK"):
                    self.assertEqual(self.redundant, 0, words)

    def test_runs_find_each(self):
        """What is allowed happens within a hundred runs, by chance and by priorities."""
        allowed = [test for test in named() if test[3]]
        self.assertGreaterEqual(len(allowed), 45)
        for i, (name, words, outcome, _, _) in enumerate(allowed):
            for k, policy in enumerate(("random", "pct")):
                if not FULL and i % 10 != 5 * k:
                    continue
                with self.subTest(name, words=words, outcome=outcome, policy=policy):
                    self.assertTrue(any(
                        self.heddle("run", "--model", "c11", "--policy", policy, "--pct-length", "20", "--seed",
                                    str(seed), "--", self.litmus, words, outcome).returncode == 1
                        for seed in range(1, 101)))

    def test_buffers(self):
        tests = list(named("tso"))
        for name, words, outcome, allowed, count in tests[:: 1 if FULL else 9]:
            with self.subTest(name, words=words, outcome=outcome):
                self.assertEqual(self.explore(words, outcome, model="tso"), (count, allowed))

    def divided(self, words, outcome, model, *options):
        """By ranks or a part of several, from the second execution on: distinct executions, and whether one has the outcome."""
        done = self.heddle("explore", "--model", model, "--keep-going", "--strategy", "dpor", "--output", self.path("out"), *options,
                           "--", self.litmus, words, outcome, env={"HEDDLE_ALONE": "1", "HEDDLE_PARTS_EACH": "1"})
        said = done.stdout + done.stderr
        found = re.search(r"the memory model: (\d+) distinct", said)
        return said, int(found.group(1)) if found else None, "ends with status 3" in said

    def test_ranks(self):
        """The executions that the axioms allow, by whatever number of ranks; each outcome in one of two parts, if it is allowed."""
        for model in RULES:
            tests = list(enumerate(named(model)))
            for i, (name, words, outcome, allowed, count) in tests[:: 1 if FULL else 20]:
                with self.subTest(name, words=words, outcome=outcome, model=model):
                    said, distinct, met = self.divided(words, outcome, model, "--ranks", ("2", "3", "5", "1")[i // 20 % 4])
                    self.assertIn("complete:", said)
                    self.assertEqual(met, allowed)
                    self.assertIn(distinct, (count, None))  # None: all is seq_cst
                    parts = [self.divided(words, outcome, model, "--part", f"{k}/2") for k in (1, 2)]
                    self.assertEqual(any(part[2] for part in parts), allowed)

    def test_strategies(self):
        """States that were met before are the same only if what can be read is."""
        tests = [test for test in named() if test[1].count("|") <= 1]
        for name, words, outcome, allowed, count in tests[:: 1 if FULL else 12]:
            with self.subTest(name, words=words):
                self.assertEqual(self.explore(words, outcome, "--strategy", "naive")[1], allowed)
                self.assertEqual(self.explore(words, outcome, "--strategy", "dpor", "--snapshots", "all"),
                                 (count, allowed))

    def outcomes(self, words, model):
        """How many distinct executions ended, all outcomes, and whether weak exchanges failed as often as they may."""
        document, done = self.run_json("explore", "--model", model, "--keep-going", "--outcomes", "--output",
                                       self.path("out"), "--", self.litmus, words)
        said = done.stdout + done.stderr
        self.assertIn("complete:", said, words)
        found = re.search(r"the memory model: (\d+) distinct", said)
        return (int(found.group(1)) if found else None, {one["stdout"].strip() for one in document["outcomes"]},
                "once in a row" not in said)

    def test_put_off(self):
        """A thread that could read only what was tried waits for others' stores; who would store goes on."""
        for model, words in (("c11", "Xy1r | Ryr ! Wy2r | Wy1r ! Xy1r"), ("tso", "Wy3r ! Xy1r | Xy1r | Rxr ! Wy2r"),
                             ("tso", "Ryr ! Xx1r | Xy1r ! Wx3r | Wx3r ! Xx1r"),
                             ("c11", "Wy3r ! Ryr | Rxr ! Wy2r | Rxr ! Wy1r | Rxr ! Wy1r"),
                             ("tso", "Wy3r ! Ryr | Rxr ! Wy2r | Rxr ! Wy1r | Rxr ! Wy1r")):
            said = subprocess.run([os.environ["LITMUS_ORACLE"], model], input=words + "\n", check=True,
                                  capture_output=True, text=True).stdout
            self.assertEqual(self.explore(words, "x", model=model)[0], int(said.split()[0]), words)

    def test_random(self):
        rng = random.Random(19)
        tests = [random_words(rng) for _ in range(2000 if FULL else 30)]
        for model, some in (("c11", tests[::2]), ("tso", tests[1::2])):
            said = subprocess.run([os.environ["LITMUS_ORACLE"], model], input="\n".join(some) + "\n", check=True,
                                  capture_output=True, text=True).stdout
            for words, line in zip(some, said.splitlines()):
                count, *outcomes = line.split()
                with self.subTest(words, model=model):
                    executions, got, often = self.outcomes(words, model)
                    if often:
                        self.assertEqual((executions or int(count), got), (int(count), set(outcomes)))
                    else:
                        self.assertLessEqual(got, set(outcomes))

    def executions(self, model, words):
        done = self.heddle("explore", "--model", model, "--output", self.path("out"), "--", self.litmus, words, "x",
                           status=0)
        return re.search(r"\d+ executions \(\d+ redundant", done.stdout + done.stderr).group(0)

    def test_costs_the_same_without_weak_orders(self):
        for words in ("Wx1s Rys | Wy1s Rxs", "Ax1s | Ax1s | Ax1s", "Wx1s | Rxs Rys | Wy1s", "Cx01ss | Cx02ss | Rxs"):
            self.assertEqual(self.executions("c11", words), self.executions("sc", words), words)
            self.assertEqual(self.executions("tso", words), self.executions("sc", words), words)
        # On x86 it is stores that others see late: the other orders mean nothing.
        for words in ("Wx1s Ryr | Wy1s Rxa", "Ax1r Ryr | Ay1r Rxr", "Wx1s Rxr | Cx12rr"):
            self.assertEqual(self.executions("tso", words), self.executions("sc", words), words)

    def test_columns(self):
        """A read of an older value is shown in its place, with who wrote what it could have read."""
        example = self.build(os.path.join(harness.ROOT, "examples", "relaxed_flag.c"), "flag", "-g")
        said = self.heddle("explore", "--model", "c11", "--output", self.path("out"), "--", example, status=1).stdout
        drawn = said[said.index("  Interleaving, as it was (-> a switch):"):]
        self.assertRegex(drawn, r"atomic-store data 42 relaxed_flag.c:15\n"
                                r"   -> +atomic-load data 0, an older value relaxed_flag.c:24\n"
                                r" +which was there before; T2 at relaxed_flag.c:15 in writer had already stored 42\n")

    def test_one_order_by_default(self):
        """Under sequential consistency nothing of this is seen, and the report says what to try."""
        done = self.heddle("explore", "--output", self.path("out"), "--", self.litmus, "Wx1r Wy1r | Ryr Rxr", "10",
                           status=0)
        self.assertIn("under sequential consistency", done.stdout + done.stderr)
        self.assertIn("--model c11 explores what C11 allows", done.stdout + done.stderr)
        done = self.heddle("explore", "--output", self.path("out"), "--", self.litmus, "Wx1s Wy1s | Rys Rxs", "10",
                           status=0)
        self.assertNotIn("--model c11", done.stdout + done.stderr)


class Sizes(harness.SystemTest):
    """Atomics of several sizes in the same bytes are in one order, whatever the model: it proves nothing about them."""

    def test_no_proof(self):
        source = os.path.join(HERE, "..", "programs", "atomics", "byte_of_word.c")
        program = self.build(source, "byte_of_word", "-g")
        for model, stopped, status in (("sc", None, 0), ("c11", "mixed", 4), ("tso", "mixed", 4)):
            document, done = self.run_json("explore", "--model", model, "--output", self.path("out"), "--", program)
            self.assertEqual((document["stats"]["stopped"], document["findings"], done.returncode),
                             (stopped, [], status), model)


class Buffers(harness.SystemTest):
    """--model tso, for volatile and plain accesses too, which the program makes itself."""

    def check(self, name, *flags, model="tso", status=0):
        program = self.build(os.path.join(HERE, "tso", name + ".c"), name, "-g", *flags)
        out = self.path("out")
        done = self.heddle("explore", "--model", model, "--volatile", "acquire-release", "--output", out, "--json",
                           self.path("j"), "--", program, status=status)
        if not status:
            self.assertIn("complete:", done.stdout + done.stderr)
            for seed in range(1, 6):
                self.heddle("run", "--model", model, "--volatile", "acquire-release", "--seed", str(seed), "--", program,
                            status=0)
            return
        self.assertIn("Older values that were read", done.stdout)
        with open(self.path("j"), encoding="utf-8") as file:
            read, = json.load(file)["findings"][0]["older_values"]
        self.assertIn(read["text"], done.stdout)
        self.assertEqual((read["value"], read["written"], read["newest"]["file"]), (0, None, read["file"]))
        trace = os.path.join(out, next(f for f in os.listdir(out) if f.endswith(".htr")))
        for _ in range(20 if FULL else 2):
            again = self.heddle("replay", trace, "--", program, status=1)
            self.assertNotIn("diverge", again.stdout + again.stderr)
        self.assertTrue(any(self.heddle("run", "--model", model, "--seed", str(seed), "--", program).returncode == 1
                            for seed in range(1, 101)))

    def test_found(self):
        for optimise in ("-O0", "-O2"):
            self.check("dekker", optimise, status=1)
            self.check("dekker", optimise, model="sc")
            self.check("dekker", optimise, "-DFENCED")
            self.check("flag", optimise)
            self.check("flag", optimise, "-DREPLY", status=1)
            self.check("flag", optimise, "-DREPLY", model="sc")

    def test_hint(self):
        """Who relies on volatile is told of the model that has it."""
        program = self.build(os.path.join(HERE, "tso", "dekker.c"), "hinted", "-g")
        for command in ("explore", "check"):
            done = self.heddle(command, "--output", self.path("out"), "--", program, status=1)
            self.assertIn("--model tso runs what x86 makes of them", done.stdout)
            done = self.heddle(command, "--volatile", "acquire-release", "--output", self.path("out"), "--", program,
                               status=0)
            self.assertIn("--model tso", done.stdout + done.stderr)

    def test_lock_released_by_a_store(self):
        exchange, compare = "__sync_lock_test_and_set(&lock,1)", "!__sync_bool_compare_and_swap(&lock,0,1)"
        for kind in ("int", "volatile int"):
            for take in (exchange, compare):
                self.check("spinlock", "-DLOCK_TYPE=" + kind, "-DTAKE=" + take)
        program = self.build(os.path.join(HERE, "tso", "spinlock.c"), "early", "-g", "-DEARLY", "-DLOCK_TYPE=int",
                             "-DTAKE=" + compare)
        self.heddle("explore", "--model", "tso", "--output", self.path("out"), "--", program, status=1)


class Algorithms(harness.SystemTest):
    """Right, an algorithm is proved so; with one order weakened or a fence left out it fails, and only by the memory
    model."""

    ALL = ("chaselev", "dekker", "mcs", "msqueue", "once", "peterson", "publish", "refcount", "ring", "seqlock",
           "szymanski", "ticket", "treiber")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.right, cls.wrong = {}, {}
        for name in cls.ALL:
            source = os.path.join(HERE, "weak", name + ".c")
            cls.right[name] = cls.build(source, name)
            cls.wrong[name] = cls.build(source, name + "-weak", "-DWEAKENED")

    def test_proved(self):
        for name, program in self.right.items():
            with self.subTest(name):
                done = self.heddle("explore", "--model", "c11", "--output", self.path("out"), "--", program, status=0)
                self.assertIn("complete:", done.stdout + done.stderr)

    def test_found(self):
        for name, program in self.wrong.items():
            with self.subTest(name):
                out = self.path("out-" + name)
                done = self.heddle("explore", "--output", out, "--", program)
                self.assertEqual(done.returncode, 0, name + " is right in one order of everything")
                done = self.heddle("explore", "--model", "c11", "--output", out, "--", program, status=1)
                self.assertIn("Older values that were read", done.stdout)
                trace = os.path.join(out, next(f for f in os.listdir(out) if f.endswith(".htr")))
                for _ in range(20 if FULL else 2):
                    again = self.heddle("replay", trace, "--", program, status=1)
                    self.assertNotIn("diverge", again.stdout + again.stderr)

    def test_random_finds_them(self):
        """Within a hundred seeds; and no loop waits for ever."""
        for policy in ("random", "pct"):
            for name, program in self.wrong.items():
                with self.subTest(name, policy=policy):
                    self.assertTrue(any(
                        self.heddle("run", "--model", "c11", "--policy", policy, "--pct-length", "40", "--seed",
                                    str(seed), "--record", self.path("r.htr"), "--", program).returncode == 1
                        for seed in range(1, 101)))
                    self.heddle("replay", self.path("r.htr"), "--", program, status=1)

    def test_loops_with_several_older_values(self):
        """Whichever gives way first, or was read before, and if two threads wait for each other: all ends, no other."""
        either = {1, 2, 3}
        looks_again = {2, 2 | 4, 1 | 4, 1 | 2 | 4}  # who has seen it once sees it again
        ends = {1: {loop | twice << 2 for loop in either for twice in (0, 2, 3)},
                2: {mine | other << 4 for mine in looks_again for other in looks_again},
                3: {1 | later << 2 | other << 4 for later in (0, 1) for other in either},
                4: {2, 4, 6, 5, 7},
                5: either}
        for case, expected in ends.items():
            with self.subTest(case):
                program = self.build(os.path.join(HERE, "weak", "older_in_loops.c"), f"loops{case}", "-O1",
                                     f"-DCASE={case}")
                document, done = self.run_json("explore", "--model", "c11", "--outcomes", "--expect-exit",
                                               ",".join(map(str, range(128))), "--output", self.path("out"), "--",
                                               program)
                self.assertIn("complete:", done.stdout + done.stderr)
                self.assertEqual({one["code"] for one in document["outcomes"]}, expected)

    def test_priorities_starve_nobody(self):
        """Whoever has the highest priority and waits in a loop that counts lets the others run some day."""
        program = self.build(os.path.join(HERE, "weak", "counting_wait.c"), "counting", "-O1")
        for model in ("sc", "c11"):
            for seed in range(1, 7):
                with self.subTest(model, seed=seed):
                    self.heddle("run", "--model", model, "--policy", "pct", "--pct-depth", "1", "--seed", str(seed),
                                "--", program, status=0)

    def test_right_ones_run(self):
        for name, program in self.right.items():
            for seed in range(1, 21 if FULL else 6):
                with self.subTest(name, seed=seed):
                    self.heddle("run", "--model", "c11", "--seed", str(seed), "--", program, status=0)

    def kinds(self, program, *options):
        document, _ = self.run_json("explore", "-k", "--model", "c11", "--output", self.path("out"), *options, "--",
                                    program)
        return {found["kind"] for found in document["findings"]}

    def test_what_is_written_is_seen(self):
        """Older values in each round of a loop make no livelock; what is never written does."""
        source = os.path.join(HERE, "weak", "volatile_lock.c")
        self.assertEqual(self.kinds(self.build(source, "lock")), {"race"})
        self.assertIn("livelock", self.kinds(self.build(source, "never", "-DNEVER")))
        source = os.path.join(HERE, "weak", "two_looks.c")
        self.assertEqual(self.kinds(self.build(source, "looks")), set())
        self.assertEqual(self.kinds(self.build(source, "looks-never", "-DNEVER")), {"livelock"})
        exchange = self.build(os.path.join(HERE, "weak", "weak_exchange.c"), "exchange")
        done = self.heddle("explore", "--model", "c11", "--output", self.path("out"), "--", exchange, status=0)
        self.assertRegex(done.stdout + done.stderr, "complete: .*; weak compare-exchanges .*: once in a row")
        if FULL:
            turns = self.build("../explore/seqlock_turns.c", "turns", "-O2")
            self.assertEqual(self.kinds(turns, "--executions", "9000"), set())


if __name__ == "__main__":
    harness.main()
