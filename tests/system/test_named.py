#!/usr/bin/env python3
"""Only named data is checked where any is named, and every report says so."""

import os

import harness

# What the program races on; the names that reports have for it.
GOOD, HITS, BLOCK = "'good.balance'", "'hits'", "block"
ONLY = "only named data was checked for races and atomicity: "


class Named(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for tasks in ((), ("-DTASKS",)):
            for name in ("", "NAME_GOOD", "NAME_BLOCK"):
                flags = (*tasks, *(("-D" + name,) if name else ()))
                out = name + ("-tasks" if tasks else "-threads")
                cls.binary[bool(tasks), name] = cls.build("names_data.c", out, "-g", *flags)

    def subjects(self, *args):
        """What the races are on, and the sentence about what was checked."""
        document, done = self.run_json(*args)
        races = [f["summary"] for f in document["findings"]]
        notes = [n for n in document["notes"] if n.startswith(ONLY)]
        self.assertLess(len(notes), 2)
        for note in notes:
            self.assertIn(note, done.stdout + done.stderr)
        found = {s for s in (GOOD, HITS) if any(s in r for r in races)}
        if any(GOOD not in r and HITS not in r for r in races):
            found.add(BLOCK)
        return found, notes[0] if notes else None

    def runs(self, name, *options, tasks=False, check=False, args=()):
        ways = [("run",)]
        ways += [("run", "--parallel", "2")] if tasks else []
        ways += [("check", "--output", self.path("out"))] if check else []
        answers = [self.subjects(*way, *options, "--", self.binary[tasks, name], *args)
                   for way in ways]
        self.assertEqual(answers, answers[:1] * len(answers))
        return answers[0]

    def test_all_data_unless_some_is_named(self):
        for tasks in (False, True):
            self.assertEqual(self.runs("", tasks=tasks), ({GOOD, HITS, BLOCK}, None))

    def test_what_the_program_names(self):
        for tasks in (False, True):
            for name, subject in (("NAME_GOOD", GOOD), ("NAME_BLOCK", BLOCK)):
                with self.subTest(name=name, tasks=tasks):
                    self.assertEqual(self.runs(name, tasks=tasks),
                                     ({subject}, ONLY + "what the program names by HEDDLE_CHECK"))

    def test_what_the_option_names(self):
        """By variable, by typedef, by struct, by file."""
        for tasks in (False, True):
            for pattern, subjects in (("^hits$", {HITS}), ("^account_t$", {GOOD}),
                                      ("^account$", {GOOD}),
                                      (r"names_data\.c$", {GOOD, HITS, BLOCK})):
                with self.subTest(pattern=pattern, tasks=tasks):
                    found, note = self.runs("", "--check-only", pattern, tasks=tasks)
                    self.assertEqual(found, subjects)
                    self.assertIn(f"files that match '{pattern}' (--check-only)", note)
                    self.assertNotIn("; no source file", note)

    def test_an_error_in_other_data_is_not_told(self):
        """The named account is under a lock; the other races are there all the same."""
        for name, option in (("NAME_GOOD", ()), ("", ("--check-only", "account"))):
            found, note = self.runs(name, *option, check=True, args=("lock",))
            self.assertEqual(found, set())
            self.assertIsNotNone(note)
        self.assertEqual(self.runs("", args=("lock",))[0], {HITS, BLOCK})

    def test_both(self):
        found, note = self.runs("NAME_GOOD", "--check-only", "hits", check=True)
        self.assertEqual(found, {GOOD, HITS})
        self.assertIn("(--check-only), and what the program names by HEDDLE_CHECK", note)

    def test_a_name_that_nothing_has(self):
        found, note = self.runs("", "--check-only", "no_such_name")
        self.assertEqual(found, set())
        self.assertIn("; no source file, and no variable with a fixed address", note)

    def test_no_word_about_other_data_while_the_program_runs(self):
        done = self.heddle("run", "--", self.binary[False, "NAME_GOOD"], "lock", status=0,
                           env={"HEDDLE_TELL_AFTER": "0"})
        self.assertNotIn("hits", done.stderr)

    def test_a_replay_checks_what_the_program_names(self):
        trace = self.path("run.htr")
        program = self.binary[False, "NAME_GOOD"]
        self.heddle("run", "--record", trace, "--", program, "lock", status=0)
        for command in ("replay", "analyze"):
            self.assertIn(ONLY, "".join(self.outputs(command, trace)))

    def split(self, name, *flags, files=None):
        """A program of two files, built for accesses in @files only."""
        here = [os.path.join(harness.HERE, f) for f in ("left_out.c", "left_out_main.c")]
        out = self.path(name)
        done = self.heddle("cc", "-g", "-pthread", *flags, *here, "-o", out, status=0,
                           env={"HEDDLE_CHECK_FILES": files} if files else None)
        if "needs the plugin" in done.stderr:
            self.skipTest("there is no plugin for this gcc")
        return out

    def test_files_that_are_left_out(self):
        """Their accesses are not seen; what they order is, and the other file's race."""
        for level in ("-O0", "-O2"):
            whole = self.run_json("run", "--", self.split("whole", level))[0]
            self.assertIn("'calls'", whole["findings"][0]["summary"])
            self.assertFalse([n for n in whole["notes"] if "HEDDLE_CHECK_FILES" in n])
            for flags, races in (((), 0), (("-DRACES",), 1)):
                program = self.split("part", level, *flags, files=r"main\.c$")
                part, done = self.run_json("run", "--", program, status=races)
                self.assertEqual(["'data'" in f["summary"] for f in part["findings"]],
                                 [True] * races)
                self.assertIn("not seen (HEDDLE_CHECK_FILES): ", done.stderr)
                self.assertIn("left_out.c", [n for n in part["notes"] if "not seen" in n][0])
                self.assertEqual(part["unhooked"], ["accesses that were left out (left_out.c)"])

    def by_name(self, level, names, *flags):
        """What is found in a program of which the compiler saw accesses by @names only; the note."""
        out = self.path("by-name")
        done = self.heddle("cc", "-g", level, *flags, os.path.join(harness.HERE, "left_out_names.c"), "-o", out,
                           status=0, env={"HEDDLE_CHECK_ONLY": names})
        if "needs the plugin" in done.stderr:
            self.skipTest("there is no plugin for this gcc")
        answers = []
        for way in (("--parallel", "2"), ("--races", "no", "--algorithm", "complete")):
            document = self.run_json("run", *way, "--", out)[0]
            notes = [n for n in document["notes"] if "HEDDLE_CHECK_ONLY" in n]
            answers.append(({f["summary"].split("'")[1] for f in document["findings"]}, notes))
        self.assertEqual(answers[0], answers[1])
        return answers[0]

    def test_names_that_are_left_out(self):
        """By variable, by type, by field, through a pointer to it and through one that is named."""
        for names, subject in (("^total$", "total"), ("^account$", "good.balance"),
                               ("^account_t$", "good.balance"), ("^balance$", "good.balance"),
                               ("^cells$", "root::room[2]"), ("^row$", "root::room[2]")):
            with self.subTest(names=names):
                found, notes = self.by_name("-O2", names)
                self.assertEqual(found, {subject})
                self.assertEqual(len(notes), 1)
                self.assertIn("only seen where a variable or type has a matching name", notes[0])
                self.assertIn(f"left_out_names.c ({names})", notes[0])
                self.assertEqual(self.by_name("-O2", names, "-DLOCKED")[0], set())
                self.assertIn(subject, self.by_name("-O0", names)[0])

    def test_other_names_are_left_out(self):
        every = {"total", "good.balance", "root::room[2]", "spare", "noise[3]"}
        for level in ("-O0", "-O2"):
            self.assertEqual(self.by_name(level, "no_such_name")[0], set())
            self.assertEqual(self.by_name(level, "."), (every, []))

    def test_nothing_is_proved_about_what_was_left_out(self):
        document, _ = self.run_json("explore", "--output", self.path("out"), "--",
                                    self.split("explored", files=r"main\.c$"), status=4)
        self.assertEqual(document["stats"]["stopped"], "unhooked")

    def test_wrong_files(self):
        self.split("right", files="main")
        done = self.heddle("cc", "-c", os.path.join(harness.HERE, "left_out.c"), "-o",
                           self.path("x.o"), status=1, env={"HEDDLE_CHECK_FILES": "("})
        self.assertIn("must be a regular expression", done.stderr)

    def outputs(self, *args):
        done = self.heddle(*args, status=0)
        return done.stdout, done.stderr

    def test_wrong_use(self):
        done = self.heddle("run", "--check-only", "(", "--", self.binary[False, ""], status=2)
        self.assertIn("--check-only must be a regular expression, not '('", done.stderr)


if __name__ == "__main__":
    harness.main()
