#!/usr/bin/env python3
"""Loops that do something besides which neither memory nor a thread's stack shows: what libc or the kernel keeps. A round
that has done it is not in vain, and a loop that gets on with it ends. One that does the same again and again does not."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = os.environ.get("HEDDLE_TEST_FULL")
# Of a thread alone: a round in which it is the same as before leads back. Of the process: who does it is never back.
OF_THREAD = ["value", "cancel", "mask", "stack", "round"]
OF_PROCESS = ["name", "size", "limit", "handler", "errno"]
ENDS = ["value", "errno", "byte", "unlocked", "rand", "place", "time"]


class Unseen(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cls.build(os.path.join(HERE, "unseen.c"), "unseen", "-O1")
        cls.file = cls.path("bytes")
        with open(cls.file, "w", encoding="ascii") as file:
            file.write("four")

    def explore(self, *args, options=()):
        document, _ = self.run_json("explore", "--outcomes", "--time", "20", "--output", self.path("out"), *options, "--",
                                    self.program, *args, cwd=self.folder.name)
        ends = {o["stdout"].strip() for o in document["outcomes"]}
        return ends, {f["kind"] for f in document["findings"]}, document["stats"]["complete"]

    def test_effect_of_a_round(self):
        """The flag is set before the first round, or after some."""
        for name in OF_THREAD + OF_PROCESS if FULL else OF_THREAD[:3] + OF_PROCESS[:2]:
            with self.subTest(name):
                ends, kinds, complete = self.explore(name, options=("--spins", "4"))
                self.assertEqual((ends, kinds), ({"made", "not made"}, set()))
                self.assertTrue(complete or name in OF_PROCESS)

    def test_ends_by_itself(self):
        for name in ENDS:
            for strategy in ("dpor", "naive")[:2 if FULL or name in ("byte", "time") else 1]:
                with self.subTest(name, strategy=strategy):
                    _, kinds, complete = self.explore(name, self.file, options=("--strategy", strategy))
                    self.assertEqual(kinds, set())
                    self.assertTrue(complete or strategy == "naive")

    def test_long_file(self):
        """Without an explorer states are compared now and then: after so many rounds it would be found out."""
        long = self.path("long")
        with open(long, "w", encoding="ascii") as file:
            file.write("x" * 20000)
        for name in ("byte", "unlocked"):
            self.heddle("run", "--", self.program, name, long, status=0, cwd=self.folder.name)

    def test_for_ever(self):
        """What is done again and again is the same from the second time on: nobody ends it."""
        for name in OF_THREAD[:2]:
            _, kinds, _ = self.explore(name, "-")
            self.assertEqual(kinds, {"livelock"})


if __name__ == "__main__":
    harness.main()
