#!/usr/bin/env python3
"""--outcomes: every end that executions come to, no more and no fewer, each with a schedule that leads
there. What the litmus tests can come to is reasoned by hand."""

import itertools
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

BITS = (0, 1)
PAIRS = set(itertools.product(BITS, BITS))
# In one order of everything: whichever thread's second step is last sees the other's first (SB); y
# is seen without x never (MP); both read before both write never (LB).
SC = {
    "SB": ("r[0], r[1]", PAIRS - {(0, 0)}),
    "MP": ("r[0], r[1]", PAIRS - {(1, 0)}),
    "MP+rel+acq": ("r[0], r[1]", PAIRS - {(1, 0)}),
    "LB": ("r[0], r[1]", PAIRS - {(1, 1)}),
    # The last store of all is the second one of a thread, which is a 2.
    "2+2W": ("x, y", {(1, 2), (2, 1), (2, 2)}),
    # The readers never disagree about which came first.
    "IRIW": ("r[0], r[1], r[2], r[3]", set(itertools.product(BITS, repeat=4)) - {(1, 0, 1, 0)}),
    "add": ("x", {(1,), (2,)}),
    # Two looks at a semaphore beside two posts: it only grows.
    "permits": ("r[0], r[1]", {(a, b) for a in range(3) for b in range(a, 3)}),
    # The key is deleted before it is used, or after.
    "keys": ("r[0]", {(0,), (1,)}),
    # Who makes its key first has the lower number.
    "new keys": ("r[0], r[1]", {(1, 2), (2, 1)}),
}
# Relaxed atomics of C11: all of these, but for load buffering, which would need a read from the future; release
# and acquire keep the order of message passing.
C11 = {
    "SB": ("r[0], r[1]", PAIRS),
    "MP": ("r[0], r[1]", PAIRS),
    "MP+rel+acq": ("r[0], r[1]", PAIRS - {(1, 0)}),
    "LB": ("r[0], r[1]", PAIRS - {(1, 1)}),
    "2+2W": ("x, y", {(1, 2), (2, 1), (2, 2), (1, 1)}),
    "IRIW": ("r[0], r[1], r[2], r[3]", set(itertools.product(BITS, repeat=4))),
    "add": ("x", {(1,), (2,)}),
}
FULL = os.environ.get("HEDDLE_TEST_FULL")
WAYS = [("--snapshots", s, "--jobs", j) for s, j in (("no", "1"), ("auto", "2"), ("all", "1"))]


class Outcomes(harness.SystemTest):
    programs = ("../explore/outcomes.c",)

    def outcomes(self, case, *options):
        document, done = self.run_json("explore", "--outcomes", *options, "--output",
                                       self.path("out"), "--", self.binary["outcomes"], case)
        return document["outcomes"], document, done

    def test_litmus(self):
        for model, expected in (("sc", SC), ("c11", C11)):
            for case, (names, ends) in expected.items():
                if not FULL and case in (("MP", "LB", "add") if model == "sc" else ("MP", "add", "IRIW")):
                    continue
                got, document, _ = self.outcomes(case, "--model", model, "--observe", names)
                keys = names.split(", ")
                values = [tuple(o["values"][k] for k in keys) for o in got]
                self.assertEqual(values, sorted(ends), (case, model))
                self.assertTrue(document["stats"]["complete"])
                self.assertEqual({(o["end"], o["code"]) for o in got}, {("exit", 0)})

    def test_strategies_agree(self):
        for case, (names, ends) in SC.items():
            if case == "IRIW" or not (FULL or case in ("SB", "add")):
                continue  # many executions
            for strategy in (("naive",), ("bounded", "--preemptions", "4")):
                got, _, _ = self.outcomes(case, "--observe", names, "--strategy", *strategy)
                self.assertEqual({tuple(o["values"].values()) for o in got}, ends, (case, strategy))

    def test_by_ranks(self):
        """By several processes: the ends that there are, and what one of them says."""
        cases = [("--observe", SC[case][0], "--model", "sc", "--", self.binary["outcomes"], case) for case in ("SB", "2+2W", "IRIW")]
        cases += [("--observe", C11["SB"][0], "--model", "c11", "--", self.binary["outcomes"], "SB"),
                  ("--", self.binary["outcomes"], "print"), ("--", self.binary["outcomes"], "deadlock")]
        for case in cases if FULL else cases[:2] + cases[3:]:
            told = []
            for ranks in ("1", "2", "3", "5") if FULL else ("1", "3"):
                document, _ = self.run_json("explore", "--outcomes", "--strategy", "dpor", "--start-time", "1000000000", "--ranks", ranks,
                                            "--output", self.path("out"), *case, env={"HEDDLE_ALONE": "1"})
                del document["stats"]["seconds"]
                document["notes"] = [re.sub(r", \d+ a second", "", note) for note in document["notes"]]
                told.append(document)
                self.assertEqual(document, told[0], (case, ranks))
            self.assertTrue(told[0]["stats"]["complete"])
            if "--observe" in case:
                expected = sorted(SC[case[-1]][1] if "sc" in case else C11[case[-1]][1])
                self.assertEqual([tuple(o["values"].values()) for o in told[0]["outcomes"]], expected, case)
            elif case[-1] == "deadlock":
                self.assertEqual([o["end"] for o in told[0]["outcomes"]], ["exit", "deadlock"])
            else:
                self.assertEqual([o["stdout"] for o in told[0]["outcomes"]], ["c\na\nb\n", "c\nb\na\n"])

    def test_output_is_part_of_it(self):
        # All orders of a, b and c on standard output; B is b's own and always there.
        orders = sorted("".join(p) for p in itertools.permutations(["a\n", "b\n", "c\n"]))
        # Of these c is written at once, a and b when the program ends.
        ends = sorted({"c\n" + o.replace("c\n", "") for o in orders})
        for strategy in ("dpor", "naive", "bounded"):
            for way in WAYS if FULL or strategy == "dpor" else WAYS[1:2]:
                got, _, _ = self.outcomes("print", "--strategy", strategy, *way)
                self.assertEqual([o["stdout"] for o in got], ends, (strategy, way))
                self.assertEqual({o["stderr"] for o in got}, {"B\n"})

    def test_other_ends(self):
        got, document, _ = self.outcomes("deadlock")
        self.assertEqual([(o["end"], o["code"]) for o in got], [("exit", 0), ("deadlock", 0)])
        self.assertEqual([f["kind"] for f in document["findings"]], ["deadlock"])
        got, _, _ = self.outcomes("status", "--expect-exit", "11,12")
        self.assertEqual([(o["end"], o["code"], o["stdout"]) for o in got],
                         [("exit", 11, "x is 1\n"), ("exit", 12, "x is 2\n")])

    def test_destruction(self):
        # Of a semaphore that somebody may wait for, and by who has waited for it.
        for case, kinds in (("closed", ["misuse"]), ("closed-clean", [])):
            _, document, _ = self.outcomes(case)
            self.assertEqual([f["kind"] for f in document["findings"]], kinds, case)
            self.assertTrue(kinds or document["stats"]["complete"], document["notes"])

    def test_no_proof(self):
        for case, why in (("cancel", "cancels threads"), ("ask", "asks whether threads have ended")):
            _, document, _ = self.outcomes(case)
            self.assertFalse(document["stats"]["complete"], case)
            self.assertTrue([n for n in document["notes"] if why in n], document["notes"])

    def test_race(self):
        # A plain increment that races loses one, which is seen once its accesses are apart.
        got, document, _ = self.outcomes("racy", "--observe", "plain")
        self.assertEqual([o["values"]["plain"] for o in got], [1, 2])
        self.assertEqual([f["kind"] for f in document["findings"]], ["race"])

    def test_schedules_lead_there(self):
        got, _, done = self.outcomes("status", "--expect-exit", "11,12")
        for outcome in got:
            self.assertIn(outcome["replay"], done.stdout)
            again = self.heddle("replay", outcome["schedule"], "--", self.binary["outcomes"], "status")
            self.assertEqual(again.stdout, outcome["stdout"])
        got, _, _ = self.outcomes("SB", "--model", "c11", "--observe", "r")
        self.assertEqual(len({harness.read_bytes(o["schedule"]) for o in got}), 4)

    def test_values(self):
        got, _, done = self.outcomes("add", "--observe", "shown.small, shown.in.cell,shown.real ,r[1]")
        self.assertEqual(got[0]["values"], {"shown.small": -3, "shown.in.cell": "{1, 2, 65535}",
                                            "shown.real": "-0.5", "r[1]": 0})
        self.assertIn("shown.small = -3, shown.in.cell = {1, 2, 65535}, shown.real = -0.5, r[1] = 0; exit "
                      "status 0; ", done.stdout)

    def test_executions_in_one_process(self):
        # Such a program needs no process for each execution: 90 orders of three loads and three stores, less those
        # of loads alone. The first executions are in processes of their own.
        got, document, _ = self.outcomes("process", "--observe", "pid", "--symmetry", "no", "--jobs", "1")
        self.assertGreater(document["stats"]["executions"], 30)
        self.assertLess(len(got), 10)
        got, document, _ = self.outcomes("process", "--observe", "pid", "--symmetry", "no", "--jobs", "1", "--snapshots", "no")
        self.assertEqual(len(got), document["stats"]["executions"])

    def test_wrong_names(self):
        for names, said in (("nosuch", "no variable 'nosuch'"), ("shown", "name the members"),
                            ("x, ,shown.nosuch", "'shown.nosuch'"), (" , ", "names no variables")):
            done = self.heddle("explore", "--observe", names, "--", self.binary["outcomes"], status=2)
            self.assertIn(said, done.stderr)
        done = self.heddle("explore", "--outcomes", "--resume", "x", "--", self.binary["outcomes"],
                           status=2)
        self.assertIn("--resume", done.stderr)


if __name__ == "__main__":
    harness.main()
