#!/usr/bin/env python3
"""Time passes with work, and alike in every replay."""

import harness

NAP, NAPS, WORKERS = 500000, 3, 2  # as in keeps_time.c; nanoseconds
SHAPES = (("--policy", "random"), ("--policy", "pct"), ("--policy", "rr"),
          ("--switch-at", "sync"), ("--switch-at", "accesses"), ("--record-exact",))


class Pace(harness.SystemTest):
    programs = ("keeps_time.c", "needs_stall.c", "naps_first.c", "gives_up_waiting.c", "guesses_delay.c", "polls_for_ever.c",
                "spinning/sense_barrier.c",
                "spinning/deadline_in_the_past.c", "spinning/run_then_stop.c")

    def out(self, *args):
        return self.heddle(*args, status=0).stdout

    def test_replays_keep_time(self):
        program = ("--", self.binary["keeps_time"])
        for shape in SHAPES:
            with self.subTest(shape):
                trace, text = self.path("t.htr"), self.path("s.txt")
                first = self.out("run", *shape, "--record", trace, *program)
                self.heddle("replay", trace, "--save", text, status=0)
                ways = [("run", *shape, *program), ("run", *shape, "--races", "no", *program),
                        ("replay", trace), ("replay", trace, "--record", self.path("r.htr")),
                        ("replay", text)]
                if "accesses" not in shape:  # millions of switches between kernel threads
                    ways.append(("replay", "--carriers", "threads", trace))
                for again in ways:
                    self.assertEqual(self.out(*again), first, again)

    def test_about_as_fast_as_natively(self):
        """A round is 500 accesses read and write and six calls: about a microsecond natively."""
        lines = self.out("run", "--", self.binary["keeps_time"]).split("\n")
        for i in range(NAPS):
            slept = int(lines[i])
            self.assertGreaterEqual(slept, (i + 1) * NAP)
            self.assertLess(slept, (i + 1) * NAP * 1.2)
        for rounds in lines[NAPS:NAPS + WORKERS]:
            self.assertGreater(int(rounds), NAPS * NAP / 10000)
            self.assertLess(int(rounds), NAPS * NAP / 200)

    def test_no_livelock_where_there_is_none(self):
        for name in ("sense_barrier", "deadline_in_the_past"):
            self.heddle("check", "-k", "--output", self.path(name + ".d"), "--", self.binary[name], status=0)

    def test_a_limit_is_no_finding(self):
        document, done = self.run_json("run", "--max-steps", "1000", "--",
                                       self.binary["polls_for_ever"], status=4)
        self.assertEqual(document["findings"], [])
        self.assertEqual(document["stats"]["stopped"], "steps")
        self.assertIn("--max-steps", done.stderr)
        document, done = self.run_json("run", "--races", "no", "--", self.binary["polls_for_ever"],
                                       status=4)
        self.assertEqual((document["findings"], document["stats"]["stopped"]), ([], "calm"))
        self.assertIn("not proved to be a livelock", done.stderr)

    def check(self, nap, *options, status):
        document, done = self.run_json("check", "--output", self.path("d"), *options, "--",
                                       self.binary["needs_stall"], nap, status=status)
        return document, done.stdout

    def stalls_of(self, document):
        self.assertEqual([f["verdict"] for f in document["findings"]], ["confirmed"])
        return document["findings"][0]["stalls"]

    def test_what_needs_no_stall_has_none(self):
        document, said = self.check("0", status=1)
        self.assertEqual(self.stalls_of(document), [])
        self.assertNotIn("held up", said)

    def test_who_stands_before_a_join_is_not_held_up(self):
        """A schedule in which main has not come to its join yet is no rarer than one in which it has."""
        document, _ = self.run_json("check", "--output", self.path("d"), "--", self.binary["naps_first"], "300", status=1)
        self.assertEqual(self.stalls_of(document), [])

    def test_a_short_stall_is_told(self):
        document, said = self.check("20", status=1)
        stall, = self.stalls_of(document)
        self.assertEqual((stall["thread"], stall["function"]), ("T2", "put"))
        # What the first thread does natively meanwhile takes a few microseconds.
        self.assertLess(abs(stall["ns"] - 20e6), 1e5)
        self.assertIn("  Needs T2 to be held up for 20 ms at needs_stall.c:", said)
        schedule = document["findings"][0]["schedule"]
        self.assertIn("Needs T2 to be held up for 20 ms",
                      self.heddle("replay", schedule, status=1).stderr)

    def test_a_long_stall_is_a_note(self):
        for nap, options in (("200", ()), ("20", ("--stalls", "10ms"))):
            document, said = self.check(nap, *options, status=0)
            self.assertEqual(document["findings"], [])
            self.assertIn(f"T2 to be held up for {nap} ms at needs_stall.c:", said)
        document, _ = self.check("200", "--stalls", "1s", status=1)
        stall, = self.stalls_of(document)
        self.assertLess(abs(stall["ns"] - 200e6), 1e5)

    def test_a_long_stall_that_the_last_search_meets_is_a_note(self):
        program = ("--output", self.path("d"), "--", self.binary["gives_up_waiting"])
        _, done = self.run_json("check", *program, status=0)
        self.assertIn("T1 to be held up for 1 s at gives_up_waiting.c:", done.stdout + done.stderr)
        self.run_json("check", "--stalls", "2s", *program, status=1)
        document, done = self.run_json("check", *program, "looks again", status=0)
        self.assertNotIn("held up", str(document["notes"]) + done.stdout + done.stderr)

    def seeds_that_fail(self, nap, *options, seeds=16):
        program = ("--", self.binary["guesses_delay"], nap)
        return [seed for seed in range(1, seeds + 1)
                if self.heddle("run", *options, "--seed", str(seed), *program).returncode]

    def test_deadlines_strike_early_now_and_then(self):
        """A short sleep is no order; one that is long enough, an orderly run and a join are."""
        for policy in ("random", "pct"):
            failing = self.seeds_that_fail("10", "--policy", policy)
            self.assertTrue(failing, policy)
            self.assertLess(len(failing), 12, policy)
        for options in (("--early", "no"), ("--policy", "rr")):
            self.assertEqual(self.seeds_that_fail("10", *options), [], options)
        self.assertEqual(self.seeds_that_fail("200"), [])
        self.assertEqual(self.seeds_that_fail("0"), [])

    def test_what_a_stall_does_is_not_normal(self):
        """Of thirty sleeps some would end early in every run; those that say what is normal have none."""
        for nap, status in (("10", 1), ("0", 0)):
            document, done = self.run_json("check", "--output", self.path("d" + nap), "--",
                                           self.binary["guesses_delay"], nap, "30", status=status)
            self.assertNotIn("differs between ordinary runs", done.stdout)
            for finding in document["findings"]:
                self.assertEqual(finding["verdict"], "confirmed")
                self.assertTrue(finding["stalls"])

    def test_early_strikes_are_replayed_and_told(self):
        seed = str(self.seeds_that_fail("10")[0])
        trace, again = self.path("early.htr"), self.path("again.htr")
        document, _ = self.run_json("run", "--seed", seed, "--record", trace, "--",
                                    self.binary["guesses_delay"], "10", status=1)
        finding, = document["findings"]
        stall, = finding["stalls"]
        self.assertEqual(stall["function"], "prepare")
        self.assertLess(stall["ns"], 10e6 + 1)
        self.heddle("replay", trace, "--record", again, status=1)
        self.assertEqual(harness.read_bytes(again), harness.read_bytes(trace))

    def test_explore_tells_stalls(self):
        document, said = self.run_json("explore", "--output", self.path("d"), "--",
                                       self.binary["needs_stall"], "5000", status=1)
        stalls = [s for f in document["findings"] for s in f["stalls"]]
        self.assertIn(5, [round(s["ns"] / 1e9, 3) for s in stalls])
        self.assertIn("to be held up for 5 s at needs_stall.c:", said.stdout)

    def test_durations(self):
        for text in ("1.5s", "20us"):
            self.heddle("check", "--runs", "1", "--output", self.path("d"), "--stalls", text, "--",
                        self.binary["sense_barrier"], status=0)
        for text in ("ms", "1x", "-1s", "1.5.2s", ""):
            self.heddle("check", f"--stalls={text}", "--", self.binary["needs_stall"], status=2)


if __name__ == "__main__":
    harness.main()
