#!/usr/bin/env python3
"""Tasks from outside: equal seeds, replay, what a trace of them holds, programs without `heddle cc`."""

import os
import re
import subprocess

import harness

PROGRAMS = ("async_finish", "futures", "isolated", "phaser_barrier", "phaser_modes", "loops",
            "actors", "hclib_basics")


class Tasks(harness.SystemTest):
    programs = tuple(f"tasks/{name}.c" for name in PROGRAMS)

    def record(self, name, trace, *options):
        return self.heddle("run", *options, "--record", self.path(trace), "--", self.binary[name],
                           status=0)

    def test_equal_seeds_give_equal_traces(self):
        for name in PROGRAMS:
            with self.subTest(name):
                self.record(name, "one", "--seed", "7")
                self.record(name, "two", "--seed", "7")
                self.assertEqual(harness.read_bytes(self.path("one")),
                                 harness.read_bytes(self.path("two")))

    def test_replay(self):
        for name in PROGRAMS:
            with self.subTest(name):
                self.record(name, "run", "--seed", "3")
                document, _ = self.run_json("replay", self.path("run"), "--record",
                                            self.path("again"), status=0)
                self.assertIsNone(document["divergence"])
                self.assertEqual(harness.read_bytes(self.path("run")),
                                 harness.read_bytes(self.path("again")))

    def test_events(self):
        """Each task is forked, spawned, begun, ended and joined once, in that order; finishes nest."""
        for name in PROGRAMS:
            with self.subTest(name):
                self.record(name, "run", "--seed", "5")
                text = self.heddle("trace", "export", "--text", self.path("run"), status=0).stdout
                self.check_events(text)
                self.heddle("trace", "import", "-", "-o", self.path("back"), input=text, status=0,
                            stdin=None)

    def check_events(self, text):
        stage, finishes = {1: "task-begin"}, {}
        follows = {"fork": None, "task-spawn": "fork", "task-begin": "task-spawn",
                   "task-end": "task-begin", "join": "task-end"}
        for line in text.splitlines():
            match = re.match(r"T(\d+) (\S+)(?: T?(\d+))?", line)
            if not match:
                continue
            thread, what, number = int(match.group(1)), match.group(2), match.group(3)
            if what in follows:
                about = int(number) if number else thread
                if about != 1:
                    self.assertEqual(stage.get(about), follows[what], line)
                    stage[about] = what
            elif what == "finish-begin":
                finishes.setdefault(thread, []).append(number)
            elif what == "finish-end":
                self.assertEqual(finishes[thread].pop(), number, line)
        self.assertGreater(len(stage), 3)
        self.assertEqual({v for k, v in stage.items() if k != 1}, {"join"})
        self.assertFalse(any(finishes.values()))

    def test_all_analyses_stay_silent(self):
        """Races and atomicity of the right programs: tasks must not make up findings."""
        for name in PROGRAMS:
            with self.subTest(name):
                self.record(name, "run", "--seed", "9")
                self.heddle("analyze", self.path("run"), status=0)

    def test_explorer_hears_of_torn_steps(self):
        """What is predicted while an execution runs ends the exploration as a fault does."""
        for name, status in (("pair_rww", 1), ("pair_rww_fixed", 0)):
            source = os.path.join(harness.PROGRAMS, "task-atomicity", name + ".c")
            exe = self.path(name)
            self.heddle("cc", *(["-DFIXED"] if status == 0 else []), "-g", "-pthread", source, "-o",
                        exe, status=0)
            done = self.heddle("explore", "--algorithm", "complete", "--output",
                               self.path(name + ".out"), "--", exe, status=status)
            self.assertEqual("atomicity violation on 'shared' (RWW)" in done.stdout + done.stderr,
                             status == 1)

    def test_order_beside_the_tree_is_said(self):
        for name in PROGRAMS:
            with self.subTest(name):
                self.record(name, "run")
                said = self.heddle("analyze", self.path("run"), status=0).stdout
                self.assertEqual("in other ways than for their children" in said,
                                 name not in ("async_finish", "isolated", "actors"), said)

    def test_plain_compiler(self):
        """Without hooks it is a library like another: the same schedule for the same seed."""
        build = os.path.dirname(harness.heddle_command)
        out = self.path("plain")
        subprocess.run(["cc", os.path.join(harness.PROGRAMS, "tasks", "futures.c"), "-o", out,
                        "-I", os.path.join(build, "include"), "-L", build, "-lheddle",
                        "-Wl,-rpath," + build, "-pthread"], check=True)
        subprocess.run([out], check=True, timeout=harness.LIMIT, env=harness.environment())


class Exceptions(harness.SystemTest):
    """Out of tasks of every kind, on every carrier: the finish throws them, and nothing is found."""

    programs = ("task_throws.cpp",)

    def test_every_kind(self):
        program = self.binary["task_throws"]
        for options in (*(("--seed", str(seed)) for seed in range(1, 4)), ("--policy", "rr"),
                        ("--algorithm", "complete"), ("--parallel", "2")):
            with self.subTest(options):
                done = self.heddle("run", *options, "--", program, status=0)
                self.assertIn("ended 7", done.stdout)

    def test_natively(self):
        program = self.path("native")
        subprocess.run([harness.heddle_command, "c++", "--native", os.path.join(harness.HERE, "task_throws.cpp"),
                        "-o", program], env=harness.environment(), check=True)
        done = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True, timeout=harness.LIMIT)
        self.assertIn("ended 7", done.stdout)


class Signals(harness.SystemTest):
    """Semaphores and condition variables: the same answer on fibers and workers, in every order."""

    programs = ("task_signals.c",)
    ORDERS = (("--seed", "1"), ("--algorithm", "complete"), ("--parallel", "1"), ("--parallel", "2"))

    def test_order(self):
        for name in ("semaphores", "conditions"):
            for options in self.ORDERS:
                with self.subTest(name, options=options):
                    self.heddle("run", *options, "--", self.binary["task_signals"], name, status=0)
                    document, _ = self.run_json("run", *options, "--", self.binary["task_signals"], name, "bad")
                    self.assertEqual({(f["kind"], f["variable"]) for f in document["findings"]},
                                     {("race", "after")})


if __name__ == "__main__":
    harness.main()
