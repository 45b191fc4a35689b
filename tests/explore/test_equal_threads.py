#!/usr/bin/env python3
"""Threads that begin alike: as many executions as differ by more than their names, the same outcomes as without, and no
exchange where something tells them apart. HEDDLE_TEST_PROGRAMS says how many random programs, HEDDLE_TEST_SEED which."""

import json
import math
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = os.environ.get("HEDDLE_TEST_FULL")
MANY = int(os.environ.get("HEDDLE_TEST_PROGRAMS", "300" if FULL else "6"))
NOTE = "threads that begin alike: not told apart"

# Groups for equal_script.c; executions; those with --symmetry no.
COUNTS = [
    # All orders of n are one: whoever is first has the first name.
    *((f"{n}a0", 1, math.factorial(n)) for n in (2, 3, 4)), ("3l0q0k0", 1, 6), ("2c0", 1, 2),
    # Names go by the order at the first variable; then all orders at the second one differ.
    ("2a0a1", 2, 4), ("3a0a1", 6, 36),
    # C(2k, k) orders of two threads with k steps each; none is its own mirror image.
    ("2a0a0", 3, 6), ("2l0q0k0l0q0k0", 3, 6),
    # So many readers come before the writer, be it another thread or the main one.
    *((f"{n}r0 1w0", n + 1, 2 ** n) for n in (2, 4)), ("3r0/w0", 4, 8),
    # (n + m)! / (n! m!) orders of two groups.
    ("3a0 1a0", 4, 24), ("2a0 2a0", 6, 24),
    # The k-th to add has looked before or after any number of those that add earlier: k ways; without names, n! times as many.
    ("2r0a0", 2, 4), ("3r0a0", 6, 36),
    # The first to add looks before the second adds, or after; a reader sees 0, 1 or 2.
    ("2a0r0 1r0", 6, 12),
    # Nobody is like anybody else.
    ("1a0 1a0", 2, 2),
]

# Programs of told_apart.c, and what they come to.
TOLD_APART = [
    ("between", {"assertion"}), ("one-left", {"exit"}), ("lock-between", set()), ("number-is-odd", {"assertion"}),
    ("number-is-even", {"assertion"}), ("write-after-one-1", {"race"}), ("write-after-one-2", {"race"}),
    ("write-before-one-1", {"race"}), ("write-before-one-2", set()), ("results", {"assertion"}),
    ("nested", set()),
]

# What random programs are made of; the first is for small ones.
KINDS = ("rwac", "rwauci", "rwauciLt", "rrwa", "svra", "rwpq")

# Each was explored wrongly once.
ONCE_WRONG = ["2a0r0v1r0 1r0", "2r1w1 1w0r1/r1"]


class EqualThreads(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.script = cls.build(os.path.join(HERE, "equal_script.c"), "equal_script", "-O1")
        cls.apart = [cls.build(os.path.join(HERE, "told_apart.c"), "told_apart" + level, level) for level in ("-O0", "-O2")]

    def explore(self, program, *options, strategy="dpor"):
        file = self.path("found.json")
        done = self.heddle("explore", "--strategy", strategy, "--json", file, "--output", self.path("out"), *options, "--",
                           *program)
        self.assertIn(done.returncode, (0, 1, 4), done.stderr)
        with open(file, encoding="utf-8") as text:
            return json.load(text), done.stdout

    def whole(self, document):
        found = re.search(r"(\d+) executions \((\d+) redundant", "\n".join(document["notes"]))
        self.assertEqual(int(found.group(2)), 0, document["notes"])
        return int(found.group(1))

    def test_counts(self):
        for i, (groups, count, all_names) in enumerate(COUNTS):
            ways = ((), ("--jobs", "2"), ("--snapshots", "all"), ("--snapshots", "no"))
            for options in ways if FULL else ways[i % 4:][:1]:
                with self.subTest(groups, options=options):
                    document, said = self.explore((self.script, *groups.split()), *options)
                    self.assertEqual(self.whole(document), count)
                    self.assertIn("complete:", said)
                    self.assertEqual(NOTE in said, groups != "1a0 1a0")
                    document, said = self.explore((self.script, *groups.split()), "--symmetry", "no", *options)
                    self.assertEqual((self.whole(document), NOTE in said), (all_names, False))

    def test_told_apart(self):
        for i, (name, kinds) in enumerate(TOLD_APART):
            for program in self.apart if FULL else self.apart[i % 2:][:1]:
                for strategy in ("dpor", "auto"):
                    document, said = self.explore((program, name), strategy=strategy)
                    self.assertEqual({f["kind"] for f in document["findings"]}, kinds, (name, strategy))
                    self.assertNotIn(NOTE, said, name)
                    self.assertTrue(kinds or "complete:" in said, name)

    def test_not_told_apart(self):
        for program in self.apart:
            for name in ("nothing", "backwards"):
                document, said = self.explore((program, name))
                self.assertEqual((self.whole(document), document["findings"]), (1, []), name)
                self.assertIn(NOTE, said)
        # Not by ranks, parts, or another strategy.
        for options in (("--ranks", "2"), ("--part", "1/2")):
            _, said = self.explore((self.script, "3a0"), *options)
            self.assertNotIn(NOTE, said)
        _, said = self.explore((self.script, "3a0"), strategy="bounded")
        self.assertNotIn(NOTE, said)

    def test_resumed(self):
        """What sleeps is kept, and so is that something told them apart."""
        for program, left, note in (((self.script, "2a0r0", "1r0"), 3, True), ((self.apart[1], "lock-between"), 2, False)):
            whole, _ = self.explore(program)
            first, _ = self.explore(program, "--executions", str(left))
            self.assertEqual(first["stats"]["executions"], left)
            document, said = self.explore(program, "--resume", self.path("out/unfinished.hxp"))
            self.assertEqual((document["stats"]["executions"], NOTE in said), (whole["stats"]["executions"], note))
            self.assertIn("complete:", said)

    def outcomes(self, groups, *options, strategy="dpor"):
        """Is it everything; what it came to; whether threads were exchanged."""
        document, said = self.explore((self.script, *groups.split()), "--outcomes", "--observe", "digest, v0, v1",
                                      "--executions", "2000", *options, strategy=strategy)
        ends = {(o["end"], o.get("code"), o.get("kind"), str(o.get("values"))) for o in document["outcomes"]}
        return document["stats"]["complete"], (ends, {f["kind"] for f in document["findings"]}), NOTE in said

    def agree(self, groups, with_naive):
        ours, all_names = self.outcomes(groups), self.outcomes(groups, "--symmetry", "no")
        if not ours[0] or not all_names[0]:
            return False
        self.assertEqual(ours[1], all_names[1], groups)
        if with_naive and not ours[1][1]:
            naive = self.outcomes(groups, strategy="naive")
            self.assertTrue(not naive[0] or naive[1] == ours[1], groups)
        return ours[2]

    def test_what_was_wrong_once(self):
        for groups in ONCE_WRONG:
            self.assertTrue(self.agree(groups, FULL))

    def test_random_programs(self):
        rng = random.Random(int(os.environ.get("HEDDLE_TEST_SEED", "1")))
        exchanged = 0

        def script(kinds, most):
            ops = []
            for _ in range(rng.randint(1, most)):
                what, n = rng.choice(kinds), rng.randrange(2)
                ops.append(f"l0{rng.choice('pqra')}{n}k0" if what == "L" else f"{what}{n}")
            return "".join(ops)

        for k in range(MANY):
            kinds, n = KINDS[rng.randrange(len(KINDS)) if FULL else 0], rng.randint(2, 3)
            groups = f"{n}{script(kinds, 5 - n)}"
            if rng.random() < 0.6:
                groups += f" {rng.randint(1, 2)}{script(kinds, 2)}"
            if rng.random() < 0.4:
                groups += "/" + script(kinds, 2)
            exchanged += self.agree(groups, k % 5 == 0)
        self.assertGreater(exchanged, MANY // 3)


if __name__ == "__main__":
    harness.main()
