#!/usr/bin/env python3
"""A program that comes to no scheduling point is told of while it runs, and in the report."""

import json
import os
import re
import signal
import subprocess

import harness

LINE = re.compile(r"T(\d+) has reached no scheduling point for (\d+) s: (.*)")


def line_of(source, mark):
    with open(os.path.join(harness.HERE, source), encoding="utf-8") as lines:
        return next(i for i, line in enumerate(lines, 1) if mark in line)


class Hang(harness.SystemTest):
    """All runs go on at the same time, until one of them has been told of twice."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        plain = cls.path("plain_loop.o")
        subprocess.run(["cc", "-g", "-O1", "-c", os.path.join(harness.HERE, "plain_loop.c"),
                        "-o", plain], check=True)
        program = cls.build("hangs.c", "hangs", plain)
        cls.runs = {}
        for how in ("assembler", "library", "atomic", "work"):
            cls.runs[how] = cls.begin("run", "--json", cls.path(how + ".json"), "--", program, how)
        cls.runs["explore"] = cls.begin("explore", "--time", "7", "--json", cls.path("explore.json"),
                                        "--", program, "assembler", stdin=subprocess.DEVNULL)
        cls.said = {how: "" for how in cls.runs}
        cls.wait_for_line("assembler", 10)
        cls.wait_for_line("library", 10)
        cls.wait_for_line("explore", 5)
        for how, run in cls.runs.items():
            if how in ("atomic", "work"):
                run.stdin.write("\n")
            elif how != "explore":
                run.send_signal(signal.SIGTERM)
            out, err = run.communicate(timeout=harness.LIMIT)
            cls.said[how] += err
            run.output = out

    @classmethod
    def begin(cls, *args, stdin=subprocess.PIPE):
        # pylint: disable=consider-using-with
        run = subprocess.Popen([harness.heddle_command, *args], env=harness.environment(),
                               stdin=stdin, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.put_away, run)
        return run

    @classmethod
    def wait_for_line(cls, how, seconds):
        for line in cls.runs[how].stderr:
            cls.said[how] += line
            found = LINE.search(line)
            if found and int(found[2]) >= seconds:
                return
        raise AssertionError(f"{how}: no such line:\n{cls.said[how]}")

    def document(self, how):
        with open(self.path(how + ".json"), encoding="utf-8") as file:
            return json.load(file)

    def check_told(self, how, place):
        found = LINE.findall(self.said[how])
        self.assertEqual([(t, s) for t, s, _ in found][:2], [("2", "5"), ("2", "10")])
        for _, _, where in found:
            self.assertIn(place, where)
            self.assertIn("without hooks", where)

    def test_assembler_is_told_of_with_its_place(self):
        self.check_told("assembler", f"hangs.c:{line_of('hangs.c', '/* SPINS */')} ")

    def test_code_without_hooks_is_told_of_with_its_place(self):
        self.check_told("library", f"plain_loop.c:{line_of('plain_loop.c', '/* PLAIN */')} ")

    def test_it_is_in_the_report(self):
        for how in ("assembler", "library"):
            notes = self.document(how)["notes"]
            told = [note for note in notes if "no scheduling point for 10 s" in note]
            self.assertEqual(len(told), 1, notes)
            self.assertIn("note: T2 has reached no", self.said[how])

    def test_explore_tells_of_it(self):
        self.assertIn(f"hangs.c:{line_of('hangs.c', '/* SPINS */')} ",
                      LINE.search(self.said["explore"])[3])
        self.assertEqual(self.runs["explore"].returncode, 4)
        notes = self.document("explore")["notes"]
        self.assertEqual(len([note for note in notes if LINE.search(note)]), 1, notes)

    def test_whoever_waits_or_works_is_let_be(self):
        for how in ("atomic", "work"):
            self.assertEqual(self.runs[how].output, "done\n")
            self.assertIsNone(LINE.search(self.said[how]), self.said[how])
            self.assertNotIn("scheduling point", json.dumps(self.document(how)["notes"]))


class Woken(harness.SystemTest):
    """What only the handler of a signal can end is no deadlock."""

    def test_a_handler_may_come(self):
        program = self.build("woken.c", "woken")
        for how in ("poll", "read", "semaphore"):
            with self.subTest(how), subprocess.Popen(
                    [harness.heddle_command, "run", "--", program, how], env=harness.environment(),
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
                os.kill(int(run.stdout.readline()), signal.SIGTERM)
                said = run.communicate(timeout=harness.LIMIT)[1]
                self.assertEqual(run.returncode, 0, said)
                self.assertIn("no findings", said)

    def test_a_lock_is_not_for_handlers(self):
        document, _ = self.run_json("run", self.build("woken.c", "woken"), "lock", status=1)
        self.assertEqual([f["kind"] for f in document["findings"]], ["deadlock"])


harness.main()
