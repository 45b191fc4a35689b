#!/usr/bin/env python3
"""Memory that is mapped at two addresses is one, and nothing is proved about it.

usage: test_mapped_twice.py BUILDDIR [unittest's arguments]
"""

import harness

CLEAN = ("flag", "waits", "mutex")
RACY = {"relaxed": 1, "plain": 2}
TWICE = ("twice", "moved")


class MappedTwice(harness.SystemTest):
    programs = ("mapped_twice.c",)

    def look(self, command, *options, how, what):
        document, ended = self.run_json(command, *options, "--", self.binary["mapped_twice"], how, what)
        self.assertIn(ended.returncode, (0, 1, 4), ended.stderr)
        return document, ended

    def races(self, *options, how, what):
        """Those of several orders, in which one thread comes before the other and after it."""
        found = set()
        for seed in range(1, 9):
            document, _ = self.look("run", *options, "--seed", str(seed), how=how, what=what)
            for finding in document["findings"]:
                self.assertEqual(finding["kind"], "race", finding)
                found.add(finding["summary"])
        return len(found)

    def test_order_counts_whichever_address_is_used(self):
        for how in TWICE + ("once",):
            for what in CLEAN:
                for options in ((), ("--record", self.path("trace"), "--analyze")):
                    with self.subTest(how=how, what=what, options=options):
                        self.assertEqual(self.races(*options, how=how, what=what), 0)

    def test_races_by_two_addresses(self):
        for how in TWICE + ("once",):
            for what, want in RACY.items():
                with self.subTest(how=how, what=what):
                    self.assertGreaterEqual(self.races(how=how, what=what), want)

    def test_other_parts_of_the_file_are_other_memory(self):
        self.assertEqual(self.races(how="apart", what="plain"), 0)

    def test_nothing_is_proved(self):
        for how in TWICE:
            for what in CLEAN:
                with self.subTest(how=how, what=what):
                    document, ended = self.look("explore", "--output", self.path("out"), how=how, what=what)
                    self.assertEqual((document["findings"], ended.returncode), ([], 4))
                    self.assertEqual(document["stats"]["stopped"], "mappings")
        for what in RACY:
            document, _ = self.look("explore", "--output", self.path("out"), how="twice", what=what)
            self.assertIn("race", {f["kind"] for f in document["findings"]}, what)

    def test_one_mapping_and_two_of_other_parts_are_proved(self):
        for how, what in (("once", "flag"), ("once", "mutex"), ("apart", "plain")):
            with self.subTest(how=how, what=what):
                document, ended = self.look("explore", "--output", self.path("out"), how=how, what=what)
                self.assertEqual((document["findings"], ended.returncode), ([], 0), document["notes"])
                self.assertTrue(document["stats"]["complete"])


harness.main()
