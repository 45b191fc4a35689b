#!/usr/bin/python3
"""`heddle run` with races beside ThreadSanitizer: accesses as calls, tested in line, and loops as ranges.

*Calls* are into the library; *hooks* are linked into the program.

    bench/inline.py BUILDDIR [--update] [--rounds N] [--only NAME]... [--sources FOLDER] [--results FILE]
                    [--builds FOLDER]

Processor time of all processes, in turns; the figure is the median. Kernels are in this folder; the
real programs are Debian's sources, fetched once into FOLDER (by default one of the user's cache), and
left out with a word if they are not to be had. With --results, FILE has the figures of earlier
calls, and those of this one come to them: so the table can be measured in pieces. With --builds, what was
compiled stays in FOLDER and serves later calls; --rounds 0 only compiles.
"""
import argparse
import contextlib
import json
import math
import os
import pathlib
import resource
import shutil
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
PROGRAMS = ("xz", "zstd", "pbzip2")
FLAGS = ["-O2", "-g", "-pthread", "-D_GNU_SOURCE"]
BUILDS = ("native", "tsan", "calls", "hooks", "tests", "in line")
KINDS = (*BUILDS, "--record", "--record-exact")


def compiler(heddle, kind):
    """Words of the compiler of a build, and what its environment has besides."""
    if kind in ("native", "tsan"):
        return ["gcc"] + (["-fsanitize=thread"] if kind == "tsan" else []), {}
    # Tests alone: loops are not told of as ranges.
    return [heddle, "cc"], {"HEDDLE_INLINE": {"calls": "no", "hooks": "hooks", "tests": "tests"}.get(kind, "yes")}


def cpu_seconds(command, cwd=None):
    """Processor time, and peak megabytes of the largest process."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.chdir(cwd or ".")
        os.execvp(command[0], [str(word) for word in command])
    _, status, used = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):  # 1: something was found
        raise SystemExit(f"{' '.join(map(str, command))}: status {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def build_kernel(args, name, work):
    """For each build: the binary, and how many seconds of processor time it took to make."""
    source = next(p for p in (BENCH / "kernels" / f"{name}.c", BENCH / f"{name}.c") if p.exists())
    out = {}
    for kind in BUILDS:
        words, extra = compiler(args.heddle, kind)
        target = work / f"{name}-{kind.replace(' ', '-')}"
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(words + FLAGS + [source, "-o", target], env=dict(os.environ, **extra), check=True)
        out[kind] = target, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return out


def load_real(name):
    """A module of tests/real, which knows how to build and use Debian's programs."""
    real = BENCH.parent / "tests" / "real"
    sys.path[:0] = [p for p in (str(real), str(real / "programs")) if p not in sys.path]
    return __import__(name)


def build_program(args, name, work):
    program = getattr(load_real(name), name.capitalize())
    use = program(load_real("harness").Sources(args.sources), args.heddle, str(work))
    out = {}
    for kind in BUILDS:
        words, extra = compiler(args.heddle, kind)
        tree = f"{work}/{name}-{kind.replace(' ', '-')}"
        shutil.copytree(use.source, tree, symlinks=True)
        plus = [word.replace("gcc", "g++") if word == "gcc" else "c++" if word == "cc" else word for word in words]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        use.build(tree, " ".join(words), " ".join(plus), dict(os.environ, **extra))
        out[kind] = (pathlib.Path(tree) / use.binary,
                     resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    return out, use


def build(args, name, work):
    """The builds, and the words behind each of them."""
    if name not in PROGRAMS:
        return build_kernel(args, name, work), KERNELS.get(name, [])
    built, use = build_program(args, name, work)
    load_real("compressor").sample(str(work / "in.txt"), use.size)
    return built, use.arguments()


def prepare(args, name, work):
    """The same, or what an earlier call has built."""
    note = work / f"{name}.built.json"
    if note.exists():
        built, argv = json.loads(note.read_text(encoding="utf-8"))
        return {kind: (pathlib.Path(path), seconds) for kind, (path, seconds) in built.items()}, argv
    built, argv = build(args, name, work)
    note.write_text(json.dumps([{k: (str(p), s) for k, (p, s) in built.items()}, argv]), encoding="utf-8")
    return built, argv


@contextlib.contextmanager
def work_folder(args, name):
    if args.builds:
        folder = args.builds.resolve() / name
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
        yield pathlib.Path(folder)


def missing(args, name):
    """Why a real program cannot be measured; None: it can."""
    harness = load_real("harness")
    try:
        harness.Sources(args.sources).fetch(getattr(load_real(name), name.capitalize()).package)
    except (harness.Failed, OSError) as why:
        return str(why).splitlines()[0]
    return None


def commands(args, name, work):
    built, argv = prepare(args, name, work)
    run = [args.heddle, "run", "-q", "--"]
    todo = {kind: [*run, built[kind][0], *argv] for kind in BUILDS}
    todo["native"] = [built["native"][0], *argv]
    todo["tsan"] = [*without_aslr(), built["tsan"][0], *argv]
    recorded = [args.heddle, "run", "-q", "--record", work / "t.htr"]
    todo["--record"] = [*recorded, "--", built["in line"][0], *argv]
    todo["--record-exact"] = [*recorded, "--record-exact", "--", built["in line"][0], *argv]
    return built, todo


def code_size(path):
    """Bytes of instructions."""
    lines = subprocess.run(["size", "-A", path], capture_output=True, text=True, check=True).stdout.splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(".text"))


def measure(args, name, work):
    os.environ.pop("TSAN_OPTIONS", None)
    built, todo = commands(args, name, work)
    times, memory = {kind: [] for kind in KINDS}, {}
    for _ in range(args.rounds):
        for kind in KINDS:
            seconds, memory[kind] = cpu_seconds(todo[kind], work)
            times[kind].append(seconds)
    return {"cpu": {kind: statistics.median(t) for kind, t in times.items()}, "memory": memory,
            "made": {kind: seconds for kind, (_, seconds) in built.items()},
            "size": {kind: code_size(path) for kind, (path, _) in built.items()}}


EPOCHS = 2_000_000  # rounds of each of two threads
TOUCHES = 16  # accesses in each


def measure_epochs(args, work):
    """Nanoseconds of a lock and an unlock, and of the first access in an epoch, of each build."""
    built, _ = prepare(args, "epochs", work)
    if not args.rounds:
        return ""
    run = {"native": [], "tsan": without_aslr()}
    times = {}
    for _ in range(args.rounds):
        for kind in BUILDS:
            before = [*run.get(kind, [args.heddle, "run", "-q", "--"]), built[kind][0], EPOCHS]
            for how in ((), ("touch",), ("alone",)):
                times.setdefault((kind, how), []).append(cpu_seconds([*before, *how], work)[0])
    each = {key: statistics.median(seconds) / (2 * EPOCHS) * 1e9 for key, seconds in times.items()}
    rows = [[what, *(f"{of(kind):.0f}" for kind in BUILDS)] for what, of in
            (("a lock and an unlock, ns", lambda kind: each[kind, ()]),
             ("the same with one thread, ns", lambda kind: each[kind, ("alone",)]),
             ("the first access in an epoch, ns", lambda kind: (each[kind, ("touch",)] - each[kind, ()]) / TOUCHES))]
    return table(["", *BUILDS], rows)


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def lines(results):
    rows = []
    for name, r in results.items():
        cpu, native = r["cpu"], max(r["cpu"]["native"], 0.001)
        rows.append([name, f"{native:.3f}", *(f"{cpu[k] / native:.1f}x" for k in BUILDS[1:]),
                     f"{cpu['in line'] / cpu['tsan']:.2f}", f"{cpu['--record'] / cpu['tsan']:.2f}",
                     f"{cpu['--record-exact'] / cpu['--record']:.1f}",
                     f"{r['memory']['tsan']:.0f}", f"{r['memory']['in line']:.0f}",
                     f"{r['made']['in line'] / r['made']['tsan']:.1f}",
                     f"{r['size']['in line'] / r['size']['tsan']:.1f}"])
    def mean(of):
        return f"{geometric([r['cpu'][of] / r['cpu']['tsan'] for r in results.values()]):.2f}"
    rows.append(["geometric mean", "", "", *(f"{mean(k)} of tsan" for k in ("calls", "hooks", "tests", "in line")),
                 f"**{mean('in line')}**", mean("--record"), "", "", "", "", ""])
    return table(["program", "native s", *BUILDS[1:], "in line / tsan",
                  "--record / tsan", "exact / --record", "tsan MB", "in line MB", "compiling / tsan", "code / tsan"], rows)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builddir")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", action="append")
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    parser.add_argument("--sources", default=str(cache / "heddle-bench"),
                        help="folder for Debian's sources (default: %(default)s)")
    parser.add_argument("--results", type=pathlib.Path, help="file with figures of earlier calls, and then of this one")
    parser.add_argument("--builds", type=pathlib.Path, help="folder for what was compiled, which is then kept")
    parser.add_argument("--update", action="store_true", help=f"write the table into {DOC.name}")
    args = parser.parse_args()
    args.heddle = str((pathlib.Path(args.builddir) / "heddle").resolve())
    return args


def keep(args, known):
    if args.results:
        args.results.write_text(json.dumps(known), encoding="utf-8")


def main():
    args = arguments()
    everything = (*KERNELS, *PROGRAMS)
    known = json.loads(args.results.read_text(encoding="utf-8")) if args.results and args.results.exists() else {}
    results = known.setdefault("programs", {})
    for name in (n for n in everything if not args.only or n in args.only):
        why = missing(args, name) if name in PROGRAMS else None
        if why:
            print(f"{name} is left out, its source is not to be had: {why}", file=sys.stderr)
            continue
        with work_folder(args, name) as work:
            if args.rounds:
                results[name] = measure(args, name, work)
            else:
                prepare(args, name, work)
        keep(args, known)
    if not args.only or "epochs" in args.only:
        with work_folder(args, "epochs") as work:
            known["epochs"] = measure_epochs(args, work)
    keep(args, known)
    text = lines({n: results[n] for n in everything if n in results}) if results else ""
    text += "\n\n" + known.get("epochs", "")
    print(text)
    if args.update:
        page = DOC.read_text(encoding="utf-8")
        head, rest = page.split(BEGIN)
        DOC.write_text(f"{head}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
