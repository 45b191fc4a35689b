#!/usr/bin/env python3
"""What --json writes follows docs/reference/findings.schema.json and says what happened."""

import json
import os

import harness
import json_schema

# A program and the finding that it shows within a few seeds.
FINDINGS = {"lost_update": "assertion", "abba_deadlock": "deadlock", "missed_signal": "deadlock",
            "use_after_free": "crash", "flags_nobody_sets": "livelock",
            "mutex_unlock_other": "misuse", "std_deadlock": "deadlock", "names": "deadlock"}


class Json(harness.SystemTest):
    programs = ("order.c", "bugs/lost_update.c", "mutex/abba_deadlock.c", "cond/missed_signal.c",
                "bugs/use_after_free.c", "spinning/flags_nobody_sets.c", "thread/names.c",
                "mutex/mutex_unlock_other.c", "cxx/std_deadlock.cpp", "process/exit_code.c",
                "mutex/mutex_timedlock.c")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with open(os.path.join(harness.ROOT, "docs", "reference", "findings.schema.json"),
                  encoding="utf-8") as file:
            cls.schema = json.load(file)

    def valid(self, document):
        json_schema.check(document, self.schema, self.schema)
        return document

    def finding(self, name, *options):
        seed = self.seed_with_finding(name, FINDINGS[name])
        document, _ = self.run_json("run", "--seed", str(seed), *options, "--", self.binary[name],
                                    status=1)
        self.valid(document)
        self.assertEqual(document["options"]["seed"], str(seed))
        self.assertEqual(len(document["findings"]), 1)
        return document["findings"][0]

    def test_every_kind_is_valid(self):
        for name, kind in FINDINGS.items():
            for options in ((), ("--record", self.path("t"))):
                with self.subTest(name, options=options):
                    finding = self.finding(name, *options)
                    self.assertEqual(finding["kind"], kind)
                    self.assertEqual(finding["verdict"], "observed")

    def test_clean_run(self):
        document, done = self.run_json("run", "--", self.binary["order"], status=0)
        self.valid(document)
        self.assertEqual(document["findings"], [])
        self.assertEqual(document["command"], "run")
        self.assertEqual(document["program"], {"argv": [self.binary["order"]], "exit": 0,
                                               "signal": None})
        self.assertEqual(document["stats"]["threads"], 5)
        self.assertTrue(done.stdout)

    def test_standard_output(self):
        done = self.heddle("run", "--json", "-", "--", self.binary["order"], status=0)
        output, brace, rest = done.stdout.partition("{")
        self.assertEqual(len(output.splitlines()), 1)
        self.valid(json.loads(brace + rest))

    def test_exit_status_and_arguments(self):
        document, _ = self.run_json("run", "--expect-exit", "23", "--", self.binary["exit_code"],
                                    "two words", "last", status=0)
        self.valid(document)
        self.assertEqual(document["program"]["argv"][1:], ["two words", "last"])
        self.assertEqual(document["program"]["exit"], 23)

    def test_deadlock_says_who_waits_where(self):
        finding = self.finding("abba_deadlock")
        self.assertEqual({a["function"] for a in finding["accesses"]}, {"forth", "back"})
        self.assertEqual({tuple(a["locks"]) for a in finding["accesses"]}, {("a",), ("b",)})
        for access in finding["accesses"]:
            self.assertEqual(os.path.basename(access["file"]), "abba_deadlock.c")
        threads = {t["thread"]: t for t in finding["threads"]}
        self.assertEqual(set(threads), {"T1", "T2", "T3"})
        for name in ("T2", "T3"):
            self.assertEqual(threads[name]["created"]["by"], "T1")

    def test_names_of_threads(self):
        finding = self.finding("names")
        names = {t["thread"]: t["name"] for t in finding["threads"]}
        self.assertEqual(names, {"T1": "boss", "T2": "patient"})

    def test_crash(self):
        document, _ = self.run_json(
            "run", "--seed", str(self.seed_with_finding("use_after_free", "crash")), "--",
            self.binary["use_after_free"])
        self.assertEqual(document["program"]["signal"], 11)
        self.assertIsNone(document["program"]["exit"])
        self.assertEqual(document["findings"][0]["accesses"][0]["function"], "receive")

    def test_outside_world(self):
        document, _ = self.run_json("run", "--", self.binary["mutex_timedlock"], status=0)
        self.assertIn("time of day", " ".join(self.valid(document)["outside"]))
        document, _ = self.run_json("run", "--", self.binary["order"], status=0)
        self.assertEqual(document["outside"], [])

    def test_replay_is_valid(self):
        trace = self.path("t.htr")
        self.heddle("run", "--record", trace, "--", self.binary["order"], status=0)
        document, _ = self.run_json("replay", trace, status=0)
        self.valid(document)
        self.assertEqual(document["command"], "replay")

    def test_wrong_documents_are_refused(self):
        document, _ = self.run_json("run", "--", self.binary["order"])
        for change in ({"version": 2}, {"findings": None}, {"program": {}}, {"drops": {"x": -1}},
                       {"command": 3}):
            with self.assertRaises(json_schema.Invalid):
                self.valid({**document, **change})


harness.main()
