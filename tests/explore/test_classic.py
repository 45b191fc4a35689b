#!/usr/bin/env python3
"""The classic programs that exploring is measured with: every strategy finds the seeded error of each,
as the kind that it is, its schedule replays, and there is nothing to report about the good variants.
In short tests dpor takes them all and each other strategy a part; with HEDDLE_TEST_FULL all take
all."""

import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

SOURCES = os.path.join(harness.ROOT, "bench", "programs", "classic")
FULL = bool(os.environ.get("HEDDLE_TEST_FULL"))
# Those whose good variant has too many schedules for a short test.
LONG = {"dekker"}
PROGRAMS = sorted(f[:-2] for f in os.listdir(SOURCES) if f.endswith(".c"))
STRATEGIES = ("bounded", "pct", "random", "naive")
OPTIONS = {"bounded": ("--preemptions", "3"), "pct": ("--pct-depth", "5"), "random": (), "naive": ()}
BUDGET = {"bounded": 8000, "pct": 2000, "random": 2000, "naive": 20000}
# What takes longer than a short test may: all choices of longer programs.
SLOW = {("dekker", "naive"), ("dekker", "bounded"), ("michael_scott", "naive"), ("reorder", "naive"),
        ("readers_writers", "naive"), ("bakery", "naive"), ("treiber", "naive")}
# The other thread must take some thirty steps in one go: a coin does not come down so often.
UNLIKELY = {("michael_scott", "random")}


class Classic(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in PROGRAMS:
            cls.binary[name] = cls.build(os.path.join(SOURCES, name + ".c"), name, "-g")

    def explore(self, name, variant, *options):
        document, done = self.run_json("explore", *options, "--output", self.path("out"), "--",
                                       self.binary[name], variant)
        status = 1 if variant == "bad" else 0 if document["stats"]["complete"] else 4
        self.assertEqual(done.returncode, status, (name, options, done.stdout))
        return document

    def finds(self, name, *options):
        found = self.explore(name, "bad", *options)["findings"]
        kinds = {f["kind"] for f in found}
        expected = {"philosophers": {"deadlock"}, "carter": {"deadlock"}, "bounded_buffer": {"deadlock"}, "dekker": {"assertion", "livelock"}}
        # Bad dekker: who goes in without a look sets turn again, and may wait for one who has left.
        self.assertLessEqual(kinds, expected.get(name, {"assertion"}), (name, options))
        self.assertTrue(kinds, (name, options))
        return found[0]["schedule"]

    def test_build_natively_without_a_warning(self):
        for compiler in filter(shutil.which, ("gcc", "clang")) if FULL else ("gcc",):
            for name in PROGRAMS:
                subprocess.run([compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                                os.path.join(SOURCES, name + ".c")], check=True)

    def test_dpor(self):
        for name in PROGRAMS:
            schedule = self.finds(name, "--strategy", "dpor")
            again, _ = self.run_json("replay", schedule, status=1)
            self.assertIsNone(again["divergence"], name)
            budget = ("--executions", "200") if name in LONG and not FULL else ()
            document = self.explore(name, "good", "--strategy", "dpor", *budget)
            self.assertEqual(document["stats"]["complete"], not budget, name)

    def test_other_strategies(self):
        for i, name in enumerate(PROGRAMS):
            for k, strategy in enumerate(STRATEGIES):
                if (name, strategy) in UNLIKELY:
                    continue
                if not FULL and ((i + k) % 4 or (name, strategy) in SLOW):
                    continue
                options = ("--strategy", strategy, *OPTIONS[strategy], "--executions")
                self.finds(name, *options, str(BUDGET[strategy]))
                self.explore(name, "good", *options, str(BUDGET[strategy] if FULL else 100))


if __name__ == "__main__":
    harness.main()
