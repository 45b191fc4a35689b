#!/usr/bin/python3
"""What it costs to make an empty task and wait for it, beside OpenMP's tasks.

    bench/tasks.py BUILDDIR [--update] [--rounds N] [--tasks N]

CPU time (user and system, all processes) of a run with N tasks less that of one with none,
divided by N. The ways take turns.
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent
DOC = BENCH.parent / "docs" / "benchmarks.md"
BEGIN, END = "<!-- tasks: begin -->", "<!-- tasks: end -->"
BATCHES = (1, 100)


def build(builddir, folder):
    heddle, plain, omp = folder / "heddle", folder / "plain", folder / "omp"
    source = BENCH / "spawn.c"
    subprocess.run([builddir / "heddle", "cc", "-O2", source, "-o", heddle], check=True)
    subprocess.run(["gcc", "-O2", source, "-o", plain, "-I", builddir / "include", "-L", builddir,
                    "-lheddle", f"-Wl,-rpath,{builddir}"], check=True)
    subprocess.run(["gcc", "-O2", "-fopenmp", "-DOPENMP", source, "-o", omp], check=True)
    run = [builddir / "heddle", "run", "-q"]
    return {
        "OpenMP, 1 thread": (["env", "OMP_NUM_THREADS=1", omp], 10),
        "OpenMP, 2 threads": (["env", "OMP_NUM_THREADS=2", omp], 1),
        "fibers, library alone": (["env", "HEDDLE_OPTIONS=races=0", plain], 1),
        "fibers, `heddle run --races no`": ([*run, "--races", "no", "--", heddle], 1),
        "fibers, `heddle run`": ([*run, "--", heddle], 1),
        "fibers, `heddle run --record`": ([*run, "--record", folder / "t.htr", "--", heddle], 1),
    }


def seconds(command, count, batch):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, str(count), str(batch)], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(ways, tasks, rounds):
    taken = {(way, batch): [] for way in ways for batch in BATCHES}
    for _ in range(rounds):
        for way, (command, more) in ways.items():
            for batch in BATCHES:
                count = tasks * more
                spent = seconds(command, count, batch) - seconds(command, 0, batch)
                taken[way, batch].append(spent / count * 1e9)
    return taken


def table(ways, taken):
    lines = ["| ns a task | one at a time | 100 in a finish |", "| --- | ---: | ---: |"]
    for way in ways:
        cells = [f"{statistics.median(taken[way, batch]):.0f}" for batch in BATCHES]
        lines.append(f"| {way} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builddir", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tasks", type=int, default=200000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
        ways = build(args.builddir.resolve(), pathlib.Path(folder))
        taken = measure(ways, args.tasks, args.rounds)
    text = table(ways, taken) + f"\n\nMedians of {args.rounds} rounds on {os.cpu_count()} cores."
    print("\n" + text)
    if args.update:
        doc = DOC.read_text(encoding="utf-8")
        start, end = doc.index(BEGIN) + len(BEGIN), doc.index(END)
        DOC.write_text(doc[:start] + "\n\n" + text + "\n\n" + doc[end:], encoding="utf-8")


if __name__ == "__main__":
    main()
