#!/usr/bin/env python3
"""The programs on which prediction is measured are what their comments say: they build without a
warning, have the size of the paper's programs, no data race, and errors that a common schedule
does not show; the fixed variants are correct.
"""

import os
import shutil
import subprocess
import unittest

import harness

SOURCES = os.path.join(harness.ROOT, "bench", "programs", "predict")
# source, arguments, threads, least and most events of the recorded run
PROGRAMS = {
    "pool_first": ("pool_first.c", (), 4, 350, 600),
    "pool_second": ("pool_second.c", (), 4, 350, 600),
    "vector_1": ("vector.c", ("1",), 4, 350, 600),
    "vector_2": ("vector.c", ("2",), 4, 350, 600),
    "ftp_server": ("ftp_server.c", (), 5, 350, 700),
    "elevator": ("elevator.c", (), 3, 55000, 65000),
}


class AreCorrectC(harness.SystemTest):
    def test_builds_and_fixed_variant_runs_natively(self):
        for compiler in filter(shutil.which, ("gcc", "clang")):
            for name, (source, args, *_) in PROGRAMS.items():
                for flags in ((), ("-DFIXED",)):
                    out = self.path(f"{name}-native")
                    subprocess.run([compiler, "-O1", "-Wall", "-Wextra", "-Werror", *flags,
                                    os.path.join(SOURCES, source), "-o", out, "-pthread"],
                                   check=True)
                done = subprocess.run([out, *args], stdout=subprocess.PIPE, check=False,
                                      timeout=harness.LIMIT, text=True)
                self.assertEqual(done.returncode, 0, f"{compiler}: {name}")


# program: marks of the lines of its errors' accesses in between
ERRORS = {
    "pool_first": ["COUNT"],
    "pool_second": ["CLOSE"],
    "vector_1": ["CUT"],
    "vector_2": ["TURN"],
    "ftp_server": ["HANG_UP", "GROW", "MOVE"],
}


class BenchPrograms(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, (source, *_) in PROGRAMS.items():
            path = os.path.join(SOURCES, source)
            cls.binary[name] = cls.build(path, name, "-g")
            cls.binary[name + "_fixed"] = cls.build(path, name + "_fixed", "-g", "-DFIXED")

    def command(self, name, variant=""):
        return [self.binary[name + variant], *PROGRAMS[name][1]]

    @staticmethod
    def line(name, mark):
        with open(os.path.join(SOURCES, PROGRAMS[name][0]), encoding="utf-8") as file:
            return next(n for n, text in enumerate(file, 1) if f"/* {mark} */" in text)

    def check(self, name, *options, variant="", status):
        document, _ = self.run_json("check", "--output", self.path("out"), *options, "--",
                                    *self.command(name, variant), status=status)
        return document["findings"]

    def lines_in_between(self, findings):
        self.assertEqual({f["verdict"] for f in findings}, {"confirmed"})
        return {a["line"] for f in findings for a in f["accesses"] if a["role"] == "f"}

    def test_errors_are_confirmed(self):
        for name in ("vector_1",) + (("pool_first", "vector_2") if os.environ.get("HEDDLE_TEST_FULL") else ()):
            found = self.lines_in_between(self.check(name, "--keep-going", status=1))
            self.assertIn(self.line(name, ERRORS[name][0]), found, name)
        found = self.lines_in_between(self.check("pool_second", status=1))
        self.assertEqual(found, {self.line("pool_second", "CLOSE")})

    @unittest.skipUnless(os.environ.get("HEDDLE_TEST_FULL"), "long: only with HEDDLE_TEST_FULL")
    def test_all_errors_of_the_server_and_nothing_that_came_along(self):
        findings = self.check("ftp_server", "--keep-going", status=1)
        found = self.lines_in_between(findings)
        self.assertLessEqual({self.line("ftp_server", m) for m in ERRORS["ftp_server"]}, found)
        self.assertFalse([f["variable"] for f in findings if f["variable"].startswith("stats")])

    def test_nothing_in_the_fixed_variants(self):
        for name in ERRORS:
            if name not in ("pool_second", "vector_2") or os.environ.get("HEDDLE_TEST_FULL"):
                self.assertEqual(self.check(name, "--keep-going", variant="_fixed", status=0), [],
                                 name)

    def test_size(self):
        for name, (_, _, threads, least, most) in PROGRAMS.items():
            trace = self.path(f"{name}.htr")
            self.heddle("run", "--record-exact", "--record", trace, "--", *self.command(name),
                        status=0)
            info = self.info(trace)
            self.assertEqual((info["threads"], info["exit"]), (threads, 0), name)
            self.assertTrue(least <= info["events"] <= most, f"{name}: {info['events']} events")

    def test_fixed_variants_under_many_schedules(self):
        for name in PROGRAMS:
            for policy in ("random", "pct"):
                for seed in range(1, 4 if name != "elevator" else 2):
                    document, _ = self.run_json("run", "--policy", policy, "--pct-length", "150",
                                                "--seed", str(seed), "--",
                                                *self.command(name, "_fixed"), status=0)
                    self.assertEqual(document["program"]["exit"], 0, f"{name} {policy} {seed}")


if __name__ == "__main__":
    harness.main()
