#!/usr/bin/env python3
"""Who finds what: `heddle correlate`, helgrind and drd on the programs of tests/correlate.

    bench/correlate_verdicts.py [--quick] [--micro] [--classes] [--torn] BUILDDIR

"paper" is `heddle correlate --algorithm paper`. Prints four tables for docs/measured/benchmarks.md. The first: the 22 tests of the paper's Tables 2 and 3, with
gcc and clang at -O0 and -O2 (--quick: gcc -O2 alone). The second: false positives and negatives on
our own small programs and their good twins, gcc -O2 (--micro: that one alone); those that are about
--flag-loops are left out, since by the language such flags are races, and those whose race is only a
candidate. The third (--classes: that one alone): the same for the programs of tests/correlate/classes, over
what collections of races for detectors are made of: locks, conditions, barriers, semaphores, atomics,
publication, creating and joining, memory that is used again. The fourth (--torn: that one alone) has both
algorithms of heddle on the programs of torn, shapes and others, gcc -O2: what is torn between critical sections. A tool says "race" if it reports any access to
data; misuse of the thread library and lock orders do not count. Helgrind and drd know nothing of
variables that belong together, and are not meant to.
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

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "correlate")
TOOLS = ["heddle", "paper", "helgrind", "drd"]
# What the tools print where two accesses to data conflict.
SAYS_RACE = {"helgrind": b"Possible data race", "drd": b"Conflicting "}


def compiled(source, compiler, level, good, work):
    name = re.sub(r"\W", "_", f"{os.path.basename(source)} {compiler} {level} {good}")
    binary = os.path.join(work, name)
    with open(source, encoding="utf-8") as file:
        comment = file.read().split("*/")[0]
    link = re.search(r"^ \* LINK: (.*)$", comment, re.M)
    driver = {"gcc": "g++", "clang": "clang++"}[compiler] if source.endswith(".cc") else compiler
    subprocess.run([driver, "-g", level, "-w", "-o", binary, source, "-pthread", "-lm"] +
                   (link.group(1).split() if link else []) + (["-DGOOD"] if good else []),
                   check=True, capture_output=True)
    if re.search(r"^ \* STRIP$", comment, re.M):
        subprocess.run(["strip", binary], check=True)
    return binary


def options_of(source):
    with open(source, encoding="utf-8") as file:
        found = re.search(r"^ \* RUN: (.*)$", file.read(), re.M)
    return found.group(1).split() if found else []


def says_race(tool, source, binary, build):
    if tool in ("heddle", "paper"):
        algorithm = "paper" if tool == "paper" else "torn"
        ran = subprocess.run([os.path.join(build, "heddle"), "correlate", "--json", binary + ".json",
                              "--algorithm", algorithm, *options_of(source), "--", binary],
                             capture_output=True, timeout=300, check=False)
        if ran.returncode not in (0, 1):
            raise SystemExit(f"{binary}: heddle ends with {ran.returncode}")
        with open(binary + ".json", encoding="utf-8") as file:
            return bool(json.load(file)["findings"])
    ran = subprocess.run(["valgrind", "--tool=" + tool, binary], capture_output=True, timeout=300,
                         check=False)
    return SAYS_RACE[tool] in ran.stderr


def programs(folder):
    for name in sorted(os.listdir(os.path.join(ROOT, folder))):
        source = os.path.join(ROOT, folder, name)
        with open(source, encoding="utf-8") as file:
            text = file.read()
        if re.search(r"^ \* CANDIDATE: ", text, re.M):
            continue
        expected = re.search(r"^ \* EXPECT: (.*)$", text, re.M).group(1) != "none"
        yield name.rsplit(".", 1)[0], source, expected, "def GOOD" in text


def verdicts(jobs, build, work, tools=tuple(TOOLS)):
    """{(source, compiler, level, good): {tool: did it say race}}"""
    def one(job):
        binary = compiled(*job, work)
        return job, {tool: says_race(tool, job[0], binary, build) for tool in tools}

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(pool.map(one, jobs))


def paper_table(build, work, configs):
    tests = list(programs("paper"))
    found = verdicts([(source, c, level, False) for _, source, _, _ in tests
                      for c, level in configs], build, work)
    right = dict.fromkeys(TOOLS, 0)
    print("| test | expected | " + " | ".join(TOOLS) + " |")
    print("| --- |" + " --- |" * (1 + len(TOOLS)))
    for name, source, expected, _ in tests:
        cells = []
        for tool in TOOLS:
            wrong = [f"{c} {level}" for c, level in configs
                     if found[source, c, level, False][tool] != expected]
            right[tool] += not wrong
            says = "race" if expected != bool(wrong) else "no race"
            cells.append(says if not wrong else f"**{says}**" if len(wrong) == len(configs)
                         else f"**{says}** ({', '.join(wrong)})")
        print(f"| {name.replace('_', ' ')} | {'race' if expected else 'no race'} | " +
              " | ".join(cells) + " |")
    print(f"| right, of {len(tests)} | | " + " | ".join(str(right[t]) for t in TOOLS) + " |",
          flush=True)


def counts_table(build, work, folder):
    tests = [t for t in programs(folder) if (not t[1].endswith(".cc") or shutil.which("g++")) and
             "--flag-loops" not in options_of(t[1])]
    jobs = [(source, "gcc", "-O2", good) for _, source, _, twin in tests
            for good in ([False, True] if twin else [False])]
    found = verdicts(jobs, build, work)
    expects = {source: expected for _, source, expected, _ in tests}
    races = [j for j in jobs if expects[j[0]] and not j[3]]
    clean = [j for j in jobs if j not in races]
    print(f"\n{len(tests)} programs: {len(races)} with a race, {len(clean)} without (with twins)\n")
    print("| | " + " | ".join(TOOLS) + " |\n| --- |" + " ---: |" * len(TOOLS))
    print("| races missed | " +
          " | ".join(str(sum(not found[j][t] for j in races)) for t in TOOLS) + " |")
    print("| false reports | " +
          " | ".join(str(sum(found[j][t] for j in clean)) for t in TOOLS) + " |")
    for tool in TOOLS:
        for word, of, wrong in [("misses", races, False), ("wrongly reports", clean, True)]:
            names = [os.path.basename(j[0]).rsplit(".", 1)[0] for j in of
                     if found[j][tool] == wrong]
            if names:
                print(f"\n{tool} {word}: {', '.join(names)}")


def torn_table(build, work):
    tools, rows = ("heddle", "paper"), {}
    for folder in ("torn", "shapes", "others"):
        tests = [t for t in programs(folder) if not t[1].endswith(".cc") or shutil.which("g++")]
        jobs = {(source, "gcc", "-O2", good): expected and not good
                for _, source, expected, twin in tests
                for good in ([False, True] if twin else [False])}
        found = verdicts(jobs, build, work, tools)
        rows[folder] = (len(tests), jobs, found)
    print("\n| programs | torn | " + " | ".join(f"missed by {t}" for t in tools) + " | not torn | " +
          " | ".join(f"falsely reported by {t}" for t in tools) + " |\n| --- |" + " ---: |" * 6)
    for folder, (_, jobs, found) in rows.items():
        bad, clean = ([j for j in jobs if jobs[j] == kind] for kind in (True, False))
        print(f"| {folder} | {len(bad)} | " +
              " | ".join(str(sum(not found[j][t] for j in bad)) for t in tools) +
              f" | {len(clean)} | " +
              " | ".join(str(sum(found[j][t] for j in clean)) for t in tools) + " |", flush=True)
    for folder, (_, jobs, found) in rows.items():
        names = sorted(os.path.basename(j[0]).rsplit(".", 1)[0] for j in jobs
                       if jobs[j] and found[j]["paper"] and not found[j]["heddle"])
        if names:
            print(f"\n{folder}, torn and reported by paper alone: {', '.join(names)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--micro", action="store_true")
    parser.add_argument("--classes", action="store_true")
    parser.add_argument("--torn", action="store_true")
    parser.add_argument("build")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    if not os.path.exists(os.path.join(build, "src", "correlate", "heddle-amd64-linux")):
        print("correlate: built without valgrind, nothing to compare")
        return 0
    compilers = ["gcc"] + (["clang"] if shutil.which("clang") and not args.quick else [])
    levels = ["-O2"] if args.quick else ["-O0", "-O2"]
    with tempfile.TemporaryDirectory() as work:
        every = not (args.micro or args.classes or args.torn)
        if every:
            paper_table(build, work, [(c, level) for c in compilers for level in levels])
        if every or args.micro:
            counts_table(build, work, "micro")
        if every or args.classes:
            counts_table(build, work, "classes")
        if every or args.torn:
            torn_table(build, work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
