#!/usr/bin/python3
"""Prediction on the programs of bench/programs/predict, beside the figures of the paper.

    bench/predict_table.py BUILDDIR [--update] [--plain N] [--random N] [--long PEOPLE]
                           [--only NAME]...

Each program is recorded once (`heddle run --record --record-exact`), its patterns are decided
(`heddle predict`), and its errors are looked for (`heddle check`). For comparison the same
program runs natively and under heddle's random schedules: how many of these runs fail? The fixed
variant must stay without a finding. Last, a run of ten million events: time and memory.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

BENCH = pathlib.Path(__file__).resolve().parent
SOURCES = BENCH / "programs" / "predict"
DOC = BENCH.parent / "docs" / "measured" / "benchmarks.md"
BEGIN, END = "<!-- prediction: begin -->", "<!-- prediction: end -->"
FLAGS = ["-O1", "-g", "-pthread"]
LONG = 120000  # people in the long run: ten million events


class Program:
    """A program, where its errors are, and the paper's row for its model."""

    def __init__(self, name, source, args, bugs, paper):
        self.name, self.source, self.args = name, source, args
        self.bugs = bugs  # markers in the source: e1, f, e2
        self.paper = paper

    def line(self, marker):
        for number, text in enumerate((SOURCES / self.source).read_text().splitlines(), 1):
            if f"/* {marker} */" in text:
                return number
        sys.exit(f"{self.source}: no line is marked {marker}")


class Paper:
    """A row of the paper's Table 1: of FF and PENELOPE, feasible runs and seconds for one."""

    def __init__(self, *row):
        (self.name, self.threads, self.variables, self.locks, self.events, self.patterns,
         self.penelope, self.ff, self.both, self.penelope_s, self.ff_s, self.bugs) = row


PROGRAMS = [
    Program("pool, first release", "pool_first.c", [], [("ASK", "COUNT", "COUNT")],
            Paper("Pool 1.2", 4, 18, 2, "356", 374, 275, 280, 285, 0.01, 0.01, 1)),
    Program("pool, second release", "pool_second.c", [], [("OPEN", "CLOSE", "PUT")],
            Paper("Pool 1.3", 4, 18, 2, "422", 417, 211, 195, 300, 0.02, 0.15, 1)),
    Program("elevator", "elevator.c", [], [],
            Paper("Elevator", 3, 503, 50, "63K", 43, 41, 42, 42, 3.76, 0.20, 0)),
    Program("vector, test 1", "vector.c", ["1"], [("SIZE", "CUT", "AT")],
            Paper("Vector Test1", 4, 24, 2, "353", 3, 2, 3, 3, 0.02, 0.015, 1)),
    Program("vector, test 2", "vector.c", ["2"], [("AT", "TURN", "AT")],
            Paper("Vector Test2", 4, 24, 2, "350", 23, 23, 23, 23, 0.01, 0.01, 1)),
    Program("ftp server", "ftp_server.c", [],
            [("MAY_REPLY", "HANG_UP", "REPLY"), ("SIZE", "GROW", "SIZE"),
             ("BIND", "MOVE", "RESOLVE")],
            Paper("Apache FTPserver", 5, 112, 4, "578", 33, 7, 29, 33, 0.02, 0.01,
                  "3, by FF alone 0")),
]


def must(command, statuses=(0,)):
    """Run to the end: what it printed, the seconds it took, and its peak memory in KB."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.monotonic()
        child = subprocess.Popen([str(c) for c in command], stdout=out, stderr=err,
                                 stdin=subprocess.DEVNULL)  # pylint: disable=consider-using-with
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        out.seek(0)
        err.seek(0)
        if child.returncode not in statuses:
            sys.exit(f"{' '.join(map(str, command))}: status {child.returncode}\n{err.read()}")
        return out.read(), seconds, usage.ru_maxrss


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.heddle = (args.builddir / "heddle").resolve()

    def build(self, program, name, *flags, native=False):
        out = self.folder / name
        compiler = ["gcc"] if native else [self.heddle, "cc"]
        must([*compiler, *FLAGS, *flags, SOURCES / program.source, "-o", out])
        return out

    def document(self, command, *rest):
        """What a command of heddle writes with --json, with seconds and peak memory."""
        file = self.folder / "out.json"
        said, seconds, peak = must([self.heddle, command, "--json", file, *rest], (0, 1))
        found = json.loads(file.read_text(encoding="utf-8"))
        found["said"] = said
        return found, seconds, peak

    def record(self, command, name):
        """Trace and facts of a run under the first seed, which must not fail."""
        trace = self.folder / f"{name}.htr"
        must([self.heddle, "run", "-q", "--record-exact", "--record", trace, "--", *command])
        facts = json.loads(must([self.heddle, "trace", "info", "--json", trace])[0])
        if facts["exit"] != 0:
            sys.exit(f"{name}: the run that is to be recorded failed")
        return trace, facts

    def predict(self, trace):
        found, seconds, peak = self.document("predict", trace)
        patterns = found["patterns"]
        size = re.search(r"(\d+) locations, (\d+) locks", found["said"])
        words = [p["verdict"] for p in patterns]
        ms = [p["us"] / 1000 for p in patterns]
        return {"patterns": len(patterns), "feasible": words.count("feasible"),
                "infeasible": words.count("infeasible"), "unknown": words.count("unknown"),
                "relaxed": sum(1 for p in patterns if p.get("relaxed")),
                "average": sum(ms) / len(ms) if ms else 0, "worst": max(ms, default=0),
                "seconds": seconds, "peak": peak,
                "locations": size.group(1) if size else "-",
                "locks": size.group(2) if size else "-"}

    def check(self, program, binary):
        """Which errors are confirmed, told apart by the line of the access in between."""
        found, seconds, _ = self.document("check", "--keep-going", "--output", self.folder / "out",
                                          "--", binary, *program.args)
        confirmed = [f for f in found["findings"] if f.get("verdict") == "confirmed"]
        lines = {a["line"] for f in confirmed for a in f["accesses"] if a.get("role") == "f"}
        bugs = [b for b in program.bugs if program.line(b[1]) in lines]
        return {"bugs": len(bugs), "seconds": seconds, "findings": len(found["findings"]),
                "executions": found["stats"].get("executions", 0)}

    def plain_failures(self, command):
        return sum(1 for _ in range(self.args.plain)
                   if subprocess.run([str(c) for c in command], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL, check=False).returncode)

    def random_failures(self, command):
        failed = 0
        for seed in range(1, self.args.random + 1):
            found = self.document("run", "-q", "--seed", str(seed), "--", *command)[0]
            program = found["program"]
            failed += bool(found["findings"] or program["exit"] or program["signal"])
        return failed

    def measure(self, program):
        name = program.source.split(".", maxsplit=1)[0]
        binary = self.build(program, name)
        trace, facts = self.record([binary, *program.args], name)
        out = {"program": program, "events": facts["events"], "threads": facts["threads"],
               "predict": self.predict(trace), "check": self.check(program, binary)}
        out["fixed"] = out["check"]["findings"]
        if program.bugs:
            fixed = self.build(program, name + "_fixed", "-DFIXED")
            out["fixed"] = self.check(program, fixed)["findings"]
        native = self.build(program, name + "_native", native=True)
        out["plain"] = self.plain_failures([native, *program.args])
        out["random"] = self.random_failures([binary, *program.args])
        return out

    def long_run(self):
        program = next(p for p in PROGRAMS if p.source == "elevator.c")
        binary = self.build(program, "elevator_long")
        trace, facts = self.record([binary, str(self.args.long)], "elevator_long")
        return {"events": facts["events"], "predict": self.predict(trace)}


# --- tables ----------------------------------------------------------------------

def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines)


def decided_table(results):
    head = ["program", "events", "threads", "variables", "locks", "patterns", "feasible",
            "proved infeasible", "unknown", "only relaxed", "ms each", "worst ms"]
    rows = []
    for r in results:
        p, paper = r["predict"], r["program"].paper
        rows.append([f"**{r['program'].name}**", f"{r['events']:,}", r["threads"],
                     p["locations"], p["locks"],
                     p["patterns"], p["feasible"], p["infeasible"], p["unknown"], p["relaxed"],
                     f"{p['average']:.2f}", f"{p['worst']:.2f}"])
        rows.append([f"{paper.name}: FF", paper.events, paper.threads, paper.variables,
                     paper.locks, paper.patterns, paper.ff, 0, paper.patterns - paper.ff, "",
                     f"{paper.ff_s * 1000:.0f}", ""])
        rows.append([f"{paper.name}: PENELOPE", "", "", "", "", "", paper.penelope, 0, "", "",
                     f"{paper.penelope_s * 1000:.0f}", ""])
    return table(head, rows)


def bugs_table(results, args):
    head = ["program", "errors", "confirmed", "s", "runs of the program", "findings, fixed variant",
            f"failed of {args.plain} plain runs", f"failed of {args.random} random schedules",
            "paper: errors found"]
    rows = [[r["program"].name, len(r["program"].bugs), r["check"]["bugs"],
             f"{r['check']['seconds']:.1f}", r["check"]["executions"], r["fixed"], r["plain"],
             r["random"], r["program"].paper.bugs] for r in results]
    return table(head, rows)


def long_text(long):
    p = long["predict"]
    return table(["events", "patterns", "feasible", "proved infeasible", "unknown", "ms each",
                  "worst ms", "s in all", "peak MB"],
                 [[f"{long['events']:,}", p["patterns"], p["feasible"], p["infeasible"],
                   p["unknown"], f"{p['average']:.1f}", f"{p['worst']:.1f}",
                   f"{p['seconds']:.1f}", p["peak"] // 1024]])


def update(text):
    doc = DOC.read_text(encoding="utf-8")
    if BEGIN not in doc or END not in doc:
        sys.exit(f"{DOC}: the markers {BEGIN} and {END} are missing")
    start, end = doc.index(BEGIN) + len(BEGIN), doc.index(END)
    DOC.write_text(doc[:start] + "\n\n" + text + "\n\n" + doc[end:], encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builddir", type=pathlib.Path)
    parser.add_argument("--update", action="store_true", help="put the tables in docs/measured/benchmarks.md")
    parser.add_argument("--plain", type=int, default=1000, help="native runs of each program")
    parser.add_argument("--random", type=int, default=100, help="random schedules of each program")
    parser.add_argument("--long", type=int, default=LONG, metavar="PEOPLE",
                        help="people in the long run of the elevator; 0: leave it out")
    parser.add_argument("--only", action="append", default=[], metavar="SOURCE",
                        help="measure this alone, e.g. vector.c (may be repeated)")
    args = parser.parse_args()
    if args.update and args.only:
        parser.error("--update needs all measurements, so not --only")
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
        bench = Bench(args, pathlib.Path(folder))
        results = []
        for program in PROGRAMS:
            if not args.only or program.source in args.only:
                print(f"measuring {program.name}", file=sys.stderr)
                results.append(bench.measure(program))
        parts = [decided_table(results), bugs_table(results, args)]
        if args.long and not args.only:
            print("measuring a long run", file=sys.stderr)
            parts.append(long_text(bench.long_run()))
    text = "\n\n".join(parts)
    print(text)
    if args.update:
        update(text)


if __name__ == "__main__":
    main()
