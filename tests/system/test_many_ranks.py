#!/usr/bin/env python3
"""check, predict and run --seeds by several ranks, of --ranks or of a launcher: the JSON of one process, whatever the number of ranks and whoever
is killed; the seeds against runs of each seed by itself."""

import collections
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # pylint: disable=wrong-import-position

FULL = os.environ.get("HEDDLE_TEST_FULL")
RANKS = (2, 3, 5, 1)
EXAMPLES = ("bank_transfer", "missed_signal", "order", "torn_pair", "data_race", "deadlock", "torn_sections", "use_after_free",
            "livelock", "exit", "misuse", "permission", "relaxed_flag", "sharing", "tasks_pipeline", "tasks_sort")
# More ranks than processors, by anybody.
LAUNCHER = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
# What is done is compared: it must not depend on how long it takes.
UNHURRIED = {"HEDDLE_UNHURRIED": "1"}

CLEAN = """#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		n++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	(void)argv;
	pthread_create(&a, 0, work, 0);
	pthread_create(&b, 0, work, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	printf("%d %d\\n", n, argc);
	return n != 6;
}
"""
# Changes a file, and reads it again: runs beside each other would meet.
ONE_FILE = """#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static char *name;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
	FILE *file;
	int n = 0;
	pthread_mutex_lock(&lock);
	file = fopen(name, "r");
	if (file && fscanf(file, "%d", &n) != 1)
		n = 0;
	if (file)
		fclose(file);
	file = fopen(name, "w");
	fprintf(file, "%d\\n", n + 1);
	fclose(file);
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	FILE *file;
	int n = 0;
	name = argv[argc - 1];
	remove(name);
	pthread_create(&a, 0, work, 0);
	pthread_create(&b, 0, work, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	file = fopen(name, "r");
	if (!file || fscanf(file, "%d", &n) != 1 || n != 2)
		abort();
	return 0;
}
"""


def without_time(value):
    """@value but for what it took."""
    if isinstance(value, dict):
        return {k: without_time(v) for k, v in value.items() if k not in ("seconds", "us")}
    return [without_time(v) for v in value] if isinstance(value, list) else value


def launchers():
    """Those that are here, and that heddle has a library for."""
    where = os.path.dirname(harness.heddle_command)
    return [name for name in ("openmpi", "mpich") if shutil.which("mpirun." + name) and
            os.path.exists(os.path.join(where, f"heddle-{name}.so"))]


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(n) for n in file.read().split()]
    except FileNotFoundError:
        return []


def all_children_of(pid):
    found = children_of(pid)
    return found + [deeper for child in found for deeper in all_children_of(child)]


class ManyRanks(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, text in (("clean", CLEAN), ("one_file", ONE_FILE)):
            with open(cls.path(name + ".c"), "w", encoding="utf-8") as file:
                file.write(text)
            cls.binary[name] = cls.build(cls.path(name + ".c"), name, "-g")

    def program(self, name):
        if name not in self.binary:
            self.binary[name] = self.build(os.path.join(harness.ROOT, "examples", name + ".c"), name, "-g")
        return self.binary[name]

    def words(self, command, *options):
        return (command, "--start-time", "1000000000", "--output", self.path("out"), *options)

    def document(self, command, *options):
        document, _ = self.run_json(*self.words(command, *options), env=UNHURRIED)
        return without_time(document)

    def launched(self, launcher, ranks, command, *options, status=(0, 1), env=None):
        """The same by ranks of @launcher."""
        file = self.path("launched.json")
        words = self.words(command, *options)
        done = subprocess.run(["mpirun." + launcher, "-n", str(ranks), harness.heddle_command, words[0], "--json", file, *words[1:]],
                              env={**harness.environment(env), **LAUNCHER, **UNHURRIED}, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=harness.LIMIT)
        self.assertIn(done.returncode, status, done.stdout + done.stderr)
        if status == (2,):
            return done.stderr
        with open(file, encoding="utf-8") as opened:
            return without_time(json.load(opened))

    def begin(self, *words):
        """Without input: nobody waits for it."""
        child = subprocess.Popen(  # pylint: disable=consider-using-with
            [harness.heddle_command, *words], env=harness.environment(UNHURRIED), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.addCleanup(self.put_away, child)
        return child

    def test_check(self):
        """Each program by another number of ranks; all of them in the long form."""
        names = ("clean", *EXAMPLES)
        for i, name in enumerate(names if FULL else names[:4]):
            options, ranks = ("-k",) if i % 2 else (), str(RANKS[i % 4])
            one = self.document("check", *options, "--", self.program(name))
            with self.subTest(name, ranks=ranks, options=options):
                self.assertEqual(self.document("check", *options, "--ranks", ranks, "--", self.program(name)), one)

    def test_launchers(self):
        if not launchers():
            self.skipTest("there is no mpirun, or heddle is built without MPI")
        for launcher in launchers():
            for i, name in enumerate(("torn_pair", *(("clean", *EXAMPLES[:3]) if FULL else ()))):
                for command in (("check", "-k"), ("run", "-k", "--seeds", "1..10")):
                    one = self.document(*command, "--", self.program(name))
                    for n in ((3, 1, 2, 5)[i % 4],):
                        with self.subTest(name, launcher=launcher, ranks=n, command=command):
                            self.assertEqual(self.launched(launcher, n, *command, "--", self.program(name)), one)

    def ranks_of(self, pid):
        """What a launcher has started: by rank, the process that has MPI, and its child, which works."""
        found = {}
        for child in children_of(pid):
            try:
                with open(f"/proc/{child}/environ", "rb") as file:
                    rank = re.search(rb"(?:OMPI_COMM_WORLD|PMI)_RANK=(\d+)", file.read())
            except (FileNotFoundError, ProcessLookupError):
                continue
            if not rank:
                found.update(self.ranks_of(child))
            elif children_of(child):
                found[int(rank.group(1))] = (child, children_of(child)[0])
        return found

    def test_killed_by_launchers(self):
        """A rank's process that works is killed: others go on. With Open MPI's --enable-recovery, the one that has MPI may be, too."""
        words = self.words("run", "-k", "--seeds", "1..100")
        one = self.document("run", "-k", "--seeds", "1..100", "--", self.program("missed_signal"))
        file = self.path("launched.json")
        cases = [((name,), 1) for name in launchers()]
        cases += [(("openmpi", "--enable-recovery"), 0)] if FULL and "openmpi" in launchers() else []
        for (launcher, *flags), which in cases:
            with self.subTest(launcher, flags=flags):
                with subprocess.Popen(
                        ["mpirun." + launcher, *flags, "-n", "3", harness.heddle_command, words[0], "--json", file, *words[1:], "--",
                         self.program("missed_signal")], env={**harness.environment({"HEDDLE_PATIENCE": "2"}), **LAUNCHER},
                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
                    ranks = {}
                    while not (len(ranks) == 3 and children_of(ranks[2][1])) and child.poll() is None:
                        ranks = self.ranks_of(child.pid)
                    self.assertEqual(len(ranks), 3)
                    os.kill(ranks[2][which], signal.SIGKILL)
                    child.wait(harness.LIMIT)
                with open(file, encoding="utf-8") as opened:
                    self.assertEqual(without_time(json.load(opened)), one)
                os.remove(file)

    def test_predict(self):
        """A recorded run: each question is decided by whoever has time."""
        trace = self.path("run.htr")
        for i, name in enumerate(("torn_pair", "clean", *(EXAMPLES if FULL else ()))):
            self.heddle("run", "-q", "--record", trace, "--record-exact", "--start-time", "1000000000", "--", self.program(name))
            words = ("predict", trace, "--all")
            one = without_time(self.run_json(*words)[0])
            for n in RANKS if FULL else (RANKS[i % 2],):
                with self.subTest(name, ranks=n):
                    self.assertEqual(without_time(self.run_json(*words, "--ranks", str(n))[0]), one)
            for launcher in launchers()[:None if FULL else i]:
                file = self.path("predicted.json")
                subprocess.run(["mpirun." + launcher, "-n", "3", harness.heddle_command, *words, "--json", file],
                               env={**harness.environment(), **LAUNCHER}, capture_output=True, check=False,
                               stdin=subprocess.DEVNULL, timeout=harness.LIMIT)
                with open(file, encoding="utf-8") as opened:
                    self.assertEqual(without_time(json.load(opened)), one)

    def test_another_mpi(self):
        """The library of another MPI than the launcher's: a sentence, and not the work of all in each rank."""
        for launcher, other in (("openmpi", "mpich"), ("mpich", "openmpi")):
            if {launcher, other} <= set(launchers()):
                said = self.launched(launcher, 2, "check", "--mpi", other, "--", self.program("clean"), status=(2,))
                self.assertIn("has started 2 ranks, but for", said)

    def test_srun_without_mpi(self):
        """srun has started some, and they do not know of each other."""
        for command in (("check",), ("explore",), ("run", "--seeds", "1..3")):
            done = self.heddle(*self.words(command[0]), *command[1:], "--", self.program("clean"), env={"SLURM_STEP_NUM_TASKS": "4"},
                               status=2)
            self.assertIn("srun has started 4 of these without MPI", done.stderr)
            self.heddle(*self.words(command[0]), *command[1:], "--mpi", "no", "--", self.program("clean"),
                        env={"SLURM_STEP_NUM_TASKS": "4"}, status=0)

    def test_seeds(self):
        """What each seed shows by itself: as many runs with findings, the same identities, the lowest seed of each."""
        last = 40 if FULL else 6
        for name in ("missed_signal", "clean", *(EXAMPLES if FULL else ())):
            shown, first = 0, collections.OrderedDict()
            for seed in range(1, last + 1):
                document, _ = self.run_json("run", "--start-time", "1000000000", "--seed", str(seed), "--", self.program(name))
                shown += bool(document["findings"])
                for finding in document["findings"]:
                    first.setdefault(finding["id"], seed)
            for ranks in ("0", "3"):
                with self.subTest(name, ranks=ranks):
                    whole = self.document("run", "-k", "--seeds", f"1..{last}", "--ranks", ranks, "--", self.program(name))
                    self.assertEqual({f["id"] for f in whole["findings"]}, set(first))
                    self.assertEqual((whole["stats"]["executions"], whole["stats"]["complete"]), (last, True))
                    if shown:
                        self.assertIn(f"{shown} of {last} runs show findings, the first with --seed {min(first.values())}", whole["notes"])
                    some = self.document("run", "--seeds", f"1..{last}", "--ranks", ranks, "--", self.program(name))
                    ends = min(first.values()) if first else last
                    self.assertEqual(some["stats"]["executions"], ends)
                    self.assertEqual({f["id"] for f in some["findings"]}, {k for k, seed in first.items() if seed == ends})

    def test_replays(self):
        """The schedule of a finding that another rank made."""
        document = self.document("run", "--seeds", "1..50", "--ranks", "3", "--", self.program("missed_signal"))
        finding = document["findings"][0]
        replayed, _ = self.run_json("replay", finding["schedule"], "--", self.program("missed_signal"))
        self.assertEqual([f["id"] for f in replayed["findings"]], [finding["id"]])

    def test_parts_of_seeds(self):
        whole = self.document("run", "-k", "--seeds", "1..20", "--", self.program("missed_signal"))
        files = [self.path(f"part{k}.json") for k in (1, 2, 3)]
        for k, file in enumerate(files):
            self.heddle(*self.words("run", "-k", "--seeds", "1..20", "--part", f"{k + 1}/3", "--json", file, "--",
                                    self.program("missed_signal")))
        self.heddle("report", "merge", *files, "--json", "-o", self.path("merged.json"), status=1)
        with open(self.path("merged.json"), encoding="utf-8") as opened:
            merged = json.load(opened)
        self.assertEqual([f["id"] for f in merged["findings"]], [f["id"] for f in whole["findings"]])
        self.assertEqual((merged["stats"]["executions"], merged["stats"]["complete"]), (20, True))

    def test_files_are_there_once(self):
        for command in (("check", "-k"), ("run", "-k", "--seeds", "1..10")):
            for n in ("0", "4"):
                document = self.document(*command, "--ranks", n, "--", self.binary["one_file"], self.path("file"))
                self.assertEqual(document["findings"], [])

    def test_killed_ranks(self):
        """Whoever is killed, and whenever: others run it again; rank 0 itself, if nobody is left."""
        whole = self.document("run", "-k", "--seeds", "1..60", "--", self.program("missed_signal"))
        rng, killed, ended = random.Random(23), 0, 0
        while killed < (50 if FULL else 8):
            child = self.begin(*self.words("run", "-k", "--seeds", "1..60", "--ranks", "4", "--json", self.path("killed.json"), "--",
                                           self.program("missed_signal")))
            ranks = []
            while len(ranks) < 4 and child.poll() is None:
                ranks = children_of(child.pid)
            ranks = ranks[:4]  # what comes after them is a run of rank 0
            for rank in rng.sample(ranks, min(rng.choice((1, 2, 4)), len(ranks))):
                for _ in range(rng.randrange(20000)):
                    os.getppid()
                try:
                    os.kill(rank, signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass
            child.communicate(timeout=harness.LIMIT)
            ended += 1
            with open(self.path("killed.json"), encoding="utf-8") as opened:
                self.assertEqual(without_time(json.load(opened)), whole)
        self.assertGreater(ended, 2)

    # ---- what is done is kept -------------------------------------------------------------

    def end_when(self, size, end, *words):
        """Start @words, and end them when what is kept has grown to @size bytes; the status, and what was said."""
        child = self.begin(*words)
        while child.poll() is None and (not os.path.exists(self.path("state")) or os.path.getsize(self.path("state")) < size):
            pass
        end(child)
        _, said = child.communicate(timeout=harness.LIMIT)
        return child.returncode, said

    def kept(self, command, program, ranks):
        """The whole command, which goes on with what is kept."""
        return self.document(*command, "--state", self.path("state"), "--ranks", ranks, "--", self.program(program))

    def words_kept(self, command, program, ranks):
        return self.words(*command, "--state", self.path("state"), "--ranks", ranks, "--json", self.path("ended.json"), "--",
                          self.program(program))

    def begin_anew(self):
        for name in ("state", "ended.json"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))

    def test_killed_and_continued(self):
        """Rank 0 is killed, again and again, and the command goes on with another number of ranks: the end of one that was not."""
        rng = random.Random(4)
        works = [(("run", "-k", "--seeds", "1..40"), "missed_signal"), (("check", "-k"), "bank_transfer"), (("check",), "clean")]
        works += [(("check", "-k"), name) for name in EXAMPLES[1::4]] if FULL else []
        for command, program in works:
            one = self.document(*command, "--", self.program(program))
            self.begin_anew()
            self.assertEqual(self.kept(command, program, "0"), one)
            whole = os.path.getsize(self.path("state"))
            self.begin_anew()
            sizes = sorted(rng.randrange(whole) for _ in range(5 if FULL else 3))
            for size in sizes:
                self.end_when(size, lambda child: child.kill(), *self.words_kept(command, program, rng.choice("0235")))
                self.assertGreaterEqual(os.path.getsize(self.path("state")), size)
            with self.subTest(program, command=command):
                self.assertEqual(self.kept(command, program, rng.choice("0235")), one)
                # There is nothing more to do, but for what nobody asked for before: runs that others began ahead.
                done = os.path.getsize(self.path("state"))
                self.assertEqual(self.kept(command, program, "3"), one)
                self.assertLess(os.path.getsize(self.path("state")), 1.25 * done)

    def test_ended_job_is_continued(self):
        """As Slurm ends a job: all its processes get the signal, the runs of the program, too. None of these is a finding
        then, nor when it goes on."""
        command, rng = ("run", "-k", "--seeds", "1..40"), random.Random(5)
        one = self.document(*command, "--", self.program("clean"))
        self.assertEqual(one["findings"], [])

        def end(child):
            for pid in all_children_of(child.pid)[::-1] + [child.pid]:
                try:
                    os.kill(pid, signal.SIGTERM)
                except ProcessLookupError:
                    pass

        for ranks in ("0", "3"):
            self.begin_anew()
            self.kept(command, "clean", "0")
            whole = os.path.getsize(self.path("state"))
            self.begin_anew()
            for _ in range(20 if FULL else 4):
                # Not before the first run has ended: then there is nothing to tell of.
                self.end_when(rng.randrange(whole // 20, whole), end, *self.words_kept(command, "clean", ranks))
            self.assertEqual(self.kept(command, "clean", ranks), one)

    def test_damaged_state(self):
        """Wherever it is damaged or cut: what is before that is believed, the rest is done again."""
        command, rng = ("run", "-k", "--seeds", "1..12"), random.Random(6)
        one = self.document(*command, "--", self.program("missed_signal"))
        self.begin_anew()
        self.kept(command, "missed_signal", "2")
        contents = harness.read_bytes(self.path("state"))
        for _ in range(20 if FULL else 3):
            at = rng.randrange(len(contents) // 10, len(contents))
            for text in (contents[:at], contents[:at] + bytes([contents[at] ^ 1 << rng.randrange(8)]) + contents[at + 1:]):
                with open(self.path("state"), "wb") as file:
                    file.write(text)
                self.assertEqual(self.kept(command, "missed_signal", "0"), one)
                whole = os.path.getsize(self.path("state"))
                self.assertEqual(self.kept(command, "missed_signal", "0"), one)
                self.assertEqual(os.path.getsize(self.path("state")), whole)

    def test_state_of_something_else(self):
        state = ("--state", self.path("state"))
        self.begin_anew()
        self.document("run", "--seeds", "1..3", *state, "--", self.program("clean"))
        for words, said in (((*self.words("run", "--seeds", "1..3", *state), "--", self.program("clean"), "x"), "other arguments"),
                            ((*self.words("run", "--seeds", "1..3", *state), "--", self.program("missed_signal")), "another program"),
                            (("run", "--seeds", "1..3", "--start-time", "5", *state, "--", self.program("clean")), "--start-time"),
                            ((*self.words("run", "--seeds", "1..3"), "--state", self.path("clean.c"), "--", self.program("clean")),
                             "no such file"),
                            ((*self.words("run", "--seeds", "1..3"), "--state", self.path("none/state"), "--", self.program("clean")),
                             "No such file"),
                            (("run", *state, "--", self.program("clean")), "--seeds A..B")):
            done = self.heddle(*words, status=None)
            self.assertIn(done.returncode, (2, 3))
            self.assertIn(said, done.stderr)

    def test_state_of_predictions(self):
        trace = self.path("run.htr")
        self.heddle("run", "-q", "--record", trace, "--record-exact", "--start-time", "1000000000", "--", self.program("torn_pair"))
        one = without_time(self.run_json("predict", trace, "--all")[0])
        self.begin_anew()
        for ranks in ("2", "0", "3"):
            words = ("predict", trace, "--all", "--state", self.path("state"))
            self.end_when(20000, lambda child: child.kill(), *words)
            size = os.path.getsize(self.path("state"))
            self.assertEqual(without_time(self.run_json(*words, "--ranks", ranks)[0]), one)
            whole = os.path.getsize(self.path("state"))
            self.assertGreaterEqual(whole, size)
            self.assertEqual(without_time(self.run_json(*words, "--ranks", ranks)[0]), one)
            self.assertEqual(os.path.getsize(self.path("state")), whole)


if __name__ == "__main__":
    harness.main()
