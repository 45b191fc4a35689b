#!/usr/bin/env python3
"""A program that is started without `heddle run` is under control all the same."""

import os
import resource
import subprocess

import harness


class Direct(harness.SystemTest):
    programs = ("order.c", "bugs/lost_update.c", "mutex/abba_deadlock.c", "crash/assert_call.c",
                "process/exit_code.c", "mutex/mutex_unlock_other.c", "two_races.c", "opens_and_races.c")

    def direct(self, name, *args, options=None, **more):
        env = harness.environment({"HEDDLE_OPTIONS": options} if options else None)
        return subprocess.run([self.binary[name], *args], env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace",
                              timeout=harness.LIMIT, check=False, **more)

    def test_same_result(self):
        outputs = set()
        for seed in range(1, 11):
            under = self.heddle("run", "--seed", str(seed), "--", self.binary["order"], status=0)
            alone = self.direct("order", options=f"seed={seed}")
            self.assertEqual(alone.returncode, 0)
            self.assertEqual(alone.stdout, under.stdout)
            self.assertEqual(alone.stderr, "")
            outputs.add(alone.stdout)
        self.assertGreater(len(outputs), 5)

    def test_first_seed_is_the_default(self):
        self.assertEqual(self.direct("order").stdout,
                         self.direct("order", options="seed=1").stdout)

    def test_deadlock_is_reported(self):
        seed = self.seed_with_finding("abba_deadlock", "deadlock")
        under = self.heddle("run", "--seed", str(seed), "--", self.binary["abba_deadlock"],
                            status=1)
        alone = self.direct("abba_deadlock", options=f"seed={seed}")
        self.assertEqual(alone.returncode, 66)
        self.assertIn("HEDDLE: deadlock", alone.stderr)
        self.assertEqual(alone.stderr, under.stderr)
        self.assertEqual(self.direct("abba_deadlock", options=f"seed={seed}:exitcode=9").returncode,
                         9)

    def test_assertion_and_misuse_are_reported(self):
        done = self.direct("assert_call")
        self.assertEqual(done.returncode, -6)
        self.assertIn("HEDDLE: assertion", done.stderr)
        done = self.direct("mutex_unlock_other")
        self.assertIn("HEDDLE: misuse", done.stderr)

    def test_status_is_the_programs_own(self):
        done = self.direct("exit_code", "two words", "last")
        self.assertEqual((done.returncode, done.stderr), (23, ""))

    def test_closed_descriptors(self):
        """A file that comes into the place of standard error has no report in it; the status is as before."""
        for closed in ("2>&-", "<&- >&- 2>&-"):
            file = self.path("file")
            done = subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", self.binary["opens_and_races"], file],
                                  env=harness.environment(), timeout=harness.LIMIT, check=False)
            self.assertEqual(done.returncode, 66)
            with open(file, encoding="utf-8") as opened:
                self.assertEqual(opened.read(), "only this\n")

    def test_no_room_for_race_detection(self):
        few = lambda: resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        done = self.direct("two_races", "first", preexec_fn=few)
        self.assertIn("drops: race detection: ", done.stderr)

    def test_status_after_findings(self):
        """As with sanitizers: 66 or what `exitcode` says, and its own with 0; what was printed is there."""
        for options, status in ((None, 66), ("exitcode=9", 9), ("exitcode=0", 0)):
            done = self.direct("two_races", "first", options=options)
            self.assertEqual((done.returncode, done.stdout), (status, "at the end"), done.stderr)
            self.assertEqual(done.stderr.count("HEDDLE: data race on 'first'"), 1, done.stderr)
        self.assertEqual(self.direct("two_races", "first", "leave").returncode, 66)
        self.assertEqual(self.direct("two_races", "leave").returncode, 5)
        done = self.direct("two_races")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def suppress(self, line):
        file = self.path("known.supp")
        with open(file, "w", encoding="utf-8") as out:
            out.write(line + "\n")
        return file

    def test_suppressions(self):
        options = "suppressions=" + self.suppress("race:^count_first$")
        done = self.direct("two_races", "first", options=options)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", "at the end"))
        for words in (("second",), ("first", "second")):
            done = self.direct("two_races", *words, options=options)
            self.assertEqual(done.returncode, 66)
            self.assertIn("HEDDLE: data race on 'second'", done.stderr)
            self.assertNotIn("'first'", done.stderr)

    def test_suppressions_by_a_relative_name(self):
        """It is the folder at the start that counts."""
        self.suppress("race:^count_first$")
        done = self.direct("two_races", "away", "first", options="suppressions=known.supp", cwd=self.folder.name)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_suppressions_that_cannot_be_read(self):
        """Nothing is left out then, and it is said."""
        for file, why in ((self.path("nowhere"), "nowhere"), (self.suppress("nonsense"), "known.supp")):
            done = self.direct("two_races", "first", options="suppressions=" + file)
            self.assertEqual(done.returncode, 66)
            self.assertIn(why, done.stderr)
            self.assertIn("HEDDLE: data race on 'first'", done.stderr)

    def test_suppressions_of_commands(self):
        """All that have --suppressions; the command line wins."""
        env = {"HEDDLE_OPTIONS": "suppressions=" + self.suppress("race:^count_first$")}
        trace, program = self.path("races.htr"), self.binary["two_races"]
        for status, name in ((0, "first"), (1, "second")):
            for words in (("run", "--record", trace, "--", program, name), ("replay", trace), ("analyze", trace),
                          ("check", "--output", self.path("out"), "--", program, name),
                          ("explore", "--output", self.path("out"), "--", program, name)):
                self.heddle(*words, env=env, status=status)
        other = self.path("other.supp")
        with open(other, "w", encoding="utf-8") as out:
            out.write("race:^count_second$\n")
        self.heddle("run", "--suppressions", other, "--", program, "first", env=env, status=1)

    def test_options(self):
        for options in ("policy=pct:pct-length=50:seed=4", "policy=rr", "switch-at=accesses"):
            words = [w for item in options.split(":") for w in ("--" + item).split("=")]
            under = self.heddle("run", *words, "--", self.binary["order"], status=0)
            self.assertEqual(self.direct("order", options=options).stdout, under.stdout)
            by_env = self.heddle("run", "--", self.binary["order"], status=0,
                                 env={"HEDDLE_OPTIONS": options})
            self.assertEqual(by_env.stdout, under.stdout)

    def test_command_line_wins(self):
        under = self.heddle("run", "--seed", "5", "--", self.binary["order"], status=0)
        both = self.heddle("run", "--seed", "5", "--", self.binary["order"], status=0,
                           env={"HEDDLE_OPTIONS": "seed=6"})
        self.assertEqual(both.stdout, under.stdout)

    def test_wrong_options_do_not_stop_it(self):
        done = self.direct("order", options="seed=2:colour=red")
        self.assertEqual(done.stdout, self.direct("order", options="seed=2").stdout)
        self.assertIn("colour", done.stderr)

    def test_record_and_replay(self):
        trace = self.path("t.htr")
        alone = self.direct("order", options=f"seed=5:record={trace}")
        self.assertEqual(alone.returncode, 0, alone.stderr)
        self.assertEqual(self.info(trace)["threads"], 5)
        again = self.heddle("replay", trace, "--record", self.path("again.htr"), status=0)
        self.assertEqual(again.stdout, alone.stdout)

    def test_recorded_in_the_programs_folder(self):
        folder = self.path("somewhere")
        os.mkdir(folder)
        self.direct("order", options="record=here.htr", cwd=folder)
        self.assertTrue(self.info(os.path.join(folder, "here.htr"))["complete"])

    def test_found_bug_replays(self):
        seed = self.seed_with_finding("lost_update", "assertion")
        trace = self.path("bug.htr")
        alone = self.direct("lost_update", options=f"seed={seed}:record={trace}")
        self.assertIn("HEDDLE: assertion", alone.stderr)
        document, _ = self.run_json("replay", trace, status=1)
        self.assertEqual([f["kind"] for f in document["findings"]], ["assertion"])

    def test_no_child_is_seen(self):
        """The collector is nobody's child: a program that waits for all of its own ends."""
        binary = self.build("waits_for_children.c", "waits")
        self.binary["waits"] = binary
        done = self.direct("waits", options=f"record={self.path('w.htr')}")
        self.assertEqual((done.returncode, done.stdout), (0, "no child\n"), done.stderr)


harness.main()
