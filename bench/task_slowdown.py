"""Slowdown of the task programs in bench/programs/tasks; used by tasks.py."""
import collections
import math
import os
import pathlib
import re
import resource
import statistics
import subprocess
import time

BENCH = pathlib.Path(__file__).resolve().parent
SOURCES = BENCH / "programs" / "tasks"
ALGORITHMS = ("complete", "paper", "velodrome")
WORKERS = "2"
COLUMNS = (*ALGORITHMS, "tsan", "calls alone")
# With --small: a tenth of a second or less, for a machine that has something else to do.
SMALL = {
    "black_scholes": ("10",), "convex_hull": ("1000000", "1"), "heat_stencil": ("40",),
    "k_means": ("8",), "karatsuba": ("32768", "1"), "merge_sort": ("1000000", "1"),
    "nearest_neighbours": ("80000", "1"), "ray_casting": ("640",), "stream_cluster": ("600",),
    "swaptions": ("2500",),
}

Cost = collections.namedtuple("Cost", "wall cpu")
Program = collections.namedtuple("Program", "name ways checksum")


def cost(command):
    """Wall-clock and CPU seconds (all processes), the largest process; and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env={**os.environ, "HEDDLE_WORKERS": WORKERS})
    out, err = child.communicate()
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # The baselines report some of these programs, which are right; the others must not.
    baseline = "paper" in command or "velodrome" in command
    if child.returncode and not (child.returncode == 1 and baseline):
        raise SystemExit(f"{command}: status {child.returncode}\n{err}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu), out, err


def build(builddir, folder, name, small):
    """The same program for each way to run it; what the sequential elision prints."""
    source = SOURCES / f"{name}.c"
    out = {way: folder / f"{name}-{way}" for way in ("native", "heddle", "tsan", "calls")}
    link = ["-L", builddir, "-lheddle-parallel", f"-Wl,-rpath,{builddir}", "-lm"]
    gcc = ["gcc", "-O2", "-I", builddir / "include"]
    subprocess.run([builddir / "heddle", "cc", "-O2", source, "-o", out["heddle"], "-lm"],
                   check=True)
    subprocess.run([*gcc, source, "-o", out["native"], *link], check=True)
    subprocess.run([*gcc, "-fsanitize=thread", "-DTSAN", source, "-o", out["tsan"], *link],
                   check=True)
    subprocess.run([*gcc, "-fsanitize=thread", "-c", source, "-o", folder / "calls.o"], check=True)
    subprocess.run(["gcc", folder / "calls.o", "-o", out["calls"], "-L", folder, "-lno_hooks",
                    f"-Wl,-rpath,{folder}", *link], check=True)
    run = [builddir / "heddle", "run", "-q", "--parallel", WORKERS, "--algorithm"]
    size = SMALL[name] if small else ()
    ways = {"native": [out["native"], *size], "tsan": [out["tsan"], *size],
            "calls alone": [out["calls"], *size]}
    for algorithm in ALGORITHMS:
        ways[algorithm] = [*run, algorithm, "--", out["heddle"], *size]
    _, checksum, _ = cost([out["native"], "--seq", *size])
    return Program(name, ways, checksum)


def build_all(builddir, folder, only, small):
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", BENCH / "no_hooks.c", "-o",
                    folder / "libno_hooks.so"], check=True)
    names = sorted(p.stem for p in SOURCES.glob("*.c"))
    return [build(builddir, folder, n, small) for n in names if not only or n in only]


def measure(programs, rounds):
    """Costs by (program, way); the ways take turns."""
    taken = collections.defaultdict(list)
    for _ in range(rounds):
        for program in programs:
            for way, command in program.ways.items():
                spent, out, _ = cost(command)
                if out != program.checksum:
                    raise SystemExit(f"{program.name}, {way}: {out.strip()} is not the checksum "
                                     f"{program.checksum.strip()}")
                taken[program.name, way].append(spent)
    return taken


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def slowdown_table(programs, taken, what):
    """@what: wall or cpu."""
    def median(name, way):
        return statistics.median(getattr(c, what) for c in taken[name, way])

    lines = [f"| {'wall-clock' if what == 'wall' else 'CPU'} time | native s | "
             f"{' | '.join(COLUMNS)} |", "| --- |" + " ---: |" * (len(COLUMNS) + 1)]
    ratios = collections.defaultdict(list)
    for program in programs:
        native = median(program.name, "native")
        for way in COLUMNS:
            ratios[way].append(median(program.name, way) / native)
        cells = [f"{ratios[way][-1]:.1f}x" for way in COLUMNS]
        lines.append(f"| {program.name} | {native:.2f} | {' | '.join(cells)} |")
    cells = [f"**{geometric_mean(ratios[way]):.1f}x**" for way in COLUMNS]
    lines.append(f"| geometric mean | | {' | '.join(cells)} |")
    return "\n".join(lines)


def statistics_table(programs):
    """Locations, nodes and queries of a run with `complete`, as in the paper's Table 1."""
    lines = ["| program | tasks | tree nodes | locations | bytes each | LCA queries | unique |",
             "| --- |" + " ---: |" * 6]
    for program in programs:
        way = program.ways["complete"]
        command = [*way[:3], "--stats", *way[3:]]
        _, _, err = cost(command)
        found = re.search(r"stats: tasks (\d+), steps \d+, tree nodes (\d+) of \d+ bytes, "
                          r"locations (\d+), ([\d.]+) bytes each\n.*"
                          r"LCA queries (\d+), ([\d.]+) % of them unique", err)
        if not found:
            raise SystemExit(f"{command}: no statistics in\n{err}")
        tasks, nodes, locations, each, queries, unique = found.groups()
        lines.append(f"| {program.name} | {int(tasks):,} | {int(nodes):,} | {int(locations):,} | "
                     f"{each} | {int(queries):,} | {unique} % |")
    return "\n".join(lines)


def tables(builddir, folder, only, small, rounds):
    programs = build_all(builddir, folder, only, small)
    taken = measure(programs, rounds)
    return "\n\n".join((slowdown_table(programs, taken, "wall"),
                        slowdown_table(programs, taken, "cpu"),
                        statistics_table(programs)))
