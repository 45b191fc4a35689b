#!/usr/bin/env python3
"""A search by several processes: the same executions, findings and JSON however many there are, as many as theory
gives; processes that are killed, and searches that are continued with another number of them."""

import math
import os
import random
import re
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
RANKS = ("1", "2", "3", "5")
# Others help from the second execution on.
AT_ONCE = {"HEDDLE_ALONE": "1"}

# test_counts.py says why.
COUNTED = [
    *(("counted", "readers", n, 2 ** n) for n in (1, 3, 6)),
    *(("counted", "numbers", n, math.factorial(n)) for n in (2, 4, 5)),
    *(("counted", "lastzero", n, (n + 3) * 2 ** n // 4) for n in (2, 5, 7)),
    ("counted", "barrier", 2, 1), ("counted", "last", 3, 6), ("counted", "last-by-other", 3, 6),
    *(("waiting", name, 4, 24) for name in ("ticket", "test-and-set", "compare-and-swap")),
    ("waiting", "flag", 3, 1), *(("waiting", "count", n, 4 ** n) for n in (1, 3)),
    *(("waiting", "remember", n, sum(math.perm(n, k) for k in range(n + 1))) for n in (2, 3)),
]
# Three threads with three sections each: 9! / (3! 3! 3!).
SECTIONS = "\n" + 3 * "l0u0l0u0l0u0\n"
# The same; two of them also take two locks in opposite orders.
DEADLOCK = "\nl0u0l0u0l1l2u2u1\nl0u0l0u0l2l1u1u2\nl0u0\n"
# A race where all sections of the second thread come before those of the first; else a lock is between them.
RACE = "\nh1l0u0l0u0l0u0\nl0u0l0u0l0u0h1\nl0u0l0u0l0u0\n"
CLEAN_TWIN = "\nl0u0l0u0l1l2u2u1\nl0u0l0u0l1l2u2u1\nl0u0\n"


def with_sum(text):
    """As if it had been written so: FNV-1a comes last."""
    value = 0xcbf29ce484222325
    for byte in text:
        value = (value ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return text + value.to_bytes(8, sys.byteorder)


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read().split("\0")
    except (FileNotFoundError, ProcessLookupError):
        return []


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(n) for n in file.read().split()]
    except FileNotFoundError:
        return []


class Ranks(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, flags in (("script", ()), ("counted", ()), ("one_file", ()), ("waiting", ("-O1",))):
            cls.binary[name] = cls.build(os.path.join(HERE, name + ".c"), name, *flags)

    def explore(self, *words, env=None, script=None):
        """What --json says, without what it took."""
        stdin = None
        if script:
            with open(self.path("program"), "w", encoding="utf-8") as file:
                file.write(script)
            with open(self.path("result"), "wb"):
                pass
            words = (*words, "--", self.binary["script"], self.path("result"))
            stdin = open(self.path("program"), encoding="utf-8")  # pylint: disable=consider-using-with
            self.addCleanup(stdin.close)
        document, _ = self.run_json("explore", "--start-time", "1000000000", "--output",
                                    self.path("out"), *words, env=env, **({"stdin": stdin} if stdin else {}))
        del document["stats"]["seconds"]
        document["notes"] = [re.sub(r", \d+ a second", "", note) for note in document["notes"]]
        return document

    def whole(self, document):
        self.assertTrue(document["stats"]["complete"])
        search = document["stats"]["exploration"]
        return search["search"] - search["redundant"]

    def test_as_many_as_theory_gives(self):
        for i, (program, name, size, count) in enumerate(COUNTED):
            # All numbers for each; in short tests they take turns.
            ranks = RANKS if os.environ.get("HEDDLE_TEST_FULL") else (RANKS[i % 4],)
            with self.subTest(name, size=size):
                words = ("--strategy", "dpor", "--", self.binary[program], name, str(size))
                documents = [self.explore("--ranks", n, *words, env=AT_ONCE) for n in ranks]
                self.assertEqual(self.whole(documents[0]), count)
                for other in documents[1:]:
                    self.assertEqual(other, documents[0])

    def test_small_searches_are_as_without_ranks(self):
        for program, name, size, count in COUNTED[::1 if os.environ.get("HEDDLE_TEST_FULL") else 3]:
            if count < 250:
                words = ("--", self.binary[program], name, str(size))
                with self.subTest(name, size=size):
                    self.assertEqual(self.explore("--ranks", "2", *words), self.explore("--symmetry", "no", *words))

    def test_naive(self):
        words = ("--strategy", "naive", "--match", "no", "--", self.binary["counted"], "numbers", "1")
        plain = self.explore(*words)
        for n in RANKS:
            split = self.explore("--ranks", n, *words, env=AT_ONCE)
            self.assertEqual(self.whole(split), self.whole(plain))

    def test_sections(self):
        documents = [self.explore("--ranks", n, "--strategy", "dpor", script=SECTIONS) for n in RANKS]
        self.assertEqual(self.whole(documents[0]), 1680)
        for other in documents[1:]:
            self.assertEqual(other, documents[0])

    def test_faults(self):
        """The same findings as without ranks, with schedules that show them; a clean twin has none."""
        for options in ((), ("--keep-going",)):
            plain = self.explore(*options, script=DEADLOCK)
            documents = [self.explore("--ranks", n, *options, script=DEADLOCK, env=AT_ONCE) for n in RANKS]
            for other in documents:
                self.assertEqual(other, documents[0])
            ids = sorted(f["id"] for f in documents[0]["findings"])
            self.assertEqual(ids, sorted(f["id"] for f in plain["findings"]))
            self.assertEqual([f["kind"] for f in documents[0]["findings"]], ["deadlock"])
        clean = self.explore("--ranks", "3", script=CLEAN_TWIN, env=AT_ONCE)
        self.assertEqual(clean["findings"], [])
        self.assertTrue(clean["stats"]["complete"])

    def test_killed_ranks(self):
        """Whoever is killed, and whenever: others make its slice again; rank 0 itself, if nobody is left."""
        whole = self.explore("--ranks", "1", "--strategy", "dpor", script=SECTIONS)
        killed = 0
        for turn in range(7):
            with open(self.path("program"), "w", encoding="utf-8") as file:
                file.write(SECTIONS)
            with open(self.path("program"), encoding="utf-8") as stdin:
                child = self.start_reading(stdin, turn)
            ranks = []
            while len(ranks) < 8 and child.poll() is None:
                ranks = children_of(child.pid)
            # They are made before anything else; each is killed when some others have made some progress.
            for i, rank in enumerate(ranks[:8]):
                for _ in range(turn * 200 * (i + 1)):
                    os.getppid()
                try:
                    os.kill(rank, signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass
            _, said = child.communicate()
            self.assertEqual(child.returncode, 0, said)
            document, search = self.document_of(turn), whole["stats"]["exploration"]
            self.assertEqual(document["stats"]["exploration"], search)
            self.assertTrue(document["stats"]["complete"])
        self.assertGreaterEqual(killed, 50)

    def start_reading(self, stdin, turn):
        import subprocess  # pylint: disable=import-outside-toplevel
        child = subprocess.Popen(  # pylint: disable=consider-using-with
            [harness.heddle_command, "explore", "--strategy", "dpor", "--ranks", "8", "--json",
             self.path(f"killed{turn}.json"), "--output", self.path("out"), "--",
             self.binary["script"], self.path("result")],
            env=harness.environment(), stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.put_away, child)
        return child

    def document_of(self, turn):
        import json  # pylint: disable=import-outside-toplevel
        with open(self.path(f"killed{turn}.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_continued_with_other_ranks(self):
        whole = self.explore("--ranks", "2", "--strategy", "dpor", script=SECTIONS)
        file = os.path.join(self.path("out"), "unfinished.hxp")
        for first, *later in (("3", "1", "5"), ("1", "3"), ("2", "0", "0", "2")):
            part = self.explore("--ranks", first, "--executions", "600", "--strategy", "dpor",
                                script=SECTIONS)
            self.assertEqual(part["stats"]["stopped"], "executions")
            for n in later:
                part = self.explore("--ranks", n, "--resume", file, "--strategy", "dpor",
                                    *(("--executions", "300") if n != later[-1] else ()), script=SECTIONS)
            self.assertTrue(part["stats"]["complete"])
            self.assertEqual(part["stats"]["exploration"], whole["stats"]["exploration"])

    def test_saved_until_it_is_reported(self):
        """The search is over, but its report is not written: a job that ends then goes on from what was saved."""
        whole = self.explore("--ranks", "2", "--strategy", "dpor", script=SECTIONS)
        file, often = os.path.join(self.path("out"), "unfinished.hxp"), {"HEDDLE_SAVE_MS": "10"}
        with open(self.path("program"), encoding="utf-8") as stdin:
            done = self.heddle("explore", "--ranks", "2", "--strategy", "dpor", "--start-time", "1000000000", "--output",
                               self.path("out"), "--json", "/dev/full", "--", self.binary["script"], self.path("result"),
                               stdin=stdin, env=often, status=3)
        self.assertIn("note: complete", done.stdout)
        self.assertTrue(os.path.exists(file))
        part = self.explore("--ranks", "1", "--resume", file, "--strategy", "dpor", script=SECTIONS, env=often)
        self.assertEqual(part["stats"]["exploration"], whole["stats"]["exploration"])
        self.assertTrue(part["stats"]["complete"])
        # Not of use any more: the search is over, and all is told.
        self.explore("--ranks", "2", "--strategy", "dpor", script=SECTIONS, env=often)
        self.assertFalse(os.path.exists(file))

    def test_begun_without_ranks(self):
        """All that was done before others help is redundant, and nothing else."""
        file = os.path.join(self.path("out"), "unfinished.hxp")
        for n in ("1", "3"):
            self.explore("--executions", "400", "--strategy", "dpor", script=SECTIONS)
            part = self.explore("--ranks", n, "--resume", file, "--strategy", "dpor", script=SECTIONS)
            self.assertEqual(self.whole(part), 1680)
            self.assertEqual(part["stats"]["exploration"]["redundant"], 400)

    def test_second_round(self):
        """A race is found late in the first round, and what is before it tried in the second one. Both begin with 250
        executions by one process, which are made again."""
        words = ("--strategy", "dpor", "--keep-going")
        plain = self.explore(*words, script=RACE)
        documents = [self.explore("--ranks", n, *words, script=RACE) for n in RANKS]
        for other in documents:
            self.assertEqual(other, documents[0])
        self.assertEqual([f["kind"] for f in documents[0]["findings"]], ["race"])
        self.assertEqual([f["id"] for f in documents[0]["findings"]], [f["id"] for f in plain["findings"]])
        search, alone = documents[0]["stats"]["exploration"], plain["stats"]["exploration"]
        self.assertEqual((search["rounds"], alone["rounds"]), (2, 2))
        self.assertEqual(self.whole(documents[0]), self.whole(plain))
        self.assertEqual(search["redundant"], alone["redundant"] + 2 * 250)

    def test_race_that_is_enough(self):
        """It asks for a second round, which is not made: it ends with the race, whoever found it."""
        plain = self.explore("--strategy", "dpor", script=RACE)
        for n in ("1", "3"):
            document = self.explore("--ranks", n, "--strategy", "dpor", script=RACE, env=AT_ONCE)
            self.assertEqual([f["id"] for f in document["findings"]], [f["id"] for f in plain["findings"]])
            self.assertEqual([f["kind"] for f in document["findings"]], ["race"])

    def test_files_are_there_once(self):
        """A program that changes files is executed by one process at a time, with ranks, too."""
        for n in ("1", "3"):
            document = self.explore("--ranks", n, "--strategy", "dpor", "--", self.binary["one_file"], self.path("file"),
                                    env=AT_ONCE)
            self.assertEqual((document["findings"], document["stats"]["complete"]), ([], True), document["notes"])
            self.assertEqual(self.whole(document), 120)

    def test_leaves_no_process(self):
        """However short the search: ranks that are only beginning when it is over end their programs, too."""
        program = self.binary["counted"]
        for i in range(40):
            self.explore("--ranks", RANKS[i % 4], "--strategy", "naive", "--match", "no", "--", program,
                         "numbers", "1", env=AT_ONCE)
            self.assertEqual([pid for pid in os.listdir("/proc") if pid.isdigit() and program in command_of(pid)], [])

    def test_damaged_state(self):
        """One sentence and status 2, wherever the file is damaged or ends."""
        self.explore("--ranks", "2", "--executions", "600", "--strategy", "dpor", script=SECTIONS)
        contents = harness.read_bytes(os.path.join(self.path("out"), "unfinished.hxp"))
        self.assertFalse(os.path.exists(os.path.join(self.path("out"), "unfinished.hxp.new")))
        damaged, rng = self.path("damaged.hxp"), random.Random(23)

        def refused(text):
            with open(damaged, "wb") as file:
                file.write(text)
            with open(self.path("program"), encoding="utf-8") as stdin:
                done = self.heddle("explore", "--ranks", "2", "--resume", damaged, "--strategy", "dpor",
                                   "--start-time", "1000000000", "--output", self.path("out"), "--",
                                   self.binary["script"], self.path("result"), stdin=stdin, status=2)
            self.assertIn("is damaged", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)

        for _ in range(4):
            at = rng.randrange(len(contents) // 4, len(contents))
            refused(contents[:at])
            refused(contents[:at] + bytes([contents[at] ^ 1 << rng.randrange(8)]) + contents[at + 1:])
            # What the checksum does not tell: the end of the search's state is not there.
            refused(with_sum(contents[:at]))


if __name__ == "__main__":
    harness.main()
