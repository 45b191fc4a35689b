#!/usr/bin/env python3
"""Run the test programs: each says in its header comment what heddle must find in it.

usage: run_programs.py [--clang] [--seeds N | --every N] [--first] [-j N] BUILDDIR [PATH...]

BUILDDIR holds the heddle command. PATH is a program or a folder of them (default: the
folder programs beside this script). Without --clang, programs are built with gcc. --seeds N: groups
of runs with 10 seeds and more that must be clean get N, those with 5 and more N / 10. --every N: all
groups of runs that must be clean get N seeds. --first: stop at the first failure. Without PATHs and
HEDDLE_TEST_FULL, three quarters of the seeds of groups with many are left out (where one of them must
show something, those after the first that does), and two of three programs of large folders.

A header is the first comment of a program. Lines of it that start with one of these
words count, the rest is prose:

    CC: WORDS            c11, c++20, ... (the standard) and any compiler flags; default -O1
    ARGS: WORDS          arguments of the program
    ENV: NAME=VALUE      environment of the program
    RUN: run OPTIONS     one group of runs begins; --seed 1..20 is one run for each seed
    EXPECT: clean
    EXPECT: KIND [TEXT] [@FUNCTION[:MARK]...] [within N seeds]
    NEVER: KIND          in no run of the group
    EXIT: N|SIGNAL       how the program ends, e.g. 3 or SIGABRT: heddle is told to expect it
    OUTPUT: TEXT         the program prints this (several lines: all of them)

A run is clean if heddle finds nothing. KIND is race, atomicity, deadlock, livelock, crash, assertion, exit,
misuse or memory; TEXT must be in the report. A function must be among those of the finding's accesses or
stacks, in the program's own file; MARK is a word in a comment of the line it is at. Every
seed must show the finding; `within N seeds` means seeds 1 to N, and at least one of them. Findings
that no EXPECT line names are failures. EXIT and OUTPUT are about the runs with the
finding, or all runs if the group expects none; other runs must exit with 0.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

import program_header
from status_rule import status_of

KINDS = ("race", "atomicity", "deadlock", "livelock", "crash", "assertion", "exit", "misuse", "memory",
         "permission")
WARNINGS = ["-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"]
RUN_LIMIT = 30  # seconds after which a run counts as hanging
MANY = 20  # programs in a folder


class Failure(Exception):
    pass


class Expectation:
    """One EXPECT line that names a kind."""

    def __init__(self, text, marks):
        within = re.search(r"\s+within (\d+) seeds?$", text)
        self.within = int(within.group(1)) if within else None
        words = (text[:within.start()] if within else text).split()
        self.kind = words[0]
        self.places = [self.place(w[1:], marks) for w in words[1:] if w.startswith("@")]
        self.text = " ".join(w for w in words[1:] if not w.startswith("@"))
        self.wording = text
        if self.kind not in KINDS:
            raise Failure(f"header: EXPECT of unknown kind '{self.kind}'")

    @staticmethod
    def place(word, marks):
        function, _, mark = word.partition(":")
        if mark and mark not in marks:
            raise Failure(f"header: no line has the mark '{mark}' in a comment")
        return function, marks.get(mark)

    def matches(self, finding, report, file_name):
        if finding["kind"] != self.kind or finding["verdict"] not in ("observed", "predicted"):
            return False
        if self.text and self.text not in finding["summary"] and self.text not in report:
            return False
        seen = set(places_of(finding, file_name))
        return all((function, line) in seen if line else function in {f for f, _ in seen}
                   for function, line in self.places)


def places_of(finding, file_name):
    """Functions and lines in @file_name that a finding shows."""
    frames = list(finding["accesses"])
    for thread in finding.get("threads", []):
        frames += thread["stack"]
    for frame in frames:
        if frame["function"] and os.path.basename(frame["file"] or "") == file_name:
            yield frame["function"].split("(")[0], frame["line"]


class Group:
    """One RUN line and what is said about it."""

    def __init__(self, run):
        words = shlex.split(run)
        if not words or words[0] != "run":
            raise Failure(f"header: RUN: {run}: only `run` is known")
        self.seeds, self.options = [1], []
        rest = iter(words[1:])
        for word in rest:
            if word == "--seed":
                first, _, last = next(rest).partition("..")
                self.seeds = list(range(int(first), int(last or first) + 1))
            else:
                self.options.append(word)
        self.expects, self.never, self.output = [], [], []
        self.clean, self.exit = False, None

    def add(self, word, text, marks):
        if word == "EXPECT" and text == "clean":
            self.clean = True
        elif word == "EXPECT":
            self.expects.append(Expectation(text, marks))
            if self.expects[-1].within:
                self.seeds = list(range(1, self.expects[-1].within + 1))
        elif word == "NEVER":
            if text not in KINDS:
                raise Failure(f"header: NEVER of unknown kind '{text}'")
            self.never.append(text)
        elif word == "EXIT":
            self.exit = text
        else:
            self.output.append(text)

    def expected_exit(self):
        """The option for a program that means to end so."""
        if self.exit in (None, "0"):
            return []
        status = int(self.exit) if self.exit.isdigit() else 128 + signal.Signals[self.exit]
        return ["--expect-exit", str(status)]

    def check(self):
        if self.clean == bool(self.expects):
            raise Failure("header: each RUN needs `EXPECT: clean` or findings, not both")


def find_marks(source):
    """Words that are a comment of their own: the line each is on."""
    marks = {}
    for number, line in enumerate(source.splitlines(), 1):
        for mark in re.findall(r"/\* ([A-Z]+) \*/", line):
            marks[mark] = number
    return marks


class Program(program_header.Header):
    def __init__(self, path):
        super().__init__(path)
        self.groups = []
        marks = find_marks(self.source)
        for word, text in program_header.lines(self.source):
            if word == "RUN":
                self.groups.append(Group(text))
            elif word not in ("CC", "ARGS", "ENV"):
                if not self.groups:
                    self.groups.append(Group("run"))
                self.groups[-1].add(word, text, marks)
        if not self.groups:
            raise Failure("header: says nothing that can be checked")
        for group in self.groups:
            group.check()


class Suite:
    def __init__(self, heddle, clang, work, seeds=0, every=0):
        self.heddle, self.clang, self.work = heddle, clang, work
        self.seeds, self.every = seeds, every
        self.short = False  # fewer seeds
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("HEDDLE_")}

    def compile(self, program, binary):
        cxx = program.cxx
        compiler = ("clang++" if cxx else "clang") if self.clang else ("g++" if cxx else "gcc")
        command = program.build_command(self.heddle, binary, before=WARNINGS)
        done = subprocess.run(command, env={**self.env, "HEDDLE_CC": compiler},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, errors="replace", check=False)
        if done.returncode != 0:
            raise Failure(f"{shlex.join(command)}: status {done.returncode}\n{done.stdout}")

    def run(self, program, group, seed, binary):
        """One run: the JSON document, standard output and the report."""
        json_file = binary + ".json"
        command = [self.heddle, "run", "--seed", str(seed), *group.options,
                   *group.expected_exit(), "--json", json_file,
                   "--", binary, *program.args]
        shown = shlex.join([*command[:4], *group.options, "--", binary, *program.args])
        if os.path.exists(json_file):
            os.unlink(json_file)
        try:
            done = subprocess.run(command, env={**self.env, **program.env}, timeout=RUN_LIMIT,
                                  stdin=subprocess.DEVNULL, capture_output=True, cwd=self.work,
                                  errors="replace", check=False)
        except subprocess.TimeoutExpired:
            raise Failure(f"{shown}: no end after {RUN_LIMIT} s") from None
        if not os.path.exists(json_file):
            raise Failure(f"{shown}: status {done.returncode}, no JSON\n{done.stderr}")
        try:
            with open(json_file, encoding="utf-8") as file:
                document = json.load(file)
        except ValueError as error:
            raise Failure(f"{shown}: status {done.returncode}, bad JSON: {error}\n"
                          f"{done.stderr}") from None
        wanted = status_of(document)
        if done.returncode != wanted:
            raise Failure(f"{shown}: status {done.returncode}, not {wanted}\n{done.stderr}")
        return shown, document, done.stdout, done.stderr

    def check_run(self, group, file_name, result):
        """Which of the group's expectations this run fulfils."""
        shown, document, output, report = result
        met = set()
        for finding in document["findings"]:
            hits = [e for e in group.expects if e.matches(finding, report, file_name)]
            if finding["kind"] in group.never:
                raise Failure(f"{shown}: {finding['kind']}, which must never be\n{report}")
            if not hits:
                raise Failure(f"{shown}: not expected: {finding['kind']}: {finding['summary']}\n"
                              f"{report}")
            met.update(hits)
        if met or group.clean:
            self.check_end(group, document, output, shown)
        elif document["program"]["exit"] != 0:
            raise Failure(f"{shown}: no finding, but {ending(document)}\n{output}{report}")
        return met

    @staticmethod
    def check_end(group, document, output, shown):
        wanted = group.exit or ("0" if group.clean else None)
        if wanted and ending(document) != wanted:
            raise Failure(f"{shown}: ended with {ending(document)}, not {wanted}\n{output}")
        for text in group.output:
            if text not in output:
                raise Failure(f"{shown}: did not print '{text}' but\n{output}")

    def check_group(self, program, group, binary):
        file_name = os.path.basename(program.path)
        counts = {e: 0 for e in group.expects}
        if self.every and group.clean:
            group.seeds = range(1, 1 + self.every)
        elif self.seeds and group.clean and len(group.seeds) >= 5:
            group.seeds = range(1, 1 + self.seeds // (1 if len(group.seeds) >= 10 else 10))
        elif self.short and len(group.seeds) >= 6 and not any(e.within for e in group.expects):
            group.seeds = group.seeds[:(len(group.seeds) + 3) // 4]
        for seed in group.seeds:
            result = self.run(program, group, seed, binary)
            met = self.check_run(group, file_name, result)
            for expect in group.expects:
                if expect in met:
                    counts[expect] += 1
                elif not expect.within:
                    raise Failure(f"{result[0]}: not found: {expect.wording}\n{result[3]}")
            if self.short and any(e.within for e in group.expects) and all(counts.values()):
                break
        for expect, count in counts.items():
            if not count:
                raise Failure(f"in none of {len(group.seeds)} seeds: {expect.wording}")
        return len(group.seeds)

    def check_program(self, path):
        """(message, ok) for one program."""
        name = os.path.relpath(path, os.path.dirname(os.path.abspath(__file__)) + "/programs")
        binary = os.path.join(self.work, name.replace(os.sep, "-").replace(".", "-"))
        try:
            program = Program(path)
            self.compile(program, binary)
            runs = sum(self.check_group(program, group, binary) for group in program.groups)
        except Failure as failure:
            return f"FAIL {name}: {failure}", False
        return f"ok   {name} ({runs} run{'s' if runs != 1 else ''})", True


def ending(document):
    number = document["program"]["signal"]
    if number is None:
        return str(document["program"]["exit"])
    return signal.Signals(number).name


def find_programs(paths):
    """The programs there, those in C++ only where there is a compiler for them."""
    found = list(all_programs(paths))
    if shutil.which("g++"):
        return found
    left_out = [p for p in found if p.endswith(".cpp")]
    if left_out:
        print(f"skipped: {len(left_out)} programs in C++: there is no g++")
    return [p for p in found if p not in left_out]


def all_programs(paths):
    for path in paths:
        if os.path.isfile(path):
            yield os.path.abspath(path)
            continue
        if not os.path.isdir(path):
            sys.exit(f"run_programs.py: there is no '{path}'")
        for folder, folders, files in os.walk(path):
            folders.sort()
            for file in sorted(files):
                if file.endswith((".c", ".cpp")):
                    yield os.path.abspath(os.path.join(folder, file))


def buildable(paths, clang):
    """The programs there that the compiler can build: OpenMP is gcc's."""
    return [p for p in find_programs(paths) if not (clang and os.sep + "openmp" + os.sep in p)]


def parse_arguments():
    parser = argparse.ArgumentParser(description="run the test programs")
    parser.add_argument("builddir")
    parser.add_argument("--clang", action="store_true", help="build them with clang")
    parser.add_argument("--seeds", type=int, default=0, help="more seeds where all are clean")
    parser.add_argument("--every", type=int, default=0, help="so many seeds where all are clean")
    parser.add_argument("--first", action="store_true", help="stop at the first failure")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 2, dest="jobs")
    parser.add_argument("paths", nargs="*")
    return parser.parse_args()


def every_third_of_many(programs):
    """All programs of small folders, and a third of those of large ones."""
    folders = {}
    for path in programs:
        folders.setdefault(os.path.dirname(path), []).append(path)
    return [path for paths in folders.values() for path in (paths if len(paths) <= MANY else paths[::3])]


def choose_programs(args):
    """With clang a twelfth of them, in the long test a third; with gcc most, or all; those that are named in any case."""
    full = "HEDDLE_TEST_FULL" in os.environ
    everything = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")]
    programs = buildable(args.paths or everything, args.clang)
    if args.paths or (full and not args.clang):
        return programs
    return programs[:: 3 if full else 12] if args.clang else every_third_of_many(programs)


def check_all(suite, programs, jobs, first):
    """0: all of them are good; with @first the rest is left out after the first that is not."""
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for message, good in pool.map(suite.check_program, programs):
            print(message, flush=True)
            passed, failed = passed + good, failed + (not good)
            if failed and first:
                pool.shutdown(wait=False, cancel_futures=True)
                break
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def main():
    args = parse_arguments()
    heddle = os.path.abspath(os.path.join(args.builddir, "heddle"))
    if not os.access(heddle, os.X_OK):
        sys.exit(f"run_programs.py: there is no heddle command in '{args.builddir}'")
    with tempfile.TemporaryDirectory(prefix="heddle-programs-") as work:
        suite = Suite(heddle, args.clang, work, args.seeds, args.every)
        suite.short = not args.paths and "HEDDLE_TEST_FULL" not in os.environ
        return check_all(suite, choose_programs(args), args.jobs, args.first)


if __name__ == "__main__":
    sys.exit(main())
