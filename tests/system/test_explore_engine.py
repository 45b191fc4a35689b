#!/usr/bin/env python3
"""How heddle explore gets its executions changes nothing about them: several at a time, from the
middle of others, in parts."""

import os
import re
import shutil

import harness

# What to explore, and whether there is something to find.
WHAT = (("dpor", "withdraws", 3), ("dpor", "section", 3), ("dpor", "misses", 2),
        ("dpor", "races", 2), ("dpor", "crosses", 2), ("bounded", "withdraws", 2),
        ("naive", "posts", 2), ("random", "misses", 2), ("pct", "withdraws", 2))
CHANGES = ("memory", "heap", "mapping", "unmapping", "descriptor", "high_descriptor", "folder", "mask", "handler",
           "blocked", "name", "file")  # of untouched.c
FAULTY = {"withdraws", "misses", "races", "crosses"}


class Engine(harness.SystemTest):
    programs = ("explored.c", "interrupts.c", "counts_rounds.c", "untouched.c")

    def explore(self, strategy, what, n, options=(), status=None):
        """All that is found and counted, without how long it took and the names of files."""
        options = (*options, "--keep-going", "--strategy", strategy, "--start-time", "1700000000")
        if strategy in ("random", "pct") and "--executions" not in options:
            options += ("--executions", "40")
        if status is None:
            status = int(what in FAULTY)
        elif status == -1:
            status = None
        folder = self.path("out")
        document, done = self.run_json("explore", "--output", folder, *options, "--",
                                       self.binary["explored"], what, str(n), status=status)
        document["stats"].pop("seconds")
        document["notes"] = [re.sub(r"\d+ a second", "", note) for note in document["notes"]]
        schedules = [harness.read_bytes(f["schedule"]) for f in document["findings"]]
        return document, schedules

    def test_several_at_a_time(self):
        for what in WHAT:
            with self.subTest(what):
                alone = self.explore(*what, options=("--jobs", "1"))
                for jobs in ("2", "4"):
                    self.assertEqual(self.explore(*what, options=("--jobs", jobs)), alone)

    def test_from_the_middle(self):
        """Executions stay at every decision for others to begin there, as far as there is room."""
        for what in WHAT:
            with self.subTest(what):
                whole = self.explore(*what, options=("--jobs", "1", "--snapshots", "no"))
                for jobs in ("1", "2"):
                    again = self.explore(*what, options=("--jobs", jobs, "--snapshots", "all"))
                    self.assertEqual(again, whole)

    def test_each_execution_begins_anew(self):
        """However a process changes what it has of the kernel, the next execution sees nothing of it."""
        for what in CHANGES:
            seen = set()
            for how in ("no", "auto", "all"):
                with self.subTest(what, how=how):
                    document, _ = self.run_json(
                        "explore", "--strategy", "dpor", "--commute", "no", "--snapshots", how, "--output",
                        self.path("out"), "--", self.binary["untouched"], what)
                    self.assertEqual(document["findings"], [])
                    self.assertTrue(document["stats"]["complete"] or what == "file", document)
                    seen.add((document["stats"]["executions"], document["stats"]["states"]))
            self.assertEqual(len(seen), 1, (what, seen))

    def test_what_comes_behind_the_middle_begins_anew_too(self):
        """Three threads with two operations each on one counter: 6! / 2!^3 orders, however they are come to."""
        full = os.environ.get("HEDDLE_TEST_FULL")
        for what in CHANGES if full else ("memory", "mapping", "mask", "name"):
            for how in ("no", "auto", "all") if full else ("auto",):
                with self.subTest(what, how=how):
                    document, _ = self.run_json("explore", "--strategy", "dpor", "--commute", "no", "--snapshots", how,
                                                "--output", self.path("out"), "--", self.binary["untouched"], what, "late")
                    self.assertEqual((document["findings"], document["stats"]["executions"]), ([], 90))

    def test_tasks_from_the_middle(self):
        source = os.path.join(harness.ROOT, "bench", "programs", "explore",
                              "integer_counter_isolated.c")
        program = self.build(source, "integer_counter_isolated")
        documents = []
        for how in ("no", "all"):
            document, _ = self.run_json("explore", "--strategy", "regions", "--snapshots", how,
                                        "--executions", "300", "--output", self.path("out"),
                                        "--start-time", "1700000000", "--", program)
            document["stats"].pop("seconds")
            document.pop("notes")
            documents.append(document)
        self.assertEqual(*documents)

    def in_parts(self, what, k, *options):
        """The whole exploration, @k executions at a time."""
        state, copy, resume = self.path("out/unfinished.hxp"), self.path("copy.hxp"), ()
        for _ in range(1000):
            if os.path.exists(state):
                os.remove(state)
            document, schedules = self.explore(*what, status=-1,
                                               options=(*resume, "--executions", str(k), *options))
            if not os.path.exists(state):
                return document, schedules
            shutil.copy(state, copy)
            resume = ("--resume", copy)
        self.fail("no end")
        return None

    def test_in_parts(self):
        for what in (("dpor", "withdraws", 3), ("dpor", "section", 3), ("bounded", "withdraws", 2),
                     ("naive", "posts", 2), ("dpor", "races", 2)):
            with self.subTest(what):
                whole = self.explore(*what, options=("--jobs", "1"))
                total = whole[0]["stats"]["executions"]
                for k in {1, 2, 3, total - 1, total, total // 2} if total < 20 else {
                        total // 7, total // 2, total - 1}:
                    self.assertEqual(self.in_parts(what, k, "--jobs", "1"), whole)
                self.assertEqual(self.in_parts(what, max(total // 3, 1), "--jobs", "2"), whole)

    def test_random_in_parts(self):
        for strategy in ("random", "pct"):
            what = (strategy, "misses", 2)
            whole = self.explore(*what, options=("--executions", "30"))
            self.explore(*what, options=("--executions", "12"), status=-1)
            rest = self.explore(*what, options=("--executions", "18", "--resume",
                                                self.path("out/unfinished.hxp")))
            self.assertEqual(rest, whole)

    def interrupt(self, jobs):
        """Explore until an execution interrupts it; the file that is left, and the output."""
        pid = self.path("pid")
        child = self.start("explore", "--jobs", jobs, "--output", self.path("cut"), "--",
                           self.binary["interrupts"], pid, "7")
        with open(pid + ".new", "w", encoding="ascii") as file:
            file.write(f"{child.pid}\n")
        os.rename(pid + ".new", pid)
        out, err = child.communicate(timeout=harness.LIMIT)
        self.assertEqual(child.returncode, 4, err)
        return self.path("cut/unfinished.hxp"), (out + err).decode()

    def test_interrupted(self):
        """Seven writers have 5,040 orders: enough for the interrupt to come before the end."""
        file, text = self.interrupt("2")
        self.assertIn("not a proof: interrupted", text)
        done = int(re.search(r"(\d+) executions", text).group(1))
        program = (self.binary["interrupts"], self.path("pid"), "7")
        document, done_now = self.run_json("explore", "--executions", "25", "--output",
                                           self.path("cut"), "--resume", file, "--", *program,
                                           status=4)
        self.assertEqual(document["stats"]["executions"], done + 25)
        self.assertIn("--resume", done_now.stdout + done_now.stderr)

    def test_files_that_are_of_no_use(self):
        folder, program = self.path("bad"), self.binary["explored"]
        self.heddle("explore", "--executions", "3", "--output", folder, "--", program, "writes",
                    "3", status=4)
        file, cut = os.path.join(folder, "unfinished.hxp"), self.path("cut.hxp")

        def refused(words, name, *arguments, options=()):
            done = self.heddle("explore", *options, "--output", folder, "--resume", name, "--",
                               program, *arguments, status=2)
            self.assertIn(words, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)

        contents = harness.read_bytes(file)
        for size in (0, 10, 30, len(contents) // 2, len(contents) - 1):
            with open(cut, "wb") as out:
                out.write(contents[:size])
            refused("is damaged" if size >= 30 else "is not what", cut, "writes", "3")
        with open(cut, "wb") as out:
            out.write(contents[:200] + b"?" + contents[201:])
        refused("is damaged", cut, "writes", "3")
        refused("cannot read", self.path("no-such-file"), "writes", "3")
        refused("another program", file, "writes", "4")
        refused("other options", file, "writes", "3", options=("--strategy", "naive"))
        self.heddle("explore", "--output", folder, "--resume", file, "--", program, "writes", "3",
                    status=0)

    def test_loops_that_count_have_a_bound(self):
        """No hang, no livelock that is none, and no proof either."""
        for strategy in ("dpor", "bounded"):
            before = 0
            for spins in ("3", "10"):
                document, done = self.run_json("explore", "--strategy", strategy, "--spins", spins,
                                               "--output", self.path("out"), "--",
                                               self.binary["counts_rounds"], status=4)
                self.assertEqual(document["findings"], [])
                self.assertFalse(document["stats"]["complete"])
                self.assertIn("not a proof: a thread waits in a loop", done.stdout + done.stderr)
                self.assertGreater(document["stats"]["executions"], before)
                before = document["stats"]["executions"]

    def test_loops_that_do_not_count_need_none(self):
        document, _ = self.run_json("explore", "--output", self.path("out"), "--",
                                    self.binary["explored"], "spins", "2", status=0)
        self.assertTrue(document["stats"]["complete"])

    def test_an_execution_that_is_cut_off_is_no_livelock(self):
        document, _ = self.run_json("explore", "--spins", "0", "--depth", "50", "--executions", "5",
                                    "--output", self.path("out"), "--",
                                    self.binary["counts_rounds"], status=4)
        self.assertEqual(document["findings"], [])


if __name__ == "__main__":
    harness.main()
