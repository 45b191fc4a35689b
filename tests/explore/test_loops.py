#!/usr/bin/env python3
"""Loops that wait, retries and looks: dpor leaves out what makes no difference, and comes to every end that there is. By
small programs whose ends are written down here, and random ones with a model of their own (loop_programs.py).
HEDDLE_TEST_PROGRAMS says how many, HEDDLE_TEST_SEED which."""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position
import loop_programs  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = os.environ.get("HEDDLE_TEST_FULL")
MANY = int(os.environ.get("HEDDLE_TEST_PROGRAMS", "300" if FULL else "12"))
SEED = int(os.environ.get("HEDDLE_TEST_SEED", "1"))
LEVELS = ("-O0", "-O1", "-O2")

# Arguments, and the ends. What is in loops.c says why.
KNOWN = [(("stack",), "0 1 5"), (("exchange",), "0 1 5"), (("operand",), "1"), (("clock",), "0"), (("clock", "set"), "0 1")]


# What reads_back.c prints, and whether it races.
READS_BACK = [("write", ("3 1", "3 3", "1 1"), {"race"}), ("read", ("0 0", "0 3", "3 3"), {"race"}),
              ("locked write", ("3 1", "1 1"), set()), ("locked read", ("0 0", "3 3"), set())]


class Loops(harness.SystemTest):
    def ends(self, program, *args, options=()):
        """What it may print, kinds of findings, and whether that is all."""
        document, _ = self.run_json("explore", "--strategy", "dpor", "--outcomes", "--output", self.path("out"), *options,
                                    "--", program, *args)
        printed = {o["stdout"].strip() for o in document["outcomes"]} - {""}
        return printed, {f["kind"] for f in document["findings"]}, document["stats"]["complete"]

    def test_known(self):
        for level in LEVELS if FULL else ("-O1",):
            program = self.build(os.path.join(HERE, "loops.c"), "loops", level)
            for args, ends in KNOWN:
                with self.subTest(args, level=level):
                    self.assertEqual(self.ends(program, *args), (set(ends.split()), set(), True))

    def test_accesses_behind_one_that_races(self):
        for level in LEVELS if FULL else ("-O1",):
            program = self.build(os.path.join(HERE, "reads_back.c"), "reads_back", level)
            for what, ends, kinds in READS_BACK:
                with self.subTest(what, level=level):
                    self.assertEqual(self.ends(program, what), (set(ends), kinds, True))

    def test_random(self):
        programs = loop_programs.random_programs(random.Random(SEED), MANY)
        source = self.path("random.c")
        with open(source, "w", encoding="ascii") as file:
            file.write(loop_programs.c_text([program for program, _ in programs]))
        built = [self.build(source, "random" + level, level, "-w") for level in LEVELS]
        cut = 0
        for k, (_, model) in enumerate(programs):
            for level, program in zip(LEVELS, built):
                if not FULL and k % len(LEVELS) != LEVELS.index(level):
                    continue
                with self.subTest(k, level=level):
                    printed, kinds, complete = self.ends(program, str(k), options=("--executions", "2000"))
                    self.assertLessEqual(printed, model.ends)
                    self.assertLessEqual(kinds, {"deadlock", "livelock", "race"})
                    self.assertLessEqual(len(kinds - {"race"}), model.gets_stuck)
                    self.assertLessEqual("race" in kinds, model.races)
                    if complete:
                        self.assertEqual((printed, bool(kinds - {"race"}), "race" in kinds),
                                         (model.ends, model.gets_stuck, model.races))
                    cut += not complete
        print(f"{cut} of {MANY} programs were not explored to the end")


if __name__ == "__main__":
    harness.main()
