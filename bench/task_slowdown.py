"""Slowdown of the task programs in bench/programs/tasks; used by tasks.py.

A run of a baseline that takes more CPU seconds than the limit is ended, and stands in the tables as
"> N": they take one lock for every access.
"""
import collections
import math
import os
import pathlib
import re
import resource
import signal
import statistics
import subprocess
import time

BENCH = pathlib.Path(__file__).resolve().parent
SOURCES = BENCH / "programs" / "tasks"
ALGORITHMS = ("complete", "paper", "velodrome")
BASELINES = ALGORITHMS[1:]
WORKERS = "2"
COLUMNS = ("complete", "named", *BASELINES, "tsan", "calls alone")
# What is annotated for the column `named`: what tasks add to in isolated blocks; of those that have none, what
# tasks hand over.
NAMED = {
    "black_scholes": "worthy", "body_tracking": "total", "fluid": "density",
    "convex_hull": "corners", "heat_stencil": "change",
    "k_means": "sum|count", "karatsuba": "product", "merge_sort": "range|merge",
    "nearest_neighbours": "farthest", "ray_casting": "hits", "stream_cluster": "saved",
    "swaptions": "sum",
}
# With --small: a tenth of a second or less, for a machine that has something else to do.
SMALL = {
    "black_scholes": ("10",), "body_tracking": ("12", "6000"), "fluid": ("8", "20000"),
    "convex_hull": ("1000000", "1"), "heat_stencil": ("40",),
    "k_means": ("8",), "karatsuba": ("32768", "1"), "merge_sort": ("1000000", "1"),
    "nearest_neighbours": ("80000", "1"), "ray_casting": ("640",), "stream_cluster": ("600",),
    "swaptions": ("2500",),
}

Cost = collections.namedtuple("Cost", "wall cpu over")  # over: it was ended at the limit
Program = collections.namedtuple("Program", "name ways checksum")


def cpu_of(session):
    """CPU seconds of the processes of a session so far."""
    ticks = 0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def cost(command, limit=math.inf):
    """Wall-clock and CPU seconds (all processes); and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True,
                          env={**os.environ, "HEDDLE_WORKERS": WORKERS,
                               "TSAN_OPTIONS": "atexit_sleep_ms=0"}) as child:
        while True:
            try:
                out, err = child.communicate(timeout=0.5 if limit < math.inf else None)
                break
            except subprocess.TimeoutExpired:
                spent = cpu_of(child.pid)
            if spent > limit:
                os.killpg(child.pid, signal.SIGKILL)
                child.communicate()
                return Cost(time.monotonic() - start, spent, True), "", ""
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # The baselines report some of these programs, which are right; the others must not.
    if child.returncode and not (child.returncode == 1 and set(command) & set(BASELINES)):
        raise SystemExit(f"{command}: status {child.returncode}\n{err}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu, False), out, err


def build(builddir, folder, name, small):
    """The same program for each way to run it; what the sequential elision prints."""
    source = SOURCES / f"{name}.c"
    out = {way: folder / f"{name}-{way}" for way in ("native", "heddle", "named", "tsan", "calls")}
    link = ["-L", builddir, "-lheddle-parallel", f"-Wl,-rpath,{builddir}", "-lm"]
    gcc = ["gcc", "-O2", "-I", builddir / "include"]
    subprocess.run([builddir / "heddle", "cc", "-O2", source, "-o", out["heddle"], "-lm"],
                   check=True)
    subprocess.run([builddir / "heddle", "cc", "-O2", source, "-o", out["named"], "-lm"],
                   check=True, env={**os.environ, "HEDDLE_CHECK_ONLY": f"^({NAMED[name]})$"})
    subprocess.run([*gcc, source, "-o", out["native"], *link], check=True)
    subprocess.run([*gcc, "-fsanitize=thread", "-DTSAN", source, "-o", out["tsan"], *link],
                   check=True)
    subprocess.run([*gcc, "-fsanitize=thread", "-c", source, "-o", folder / "calls.o"], check=True)
    subprocess.run(["gcc", folder / "calls.o", "-o", out["calls"], "-L", folder, "-lno_hooks",
                    f"-Wl,-rpath,{folder}", *link], check=True)
    run = [builddir / "heddle", "run", "-q", "--stats", "--parallel", WORKERS, "--algorithm"]
    size = SMALL[name] if small else ()
    ways = {"native": [out["native"], *size], "tsan": [out["tsan"], *size],
            "calls alone": [out["calls"], *size]}
    for algorithm in ALGORITHMS:
        ways[algorithm] = [*run, algorithm, "--", out["heddle"], *size]
    ways["named"] = [*run, "complete", "--", out["named"], *size]
    _, checksum, _ = cost([out["native"], "--seq", *size])
    return Program(name, ways, checksum)


def build_all(builddir, folder, only, small):
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", BENCH / "no_hooks.c", "-o",
                    folder / "libno_hooks.so"], check=True)
    names = sorted(p.stem for p in SOURCES.glob("*.c"))
    return [build(builddir, folder, n, small) for n in names if not only or n in only]


def measure(programs, rounds, limit):
    """Costs by (program, way), and what each said of `complete`; the ways take turns."""
    taken, said = collections.defaultdict(list), {}
    for _ in range(rounds):
        for program in programs:
            for way, command in program.ways.items():
                if any(c.over for c in taken[program.name, way]):
                    continue
                spent, out, err = cost(command, limit if way in BASELINES else math.inf)
                if out != program.checksum and not spent.over:
                    raise SystemExit(f"{program.name}, {way}: {out.strip()} is not the checksum "
                                     f"{program.checksum.strip()}")
                taken[program.name, way].append(spent)
                if way == "complete":
                    said[program.name] = err
    return taken, said


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def ratio(value, over):
    return f"{'> ' if over else ''}{value:.1f}x"


def slowdown_table(programs, taken, what):
    """@what: wall or cpu. Where runs were ended, means and medians are bounds too."""
    lines = [f"| {'wall-clock' if what == 'wall' else 'CPU'} time | native s | "
             f"{' | '.join(COLUMNS)} |", "| --- |" + " ---: |" * (len(COLUMNS) + 1)]
    ratios, over = collections.defaultdict(list), collections.defaultdict(list)
    for program in programs:
        native = statistics.median(getattr(c, what) for c in taken[program.name, "native"])
        for way in COLUMNS:
            costs = taken[program.name, way]
            ratios[way].append(statistics.median(getattr(c, what) for c in costs) / native)
            over[way].append(any(c.over for c in costs))
        cells = [ratio(ratios[way][-1], over[way][-1]) for way in COLUMNS]
        lines.append(f"| {program.name} | {native:.2f} | {' | '.join(cells)} |")
    for name, mean in (("median", statistics.median), ("geometric mean", geometric_mean)):
        cells = [f"**{ratio(mean(ratios[way]), any(over[way]))}**" for way in COLUMNS]
        lines.append(f"| {name} | | {' | '.join(cells)} |")
    return "\n".join(lines)


def statistics_table(programs, said):
    """Locations, nodes and queries of a run with `complete`, as in the paper's Table 1."""
    lines = ["| program | tasks | tree nodes | bytes each | locations | bytes each | LCA queries | "
             "unique |", "| --- |" + " ---: |" * 7]
    for program in programs:
        found = re.search(r"stats: tasks (\d+), steps \d+, tree nodes (\d+) of (\d+) bytes, "
                          r"locations (\d+), ([\d.]+) bytes each\n.*"
                          r"LCA queries (\d+), ([\d.]+) % of them unique", said[program.name])
        if not found:
            lines.append(f"| {program.name} |" + " |" * 7)
            continue
        tasks, nodes, node, locations, each, queries, unique = found.groups()
        lines.append(f"| {program.name} | {int(tasks):,} | {int(nodes):,} | {node} | "
                     f"{int(locations):,} | {each} | {int(queries):,} | {unique} % |")
    return "\n".join(lines)


def tables(builddir, folder, only, small, rounds, limit):
    programs = build_all(builddir, folder, only, small)
    taken, said = measure(programs, rounds, limit)
    sizes = ", ".join(f"`{name} {' '.join(SMALL[name])}`" for name in (p.name for p in programs))
    return "\n\n".join((slowdown_table(programs, taken, "wall"),
                        slowdown_table(programs, taken, "cpu"),
                        statistics_table(programs, said),
                        f"Sizes: {sizes}." if small else "Sizes: the programs' own."))
