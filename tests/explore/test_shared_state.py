#!/usr/bin/env python3
"""States of libc and of the process that threads share are operations: every order of them is tried.

usage: test_shared_state.py BUILDDIR [unittest's arguments]
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

# Of two steps of one thread and one of another, which comes first, second, third.
PLACES = {(1, 2, 3), (1, 3, 2), (2, 3, 1)}
CASES = {
    "rand": PLACES,
    # The second call returns what the first set, or what the other thread set between the two.
    "umask": {(0o7, 0, 0), (0o70, 0, 0)},
    "lseek": {(1, 0, 0), (3, 0, 0)},
    "bytes": {(0, 0, 0), (3, 0, 0)},
    "flags": {(0, 0, 0), (1, 0, 0)},
    "dup": {(0, 1, 0), (1, 0, 0)},
    "name": {(0, 0, 0), (1, 0, 0)},
    "own": {(1, 0, 0)},
}


class SharedState(harness.SystemTest):
    programs = ("../explore/shared_state.c",)

    def explore(self, case, *options):
        document, _ = self.run_json("explore", *options, "--output", self.path("out"), "--",
                                    self.binary["shared_state"], case)
        return document

    def test_every_order(self):
        # Each of the 14,000 executions of lseek under naive restores a file.
        short = not os.environ.get("HEDDLE_TEST_FULL")
        for strategy in ("dpor", "naive"):
            for case, want in CASES.items():
                if short and (case, strategy) == ("lseek", "naive"):
                    continue
                with self.subTest(case, strategy=strategy):
                    document = self.explore(case, "--strategy", strategy, "--observe", "a, b, c")
                    got = {tuple(o["values"][v] for v in "abc") for o in document["outcomes"]}
                    self.assertEqual(got, want)
                    self.assertTrue(document["stats"]["complete"], document["notes"])

    def test_own_states_multiply_nothing(self):
        self.assertEqual(self.explore("own", "--strategy", "dpor")["stats"]["executions"], 1)

    def test_schedules_are_repeated(self):
        document = self.explore("rand", "--observe", "a, b, c")
        for outcome in document["outcomes"]:
            again, ended = self.run_json("replay", outcome["schedule"], "--",
                                          self.binary["shared_state"], "rand")
            self.assertEqual((again["findings"], ended.returncode), ([], 0), again["notes"])

    def test_join_and_detach(self):
        """Whichever comes second is given a thread that is not there any more, or is detached."""
        found = self.explore("join", "--keep-going")["findings"]
        self.assertEqual({f["kind"] for f in found}, {"misuse"})
        self.assertGreater(len(found), 1)

    def test_exit_handlers(self):
        """The last to register is called first: both ends are found."""
        document = self.explore("atexit", "--outcomes", "--expect-exit", "1,2")
        self.assertEqual({o["code"] for o in document["outcomes"]}, {1, 2}, document["outcomes"])
        self.assertTrue(document["stats"]["complete"], document["notes"])

    def test_no_proof(self):
        for case in ("folder", "file", "close"):
            stats = self.explore(case)["stats"]
            self.assertEqual((stats["stopped"], stats["complete"]), ("states", False), case)
        for case in ("own-file", "own-close"):
            self.assertTrue(self.explore(case)["stats"]["complete"], case)


if __name__ == "__main__":
    harness.main()
