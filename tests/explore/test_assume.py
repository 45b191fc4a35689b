#!/usr/bin/env python3
"""heddle_assume: executions in which it does not hold are counted apart and are no findings; what
others do in them still is."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

WAYS = [("--snapshots", s, "--jobs", j) for s in ("no", "auto", "all") for j in ("1", "2")]


class Assume(harness.SystemTest):
    programs = ("../explore/assumed.c",)

    def explore(self, case, *options):
        document, _ = self.run_json("explore", *options, "--output", self.path("out-" + case),
                                    "--", self.binary["assumed"], case)
        return document

    def clean(self, case, assumed, *options):
        document = self.explore(case, *options)
        self.assertEqual(document["findings"], [], case)
        self.assertTrue(document["stats"]["complete"], document["notes"])
        self.assertEqual(document["stats"]["assumed"], assumed, document["notes"])
        return document

    def kinds(self, case, *options):
        return {f["kind"] for f in self.explore(case, *options)["findings"]}

    def test_counted_apart(self):
        # Store buffering has three executions; in one of them r2 is 0.
        for way in WAYS:
            document = self.clean("holds-in-two-of-three", 1, *way)
            self.assertEqual(document["stats"]["executions"], 3)
        note = [n for n in document["notes"] if n.startswith("complete")]
        self.assertIn("not of interest, as an assumption does not hold: 1", note[0])
        # The one without assumption has the failure.
        self.assertEqual(self.kinds("asserts-the-same"), {"assertion"})

    def test_faults_of_others_count(self):
        for strategy in ("dpor", "naive", "bounded"):
            self.assertEqual(self.kinds("fault-of-another", "--strategy", strategy), {"assertion"})
            self.assertEqual(self.kinds("cycle-of-others", "--strategy", strategy), {"deadlock"})
            self.assertEqual(self.kinds("not-joined", "--strategy", strategy), {"exit"})

    def test_replays(self):
        finding, = self.explore("fault-of-another")["findings"]
        document, _ = self.run_json("replay", finding["schedule"], "--", self.binary["assumed"],
                                    "fault-of-another")
        self.assertEqual([f["kind"] for f in document["findings"]], ["assertion"])

    def test_no_deadlock_behind_one(self):
        # Whoever comes first to the lock: it stops with it and the other waits, or comes second.
        self.clean("with-a-lock", 2)
        self.assertEqual(self.kinds("without-unlock"), {"deadlock"})

    def test_no_livelock_behind_one(self):
        # The only one that could set the flag has stopped.
        self.clean("flag", 1)
        document = self.explore("flag-may-come")
        self.assertEqual(document["findings"], [])
        self.assertTrue(document["stats"]["complete"], document["notes"])

    def test_run_and_check(self):
        for seed in range(1, 20):
            document, done = self.run_json("run", "--seed", str(seed), "--", self.binary["assumed"],
                                           "holds-in-two-of-three")
            self.assertEqual(done.returncode, 0)
            self.assertEqual(document["findings"], [])
            held = "to the end" in done.stdout
            self.assertEqual(document["stats"]["assumed"], 0 if held else 1)
            self.assertEqual(any("assumed.c:37" in n for n in document["notes"]), not held)
        # Runs that stop lack a line of the output: no failure.
        document, done = self.run_json("check", "--output", self.path("out"), "--",
                                       self.binary["assumed"], "holds-in-two-of-three")
        self.assertEqual((document["findings"], done.returncode), ([], 0))

    def test_native(self):
        # Without heddle it does nothing.
        done = subprocess.run(["cc", "-pthread", "-DNDEBUG", "-I" + os.path.join(harness.ROOT, "include"),
                               os.path.join(harness.HERE, "../explore/assumed.c"), "-o",
                               self.path("native")], check=False)
        self.assertEqual(done.returncode, 0)
        for case in ("holds-in-two-of-three", "with-a-lock", "flag-may-come"):
            done = subprocess.run([self.path("native"), case], timeout=60, capture_output=True,
                                  text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, "to the end\n"))


if __name__ == "__main__":
    harness.main()
