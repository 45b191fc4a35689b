#!/usr/bin/env python3
"""Exploring programs with time in them agrees with a model: programs that once showed a difference,
and random ones (timed_agree.c). HEDDLE_TEST_PROGRAMS says how many, HEDDLE_TEST_SEED which."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = bool(os.environ.get("HEDDLE_TEST_FULL"))
# Of each set of features: programs in the long test and in the short one.
FEATURES = {"": (1000, 4), "t": (3000, 4), "s": (3000, 4), "o": (3000, 4), "e": (3000, 4), "r": (2000, 4), "a": (3000, 4),
            "tse": (4000, 8), "tserq": (4000, 8)}
SECONDS = 200  # for all of them, with two processes
# What exploring once got wrong, as small as it gets, by features.
ONCE_WRONG = {
    "": ["/l0l1u1u0/l1l0u0u1", "/l0v0g0u0/l0h0s0u0", "/l0t1u1u0/l1t0u0u1", "/d0r0/a0p0/a0p0", "l0/l1l0/l1", "l0/l0/l0/"],
    "t": ["a0/z3a0", "/m0/m0u0", "/l0V0g0u0/l0h0s0u0", "/D0r0/w0p0", "/l0m1u1u0/l1m0u0u1", "/l1V1u1/m1h1l1s1u1"],
    "s": ["/S0/z0w0", "/L0/L2", "/L0L1O1O0/L1L0O0O1", "/E0/w0w0", "/Q0Q1u1u0/Q1Q0u0u1",
          "/L6O0/L2L4", "/L4O0S0/L2"],
    "o": ["/K0O0/K0O0", "/P0O0/P0O0", "/B0/w0w1", "/B0/w0", "/K0/K0O0", "/N0/N0"],
    "r": ["/l0M0u0/l0h0u0", "//l0M0", "l0/T0", "/R0", "/l0/l0M0", "l0u0/l0M0", "l1/l1l0/l0T1"],
    "a": ["/U0/U0/r0", "/U0U0/U0a0", "/U0/S0U0r0"],
    "q": ["q1/q1", "x1/q1", "f0/q1", "/x0/q1"],
    "e": ["/p1F0/x1", "/a1/X1", "k1/l0F0", "x0/a0a0F0", "f0/r0F0", "e0/a0/r0F0", "/i0F0/a0x0", "X0/l0l1/l1l0"],
}


def model(program):
    """The outcomes of a program, as the model tells them."""
    done = subprocess.run([os.environ["TIMED_AGREE"], program], stdout=subprocess.PIPE, text=True,
                          check=True)
    return re.findall(r"model: (.*)", done.stdout)


class Model(harness.unittest.TestCase):
    """What the model says of programs that can be thought through."""

    def says(self, program, *outcomes):
        told = model(program)
        self.assertEqual(len(told), len(outcomes), (program, told))
        for start in outcomes:
            self.assertTrue([o for o in told if o.startswith(start)], (program, start, told))

    def test_orders(self):
        # Sums tell what was read: T1 adds 2, T2 adds 3.
        self.says("/a0/a0", "ends with 0 T0 0@0 T1 0@1 T2 2@1", "ends with 0 T0 0@0 T1 3@1 T2 0@1")
        self.says("/l0l1u1u0/l1l0u0u1", "cycle", "ends")
        # A semaphore that nobody posts.
        self.says("/d0", "stuck T0 0@0 T1 0@0")

    def test_time_orders_nothing(self):
        self.says("a0/z0a0", "ends with 0 T0 0@1 T1 1@1", "ends with 0 T0 2@1 T1 0@1")
        # A lock with a deadline: either has it first, and the other comes after or in vain.
        self.says("/m0u0/m0u0", *(f"ends with 0 T0 0@0 T1 {a}@1 T2 {b}@1"
                                  for a, b in ((0, 0), (1, 0), (0, 1))))
        self.says("/D0/p0", "ends with 0 T0 0@0 T1 1@1", "ends with 0 T0 0@0 T1 0@1")
        # The wait ends by the signal, or by time; only then must there be somebody.
        self.says("/l0v0u0", "stuck T0 0@0 T1 0@1")
        self.says("/l0V0u0", "ends with 0 T0 0@0 T1 1@2")

    def test_loops_that_wait(self):
        self.says("/S0/w0", "ends with 0 T0 0@0 T1 3@1")
        self.says("/S0", "stuck T0 0@0 T1 0@0")
        self.says("/L0L1O1O0/L1L0O0O1", "ends", "stuck T0 0@0 T1 0@1 T2 0@1")
        # The mutex is free while the loop waits, so the other gets in; if there is none, that was all.
        self.says("/l0M0u0/l0h0u0", "ends with 0 T0 0@0 T1 3@2 T2 0@1")
        self.says("/l0M0u0", "stuck T0 0@0 T1 0@1")
        self.says("/E0/w0", "ends with 0 T0 0@0 T1 0@1", "ends with 0 T0 0@0 T1 3@1")
        # Somebody who may end the process is help enough.
        self.says("x0/S0", "ends with 0")

    def test_ends(self):
        # Of an early end only the status is told, and what the one knows who has ended it.
        self.says("x0/a0a0", "ends with 0")
        self.says("r0x1/a0", "ends with 16 T0 0@1", "ends with 16 T0 2@1")
        self.says("/X1/q2", "ends with 17", "ends with 34")
        self.says("f0/F0", "ends with 0", "fails by T1")
        self.says("k1/a0", "ends with 0")
        self.says("k1/a0F0", "ends with 0", "fails by T1 T0 0@0 T1 0@1")
        self.says("/r0F0/a0", "fails by T1 T0 0@0 T1 0@1", "fails by T1 T0 0@0 T1 3@1")
        self.says("e0/a0/r0", "ends with 0")
        self.says("e0/S0", "stuck T0 0@0 T1 0@0")
        self.says("/A0", "aborts by T1")


class TimedAgree(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.script = cls.build(os.path.join(HERE, "timed_script.c"), "timed_script")

    def start_agree(self, folder, *args):
        os.makedirs(self.path(folder), exist_ok=True)
        return subprocess.Popen([os.environ["TIMED_AGREE"], self.script, self.path(folder), *args],
                                env=harness.environment(), stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def end_agree(self, child):
        said, _ = child.communicate()
        self.assertEqual(child.returncode, 0, f"{child.args}\n{said}")
        return said

    def test_what_was_wrong_once(self):
        for feature in sorted(set("".join(FEATURES))) + [""]:
            self.end_agree(self.start_agree("once", *ONCE_WRONG[feature]))

    def test_random_programs(self):
        seed = int(os.environ.get("HEDDLE_TEST_SEED", "1"))
        for features, counts in FEATURES.items():
            many = int(os.environ.get("HEDDLE_TEST_PROGRAMS", counts[0 if FULL else 1]))
            limit = SECONDS * counts[0] // sum(c[0] for c in FEATURES.values())
            half = many // 2
            children = [self.start_agree(f"half{i}", "random", str(half), str(seed + i * half),
                                         features, str(limit)) for i in range(2)]
            for child in children:
                print(self.end_agree(child))


if __name__ == "__main__":
    harness.main()
