#!/usr/bin/python3
"""What it costs to make an empty task and wait for it, beside OpenMP's tasks; and how much
longer task programs take when they are checked on worker threads.

    bench/tasks.py BUILDDIR [--update] [--rounds N] [--tasks N] [--only PROGRAM ...] [--small]
                   [--limit SECONDS]

Of empty tasks: CPU time (user and system, all processes) of a run with N tasks less that of one
with none, divided by N. The ways take turns, of empty tasks and of programs. --only: these
programs, and no empty tasks. --limit: runs of `paper` and `velodrome` end after so
many seconds of CPU time.
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile

import task_slowdown

BENCH = pathlib.Path(__file__).resolve().parent
DOC = BENCH.parent / "docs" / "measured" / "benchmarks.md"
BATCHES = (1, 100)


def build(builddir, folder):
    heddle, plain, omp, native = (folder / n for n in ("heddle", "plain", "omp", "native"))
    source = BENCH / "spawn.c"
    subprocess.run([builddir / "heddle", "cc", "-O2", source, "-o", heddle], check=True)
    subprocess.run(["gcc", "-O2", source, "-o", plain, "-I", builddir / "include", "-L", builddir,
                    "-lheddle", f"-Wl,-rpath,{builddir}"], check=True)
    subprocess.run(["gcc", "-O2", "-fopenmp", "-DOPENMP", source, "-o", omp], check=True)
    subprocess.run([builddir / "heddle", "cc", "--native", "-O2", source, "-o", native], check=True)
    run = [builddir / "heddle", "run", "-q"]
    parallel = [*run, "--parallel", "2"]
    return {
        "OpenMP, 1 thread": (["env", "OMP_NUM_THREADS=1", omp], 10),
        "OpenMP, 2 threads": (["env", "OMP_NUM_THREADS=2", omp], 1),
        "workers, 1 thread": (["env", "HEDDLE_WORKERS=1", native], 10),
        "workers, 2 threads": (["env", "HEDDLE_WORKERS=2", native], 4),
        "workers, `heddle run --parallel 2`": ([*parallel, "--", heddle], 1),
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


def put(name, text, update):
    print("\n" + text)
    if not update:
        return
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    doc = DOC.read_text(encoding="utf-8")
    start, stop = doc.index(begin) + len(begin), doc.index(end)
    DOC.write_text(doc[:start] + "\n\n" + text + "\n\n" + doc[stop:], encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builddir", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tasks", type=int, default=200000)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--limit", type=float, default=8)
    parser.add_argument("--small", action="store_true", help="programs: small sizes")
    args = parser.parse_args()
    note = f"\n\nMedians of {args.rounds} rounds on {os.cpu_count()} cores."
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as name:
        folder, builddir = pathlib.Path(name), args.builddir.resolve()
        if not args.only:
            ways = build(builddir, folder)
            text = table(ways, measure(ways, args.tasks, args.rounds))
            put("tasks", text + note, args.update)
        text = task_slowdown.tables(builddir, folder, args.only, args.small, args.rounds,
                                     args.limit)
        put("task programs", text + note, args.update)


if __name__ == "__main__":
    main()
