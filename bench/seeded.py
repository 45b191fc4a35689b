#!/usr/bin/python3
"""`heddle check` on the programs of this repository that have one error each.

    bench/seeded.py BUILDDIR [--update] [--tries [N]] [--only NAME]...

What is found, in how many runs and how much processor time, and whether the report is right: how the program fails, what is to blame,
and what mends it. What is right stands in the header of the programs of tests/seeded and tests/known_bugs, which have a twin without
the error (-DFIXED), and below for the others. With --tries: how many tries it takes until the first
confirmed candidate, those likely to fail first, and in N random orders.
"""
import argparse
import json
import math
import pathlib
import resource
import subprocess
import sys
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent
TOP = BENCH.parent
sys.path.insert(0, str(TOP / "tests" / "seeded"))
import judged  # noqa: E402 (after the path is set)

DOC = TOP / "docs" / "measured" / "benchmarks.md"
BEGIN, END = "<!-- seeded: begin -->", "<!-- seeded: end -->"
TRIES_BEGIN, TRIES_END = "<!-- tries: begin -->", "<!-- tries: end -->"
PREDICT = (("pool_first",), ("pool_second",), ("vector", "1"), ("vector", "2"), ("ftp_server",))
BUGS = ("double_checked", "lost_update", "unlocked_counter", "use_after_free")
# Their errors are there in every schedule, or another command or model looks for them.
OTHERS = ("exit", "misuse", "permission", "sharing", "relaxed_flag", "tasks_pipeline", "tasks_sort")


# How it fails, what is to blame, and what mends it, as in the headers of tests/seeded.
TRUTH = {
    "examples/bank_transfer": ("assertion", "balance", "'lock'"),
    "examples/data_race": ("values", "counter", "none"),
    "examples/deadlock": ("deadlock", "alice.lock|bob.lock", "taking|a new lock"),
    "examples/livelock": ("livelock", "go", "none"),
    "examples/missed_signal": ("deadlock", "ready", "none"),
    "examples/order": ("assertion", "log_name", "'lock'|none"),
    "examples/torn_pair": ("output", "low|high", "'low_lock'|'high_lock'|a new lock"),
    "examples/torn_sections": ("assertion", "items|bytes", "'counts'|'sizes'|a new lock"),
    "examples/use_after_free": ("memory", "current|use_after_free.c:48|session", "'lock'"),
    "bugs/double_checked": ("assertion", "object", "none"),
    "bugs/lost_update": ("assertion", "balance", "'m'"),
    "bugs/unlocked_counter": ("assertion", "counter", "a new lock"),
    "bugs/use_after_free": ("crash", "message", "'m'"),
    "predict/pool_first": ("exit", "out", "pool.lock"),
    "predict/pool_second": ("crash", "idle", "pool.lock"),
    "predict/vector 1": ("assertion", "count", "recent.lock"),
    "predict/vector 2": ("exit", "items", "recent.lock"),
    "predict/ftp_server": ("crash|assertion|exit", "replies|block|root|home", "lock"),
}


def programs():
    """(name, source, arguments), of all folders."""
    for folder in ("seeded", "known_bugs"):
        for source in sorted((TOP / "tests" / folder).glob("*.c")):
            yield f"{folder}/{source.stem}", source, ()
    for source in sorted((TOP / "examples").glob("*.c")):
        if source.stem not in OTHERS:
            yield "examples/" + source.stem, source, ()
    for name in BUGS:
        yield "bugs/" + name, TOP / "tests" / "programs" / "bugs" / (name + ".c"), ()
    for name, *args in PREDICT:
        yield " ".join(["predict/" + name, *args]), BENCH / "programs" / "predict" / (name + ".c"), args


def truth_of(name, source):
    """How the program fails, and what its report must name as the cause and in the remedy ("none": nothing can)."""
    return TRUTH.get(name) or judged.truth_of(source.read_text())


class Checker:
    """Builds and checks."""

    def __init__(self, build, folder):
        self.heddle, self.folder = str(pathlib.Path(build).resolve() / "heddle"), folder

    def build(self, source, *flags):
        binary = f"{self.folder}/{source.stem}"
        subprocess.run([self.heddle, "cc", "-O1", "-g", "-pthread", *flags, str(source), "-o", binary],
                       check=True, stdin=subprocess.DEVNULL, cwd=TOP)
        return binary

    def check(self, binary, *options, args=()):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([self.heddle, "check", "--json", "-", "--output", self.folder + "/out", *options,
                               "--", binary, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return json.loads(done.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def judge(document, truth):
    """What is found, how it fails, and whether that, the blame and the remedy are right."""
    first = judged.of_failure(document["findings"], truth[0])
    if not first:
        return "nothing", "", "", "", ""
    what = first["kind"] + (f" on `{first['variable']}`" if first["variable"] else "")
    fails = judged.failure(first)
    right = "right" if fails in truth[0].split("|") else f"wrong: {truth[0]}"
    return what, fails, right, judged.blames(first, truth[1]), judged.mends(first, truth[2])


def row(checker, name, source, args):
    """A line of the table, the seconds, and the judgements."""
    document, seconds = checker.check(checker.build(source), args=args)
    twin = ""
    if "FIXED" in source.read_text():
        fixed, _ = checker.check(checker.build(source, "-DFIXED"), args=args)
        twin = "reported" if fixed["findings"] else "clean"
    what, fails, *right = judge(document, truth_of(name, source))
    tries = document["stats"]["tries"]["first"]
    return (f"| {name} | {what} | {fails} | {tries or ''} | {document['stats']['executions']} | {seconds:.1f} | "
            f"{' | '.join(right)} | {twin} |"), seconds, right


def table(checker, only):
    yield "| program | finding | fails by | tries | runs | s | consequence | blame | remedy | twin without it |"
    yield "| --- | --- | --- | ---: | ---: | ---: | --- | --- | --- | --- |"
    total, n, found, rights = 0, 0, 0, [0, 0, 0]
    for name, source, args in programs():
        if only and name not in only:
            continue
        line, seconds, right = row(checker, name, source, args)
        print(line, flush=True)
        yield line
        n += 1
        found += "| nothing |" not in line
        rights = [a + b.startswith("right") for a, b in zip(rights, right)]
        total += seconds
    yield ""
    yield (f"{found} of {n} found, {rights[0]} with the right consequence, {rights[1]} with the right blame, {rights[2]} with the right "
           f"remedy, {total:.0f} s of processor time.")


def tries_of(checker, binary, args, *options):
    return checker.check(binary, *options, args=args)[0]["stats"]["tries"]


def tries_table(checker, orders, only):
    """Tries until the first confirmed candidate. Where none is confirmed, an ordinary run shows the error, or other steps do."""
    yield f"| program | candidates | by rank | at random, mean of {orders} | best | worst |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    sums, ratios = [0, 0], []
    for name, source, args in programs():
        if only and name not in only:
            continue
        binary = checker.build(source)
        ranked = tries_of(checker, binary, args)
        if not ranked["first"] or ranked["candidates"] < 2:
            continue
        others = [tries_of(checker, binary, args, "--shuffle", str(seed))["first"] for seed in range(1, orders + 1)]
        if 0 in others:
            yield f"| {name} | {ranked['candidates']} | {ranked['first']} | not found in {others.count(0)} orders | | |"
            continue
        mean = sum(others) / orders
        line = f"| {name} | {ranked['candidates']} | {ranked['first']} | {mean:.1f} | {min(others)} | {max(others)} |"
        print(line, flush=True)
        yield line
        sums = [sums[0] + ranked["first"], sums[1] + mean]
        ratios.append(math.log(ranked["first"] / mean))
    yield ""
    yield (f"All programs: {sums[0]} tries by rank, {sums[1]:.0f} at random; "
           f"geometric mean of the ratios {math.exp(sum(ratios) / len(ratios)):.2f}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--update", action="store_true", help="put the table into docs/measured/benchmarks.md")
    parser.add_argument("--tries", nargs="?", type=int, const=5, metavar="N", help="the other table")
    parser.add_argument("--only", action="append", metavar="NAME")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="heddle-seeded-") as folder:
        checker = Checker(args.build, folder)
        lines = list(tries_table(checker, args.tries, args.only) if args.tries else table(checker, args.only))
    print(lines[-1])
    if args.update:
        begin, end = (TRIES_BEGIN, TRIES_END) if args.tries else (BEGIN, END)
        text = DOC.read_text()
        before, rest = text.split(begin)
        DOC.write_text(before + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end)[1])


if __name__ == "__main__":
    main()
