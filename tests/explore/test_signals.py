#!/usr/bin/env python3
"""Signals that threads send each other are tried before and after every step of who gets them.

usage: test_signals.py BUILDDIR [unittest's arguments]
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

# The values of `seen` and `seen_too` at the end. A handler comes after 0, 1 or 2 steps, or never, if the thread has ended.
ANY = {-1, 0, 1, 2}
CASES = {
    "plain": {(a, -1) for a in ANY},
    # The second is sent later: never earlier than the first.
    "both": {(a, b) for a in ANY for b in ANY if b == -1 or -1 < a <= b},
    # What comes while it is masked comes at its end; it may come before.
    "masked": {(-1, -1), (0, -1), (2, -1)},
}


class Signals(harness.SystemTest):
    programs = ("../explore/signals.c",)

    def explore(self, case, *options):
        document, _ = self.run_json("explore", *options, "--output", self.path("out"), "--",
                                    self.binary["signals"], case)
        return document

    def test_every_moment(self):
        for strategy in ("dpor", "naive"):
            for case, want in CASES.items():
                with self.subTest(case, strategy=strategy):
                    document = self.explore(case, "--strategy", strategy, "--outcomes", "--observe",
                                            "seen, seen_too")
                    got = {(o["values"]["seen"], o["values"]["seen_too"]) for o in document["outcomes"]}
                    self.assertEqual(got, want)
                    self.assertTrue(document["stats"]["complete"], document["notes"])

    def test_handler_that_locks(self):
        found, = self.explore("locked")["findings"]
        self.assertEqual(found["kind"], "deadlock")
        again, _ = self.run_json("replay", found["schedule"], "--", self.binary["signals"], "locked")
        self.assertEqual([f["kind"] for f in again["findings"]], ["deadlock"])
        document = self.explore("locked-masked")
        self.assertEqual(document["findings"], [])
        self.assertTrue(document["stats"]["complete"], document["notes"])

    def test_who_takes_it(self):
        """Which of several threads takes a signal to the process is not tried: so that is no proof."""
        for case, stopped in (("process", "signals"), ("process-masked", None)):
            stats = self.explore(case)["stats"]
            self.assertEqual((stats["stopped"], stats["complete"]), (stopped, not stopped), case)

    def test_check_agrees(self):
        for case, kinds in (("locked", ["deadlock"]), ("locked-masked", [])):
            document, _ = self.run_json("check", "--output", self.path("out"), "--",
                                        self.binary["signals"], case)
            self.assertEqual([f["kind"] for f in document["findings"]], kinds, case)


if __name__ == "__main__":
    harness.main()
