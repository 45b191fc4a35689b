#!/usr/bin/env python3
"""Every command ends when it is told to, or when its budget is over, and reports what it has.

HEDDLE_TEST_FULL=1 kills each command at fifteen moments instead of a few, and measures memory
with as many threads and mutexes as the documents promise.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest

import harness

FULL = os.environ.get("HEDDLE_TEST_FULL") == "1"
SEED = int(os.environ.get("HEDDLE_TEST_SEED", str(random.randrange(1 << 30))))
MOMENTS = int(os.environ.get("HEDDLE_TEST_MOMENTS", "15" if FULL else "1"))
PROMISED = 2.0  # seconds between a signal or a deadline and the end
SLACK = 10.0  # what a machine with more to do than processors may add to it


def is_whole_json(path):
    with open(path, encoding="utf-8") as file:
        json.load(file)


class Ends(harness.SystemTest):
    programs = ("ends.c",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prog = cls.binary["ends"]
        cls.late = []

    def setUp(self):
        self.here = self.path(self.id())
        os.makedirs(self.here, exist_ok=True)

    def took(self, words, seconds):
        """So long after it had to be over: a promise, but machines may be busy."""
        if seconds > PROMISED:
            self.late.append((words, round(seconds, 1)))
            print(f"late: {' '.join(words)}: {seconds:.1f} s")
        self.assertLess(seconds, PROMISED + SLACK, words)

    def within(self, seconds, *words, status, name="findings.json"):
        """Run with --time @seconds, to its end in time: the document."""
        file = os.path.join(self.here, name)
        began = time.monotonic()
        done = self.heddle(words[0], "--time", str(seconds), "--json", file, *words[1:],
                           cwd=self.here)
        self.took(words, time.monotonic() - began - seconds)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        with open(file, encoding="utf-8") as opened:
            return json.load(opened), done


class Budgets(Ends):
    """--time, with programs that have no end."""

    def test_run_that_never_ends(self):
        document, done = self.within(1, "run", "--", self.prog, "adds", status=4)
        self.assertEqual(document["stats"]["stopped"], "time")
        self.assertEqual(document["findings"], [])
        self.assertIn("--time ran out", done.stderr)

    def test_run_tells_what_it_saw(self):
        document, done = self.within(1, "run", "--", self.prog, "races", status=1)
        self.assertEqual(document["stats"]["stopped"], "time")
        self.assertEqual({f["kind"] for f in document["findings"]}, {"race"})
        self.assertIn("stopped early: --time ran out", done.stderr)

    def test_run_that_nobody_sees(self):
        """A loop without an access, in code that is not told of rounds either."""
        prog = self.path("ends-calls")
        subprocess.run([harness.heddle_command, "cc", "-O0", "-pthread", "-o", prog,
                        os.path.join(os.path.dirname(os.path.abspath(__file__)), "ends.c")],
                       env=dict(harness.environment(), HEDDLE_INLINE="no"), check=True)
        document, _ = self.within(1, "run", "--", prog, "spins", status=4)
        self.assertEqual(document["stats"]["stopped"], "time")

    def test_recorded_run_is_whole(self):
        trace = os.path.join(self.here, "run.htr")
        self.within(1, "run", "--record", trace, "--", self.prog, "races", status=1)
        self.assertTrue(self.info(trace)["complete"])
        for command in ("analyze", "replay"):
            document, _ = self.within(0.5, command, trace, status=1, name=command)
            self.assertEqual(document["stats"]["stopped"], "time", command)

    def test_check_tells_what_it_saw(self):
        document, done = self.within(2, "check", "--", self.prog, "races", status=1)
        self.assertIn(document["stats"]["stopped"], ("time", "unfinished"))
        self.assertEqual({f["kind"] for f in document["findings"]}, {"race"})
        self.assertIn("had not ended after", done.stdout)

    def test_explore_endless_executions(self):
        for strategy in ("dpor", "random"):
            document, _ = self.within(4, "explore", "--strategy", strategy, "--", self.prog,
                                      "adds", status=4, name=strategy)
            self.assertFalse(document["stats"]["complete"])

    def test_explore_an_execution_that_is_too_long(self):
        """No decision, and more operations than can be followed: it is cut off, and said to be."""
        document, done = self.within(20, "explore", "--", self.prog, "alone", status=4)
        self.assertEqual(document["stats"]["stopped"], "depth")
        self.assertFalse(document["stats"]["complete"])
        self.assertRegex(done.stdout, r"too long to follow, and were cut off after \d+ operations")

    def test_what_ends_in_time_was_not_stopped(self):
        for command in ("run", "check", "explore"):
            document, _ = self.within(40, command, "--", self.prog, "ends", status=0,
                                      name=command)
            self.assertIsNone(document["stats"]["stopped"], command)
        trace = os.path.join(self.here, "run.htr")
        self.heddle("run", "--record", trace, "--record-exact", "--", self.prog, "ends", status=0)
        for command in ("analyze", "predict", "replay"):
            document, _ = self.within(40, command, trace, status=0, name=command)
            self.assertIsNone(document["stats"]["stopped"], command)


class Telling(Ends):
    """Findings in one line each, while the command goes on."""

    def lines(self, *words, after="0"):
        done = self.heddle(*words, env={"HEDDLE_TELL_AFTER": after}, cwd=self.here, status=1)
        return [line for line in done.stderr.splitlines() if line.endswith("(details at the end)")]

    def test_run_tells_a_race_before_the_end(self):
        """The program never ends: what is read was told while it ran."""
        child = self.start("run", "--time", "30", "--", self.prog, "races",
                           env={"HEDDLE_TELL_AFTER": "0"}, cwd=self.here)
        line = child.stderr.readline().decode()
        self.assertRegex(line, r"^heddle: data race on 'shared' at ends\.c:\d+ in race_for_ever and "
                               r"ends\.c:\d+ in race_for_ever \(details at the end\)$")
        self.assertIsNone(child.poll())
        child.terminate()
        _, rest = child.communicate(timeout=harness.LIMIT)
        self.assertIn(b"HEDDLE: data race on 'shared'", rest)

    def test_each_is_told_once(self):
        for command in ("run", "check", "explore"):
            told = self.lines(command, "--", self.prog, "race")
            self.assertEqual(len(told), len(set(told)), told)
            self.assertTrue(command == "run" or told, command)

    def test_not_asked_for(self):
        self.assertEqual(self.lines("check", "-q", "--", self.prog, "race"), [])
        self.assertEqual(self.lines("check", "--", self.prog, "race", after="1000"), [])

    def test_nothing_to_tell(self):
        done = self.heddle("check", "--", self.prog, "ends", env={"HEDDLE_TELL_AFTER": "0"},
                           cwd=self.here, status=0)
        self.assertEqual(done.stderr, "")


class Memory(Ends):
    """What analyses need follows live threads and what is touched, not their products."""

    THREADS = 20000 if FULL else 2000
    MUTEXES = 8000 if FULL else 1000

    def peak(self, *words, status=0):
        """The most megabytes that a process of the command had, its children included."""
        script = ("import resource, subprocess, sys\n"
                  "done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL,"
                  " stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
                  "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        done = subprocess.run([sys.executable, "-c", script, harness.heddle_command, *words],
                              cwd=self.here, env=harness.environment(), check=True,
                              stdout=subprocess.PIPE, timeout=1800)
        code, kilobytes = done.stdout.split()
        self.assertEqual(int(code), status, words)
        return int(kilobytes) / 1024

    def measure(self, what, number, limit):
        trace = os.path.join(self.here, "run.htr")
        for words in (("run", "--record", trace, "--record-exact", "--", self.prog, what, str(number)),
                      ("analyze", trace), ("predict", trace)):
            self.assertLess(self.peak(*words), limit, words)

    def test_threads_one_after_the_other(self):
        self.measure("threads", self.THREADS, 500 if FULL else 100)

    def test_mutexes_held_at_once(self):
        self.measure("mutexes", self.MUTEXES, 100 if FULL else 50)

    def test_memory_runs_out(self):
        trace = os.path.join(self.here, "run.htr")
        self.heddle("run", "--time", "1", "--record", trace, "--", self.prog, "adds")
        document, done = self.within(0, "analyze", "--memory", "1M", trace, status=4)
        self.assertEqual(document["stats"]["stopped"], "memory")
        self.assertIn("--memory ran out", done.stdout)


class Killed(Ends):
    """SIGTERM at any moment."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.random = random.Random(SEED)
        print(f"HEDDLE_TEST_SEED={SEED}")
        cls.trace = cls.path("races.htr")
        subprocess.run([harness.heddle_command, "run", "-q", "--time", "0.5", "--record", cls.trace,
                        "--record-exact", "--", cls.prog, "races"], env=harness.environment(),
                       check=False, stderr=subprocess.DEVNULL)

    def kill_at(self, moment, words):
        """SIGTERM after @moment seconds; the status and how long the end took."""
        child = subprocess.Popen([harness.heddle_command, *words], cwd=self.here,
                                 env=harness.environment(), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.put_away, child)
        try:
            child.wait(moment)
        except subprocess.TimeoutExpired:
            child.terminate()
        began = time.monotonic()
        out, err = child.communicate(timeout=harness.LIMIT)
        self.took(words, time.monotonic() - began)
        # Before it has begun to work, the signal ends it like any program.
        allowed = (0, 1, 4, 2, -signal.SIGTERM)
        self.assertIn(child.returncode, allowed, out + err)
        return child.returncode, out + err

    def check_files(self, status, json_file, said):
        # A budget that ends before the program has done anything leaves no report (exit-status.md).
        nothing = status == 4 and b"before the program had done anything" in said
        if status in (0, 1, 4) and not nothing:
            is_whole_json(json_file)
        for folder, _, names in os.walk(self.here):
            for name in names:
                path = os.path.join(folder, name)
                if name.endswith(".json"):
                    is_whole_json(path)
                elif name.endswith(".htr"):
                    self.assertTrue(self.info(path)["complete"], said)
                os.unlink(path)

    def at_random(self, longest, *words):
        file = os.path.join(self.here, "findings.json")
        for _ in range(MOMENTS):
            moment = self.random.uniform(0, longest)
            full = [words[0], "--json", file, *words[1:]]
            status, said = self.kill_at(moment, full)
            with self.subTest(moment=moment, command=full):
                self.check_files(status, file, said)

    def test_run(self):
        self.at_random(0.5, "run", "--record", "run.htr", "--", self.prog, "races")

    def test_run_and_analyze(self):
        self.at_random(1.5, "run", "--analyze", "--time", "0.5", "--", self.prog, "adds")

    def test_replay(self):
        self.at_random(1, "replay", self.trace, "--record", "run.htr")

    def test_analyze(self):
        self.at_random(2, "analyze", self.trace)

    def test_predict(self):
        self.at_random(2, "predict", self.trace)

    def test_check(self):
        self.at_random(2, "check", "--", self.prog, "race")

    def test_check_that_goes_on(self):
        self.at_random(1.5, "check", "-k", "--", self.prog, "races")

    def test_explore(self):
        self.at_random(2, "explore", "--keep-going", "--", self.prog, "ends", "40")

    @unittest.skipUnless(FULL, "needs valgrind and a while: HEDDLE_TEST_FULL=1")
    def test_correlate(self):
        plain = self.path("plain")
        subprocess.run(["gcc", "-O1", "-pthread", os.path.join(harness.HERE, "ends.c"), "-o", plain],
                       check=True)
        self.at_random(4, "correlate", "--", plain, "ends", "1000000")


if __name__ == "__main__":
    harness.main()
