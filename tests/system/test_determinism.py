#!/usr/bin/env python3
"""Equal seeds give equal runs, byte for byte, whatever is around the program."""

import os
import subprocess

import harness

FULL = "HEDDLE_TEST_FULL" in os.environ
SEEDS = range(1, 11 if FULL else 4)
# What differs between the two runs of a seed, besides the trace's name.
LARGE = {"PADDING_" + str(i): "x" * (97 * i + 1) for i in range(20)}


class Determinism(harness.SystemTest):
    programs = ("order.c", "bugs/lost_update.c", "mutex/abba_deadlock.c", "cond/missed_signal.c",
                "cond/bounded_queue.c", "cancel/cancel_points.c", "atomics/futex_lock.c",
                "bugs/use_after_free.c", "cxx/std_future.cpp", "spinning/wait_volatile.c")

    def record(self, name, trace, options, env=None, stdout=subprocess.PIPE):
        if os.path.exists(trace):
            os.unlink(trace)
        return self.run_json("run", "-q", "--start-time", "1000000000", *options, "--record", trace,
                             "--", self.binary[name], env=env, stdout=stdout)[1]

    def compare(self, name, seeds, *options):
        different = set()
        for seed in seeds:
            a, b = self.path("a"), self.path("a-trace-with-a-longer-name-than-the-first")
            chosen = [*options, "--seed", str(seed)]
            first = self.record(name, a, chosen)
            with open(self.path("out"), "w+", encoding="utf-8") as out:
                second = self.record(name, b, chosen, env=LARGE, stdout=out)
                out.seek(0)
                self.assertEqual(first.stdout, out.read(), f"{name} {chosen}")
            self.assertEqual(first.returncode, second.returncode)
            self.assertEqual(harness.read_bytes(a), harness.read_bytes(b), f"{name} {chosen}")
            different.add(harness.read_bytes(a)[100:])
        return len(different)

    def test_hundred_seeds(self):
        seeds = 100 if FULL else 6
        for name in ("order", "lost_update", "abba_deadlock", "missed_signal"):
            with self.subTest(name):
                # Seeds must matter, or equal traces would mean little.
                self.assertGreater(self.compare(name, range(1, 1 + seeds)), 2)

    def test_many_kinds_of_programs(self):
        for name in self.binary:
            with self.subTest(name):
                self.compare(name, SEEDS)

    def test_policies(self):
        for policy in ("pct", "rr"):
            for name in ("order", "bounded_queue", "futex_lock"):
                with self.subTest(policy=policy, name=name):
                    self.compare(name, SEEDS, "--policy", policy)

    def test_switch_at_accesses(self):
        for name in ("order", "bounded_queue", "use_after_free", "lost_update"):
            with self.subTest(name):
                self.compare(name, SEEDS, "--switch-at", "accesses")

    def test_other_options(self):
        self.compare("bounded_queue", SEEDS, "--spurious")
        self.compare("order", SEEDS, "--calls", "--record-exact")
        self.compare("order", SEEDS, "--stack-size", "1M")

    def test_from_another_folder(self):
        for folder in ("x", "another-folder"):
            os.mkdir(self.path(folder))
            self.heddle("run", "-q", "--record", self.path(folder + ".htr"), "--",
                        self.binary["order"], cwd=self.path(folder), status=0)
        self.assertEqual(harness.read_bytes(self.path("x.htr")),
                         harness.read_bytes(self.path("another-folder.htr")))


class RecordingChangesNothing(harness.SystemTest):
    """A run that is recorded follows the same schedule as one that is not."""

    programs = ("order.c", "bugs/lost_update.c", "cond/missed_signal.c", "mutex/abba_deadlock.c",
                "places.c")

    def outcome(self, name, *options):
        document, done = self.run_json("run", *options, "--", self.binary[name])
        return done.returncode, done.stdout, [f["id"] for f in document["findings"]]

    def test_same_schedule(self):
        outputs = set()
        for seed in range(1, 21 if FULL else 8):
            for name in self.binary:
                for extra in ((), ("--policy", "pct", "--pct-length", "50"),
                              ("--switch-at", "accesses")):
                    options = ("--seed", str(seed), *extra)
                    plain = self.outcome(name, *options)
                    recorded = self.outcome(name, *options, "--record", self.path("t"))
                    self.assertEqual(plain, recorded, f"{name} {options}")
                    exact = self.outcome(name, *options, "--record", self.path("t"),
                                         "--record-exact", "--calls")
                    self.assertEqual(plain, exact, f"{name} {options}")
                    outputs.add(plain[1])
        self.assertGreater(len(outputs), 10)

    def test_same_places(self):
        """Nor does recording move what the program maps."""
        for seed in ("1", "2", "3"):
            plain = self.outcome("places", "--seed", seed)
            for extra in ((), ("--record-exact",), ("--calls",)):
                recorded = self.outcome("places", "--seed", seed, "--record", self.path("t"),
                                        *extra)
                self.assertEqual(plain, recorded)
            self.heddle("run", "--seed", seed, "--record", self.path("t"), "--",
                        self.binary["places"])
            self.assertEqual(self.heddle("replay", self.path("t"), status=0).stdout, plain[1])


harness.main()
