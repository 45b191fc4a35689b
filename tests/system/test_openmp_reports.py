#!/usr/bin/env python3
"""Reports of OpenMP programs name the construct of each access and the line of its pragma.

usage: test_openmp_reports.py BUILDDIR

Lines are found by the comments in the program: what is expected follows from its text.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

PROGRAM = """
#include <stdio.h>
int loop, dynamic, chunked, section, task, region, taskloop, teams, nested, target, data[64];

int main(void)
{
#pragma omp parallel for // loop
	for (int i = 10; i < 40; i++)
		if (i == 13 || i == 14)
			loop++;
	puts("between");
#pragma omp parallel // region
	{
		data[0] = 0; // a race of its own
		region++;
#pragma omp for schedule(dynamic) // dynamic
		for (int i = 0; i < 64; i++)
			if (i >= 62)
				dynamic++;
#pragma omp for schedule(static, 4) // chunked
		for (int i = 0; i < 64; i++)
			if (i == 9 || i == 13)
				chunked++;
#pragma omp sections // sections
		{
#pragma omp section
			data[1]++;
#pragma omp section
			section++;
#pragma omp section
			section++;
		}
#pragma omp single
		{
#pragma omp task // task
			task++;
			task++;
#pragma omp taskwait
#pragma omp taskloop num_tasks(4) // taskloop
			for (int i = 0; i < 8; i++)
				taskloop++;
		}
	}
#pragma omp teams num_teams(2) // teams
	teams++;
#pragma omp parallel if (data[0] > 9) // outer
#pragma omp for // outer loop
	for (int i = 0; i < 4; i++) {
#pragma omp parallel num_threads(2)
		data[2 + i] = 0;
		nested += i > 1;
	}
#pragma omp parallel // target region
#pragma omp single
	{
#pragma omp target nowait map(tofrom : target) // target
		target++;
		target++;
	}
	return 0;
}
"""


# Three mistakes on variables of main's, two of which may have the same place on its stack; and one that
# stays when the race is mended: what is read under the lock is written under it later. The same again
# beside a race at the very same lines.
UPDATES = """
#include <stdio.h>
int global, kept, both;

static int get(void)
{
	return both;
}

static void put(int value)
{
	both = value;
}

static void called(void)
{
	int inner[4] = { 0 };
#pragma omp parallel num_threads(2)
	inner[1]++;
	kept += inner[1];
}

int main(void)
{
	int local = 0, sum = 0, seen, torn = 0;

#pragma omp parallel num_threads(3)
	global++;
#pragma omp parallel num_threads(3) shared(local)
	local++;
#pragma omp parallel for
	for (int i = 0; i < 10; i++)
		sum += i;
	called();
#pragma omp parallel num_threads(2) private(seen) shared(torn)
	{
#pragma omp critical
		seen = torn;
#pragma omp critical
		torn = seen + 1;
	}
#pragma omp parallel num_threads(2)
	put(get() + 1);
#pragma omp parallel num_threads(2) private(seen)
	{
#pragma omp critical
		seen = get();
#pragma omp critical
		put(seen + 1);
	}
	printf("%d %d %d %d %d %d\\n", global, local, sum, kept, torn, both);
	return 0;
}
"""


def check_updates(heddle, work, wrong):
    """One mistake, one report, on a variable with a name."""
    source, binary = os.path.join(work, "updates.c"), os.path.join(work, "updates")
    with open(source, "w", encoding="utf-8") as file:
        file.write(UPDATES)
    expected = [("atomicity", "both"), ("atomicity", "main::torn"), ("race", "both"),
                ("race", "called::inner[1]"), ("race", "global"),
                ("race", "main::local"), ("race", "main::sum")]
    for flag in ("-O0", "-O2"):
        subprocess.run([heddle, "cc", "-g", flag, "-fopenmp", source, "-o", binary], check=True)
        for command in (("run",), ("check", "--keep-going")):
            file = os.path.join(work, "updates.json")
            subprocess.run([heddle, *command, "--json", file, "--", binary], check=False, timeout=120,
                           capture_output=True, cwd=work)
            with open(file, encoding="utf-8") as opened:
                found = sorted((f["kind"], f["variable"]) for f in json.load(opened)["findings"])
            if found != expected:
                wrong.append(f"{command} {flag}: {found}, expected {expected}")


# A container that is filled without a lock at one line, and one that is sorted while it is turned round: two
# mistakes. Their members are the library's, and their blocks are all allocated in its headers.
CONTAINERS = """
#include <algorithm>
#include <vector>
int main()
{
	std::vector<int> list, all(64, 1);
#pragma omp parallel for num_threads(3)
	for (int i = 0; i < 48; i++)
		list.push_back(i); // list
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(all)
		std::reverse(all.begin(), all.end()); // all
		std::sort(all.begin(), all.end()); // all
	}
	return all[0] + (int)list.size() < 0;
}
"""


def check_containers(heddle, work, wrong):
    """Each mistake is a report on the container, and another, if its block changes hands, on that."""
    source, binary, out = (os.path.join(work, n) for n in ("containers.cpp", "containers", "containers.json"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(CONTAINERS)
    lines = CONTAINERS.split("\n")
    subprocess.run([heddle, "c++", "-g", "-O0", "-fopenmp", source, "-o", binary], check=True)
    text = run(heddle, binary, "--seed", "3", "--json", out).stderr
    with open(out, encoding="utf-8") as opened:
        findings = json.load(opened)["findings"]
    found = []
    for f in findings:
        marks = {lines[a["line"] - 1].rpartition("// ")[2] for p in f["pairs"] for a in p["accesses"]}
        found.append((f["kind"], *sorted(marks)))
    if not {("race", "list"), ("race", "all")} <= set(found) or \
            any(len(f) != 2 for f in found) or any(found.count(f) > 2 for f in found):
        wrong.append(f"containers: {found}")
    if "new_allocator.h:" in re.sub(r"#\d+ .*", "", text):
        wrong.append(f"containers: blocks of the library's: {text}")


# The second loop begins while others are in the first; each access is two lines below its pragma. One round
# alone has the variable `once`: what others read of it, the compiler has made up.
NOWAIT = """
int shared, once, a[16];

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp for nowait schedule(static)
		for (int i = 0; i < 16; i++)
			if (i == 3) shared++;
#pragma omp for schedule(static)
		for (int i = 0; i < 16; i++)
			if (i == 12) shared++;
#pragma omp for nowait schedule(static)
		for (int i = 0; i < 16; i++)
			a[i] = i;
#pragma omp for schedule(static)
		for (int i = 0; i < 16; i++)
			if (a[15 - i] == 3) once++;
	}
	return once != 1;
}
"""


def check_nowait(heddle, work, wrong):
    source, binary, out = (os.path.join(work, n) for n in ("nowait.c", "nowait", "nowait.json"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(NOWAIT)
    for flag in ("-O0", "-O1", "-O2", "-O3"):
        subprocess.run([heddle, "cc", "-g", flag, "-fopenmp", source, "-o", binary], check=True)
        for seed in ("1", "2"):
            run(heddle, binary, "--seed", seed, "--json", out)
            with open(out, encoding="utf-8") as opened:
                findings = json.load(opened)["findings"]
            found = sorted({(f["kind"], f["variable"].split("[")[0]) for f in findings})
            if found != [("race", "a"), ("race", "shared")]:
                wrong.append(f"nowait {flag}: {found}")
            wrong += [f"nowait {flag}: line {a['line']} in {a['construct']}"
                      for f in findings for a in f["accesses"]
                      if not a["construct"] or a["construct"]["line"] != a["line"] - 2]


# Each stops for ever at one construct, by whose name the report says so; the last fails in one order of its threads only.
STUCK = {
    "detach": ("""omp_event_handle_t event;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task detach(event)
		x++;
#pragma omp taskwait
	}""", ("waits for the event of its detach clause", "waits for tasks to end", "waits at a barrier for threads of its team")),
    "doacross": ("""#pragma omp parallel for ordered(1) num_threads(2)
	for (int i = 1; i < 4; i++) {
#pragma omp ordered depend(sink : i - 1)
		x += i;
	}""", ("waits for an earlier iteration of its loop",)),
    "lock": ("""omp_lock_t lock;
	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		omp_set_lock(&lock);
#pragma omp task shared(lock)
		omp_set_lock(&lock);
#pragma omp taskwait
	}""", ("waits for lock", "waits for tasks to end")),
    "order": ("""#pragma omp parallel num_threads(3)
	{
		int first;
#pragma omp single copyprivate(first)
		first = omp_get_thread_num();
#pragma omp barrier
#pragma omp for ordered schedule(dynamic)
		for (int i = 0; i < 4; i++)
#pragma omp ordered
			x++;
#pragma omp taskgroup
		{
#pragma omp task
			if (omp_get_thread_num() == 2)
				abort();
		}
	}""", ("crash", "#3 main._omp_fn")),
    "known": ("""int y = 0, z = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp task depend(mutexinoutset : y) shared(x, y)
		x += ++y;
#pragma omp task depend(inout : z) shared(x)
		x += omp_get_thread_num();
	}""", ("race on 'main::x'", "(locks: 'mutexinoutset')")),
}


def check_words(heddle, work, wrong):
    """What a report says it says in OpenMP's words."""
    source, binary = os.path.join(work, "stuck.c"), os.path.join(work, "stuck")
    for name, (body, expected) in STUCK.items():
        with open(source, "w", encoding="utf-8") as file:
            file.write(f"#include <omp.h>\n#include <stdlib.h>\nint main(void)\n{{\n\tint x = 0;\n\t{body}\n\treturn x;\n}}\n")
        subprocess.run([heddle, "cc", "-g", "-O0", "-fopenmp", source, "-o", binary], check=True)
        commands = (("run",), ("check",), ("run", "--record", os.path.join(work, "stuck.htr")))
        for command in commands:
            done = subprocess.run([heddle, *command, "--", binary], text=True, check=False, timeout=120,
                                  capture_output=True, cwd=work)
            text = done.stdout + done.stderr
            wrong += [f"{name} {command}: no {words}: {text}" for words in expected if words not in text]
            wrong += [f"{name} {command}: {line}" for line in text.split("\n")
                      if re.search(r"\b(futures?|phasers?|finish|steps?)\b|lock at 0x|mutex at 0x", line)]


def line_of(mark):
    return 1 + [i for i, line in enumerate(PROGRAM.split("\n")) if line.endswith("// " + mark)][0]


def wanted():
    def text(words, mark):
        return f"{words} at program.c:{line_of(mark)}"
    return {
        "loop": {text("iteration 3 of `parallel for`", "loop"), text("iteration 4 of `parallel for`", "loop")},
        "dynamic": {text("iteration 62 of `for`", "dynamic"), text("iteration 63 of `for`", "dynamic")},
        "chunked": {text("chunk from iteration 8 of `for`", "chunked"),
                    text("chunk from iteration 12 of `for`", "chunked")},
        "section": {text("section 1 of `sections`", "sections"), text("section 2 of `sections`", "sections")},
        "region": {text(f"thread {n} of `parallel`", "region") for n in range(2)},
        "task": {text("task created by `task`", "task"), *(text(f"thread {n} of `parallel`", "region")
                                                            for n in range(2))},
        "taskloop": {text("task created by `taskloop`", "taskloop")},
        "teams": {text(f"team {n} of `teams`", "teams") for n in range(2)},
        "nested": {text(f"iteration {n} of `for`", "outer loop") for n in range(4)},
        "target": {text("`target`", "target"), *(text(f"thread {n} of `parallel`", "target region")
                                                   for n in range(2))},
    }


def check_findings(findings, wrong):
    """Each race: both accesses are in one of the constructs that are meant."""
    seen = {}
    for finding in findings:
        expected = wanted().get(finding["variable"])
        if not expected:
            continue
        seen.setdefault(finding["variable"], set())
        for access in finding["accesses"]:
            construct = access["construct"]
            if not construct or construct["text"] not in expected:
                wrong.append(f"{finding['variable']}: {construct}, expected one of {expected}")
            else:
                seen[finding["variable"]].add(construct["text"])
                if f"program.c:{construct['line']}" not in construct["text"] or \
                        f"`{construct['name']}`" not in construct["text"]:
                    wrong.append(f"fields and text differ: {construct}")
        if len({a["construct"] and a["construct"]["text"] for a in finding["accesses"]}) < 2 and \
                finding["variable"] != "taskloop":
            wrong.append(f"{finding['variable']}: both sides are the same part: {finding['accesses']}")
    for variable in wanted():
        if variable not in seen:
            wrong.append(f"{variable}: no finding")
    for variable, least in {"loop": 2, "section": 2, "task": 2, "dynamic": 2}.items():
        if len(seen.get(variable, ())) < least:
            wrong.append(f"{variable}: only {seen.get(variable)}")


def run(heddle, binary, *options):
    return subprocess.run([heddle, "run", "--threads", "2", *options, "--", binary], text=True, check=False,
                          timeout=120, capture_output=True)


def main():
    heddle = os.path.abspath(os.path.join(sys.argv[1], "heddle"))
    wrong = []
    with tempfile.TemporaryDirectory() as work:
        source, binary = os.path.join(work, "program.c"), os.path.join(work, "program")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        subprocess.run([heddle, "cc", "-g", "-O0", "-fopenmp", source, "-o", binary], check=True)
        files = {kind: os.path.join(work, "out." + kind) for kind in ("json", "sarif", "html", "htr")}
        text = run(heddle, binary, "--json", files["json"], "--sarif", files["sarif"], "--html", files["html"])
        with open(files["json"], encoding="utf-8") as file:
            check_findings(json.load(file)["findings"], wrong)
        sentence = f"iteration 3 of `parallel for` at program.c:{line_of('loop')}"
        with open(files["sarif"], encoding="utf-8") as file:
            messages = [r["message"]["text"] for r in json.load(file)["runs"][0]["results"]]
        if not any(sentence in m and "iteration 4" in m for m in messages):
            wrong.append(f"SARIF has no {sentence}: {messages}")
        with open(files["html"], encoding="utf-8") as file:
            if sentence not in file.read():
                wrong.append(f"HTML has no {sentence}")
        if f"by T1, {sentence}" not in text.stderr:
            wrong.append(f"the text has no {sentence}: {text.stderr}")
        # With optimisation too, as far as lines are concerned.
        subprocess.run([heddle, "cc", "-g", "-O2", "-fopenmp", source, "-o", binary], check=True)
        optimised = run(heddle, binary).stderr
        for mark in ("loop", "dynamic", "chunked"):
            if f"for` at program.c:{line_of(mark)}" not in optimised:
                wrong.append(f"-O2: no loop at line {line_of(mark)}: {optimised}")
        subprocess.run([heddle, "cc", "-g", "-O0", "-fopenmp", source, "-o", binary], check=True)
        # From a trace it is the same.
        run(heddle, binary, "--record", files["htr"], "--races", "no")
        done = subprocess.run([heddle, "analyze", files["htr"], "--json", "-"], text=True, check=False,
                              capture_output=True, timeout=120)
        check_findings(json.loads(done.stdout)["findings"], wrong)
        check_updates(heddle, work, wrong)
        check_nowait(heddle, work, wrong)
        check_containers(heddle, work, wrong)
        check_words(heddle, work, wrong)
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
