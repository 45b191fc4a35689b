#!/usr/bin/env python3
"""`heddle check` on the test programs: nothing in the clean ones, an end for all of them.

usage: check_programs.py BUILDDIR [-j N] [--all] [--first] [PATH...]

A program is clean if its header expects no finding in any run and leaves race detection on. By default every
thirtieth clean program is checked, and those of GO_BY_TIME; with HEDDLE_TEST_FULL every third program, clean or not; with
--all each of them. --first: stop at the first failure. PATH is a program or a folder of them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import run_programs
from run_programs import Failure, Program, Suite
from status_rule import status_of

# They assert how much is done in some milliseconds, which a thread that is held up does not do. What
# `check` finds is right, then, and says so.
NEEDS_STALL = ("run_then_stop.c",)
# Right as long as nobody sleeps an hour longer than he asked for. Always checked.
GO_BY_TIME = ("sleep_order.c", "cond_timedwait.c", "mutex_timedlock.c", "cancel_ended.c")

LIMIT = 120  # seconds after which a check counts as hanging; it is told to take 40
STEP = 30


def is_clean(program):
    """No findings in any run, and not because races are not looked for."""
    return all(group.clean and "--races" not in group.options for group in program.groups)


class CheckSuite(Suite):
    def check_program(self, path):
        name = os.path.relpath(path, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                                  "programs"))
        binary = os.path.join(self.work, name.replace(os.sep, "-").replace(".", "-"))
        folder = binary + ".d"
        began = time.monotonic()
        try:
            program = Program(path)
            self.compile(program, binary)
            os.mkdir(folder)
            document = self.check(program, binary, folder)
        except Failure as failure:
            return f"FAIL {name}: {failure}", False
        stats = document["stats"]
        return (f"ok   {name} ({stats['executions']} runs, {stats['candidates']} candidates, "
                f"{len(document['findings'])} findings, {time.monotonic() - began:.1f} s)"), True

    def check(self, program, binary, folder):
        file = os.path.join(folder, "findings.json")
        command = [self.heddle, "check", "--keep-going", "--time", "40", "--json", file, "--all",
                   *sum((g.expected_exit() for g in program.groups), [])[:2],
                   "--", binary, *program.args]
        try:
            done = subprocess.run(command, env={**self.env, **program.env}, timeout=LIMIT,
                                  stdin=subprocess.DEVNULL, capture_output=True, cwd=folder,
                                  errors="replace", check=False)
        except subprocess.TimeoutExpired:
            raise Failure(f"no end after {LIMIT} s") from None
        stalls = os.path.basename(program.path) in NEEDS_STALL
        if done.returncode not in ((0, 4) if is_clean(program) and not stalls else (0, 1, 4)):
            raise Failure(f"status {done.returncode}\n{done.stdout}{done.stderr}")
        with open(file, encoding="utf-8") as opened:
            document = json.load(opened)
        if done.returncode != status_of(document):
            raise Failure(f"status {done.returncode} with {len(document['findings'])} findings\n{done.stdout}")
        if stalls and not all(f.get("stalls") for f in document["findings"]):
            raise Failure(f"a finding that needs no stall\n{done.stdout}")
        return document


def choose(paths, everything):
    """The programs to check; what has a bad header is for run_programs.py to tell."""
    if everything:
        return paths
    if "HEDDLE_TEST_FULL" in os.environ:
        return paths[::3]
    clean = [p for p in paths if is_clean(Program(p))]
    return [p for i, p in enumerate(clean) if i % STEP == 0 or os.path.basename(p) in GO_BY_TIME]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description="heddle check on the test programs")
    parser.add_argument("builddir")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 2, dest="jobs")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("paths", nargs="*", default=[os.path.join(here, "programs")])
    args = parser.parse_args()
    paths = choose(list(run_programs.find_programs(args.paths)), args.all)
    with tempfile.TemporaryDirectory(prefix="heddle-check-") as work:
        suite = CheckSuite(os.path.abspath(os.path.join(args.builddir, "heddle")), False, work)
        return run_programs.check_all(suite, paths, args.jobs, args.first)


if __name__ == "__main__":
    sys.exit(main())
