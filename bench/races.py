#!/usr/bin/python3
"""Race detection while the program runs: CPU time over native, beside its peers.

    bench/races.py BUILDDIR [--update] [--rounds N] [--scale X]

Six programs with two threads, each built natively, with ThreadSanitizer and with
`heddle cc`; the native build also runs under Helgrind and DRD where valgrind is
installed. CPU time (user and system, all processes) is compared, since heddle uses
one core where the others use two.
"""
import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent
DOC = BENCH.parent / "docs" / "measured" / "benchmarks.md"
BEGIN, END = "<!-- races: begin -->", "<!-- races: end -->"

# name, source, extra flags, argument that scales with the work
PROGRAMS = [
    ("matrix", "matrix.c", [], 250),
    ("hash, one lock", "hash_table.c", ["-DSTRIPES=1u"], 400000),
    ("hash, 16 locks", "hash_table.c", [], 400000),
    ("queue, condition variables", "queue.c", [], 200000),
    ("stencil, barriers", "stencil.c", [], 300),
    ("stack, atomics", "stack.c", [], 400000),
]
FLAGS = ["-O2", "-g", "-pthread", "-D_GNU_SOURCE"]


def cpu_seconds(command):
    """User and system time of the command and all it started; None if it failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        print(f"{' '.join(map(str, command))}: status {done.returncode}", file=sys.stderr)
        return None
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def build(heddle, source, flags, folder):
    native, tsan, controlled = (folder / n for n in ("native", "tsan", "heddle"))
    source = BENCH / source
    subprocess.run(["gcc", *FLAGS, *flags, source, "-o", native], check=True)
    subprocess.run(["gcc", *FLAGS, *flags, "-fsanitize=thread", source, "-o", tsan], check=True)
    subprocess.run([heddle, "cc", *FLAGS, *flags, source, "-o", controlled], check=True)
    return native, tsan, controlled


def measure(heddle, name, source, flags, argument, rounds):
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
        native, tsan, controlled = build(heddle, source, flags, pathlib.Path(folder))
        arg = str(argument)
        ways = {
            "native": [native, arg],
            "tsan": ["setarch", "-R", tsan, arg],
            "heddle run": [heddle, "run", "-q", "--", controlled, arg],
        }
        if shutil.which("valgrind"):
            for tool in ("helgrind", "drd"):
                ways[tool] = ["valgrind", "-q", f"--tool={tool}", native, arg]
        taken = {way: [] for way in ways}
        for _ in range(rounds):  # taking turns: noise hits all alike
            for way, command in ways.items():
                seconds = cpu_seconds(command)
                if seconds is not None:
                    taken[way].append(seconds)
    base = statistics.median(taken["native"])
    row = [name, f"{base:.3f}"]
    for way in ("tsan", "heddle run", "helgrind", "drd"):
        times = taken.get(way)
        row.append(f"{statistics.median(times) / base:.1f}x" if times else "-")
    return row


def table(rows):
    head = ["program", "native CPU s", "tsan", "heddle run", "helgrind", "drd"]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def update(text):
    doc = DOC.read_text(encoding="utf-8")
    start, end = doc.index(BEGIN) + len(BEGIN), doc.index(END)
    DOC.write_text(doc[:start] + "\n\n" + text + "\n\n" + doc[end:], encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builddir", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0)
    args = parser.parse_args()
    heddle = (args.builddir / "heddle").resolve()
    rows = []
    for name, source, flags, argument in PROGRAMS:
        rows.append(measure(heddle, name, source, flags, int(argument * args.scale), args.rounds))
        print(" ".join(rows[-1]), flush=True)
    text = table(rows) + f"\n\nMedians of {args.rounds} runs on {os.cpu_count()} cores."
    print("\n" + text)
    if args.update:
        update(text)


if __name__ == "__main__":
    main()
