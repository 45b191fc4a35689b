#!/usr/bin/python3
"""What the page of --html costs, and how it answers in a real Chromium.

    bench/page.py BUILDDIR [--update] [--rounds N] [--small]

Two pages: one of 1,000 findings (a program with a race on each of 1,000 variables), and one of a
run with more than 10,000 events (tests/page/long_bank.c, under heddle check). `heddle report` makes
them from what --json wrote: its seconds and its peak memory. --small: a tenth of it all.

The browser's times are in milliseconds: "paint" until it has painted something, "ready" until scripts
have run and the page answers, "open" from a click on a finding in the middle of the list until its
run is drawn, "step" from a key until the next event is shown, "end" the same for the key that goes to
the end of the run with all events, "filter" from a choice in the list of files until the list is drawn
anew, "search" the same for a letter typed; "heap" is the scripts' memory in MB. All but the first two
are medians. Without chromium they are left out.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import run as benches

PAGE_TESTS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "page"
sys.path.append(str(PAGE_TESTS))
import browser  # pylint: disable=wrong-import-position

# In the page: what an act costs until the frame after it, layout and painting included.
BEFORE = """
window.costOf = act => new Promise(resolve => requestAnimationFrame(() => {
	const begin = performance.now();
	act();
	document.body.getBoundingClientRect();
	requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin), 0));
}));
window.press = key => document.querySelector("details[open] .scroll").dispatchEvent(
	new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
"""
AT_START = """({
	paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null,
	ready: performance.getEntriesByType("navigation")[0].loadEventEnd,
	findings: document.querySelectorAll("details.finding").length,
})"""
# Of each, the act: "round" counts from 0.
OPEN = """(() => {
	const all = document.querySelectorAll("details.finding");
	const one = all[(Math.floor(all.length / 2) + round) % all.length];
	for (const other of document.querySelectorAll("details.finding[open]"))
		other.open = false;
	return costOf(() => { one.open = true; });
})()"""
STEP = 'costOf(() => press(round % 4 === 3 ? "ArrowUp" : "ArrowDown"))'
END = 'costOf(() => press(round % 2 ? "Home" : "End"))'
FILTER = """costOf(() => {
	const files = document.getElementById("filter-file");
	files.selectedIndex = round % 2 ? 0 : files.options.length - 1;
	files.dispatchEvent(new Event("change"));
})"""
SEARCH = """costOf(() => {
	const search = document.getElementById("search");
	search.value = round % 2 ? "" : "7";
	search.dispatchEvent(new Event("input"));
})"""
ALL_EVENTS = """[...document.querySelectorAll("details[open] label")].filter(
	e => e.innerText.includes("all events") && !e.control.checked).slice(0, 1).forEach(e => e.control.click())"""


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

    def look(self, name, chromium):
        with browser.Browser(chromium) as started:
            page = started.open(self.folder / f"{name}.html", before=BEFORE)

            def cost(act):
                return statistics.median(page.js(f"(round => {act})({i})") for i in range(self.args.rounds))

            page.js("costOf(() => {})")
            found = page.js(AT_START)
            found["open"] = cost(OPEN)
            page.wait("details[open] .event.chosen")
            found["step"] = cost(STEP)
            page.js(ALL_EVENTS)
            found["events"] = page.js('document.querySelector("details[open] .lanes").timeline.rows.length')
            found["end"], found["filter"], found["search"] = cost(END), cost(FILTER), cost(SEARCH)
            page.call("Performance.enable")
            metrics = page.call("Performance.getMetrics")["metrics"]
            found["heap"] = next(m["value"] for m in metrics if m["name"] == "JSHeapUsedSize") / 2 ** 20
            return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("builddir")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    chromium = browser.find_chromium()
    made, seen = [], []
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
        bench = Bench(args, folder)
        for name in ("many", "long"):
            getattr(bench, name)()
            cost = bench.make(name)
            got = bench.look(name, chromium) if chromium else {}
            title = {"many": "many findings", "long": "a long run"}[name]
            made.append([title, got.get("findings", ""), got.get("events", ""), f"{cost[0]:.2f}",
                         f"{cost[1]:.0f}", f"{cost[2]:.1f}"])
            seen.append([title] + [f"{got[key]:.0f}" if got.get(key) is not None else "" for key in
                                   ("paint", "ready", "open", "step", "end", "filter", "search", "heap")])
    text = benches.table(["page", "findings", "events of a run", "made in s", "peak MB", "page MB"], made)
    if chromium:
        text += "\n\n" + benches.table(["in Chromium, ms", "first paint", "ready", "open a finding", "a key",
                                        "End", "filter", "search", "heap MB"], seen)
    else:
        text += "\n\n(no browser: there is no chromium)"
    print(text)
    if args.update:
        benches.update_document(text, "<!-- page: begin -->", "<!-- page: end -->")
    return 0


if __name__ == "__main__":
    sys.exit(main())
