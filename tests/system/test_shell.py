#!/usr/bin/env python3
"""What meets people at the shell: doctor, completion, examples in the help."""

import os
import resource
import shutil
import subprocess
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
        self.assertEqual(states["`heddle cc` compiles and links"], "ok")
        self.assertEqual(states["`heddle run` runs a program with two threads"], "ok")
        self.assertNotIn("broken", text)

    def test_no_compiler(self):
        text, states = self.states(1, env={"HEDDLE_CC": "/no/such/compiler"})
        self.assertEqual(states["`heddle cc` cannot compile a small program"], "broken")
        self.assertNotIn("runs a program", text)
        self.assertIn("to mend it: apt-get install gcc", text)

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


if __name__ == "__main__":
    harness.main()
