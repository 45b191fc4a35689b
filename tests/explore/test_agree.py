#!/usr/bin/env python3
"""All ways to explore real programs end in the same final states: what once differed, and random
programs. HEDDLE_TEST_PROGRAMS says how many, HEDDLE_TEST_SEED which."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = 100
FEW = 4
# What exploring once got wrong, as small as it gets; threads are separated by '/'.
ONCE_WRONG = [
    "/l0v0/b0",  # a broadcast that comes before the wait, without the mutex
    "l1/l1/",  # what the thread whose wait closes the circle waits for
    "w0/c0/",  # a swap in vain that sees 1 and one that does not and sees 0 had the same hash
    "/h0h0/g0h0g0",  # after a race was reported, a write was not part of the state
    # A small one of the kind of those below.
    "a0l1/i0l1",
]
# Threads that end with or without a lock are the same but for the lock. Thousands of executions: for the long test.
ONCE_WRONG_LONG = ["a0a0j1r1l1/i0l1/w1w1", "a0a0R1/i0W1/r1r1"]


class Agree(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.script = cls.build(os.path.join(HERE, "script.c"), "script")

    def agree(self, *args):
        done = subprocess.run([os.environ["AGREE"], self.script, self.folder.name, *args],
                              env=harness.environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{args}\n{done.stdout}")
        return done.stdout

    def test_what_was_wrong_once(self):
        for program in ONCE_WRONG + (ONCE_WRONG_LONG if os.environ.get("HEDDLE_TEST_FULL") else []):
            self.agree(program)

    def test_random_programs(self):
        many = FULL if os.environ.get("HEDDLE_TEST_FULL") else FEW
        many = os.environ.get("HEDDLE_TEST_PROGRAMS", str(many))
        print(self.agree(many, os.environ.get("HEDDLE_TEST_SEED", "1")))


if __name__ == "__main__":
    harness.main()
