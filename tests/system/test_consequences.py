#!/usr/bin/env python3
"""What a race does: the report leads with it, and --fail-on goes by it. And what orders of sections do."""

import harness

# The variable that races, and what comes of it.
FAILS = {"crash": "pointer", "assertion": "sum", "deadlock": "said", "exit": "sum", "output": "sum"}
HARMLESS = {"values": "sum", "none": "same"}


class Consequences(harness.SystemTest):
    programs = ("harms.c",)

    def check_program(self, *args, options=(), status=None):
        document, done = self.run_json("check", "--output", self.path("out"), *options, "--",
                                       self.binary["harms"], *args, status=status)
        return document["findings"], document, done

    def race(self, findings, variable):
        """The race on @variable, of which there must be one."""
        races = [f for f in findings if f["kind"] == "race" and f["variable"] == variable]
        self.assertEqual(len(races), 1, [(f["kind"], f["variable"]) for f in findings])
        return races[0]

    def expect_shown(self, what, race):
        """The failing run is shown as the sentence says, and replayed."""
        first, second = race["accesses"]
        self.assertIn(f"if the {first['op']} by {first['thread']} comes before the "
                      f"{second['op']} by {second['thread']}", race["consequence"]["text"])
        self.assertIn(what, race["schedule"])
        again, _ = self.run_json("replay", race["schedule"], "--", self.binary["harms"], what)
        if what != "output":
            self.assertIn(what, [f["kind"] for f in again["findings"]])

    def test_one_order_fails(self):
        for what, variable in FAILS.items():
            with self.subTest(what):
                findings, _, done = self.check_program(what, options=("--fail-on", "harmful"),
                                                       status=1)
                race = self.race(findings, variable)
                self.assertEqual(race["consequence"]["kind"], what)
                self.assertFalse(race["consequence"]["harmless"])
                self.assertGreaterEqual(race["consequence"]["orders"], 2)
                self.assertIn(race["consequence"]["text"], done.stdout)
                self.expect_shown(what, race)

    def test_no_order_fails(self):
        for what, variable in HARMLESS.items():
            junit = self.path("j")
            findings, document, done = self.check_program(
                what, options=("--fail-on", "harmful", "--junit", junit), status=0)
            race = self.race(findings, variable)
            self.assertEqual(race["consequence"]["kind"], what)
            self.assertTrue(race["consequence"]["harmless"])
            self.assertEqual([f["tolerated"] for f in findings], [True])
            self.assertEqual(document["stats"]["tolerated"], 1)
            self.assertIn("heddle: no harmful findings", done.stdout)
            self.assertIn("heddle: 1 race without harm", done.stdout)
            self.assertIn(b'failures="0"', harness.read_bytes(junit))

    def test_what_was_not_tried_is_not_harmless(self):
        findings, _, _ = self.check_program("unknown", options=("--fail-on", "harmful"), status=1)
        race = self.race(findings, "same")
        self.assertEqual(race["consequence"]["kind"], "unknown")
        self.assertFalse(race["consequence"]["harmless"])

    def test_memory(self):
        findings, _, _ = self.check_program("memory", status=1)
        race = [f for f in findings if f["kind"] == "race" and f["location"]["kind"] == "heap"]
        self.assertEqual([f["consequence"]["kind"] for f in race], ["memory"])
        self.assertEqual(len(findings), 1)

    def test_the_second_access_never_comes(self):
        findings, _, _ = self.check_program("early", status=1)
        race, = findings
        self.assertEqual(race["consequence"]["kind"], "assertion")
        self.assertRegex(race["consequence"]["text"], r"if the read by T\d comes before the write at harms.c:\d+ in set_late")
        again, _ = self.run_json("replay", race["schedule"], "--", self.binary["harms"], "early")
        self.assertIn("assertion", [f["kind"] for f in again["findings"]])

    def test_one_cause_is_one_finding(self):
        for what in ("assertion", "values"):
            findings, _, _ = self.check_program(what, status=1)
            self.assertEqual([(f["kind"], f["variable"]) for f in findings], [("race", "sum")])
            self.assertGreater(len(findings[0]["pairs"]), 1)

    def test_bystanders_are_not_blamed(self):
        findings, _, _ = self.check_program("bystander", options=("--keep-going",), status=1)
        self.assertEqual(self.race(findings, "sum")["consequence"]["kind"], "assertion")
        self.assertEqual(self.race(findings, "notes")["consequence"]["kind"], "values")
        self.assertEqual([f["variable"] for f in findings], ["sum", "notes"])

    def test_ids_are_those_of_other_seeds(self):
        ids = set()
        for seed in ("1", "2"):
            findings, _, _ = self.check_program("assertion", options=("--seed", seed), status=1)
            ids |= {f["id"] for f in findings if f["kind"] == "race"}
        self.assertEqual(len(ids), 1)

    def test_safe_twins_are_clean(self):
        for what in ("assertion", "deadlock", "memory", "exit", "output", "values", "none", "early"):
            findings, _, _ = self.check_program(what, "safe", status=0)
            self.assertEqual(findings, [], what)


class Reasons(harness.SystemTest):
    """One mistake is one report, which says what is wrong and not only what came of it."""

    programs = ("reasons.c",)

    def check_program(self, *args, status):
        document, _ = self.run_json("check", "--output", self.path("out"), "--",
                                    self.binary["reasons"], *args, status=status)
        return [(f["kind"], f["variable"]) for f in document["findings"]], document["findings"]

    def test_failures_of_ordinary_runs_have_a_reason(self):
        for what, variable, pattern in (("popped", "top", "RWR"), ("cached", "cached", "RWW")):
            with self.subTest(what):
                found, findings = self.check_program(what, status=1)
                self.assertEqual(found, [("atomicity", variable)])
                self.assertEqual(findings[0]["verdict"], "confirmed")
                self.assertEqual(findings[0]["pattern"], pattern)
                self.assertIn("assertion", findings[0]["outcome"])

    def test_what_fails_in_every_order_has_none(self):
        found, _ = self.check_program("always", status=1)
        self.assertEqual([kind for kind, _ in found], ["assertion"])

    def test_a_loop_that_waits_is_no_reason(self):
        found, _ = self.check_program("ended", status=1)
        self.assertLessEqual({kind for kind, _ in found}, {"misuse", "memory"})
        self.assertEqual(self.check_program("ended", "safe", status=0)[0], [])

    def test_patterns_of_races_are_told_under_them(self):
        found, findings = self.check_program("dropped", status=1)
        self.assertEqual(found, [("race", "job.refs")])
        self.assertEqual(findings[0]["consequence"]["kind"], "memory")
        found, _ = self.check_program("waited", status=1)
        self.assertEqual(found, [("race", "total")])
        found, _ = self.check_program("published", status=1)
        self.assertEqual({kind for kind, _ in found}, {"race"})

    def test_safe_twins_are_clean(self):
        for what in ("popped", "cached", "dropped", "waited"):
            with self.subTest(what):
                self.assertEqual(self.check_program(what, "safe", status=0)[0], [])


class Orders(harness.SystemTest):
    programs = ("orders.c", "overlap.c")

    def test_two_that_are_updated_together(self):
        oracle = ("--oracle", "grep -q together \"$HEDDLE_STDOUT\"")
        for what, options in (("assertion", ()), ("exit", ()), ("output", oracle)):
            with self.subTest(what):
                document, _ = self.run_json("check", "--output", self.path("out"), *options, "--",
                                            self.binary["orders"], what, status=1)
                self.assertEqual([(f["kind"], f["verdict"]) for f in document["findings"]],
                                 [("atomicity", "confirmed")])
                found = document["findings"][0]
                # The one who looks comes after the first update, and before the second.
                self.assertEqual(found["variables"], ["a", "b"])
                self.assertEqual([a["function"] for a in found["accesses"]],
                                 ["update", "look", "look", "update"])
                again, _ = self.run_json("replay", found["schedule"], "--",
                                         self.binary["orders"], what)
                if what != "output":
                    self.assertIn(what, [f["kind"] for f in again["findings"]])

    def test_other_output_that_is_prevented(self):
        """Nobody says that it is wrong; but with both updates in one section it never comes."""
        document, _ = self.run_json("check", "--output", self.path("out"), "--",
                                    self.binary["orders"], "output", status=1)
        found, = document["findings"]
        self.assertEqual((found["variables"], found["remedy"]["found"]), (["a", "b"], True))
        self.assertIn("has the line 'apart'", found["outcome"])

    def test_other_output_alone_may_be_meant(self):
        """It comes with the two in one section, too: so it is no fault."""
        document, _ = self.run_json("check", "--output", self.path("out"), "--keep-going", "--",
                                    self.binary["overlap"], status=0)
        self.assertEqual(document["findings"], [])

    def test_one_section_is_clean(self):
        document, _ = self.run_json("check", "--output", self.path("out"), "--keep-going", "--",
                                    self.binary["orders"], "safe", status=0)
        self.assertEqual(document["findings"], [])


if __name__ == "__main__":
    harness.main()
