#!/usr/bin/python3
"""Measure heddle on this machine, beside native runs and ThreadSanitizer.

    bench/run.py BUILDDIR [--update] [--rounds N] [--scale X] [--only NAME]...

Every program is built three times (natively, with ThreadSanitizer, with `heddle
cc`) and the builds take turns, so that what else the machine does hits all alike.
Only ratios within one run mean anything. Times are medians of wall-clock time.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

BENCH = pathlib.Path(__file__).resolve().parent
DOC = BENCH.parent / "docs" / "measured" / "benchmarks.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"

# name, argument that scales with the work, arguments before it
PROGRAMS = [("matrix", 400, []), ("list_walk", 12000, ["1024"]), ("hash_table", 1000000, [])]
CUBIC = {"matrix"}  # its work grows with the cube of the argument
FLAGS = ["-O2", "-g", "-pthread", "-D_GNU_SOURCE"]


class Failure(Exception):
    """One measurement that could not be made; the others still count."""


def check(command, **kwargs):
    """Run to the end; the completed process, or Failure with what it said."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, **kwargs)
    except OSError as err:
        raise Failure(f"{command[0]}: {err.strerror}") from err
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise Failure(f"{' '.join(map(str, command))}: status {done.returncode}"
                      + (f": {said[-1]}" if said else ""))
    return done


def timed(command):
    start = time.monotonic()
    done = check(command)
    return time.monotonic() - start, done.stdout


def without_aslr():
    """ThreadSanitizer of gcc 12 does not start under some kernels' address randomisation."""
    prefix = ["setarch", "-R"]
    try:
        check(prefix + ["true"])
        return prefix
    except Failure:
        return []


# --- peak memory ---------------------------------------------------------------

def peak_kb(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    found = re.search(r"^VmHWM:\s+(\d+) kB", text, re.MULTILINE)
    return int(found.group(1)) if found else 0


def descendants(pid):
    children = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    out, todo = [], [pid]
    while todo:
        below = children.get(todo.pop(), [])
        out += below
        todo += below
    return out


def runs_program(pid, program):
    try:
        return os.path.realpath(f"/proc/{pid}/exe") == str(program)
    except OSError:
        return False


def peak_memory(command, program):
    """Peak resident MB of the program and of heddle itself. Sampled, but each sample is a
    high-water mark, so only growth in the last moment can be missed."""
    program = program.resolve()
    peak = {"program": 0, "heddle": 0}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        def watch():
            while child.poll() is None:
                for pid in [child.pid] + descendants(child.pid):
                    who = "program" if runs_program(pid, program) else "heddle"
                    peak[who] = max(peak[who], peak_kb(pid))
                time.sleep(0.01)
        watcher = threading.Thread(target=watch)
        watcher.start()
        watcher.join()
    return peak["program"] / 1024, peak["heddle"] / 1024


# --- the programs ----------------------------------------------------------------

def find_number(value, key):
    """The first number called @key, at any depth of a JSON document."""
    if isinstance(value, dict):
        if isinstance(value.get(key), (int, float)):
            return value[key]
        value = list(value.values())
    for inner in value if isinstance(value, list) else []:
        found = find_number(inner, key)
        if found is not None:
            return found
    return None


def events_in(heddle, trace):
    info = json.loads(check([heddle, "trace", "info", "--json", trace]).stdout)
    events = find_number(info, "events")
    if not events:
        raise Failure(f"{trace}: `trace info --json` names no events")
    return events


class Bench:
    def __init__(self, args, work):
        self.args = args
        self.work = work
        self.heddle = str((pathlib.Path(args.builddir) / "heddle").resolve())
        self.failures = []

    def attempt(self, what, function, *args):
        try:
            return function(*args)
        except Failure as err:
            self.failures.append(f"{what}: {err}")
            print(f"  {what}: {err}", file=sys.stderr)
            return None

    def build(self, name, kind):
        out = self.work / f"{name}-{kind}"
        compiler = {"native": ["gcc"], "tsan": ["gcc", "-fsanitize=thread"],
                    "heddle": [self.heddle, "cc"]}[kind]
        check(compiler + FLAGS + [BENCH / f"{name}.c", "-o", out])
        return out

    def arguments(self, name, size, before):
        scale = self.args.scale ** (1 / 3) if name in CUBIC else self.args.scale
        return before + [str(max(2, int(size * scale)))]

    def commands(self, name, argv):
        """What to time, by column; a column that cannot be built is left out."""
        built = {k: self.attempt(f"{name} {k}", self.build, name, k)
                 for k in ("native", "tsan", "heddle")}
        trace = str(self.work / f"{name}.htr")
        run = [self.heddle, "run", "--races", "no"]
        commands = {}
        if built["native"]:
            commands["native"] = [built["native"]] + argv
        if built["tsan"]:
            commands["tsan"] = without_aslr() + [built["tsan"]] + argv
        if built["heddle"]:
            program = ["--", built["heddle"]] + argv
            commands["run"] = run + program
            commands["record"] = run + ["--record", trace] + program
            commands["exact"] = run + ["--record", trace, "--record-exact"] + program
        return commands, built["heddle"], trace

    def take_turns(self, name, commands):
        """Median seconds of each command; all must print the same."""
        times = {k: [] for k in commands}
        said = None
        for _ in range(self.args.rounds):
            for kind in list(times):
                got = self.attempt(f"{name} {kind}", timed, commands[kind])
                if got is None:
                    del times[kind]
                    continue
                times[kind].append(got[0])
                if said is None:
                    said = got[1]
                elif got[1] != said:
                    self.failures.append(f"{name} {kind} printed something else than the first run")
        return {k: statistics.median(t) for k, t in times.items()}

    def trace_facts(self, command, program, trace):
        """Events, bytes per event, and peak memory, in a run that is not timed."""
        check(command)
        events = events_in(self.heddle, trace)
        size = os.path.getsize(trace)
        memory = peak_memory(command, program)
        os.unlink(trace)
        return {"events": events, "bytes": size / events, "program": memory[0],
                "collector": memory[1]}

    def program_row(self, name, size, before):
        commands, program, trace = self.commands(name, self.arguments(name, size, before))
        median = self.take_turns(name, commands)
        facts = {}
        for kind in ("record", "exact"):
            if kind in median:
                facts[kind] = self.attempt(f"{name} trace", self.trace_facts, commands[kind],
                                           program, trace)
        return median, facts

    def long_run(self):
        """The same recording, four times as long: memory must not follow."""
        rows = []
        for factor in (1, 4):
            argv = ["1024", str(max(2, int(4000 * self.args.scale * factor)))]
            commands, program, trace = self.commands("list_walk", argv)
            if "exact" not in commands:
                return rows
            facts = self.attempt("long run", self.trace_facts, commands["exact"], program, trace)
            if facts:
                rows.append(facts)
        return rows

    def switches(self):
        rows = []
        rounds = str(max(1000, int(300000 * self.args.scale)))
        program = self.attempt("switch heddle", self.build, "switch", "heddle")
        runs = []
        if program:
            runs.append([self.heddle, "run", "--races", "no", "--policy", "rr", "--", program, "yield", rounds])
        native = self.attempt("switch native", self.build, "switch", "native")
        if native:
            runs.append([native, "handoff", rounds])
        results = {}
        for _ in range(self.args.rounds):
            for command in list(runs):
                done = self.attempt("switch", check, command)
                if done is None:
                    runs.remove(command)
                    continue
                for line in re.finditer(r"^(\S.*?) \d+ switches ([\d.]+) ns/switch$", done.stdout,
                                        re.MULTILINE):
                    results.setdefault(line.group(1), []).append(float(line.group(2)))
        names = {"yield": "fibers, `heddle run --policy rr`",
                 "handoff pinned": "kernel threads by futex, one core",
                 "handoff unpinned": "kernel threads by futex, any core"}
        for key, name in names.items():
            if key in results:
                rows.append((name, statistics.median(results[key])))
        return rows

    def trace_speed(self):
        build = pathlib.Path(self.args.builddir)
        program = next((p for p in (build / "bench_trace", build / "bench" / "bench_trace")
                        if p.exists()), None)
        if not program:
            raise Failure(f"no bench_trace in {build}")
        millions = str(max(1, int(32 * self.args.scale)))
        trace = str(self.work / "bench.htr")
        lines = [check([program, millions, trace]).stdout for _ in range(self.args.rounds)]
        out = {}
        for key in ("bytes/event", "write", "read"):
            out[key] = statistics.median(
                float(re.search(rf"\b{key} ([\d.]+)", line).group(1)) for line in lines)
        return out


# --- tables ----------------------------------------------------------------------

def table(header, rows):
    cells = [header] + rows
    widths = [max(len(str(r[i])) for r in cells) for i in range(len(header))]

    def line(row):
        first = str(row[0]).ljust(widths[0])
        rest = [str(c).rjust(w) for c, w in zip(row[1:], widths[1:])]
        return "| " + " | ".join([first] + rest) + " |"

    rule = "| " + " | ".join(["-" * widths[0]] + ["-" * (w - 1) + ":" for w in widths[1:]]) + " |"
    return "\n".join([line(header), rule] + [line(r) for r in rows])


def times_native(median, kind):
    if kind not in median or "native" not in median:
        return "-"
    return f"{median[kind] / median['native']:.1f}x"


def programs_tables(results):
    speed, traces = [], []
    for name, (median, facts) in results.items():
        native = f"{median['native']:.3f}" if "native" in median else "-"
        speed.append([name, native] + [times_native(median, k)
                                       for k in ("tsan", "run", "record", "exact")])
        for kind, fact in facts.items():
            if fact:
                label = "--record" if kind == "record" else "--record --record-exact"
                traces.append([f"{name} `{label}`", f"{fact['events']:,}", f"{fact['bytes']:.2f}",
                               f"{fact['program']:.0f}", f"{fact['collector']:.0f}"])
    return (table(["program", "native s", "tsan", "heddle run", "--record",
                   "--record-exact"], speed),
            table(["trace of", "events", "bytes/event", "program MB", "collector MB"], traces))


def cpu_name():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
        return re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE).group(1)
    except (OSError, AttributeError):
        return platform.machine()


def report(bench):
    wanted = [p for p in PROGRAMS if not bench.args.only or p[0] in bench.args.only]
    everything = not bench.args.only
    parts = [f"{len(os.sched_getaffinity(0))} cores ({cpu_name()}), "
             f"median of {bench.args.rounds}, scale {bench.args.scale:g}."]
    results = {}
    for name, size, before in wanted:
        print(f"measuring {name}", file=sys.stderr)
        results[name] = bench.program_row(name, size, before)
    if results:
        speed, traces = programs_tables(results)
        parts += ["Wall time over native:", speed, "What was written, and peak memory:", traces]
    if everything:
        print("measuring a longer run", file=sys.stderr)
        rows = [[f"{f['events']:,}", f"{f['program']:.0f}", f"{f['collector']:.0f}"]
                for f in bench.long_run()]
        parts += ["The same recording, four times as long:",
                  table(["events", "program MB", "collector MB"], rows)]
    if everything or "switch" in bench.args.only:
        print("measuring switches", file=sys.stderr)
        rows = [[name, f"{ns:.0f}"] for name, ns in bench.switches()]
        parts += ["One switch:", table(["between", "ns"], rows)]
    if everything or "trace" in bench.args.only:
        print("measuring traces", file=sys.stderr)
        speed = bench.attempt("trace", bench.trace_speed)
        if speed:
            row = [f"{speed['write']:.0f}", f"{speed['read']:.0f}", f"{speed['bytes/event']:.2f}"]
            parts += ["Trace files, million events a second on one core:",
                      table(["write", "read", "bytes/event"], [row])]
    return "\n\n".join(parts)


def update_document(text, begin=BEGIN, end=END):
    old = DOC.read_text(encoding="utf-8")
    if begin not in old or end not in old:
        sys.exit(f"{DOC}: the markers {begin} and {end} are missing")
    head, rest = old.split(begin, 1)
    tail = rest.split(end, 1)[1]
    DOC.write_text(f"{head}{begin}\n\n{text}\n\n{end}{tail}", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builddir", help="where `heddle` was built")
    parser.add_argument("--update", action="store_true",
                        help="put the tables in docs/measured/benchmarks.md")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each, of which the median")
    parser.add_argument("--scale", type=float, default=1.0, help="factor on the amount of work")
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        choices=[p[0] for p in PROGRAMS] + ["switch", "trace"],
                        help="measure this alone (may be repeated)")
    args = parser.parse_args()
    if args.update and args.only:
        parser.error("--update needs all measurements, so not --only")
    work = pathlib.Path(tempfile.mkdtemp(prefix="heddle-bench-"))
    try:
        bench = Bench(args, work)
        text = report(bench)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(text)
    if bench.failures:
        print(f"bench: {len(bench.failures)} measurements failed, the first: {bench.failures[0]}",
              file=sys.stderr)
        return 1
    if args.update:
        update_document(text)
    print("bench: all measurements made", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
