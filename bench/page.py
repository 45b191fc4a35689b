#!/usr/bin/python3
"""What the page of --html costs, and how it answers in a real Chromium.

    bench/page.py BUILDDIR [--update] [--rounds N] [--small]

Two pages: one of 1,000 findings (a program with a race on each of 1,000 variables), and one of a
run with more than 10,000 events (tests/page/long_bank.c, under heddle check). `heddle report` makes
them from what --json wrote: its seconds and its peak memory. The browser's times are explained in
bench/page.mjs; without chromium, node and playwright-core they are left out. --small: a tenth of it all.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import run as benches

BENCH = pathlib.Path(__file__).resolve().parent
PAGE_TESTS = BENCH.parent / "tests" / "page"


def racy_source(first, count):
    """Functions add_N(), each with a race on a variable of its own, and one that calls them all."""
    lines = []
    for i in range(first, first + count):
        lines.append(f"int total_{i};\n\nvoid add_{i}(int by)\n{{\n\ttotal_{i} += by;\n}}\n")
    calls = "\n".join(f"\tadd_{i}(1);" for i in range(first, first + count))
    return "\n".join(lines) + f"\nvoid add_all_{first}(void)\n{{\n{calls}\n}}\n"


MAIN = """#include <pthread.h>

void add_all_0(void), add_all_%(half)d(void);

static void *work(void *arg)
{
	add_all_0();
	add_all_%(half)d();
	return arg;
}

int main(void)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], 0);
	return 0;
}
"""


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder = args, pathlib.Path(folder)
        self.heddle = str(pathlib.Path(args.builddir).resolve() / "heddle")

    def run(self, *words, status=0):
        """Seconds and peak MB of a command."""
        begin = time.monotonic()
        child = subprocess.Popen([self.heddle, *map(str, words)], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = child.stderr.read()
        _, ended, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(ended)
        if child.returncode != status:
            sys.exit(f"page: heddle {words} ended with {child.returncode}:\n{said}")
        return time.monotonic() - begin, usage.ru_maxrss / 1024

    def many(self):
        half = (50 if self.args.small else 500)
        sources = {"one.c": racy_source(0, half), "two.c": racy_source(half, half),
                   "main.c": MAIN % {"half": half}}
        for name, text in sources.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        self.run("cc", "-g", "-O1", *sources, "-o", "many", "-pthread")
        self.run("run", "--record", "many.htr", "--json", "many.json", "--", "./many", status=1)

    def long(self):
        rounds = 130 if self.args.small else 1300
        self.run("cc", "-g", "-O1", f"-DROUNDS={rounds}", PAGE_TESTS / "long_bank.c", "-o", "long", "-pthread")
        self.run("check", "--json", "long.json", "--", "./long", status=1)

    def make(self, name):
        """Median seconds and MB of `heddle report --html`, and the size of the page in MB."""
        costs = [self.run("report", f"{name}.json", "--html", "-o", f"{name}.html", status=1)
                 for _ in range(self.args.rounds)]
        size = (self.folder / f"{name}.html").stat().st_size / 1e6
        return [statistics.median(c[0] for c in costs), statistics.median(c[1] for c in costs), size]

    def look(self, name, browser):
        done = subprocess.run(["node", BENCH / "page.mjs", *browser, self.folder / f"{name}.html",
                               str(self.args.rounds)], text=True, stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)


def find_browser():
    """Chromium and playwright-core, which the tests of the page know how to find."""
    spec = importlib.util.spec_from_file_location("page_tests", PAGE_TESTS / "run.py")
    tests = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tests)
    chromium, package = shutil.which("chromium") or shutil.which("chromium-browser"), tests.playwright()
    return [chromium, package] if chromium and package and shutil.which("node") else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("builddir")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    browser = find_browser()
    made, seen = [], []
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
        bench = Bench(args, folder)
        for name in ("many", "long"):
            getattr(bench, name)()
            cost = bench.make(name)
            got = bench.look(name, browser) if browser else {}
            title = {"many": "many findings", "long": "a long run"}[name]
            made.append([title, got.get("findings", ""), got.get("events", ""), f"{cost[0]:.2f}",
                         f"{cost[1]:.0f}", f"{cost[2]:.1f}"])
            seen.append([title] + [f"{got[key]:.0f}" if got.get(key) is not None else "" for key in
                                   ("paint", "ready", "open", "step", "end", "filter", "search", "heap")])
    text = benches.table(["page", "findings", "events of a run", "made in s", "peak MB", "page MB"], made)
    if browser:
        text += "\n\n" + benches.table(["in Chromium, ms", "first paint", "ready", "open a finding", "a key",
                                        "End", "filter", "search", "heap MB"], seen)
    else:
        text += "\n\n(no browser: needs chromium, node and playwright-core)"
    print(text)
    if args.update:
        benches.update_document(text, "<!-- page: begin -->", "<!-- page: end -->")
    return 0


if __name__ == "__main__":
    sys.exit(main())
