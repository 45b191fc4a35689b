#!/usr/bin/env python3
"""explore --model c11 against the axioms of RC11: of every litmus test, the executions that come to an end are as
many as are consistent, and an outcome is met if and only if it is allowed. The named tests are those of
tests/unit/runtime/weak/litmus.def, where the expectations are reasoned; for random ones the oracle says."""

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


def named():
    with open(LITMUS, encoding="utf-8") as file:
        for found in re.finditer(r'LITMUS\("(.*?)", "(.*?)", "(.*?)", (true|false), (\d+)\)', file.read()):
            name, words, outcome, allowed, count = found.groups()
            if name != APART:
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

    def explore(self, words, outcome, *options):
        """How many distinct executions ended, and whether one had this outcome."""
        done = self.heddle("explore", "--model", "c11", "--keep-going", "--output", self.path("out"), *options,
                           "--", self.litmus, words, outcome)
        said = done.stdout + done.stderr
        self.assertIn("complete:", said, words)
        self.assertIn("under the memory model of C11", said, words)
        count = int(re.search(r"the memory model: (\d+) distinct", said).group(1))
        return count, "ends with status 3" in said

    def test_named(self):
        tests = list(named())
        self.assertGreaterEqual(len(tests), 60)
        for name, words, outcome, allowed, count in tests:
            with self.subTest(name, words=words, outcome=outcome):
                self.assertEqual(self.explore(words, outcome), (count, allowed))

    def test_strategies(self):
        """States that were met before are the same only if what can be read is."""
        tests = [test for test in named() if test[1].count("|") <= 1]
        for name, words, outcome, allowed, count in tests[:: 1 if FULL else 7]:
            with self.subTest(name, words=words):
                self.assertEqual(self.explore(words, outcome, "--strategy", "naive")[1], allowed)
                self.assertEqual(self.explore(words, outcome, "--strategy", "dpor", "--snapshots", "all"),
                                 (count, allowed))

    def test_random(self):
        rng = random.Random(19)
        tests = [random_words(rng) for _ in range(1000 if FULL else 100)]
        said = subprocess.run([os.environ["LITMUS_ORACLE"]], input="\n".join(tests) + "\n", check=True,
                              capture_output=True, text=True).stdout
        for words, line in zip(tests, said.splitlines()):
            count, *outcomes = line.split()
            with self.subTest(words):
                self.assertEqual(self.explore(words, outcomes[0]), (int(count), True))

    def test_one_order_by_default(self):
        """Under sequential consistency nothing of this is seen, and the report says what to try."""
        done = self.heddle("explore", "--output", self.path("out"), "--", self.litmus, "Wx1r Wy1r | Ryr Rxr", "10",
                           status=0)
        self.assertIn("under sequential consistency", done.stdout + done.stderr)
        self.assertIn("--model c11 explores what C11 allows", done.stdout + done.stderr)
        done = self.heddle("explore", "--output", self.path("out"), "--", self.litmus, "Wx1s Wy1s | Rys Rxs", "10",
                           status=0)
        self.assertNotIn("--model c11", done.stdout + done.stderr)


if __name__ == "__main__":
    harness.main()
