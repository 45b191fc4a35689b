#!/usr/bin/env python3
"""Random task programs on worker threads: what is found is what is true in all interleavings.

An update that is torn may be told of under the race on its variable, if the access that tears it races
with both of its own. Every other violation is a finding of its own.

usage: test_parallel_random.py BUILDDIR MAKER [SEED [COUNT]]

MAKER is make_task_sources (tests/unit/analysis). HEDDLE_TEST_FULL=1: many more.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from status_rule import status_of  # pylint: disable=wrong-import-position

FULL = bool(os.environ.get("HEDDLE_TEST_FULL"))


class Truth:
    """Of all programs of one source, in all interleavings."""

    def __init__(self, truth_file, source):
        self.verdicts, self.races = {}, {}
        with open(truth_file, encoding="utf-8") as f:
            for line in f:
                n, torn, raced, *pairs = line.split()
                self.verdicts[int(n)] = [int(torn), int(raced)]
                self.races[int(n)] = {frozenset(map(int, p.split("-"))) for p in pairs}
        with open(source, encoding="utf-8") as f:
            self.lines = f.read().split("\n")

    def number(self, access):
        """Which access of its program it is."""
        return int(re.search(r"/\* (\d+) \*/", self.lines[access["line"] - 1]).group(1))

    def races_with_both(self, n, accesses):
        e1, between, e2 = (self.number(a) for a in accesses)
        return {frozenset((e1, between)), frozenset((between, e2))} <= self.races[n]


def found(heddle, exe, out, truth, *options):
    """{program: [torn, raced]}, variables as bits."""
    done = subprocess.run([heddle, "run", "-q", "--json", out, "--atomic-steps", *options, "--", exe],
                          capture_output=True, text=True, timeout=300, check=False)
    with open(out, encoding="utf-8") as f:
        document = json.load(f)
    if done.returncode != status_of(document):
        raise SystemExit(f"{options}: status {done.returncode}: {done.stderr}")
    verdicts = {}
    for finding in document["findings"]:
        if finding["verdict"] not in ("predicted", "observed"):
            continue
        where = re.search(r"'v(\d+)_(\d+)'", finding["summary"])
        if finding["kind"] not in ("race", "atomicity") or not where:
            raise SystemExit(f"{options}: unexpected {finding['kind']}: {finding['summary']}")
        n, bit = int(where.group(1)), 1 << int(where.group(2))
        entry = verdicts.setdefault(n, [0, 0])
        entry[finding["kind"] == "race"] |= bit
        for meeting in finding.get("pairs", []):
            if len(meeting["accesses"]) == 2:
                continue
            entry[0] |= bit
            if not truth.races_with_both(n, meeting["accesses"]):
                raise SystemExit(f"{options}: program {n}: under a race, and no race: {meeting}")
    return verdicts


def compare(heddle, maker, seed, count, folder):
    source, truth_file, exe = (os.path.join(folder, n) for n in ("p.c", "truth", "p"))
    subprocess.run([maker, str(seed), str(count), source, truth_file], check=True)
    subprocess.run([heddle, "cc", "-O0", "-g", "-pthread", source, "-o", exe], check=True)
    truth = Truth(truth_file, source)
    wrong = 0
    runs = [("--parallel", "2"), ("--parallel", "4"),
            ("--races", "no", "--algorithm", "complete", "--seed", "1")]
    for options in runs * (5 if FULL else 1):
        got = found(heddle, exe, os.path.join(folder, "out.json"), truth, *options)
        for n, verdict in truth.verdicts.items():
            if got.get(n, [0, 0]) != verdict:
                print(f"FAIL seed {seed}, program {n}, {' '.join(options)}: "
                      f"torn, raced {got.get(n, [0, 0])}, not {verdict}")
                wrong += 1
    bad = sum(1 for v in truth.verdicts.values() if any(v))
    print(f"seed {seed}: {count} programs, {bad} with violations, {wrong} wrong verdicts")
    return wrong or not bad or bad == count


def main():
    heddle, maker = os.path.join(os.path.abspath(sys.argv[1]), "heddle"), sys.argv[2]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 20261119
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 30
    with tempfile.TemporaryDirectory() as folder:
        return 1 if any([compare(heddle, maker, seed + i, count, folder)
                         for i in range(20 if FULL else 1)]) else 0


if __name__ == "__main__":
    sys.exit(main())
