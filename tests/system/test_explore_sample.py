#!/usr/bin/env python3
"""heddle explore on programs that do not do the same again: run in many orders, and nothing proved."""

import json
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

    def test_what_was_found_before_is_told(self):
        for strategy in ("dpor", "bounded"):
            done = self.explore("file", self.path("count"), "race", status=1,
                                options=("--strategy", strategy, "--keep-going", "--json", self.path("json")))
            self.assertIn("data race on 'total'", done.stdout)
            with open(self.path("json"), encoding="utf-8") as file:
                stats = json.load(file)["stats"]
            self.assertEqual((stats["stopped"], stats["complete"]), ("diverged", False))


class Unshown(harness.SystemTest):
    """A fault that the search has met and that no run for the report shows is told, and never "no findings"."""
    programs = ("fails_once.c",)

    def explore(self, *args, options=(), status):
        with open(self.path("count"), "w", encoding="utf-8"):
            pass
        with open(self.path("count.shell"), "w", encoding="utf-8"):
            pass
        done = self.heddle("explore", "--output", self.path("out"), "--jobs", "1", *options, "--json",
                           self.path("found.json"), "--junit", self.path("found.xml"), "--markdown",
                           self.path("found.md"), "--", self.binary["fails_once"], self.path("count"), *args,
                           status=status)
        with open(self.path("found.json"), encoding="utf-8") as file:
            return json.load(file), done.stdout + done.stderr

    def test_the_run_for_the_report_does_not_fail(self):
        for options in ((), ("--keep-going",), ("--quiet",)):
            document, said = self.explore(options=options, status=3)
            self.assertEqual((document["findings"], document["stats"]["stopped"], document["stats"]["complete"]),
                             ([], "unshown", False))
            self.assertIn("met, but not shown by the runs for the report: assertion in execution 1",
                          "\n".join(document["notes"]))
            self.assertNotIn("no findings", said)
            self.assertNotIn("complete:", said)
            self.assertIn("faults were met that the runs for the report do not show", said)
        for name in ("found.md", "found.xml"):
            with open(self.path(name), encoding="utf-8") as file:
                text = file.read()
            self.assertNotIn("### Heddle: no findings", text)
            self.assertNotIn("<skipped", text)
        self.assertIn("<failure", text)
        done = self.heddle("report", self.path("found.json"), status=3)
        self.assertNotIn("no findings", done.stdout)

    def test_what_cannot_be_explored_is_sampled_and_does_not_fail_either(self):
        document, said = self.explore("differs", options=("--keep-going", "--executions", "9"), status=3)
        self.assertEqual((document["findings"], document["stats"]["stopped"]), ([], "unshown"))
        self.assertIn("random orders instead", said)
        self.assertNotIn("no findings", said)

    def test_one_that_is_shown_is_a_finding(self):
        document, said = self.explore("always", status=1)
        self.assertEqual([f["kind"] for f in document["findings"]], ["assertion"])
        self.assertEqual(document["stats"]["stopped"], "finding")
        self.assertNotIn("not shown", said)


class Late(harness.SystemTest):
    """Whenever the time is over, that is no error of the command."""
    programs = ("late.c",)

    def test_before_the_program_does_anything(self):
        for options in (("explore", "--jobs", "1"), ("explore", "--jobs", "2"), ("check",)):
            self.heddle(*options, "--output", self.path("out"), "--time", "0.2", "--", self.binary["late"], status=4)

    def test_before_the_first_sample(self):
        """One of two processes never begins, whichever it is; waiting for its end may take all the time."""
        self.heddle("explore", "--output", self.path("out"), "--jobs", "2", "--time", "0.4", "--",
                    self.binary["late"], self.path("count"), status=4)


if __name__ == "__main__":
    harness.main()
