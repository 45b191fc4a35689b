#!/usr/bin/env python3
"""How `heddle run` and `heddle replay` start programs and what they conclude.

usage: test_commands.py HEDDLE FAKE_TARGET UNCONTROLLED

FAKE_TARGET plays the runtime (see fake_target.c); UNCONTROLLED is any program that was not
built with `heddle cc`.
"""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

# The library that plays the runtime lies beside FAKE_TARGET; named here, it would be refused as another build's.
os.environ.pop("LD_LIBRARY_PATH", None)
HEDDLE, TARGET, UNCONTROLLED = (os.path.abspath(p) for p in sys.argv[1:4])


def heddle(*args, env=None):
    environment = {k: v for k, v in os.environ.items() if k != "HEDDLE_OPTIONS"}
    environment.update(env or {})
    return subprocess.run([HEDDLE, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=environment, check=False)


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


class Commands(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def expect(self, done, status, stderr=None):
        self.assertEqual(done.returncode, status, done.stderr)
        if stderr is not None:
            self.assertEqual(done.stderr, stderr)

    def test_nothing_found(self):
        self.expect(heddle("run", "--", TARGET), 0,
                    "heddle: no findings in this run (1 thread, seed 1)\n")
        self.expect(heddle("run", "-q", TARGET), 0, "")

    def test_decisions_are_counted_when_recorded(self):
        self.expect(heddle("run", "--record", self.path("t"), "--seed", "9", TARGET, "choose"), 0,
                    "heddle: no findings in this run (1 thread, 1 scheduling decision, seed 9)\n")

    def test_status_of_the_program(self):
        done = heddle("run", "--", TARGET, "exit=3")
        self.expect(done, 1)
        self.assertIn("HEDDLE: exit: the program ends with status 3\n", done.stderr)
        done = heddle("run", "--expect-exit", "3", "--json", self.path("j"), "--", TARGET, "exit=3")
        self.expect(done, 0, "heddle: no findings in this run (1 thread, seed 1); "
                             "the program's exit status is 3\n")
        with open(self.path("j"), encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(document["program"], {"argv": [TARGET, "exit=3"], "exit": 3,
                                               "signal": None})

    def test_findings(self):
        done = heddle("run", "--json", "-", "--policy", "rr", "--", TARGET, "deadlock", "a b")
        self.expect(done, 1)
        replay = f"heddle run --policy rr --seed 1 -- {TARGET} deadlock 'a b'"
        self.assertIn("HEDDLE: deadlock: T1 waits for mutex at 0x7000, held by itself\n",
                      done.stderr)
        self.assertIn(f"\n  Replay: {replay}\n", done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document["findings"][0]["replay"], replay)
        self.assertIsNone(document["findings"][0]["schedule"])

    def test_crash_without_a_word(self):
        done = heddle("run", "--", TARGET, f"raise={int(signal.SIGSEGV)}")
        self.expect(done, 1)
        self.assertIn("HEDDLE: crash: SIGSEGV in T1\n", done.stderr)
        done = heddle("run", "--", TARGET, f"raise={int(signal.SIGKILL)}")
        self.expect(done, 1)
        self.assertIn("HEDDLE: exit: the program was ended by SIGKILL\n", done.stderr)

    def test_options_reach_the_program(self):
        done = heddle("run", "--seed=7", "--spurious", "--record", self.path("t"), "--", TARGET,
                      "config", env={"HEDDLE_OPTIONS": "policy=pct:seed=3:stack-size=1M"})
        self.expect(done, 0)
        # Those who collect for children have a name of their own in each run.
        told = re.sub(r"^(relatives=heddle-)[0-9a-f]{32}$", r"\1*", done.stdout, flags=re.M)
        self.assertEqual(told.splitlines(), [
            "policy=pct", "seed=7", "switch-at=atomics", "pct-depth=3", "pct-length=10000",
            "model=sc", "volatile=race", "rr-quantum=1", "quantum=50000", "spurious=1", "early=1", "start-time=0", "stack-size=1048576",
            "heap=1", "quarantine=1048576",
            "threads=0", "max-steps=0", "calls=0", "exact=0", "races=1", "wide=0",
            "any-time=0", "end-points=0", "output-points=0", "state-points=0", "last-exit=0", "atomic-steps=0", "tasks=unsaid", "parallel=0",
            "stats=0", "children=follow", "omp-tasks=1", "base-policy=pct", "relatives=heddle-*",
            "record=all",
            "HEDDLE_CONFIG_FD has 4 digits"])
        self.assertIn("\nrecord=none\n", heddle("run", "--", TARGET, "config").stdout)

    def test_replay(self):
        first = heddle("run", "--seed", "5", "--record", self.path("a"), TARGET, "choose",
                       "choose")
        self.expect(first, 0)
        again = heddle("replay", self.path("a"), "--record", self.path("b"),
                       "--save", self.path("s"))
        self.expect(again, 0, "heddle: no findings in this run (1 thread, 2 scheduling decisions, "
                              f"replayed from {self.path('a')})\n")
        self.assertEqual(read_bytes(self.path("a")), read_bytes(self.path("b")))
        told = heddle("replay", self.path("s"), "--", TARGET, "schedule", "config")
        self.expect(told, 0)
        self.assertEqual(told.stdout.splitlines()[:4], ["T1", "T1", "policy=replay", "seed=5"])

    def test_trace_does_not_depend_on_its_name(self):
        for name in ("x", "a-much-longer-name"):
            self.expect(heddle("run", "--record", self.path(name), TARGET, "choose"), 0)
        self.assertEqual(read_bytes(self.path("x")), read_bytes(self.path("a-much-longer-name")))

    def test_divergence(self):
        self.expect(heddle("run", "--record", self.path("a"), TARGET, "choose"), 0)
        done = heddle("replay", self.path("a"), "--", TARGET, "diverge")
        self.expect(done, 2, "heddle: the replay left its schedule: "
                             "decision 3 cannot be followed\n")
        done = heddle("replay", self.path("a"), "--", TARGET, "diverge", "deadlock")
        self.expect(done, 1)

    def test_schedule_is_not_overwritten(self):
        self.expect(heddle("run", "--record", self.path("a"), TARGET), 0)
        before = read_bytes(self.path("a"))
        self.expect(heddle("replay", self.path("a"), "--record", self.path("a")), 2)
        self.assertEqual(read_bytes(self.path("a")), before)

    def test_wrong_commands(self):
        self.expect(heddle("run"), 2)
        self.expect(heddle("rnu"), 2, "heddle: there is no command 'rnu'; did you mean 'run'?\n")
        self.expect(heddle("run", "--sede", "3", TARGET), 2,
                    "heddle: there is no option '--sede'; did you mean '--seed'?\n")
        self.expect(heddle("run", "/nowhere/x"), 2, "heddle: there is no program '/nowhere/x'\n")
        self.expect(heddle("run", self.folder.name), 2,
                    f"heddle: '{self.folder.name}' is not an executable file\n")
        self.expect(heddle("run", "--json", "/nowhere/x", TARGET), 2)
        self.expect(heddle("run", "--record", "/nowhere/x", TARGET), 2)
        self.expect(heddle("replay"), 2)
        self.expect(heddle("replay", "/nowhere/x"), 2)

    def test_program_that_cannot_be_executed(self):
        with open(self.path("p"), "w", encoding="ascii") as file:
            file.write("#!/nowhere/interpreter\n")
        os.chmod(self.path("p"), 0o755)
        self.expect(heddle("run", self.path("p")), 2,
                    f"heddle: cannot run '{self.path('p')}': No such file or directory\n")

    def test_program_without_the_runtime(self):
        done = heddle("run", "--", UNCONTROLLED)
        self.expect(done, 2)
        self.assertIn("was not built with `heddle cc`", done.stderr)

    def test_failed_record_keeps_an_old_file_until_the_program_is_found(self):
        with open(self.path("t"), "w", encoding="ascii") as file:
            file.write("old")
        self.expect(heddle("run", "--record", self.path("t"), "/nowhere/x"), 2)
        self.assertEqual(read_bytes(self.path("t")), b"old")

    def test_disk_full(self):
        done = heddle("run", "--record", "/dev/full", "--", TARGET, "fill=3", "config", "exit=0")
        self.expect(done, 3)
        self.assertIn("policy=random\n", done.stdout)  # the program came to its end
        self.assertRegex(done.stderr, "^heddle: the trace in /dev/full is incomplete: .*\n$")

    def test_disk_full_in_mid_run(self):
        """Room for the ring and 40 MiB of the trace, of the 50 that the program makes."""
        limit = 40 << 20
        with open(self.path("out"), "w", encoding="ascii") as out:
            done = subprocess.run(
                [HEDDLE, "run", "--record", self.path("t"), TARGET, "choose", "fill=60", "config"],
                stdout=out, stderr=subprocess.PIPE, text=True, check=False,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.expect(done, 3)
        self.assertRegex(done.stderr, "^heddle: the trace in .* is incomplete: .*\n$")
        with open(self.path("out"), encoding="ascii") as out:
            self.assertIn("policy=random\n", out.read())  # the program came to its end
        info = heddle("trace", "info", self.path("t"))
        self.assertRegex(info.stdout, r"(?m)^threads +1$")
        self.assertRegex(info.stdout, r"(?m)^ +choice +1$")

    def test_findings_file_full(self):
        self.expect(heddle("run", "--json", "/dev/full", "--", TARGET), 3)

    def test_signals_are_passed_on(self):
        """The program ends as it wishes, and the report is still written."""
        with subprocess.Popen([HEDDLE, "run", "--", TARGET, "wait"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(signal.SIGTERM)
            _, stderr = process.communicate()
        self.assertEqual(process.returncode, 4)  # it did not come to the end that it has by itself
        self.assertIn("the program's exit status is 5, but not everything was tried", stderr)

    def test_color(self):
        done = heddle("run", "--color", "always", TARGET, "deadlock", env={"NO_COLOR": "1"})
        self.assertIn("\x1b[1;31mHEDDLE: deadlock", done.stderr)
        self.assertNotIn("\x1b", heddle("run", TARGET, "deadlock").stderr)

    def test_help(self):
        for command in ("run", "replay"):
            done = heddle(command, "--help")
            self.expect(done, 0, "")
            self.assertIn("--record FILE\n", done.stdout)
        self.assertNotIn("collect", heddle("help").stdout)
        self.assertNotIn("ring-fd", heddle("run", "--help").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
