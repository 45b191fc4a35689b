#!/usr/bin/env python3
"""Processes that a program forks or starts are watched like itself, and told of in one report."""

import os
import subprocess

import harness


class Children(harness.SystemTest):
    programs = ("forks.c", "race/barrier_racy.c", "race/barrier_clean.c")

    def forks(self, *words, command="run", **more):
        """What was found, as (kind, process), and the result."""
        options = ("--output", self.path("out")) if command != "run" else ()
        document, done = self.run_json(command, *options, "--", self.binary["forks"], *words, **more)
        return [(f["kind"], f["process"]) for f in document["findings"]], document, done

    def test_race_in_a_child(self):
        found, document, done = self.forks("clean", "race", "clean")
        self.assertEqual(found, [("race", "2")])
        self.assertEqual(document["stats"]["children"], 3)
        self.assertIn("In child process 2", done.stderr)
        self.assertEqual(document["drops"], {})

    def test_clean_children(self):
        found, document, done = self.forks("clean", "clean")
        self.assertEqual(found, [])
        self.assertIn("2 child processes", done.stderr)
        self.assertEqual(document["stats"]["children"], 2)

    def test_left_alone(self):
        document, done = self.run_json("run", "--children", "native", "--", self.binary["forks"], "race")
        self.assertEqual(document["findings"], [])
        self.assertEqual(list(document["drops"]), ["a child process is not followed"])
        self.assertIn("race 0", done.stdout)

    def test_deadlock_in_a_child(self):
        for seed in range(1, 30):
            document, done = self.run_json("run", "--seed", str(seed), "--", self.binary["forks"], "deadlock")
            if document["findings"]:
                self.assertEqual([(f["kind"], f["process"]) for f in document["findings"]], [("deadlock", "1")])
                self.assertIn("deadlock 4200", done.stdout)  # the parent sees status 66 and goes on
                return
        self.fail("no seed has it")

    def test_expected_ends_are_no_findings(self):
        """The program sees them itself, and did not fail."""
        found, document, done = self.forks("abort", "status")
        self.assertEqual(found, [])
        self.assertIn("abort 6\nstatus 300\n", done.stdout)
        self.assertTrue(any("SIGABRT" in note for note in document["notes"]), document["notes"])

    def test_why_the_program_failed(self):
        found, _, _ = self.forks("abort", "fail")
        self.assertEqual(sorted(found, key=str), [("crash", "1"), ("exit", None)])

    def test_the_child_is_after_what_was_before(self):
        """Other threads of the parent are no threads of the child, and what they did is a copy there."""
        for seed in range(1, 6):
            document, _ = self.run_json("run", "--seed", str(seed), "--", self.binary["forks"], "before")
            self.assertEqual(document["findings"], [])

    def test_a_child_of_a_child(self):
        found, document, _ = self.forks("clean", "nested")
        self.assertEqual(found, [("race", "2.1")])
        self.assertEqual(document["stats"]["children"], 3)

    def test_programs_that_are_started(self):
        found, _, _ = self.forks("exec", self.binary["barrier_racy"])
        self.assertEqual(found, [("race", "1")])
        found, _, _ = self.forks("exec", self.binary["barrier_clean"])
        self.assertEqual(found, [])
        self.forks("exec", "/bin/true")

    def test_time_passes_in_all_of_them(self):
        _, _, done = self.forks("sleep", "sleep")
        self.assertIn("\n2 s\n", done.stdout)
        for seed in ("1", "2", "3"):
            done = self.heddle("run", "--seed", seed, "--", self.binary["forks"], "order", status=0)
            self.assertIn("order y\n", done.stdout)

    def test_same_seed_same_findings(self):
        document, _ = self.run_json("run", "--seed", "3", "--", self.binary["forks"], "race", "nested")
        again, _ = self.run_json("run", "--seed", "3", "--", self.binary["forks"], "race", "nested")
        self.assertEqual([f["accesses"] for f in document["findings"]], [f["accesses"] for f in again["findings"]])

    def test_check_and_replay(self):
        found, document, _ = self.forks("clean", "race", command="check")
        self.assertIn(("race", "2"), found)
        file = [f["schedule"] for f in document["findings"] if f["process"] == "2"][0]
        done = self.heddle("replay", file, "--", self.binary["forks"], "clean", "race", status=1)
        self.assertIn("In child process 2", done.stderr)
        found, _, _ = self.forks("clean", "abort", command="check")
        self.assertEqual(found, [])

    def test_explore_proves_nothing(self):
        document, _ = self.run_json("explore", "--output", self.path("x"), "--", self.binary["forks"], "race")
        self.assertFalse(document["stats"]["complete"])
        self.assertIsNotNone(document["stats"]["stopped"])

    def test_without_the_command(self):
        """Each process finds somebody to tell."""
        done = subprocess.run([self.binary["forks"], "clean", "race"], env=harness.environment(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.LIMIT, check=True)
        self.assertEqual(done.stderr.count(b"SUMMARY: heddle: data race"), 1)

    def test_nothing_is_left_behind(self):
        before = set(os.listdir("/dev/shm"))
        self.forks("race", "abort")
        self.assertEqual(set(os.listdir("/dev/shm")), before)


def running(program):
    """The processes that execute @program."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{process}/exe") == os.path.realpath(program):
                found.append(process)
        except OSError:  # it has ended, or is not ours
            pass
    return found


class Between(harness.SystemTest):
    """Objects in memory that processes share."""

    programs = ("between.c",)

    def test_no_deadlocks_and_no_lost_updates(self):
        for word, count in (("sem", "0"), ("mutex", "400"), ("cond", "0"), ("barrier", "0"), ("loop", "0")):
            for seed in ("1", "2", "3"):
                with self.subTest(word=word, seed=seed):
                    done = self.heddle("run", "--seed", seed, "--", self.binary["between"], word, status=0)
                    self.assertEqual(done.stdout, count + "\n")

    def test_no_livelock_where_time_orders_nothing(self):
        for word in ("sem", "mutex", "cond", "barrier", "loop"):
            with self.subTest(word=word):
                document, _ = self.run_json("explore", "--executions", "3", "--output", self.path("out"), "--",
                                            self.binary["between"], word, status=4)
                self.assertEqual(document["findings"], [])

    def test_exploring_ends_what_executions_leave_behind(self):
        self.run_json("explore", "--executions", "3", "--output", self.path("out"), "--", self.binary["between"], "leave",
                      status=4)
        self.assertEqual(running(self.binary["between"]), [])

    def test_who_has_no_relatives_waits_for_itself(self):
        document, _ = self.run_json("run", "--", self.binary["between"], "alone")
        self.assertEqual([f["kind"] for f in document["findings"]], ["deadlock"])


if __name__ == "__main__":
    harness.main()
