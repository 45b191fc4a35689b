#!/usr/bin/env python3
"""Algorithms of which it is known by reading whether they are right: right ones are proved, the mistake of each other
one is found, whatever the optimisation and the strategy."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = os.environ.get("HEDDLE_TEST_FULL")
LEVELS = ("-O1", "-O0", "-O2")
STRATEGIES = ("dpor", "auto")

# What the mistake leads to. With mcs, who waits at a list that is taken for empty waits for ever. With ring and buffer, both may be at
# one place at the same time, which is a race.
WRONG = {name: {"assertion"} for name in ("dekker", "lamport", "bakery", "clh", "readers-writer", "seqlock",
                                          "grace-period", "deque")}
WRONG.update({"mcs": {"livelock"}, "ring": {"assertion", "race"}, "last-user": {"memory"}, "lost-wakeup": {"deadlock"},
              "buffer": {"assertion", "race"}})


class Algorithms(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.built = {level: cls.build(os.path.join(HERE, "algorithms.c"), "algorithms" + level, level)
                     for level in LEVELS}

    def test_verdicts(self):
        ways = [(level, strategy) for strategy in STRATEGIES for level in LEVELS]
        for i, name in enumerate(WRONG):
            for level, strategy in ways if FULL else [ways[i % len(ways)]]:
                with self.subTest(name, level=level, strategy=strategy):
                    words = ("explore", "--strategy", strategy, "--output", self.path("out"), "--", self.built[level], name)
                    document, _ = self.run_json(*words, "right", status=0)
                    self.assertEqual((document["findings"], document["stats"]["complete"]), ([], True))
                    document, _ = self.run_json(*words, "wrong", status=1)
                    kinds = {f["kind"] for f in document["findings"]}
                    self.assertTrue(kinds and kinds <= WRONG[name], kinds)


if __name__ == "__main__":
    harness.main()
