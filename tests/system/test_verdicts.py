#!/usr/bin/env python3
"""What is a failure: how the program ends by its own account, and what is worse than usual."""

import json
import os
import re

import harness
import json_schema

COMMANDS = ("run", "check", "explore")
FULL = os.environ.get("HEDDLE_TEST_FULL")

# What orderly runs do, and what the others do: worse, or not.
WORSE = (("0", "1"), ("0", "unlock"), ("1", "crash"), ("unlock", "1"), ("0", "term"),
         ("0", "crash"), ("0", "assert"), ("0", "stuck"), ("1", "stuck"), ("unlock", "crash"))
NO_WORSE = (("1", "0"), ("crash", "0"), ("crash", "stuck"), ("unlock", "unlock-other"), ("1", "2"),
            ("crash", "1"), ("assert", "0"), ("stuck", "0"), ("unlock", "0"), ("0", "0"))


class Verdicts(harness.SystemTest):
    programs = ("verdicts.c", "unjoined.c", "missed_signal.c")

    def use(self, command, *ends, options=(), status=None):
        """Findings as (kind, verdict) in order, and the document."""
        more = ["--output", self.path("out")] if command != "run" else []
        document, done = self.run_json(command, *more, *options, "--", self.binary["verdicts"],
                                       *ends, status=status)
        json_schema.check(document, self.schema(), self.schema())
        found = sorted((f["kind"], f["verdict"]) for f in document["findings"])
        return found, document, done

    @staticmethod
    def schema():
        with open(os.path.join(harness.ROOT, "docs", "reference", "findings.schema.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_a_failing_test_is_not_green(self):
        for command in COMMANDS:
            found, document, done = self.use(command, "1", status=1,
                                             options=("--junit", self.path("j"), "--sarif",
                                                      self.path("s")))
            self.assertEqual(found, [("exit", "observed")], command)
            self.assertIn("the program ends with status 1", done.stdout + done.stderr)
            self.assertIn(b'failures="1"', harness.read_bytes(self.path("j")))
            self.assertIn(b'"ruleId": "exit"', re.sub(rb'":\s*"', b'": "',
                                                      harness.read_bytes(self.path("s"))))
            self.assertEqual(document["program"]["exit"], 1)
            found, _, _ = self.use(command, "0", "0", status=0, options=("--junit", self.path("j")))
            self.assertEqual(found, [], command)
            self.assertIn(b'failures="0"', harness.read_bytes(self.path("j")))

    def test_who_means_it_says_so(self):
        for command in COMMANDS:
            for listed, ok in (("0,3,1", True), ("3,11", False)):
                self.use(command, "1", options=("--expect-exit", listed), status=0 if ok else 1)
        for bad in ("", "x", "1,", ",1", "256", "-1", "1;2"):
            self.heddle("run", f"--expect-exit={bad}", "--", self.binary["verdicts"], "0", status=2)

    def test_signals(self):
        found, _, done = self.use("run", "term", status=1)
        self.assertEqual(found, [("exit", "observed")])
        self.assertIn("the program was ended by SIGTERM", done.stderr)
        self.use("run", "term", options=("--expect-exit", "143"), status=0)

    def test_what_has_a_cause_is_told_once(self):
        for command in COMMANDS:
            for how, kind in (("crash", "crash"), ("assert", "assertion"), ("stuck", "deadlock")):
                found, _, _ = self.use(command, how, status=1)
                self.assertEqual(found, [(kind, "observed")], (command, how))

    def test_a_race_is_none(self):
        for command in COMMANDS:
            found, _, _ = self.use(command, "race", status=1)
            self.assertEqual(set(found), {("exit", "observed"), ("race", "observed")}, command)

    def test_replay_and_traces(self):
        trace = self.path("t.htr")
        _, document, _ = self.use("check", "5", status=1)
        again, _ = self.run_json("replay", document["findings"][0]["schedule"], status=1)
        self.assertEqual([f["kind"] for f in again["findings"]], ["exit"])
        for options, kinds in (((), ["exit"]), (("--expect-exit", "5"), [])):
            self.use("run", "5", options=("--record", trace, *options))
            seen, _ = self.run_json("analyze", trace, status=1 if kinds else 0)
            self.assertEqual([f["kind"] for f in seen["findings"]], kinds)
            seen, _ = self.run_json("replay", trace, status=1 if kinds else 0)
            self.assertEqual([f["kind"] for f in seen["findings"]], kinds)

    def test_suppressions_and_baseline(self):
        lines, known = self.path("lines"), self.path("known.json")
        self.use("run", "1", options=("--gen-suppressions",), status=1)
        for line, status in (("exit:^1$", 0), ("exit:*", 0), ("exit:^2$", 1), ("crash:*", 1)):
            with open(lines, "w", encoding="utf-8") as file:
                file.write(line + "\n")
            self.use("run", "1", options=("--suppressions", lines), status=status)
        done = self.heddle("run", "--gen-suppressions", "--", self.binary["verdicts"], "1")
        self.assertIn("\nexit:^1$\n", done.stderr)
        self.heddle("run", "--json", known, "--", self.binary["verdicts"], "1", status=1)
        self.use("run", "1", options=("--baseline", known), status=0)
        self.use("run", "2", options=("--baseline", known), status=1)

    def test_what_was_stopped_early_has_not_passed(self):
        junit, sarif = self.path("j"), self.path("s")
        for count, status, skipped in (("1", 4, b"1"), ("0", 0, b"0")):
            options = ("--executions", count, "--junit", junit, "--sarif", sarif)
            found, document, done = self.use("explore", "0", "0", options=options, status=status)
            self.assertEqual(found, [])
            self.assertEqual(document["stats"]["stopped"], "executions" if status else None)
            self.assertEqual(document["stats"]["complete"], not status)
            self.assertEqual("not everything was tried" in done.stdout + done.stderr, bool(status))
            for _ in range(2):  # what the command wrote, and what is made of its JSON
                text = harness.read_bytes(junit)
                self.assertIn(b'failures="0"', text)
                self.assertIn(b'skipped="' + skipped + b'"', text)
                self.assertEqual(b"not everything was tried" in harness.read_bytes(sarif),
                                 bool(status))
                for word, out in (("--junit", junit), ("--sarif", sarif)):
                    self.heddle("report", self.path("findings.json"), word, "-o", out,
                                status=status)

    def test_every_execution_is_looked_at(self):
        """One finding for each status."""
        found, document, _ = self.use("explore", "0", "3", options=("-k",), status=1)
        self.assertEqual(found, [("exit", "observed")])
        found, document, _ = self.use("explore", "4", "3", options=("-k",), status=1)
        self.assertEqual({f["summary"][-1] for f in document["findings"]}, {"3", "4"})
        self.assertEqual(len(found), 2)
        self.use("explore", "4", "3", options=("-k", "--expect-exit", "3,4"), status=0)
        # Programs that end in more than one way and mean all of them: nothing is said.
        self.use("explore", "0", "3", options=("--expect-exit", "3"), status=0)

    def confirmed(self, *ends, options=()):
        """What check -k finds: the verdict about the counter, and the other kinds."""
        found, document, done = self.use("check", *ends, options=("-k", *options))
        torn = [f for f in document["findings"] if f["kind"] == "atomicity"]
        self.assertTrue(all(f["verdict"] == "confirmed" for f in torn), done.stdout)
        return bool(torn), [kind for kind, _ in found if kind != "atomicity"]

    def test_worse_than_usual(self):
        for orderly, otherwise in WORSE if FULL else WORSE[:4:2]:
            torn, others = self.confirmed(orderly, otherwise)
            self.assertTrue(torn, (orderly, otherwise))
            # Only what the orderly runs show is told beside it.
            usual = {"0": [], "1": ["exit"], "unlock": ["misuse"]}[orderly]
            self.assertEqual(others, usual, (orderly, otherwise))

    def test_not_worse_than_usual(self):
        for orderly, otherwise in NO_WORSE if FULL else NO_WORSE[:4:2]:
            torn, others = self.confirmed(orderly, otherwise)
            self.assertFalse(torn, (orderly, otherwise))
            kinds = {"0": None, "1": "exit", "2": "exit", "crash": "crash", "assert": "assertion",
                     "stuck": "deadlock", "unlock": "misuse", "unlock-other": "misuse"}
            self.assertEqual(set(others), {kinds[orderly], kinds[otherwise]} - {None},
                             (orderly, otherwise))

    def test_expected_statuses_are_as_good_as_others(self):
        self.assertEqual(self.confirmed("0", "3", options=("--expect-exit", "3")), (False, []))
        self.assertEqual(self.confirmed("3", "0", options=("--expect-exit", "3")), (False, []))
        self.assertEqual(self.confirmed("3", "4", options=("--expect-exit", "3")), (True, []))

    def test_threads_that_nobody_joins_finish_first(self):
        """In one of the orderly runs: what they would have done is looked at."""
        for how, kind in (("torn", "atomicity"), ("nap", "race"), ("exit", "race")):
            document, _ = self.run_json("check", "--output", self.path("out"), "--",
                                        self.binary["unjoined"], how, status=1)
            self.assertEqual({f["kind"] for f in document["findings"]}, {kind}, how)
            again, _ = self.run_json("replay", document["findings"][0]["schedule"], status=1)
            self.assertIsNone(again["divergence"])
            self.heddle("check", "--output", self.path("out"), "--", self.binary["unjoined"], how,
                        "fixed", status=0)
        for how in ("waits", "endless", "says"):  # there is an end, and no failure
            self.heddle("check", "--output", self.path("out"), "--", self.binary["unjoined"], how,
                        status=0)

    def test_waits_that_need_no_pattern_are_told_as_waits(self):
        """A pattern that is in the run, and not in every one that fails so, is not the reason; a wake-up that comes
        between the look and the wait is."""
        for how, expected in (("level", [("order", "confirmed", "changed")]),
                              ("count", [("atomicity", "confirmed", "left")]), ("safe", [])):
            document, _ = self.run_json("check", "--output", self.path("out"), "--keep-going", "--",
                                        self.binary["missed_signal"], how,
                                        status=1 if expected else 0)
            self.assertEqual([(f["kind"], f["verdict"], f["variable"])
                              for f in document["findings"]], expected, how)
            for found in document["findings"]:
                again, _ = self.run_json("replay", found["schedule"], status=1)
                self.assertEqual([f["kind"] for f in again["findings"]], ["deadlock"])


if __name__ == "__main__":
    harness.main()
