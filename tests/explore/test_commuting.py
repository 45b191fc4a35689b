#!/usr/bin/env python3
"""Additions whose results nobody uses: as many executions as somebody could tell apart, no race that there is not,
and none is missed. And what --commute no does: all orders."""

import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = os.environ.get("HEDDLE_TEST_FULL")

# Name, threads that do the first thing, executions, those with --commute no: (n + 1)! where there is another thread.
COUNTS = [
    ("add", 2, 1, 2), ("add", 4, 1, 24), ("subtract", 3, 1, 24),
    # All are told how many came before, so all orders differ.
    ("ask", 3, 6, 6),
    # One is told something, or sets all to 7: each of the others comes before or after it.
    ("one-asks", 3, 2 ** 3, 24), ("look", 3, 2 ** 3, 24), ("set", 3, 2 ** 3, 24), ("parts", 3, 2 ** 3, 24),
    # n! orders at one variable, and the look comes before or after each addition to the other, in the same eight bytes.
    ("beside", 2, 2 * 2 ** 2, 2 * 6), ("beside", 3, 6 * 2 ** 3, 6 * 24),
    # A carry gets into the second byte in some orders.
    ("byte", 2, 2 ** 2, 6),
    ("nothing", 2, 2, 2),
]
NOTE = "atomic additions whose results nobody uses"


class Commuting(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.built = [cls.build(os.path.join(HERE, "commuting.c"), "commuting" + level, level)
                     for level in ("-O1", "-O2", "-O0")]

    def explore(self, program, name, n, *options, strategy="dpor", status=0):
        document, done = self.run_json("explore", "--strategy", strategy, "--output", self.path("out"), *options, "--",
                                       program, name, str(n), status=status)
        found = re.search(r"(\d+) executions \((\d+) redundant", done.stdout)
        whole = int(found.group(1)) - int(found.group(2))
        return {f["kind"] for f in document["findings"]}, whole, done.stdout

    def test_counts(self):
        for i, (name, n, count, all_orders) in enumerate(COUNTS):
            for program in self.built if FULL else self.built[i % 3:][:1]:
                with self.subTest(name, n=n, program=program):
                    kinds, whole, said = self.explore(program, name, n)
                    self.assertEqual((kinds, whole), (set(), count))
                    self.assertIn("complete:", said)
                    self.assertEqual(NOTE in said, name not in ("ask", "nothing"))
                    kinds, whole, said = self.explore(program, name, n, "--commute", "no")
                    self.assertEqual((kinds, whole, NOTE in said), (set(), all_orders, False))

    def test_other_ways(self):
        """Whoever executes, the rules are the same; other strategies have all orders, and parts."""
        for options in (("--jobs", "2"), ("--snapshots", "all"), ("--snapshots", "no"), ("--ranks", "2")):
            _, whole, said = self.explore(self.built[0], "look", 3, *options)
            self.assertEqual((whole, NOTE in said), (8, True), options)
        # All is seq_cst: no other model makes a difference. One part of two is no proof, and does not know of the other.
        _, whole, said = self.explore(self.built[0], "look", 3, "--model", "c11")
        self.assertEqual((whole, NOTE in said), (8, True))
        _, _, said = self.explore(self.built[0], "look", 3, "--part", "1/2", status=4)
        self.assertNotIn(NOTE, said)
        _, _, said = self.explore(self.built[0], "look", 3, strategy="bounded")
        self.assertNotIn(NOTE, said)

    def test_races_in_one_order(self):
        for i, name in enumerate(("races", "races-by-fence")):
            for program in self.built if FULL else self.built[i:][:1]:
                for strategy in ("dpor", "auto"):
                    kinds, _, _ = self.explore(program, name, 1, strategy=strategy, status=1)
                    self.assertEqual(kinds, {"race"}, (name, program))

    def test_no_race_by_what_is_left_out(self):
        for name in ("right", "right-by-fence"):
            for program in self.built:
                for options in ((), ("--jobs", "2"), ("--ranks", "2"), ("--part", "1/1")):
                    kinds, whole, said = self.explore(program, name, 1, *options)
                    self.assertIn("complete:", said, (name, options))
                    # Doubt is resolved with all orders: it looks before or after the other one has added.
                    self.assertEqual((kinds, NOTE in said), (set(), False), (name, options))
                    if not options:
                        self.assertGreaterEqual(whole, 2)

    def test_between(self):
        kinds, _, _ = self.explore(self.built[0], "two", 4, status=1)
        self.assertEqual(kinds, {"assertion"})
        kinds, _, said = self.explore(self.built[0], "two", 1)
        self.assertEqual((kinds, "complete:" in said), (set(), True))

    def test_resumed(self):
        """That there was a doubt is not forgotten."""
        for name, n, most, note in (("look", 4, 3, True), ("right", 1, 2, False)):
            done = self.heddle("explore", "--strategy", "dpor", "--executions", str(most), "--output", self.path("out"), "--",
                               self.built[0], name, str(n))
            self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
            _, _, said = self.explore(self.built[0], name, n, "--resume", self.path("out/unfinished.hxp"))
            self.assertIn("complete:", said)
            self.assertEqual(NOTE in said, note)


if __name__ == "__main__":
    harness.main()
