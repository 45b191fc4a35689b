#!/usr/bin/env python3
"""Timers and signals by descriptors: as natively, equal in every run, and tried where that is possible."""

import subprocess

import harness

CALLS = ("timerfd_calls", "timer_calls", "signalfd_calls")


class Timers(harness.SystemTest):
    programs = tuple(f"timer/{name}.c" for name in
                     (*CALLS, "timerfd_loop", "signalfd_loop", "timer_thread_race",
                      "timer_intervals")) + ("timed_race.c",)

    def kinds(self, document):
        return [f["kind"] for f in document["findings"]]

    def test_calls_return_what_the_kernel_returns(self):
        """These programs assert each result; natively they hold as well."""
        for name in CALLS:
            native = self.path("native")
            subprocess.run(["cc", "-O1", "-pthread", f"{harness.PROGRAMS}/timer/{name}.c", "-o", native],
                           check=True)
            done = subprocess.run([native], timeout=harness.LIMIT, check=False)
            self.assertEqual(done.returncode, 0, name)

    def test_equal_seeds_and_replays_are_equal(self):
        for name in ("timerfd_loop", "signalfd_loop", "timer_thread_race", "timer_intervals"):
            for seed in ("1", "7"):
                runs = [self.path(f"{name}{seed}-{i}") for i in range(3)]
                for trace in runs[:2]:
                    self.heddle("run", "-q", "--seed", seed, "--start-time", "1000000",
                                "--record", trace, "--", self.binary[name])
                self.assertEqual(harness.read_bytes(runs[0]), harness.read_bytes(runs[1]), name)
                document, _ = self.run_json("replay", runs[0], "--record", runs[2])
                self.assertIsNone(document["divergence"], name)
                self.assertEqual(harness.read_bytes(runs[0]), harness.read_bytes(runs[2]), name)

    def test_nothing_is_dropped_or_outside(self):
        for name in ("timerfd_loop", "timer_intervals"):
            document, _ = self.run_json("run", "--", self.binary[name], status=0)
            self.assertEqual(document["drops"], {}, name)
            self.assertEqual(document.get("outside", []), [], name)

    def explore(self, *args, status):
        document, done = self.run_json("explore", "--time", "30", "--output", self.path("out"), "--",
                                       self.binary["timed_race"], *args, status=status)
        return document, done.stdout + done.stderr

    def test_a_thread_of_a_timer_may_come_at_any_moment(self):
        document, said = self.explore("thread", status=1)
        self.assertEqual(self.kinds(document), ["assertion"], said)
        again, _ = self.run_json("replay", document["findings"][0]["schedule"], status=1)
        self.assertIsNone(again["divergence"])
        self.assertEqual(self.kinds(again), ["assertion"])
        document, said = self.explore("thread", "good", status=0)
        self.assertTrue(document["stats"]["complete"], said)

    def test_a_reader_may_be_told_at_any_moment(self):
        document, said = self.explore("descriptor", status=1)
        self.assertEqual(self.kinds(document), ["assertion"], said)

    def test_no_proof_with_other_timers(self):
        for how in ("descriptor", "signal"):
            document, said = self.explore(how, "good", status=4)
            self.assertEqual(document["findings"], [], said)
            self.assertEqual(document["stats"]["stopped"], "timers", said)
            self.assertFalse(document["stats"]["complete"])

    def test_ordinary_runs_wait_for_the_timer(self):
        for how in ("thread", "descriptor", "signal"):
            self.run_json("run", "--policy", "rr", "--", self.binary["timed_race"], how, status=0)


if __name__ == "__main__":
    harness.main()
