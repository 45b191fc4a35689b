#!/usr/bin/env python3
"""heddle replay --gdb: real gdb, driven by commands, on real schedules."""

import glob
import os
import re
import shutil
import subprocess
import unittest

import harness


def gdb_with_python():
    if not shutil.which("gdb"):
        return False
    done = subprocess.run(["gdb", "-nx", "-batch", "-ex", "python print(6 * 7)"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return "42" in done.stdout


@unittest.skipUnless(gdb_with_python(), "there is no gdb with Python")
class Gdb(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        examples = os.path.join(harness.ROOT, "examples")
        cls.bank = cls.build(os.path.join(examples, "bank_transfer.c"), "bank")
        cls.deadlock = cls.build(os.path.join(examples, "deadlock.c"), "deadlock")

    def witness(self):
        folder = self.path("found")
        if not os.path.isdir(folder):
            self.heddle("check", "--output", folder, "--", self.bank, status=1)
        return glob.glob(os.path.join(folder, "atomicity-*.htr"))[0]

    def gdb(self, schedule, program, *commands):
        """What gdb prints for each of the commands; the first is what it prints by itself."""
        script = "".join(f"echo <<<>>>\\n\n{command}\n" for command in commands)
        done = self.heddle("replay", "--gdb", schedule, "--", program, status=0,
                           stdin=None, input=script, stderr=subprocess.STDOUT,
                           env={"HOME": self.folder.name, "DEBUGINFOD_URLS": ""})
        parts = done.stdout.replace("(gdb) ", "").split("<<<>>>\n")
        self.assertEqual(len(parts), len(commands) + 1, done.stdout)
        return parts

    def test_it_stops_before_the_first_access(self):
        first, stack, value = self.gdb(self.witness(), self.bank, "bt", "print balance")
        self.assertIn("before access 1 (e1): T2 read at bank_transfer.c:18 in get_balance", first)
        self.assertRegex(stack, r"#0 .*get_balance")
        self.assertRegex(stack, r"#1 .*deposit")
        self.assertIn("= 100", value)

    def test_accesses_one_after_the_other(self):
        parts = self.gdb(self.witness(), self.bank, "heddle access", "print balance",
                         "heddle access", "print balance", "heddle access", "heddle access 1",
                         "print balance")
        self.assertIn("before access 2 (f): T3 write at bank_transfer.c:26", parts[1])
        self.assertIn("= 100", parts[2])
        self.assertIn("before access 3 (e2): T2 write at bank_transfer.c:26", parts[3])
        self.assertIn("= 107", parts[4])  # T3's deposit is there, and is about to be overwritten
        self.assertIn("last one", parts[5])
        self.assertIn("before access 1 (e1): T2 read", parts[6])
        self.assertIn("= 100", parts[7])

    def test_switches_forwards_and_backwards(self):
        parts = self.gdb(self.witness(), self.bank, "heddle next", "heddle next", "heddle prev",
                         "heddle prev", "heddle goto 0", "heddle goto 99")
        self.assertIn("switch 2: T2 -> T3", parts[1])
        self.assertIn("T3 runs", parts[1])
        self.assertIn("switch 3: T3 -> T2", parts[2])
        self.assertIn("set_balance (value=150)", parts[2])
        self.assertIn("switch 2: T2 -> T3", parts[3])
        self.assertIn("switch 1: T1 -> T2", parts[4])
        self.assertRegex(parts[5], r"beginning of main(.|\n)*#0 +main")
        self.assertIn("There is no switch 99", parts[6])

    def test_threads_and_schedule(self):
        _, threads, schedule, known = self.gdb(self.witness(), self.bank, "heddle threads",
                                               "heddle schedule", "info threads")
        self.assertRegex(threads, r"(?m)^  T1 .*main bank_transfer.c:\d+ +waits for a thread's end$")
        self.assertRegex(threads, r"(?m)^\* T2 .*get_balance bank_transfer.c:18 +running$")
        self.assertRegex(threads, r"(?m)^  T3 .*runnable$")
        self.assertRegex(schedule, r"(?m)^=> +\* access 1 \(e1\)")
        self.assertEqual(len(re.findall(r"(?m)^=> +switch", schedule)), 1)
        self.assertRegex(known, r'"T2"')

    def test_it_fails_every_time(self):
        parts = self.gdb(self.witness(), self.bank, "continue", "run", "run")
        for part in parts[1:]:
            self.assertIn("Assertion `balance == 157' failed", part)
            self.assertIn("SIGABRT", part)

    def test_deadlock_stops_at_the_last_switch(self):
        trace = self.path("deadlock.htr")
        for seed in range(1, 50):
            done = self.heddle("run", "--seed", str(seed), "--record", trace, "--", self.deadlock)
            if done.returncode == 1:
                break
        self.assertEqual(done.returncode, 1)
        first, schedule = self.gdb(trace, self.deadlock, "heddle schedule")
        self.assertRegex(first, r"after switch (\d+) of \1\n")
        self.assertIn("=> switch", schedule)

    def saved(self, command, program, pattern):
        """A schedule of what @command finds."""
        folder = self.path("found-" + os.path.basename(program))
        self.heddle(command, "--output", folder, "--", program, status=1)
        return sorted(glob.glob(os.path.join(folder, pattern)))[0]

    def same_stop(self, schedule, program, stop, *commands):
        """What gdb prints, and that it prints the same each time: 20 times with check-full."""
        first = self.gdb(schedule, program, *commands)
        self.assertRegex(first[0], stop)
        for _ in range(19 if os.environ.get("HEDDLE_TEST_FULL") else 1):
            again = self.gdb(schedule, program, *commands)
            self.assertEqual(again[0], first[0])
        return first

    def test_older_values(self):
        """What was read by the memory model is read again, in whatever way one goes through the run."""
        flag = self.build(os.path.join(harness.ROOT, "examples", "relaxed_flag.c"), "flag")
        dekker = self.build(os.path.join(harness.ROOT, "tests", "explore", "tso", "dekker.c"), "dekker")
        for model, program in (("c11", flag), ("tso", dekker)):
            folder = self.path("found-" + model)
            self.heddle("explore", "--model", model, "--volatile", "acquire-release", "--output", folder, "--", program,
                        status=1)
            trace, = glob.glob(os.path.join(folder, "*.htr"))
            parts = self.gdb(trace, program, "continue", "heddle goto 1", "heddle goto 0", "heddle next", "continue")
            self.assertRegex(parts[0], r"after switch (\d+) of \1\n")
            for part in (parts[1], parts[5]):
                self.assertRegex(part, "SIGABRT|exited with code")
            self.assertIn("switch 1:", parts[2])
            self.assertIn("beginning of main", parts[3])
            self.assertIn("switch 1:", parts[4])

    def test_a_race_that_a_run_showed(self):
        program = self.build(os.path.join(harness.ROOT, "examples", "data_race.c"), "data_race")
        self.heddle("run", "--record", self.path("race.htr"), "--", program, status=1)
        parts = self.same_stop(self.path("race.htr"), program,
                               r"before access 1 \(first\): T2 write at data_race\.c:19 in visit",
                               "heddle access", "print counter")
        self.assertIn("heddle: before access 2 (second): T3 read at data_race.c:19 in visit", parts[1])
        self.assertIn("= 1", parts[2])

    def test_tasks(self):
        program = self.build(os.path.join(harness.ROOT, "tests", "page", "deposit.c"), "deposit")
        parts = self.same_stop(self.saved("check", program, "atomicity-*.htr"), program,
                               r"before access 1 \(e1\): T\d read at deposit\.c:11 in deposit",
                               "heddle threads", "heddle access", "heddle access", "print balance")
        self.assertRegex(parts[1], r"(?m)^  T1 .*root deposit\.c:18")
        self.assertRegex(parts[2], r"heddle: before access 2 \(f\): T\d write at deposit\.c:13 in deposit")
        self.assertRegex(parts[3], r"heddle: before access 3 \(e2\): T\d write at deposit\.c:13 in deposit")
        self.assertIn("= 10", parts[4])  # the other's deposit, which is about to be lost

    def test_openmp(self):
        source = os.path.join(harness.ROOT, "tests", "openmp", "parallel_counter_racy.c")
        program = self.build(source, "counter", "-g", "-fopenmp")
        parts = self.same_stop(self.saved("check", program, "race-*.htr"), program,
                               r"before access 1 \(first\): T\d (read|write) at parallel_counter_racy\.c:13",
                               "bt", "heddle threads", "heddle access")
        self.assertRegex(parts[1], r"#0 .*main\._omp_fn\.0 .*\n")
        self.assertEqual(len(re.findall(r"(?m)^[* ] T\d ", parts[2])), 4)
        self.assertIn("heddle: before access 2 (second): ", parts[3])

    def test_a_counterexample_of_explore_in_cxx(self):
        program = self.build("cxx/std_deadlock.cpp", "std_deadlock", "-g")
        parts = self.same_stop(self.saved("explore", program, "deadlock-*.htr"), program,
                               r"after switch (\d+) of \1\n", "continue")
        self.assertIn("exited with code 0102", parts[1])  # 66: the deadlock, found by the run itself

    def test_text_schedule(self):
        text = self.path("bank.schedule")
        self.heddle("replay", "--save", text, self.witness(), "--", self.bank, status=1)
        first, schedule, following = self.gdb(text, self.bank, "heddle schedule", "heddle next")
        self.assertIn("beginning of main", first)
        self.assertIn("has no places", schedule)
        self.assertIn("switch 1", following)

    def test_no_gdb(self):
        done = self.heddle("replay", "--gdb", self.witness(), "--", self.bank, status=2,
                           env={"HEDDLE_GDB": "/no/such/gdb"})
        self.assertEqual(done.stdout, "")
        self.assertIn("cannot run '/no/such/gdb'", done.stderr)


if __name__ == "__main__":
    harness.main()
