#!/usr/bin/env python3
"""Without options, explore tries more than one way in turns: what dpor would come to late is found, the
report says who found it, and what dpor counts and proves stays the same."""

import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

SOURCES = os.path.join(harness.ROOT, "bench", "programs", "classic")
BOUNDS = "6300"  # after the first turn
FULL = bool(os.environ.get("HEDDLE_TEST_FULL"))
# One thread must come in between two steps of the first of many: dpor, which varies the last decisions first,
# has to go through the orders of all others before.
MANY = [("reorder", "101"), ("twostage", "20")]
if FULL:
    MANY += [("reorder", "11"), ("reorder", "50"), ("twostage", "10"), ("wronglock", "100"), ("philosophers", "12"),
             ("bluetooth", "20"), ("account", "20"), ("lazy_init", "20"), ("shared_stack", "50"), ("bounded_buffer", "5")]


class Portfolio(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in {name for name, _ in MANY}:
            cls.binary[name] = cls.build(os.path.join(SOURCES, name + ".c"), name)
        cls.binary["adds"] = cls.build("../explore/adds.c", "adds")

    def explore(self, name, *arguments, options=()):
        document, _ = self.run_json("explore", *options, "--output", self.path("out"), "--",
                                    self.binary[name], *arguments)
        return document

    def note(self, document, pattern):
        found = [re.search(pattern, n) for n in document["notes"]]
        found = [f for f in found if f]
        self.assertTrue(found, (pattern, document["notes"]))
        return found[0]

    def test_one_of_many_threads(self):
        for name, size in MANY:
            document = self.explore(name, "bad", size, options=("--executions", "20000"))
            finding, = document["findings"]
            self.assertIn(finding["kind"], ("assertion", "deadlock"), name)
            who = self.note(document, r"found: \w+ by (.*) in execution (\d+)")
            if (name, size) in MANY[:2]:
                self.assertEqual(who[1], "preemptions where threads meet")
            found, = document["stats"]["exploration"]["found"]
            self.assertEqual((found["kind"], found["by"], str(found["execution"])),
                             (finding["kind"], who[1], who[2]))
            again, _ = self.run_json("replay", finding["schedule"], status=1)
            self.assertEqual([f["kind"] for f in again["findings"]], [finding["kind"]])
            # The search alone has not found it in as many executions.
            if (name, size) in MANY[:2] and FULL:
                alone = self.explore(name, "bad", size,
                                     options=("--strategy", "dpor", "--executions", who[2]))
                self.assertEqual(alone["findings"], [])
            good = self.explore(name, "good", size, options=("--executions", "9000" if FULL else "700"))
            self.assertEqual(good["findings"], [])

    def test_what_dpor_counts_stays(self):
        # Seven critical sections in any order, which is more than one turn.
        document = self.explore("reorder", "good", "7")
        self.assertEqual(self.note(document, r"dpor: 1 round, (\d+) executions \(0 redundant")[1], "5040")
        self.assertTrue(document["stats"]["complete"])
        besides = self.note(document, r"besides: (\d+) executions with preemptions where threads meet, (\d+) "
                            r"with few preemptions, (\d+) by random")
        self.assertTrue(all(int(n) for n in besides.groups()))
        self.assertEqual(document["stats"]["executions"], 5040 + sum(map(int, besides.groups())))
        numbers = document["stats"]["exploration"]
        self.assertEqual((numbers["search"], numbers["redundant"], numbers["cut"]), (5040, 0, 0))
        self.assertEqual([str(numbers[k]) for k in ("conflicts", "bounded", "pct")], list(besides.groups()))
        self.assertEqual((numbers["simpler"], numbers["estimate"], numbers["found"]), (0, None, []))
        # The same in parts.
        first = self.explore("reorder", "good", "7", options=("--executions", "4500"))
        self.assertEqual(first["stats"]["executions"], 4500)
        # All subtrees are alike here, so the estimate is too low only by what is not yet known to be wanted.
        numbers = first["stats"]["exploration"]
        self.assertLessEqual(numbers["estimate"]["before"], numbers["estimate"]["executions"])
        self.assertLessEqual(numbers["search"], numbers["estimate"]["executions"])
        self.assertLessEqual(numbers["estimate"]["executions"], 5040)
        self.note(first, f"at least some {numbers['estimate']['executions']} executions in all")
        second = self.explore("reorder", "good", "7",
                              options=("--resume", self.path("out/unfinished.hxp")))
        self.assertEqual(self.note(second, r"dpor: 1 round, (\d+) executions \(0 redundant")[1], "5040")
        self.assertTrue(second["stats"]["complete"])

    def test_bounds(self):
        # Two threads, 12 additions each: C(24, 12) orders, but few with two preemptions.
        one = self.explore("adds", "12", options=("--executions", BOUNDS, "--jobs", "1"))
        two = self.explore("adds", "12", options=("--executions", BOUNDS, "--jobs", "2"))
        self.assertFalse(one["stats"]["complete"])
        bound = self.note(one, r"complete up to (\d) preemptions: every schedule with so many was tried")[1]
        self.assertGreaterEqual(int(bound), 2)
        self.assertEqual(one["stats"]["exploration"]["preemptions"], int(bound))

        def notes(document):
            return [re.sub(r"\d+ a second", "", n) for n in document["notes"]]

        self.assertEqual(notes(one), notes(two))
        # With a strategy of one's own there is nothing else.
        own = self.explore("adds", "12", options=("--strategy", "dpor", "--executions", "6000"))
        self.assertFalse([n for n in own["notes"] if "besides" in n or "complete up to" in n])

    @unittest.skipUnless(FULL, "long")
    def test_bounds_that_are_continued(self):
        """What is known about loops that wait has changed by the second turn: preemptions count as before."""
        binary = self.build("../explore/seqlock_turns.c", "seqlock_turns", "-O2")
        document, _ = self.run_json("explore", "--executions", "40000", "--output", self.path("out"), "--",
                                    binary, status=4)
        self.assertEqual(document["findings"], [])
        self.note(document, "complete up to")


if __name__ == "__main__":
    harness.main()
