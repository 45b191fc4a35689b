#!/usr/bin/env python3
"""How heddle explore gets its executions changes nothing about them: several at a time, from the
middle of others, in parts."""

import os
import re

import harness

# What to explore, and whether there is something to find.
WHAT = (("dpor", "withdraws", 3), ("dpor", "section", 3), ("dpor", "misses", 2),
        ("dpor", "races", 2), ("dpor", "crosses", 2), ("bounded", "withdraws", 2),
        ("naive", "posts", 2), ("random", "misses", 2), ("pct", "withdraws", 2))
FAULTY = {"withdraws", "misses", "races", "crosses"}


class Engine(harness.SystemTest):
    programs = ("explored.c",)

    def explore(self, strategy, what, n, options=(), status=None):
        """All that is found and counted, without how long it took and the names of files."""
        options = (*options, "--keep-going", "--strategy", strategy, "--start-time", "1700000000")
        if strategy in ("random", "pct"):
            options += ("--executions", "40")
        if status is None:
            status = int(what in FAULTY)
        folder = self.path("out")
        document, done = self.run_json("explore", "--output", folder, *options, "--",
                                       self.binary["explored"], what, str(n), status=status)
        document["stats"].pop("seconds")
        document["notes"] = [re.sub(r"\d+ a second", "", note) for note in document["notes"]]
        schedules = [harness.read_bytes(f["schedule"]) for f in document["findings"]]
        return document, schedules

    def test_several_at_a_time(self):
        for what in WHAT:
            with self.subTest(what):
                alone = self.explore(*what, options=("--jobs", "1"))
                for jobs in ("2", "4"):
                    self.assertEqual(self.explore(*what, options=("--jobs", jobs)), alone)

    def test_from_the_middle(self):
        """Executions stay at every decision for others to begin there, as far as there is room."""
        for what in WHAT:
            with self.subTest(what):
                whole = self.explore(*what, options=("--jobs", "1", "--snapshots", "no"))
                for jobs in ("1", "2"):
                    again = self.explore(*what, options=("--jobs", jobs, "--snapshots", "all"))
                    self.assertEqual(again, whole)

    def test_tasks_from_the_middle(self):
        source = os.path.join(harness.ROOT, "bench", "programs", "explore",
                              "integer_counter_isolated.c")
        program = self.build(source, "integer_counter_isolated")
        documents = []
        for how in ("no", "all"):
            document, _ = self.run_json("explore", "--strategy", "regions", "--snapshots", how,
                                        "--executions", "300", "--output", self.path("out"),
                                        "--start-time", "1700000000", "--", program)
            document["stats"].pop("seconds")
            document.pop("notes")
            documents.append(document)
        self.assertEqual(*documents)


if __name__ == "__main__":
    harness.main()
