#!/usr/bin/python3
"""What `heddle explore` does with the programs of the permission-regions paper, with classic programs
for model checkers, and how many executions it makes a second.

    bench/explore.py BUILDDIR [--update] [--only regions|classic|growth|rate|models]... [--budget N] [--seconds S]

Numbers of states and executions do not depend on the machine; times do. The table with the paper's
figures is about verdicts and states: its times are those of another machine and of Java.
"""
import argparse
import json
import math
import os
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent
DOC = BENCH.parent / "docs" / "measured" / "benchmarks.md"

# Program; tasks and regions; the paper's tool: states, time, verdict; PreciseRaceDetector: the same.
# The last column: is there a race? (The programs' comments say why.)
PAPER = [
    ("PrimitiveArrayNoRace", 3, 0, 5, "0:00", "no race", 11852, "0:00", "no race", False),
    ("PrimitiveArrayRace", 3, 2, 5, "0:00", "no race (wrong)", 220, "0:00", "race", True),
    ("TwoDimArrays", 11, 0, 15, "0:00", "no race", 597, "0:00", "race (wrong)", False),
    ("ForAllWithIterable", 2, 0, 9, "0:00", "no race", None, None, None, False),
    ("IntegerCounterIsolated", 10, 3, 1013102, "5:53", "no race", None, None, None, False),
    ("PipelineWithFutures", 5, 1, 34, "0:00", "no race", None, None, None, False),
    ("SubstringSearch", 59, 2, 8, "0:00", "race", None, None, None, True),
    ("BinaryTrees", 525, 0, 632, "0:03", "no race", None, None, None, False),
    ("PrimeNumCounter", 25, 2, 231136, "1:08", "no race", None, None, None, False),
    ("PrimeNumCounterForAll", 25, 2, 6, "0:00", "race (wrong)", None, None, None, False),
    ("PrimeNumCounterForAsync", 11, 2, 449511, "2:51", "no race", None, None, None, False),
    ("ReciprocalArraySum", 2, 2, 32, "0:06", "no race", None, None, None, False),
    ("Add", 3, 6, 62374, "0:33", "no race", 4930, "0:03", "race (wrong)", False),
    ("ScalarMultiply", 3, 2, 55712, "0:30", "no race", 826, "0:01", "race (wrong)", False),
    ("VectorAdd", 3, 4, 17, "0:00", "no race", 46394, "0:19", "no race", False),
    ("AsyncTest1", 51, 0, 54, "0:00", "no race", None, None, None, False),
    ("AsyncTest2", 3, 2, 4, "0:00", "race", 11534, "0:04", "race", True),
    ("FinishTest1", 3, 0, 6, "0:00", "no race", 2354, "0:02", "no race", False),
    ("FinishTest2", 3, 0, 5, "0:00", "no race", 25243, "0:09", "no race", False),
    ("FinishTest3", 4, 0, 7, "0:00", "no race", 34459, "0:12", "no race", False),
    ("ClumpedAccess", 3, 2, 15, "0:00", "no race", None, None, None, False),
]

# Classic programs and their sizes.
CLASSIC = [
    ("philosophers", (2, 3, 4, 5, 6, 7)), ("reorder", (3, 4, 5, 10, 20)), ("twostage", (2, 4)),
    ("bluetooth", (2, 3)), ("work_stealing", (1, 2)), ("circular_buffer", (2,)),
    ("readers_writers", (1, 2)), ("peterson", (1, 2)), ("dekker", (1, 2)), ("bakery", (2, 3)),
    ("treiber", (1,)), ("michael_scott", (2,)), ("account", (1, 2, 3)), ("lazy_init", (2, 3)),
]
NO_BUG = {("dekker", 1)}  # the error takes two rounds
STRATEGIES = ("dpor", "bounded", "pct", "random", "naive")


def source_name(name):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() + ".c"


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Explorer:
    def __init__(self, builddir, folder):
        self.heddle, self.folder = builddir / "heddle", folder

    def build(self, source):
        out = self.folder / source.stem
        subprocess.run([self.heddle, "cc", "-O1", "-g", source, "-o", out, "-pthread"], check=True)
        return out

    def explore(self, *args):
        """What --json says, executions up to the end or the first fault, and CPU time."""
        file = self.folder / "found.json"
        start = cpu_seconds()
        done = subprocess.run([self.heddle, "explore", "--json", file, "--output",
                               self.folder / "out", *map(str, args)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        seconds = cpu_seconds() - start
        if done.returncode not in (0, 1, 4):
            raise RuntimeError(f"{args}: {done.stderr.strip()}")
        document = json.loads(file.read_text(encoding="utf-8"))
        executions = re.search(r"([0-9]+) executions \(", "\n".join(document["notes"]))
        return document, int(executions.group(1)), seconds


def table(head, rows, right):
    lines = ["| " + " | ".join(head) + " |",
             "|" + "|".join(" ---: " if i in right else " --- " for i in range(len(head))) + "|"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def number(n):
    return "-" if n is None else f"{n:,}"


# ---- the programs of the paper --------------------------------------------------------

def verdict(document):
    kinds = {f["kind"] for f in document["findings"]}
    if kinds & {"race", "permission"}:
        return "race"
    return "no race" if document["stats"]["complete"] else "ran out"


def regions(explorer, args):
    rows, ours, papers, wrong = [], 0, 0, []
    for (name, tasks, nregions, states, took, said, p_states, p_took, p_said, race) in PAPER:
        program = explorer.build(BENCH / "programs" / "explore" / source_name(name))
        document, _, seconds = explorer.explore("--", program)
        naive, _, _ = explorer.explore("--strategy", "naive", "--executions", args.budget, "--time",
                                       args.seconds, "--", program)
        found = verdict(document)
        if found != ("race" if race else "no race"):
            wrong.append(name)
        ours += document["stats"]["states"]
        papers += states
        rows.append((name, tasks, nregions, number(document["stats"]["states"]),
                     f"{seconds:.1f}", found, number(naive["stats"]["states"]), verdict(naive),
                     number(states), took, said, number(p_states), p_took or "-", p_said or "-"))
        print(" ".join(map(str, rows[-1])), flush=True)
    head = ("program", "tasks", "regions", "states", "CPU s", "verdict", "naive: states", "verdict",
            "paper: states", "min", "verdict", "PRD: states", "min", "verdict")
    text = table(head, rows, {1, 2, 3, 4, 6, 8, 9, 11, 12})
    text += (f"\n\nStates in sum: {ours:,}, the paper's {papers:,}, 1/{papers // max(ours, 1):,} of them "
             "(goal: 1/50). Wrong verdicts: " + (", ".join(wrong) if wrong else "none") + ". `naive` was"
             f" given {args.budget:,} executions and {args.seconds:g} s; *ran out* means that it had"
             " found nothing by then, and had not tried everything.")
    return text


# ---- classic programs --------------------------------------------------------------------

def cell(variant, found, complete, executions):
    if found or (complete and variant == "good"):
        return f"{executions:,}"
    return f"none in {executions:,}" if complete else f"> {executions:,}"


def classic(explorer, args):
    rows = []
    for name, sizes in CLASSIC:
        program = explorer.build(BENCH / "programs" / "classic" / (name + ".c"))
        for size in sizes:
            row = [f"{name} {size}"]
            for variant in ("bad", "good"):
                for strategy in STRATEGIES:
                    if variant == "good" and strategy in ("pct", "random"):
                        continue  # they never know that they are done
                    document, executions, _ = explorer.explore(
                        "--strategy", strategy, "--executions", args.budget, "--time", args.seconds,
                        "--", program, variant, size)
                    found = bool(document["findings"])
                    if found and (variant == "good" or (name, size) in NO_BUG):
                        raise RuntimeError(f"{name} {variant} {size}: a false report")
                    row.append(cell(variant, found, document["stats"]["complete"], executions))
            rows.append(row)
            print(" ".join(row), flush=True)
    head = ["program", *(f"bug: {s}" for s in STRATEGIES), "all: dpor", "all: bounded", "all: naive"]
    text = table(head, rows, set(range(1, len(head))))
    return text + (f"\n\nA `>` says that there was neither a bug nor an end within {args.budget:,} executions"
                   f" and {args.seconds:g} s. *None in* so many: everything was tried, and there is"
                   " none: `bounded` tries two preemptions, where `work_stealing` takes three, and"
                   " `dekker` shows its error in the second round.")


# ---- executions a second ---------------------------------------------------------------------

def rate(explorer, _):
    """Random executions with five switches each, and all that a somewhat longer program has."""
    program = explorer.build(BENCH / "five_switches.c")
    rows = []
    for strategy, times in (("random", 5), ("dpor", 7)):
        wall, cpu = [], []
        for _ in range(3):
            document, executions, used = explorer.explore("--strategy", strategy, "--symmetry", "no", "--commute", "no", "--jobs", 1,
                                                       "--executions", 5000, "--", program, times)
            cpu.append(executions / used)
            wall.append(executions / document["stats"]["seconds"])
        rows.append((f"{strategy}, {times} switches", number(executions),
                     f"{statistics.median(wall):,.0f}", f"{statistics.median(cpu):,.0f}"))
        print(" ".join(rows[-1]), flush=True)
    return table(("strategy", "executions", "a second", "a second of CPU time"), rows, {1, 2, 3}) + (
        "\n\nOne job; medians of three runs, with the start of the program and the report. The goal: 20,000.")


# ---- growth -----------------------------------------------------------------------------------

# Source in tests/explore; program; sizes; how many executions differ; what GenMC was measured with elsewhere:
# its largest size, executions and CPU seconds.
GROWTH = [
    ("counted", "readers", (6, 10, 14, 18), lambda n: 2 ** n, "18: 262,144 in 11.5"),
    ("counted", "numbers", (5, 6, 7, 8), math.factorial, "8: 40,320 in 1.6"),
    ("counted", "increments", (8, 16), lambda n: 1, ""),
    ("counted", "lastzero", (6, 8, 10, 13), lambda n: (n + 3) * 2 ** n // 4, "13: 32,768 in 2.8"),
    ("counted", "fibonacci", (5,), lambda n: 218243, "5: 218,243 in 2.3"),
    # Why they are so many: tests/explore/test_counts.py.
    ("counted", "writers", (6, 8), math.factorial, ""),
    ("counted", "ring", (6, 9, 12), lambda n: 2 ** n - 1, ""),
    ("counted", "pairs", (6, 12, 16), lambda n: 2 ** (n // 2), ""),
    ("counted", "scan", (6, 10, 14), lambda n: 2 ** n, ""),
    ("counted", "scan-twice", (5, 7, 9), lambda n: 3 ** n, ""),
    ("counted", "turns", (4, 6, 8), lambda n: math.comb(2 * n, n), ""),
    ("counted", "follow", (4, 6, 8), lambda n: math.comb(2 * n, n), ""),
    ("counted", "two-writers", (5, 7, 9), lambda n: 2 * 3 ** (n - 1), ""),
    ("counted", "swap", (8, 16), lambda n: n, ""),
    ("counted", "sections", (3, 4, 5), lambda n: math.factorial(2 * n) // 2 ** n, ""),
    # Threads that begin alike, and are not told apart: test_equal_threads.py.
    ("equal_script", "{}a0", (3, 6, 9), lambda n: 1, ""),
    ("equal_script", "{}a0a1", (4, 6, 7), math.factorial, ""),
    ("equal_script", "{}r0 1w0", (3, 6, 9), lambda n: n + 1, ""),
    ("waiting", "ticket", (3, 4, 5, 6, 7), math.factorial, "7: 5,040 in 0.85"),
    ("waiting", "test-and-set", (3, 4, 5, 6), math.factorial, ""),
    ("waiting", "compare-and-swap", (3, 4, 5, 6), math.factorial, ""),
    ("waiting", "by-pointer", (3, 4, 5), math.factorial, ""),
    ("waiting", "try-lock", (3, 4, 5), math.factorial, ""),
    ("waiting", "test-first", (2, 3, 4), math.factorial, ""),
    ("waiting", "test-first-and-swap", (2, 3, 4), math.factorial, ""),
    ("waiting", "sense-barrier", (2, 3), lambda n: math.factorial(n) ** 2, ""),
    ("waiting", "both", (1, 2, 3), lambda n: 1, ""),
    ("waiting", "semaphore-lock", (3, 4, 5, 6), math.factorial, ""),
    ("waiting", "semaphore", (2, 3, 4), lambda n: math.comb(2 * n, n) // (n + 1) * math.factorial(n), ""),
    ("counted", "barrier", (2, 8), lambda n: 1, ""),
    ("waiting", "flag", (2, 8), lambda n: 1, ""),
    ("waiting", "count", (2, 4, 6), lambda n: 4 ** n, ""),
    ("waiting", "remember", (2, 4, 6), lambda n: sum(math.perm(n, k) for k in range(n + 1)), ""),
]


def growth(explorer, args):
    """Programs of which it is known how many executions differ."""
    rows = []
    for source, name, sizes, exact, other in GROWTH:
        program = explorer.build(BENCH.parent / "tests" / "explore" / (source + ".c"))
        for size in sizes:
            alike = "{}" in name
            words = name.format(size).split() if alike else (name, size)
            document, executions, used = explorer.explore("--strategy", "dpor", "--symmetry", "yes" if alike else "no", "--jobs", 1,
                                                          "--time", 100, "--", program, *words)
            complete = document["stats"]["complete"]
            redundant = int(re.search(r"\(([0-9]+) redundant", "\n".join(document["notes"])).group(1))
            rows.append(("alike: " + " ".join(words) if alike else f"{name} {size}", f"{exact(size):,}",
                         f"{executions - redundant:,}" + ("" if complete else " (not all)"), f"{redundant:,}",
                         f"{used:.2f}", f"{executions / used:,.0f}", other if size == sizes[-1] else ""))
            print(" ".join(rows[-1]), flush=True)
    head = ("program, N", "exact", "executions", "redundant", "CPU s", "a second of CPU time", "GenMC: largest N, executions, CPU s")
    return table(head, rows, {1, 2, 3, 4, 5}) + (
        "\n\n`dpor`, one job, with the start of the program and the report. Redundant executions were begun in"
        " vain. GenMC's figures are of another machine.")


# ---- memory models ---------------------------------------------------------------------------

MODELS = ("sc", "c11", "tso")
ALGORITHMS = ("msqueue", "peterson", "ring", "seqlock", "treiber")
ONLY_SEQ_CST = (("readers", 12), ("numbers", 7), ("lastzero", 10))  # of counted.c
MESSAGES = 20000


def models(explorer, _):
    """Executions a second, and what a run costs, under each memory model."""
    rows, tests = [], BENCH.parent / "tests" / "explore"
    commands = [(name, [explorer.build(tests / "weak" / (name + ".c"))]) for name in ALGORITHMS]
    commands += [(f"{name} {n}", [explorer.build(tests / "counted.c"), name, n]) for name, n in ONLY_SEQ_CST]
    for name, command in commands:
        row = [f"explore {name}"]
        for model in MODELS:
            _, executions, used = explorer.explore("--model", model, "--jobs", 1, "--", *command)
            row += [number(executions), f"{executions / used:,.0f}"]
        rows.append(row)
        print(" ".join(row), flush=True)
    program = explorer.build(BENCH / "messages.c")
    row = [f"run messages {number(MESSAGES)}"]
    for model in MODELS:
        used = []
        for seed in range(1, 4):
            start = cpu_seconds()
            subprocess.run([explorer.heddle, "run", "-q", "--model", model, "--seed", str(seed), "--", program,
                            str(MESSAGES)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            used.append(cpu_seconds() - start)
        row += ["1", f"{statistics.median(used):.2f} s"]
    rows.append(row)
    head = ["program"] + [title for model in MODELS for title in (f"{model}: executions", "a second of CPU time")]
    return table(head, rows, set(range(1, 7))) + (
        "\n\nThe right variants of the algorithms in `tests/explore/weak`, and three programs of `tests/explore/counted.c` without an"
        " order weaker than seq_cst; `dpor`, one job, with the start of the program and the report. The last row is CPU time"
        " of one run, the median of three.")


PARTS = {"regions": regions, "classic": classic, "growth": growth, "rate": rate, "models": models}


def update(part, text):
    begin, end = f"<!-- explore {part}: begin -->", f"<!-- explore {part}: end -->"
    doc = DOC.read_text(encoding="utf-8")
    start, stop = doc.index(begin) + len(begin), doc.index(end)
    DOC.write_text(doc[:start] + "\n\n" + text + "\n\n" + doc[stop:], encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builddir", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only", action="append", choices=PARTS)
    parser.add_argument("--budget", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=10)
    args = parser.parse_args()
    print(f"{os.cpu_count()} cores")
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
        explorer = Explorer(args.builddir.resolve(), pathlib.Path(folder))
        for part in args.only or PARTS:
            text = PARTS[part](explorer, args)
            print("\n" + text + "\n", flush=True)
            if args.update:
                update(part, text)


if __name__ == "__main__":
    main()
