#!/usr/bin/python3
"""`heddle run` with races beside ThreadSanitizer: accesses as calls, and tested in line.

    bench/inline.py BUILDDIR [--update] [--rounds N] [--only NAME]...

Processor time of all processes, in turns; the figure is the median. A ratio to native is of times of
programs that run for a few hundredths of a second natively, less what an empty program takes.
"""
import argparse
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(BENCH))
from run import table, without_aslr  # noqa: E402 (after the path is set)

DOC = BENCH.parent / "docs" / "measured" / "benchmarks.md"
BEGIN, END = "<!-- in line: begin -->", "<!-- in line: end -->"
KERNELS = {"matrix": ["400"], "stencil": ["1000"], "lu": ["500"], "bytes": ["4000"],
           "list_walk": ["1024", "20000"], "trie": ["300000"], "tree": ["60"], "sort": ["600000"],
           "hash_table": ["600000"], "counters": ["300000"], "queue": []}
COMPUTE = ("matrix", "stencil", "lu", "bytes")
FLAGS = ["-O2", "-g", "-pthread", "-D_GNU_SOURCE"]
KINDS = ("native", "tsan", "calls", "in line", "calls --record", "in line --record")


def cpu_seconds(command):
    """Processor time, and peak megabytes of the largest process."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execvp(command[0], [str(word) for word in command])
    _, status, used = os.wait4(pid, 0)
    if status:
        raise SystemExit(f"{' '.join(map(str, command))}: status {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def build(heddle, name, work):
    source = next(p for p in (BENCH / "kernels" / f"{name}.c", BENCH / f"{name}.c") if p.exists())
    out = {}
    for kind, compiler in (("native", ["gcc"]), ("tsan", ["gcc", "-fsanitize=thread"]),
                           ("calls", [heddle, "cc"]), ("in line", [heddle, "cc"])):
        out[kind] = work / f"{name}-{kind.replace(' ', '-')}"
        env = dict(os.environ, HEDDLE_INLINE="no" if kind == "calls" else "yes")
        subprocess.run(compiler + FLAGS + [source, "-o", out[kind]], env=env, check=True)
    return out


def commands(heddle, name, work):
    built, argv = build(heddle, name, work), KERNELS[name]
    run = [heddle, "run", "-q", "--"]
    record = [heddle, "run", "-q", "--record", work / "t.htr", "--"]
    return {"native": [built["native"], *argv], "tsan": [*without_aslr(), built["tsan"], *argv],
            "calls": [*run, built["calls"], *argv], "in line": [*run, built["in line"], *argv],
            "calls --record": [*record, built["calls"], *argv],
            "in line --record": [*record, built["in line"], *argv]}


def measure(args, name, work):
    todo = commands(args.heddle, name, work)
    times, memory = {kind: [] for kind in KINDS}, {}
    for _ in range(args.rounds):
        for kind in KINDS:
            seconds, memory[kind] = cpu_seconds(todo[kind])
            times[kind].append(seconds)
    return {kind: statistics.median(t) for kind, t in times.items()}, memory


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def lines(results):
    rows = []
    for name, (median, memory) in results.items():
        native = max(median["native"], 0.001)
        rows.append([name, f"{native:.3f}", *(f"{median[k] / native:.1f}x" for k in KINDS[1:4]),
                     f"{median['in line'] / median['tsan']:.2f}",
                     f"{median['in line --record'] / median['tsan']:.2f}",
                     f"{median['calls --record'] / median['tsan']:.2f}",
                     f"{memory['tsan']:.0f}", f"{memory['in line']:.0f}"])
    ratios = [m["in line"] / m["tsan"] for m, _ in results.values()]
    records = [m["in line --record"] / m["tsan"] for m, _ in results.values()]
    calls = [m["calls --record"] / m["tsan"] for m, _ in results.values()]
    rows.append(["geometric mean", "", "", "", "", f"**{geometric(ratios):.2f}**",
                 f"{geometric(records):.2f}", f"{geometric(calls):.2f}", "", ""])
    return table(["kernel", "native s", "tsan", "calls", "in line", "in line / tsan",
                  "--record / tsan", "with calls", "tsan MB", "in line MB"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builddir")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", action="append")
    parser.add_argument("--update", action="store_true", help=f"write the table into {DOC.name}")
    args = parser.parse_args()
    args.heddle = str((pathlib.Path(args.builddir) / "heddle").resolve())
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
        names = [name for name in KERNELS if not args.only or name in args.only]
        results = {name: measure(args, name, pathlib.Path(folder)) for name in names}
    text = lines(results)
    print(text)
    if args.update:
        page = DOC.read_text(encoding="utf-8")
        head, rest = page.split(BEGIN)
        DOC.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
