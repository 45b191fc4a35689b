#!/usr/bin/env python3
"""Programs for `heddle correlate`, each with what is expected of it in its first comment.

    run.py [--full] [--only WORD] [--jobs N] BUILDDIR

    EXPECT: none                 no finding, status 0
    EXPECT: race VAR             a finding of that kind on it, and on no other variable
    EXPECT: extended-race A B    one that names all of them ("heap" and "other" have no name)
    CANDIDATE: race VAR          a candidate of that kind on it; otherwise there is none
    ALSO: VAR                    there may be findings on these as well
    WHY: WORDS                   the finding says so
    EXTENT: F G                  the unit begins in function F and ends in G, both with a caller
    ONE                          exactly one finding
    PART                         the set may have more variables than EXPECT names
    GROUP: A B                   --groups has a group with these members
    NOGROUP: A B                 --groups has none with both
    RUN: OPTIONS                 options of the command
    LINK: OPTIONS                options of the compiler
    STRIP                        without symbols and debug information
    MISSED: -O0 gcc-O2           what is expected is so, but is not found at this level, or by
                                 this compiler's code at this level
    ALWAYS: gcc-O0 clang-O2      with HEDDLE_TEST_FULL=1 it is run with these, too

A program with an #ifdef GOOD is run a second time with that defined, and must then be silent.
Without --full: of those that say ALWAYS every second, at one of these settings; of the others in micro/, torn/, shapes/
and others/ every twelfth, at settings in turns, of paper/ every second and of classes/ every 24th, at gcc -O2. With
HEDDLE_TEST_FULL=1 (make check-full, some four minutes): each program with one compiler at -O0 and with the other one at -O2,
in turns. With --full: gcc and clang at -O0 and -O2, all of them (twice as long). Those of classes/ always as the table of
bench/correlate_verdicts.py has them, gcc -O2.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

FOLDERS = ("paper", "micro", "torn", "shapes", "others", "classes")
LEVELS = ("-O0", "-O2")
HERE = os.path.dirname(os.path.abspath(__file__))


class Expected:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        comment = text[:text.index("*/")]
        self.good = "#ifdef GOOD" in text or "#ifndef GOOD" in text
        self.expect = self.line(comment, "EXPECT")
        self.why = " ".join(self.line(comment, "WHY"))
        self.extent = self.line(comment, "EXTENT")
        self.candidate = self.line(comment, "CANDIDATE")
        self.also = set(self.line(comment, "ALSO"))
        self.one = re.search(r"^ \* ONE$", comment, re.M) is not None
        self.part = re.search(r"^ \* PART$", comment, re.M) is not None
        self.groups = self.all(comment, "GROUP")
        self.nogroups = self.all(comment, "NOGROUP")
        self.strip = re.search(r"^ \* STRIP$", comment, re.M) is not None
        self.missed = self.line(comment, "MISSED")
        self.always = self.line(comment, "ALWAYS")
        self.run = self.line(comment, "RUN")
        self.link = self.line(comment, "LINK")
        if not self.expect:
            raise SystemExit(f"{path}: no EXPECT line")

    @staticmethod
    def line(comment, word):
        match = re.search(rf"^ \* {word}: (.*)$", comment, re.M)
        return match.group(1).split() if match else []

    @staticmethod
    def all(comment, word):
        return re.findall(rf"^ \* {word}: (.*)$", comment, re.M)


def members(words):
    """'struct t.a struct t.b' or 'x y' as a set of members."""
    return set(re.findall(r"struct \S+|\S+", words))


def read_groups(path):
    groups = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                names = line.split(":", 1)[1] if ":" in line else ""
                # "alloc FILE:LINE +0..4" is the member "+0..4"
                groups.append({re.sub(r"^alloc \S+ ", "", n.strip())
                               for n in line.split(": ", 1)[-1].split(",")} if names else set())
    return groups


def variables(finding):
    if finding.get("variables"):
        return {v.replace("[]", "") for v in finding["variables"]}
    if finding["location"] and finding["location"]["kind"] != "variable":
        return {finding["location"]["kind"]}
    name = finding["variable"] or ""
    return {re.sub(r"\[.*", "", name)}


def extent(finding):
    """Where the unit begins and ends: functions that have a caller."""
    return [access["stack"][0]["function"] for role in ("begin", "end")
            for access in finding["accesses"]
            if access["role"] == role and len(access["stack"]) > 1]


def check(expected, good, status, document, groups):
    """What is wrong, or None."""
    findings = document["findings"]
    candidates = [[c["kind"]] + sorted(variables(c)) for c in document["candidates"]]
    if candidates != ([] if good or not expected.candidate else [expected.candidate]):
        return f"candidates: {candidates}"
    if good or expected.expect == ["none"]:
        if findings:
            return "should be silent: " + "; ".join(f["summary"] for f in findings)
        if status != 0:
            return f"status {status}, not 0"
    else:
        kind, wanted = expected.expect[0], set(expected.expect[1:])
        # A variable may be reported as one of a set.
        fits = [f for f in findings
                if (f["kind"] == kind and (variables(f) == wanted or
                                           (expected.part and wanted < variables(f)))) or
                (f["kind"] == "extended-race" and kind == "race" and wanted < variables(f))]
        if not fits:
            told = "; ".join(f"{f['kind']} {sorted(variables(f))}" for f in findings)
            return f"expected {' '.join(expected.expect)}, found: {told or 'nothing'}"
        if status != 1:
            return f"status {status}, not 1"
        if expected.why and not any(expected.why in (f["detail"] or "") for f in fits):
            return f"does not say why: {fits[0]['detail']}"
        if expected.extent and extent(fits[0]) != expected.extent:
            return f"the unit is from {' to '.join(extent(fits[0]))}"
        strangers = [f for f in findings if not variables(f) & (wanted | expected.also)]
        if strangers:
            return "also reports " + strangers[0]["summary"]
        if expected.one and len(findings) != 1:
            return f"{len(findings)} findings, not one"
    if not good:
        for words in expected.groups:
            if not any(members(words) <= g for g in groups):
                return f"no group has {words}: {groups}"
        for words in expected.nogroups:
            if any(members(words) <= g for g in groups):
                return f"a group has {words}: {groups}"
    return None


def one_run(job):
    source, compiler, level, good, build, work = job
    name = os.path.relpath(source, HERE)
    label = f"{name} {compiler} {level}{' GOOD' if good else ''}"
    expected = Expected(source)
    if level in expected.missed or compiler + level in expected.missed:
        expected.expect = ["none"]
    binary = os.path.join(work, re.sub(r"\W", "_", label))
    driver = {"gcc": "g++", "clang": "clang++"}[compiler] if source.endswith(".cc") else compiler
    standard = ["-std=c++17"] if source.endswith(".cc") else []
    made = subprocess.run([driver, *standard, "-g", level, "-w", "-o", binary, source, "-pthread", "-lm"]
                          + expected.link + (["-DGOOD"] if good else []),
                          capture_output=True, text=True, check=False)
    if made.returncode:
        return label, "does not compile: " + made.stderr[:300]
    if expected.strip:
        subprocess.run(["strip", binary], check=True)
    ran = subprocess.run([os.path.join(build, "heddle"), "correlate", "--all",
                          "--json", binary + ".json", "--groups", binary + ".groups"] + expected.run + ["--", binary],
                         capture_output=True, text=True, errors="replace", check=False,
                         timeout=120)
    if ran.returncode not in (0, 1):
        return label, f"status {ran.returncode}: {ran.stderr[:300]}"
    with open(binary + ".json", encoding="utf-8") as file:
        document = json.load(file)
    return label, check(expected, good, ran.returncode, document,
                        read_groups(binary + ".groups"))


def settings_of(words, number, full, always):
    """Compilers and levels for a program, the @number-th of its folder; some are for @always."""
    compilers = ["gcc", "clang"] if shutil.which("clang") else ["gcc"]
    every = [(compiler, level) for level in LEVELS for compiler in compilers]
    if words.startswith("classes"):
        return [("gcc", "-O2")] if full or number % 24 == 0 else []
    if full == "all":
        return every
    always = [setting for setting in every if "".join(setting) in always]
    if full:
        return always + [s for s in (every[number % 2], every[-1 - number % 2]) if s not in always]
    if always:
        return [always[number // 2 % len(always)]] if number % 2 == 0 else []
    if words.startswith(("micro", "torn", "shapes")) and number % 12 or words.startswith("paper") and number % 2:
        return []
    if words.startswith("shapes"):
        return [every[number // 12 % len(every)]]
    if words.startswith("others"):
        return [every[number // 12 % len(every)]] if number % 12 == 1 else []
    if words.startswith("torn"):
        return [("gcc", LEVELS[number // 12 % len(LEVELS)])]
    return [("gcc", "-O2")]


def jobs_of(args, work):
    for folder, _, files in sorted(os.walk(HERE)):
        for number, name in enumerate(sorted(files)):
            source = os.path.join(folder, name)
            words = os.path.relpath(source, HERE)
            if not name.endswith((".c", ".cc")) or os.path.dirname(words) not in FOLDERS:
                continue
            if args.only and args.only not in words:
                continue
            if name.endswith(".cc") and not shutil.which("g++"):
                continue
            expected = Expected(source)
            for compiler, level in settings_of(words, number, args.full, expected.always):
                yield source, compiler, level, False, args.build, work
                if expected.good:
                    yield source, compiler, level, True, args.build, work


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("build")
    args = parser.parse_args()
    args.full = "all" if args.full else "turns" if os.environ.get("HEDDLE_TEST_FULL") == "1" else None
    if not os.path.exists(os.path.join(args.build, "src/correlate/heddle-amd64-linux")):
        print("heddle was built without valgrind: `correlate` is not tested")
        return 77
    failed = count = 0
    with tempfile.TemporaryDirectory() as work:
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for label, wrong in pool.map(one_run, list(jobs_of(args, work))):
                count += 1
                if wrong:
                    failed += 1
                    print(f"{label}: {wrong}")
    print(f"{count} runs, {failed} wrong")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
