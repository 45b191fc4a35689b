#!/usr/bin/env python3
"""heddle explore: as many executions as theory says, every fault, and witnesses that replay."""

import math
import os
import re

import harness


class Explore(harness.SystemTest):
    programs = ("explored.c",)

    def explore(self, *args, options=(), status=0):
        return self.run_json("explore", "--output", self.path("out"), *options, "--",
                             self.binary["explored"], *map(str, args), status=status)

    def counts(self, done):
        """Executions, and how many of them were redundant or matched."""
        found = re.search(r"(\d+) executions \((\d+) redundant, (\d+) into states", done.stderr + done.stdout)
        self.assertIsNotNone(found, done.stderr + done.stdout)
        return tuple(map(int, found.groups()))

    def whole(self, *args, options=(), status=0):
        """Executions that were not cut short, of an exploration that is complete."""
        document, done = self.explore(*args, options=options, status=status)
        self.assertTrue(document["stats"]["complete"])
        executions, redundant, _ = self.counts(done)
        return executions - redundant

    def test_writers_in_every_order(self):
        for n in range(1, 6):
            self.assertEqual(self.whole("writes", n), math.factorial(n))

    def test_sections_in_every_order(self):
        for n in range(1, 5):
            self.assertEqual(self.whole("section", n), math.factorial(n))

    def test_every_execution_reads_the_same_input(self):
        file = self.path("input")
        with open(file, "w", encoding="utf-8") as opened:
            opened.write("abc")
        for options in ((), ("--snapshots", "all")):
            with open(file, encoding="utf-8") as stdin:
                done = self.heddle("explore", *options, "--", self.binary["explored"], "input", "3",
                                   stdin=stdin, status=0)
            executions, redundant, _ = self.counts(done)
            self.assertEqual(executions - redundant, math.factorial(3))

    def test_what_does_not_conflict_is_run_once(self):
        for what in ("reads", "alone"):
            self.assertEqual(self.whole(what, 4), 1)

    def test_without_reduction(self):
        """Both ways of counting: states once each, or every sequence."""
        one = ("--strategy", "bounded", "--preemptions", "0")
        self.assertGreater(self.whole("writes", 2, options=("--strategy", "naive")), 2)
        for match in ("yes", "no"):
            document, _ = self.explore("withdraws", 2, options=one + ("--match", match))
            self.assertTrue(document["stats"]["complete"])
            self.assertEqual(document["findings"], [])

    def faults(self, *args, options=()):
        document, done = self.explore(*args, options=("--keep-going", *options), status=1)
        return document["findings"], done

    def test_every_strategy_finds_every_fault(self):
        expected = {"withdraws": "assertion", "crosses": "deadlock", "misses": "deadlock",
                    "races": "race"}
        for what, kind in expected.items():
            for strategy in ("dpor", "naive", "bounded", "pct", "random"):
                # Samples go on to the end of their budget.
                executions = "200" if strategy in ("pct", "random") else "2000"
                with self.subTest(what, strategy=strategy):
                    found, _ = self.faults(what, 2, options=("--strategy", strategy,
                                                             "--executions", executions))
                    self.assertEqual({f["kind"] for f in found}, {kind})

    def test_the_same_assertion_on_two_lines_is_two(self):
        for strategy in ("dpor", "naive", "random"):
            with self.subTest(strategy):
                found, _ = self.faults("looks", 0, options=("--strategy", strategy,
                                                            "--executions", "200"))
                self.assertEqual({f["kind"] for f in found}, {"assertion"})
                self.assertEqual([len({f["site"]["line"] for f in found}),
                                  len({f["id"] for f in found}),
                                  len({f["schedule"] for f in found})], [2, 2, 2])
                for f in found:
                    again, _ = self.run_json("replay", f["schedule"], "--", self.binary["explored"],
                                             "looks", "0", status=1)
                    self.assertEqual(again["findings"][0]["site"]["line"], f["site"]["line"])

    def test_clean_twins(self):
        for what in ("meets", "spins", "posts", "section"):
            with self.subTest(what):
                document, _ = self.explore(what, 2)
                self.assertEqual(document["findings"], [])
                self.assertTrue(document["stats"]["complete"])

    def same_in_full(self, *command):
        """Explored with states compared by hash and in full: the same, and no hash was wrong."""
        seen = []
        for match in ("yes", "exact"):
            document, done = self.run_json("explore", "--keep-going", "--match", match, "--output",
                                           self.path("out"), *command)
            seen.append([document["stats"][key] for key in ("states", "executions", "complete")])
            if match == "exact":
                self.assertIn("compared in full: 0 had", done.stdout + done.stderr, command)
        self.assertEqual(seen[0], seen[1], command)
        self.assertGreater(seen[0][0], 0, command)

    def test_no_two_states_were_taken_for_one(self):
        for what in ("section", "withdraws", "crosses", "misses", "meets", "spins", "posts"):
            for strategy in ("naive", "bounded"):
                self.same_in_full("--strategy", strategy, "--", self.binary["explored"], what, "2")
        for name in ("integer_counter_isolated", "pipeline_with_futures"):
            source = os.path.join(harness.ROOT, "bench", "programs", "explore", name + ".c")
            self.same_in_full("--strategy", "regions", "--", self.build(source, name))

    def test_another_exit_status_is_a_fault(self):
        found, _ = self.faults("writes", 3, 0)
        self.assertEqual([f["kind"] for f in found], ["exit"])
        self.assertEqual(self.explore("writes", 3, 7)[0]["findings"], [])

    def test_chances_of_pct(self):
        """A lost update has depth 2: both reads come before the other's write. With 3 threads and
        20 decisions (there are no more than 12) an execution with one change of priorities
        meets it with a probability of at least 1/60; so do 120 at least once, but for 0.13."""
        options = ("--strategy", "pct", "--pct-depth", "2", "--pct-length", "20")
        document, done = self.explore("withdraws", 2, status=1,
                                      options=(*options, "--executions", "120"))
        self.assertEqual({f["kind"] for f in document["findings"]}, {"assertion"})
        _, done = self.explore("section", 2, status=4, options=(*options, "--executions", "50"))
        self.assertIn("1/(3 * 20^1) = 0.017, one of 50 with 0.57", done.stdout + done.stderr)
        # Without a change there is no way to it: the first of the two goes on to its end.
        document, _ = self.explore("withdraws", 2, status=4,
                                   options=("--strategy", "pct", "--pct-depth", "1",
                                            "--executions", "100"))
        self.assertEqual(document["findings"], [])

    def test_witnesses_replay(self):
        pct = ("--strategy", "pct", "--executions", "200")
        for what, options in (("withdraws", ()), ("crosses", ()), ("misses", ()), ("races", ()),
                              ("withdraws", pct), ("crosses", pct)):
            found, _ = self.faults(what, 2, options=options)
            for finding in found:
                for _ in range(3):
                    again, _ = self.run_json("replay", finding["schedule"], status=1)
                    self.assertIsNone(again["divergence"])
                    self.assertIn(finding["kind"], [f["kind"] for f in again["findings"]])

    def test_all_executions_do_the_same_before_there_are_threads(self):
        for name in ("weak_owner", "constructs_first"):
            program = self.build(f"cxx/{name}.cpp", name)
            document, done = self.run_json("explore", "--output", self.path("out"), "--", program, status=0)
            self.assertTrue(document["stats"]["complete"])
            self.assertIsNone(document["divergence"], done.stdout)

    def test_budgets_are_no_proof(self):
        for writers, option, value, why in ((5, "--executions", "10", "executions"),
                                            (4, "--depth", "3", "depth"),
                                            (7, "--time", "0.05", "time")):
            document, done = self.explore("writes", writers, options=(option, value), status=4)
            self.assertFalse(document["stats"]["complete"])
            self.assertEqual(document["stats"]["stopped"], why)
            self.assertIn("not a proof", done.stderr + done.stdout)
        document, done = self.explore("writes", 3, status=0)
        self.assertTrue(document["stats"]["complete"])
        self.assertIsNone(document["stats"]["stopped"])
        proof = [n for n in document["notes"] if n.startswith("complete:")]
        self.assertEqual(len(proof), 1)
        for words in ("this input", "sequential consistency", "times at any moment",
                      "code without hooks: none"):
            self.assertIn(words, proof[0])

    def test_the_same_again(self):
        options = ("--keep-going", "--start-time", "1700000000")
        first, _ = self.explore("withdraws", 3, options=options, status=1)
        again, _ = self.explore("withdraws", 3, options=options, status=1)
        for document in (first, again):
            document["stats"].pop("seconds")
            document.pop("notes")
        self.assertEqual(first, again)

    def regions(self, name, status=0):
        """A task program of the benchmark, explored at its regions."""
        source = os.path.join(harness.ROOT, "bench", "programs", "explore", name + ".c")
        program = self.build(source, name)
        return self.run_json("explore", "--strategy", "regions", "--output", self.path("out"), "--",
                             program, status=status)[0]

    def test_isolated_blocks_in_all_orders_of_states(self):
        """Nine tasks, each before or after its block: all subsets but those where fewer than two
        are left to choose from."""
        document = self.regions("integer_counter_isolated")
        self.assertEqual(document["stats"]["states"], 2 ** 9 - 10)
        self.assertTrue(document["stats"]["complete"])
        self.assertEqual(document["findings"], [])

    def test_programs_that_are_not_under_control(self):
        done = self.heddle("explore", "--", "env", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("heddle cc", done.stderr)
        self.heddle("explore", status=2)
        self.heddle("explore", "--", "./no-such-program", status=2)


if __name__ == "__main__":
    harness.main()
