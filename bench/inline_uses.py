#!/usr/bin/python3
"""What accesses tested in line gain where more than races of threads is looked for.

    bench/inline_uses.py BUILDDIR [--update] [--rounds N] [--only WORD]...

Processor time of all processes, in turns; the figure is the median. WORD: check, explore, openmp, fibers or workers.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(BENCH))
from inline import DOC, compiler, cpu_seconds, geometric  # noqa: E402 (after the path is set)
from run import table  # noqa: E402

BEGIN, END = "<!-- in line, uses: begin -->", "<!-- in line, uses: end -->"
BUILDS = ("calls", "tests", "in line")
KERNELS, TASKS, OPENMP = BENCH / "kernels", BENCH / "programs" / "tasks", BENCH / "programs" / "openmp"
# What is done; words behind heddle; each program and its arguments.
USES = {
    "check": (["check", "-q"],
              {KERNELS / "sort.c": ["4000"], KERNELS / "counters.c": ["1000"], BENCH / "matrix.c": ["40"]}),
    "explore": (["explore", "-q"],
                {KERNELS / "sort.c": ["100000"], BENCH / "matrix.c": ["150"], KERNELS / "bytes.c": ["500"]}),
    "openmp": (["run", "-q"],
               {OPENMP / "jacobi.c": ["256"], OPENMP / "nqueens.c": ["8"], OPENMP / "sort.c": ["12000"],
                OPENMP / "sparselu.c": ["16"]}),
    "fibers": (["run", "-q"],
               {TASKS / "heat_stencil.c": ["16"], TASKS / "merge_sort.c": ["100000", "1"], TASKS / "k_means.c": ["4"]}),
    "workers": (["run", "-q", "--parallel=2"],
                {TASKS / "heat_stencil.c": ["16"], TASKS / "merge_sort.c": ["1000000", "1"], TASKS / "k_means.c": ["4"]}),
}
FLAGS = {"openmp": ["-fopenmp"]}


def build(args, use, source, work):
    out = {}
    for kind in BUILDS:
        words, extra = compiler(args.heddle, kind)
        out[kind] = work / f"{use}-{source.stem}-{kind.replace(' ', '-')}"
        subprocess.run([*words, "-O2", "-g", "-pthread", "-D_GNU_SOURCE", *FLAGS.get(use, []), source, "-o", out[kind], "-lm"],
                       env=dict(os.environ, **extra), check=True)
    return out


def measure(args, use, source, argv, work):
    """Seconds of each build."""
    built = build(args, use, source, work)
    times = {kind: [] for kind in BUILDS}
    for _ in range(args.rounds):
        for kind in BUILDS:
            times[kind].append(cpu_seconds([args.heddle, *USES[use][0], "--", built[kind], *argv], work)[0])
    return {kind: statistics.median(t) for kind, t in times.items()}


def lines(results):
    rows, gains = [], {}
    for (use, name), t in results.items():
        gains.setdefault(use, []).append(t["in line"] / t["calls"])
        rows.append([use, name, *(f"{t[kind]:.2f}" for kind in BUILDS), f"{t['in line'] / t['calls']:.2f}"])
    for use, of in gains.items():
        rows.append([f"{use}, geometric mean", "", "", "", "", f"**{geometric(of):.2f}**"])
    return table(["what", "program", "calls, s", "tests, s", "in line, s", "in line / calls"], rows)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builddir")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", action="append", choices=list(USES))
    parser.add_argument("--update", action="store_true", help=f"write the table into {DOC.name}")
    args = parser.parse_args()
    args.heddle = str((pathlib.Path(args.builddir) / "heddle").resolve())
    return args


def main():
    args = arguments()
    results = {}
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
        for use, (_, programs) in USES.items():
            for source, argv in programs.items() if not args.only or use in args.only else ():
                results[use, source.stem] = measure(args, use, source, argv, pathlib.Path(folder))
    text = lines(results)
    print(text)
    if args.update:
        page = DOC.read_text(encoding="utf-8")
        head, rest = page.split(BEGIN)
        DOC.write_text(f"{head}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
