#!/usr/bin/env python3
"""The task programs on which slowdown is measured: each gives the checksum of its sequential
elision in whatever way it is run, has nothing to report, and with --bug just what its header says.
"""

import os
import shutil
import subprocess

import harness

SOURCES = os.path.join(harness.ROOT, "bench", "programs", "tasks")
# sizes that take some hundredths of a second; what --bug is found as, and on which variable
KERNELS = {
    "black_scholes": (("2", "3000"), "atomicity", "worthy"),
    "body_tracking": (("1", "300"), "atomicity", "total"),
    "convex_hull": (("5000", "1"), "atomicity", "corners"),
    "fluid": (("2", "600"), "atomicity", None),
    "heat_stencil": (("3", "64"), "atomicity", "change"),
    "k_means": (("2", "2000", "4"), "atomicity", None),
    "karatsuba": (("1024", "1"), "race", None),
    "merge_sort": (("10000", "1"), "race", None),
    "nearest_neighbours": (("2500", "1"), "atomicity", "farthest"),
    "ray_casting": (("40", "300"), "atomicity", "hits"),
    "stream_cluster": (("2", "6000"), "atomicity", "saved"),
    "swaptions": (("600", "3"), "atomicity", None),
}
TIMES = 20 if os.environ.get("HEDDLE_TEST_FULL") else 1
COMPLETE = ("--algorithm", "complete")
WAYS = [(*COMPLETE, "--seed", str(n + 1)) for n in range(TIMES)] + [
    (*COMPLETE, "--parallel", str(workers)) for workers in (2, 3) for _ in range(TIMES)]


class Kernels(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in KERNELS:
            cls.binary[name] = cls.build(os.path.join(SOURCES, name + ".c"), name, "-g",
                                         "-Wl,--no-as-needed", "-lm")

    def checksum(self, name, *options):
        """What the program prints when it runs by itself."""
        done = subprocess.run([self.binary[name], *options, *KERNELS[name][0]], check=True,
                              env=harness.environment(), stdout=subprocess.PIPE, text=True,
                              timeout=harness.LIMIT)
        return done.stdout

    def analysed(self, name, *options, bug=(), status):
        return self.run_json("run", *options, "--", self.binary[name], *bug, *KERNELS[name][0],
                             status=status)

    def test_there_are_no_others(self):
        here = {f[:-2] for f in os.listdir(SOURCES) if f.endswith(".c")}
        self.assertEqual(here, set(KERNELS))

    def test_clean(self):
        for name in KERNELS:
            expected = self.checksum(name, "--seq")
            self.assertEqual(self.checksum(name), expected, name)
            for how in WAYS:
                document, done = self.analysed(name, *how, status=0)
                self.assertEqual((document["findings"], done.stdout), ([], expected), name)

    def test_bugs(self):
        for name, (_, kind, variable) in KERNELS.items():
            for how in WAYS:
                document, _ = self.analysed(name, *how, bug=("--bug",), status=1)
                found = {(f["kind"], f["variable"]) for f in document["findings"]
                         if f["verdict"] == "predicted"}
                if variable:
                    self.assertEqual(found, {(kind, variable)}, name)
                else:
                    self.assertIn(kind, {kind for kind, _ in found}, name)


class AreCorrectC(harness.SystemTest):
    def test_builds_without_heddle_cc(self):
        compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
        for compiler in compilers if os.environ.get("HEDDLE_TEST_FULL") else compilers[:1]:
            for name in KERNELS:
                subprocess.run([compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                                "-I", os.path.join(harness.ROOT, "include"),
                                os.path.join(SOURCES, name + ".c")], check=True)


if __name__ == "__main__":
    harness.main()
