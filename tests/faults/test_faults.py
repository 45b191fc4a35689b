#!/usr/bin/env python3
"""One call of the command fails: allocation, opening, writing, forking, mapping, threads, reading, one at a time.

Never a crash, a hang, "no findings" of a program that has one, or a file that only looks whole.

    test_faults.py BUILDDIR FAIL_NTH.so [unittest's arguments]

Some calls of each kind; with HEDDLE_TEST_FULL many more.
"""
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import unittest
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "system"))
import harness  # pylint: disable=wrong-import-position

FULL = bool(os.environ.get("HEDDLE_TEST_FULL"))
KINDS = ("alloc", "open", "write", "print", "fork", "mmap", "thread", "read", "rename")
EACH = 60 if FULL else 4  # calls of a kind that fail, for each command
HANGS = 60  # seconds
WORKERS = os.cpu_count() or 1

# The command, and the files that it is asked for.
COMMANDS = {
    "run": (["run", "--json", "out.json", "--record", "out.htr", "--", "{racy}"], ["out.json"]),
    "check": (["check", "--json", "out.json", "--sarif", "out.sarif", "--output", "out", "--", "{racy}"],
              ["out.json", "out.sarif"]),
    "explore": (["explore", "--json", "out.json", "--junit", "out.xml", "--output", "out", "--", "{racy}"],
                ["out.json", "out.xml"]),
    "replay": (["replay", "--json", "out.json", "{trace}", "--", "{racy}"], ["out.json"]),
    "report": (["report", "{json}", "--sarif", "-o", "out.sarif"], ["out.sarif"]),
}


def numbers(count):
    """Which of @count calls are to fail: the first ones, the last one and some in between."""
    if count <= EACH:
        return range(1, count + 1)
    step = count / EACH
    return sorted({1 + int(i * step) for i in range(EACH)} | {count})


def is_whole(path):
    """Is there nothing, or all of the file?"""
    if not os.path.exists(path):
        return True
    try:
        if path.endswith(".xml"):
            xml.etree.ElementTree.parse(path)
        else:
            with open(path, encoding="utf-8") as file:
                json.load(file)
    except (ValueError, xml.etree.ElementTree.ParseError):
        return False
    return True


class Faults(harness.SystemTest):
    preload = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.racy = cls.build(os.path.join(HERE, "racy.c"), "racy", "-O1")
        cls.files = {"racy": cls.racy, "trace": cls.path("racy.htr"), "json": cls.path("racy.json")}
        cls.made = subprocess.run([harness.heddle_command, "run", "--record", cls.files["trace"], "--json",
                                   cls.files["json"], "--", cls.racy], env=harness.environment(),
                                  stderr=subprocess.DEVNULL, check=False).returncode

    def command(self, name, folder, **env):
        args = [a.format(**self.files) for a in COMMANDS[name][0]]
        os.makedirs(folder, exist_ok=True)
        # pylint: disable=consider-using-with
        process = subprocess.Popen([harness.heddle_command, *args], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                                   start_new_session=True,
                                   env=harness.environment({"LD_PRELOAD": self.preload, **env}))
        try:
            out, _ = process.communicate(timeout=HANGS)
            return process.returncode, out
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, _ = process.communicate()
            return "hangs", out

    def what_is_wrong(self, name, kind, number):
        """A sentence, or None."""
        folder = self.path(f"{name}-{kind}-{number}")
        status, out = self.command(name, folder, HEDDLE_FAIL=f"{kind}:{number}")
        if status not in (1, 2, 3, 4):
            return f"status {status}: {out[-300:]!r}"
        if status in (2, 3) and "heddle: " not in out:
            return f"status {status} without a sentence: {out[-300:]!r}"
        if status == 1 and name != "report" and "data race" not in out:
            return f"status 1 and no race in the report: {out[-300:]!r}"
        if "no findings" in out and status not in (3, 4):
            return f"no findings with status {status}: {out[-300:]!r}"
        for file in COMMANDS[name][1]:
            path = os.path.join(folder, file)
            if not is_whole(path):
                return f"status {status}, and {file} is not whole"
            if status == 1 and not os.path.exists(path):
                return f"status 1, and there is no {file}"
        subprocess.run(["rm", "-rf", folder], check=False)
        return None

    def one_by_one(self, name):
        counts = self.path(f"{name}.counts")
        status, out = self.command(name, self.path(f"{name}-whole"), HEDDLE_FAIL_COUNTS=counts)
        self.assertEqual(status, 1, out)
        with open(counts, encoding="utf-8") as file:
            calls = {kind: int(n) for kind, n in (line.split() for line in file)}
        self.assertEqual(set(calls), set(KINDS))
        self.assertGreater(calls["alloc"], 10)
        jobs = [(name, kind, n) for kind in KINDS for n in numbers(calls[kind])]
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            wrong = list(pool.map(lambda job: self.what_is_wrong(*job), jobs))
        told = [f"{kind}:{n}: {why}" for (_, kind, n), why in zip(jobs, wrong) if why]
        self.assertEqual(told, [], f"{len(told)} of {len(jobs)}")

    def test_run(self):
        self.one_by_one("run")

    def test_check(self):
        self.one_by_one("check")

    def test_explore(self):
        self.one_by_one("explore")

    def test_replay(self):
        self.one_by_one("replay")

    def test_report(self):
        self.one_by_one("report")


Faults.preload = os.path.abspath(sys.argv.pop(2))
harness.main()
