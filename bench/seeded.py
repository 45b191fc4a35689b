#!/usr/bin/python3
"""`heddle check` on the programs of this repository that have one error each.

    bench/seeded.py BUILDDIR [--update] [--tries [N]] [--only NAME]...

What is found, in how many runs and how much processor time, by what it fails, and whether there is a remedy.
Programs of tests/seeded and tests/known_bugs have a twin without the error (-DFIXED). With --tries: how many tries it takes until the first
confirmed candidate, those likely to fail first, and in N random orders.
"""
import argparse
import json
import math
import pathlib
import resource
import subprocess
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent
TOP = BENCH.parent
DOC = TOP / "docs" / "measured" / "benchmarks.md"
BEGIN, END = "<!-- seeded: begin -->", "<!-- seeded: end -->"
TRIES_BEGIN, TRIES_END = "<!-- tries: begin -->", "<!-- tries: end -->"
PREDICT = (("pool_first",), ("pool_second",), ("vector", "1"), ("vector", "2"), ("ftp_server",))
BUGS = ("double_checked", "lost_update", "unlocked_counter", "use_after_free")
# Their errors are there in every schedule, or another command or model looks for them.
OTHERS = ("exit", "misuse", "permission", "sharing", "relaxed_flag", "tasks_pipeline", "tasks_sort")


def programs():
    """(name, source), of all folders."""
    for folder in ("seeded", "known_bugs"):
        for source in sorted((TOP / "tests" / folder).glob("*.c")):
            yield f"{folder}/{source.stem}", source
    for source in sorted((TOP / "examples").glob("*.c")):
        if source.stem not in OTHERS:
            yield "examples/" + source.stem, source
    for name in BUGS:
        yield "bugs/" + name, TOP / "tests" / "programs" / "bugs" / (name + ".c")


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


def outcome(finding):
    """By what it fails, in a word."""
    if finding.get("consequence"):
        return finding["consequence"]["kind"]
    return (finding["outcome"] or finding["kind"]).split(":")[0]


def row(checker, name, source):
    """A line of the table, and the seconds."""
    document, seconds = checker.check(checker.build(source))
    found = document["findings"]
    twin = ""
    if "FIXED" in source.read_text():
        fixed, _ = checker.check(checker.build(source, "-DFIXED"))
        twin = "reported" if fixed["findings"] else "clean"
    remedies = [f["remedy"] for f in found if f["remedy"]]
    remedy = "found" if any(r["found"] for r in remedies) else "none" if remedies else ""
    what = "nothing"
    if found:
        what = found[0]["kind"] + (f" on `{found[0]['variable']}`" if found[0]["variable"] else "")
    return (f"| {name} | {what} | {outcome(found[0]) if found else ''} | {document['stats']['executions']} | "
            f"{seconds:.1f} | {remedy} | {twin} |"), seconds


def table(checker, only):
    yield "| program | finding | fails by | runs | s | remedy | twin without it |"
    yield "| --- | --- | --- | ---: | ---: | --- | --- |"
    total, n, found = 0, 0, 0
    for name, source in programs():
        if only and name not in only:
            continue
        line, seconds = row(checker, name, source)
        print(line, flush=True)
        yield line
        n += 1
        found += "| nothing |" not in line
        total += seconds
    yield ""
    yield f"{found} of {n} found, {total:.0f} s of processor time."


def with_candidates():
    """(name, source, arguments) of programs in which prediction has something to do."""
    for name, source in programs():
        yield name, source, ()
    for name, *args in PREDICT:
        yield " ".join(["predict/" + name, *args]), BENCH / "programs" / "predict" / (name + ".c"), args


def tries_of(checker, binary, args, *options):
    return checker.check(binary, *options, args=args)[0]["stats"]["tries"]


def tries_table(checker, orders, only):
    """Tries until the first confirmed candidate. Where none is confirmed, an ordinary run shows the error, or other steps do."""
    yield f"| program | candidates | by rank | at random, mean of {orders} | best | worst |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    sums, ratios = [0, 0], []
    for name, source, args in with_candidates():
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
