#!/usr/bin/env python3
"""A run that is killed leaves a trace that can be read up to where it was."""

import fcntl
import json
import os
import pty
import resource
import signal
import subprocess
import termios

import harness

# What long_worker.c does before it tells its number: two threads lock and unlock.
ROUNDS = 400000


class Killed(harness.SystemTest):
    programs = ("long_worker.c",)

    def setUp(self):
        self.trace = self.path(self.id() + ".htr")

    def begin(self, *options, **more):
        """A recorded run that is past its first rounds, and the program's number."""
        child = self.start("run", "--record", self.trace, *options, "--",
                           self.binary["long_worker"], **more)
        return child, int(child.stdout.readline())

    def check_trace(self, complete, at_least):
        info = self.info(self.trace)
        self.assertEqual(info["complete"], complete)
        self.assertEqual(info["threads"], 3)
        dump = self.heddle("trace", "dump", self.trace, "--from", str(at_least), "--count", "1",
                           status=0)
        self.assertEqual(len(dump.stdout.splitlines()), 1)
        self.assertTrue(dump.stdout.startswith(f"{at_least} T"), dump.stdout)

    def test_program_is_killed(self):
        child, pid = self.begin()
        os.kill(pid, signal.SIGKILL)
        _, report = child.communicate(timeout=harness.LIMIT)
        self.assertEqual(child.returncode, 1, report)
        self.assertIn(b"the program was ended by SIGKILL", report)
        # What the program did before it wrote its number is in the trace: one thread's rounds
        # at least, of three events each.
        self.check_trace(True, 3 * ROUNDS)

    def test_heddle_is_killed(self):
        child, _ = self.begin()
        child.kill()
        # The program holds the other end of the pipe: nothing can be read once it is gone, too.
        self.assertEqual(child.stdout.read(), b"")
        self.assertEqual(child.wait(harness.LIMIT), -signal.SIGKILL)
        # A million raw events may be on their way; the rest must be on disk, in whole chunks.
        self.check_trace(False, 65536)
        done = self.heddle("trace", "export", "--text", self.trace, "-o", os.devnull, status=0)
        self.assertEqual(done.stdout, "")

    def test_direct_run_is_killed(self):
        """The program was not started by heddle: its collector outlives it and writes the trace."""
        child = subprocess.Popen([self.binary["long_worker"]], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, env=harness.environment(
                                     {"HEDDLE_OPTIONS": f"record={self.trace}"}))
        self.addCleanup(self.put_away, child)
        child.stdout.readline()
        child.kill()
        child.communicate(timeout=harness.LIMIT)  # the collector has the pipes, too
        self.check_trace(True, 3 * ROUNDS)

    def test_interrupt_of_the_group(self):
        child, _ = self.begin("--json", self.path("j"), start_new_session=True)
        os.killpg(child.pid, signal.SIGINT)
        _, report = child.communicate(timeout=harness.LIMIT)
        self.assertEqual(child.returncode, 4, report)
        self.assertIn(b"SIGINT", report)
        with open(self.path("j"), encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual((document["findings"], document["stats"]["stopped"]), ([], "interrupted"))
        self.check_trace(True, 3 * ROUNDS)

    def test_control_c_on_a_terminal(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        child = self.start("run", "--record", self.trace, "--", self.binary["long_worker"],
                           start_new_session=True,
                           preexec_fn=lambda: self.take_terminal(slave))
        os.close(slave)
        child.stdout.readline()
        os.write(master, b"\x03")
        _, report = child.communicate(timeout=harness.LIMIT)
        self.assertEqual(child.returncode, 4, report)
        self.assertIn(b"SIGINT", report)
        self.check_trace(True, 3 * ROUNDS)

    @staticmethod
    def take_terminal(slave):
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    def test_termination_is_passed_on(self):
        """SIGTERM to heddle alone ends the program, and heddle stays for the report."""
        child, _ = self.begin()
        child.terminate()
        _, report = child.communicate(timeout=harness.LIMIT)
        self.assertEqual(child.returncode, 4, report)
        self.assertIn(b"SIGTERM", report)
        self.check_trace(True, 3 * ROUNDS)

    def events(self, trace, first, count):
        """Lines of `trace dump`."""
        lines = self.heddle("trace", "dump", trace, "--from", str(first), "--count", str(count),
                            status=0).stdout.splitlines()
        self.assertEqual(len(lines), count)
        return lines

    def test_killed_trace_replays(self):
        """What was recorded is followed again, event by event; killed again, that is all there is to say."""
        child, pid = self.begin()
        os.kill(pid, signal.SIGKILL)
        child.communicate(timeout=harness.LIMIT)
        second, found = self.path("again.htr"), self.path("again.json")
        again = self.start("replay", self.trace, "--record", second, "--json", found)
        os.kill(int(again.stdout.readline()), signal.SIGKILL)
        _, report = again.communicate(timeout=harness.LIMIT)
        self.assertEqual(again.returncode, 1, report)
        with open(found, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual([f["kind"] for f in document["findings"]], ["exit"])
        self.assertEqual(document["program"]["signal"], signal.SIGKILL)
        # The number is written after one thread's rounds: up to there, both have the same events.
        for first in (0, 3 * ROUNDS - 10000):
            self.assertEqual(self.events(self.trace, first, 10000), self.events(second, first, 10000))


class DiskFull(harness.SystemTest):
    """Recording fails: the program still runs to its end, and heddle says so."""

    programs = ("long_worker.c", "mutex/abba_deadlock.c")

    def test_full_device(self):
        done = self.heddle("run", "--record", "/dev/full", "--", self.binary["long_worker"], "end",
                           status=3)
        self.assertTrue(done.stdout.endswith("done\n"), done.stdout)
        self.assertIn("No space left on device", done.stderr)

    def test_full_device_with_findings(self):
        seed = self.seed_with_finding("abba_deadlock", "deadlock")
        done = self.heddle("run", "--seed", str(seed), "--record", "/dev/full", "--",
                           self.binary["abba_deadlock"], status=3)
        self.assertIn("HEDDLE: deadlock", done.stderr)

    def test_disk_fills_up_in_mid_run(self):
        """A limit on file sizes for heddle alone, set while the program waits for a byte."""
        trace = self.path("t.htr")
        child = self.start("run", "--record", trace, "--", self.binary["long_worker"], "end",
                           "wait")
        child.stdout.readline()
        limit = os.path.getsize(trace) + 100000
        resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (limit, limit))
        output, report = child.communicate(b"x", timeout=harness.LIMIT)
        self.assertEqual(child.returncode, 3, report)
        self.assertEqual(output, b"done\n")
        self.assertIn(b"is incomplete", report)
        self.assertLessEqual(os.path.getsize(trace), limit)
        info = self.info(trace)
        self.assertFalse(info["complete"])
        self.assertGreater(info["events"], 65536)

    def test_direct_run_on_a_full_device(self):
        done = subprocess.run([self.binary["long_worker"], "end"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=harness.LIMIT, check=False,
                              env=harness.environment({"HEDDLE_OPTIONS": "record=/dev/full"}))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.endswith(b"done\n"))
        self.assertIn(b"No space left on device", done.stderr)


harness.main()
