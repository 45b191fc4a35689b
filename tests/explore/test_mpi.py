#!/usr/bin/env python3
"""A search by ranks that mpirun has started: the JSON of any other number of processes, with one input and environment for
all; ranks that are killed, jobs that are ended, and searches that are continued. Skipped where there is no MPI."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = os.environ.get("HEDDLE_TEST_FULL")
# Or mpich; what is said of killed ranks is of Open MPI.
LAUNCHER = os.environ.get("HEDDLE_TEST_MPI", "openmpi")
AT_ONCE = {"HEDDLE_ALONE": "1"}
# More ranks than processors, by anybody.
MPIRUN = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}

SECTIONS = "\n" + 3 * "l0u0l0u0l0u0\n"
LONG = "l0u0\n" + 3 * "l0u0l0u0l0u0\n"  # 10! / (3! 3! 3!)
DEADLOCK = "\nl0u0l0u0l1l2u2u1\nl0u0l0u0l2l1u1u2\nl0u0\n"
RACE = "\nh1l0u0l0u0l0u0\nl0u0l0u0l0u0h1\nl0u0l0u0l0u0\n"
PROGRAMS = [(SECTIONS, 0), (DEADLOCK, 1), (("counted", "readers", "6"), 0), (RACE, 1), (("counted", "lastzero", "6"), 0),
            (("waiting", "ticket", "4"), 0), (("counted", "numbers", "5"), 0)]


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(n) for n in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def has_mpi():
    return shutil.which(f"mpirun.{LAUNCHER}") and os.path.exists(
        os.path.join(os.path.dirname(harness.heddle_command), f"heddle-{LAUNCHER}.so"))


class Mpi(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not has_mpi():
            return
        for name, flags in (("script", ()), ("counted", ()), ("waiting", ("-O1",))):
            cls.binary[name] = cls.build(os.path.join(HERE, name + ".c"), name, *flags)

    def setUp(self):
        super().setUp()
        if not has_mpi():
            self.skipTest("there is no mpirun, or heddle is built without MPI")

    def command(self, ranks, *options, program=SECTIONS):
        """The words, with @ranks of mpirun, or by "--ranks 1"; and the file that is the input."""
        words = [harness.heddle_command, "explore", "--start-time", "1000000000", "--output", self.path("out"),
                 "--strategy", "dpor", *options, "--json", self.path("all.json"), "--"]
        text = program if isinstance(program, str) else ""
        with open(self.path("program"), "w", encoding="utf-8") as file:
            file.write(text)
        with open(self.path("result"), "wb"):
            pass
        if text:
            words += [self.binary["script"], self.path("result")]
        else:
            words += [self.binary[program[0]], *program[1:]]
        if ranks:
            return [f"mpirun.{LAUNCHER}", "-n", str(ranks), *words]
        words[2:2] = ["--ranks", "1"]
        return words

    def document(self):
        with open(self.path("all.json"), encoding="utf-8") as file:
            document = json.load(file)
        del document["stats"]["seconds"]
        document["notes"] = [re.sub(r", \d+ a second", "", note) for note in document["notes"]]
        return document

    def explore(self, ranks, *options, program=SECTIONS, status=0, env=None):
        command = self.command(ranks, *options, program=program)
        with open(self.path("program"), encoding="utf-8") as stdin:
            done = subprocess.run(command, stdin=stdin, env={**harness.environment(), **MPIRUN, **(env or {})},
                                  capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return self.document()

    def test_as_one_process(self):
        for i, (program, status) in enumerate(PROGRAMS if FULL else PROGRAMS[:4]):
            for options in ((), ("--keep-going",)) if FULL else (("--keep-going",),):
                one = self.explore(0, *options, program=program, status=status, env=AT_ONCE)
                for ranks in (1, 2, 3, 5) if FULL else ((3, 2, 5, 1)[i],):
                    with self.subTest(program, ranks=ranks):
                        many = self.explore(ranks, *options, program=program, status=status, env=AT_ONCE)
                        self.assertEqual(many, one)

    def test_continued(self):
        whole = self.explore(0)
        file = os.path.join(self.path("out"), "unfinished.hxp")
        for first, *later in (("3", "2"),) if not FULL else (("3", "2"), ("2", "5", "0"), ("1", "3"), ("0", "2")):
            part = self.explore(int(first), "--executions", "600", status=4)
            self.assertEqual(part["stats"]["stopped"], "executions")
            for n in later:
                part = self.explore(int(n), "--resume", file)
            self.assertEqual(part["stats"]["exploration"], whole["stats"]["exploration"])
            self.assertTrue(part["stats"]["complete"])

    def test_with_parts(self):
        one, many = self.explore(0, "--part", "2/2", status=4), self.explore(3, "--part", "2/2", status=4)
        self.assertEqual(many, one)

    def ranks_of(self, launcher):
        """By rank: the process that the launcher has started, which has MPI, and its child, which works. Only those where the program runs."""
        found = {}
        for pid in children_of(launcher):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    rank = re.search(rb"(?:OMPI_COMM_WORLD|PMI)_RANK=(\d+)", file.read())
            except (FileNotFoundError, ProcessLookupError):
                continue
            workers = children_of(pid)
            if not rank:  # a process between: MPICH's
                found.update(self.ranks_of(pid))
            elif workers and children_of(workers[0]):
                found[int(rank.group(1))] = (pid, workers[0])
        return found

    def interrupt(self, whom, with_what, *options, worker=False):
        """Start three ranks, and when all are at work, send a signal to one of them (None: to the launcher), or to its @worker."""
        with open(self.path("program"), "w", encoding="utf-8"):
            pass
        command = self.command(3, *options, program=LONG)
        with open(self.path("program"), encoding="utf-8") as stdin, \
                subprocess.Popen(command, stdin=stdin, env={**harness.environment(), **MPIRUN, **AT_ONCE},
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            ranks = {}
            while len(ranks) < 3 and child.poll() is None:
                ranks = self.ranks_of(child.pid)
            self.assertEqual(len(ranks), 3)
            os.kill(child.pid if whom is None else ranks[whom][worker], with_what)
            child.wait()
        return child.returncode

    def continue_it(self):
        """What is left goes on to the end of the search."""
        file = os.path.join(self.path("out"), "unfinished.hxp")
        if FULL:
            done = self.explore(2, "--resume", file, program=LONG)
            search = done["stats"]["exploration"]
            self.assertEqual((search["search"] - search["redundant"], done["stats"]["complete"]), (16800, True))
        else:
            self.explore(2, "--resume", file, "--executions", "1", program=LONG, status=4)

    def test_ended_job(self):
        """As Slurm ends one at its time limit: what was done is kept, and not called complete."""
        self.interrupt(None, signal.SIGTERM)
        self.assertFalse(self.document()["stats"]["complete"])
        self.continue_it()

    def test_killed_rank(self):
        """MPI ends the job: with a status that is not 0, and without a proof."""
        for rank in (0, 1, 2) if FULL else (1,):
            for name in ("all.json", "out/unfinished.hxp"):
                if os.path.exists(self.path(name)):
                    os.remove(self.path(name))
            self.assertNotEqual(self.interrupt(rank, signal.SIGKILL), 0)
            if os.path.exists(self.path("all.json")) and os.path.getsize(self.path("all.json")):
                self.assertFalse(self.document()["stats"]["complete"])
            if os.path.exists(self.path("out/unfinished.hxp")):
                self.continue_it()

    def test_killed_worker(self):
        """The process of a rank that works: others make its slices, and the answer is the same."""
        some = ("--executions", "3000")  # that many, and the rest of a round
        one = self.explore(0, *some, program=LONG, env=AT_ONCE, status=4)
        for rank in (1, 2) if FULL else (1,):
            self.assertEqual(self.interrupt(rank, signal.SIGKILL, *some, worker=True), 4)
            self.assertEqual(self.document(), one)

    def test_not_with_other_ranks(self):
        done = subprocess.run([f"mpirun.{LAUNCHER}", "-n", "1", harness.heddle_command, "explore", "--ranks", "2", "--", "x"],
                              env={**harness.environment(), **MPIRUN}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--ranks is for one machine", done.stderr)


if __name__ == "__main__":
    harness.main()
