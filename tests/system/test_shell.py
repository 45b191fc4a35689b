#!/usr/bin/env python3
"""What meets people at the shell: doctor, completion, examples in the help, progress."""

import fcntl
import os
import pty
import re
import resource
import shutil
import struct
import subprocess
import termios
import unittest

import harness

COMMANDS = ("check", "run", "replay", "analyze", "predict", "correlate", "explore", "trace",
            "report", "doctor", "completion")


class Doctor(harness.SystemTest):
    def states(self, status, **more):
        done = self.heddle("doctor", status=status, **more)
        lines = [l.split(None, 1) for l in done.stdout.splitlines() if l and not l.startswith(" ")]
        return done.stdout, {text: word for word, text in lines
                             if word in ("ok", "limited", "broken")}

    def test_where_the_tests_run(self):
        text, states = self.states(0)
        how = self.heddle("cc", "--version").stderr.splitlines()[0].replace("heddle: ", "")
        self.assertRegex(how, "accesses are (tested in line|calls)")
        self.assertEqual(states["`heddle cc` compiles and links; " + how], "ok")
        self.assertEqual(states["`heddle run` runs a program with two threads"], "ok")
        self.assertNotIn("broken", text)

    def test_how_accesses_are_seen(self):
        """Which of three ways, and why."""
        for value, how in (("hooks", "calls within the program"), ("no", "calls into the library")):
            said = self.heddle("cc", "--version", env={"HEDDLE_INLINE": value}).stderr
            self.assertRegex(said, f"^heddle: accesses are {how}, .*: HEDDLE_INLINE says so")

    def test_what_this_build_has(self):
        """The SAT solver is built in or not: doctor and predict say the same."""
        text, states = self.states(0)
        with open(self.path("run.txt"), "w", encoding="utf-8") as file:
            file.write("T1 write x 1\nT1 fork T2\nT2 write x 2\n")
        done = self.heddle("predict", self.path("run.txt"), "--solver", "sat")
        built_in = "`heddle predict --solver sat` is built in (CaDiCaL)"
        self.assertEqual("built without" not in done.stderr, states.get(built_in) == "ok", text)
        self.assertEqual("to fix it: apt-get install libcadical-dev" in text, built_in not in states)

    def test_no_compiler(self):
        text, states = self.states(1, env={"HEDDLE_CC": "/no/such/compiler"})
        self.assertEqual(states["`heddle cc` cannot compile a small program"], "broken")
        self.assertNotIn("runs a program", text)
        self.assertIn("to fix it: apt-get install gcc", text)

    def test_little_address_space(self):
        four = 4 << 30
        text, states = self.states(None, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_AS, (four, resource.RLIM_INFINITY)))
        self.assertIn("limited", states.values())
        self.assertIn("limited to 4096 MB", text)
        self.assertIn("ulimit -v unlimited", text)

    def test_temporary_files_are_cleared_up(self):
        folder = self.path("tmp")
        os.mkdir(folder)
        self.heddle("doctor", env={"TMPDIR": folder})
        self.assertEqual(os.listdir(folder), [])

    def test_it_takes_no_arguments(self):
        done = self.heddle("doctor", "me", status=2)
        self.assertIn("'me'", done.stderr)


class Help(harness.SystemTest):
    def test_every_command_has_an_example(self):
        for command in COMMANDS:
            text = self.heddle(command, "--help", status=0).stdout
            self.assertTrue(text.startswith("usage: heddle "), command)
            self.assertIn("\nexample:\n  ", text, command)


@unittest.skipUnless(shutil.which("bash"), "there is no bash")
class Bash(harness.SystemTest):
    def complete(self, *words):
        """What bash offers when the last of @words is being typed."""
        script = ('source <("$HEDDLE" completion bash); COMP_WORDS=("$@"); '
                  'COMP_CWORD=$(($# - 1)); _heddle; printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, "bash", *words], text=True, check=True,
                              cwd=self.folder.name, stdout=subprocess.PIPE,
                              env=dict(os.environ, HEDDLE=harness.heddle_command))
        return done.stdout.split()

    def test_commands(self):
        self.assertEqual(self.complete("heddle", "exp"), ["explore"])
        self.assertIn("doctor", self.complete("heddle", ""))
        self.assertNotIn("collect", self.complete("heddle", ""))

    def test_options_belong_to_the_command(self):
        self.assertEqual(self.complete("heddle", "run", "--pol"), ["--policy"])
        self.assertEqual(self.complete("heddle", "predict", "--pol"), [])
        self.assertEqual(self.complete("heddle", "report", "--sa"), ["--sarif"])

    def test_values(self):
        self.assertEqual(self.complete("heddle", "run", "--policy", ""), ["random", "pct", "rr"])
        self.assertEqual(self.complete("heddle", "run", "--seed", ""), [])

    def test_files(self):
        with open(self.path("some.htr"), "w", encoding="utf-8"):
            pass
        self.assertEqual(self.complete("heddle", "predict", "so"), ["some.htr"])
        self.assertEqual(self.complete("heddle", "run", "--", "so"), ["some.htr"])
        self.assertEqual(self.complete("heddle", "run", "--record", "so"), ["some.htr"])


@unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
class Zsh(harness.SystemTest):
    # zsh completes only at a terminal: it gets one of its own, and the keys that a user would press.
    SCRIPT = r"""
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; unsetopt beep; zstyle ':completion:*' verbose no"
zpty -w z "print rea''dy"
while zpty -r z line && [[ $line != ready* ]]; do :; done
zpty -n -w z "heddle $2"$'\t'
zpty -n -w z $'\C-a'"print -r -- '<"$'\C-e'">'"$'\n'
while zpty -r z line; do
	if [[ $line == '<'*'>'* ]]; then print -r -- $line; break; fi
done
"""

    def complete(self, words):
        folder = os.path.join(os.path.dirname(harness.heddle_command), "docs", "completion")
        done = subprocess.run(["zsh", "-f", "-c", self.SCRIPT, "zsh", folder, words], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              timeout=harness.LIMIT)
        return done.stdout.strip().strip("<>").strip()

    def test_commands_and_options(self):
        self.assertEqual(self.complete("doc"), "heddle doctor")
        self.assertEqual(self.complete("run --pol"), "heddle run --policy")
        self.assertEqual(self.complete("run --policy ran"), "heddle run --policy random")
        self.assertEqual(self.complete("report --sa"), "heddle report --sarif")


class Progress(harness.SystemTest):
    """A line on terminals, and nowhere else."""

    TAKEN_BACK = re.compile(r"\r\x1b\[K([^\r]*)(?=\r\x1b\[K)")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.binary["bank"] = cls.build(os.path.join(harness.ROOT, "examples", "bank_transfer.c"), "bank")
        cls.binary["many"] = cls.build(os.path.join(
            harness.ROOT, "bench", "programs", "classic", "philosophers.c"), "many")

    def on_a_terminal(self, *args, columns=80, env=None, status=None):
        """What the command writes if standard output and error are a terminal."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen([harness.heddle_command, *args], stdin=subprocess.DEVNULL, stdout=theirs,
                              stderr=theirs, cwd=self.folder.name,
                              env=harness.environment({"TERM": "xterm", **(env or {})})) as child:
            os.close(theirs)
            text = b""
            while True:
                try:
                    text += os.read(ours, 65536)
                except OSError: # the other end is closed
                    break
        os.close(ours)
        if status is not None:
            self.assertEqual(child.returncode, status, text)
        return text.decode("utf-8").replace("\r\n", "\n")

    def lines(self, text):
        return self.TAKEN_BACK.findall(text)

    def rest(self, text):
        """What stays on the terminal."""
        return self.TAKEN_BACK.sub("", text).removeprefix("\r\x1b[K")

    def test_check(self):
        words = ("check", "--output", self.path("s"), "--", self.binary["bank"])
        text = self.on_a_terminal(*words, status=1)
        lines = self.lines(text)
        self.assertEqual(lines[0], "heddle: observing, run 1 of 1, 0.0 a second")
        self.assertRegex(lines[4], r"^heddle: what is normal, run 4 of 8, [0-9.]+ a second")
        self.assertNotIn("\r", self.rest(text))
        self.assertTrue(self.rest(text).startswith("==================\n"), self.rest(text)[:99])
        self.assertIn("\x1b[1;31m", text)
        # Without colours the rest is what a pipe gets, in which there is no such line.
        plain = self.rest(self.on_a_terminal(*words, env={"NO_COLOR": "1"}, status=1))
        done = self.heddle(*words, status=1)
        self.assertEqual(plain, done.stdout + done.stderr)
        self.assertNotIn("run 1 of", done.stdout + done.stderr)

    def test_a_terminal_that_cannot_take_lines_back(self):
        text = self.on_a_terminal("check", "--output", self.path("s"), "--", self.binary["bank"],
                                  env={"TERM": "dumb"}, status=1)
        self.assertEqual(self.lines(text), [])

    def test_quiet(self):
        text = self.on_a_terminal("check", "-q", "--output", self.path("s"), "--", self.binary["bank"],
                                  status=1)
        self.assertEqual(self.lines(text), [])

    def test_narrow(self):
        text = self.on_a_terminal("check", "--output", self.path("s"), "--", self.binary["bank"],
                                  columns=20, status=1)
        self.assertEqual(self.lines(text)[0], "heddle: observing, ") # 19 columns
        self.assertLess(max(map(len, self.lines(text))), 20)

    def test_explore(self):
        """Seven philosophers, who are not done after two thousand executions."""
        text = self.on_a_terminal("explore", "--executions", "2000", "--strategy", "naive", "--",
                                  self.binary["many"], "good", "7")
        self.assertRegex(self.lines(text)[-1], r"^heddle: naive: \d+ executions, \d+ a second.*, \d+ states, ")
        self.assertNotIn("\r", self.rest(text))

    def test_messages_are_on_their_own_line(self):
        """What goes wrong in the middle is told after the line is gone."""
        text = self.on_a_terminal("check", "--output", "/proc/no/such", "--", self.binary["bank"])
        self.assertRegex(self.rest(text), r"(?m)^heddle: .*/proc/no/such")


if __name__ == "__main__":
    harness.main()
