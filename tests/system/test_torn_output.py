#!/usr/bin/env python3
"""Output alone is a failure of `heddle check` where an operation is torn apart, and in no other case.

usage: test_torn_output.py BUILDDIR [unittest's arguments]

Which program is which was said by reading, in torn_output.c. By default some of them are checked; with
HEDDLE_TEST_FULL all.
"""

import os

import harness

# Pattern and variable of what is torn apart, and a line that no whole operation leads to.
TORN = {"deposit-jobs": ("RWW", "value", "value 4"),
        "withdraw": ("RWR", "value", "value -160"),
        "deposit": ("RWW", "value", "value [12]"),
        "deposit-timed": ("RWW", "value", "value 3"),
        "count": ("RWW", "hits", "hits 1")}
RIGHT = ("deposit-anew", "count-anew", "find-out", "visit", "look-on", "deposit-whole", "share", "hand-over")
FULL = bool(os.environ.get("HEDDLE_TEST_FULL"))


class TornOutput(harness.SystemTest):
    programs = ("torn_output.c",)

    def check(self, name, status):
        document, _ = self.run_json("check", "--output", self.path("out"), "--",
                                    self.binary["torn_output"], name, status=status)
        return document["findings"]

    def test_torn(self):
        for name, (pattern, variable, line) in list(TORN.items())[:None if FULL else 2]:
            with self.subTest(name):
                found = self.check(name, 1)
                self.assertEqual([(f["kind"], f["verdict"], f["pattern"], f["variable"]) for f in found],
                                 [("atomicity", "confirmed", pattern, variable)])
                self.assertRegex(found[0]["outcome"], f"standard output (has|lacks) the line '{line}', which")
                self.assertTrue(found[0]["remedy"]["found"])

    def test_right(self):
        for name in RIGHT[:None if FULL else 5]:
            with self.subTest(name):
                self.assertEqual(self.check(name, 0), [])


if __name__ == "__main__":
    harness.main()
