#!/usr/bin/env python3
"""heddle explore on programs that do not do the same again: run in many orders, and nothing proved."""

import re

import harness


class Sample(harness.SystemTest):
    programs = ("differs.c",)

    def explore(self, *args, options=(), status=4):
        with open(self.path("count"), "w", encoding="utf-8"):
            pass
        return self.heddle("explore", "--output", self.path("out"), "--jobs", "1", *options, "--",
                           self.binary["differs"], *args, status=status)

    def runs(self, done):
        """How many orders it was run in."""
        found = re.search(r"run in (\d+) random orders instead, and nothing is proved", done.stdout + done.stderr)
        self.assertIsNotNone(found, done.stdout + done.stderr)
        self.assertNotIn("complete:", done.stdout + done.stderr)
        return int(found.group(1))

    def test_as_many_runs_as_allowed(self):
        for strategy in ("auto", "random", "pct"):
            kind = ("file", self.path("count")) if strategy == "auto" else ("child", "-")
            done = self.explore(*kind, options=("--executions", "7", "--strategy", strategy))
            self.assertEqual(self.runs(done), 7)

    def test_a_race_is_shown_by_the_run_that_had_it(self):
        for strategy, kind in (("auto", "file"), ("random", "child"), ("pct", "child")):
            options = ("--executions", "20", "--strategy", strategy, "--keep-going")
            done = self.explore(kind, self.path("count"), "race", options=options, status=1)
            self.assertIn(self.runs(done), range(10, 21))  # some are spent on exploring, before
            self.assertIn("data race on 'total'", done.stdout + done.stderr)

    def test_the_first_race_is_enough(self):
        done = self.explore("child", "-", "race", options=("--strategy", "random"), status=1)
        self.assertLess(self.runs(done), 100)

    def test_who_asks_for_a_proof_is_told_that_there_is_none(self):
        for strategy in ("dpor", "bounded"):
            done = self.explore("file", self.path("count"), options=("--strategy", strategy), status=2)
            self.assertIn("does not do the same under the same schedule", done.stderr)


if __name__ == "__main__":
    harness.main()
