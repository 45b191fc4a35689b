#!/usr/bin/env python3
"""Wrong commands and wrong programs: one sentence, and the documented exit status."""

import os
import shutil
import subprocess
import unittest

import harness


class Usage(harness.SystemTest):
    programs = ("order.c",)

    def refuse(self, *args, sentence, status=2, **more):
        done = self.heddle(*args, status=status, **more)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("heddle: "), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(sentence, done.stderr)

    def compile(self, name, *words):
        """A program that leaves a file when it is run."""
        source, binary = self.path(name + ".c"), self.path(name)
        with open(source, "w", encoding="utf-8") as file:
            file.write(f'#include <stdio.h>\nint main(void) {{ fclose(fopen("{binary}.ran", "w")); '
                       "return 0; }\n")
        subprocess.run([*words, source, "-o", binary], check=True, env=harness.environment())
        return binary

    def refuse_unstarted(self, binary, sentence):
        schedule = self.path("empty.hsch")
        self.heddle("run", "--record", schedule, "--", self.binary["order"])
        for command in (("run",), ("check",), ("explore",), ("replay", schedule)):
            self.refuse(*command, "--", binary, sentence=sentence)
        self.assertFalse(os.path.exists(binary + ".ran"))

    def test_not_built_with_heddle(self):
        self.refuse_unstarted(self.compile("other", "gcc"), "was not built with `heddle cc`")

    def test_built_to_run_natively(self):
        self.refuse_unstarted(self.compile("native", harness.heddle_command, "cc", "--native",
                                           "-Wl,--no-as-needed"),
                              "build it without --native")

    def test_static_program(self):
        self.refuse_unstarted(self.compile("static", "gcc", "-static"), "is statically linked")

    def test_built_by_another_version(self):
        binary = self.compile("older", harness.heddle_command, "cc")
        note = self.path("note")
        subprocess.run(["objcopy", "-O", "binary", "--only-section=.note.heddle", binary, note],
                       check=True)
        mine = harness.read_bytes(note)[20:].split(b"\0")[0]
        self.heddle("run", "--", binary, status=0)
        os.remove(binary + ".ran")
        whole = harness.read_bytes(binary)
        self.assertEqual(whole.count(b"Heddle\0\0" + mine), 1)
        with open(binary, "wb") as file:
            file.write(whole.replace(b"Heddle\0\0" + mine, b"Heddle\0\0" + b"9" + mine[1:]))
        self.refuse_unstarted(binary, "another version of `heddle cc` (9" + mine[1:].decode())

    def test_linked_by_another_build(self):
        """Its runtime would share with the command what only that build's command understands."""
        binary = self.compile("moved", harness.heddle_command, "cc")
        library = os.path.join(os.path.dirname(os.path.realpath(harness.heddle_command)), "libheddle.so")
        other = os.path.join(self.path("other build"), "libheddle.so")
        os.mkdir(os.path.dirname(other))
        shutil.copy(library, other)
        found_there = {"LD_LIBRARY_PATH": os.path.dirname(other)}
        for command in ("run", "explore"):  # another file, but the same runtime
            self.heddle(command, "--", binary, status=0, env=found_there)
        os.remove(binary + ".ran")
        with open(other, "ab") as file:
            file.write(b"another one")
        for command in ("run", "check", "explore"):
            done = self.heddle(command, "--", binary, status=2, env=found_there)
            self.assertIn("the runtime of another build of heddle", done.stderr)
        self.assertFalse(os.path.exists(binary + ".ran"))

    def test_for_another_machine(self):
        binary = self.compile("foreign", "gcc")
        whole = bytearray(harness.read_bytes(binary))
        whole[18] = 183  # e_machine: AArch64
        with open(binary, "wb") as file:
            file.write(whole)
        self.refuse_unstarted(binary, "not a program for this machine")

    @unittest.skipIf(os.geteuid() != 0, "only root can give a file to somebody else")
    def test_with_the_rights_of_somebody_else(self):
        binary = self.compile("setuid", harness.heddle_command, "cc")
        os.chown(binary, 65534, 65534)
        os.chmod(binary, 0o4755)
        self.refuse_unstarted(binary, "set-user-ID")

    def test_what_starts_others_is_let_be(self):
        """A shell, env or make may start a program that was built with `heddle cc`, or may not."""
        binary, script = self.binary["order"], self.path("script")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nexec {binary}\n")
        os.chmod(script, 0o755)
        expected = self.heddle("run", "--", binary).returncode
        for words in (("env", binary), ("sh", "-c", "exec " + binary), (script,)):
            self.assertEqual(self.heddle("run", "--", *words).returncode, expected, words)
        done = self.heddle("run", "--", "env", "echo", "hello", status=2)
        self.assertEqual(done.stdout, "hello\n")
        self.assertIn("was it built with `heddle cc`?", done.stderr)

    def test_missing_program(self):
        self.refuse("run", "--", self.path("nothing"), sentence="there is no program")
        self.refuse("run", "--", "no-such-program-in-path", sentence="in PATH")
        self.refuse("run", "--", self.folder.name, sentence="is not an executable file")

    def test_not_executable(self):
        path = self.path("plain")
        with open(path, "w", encoding="utf-8") as file:
            file.write("text\n")
        self.refuse("run", "--", path, sentence="is not an executable file")
        os.chmod(path, 0o755)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/no/such/interpreter\n")
        self.refuse("run", "--", path, sentence="cannot run")

    def test_no_program(self):
        self.refuse("run", sentence="which program?")
        self.refuse("replay", sentence="which schedule?")

    def test_unknown_words(self):
        self.refuse("weave", sentence="weave")
        self.refuse("run", "--colour", "--", self.binary["order"], sentence="--colour")
        self.refuse("run", "--seed", "many", "--", self.binary["order"], sentence="many")
        self.refuse("run", "--seed", "-1", "--", self.binary["order"], sentence="-1")
        self.refuse("run", "--policy", "best", "--", self.binary["order"], sentence="best")
        self.refuse("run", "--switch-at", "never", "--", self.binary["order"], sentence="never")
        self.refuse("run", "--stack-size", "1X", "--", self.binary["order"], sentence="1X")
        self.refuse("run", "--seed", sentence="--seed")

    def test_files_that_cannot_be_written(self):
        self.refuse("run", "--record", self.path("no/such/folder"), "--", self.binary["order"],
                    sentence="No such file or directory")
        self.refuse("run", "--json", self.path("no/such/folder"), "--", self.binary["order"],
                    sentence="No such file or directory")

    def test_json_on_a_full_device(self):
        done = self.heddle("run", "--json", "/dev/full", "--", self.binary["order"], status=3)
        self.assertIn("No space left on device", done.stderr)
        self.assertTrue(done.stdout)  # the program has run

    def test_schedules_that_are_none(self):
        for name, content in (("empty", b""), ("text", b"hello\n"), ("zeros", bytes(1000))):
            with open(self.path(name), "wb") as file:
                file.write(content)
            self.refuse("replay", self.path(name), "--", self.binary["order"], sentence=name)
        self.refuse("replay", self.path("nothing"), sentence="nothing")

    def test_broken_traces(self):
        trace = self.path("t.htr")
        self.heddle("run", "--record", trace, "--", self.binary["order"], status=0)
        whole = harness.read_bytes(trace)
        for cut in (1, 7, 20, len(whole) // 2):
            with open(self.path("cut.htr"), "wb") as file:
                file.write(whole[:cut])
            done = self.heddle("trace", "dump", self.path("cut.htr"), status=2)
            self.assertRegex(done.stderr, r"byte \d+")
        damaged = bytearray(whole)
        damaged[len(whole) // 2] ^= 0xff
        with open(self.path("damaged.htr"), "wb") as file:
            file.write(damaged)
        done = self.heddle("trace", "dump", self.path("damaged.htr"), status=2)
        self.assertRegex(done.stderr, r"byte \d+: .*checksum")

    def test_help(self):
        for words in (("help",), ("--help",), ("run", "--help"), ("replay", "--help"),
                      ("trace", "--help")):
            done = self.heddle(*words, status=0)
            self.assertIn("usage: heddle", done.stdout)
            self.assertEqual(done.stderr, "")


harness.main()
