#!/usr/bin/env python3
"""Every command ends when it is told to, or when its budget is over, and reports what it has.

HEDDLE_TEST_FULL=1 kills each command at a hundred moments instead of a few, and measures memory
with as many threads and mutexes as the documents promise.
"""

import json
import os
import random
import signal
import subprocess
import time
import unittest

import harness

FULL = os.environ.get("HEDDLE_TEST_FULL") == "1"
SEED = int(os.environ.get("HEDDLE_TEST_SEED", str(random.randrange(1 << 30))))
MOMENTS = 100 if FULL else 2
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
        document, _ = self.within(1, "run", "--", self.prog, "spins", status=4)
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
            document, _ = self.within(2, "explore", "--strategy", strategy, "--", self.prog,
                                      "adds", status=4, name=strategy)
            self.assertFalse(document["stats"]["complete"])

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


class Killed(Ends):
    """SIGTERM at any moment."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.random = random.Random(SEED)
        print(f"HEDDLE_TEST_SEED={SEED}")
        cls.trace = cls.path("races.htr")
        subprocess.run([harness.heddle_command, "run", "-q", "--time", "1", "--record", cls.trace,
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
        if status in (0, 1, 4):
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
        self.at_random(2, "check", "-k", "--", self.prog, "races")

    def test_explore(self):
        self.at_random(2, "explore", "--keep-going", "--", self.prog, "ends", "40")

    @unittest.skipUnless(FULL, "needs valgrind and a while: HEDDLE_TEST_FULL=1")
    def test_correlate(self):
        self.at_random(3, "correlate", "--", self.prog, "ends", "1000000")


if __name__ == "__main__":
    harness.main()
