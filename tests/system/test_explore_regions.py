#!/usr/bin/env python3
"""heddle explore in rounds: what races becomes a place to switch at."""

import re

import harness


class Rounds(harness.SystemTest):
    programs = ("torn_pair.c",)

    def explore(self, program, *args, options=(), status=0):
        document, done = self.run_json("explore", "--output", self.path("out"), *options, "--",
                                       program, *args, status=status)
        return document, done.stderr + done.stdout

    def rounds(self, text):
        return int(re.search(r"(\d+) round", text)[1])

    def test_what_racing_accesses_can_do(self):
        """The assertion fails only between two racing accesses, so in the second round."""
        for strategy in ("dpor", "bounded", "naive"):
            with self.subTest(strategy):
                document, text = self.explore(self.binary["torn_pair"], status=1, options=(
                    "--keep-going", "--strategy", strategy))
                self.assertEqual({f["kind"] for f in document["findings"]}, {"race", "assertion"})
                self.assertEqual(self.rounds(text), 1 if strategy == "naive" else 2)
                self.assertTrue(document["stats"]["complete"])

    def test_without_keep_going_the_race_is_enough(self):
        document, text = self.explore(self.binary["torn_pair"], status=1)
        self.assertEqual({f["kind"] for f in document["findings"]}, {"race"})
        self.assertEqual(self.rounds(text), 1)

    def test_without_races_there_is_one_round(self):
        document, text = self.explore(self.binary["torn_pair"], "locked",
                                      options=("--keep-going",))
        self.assertEqual(document["findings"], [])
        self.assertTrue(document["stats"]["complete"])
        self.assertEqual(self.rounds(text), 1)

    def test_schedules_of_later_rounds_replay(self):
        document, _ = self.explore(self.binary["torn_pair"], status=1, options=("--keep-going",))
        for finding in document["findings"]:
            again, _ = self.run_json("replay", finding["schedule"], status=1)
            self.assertIsNone(again["divergence"])
            self.assertIn(finding["kind"], [f["kind"] for f in again["findings"]])


if __name__ == "__main__":
    harness.main()
