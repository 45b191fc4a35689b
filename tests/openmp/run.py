#!/usr/bin/env python3
"""Every OpenMP program of this folder under heddle: the race that its header names, or nothing.

    run.py BUILDDIR [NAME]...

A fourth of the programs; with HEDDLE_TEST_FULL=1 all of them, with other numbers of threads and other
seeds too: the verdict depends on neither; and with -O2, where lines are not compared: the compiler moves
accesses about. Programs in MISSED are those whose race is not
found, with the reason, which docs/guide/openmp.md tells: if one of them is found after all, that is an
error here, too, so that the list stays true.
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

import suite

MISSED = {"cpp_string_append_racy": "std::string's functions are libstdc++'s own with -O0"}
# With -O2 there is no such race any more.
REMOVED = {"atomic_forms_racy": "the value that is read is not used",
           "simd_temporary_racy": "the temporary is in a register",
           "task_detach_racy": "gcc 12 hands over the event before it is made: the program crashes natively, too"}
# Where an access goes depends on values, and these on the schedule: not every run has two that meet.
BY_VALUES = {"atomic_ticket_racy": "the slot is what the counter was",
             "work_taken_in_turn_racy": "one thread may have taken all items",
             "thread_by_key_racy": "a thread that asks for its key is one and the same in a team of one"}
# An explicit task has thread-local variables of its own there, as the guide says.
NOT_ON_CARRIERS = ("task_thread_local_clean", "task_thread_local_racy")
RUNS = [[], ["--seed", "7"], ["--threads", "1"], ["--threads", "5", "--seed", "3"],
        ["--policy", "pct", "--threads", "3"], ["--policy", "rr"],
        ["--switch-at", "accesses", "--threads", "2"], ["--carriers", "threads", "--threads", "4"]]


def environment():
    return {k: v for k, v in os.environ.items() if not k.startswith(("HEDDLE_", "OMP_"))}


def races(document):
    """Pairs of lines of the races, and the other findings."""
    pairs, others = set(), []
    for finding in document["findings"]:
        if finding["kind"] == "race":
            for pair in finding["pairs"]:
                pairs.add(tuple(sorted(a["line"] or 0 for a in pair["accesses"])))
        else:
            others.append(finding["summary"])
    return pairs, others


def judge(program, document, level):
    """What is wrong with the report, or None."""
    pairs, others = races(document)
    if level != "-O0" and program.racy:
        return None if pairs or program.name in REMOVED else f"no race with {level}"
    if not program.racy:
        return f"reported {sorted(pairs)} {others}" if pairs or others else None
    found = any(program.is_meant(pair) for pair in pairs)
    if program.name in MISSED:
        return "is found now: take it off the list of missed ones" if found else None
    return None if found else f"expected lines {sorted(program.lines)}, got {sorted(pairs)}"


def check(heddle, folder, program, runs, level):
    binary = os.path.join(folder, program.name + level)
    built = subprocess.run([heddle, "c++" if program.cpp else "cc", "-g", level, "-fopenmp", program.path, "-o", binary],
                           env=environment(), text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, check=False)
    if built.returncode:
        return [f"{program.name}: does not build:\n{built.stdout}"]
    wrong = []
    for options in runs:
        if "--carriers" in options and program.name in NOT_ON_CARRIERS:
            continue
        done = subprocess.run([heddle, "run", *options, "--json", "-", "--", binary], timeout=120,
                              env=environment(), text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        try:
            document = json.loads(done.stdout)
        except ValueError:
            wrong.append(f"{program.name} {options}: {done.stdout}{done.stderr}")
            continue
        what = judge(program, document, level)
        if options and program.name in BY_VALUES and not document["findings"]:
            what = None
        if what:
            wrong.append(f"{program.name} {' '.join(options)}: {what}")
        if not program.racy and document["program"]["exit"] != 0:
            wrong.append(f"{program.name} {' '.join(options)}: its own check failed: status "
                         f"{document['program']['exit']}")
    os.unlink(binary)
    return wrong


def main():
    heddle = os.path.join(os.path.abspath(sys.argv[1]), "heddle")
    full = bool(os.environ.get("HEDDLE_TEST_FULL"))
    chosen = suite.programs()
    if sys.argv[2:]:
        chosen = [p for p in chosen if any(word in p.name for word in sys.argv[2:])]
    elif not full:
        chosen = [p for i, p in enumerate(chosen) if i // 2 % 4 == 0]  # pairs stay together
    runs = RUNS if full else RUNS[:1]
    with tempfile.TemporaryDirectory(prefix="heddle-openmp-") as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda p: check(heddle, folder, p, runs, "-O0"), chosen))
        if full:
            results += pool.map(lambda p: check(heddle, folder, p, runs[:1], "-O2"), chosen)
    wrong = [line for lines in results for line in lines]
    print(*wrong, sep="\n")
    print(f"{len(chosen)} programs, {len(runs)} runs each, {len(wrong)} wrong")
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
