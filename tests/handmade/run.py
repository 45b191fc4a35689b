#!/usr/bin/env python3
"""Locks, barriers and rings that were made by hand: of the right ones there is nothing to report,
however they wait, and the wrong ones are found.

In short tests each kind takes its turn with one way to wait and a few seeds; with HEDDLE_TEST_FULL
each is built in all ways, and run with 150 seeds, an eighth of them in each way."""

import concurrent.futures
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "system"))
import harness  # pylint: disable=wrong-import-position

FULL = bool(os.environ.get("HEDDLE_TEST_FULL"))
SEEDS = 150 if FULL else 5
WAITS = ("yield", "sleep", "pause", "spin")
VARIANTS = [(w, o) for w in WAITS for o in ("-O0", "-O2")]
if not FULL:
    VARIANTS = [("yield", "-O2"), ("spin", "-O0"), ("sleep", "-O2")]
# Locks that two threads take in opposite orders; all of them in the long test.
OPPOSITE = ("compare-and-swap", "ticket", "mcs", "back-off")
JOBS = os.cpu_count() or 1


class Handmade(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        sources = sorted(os.path.join(HERE, f) for f in os.listdir(HERE) if f.endswith(".c"))
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            list(pool.map(lambda v: cls.make(v, sources), VARIANTS))
        names = subprocess.run([cls.program(VARIANTS[0])], stdout=subprocess.PIPE, text=True,
                               check=True, env=harness.environment()).stdout
        cls.kinds = [(sort, name, int(most) or 4) for sort, name, most in
                     (line.split() for line in names.splitlines())]

    @classmethod
    def program(cls, variant):
        return cls.path(f"handmade-{variant[0]}{variant[1]}")

    @classmethod
    def make(cls, variant, sources):
        subprocess.run([harness.heddle_command, "cc", "-g", variant[1],
                        f"-DWAIT_BY=BY_{variant[0].upper()}", *sources, "-o", cls.program(variant),
                        "-pthread"], env=harness.environment(), check=True)

    def findings(self, words, variant, *args):
        """What a command says; several of them run at a time."""
        name = "-".join((words[0], *variant, *args, *words[1:])).replace("/", "_")
        file = self.path(name + ".json")
        more = ("--output", self.path(name)) if words[0] != "run" else ()
        done = self.heddle(*words, "--json", file, *more, "--", self.program(variant), *args)
        with open(file, encoding="utf-8") as opened:
            document = json.load(opened)
        self.assertEqual(done.returncode, harness.status_of(document), (words, variant, args))
        return document["findings"], done.stdout + done.stderr

    def silent(self, words, variant, *args):
        found, said = self.findings(words, variant, *args)
        self.assertEqual(found, [], f"{words} {variant} {args}\n{said}")

    def turns(self, kinds):
        """Each kind with the variants whose turn it is."""
        for i, kind in enumerate(kinds):
            for variant in VARIANTS if FULL else (VARIANTS[i % len(VARIANTS)],):
                yield kind, variant

    def in_parallel(self, work):
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            for done in [pool.submit(f, *args) for f, *args in work]:
                done.result()

    def run_seeds(self, kind, variant):
        _, name, most = kind
        first = VARIANTS.index(variant)
        for seed in range(first, SEEDS, len(VARIANTS)) if FULL else range(SEEDS):
            threads = 2 + seed % (most - 1)
            self.silent(("run", "--seed", str(seed + 1)), variant, name, str(threads), "3")

    def test_run(self):
        self.in_parallel((self.run_seeds, *turn) for turn in self.turns(self.kinds))

    def test_check(self):
        self.in_parallel((self.silent, ("check", "-k", "--time", "20"), variant, kind[1], "2", "2")
                         for kind, variant in self.turns(self.kinds))

    def test_explore(self):
        budget = ("--time", "15") if FULL else ("--executions", "250", "--time", "10")
        words = ("explore", "--jobs", "1", *budget)
        self.in_parallel((self.silent, words, variant, kind[1], "2", "1")
                         for kind, variant in self.turns(self.kinds))

    def finds(self, kinds, variant, *args):
        found, said = self.findings(("explore", "--jobs", "1", "--time", "30"), variant, *args)
        self.assertTrue(found, f"{variant} {args}\n{said}")
        self.assertLessEqual({f["kind"] for f in found}, kinds, f"{variant} {args}\n{said}")

    def test_opposite_orders(self):
        locks = [k[1] for k in self.kinds if k[0] in ("lock", "mutex")] if FULL else OPPOSITE
        stuck = {"deadlock", "livelock"}
        self.in_parallel((self.finds, stuck, variant, name, "2", "1", "opposite")
                         for name in locks for variant in VARIANTS)

    def test_wrong_ones(self):
        for variant in VARIANTS:
            self.finds({"deadlock", "livelock"}, variant, "late-reset", "2", "2")
            for name in ("look-then-take", "take-once"):
                self.finds({"race", "assertion"}, variant, name, "2", "1")


if __name__ == "__main__":
    harness.main()
