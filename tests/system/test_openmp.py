#!/usr/bin/env python3
"""OpenMP programs under every command of heddle: check, replay, gdb, explore, other carriers and builds."""

import os

import harness

SUITE = os.path.join(harness.ROOT, "tests", "openmp")


def found(document):
    return [(f["kind"], f["verdict"]) for f in document["findings"]]


class OpenmpTest(harness.SystemTest):
    @classmethod
    def build(cls, source, name, *flags):
        return super().build(source, name, "-fopenmp", *flags)


class Check(OpenmpTest):
    """From a run in which nothing happened to the schedule in which it does."""

    programs = ("openmp/rare.c",)

    def check(self, *program):
        document, _ = self.run_json("check", "--output", self.path("out"), "--", *program)
        return document

    def rare(self, name):
        document, done = self.run_json("run", "--", self.binary["rare"], name)
        self.assertNotIn("assertion", done.stderr)
        self.assertNotIn("deadlock", done.stderr)
        return self.check(self.binary["rare"], name)

    def test_torn_update(self):
        for name in ("torn_sections", "torn_loop", "torn_tasks"):
            with self.subTest(name):
                document = self.rare(name)
                self.assertEqual(found(document)[:1], [("atomicity", "confirmed")])
                self.assertIn("balance == 112", document["findings"][0]["outcome"])

    def test_lock_order(self):
        for name in ("locks", "nest_locks", "criticals"):
            with self.subTest(name):
                self.assertEqual(found(self.rare(name)), [("deadlock", "confirmed")])

    def test_nothing_wrong(self):
        for name in ("torn_well", "locks_well"):
            with self.subTest(name):
                self.assertEqual(found(self.rare(name)), [])

    def test_parts_of_one_thread(self):
        """Iterations that one thread did race all the same, though no order of its events shows it."""
        for name in ("for_same_chunk", "for_collapse", "teams_distribute"):
            for kind in ("racy", "clean"):
                with self.subTest(name, kind=kind):
                    program = self.build(os.path.join(SUITE, f"{name}_{kind}.c"), f"{name}_{kind}")
                    wanted = {("race", "predicted")} if kind == "racy" else set()
                    self.assertEqual(set(found(self.check(program))) - {("atomicity", "predicted")},
                                     wanted)


if __name__ == "__main__":
    harness.main()
