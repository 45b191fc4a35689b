#!/usr/bin/env python3
"""A recorded run can be run again: the same trace, finding and output, every time."""

import os
import shutil

import harness

BUGS = {"lost_update": "assertion", "abba_deadlock": "deadlock", "missed_signal": "deadlock",
        "use_after_free": "crash"}


def ids(document):
    return [f["id"] for f in document["findings"]]


def what_it_says(document):
    """What must be equal in every recorded replay of a finding; one that is not recorded may
    know less about memory."""
    return [(f["id"], f["kind"], f["summary"], f["accesses"], f["threads"])
            for f in document["findings"]]


class Replay(harness.SystemTest):
    programs = ("order.c", "bugs/lost_update.c", "mutex/abba_deadlock.c", "cond/missed_signal.c",
                "bugs/use_after_free.c", "cond/bounded_queue.c", "cxx/std_future.cpp")

    def record_bug(self, name):
        seed = self.seed_with_finding(name, BUGS[name])
        trace = self.path(name + ".htr")
        return trace, *self.run_json("run", "--seed", str(seed), "--record", trace, "--",
                                     self.binary[name], status=1)

    def test_bugs_twenty_times_of_twenty(self):
        for name in BUGS:
            trace, document, first = self.record_bug(name)
            for number in range(20):
                with self.subTest(name, number=number):
                    again, done = self.run_json("replay", trace, "--record", self.path("again"),
                                                status=1)
                    self.assertEqual(what_it_says(again), what_it_says(document))
                    self.assertEqual(done.stdout, first.stdout)
                    self.assertIsNone(again["divergence"])
                    self.assertEqual(again["program"], document["program"])
                    self.assertEqual(harness.read_bytes(trace),
                                     harness.read_bytes(self.path("again")))

    def test_bugs_from_text_twenty_times_of_twenty(self):
        for name in BUGS:
            trace, document, first = self.record_bug(name)
            text = self.path(name + ".txt")
            self.heddle("replay", trace, "--save", text, status=1)
            for number in range(20):
                with self.subTest(name, number=number):
                    again, done = self.run_json("replay", text, "--", self.binary[name], status=1)
                    self.assertEqual(ids(again), ids(document))
                    self.assertEqual(done.stdout, first.stdout)

    def test_text_gives_the_same_trace(self):
        for name in self.binary:
            with self.subTest(name):
                a, b = self.path("a.htr"), self.path("b.htr")
                first = self.heddle("run", "--seed", "7", "--start-time", "1000000000",
                                    "--record", a, "--", self.binary[name])
                self.heddle("replay", a, "--save", self.path("s.txt"))
                self.heddle("replay", self.path("s.txt"), "--record", b,
                            status=first.returncode)
                self.assertEqual(harness.read_bytes(a), harness.read_bytes(b))

    def test_every_policy(self):
        for options in (("--policy", "pct", "--pct-length", "100"), ("--policy", "rr"),
                        ("--switch-at", "accesses"), ("--spurious",), ("--record-exact",),
                        ("--calls",), ("--switch-at", "sync")):
            for name in ("order", "bounded_queue", "std_future"):
                with self.subTest(name, options=options):
                    a, b = self.path("a.htr"), self.path("b.htr")
                    first = self.heddle("run", "--seed", "3", *options, "--record", a, "--",
                                        self.binary[name], status=0)
                    again = self.heddle("replay", a, "--record", b, status=0)
                    self.assertEqual(first.stdout, again.stdout)
                    self.assertEqual(harness.read_bytes(a), harness.read_bytes(b))

    def test_replay_command_of_the_report_works(self):
        for name in BUGS:
            _, document, _ = self.record_bug(name)
            for finding in document["findings"]:
                words = finding["replay"].split()
                self.assertEqual(words[0], "heddle")
                again, _ = self.run_json(*words[1:], status=1)
                self.assertEqual(ids(again), ids(document))

    def test_seed_alone_replays(self):
        seed = self.seed_with_finding("lost_update", "assertion")
        command = self.run_json("run", "--seed", str(seed), "--",
                                self.binary["lost_update"])[0]["findings"][0]["replay"]
        self.assertTrue(command.startswith("heddle run "), command)
        self.heddle(*command.split()[1:], status=1)

    def test_schedule_itself_is_not_overwritten(self):
        trace = self.record_bug("lost_update")[0]
        before = harness.read_bytes(trace)
        for option in ("--record", "--save"):
            done = self.heddle("replay", trace, option, trace, status=2)
            self.assertIn("overwritten", done.stderr)
        self.assertEqual(harness.read_bytes(trace), before)


class ChangedProgram(harness.SystemTest):
    """Replaying with a program that is not the recorded one."""

    def record(self):
        binary = self.build("changing.c", "changing")
        trace = self.path("t.htr")
        self.heddle("run", "--seed", "4", "--record", trace, "--", binary, status=0)
        return trace

    def test_told_that_it_changed(self):
        trace = self.record()
        self.build("changing.c", "changing", "-DOTHER_TEXT")
        document, done = self.run_json("replay", trace, status=0)
        self.assertIn("the program has changed since the schedule was recorded", done.stderr)
        self.assertTrue(any("changed" in note for note in document["notes"]), document["notes"])
        self.assertEqual(done.stdout, "changed\n")

    def test_unchanged_is_not_called_changed(self):
        trace = self.record()
        shutil.copy(self.path("changing"), self.path("copy"))
        done = self.heddle("replay", trace, "--", self.path("copy"), status=0)
        self.assertNotIn("changed", done.stderr)

    def test_thread_that_is_not_there(self):
        binary = self.build("changing.c", "changing", "-DFEWER_THREADS")
        with open(self.path("s.txt"), "w", encoding="utf-8") as file:
            file.write(f"heddle-schedule 1\nprogram {binary}\nT4 x3\n")
        document, done = self.run_json("replay", self.path("s.txt"), status=2)
        self.assertRegex(done.stderr, "left (its|the) schedule")
        self.assertIn("T4", document["divergence"])
        self.assertEqual(document["findings"], [])
        self.assertEqual(done.stdout, "original\n")  # the program still runs to its end

    def test_schedule_that_is_too_long(self):
        trace = self.record()
        self.build("changing.c", "changing", "-DFEWER_THREADS")
        document, done = self.run_json("replay", trace)
        self.assertTrue(document["divergence"] or
                        any("changed" in note for note in document["notes"]), done.stderr)

    def test_program_is_gone(self):
        trace = self.record()
        os.unlink(self.path("changing"))
        done = self.heddle("replay", trace, status=2)
        self.assertIn("there is no program", done.stderr)


harness.main()
