#!/usr/bin/env python3
"""OpenMP programs under every command of heddle: check, replay, gdb, explore, other carriers and builds."""

import glob
import os
import shutil
import subprocess
import unittest

import harness

SUITE = os.path.join(harness.ROOT, "tests", "openmp")
FULL = bool(os.environ.get("HEDDLE_TEST_FULL"))


def found(document):
    return [(f["kind"], f["verdict"]) for f in document["findings"]]


class OpenmpTest(harness.SystemTest):
    @classmethod
    def build(cls, source, name, *flags):
        return super().build(source, name, "-fopenmp", *flags)


class Check(OpenmpTest):
    """From a run in which nothing happened to the schedule in which it does."""

    programs = ("openmp/rare.c", "openmp/handed.c")

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

    def test_lock_of_another_thread(self):
        """Named as misuse, by `run` in every seed as by `check`; what it orders is in order for both."""
        for name, wanted in (("barrier", {"misuse"}), ("start", {"misuse"}),
                             ("late", {"misuse", "race"})):
            with self.subTest(name):
                program = (self.binary["handed"], name)
                self.assertEqual({kind for kind, _ in found(self.check(*program))}, wanted)
                for seed in range(1, 6):
                    document, _ = self.run_json("run", "--seed", str(seed), "--", *program)
                    self.assertEqual({kind for kind, _ in found(document)}, wanted, seed)

    def test_nothing_wrong(self):
        for name in ("torn_well", "locks_well"):
            with self.subTest(name):
                self.assertEqual(found(self.rare(name)), [])

    def test_parts_of_one_thread(self):
        """Iterations that one thread did race all the same, though no order of its events shows it."""
        for name in ("for_same_chunk", "for_collapse", "teams_distribute", "task_in_iteration"):
            for kind in ("racy", "clean"):
                with self.subTest(name, kind=kind):
                    seen = set(self.found_in(name, kind))
                    if kind == "racy":  # an update that is lost may be told, too
                        self.assertEqual(seen - {("atomicity", "predicted")}, {("race", "predicted")})
                    else:
                        self.assertEqual(seen, set())

    def test_torn_without_harm(self):
        """Two reads of one iteration need not agree: that is no finding, whichever thread did what."""
        self.assertEqual(self.found_in("minimum", "clean"), [])
        self.assertIn("race", [kind for kind, _ in self.found_in("minimum", "racy")])

    def found_in(self, name, kind):
        program = self.build(os.path.join(SUITE, f"{name}_{kind}.c"), f"{name}_{kind}")
        return found(self.check(program))


class Again(OpenmpTest):
    """A run that was recorded is repeated exactly, in gdb too, and by kernel threads."""

    programs = ("openmp/rare.c", "openmp/outcomes.c")

    def failing(self):
        """A recorded run of tasks that ended in an order which an assertion does not like."""
        trace = self.path("failing.htr")
        for seed in range(1, 30):
            done = self.heddle("run", "--seed", str(seed), "--record", trace, "--",
                               self.binary["outcomes"], "tasks_two_threads", "45")
            if done.returncode == 1:
                return trace
        self.fail("no seed comes to the order 2, 3, 1")
        return None

    def test_replay(self):
        trace = self.failing()
        reports = {self.heddle("replay", trace, status=1).stderr for _ in range(20)}
        self.assertEqual(len(reports), 1)
        self.assertIn("outcome != atoi", reports.pop())

    def test_carriers(self):
        """But for memory that malloc gives out: by threads, explicit tasks have caches of their own."""
        for name in ("critical", "sections", "dynamic", "nested", "tasks_two_threads", "detach"):
            outcomes, schedules = set(), set()
            for carriers in ("fibers", "threads"):
                trace = self.path(f"{carriers}.htr")
                document, _ = self.run_json("run", "--seed", "3", "--carriers", carriers, "--record",
                                            trace, "--", self.binary["outcomes"], name, "tell")
                outcomes.add(document["program"]["exit"])
                done = self.heddle("trace", "dump", trace, status=0)
                schedules.add(tuple(l for l in done.stdout.splitlines() if " choice " in l))
            self.assertEqual((len(outcomes), len(schedules)), (1, 1), name)

    @unittest.skipUnless(shutil.which("gdb"), "there is no gdb")
    def test_gdb(self):
        self.heddle("check", "--output", self.path("found"), "--", self.binary["rare"], "torn_tasks",
                    status=1)
        trace, = glob.glob(self.path("found/atomicity-*.htr"))
        done = self.heddle("replay", "--gdb", trace, "--", self.binary["rare"], "torn_tasks", status=0,
                           stdin=None, input="heddle access\nheddle access\nprint v\nbt\n",
                           stderr=subprocess.STDOUT,
                           env={"HOME": self.folder.name, "DEBUGINFOD_URLS": ""})
        self.assertIn("before access 1 (e1): T4 read at rare.c:20 in get", done.stdout)
        self.assertIn("before access 3 (e2): T4 write at rare.c:27 in set", done.stdout)
        self.assertIn("= 105", done.stdout)
        self.assertRegex(done.stdout, r"#1 .*torn_tasks\._omp_fn")


ANY = ",".join(map(str, range(256)))  # exit statuses


class Explore(OpenmpTest):
    """
    Whatever random runs come to, exploring comes to, and then it is complete. A few of the programs;
    with HEDDLE_TEST_FULL=1 all of them, and more runs.
    """

    programs = ("openmp/outcomes.c", "openmp/winners.c")
    CHOICE = {"sections": 8, "test_lock": 3, "tasks_whole": 2, "thread_of_maker": 2, "cancel_point": 2}
    MORE = {"dynamic": 8, "guided": 8, "critical": 6, "capture": 6, "tasks_one_thread": 6,
            "tasks_two_threads": 6, "tasks_mixed": 12, "task_thread": 4, "mutexinoutset": 2,
            "taskloop": 6, "taskyield": 2, "nested": 3, "detach": 2, "cancel_loop": 2,
            "cancel_group": 5}
    ENV = {"OMP_CANCELLATION": "true"}

    def outcomes(self, name, seeds):
        seen = set()
        for seed in range(1, seeds + 1):
            policy = ("--policy", "pct", "--pct-length", "60") if seed % 2 else ()
            document, _ = self.run_json("run", *policy, "--seed", str(seed), "--expect-exit", ANY, "--",
                                        self.binary["outcomes"], name, "tell", env=self.ENV)
            self.assertEqual(found(document), [], (name, seed))
            seen.add(document["program"]["exit"])
        return seen

    def explore(self, name, outcome):
        document, done = self.run_json("explore", "--output", self.path("out"), "--",
                                       self.binary["outcomes"], name, str(outcome), env=self.ENV)
        return [kind for kind, _ in found(document)], done.stdout + done.stderr

    def test_outcomes(self):
        chosen = {**self.CHOICE, **(self.MORE if FULL else {})}
        for name, most in chosen.items():
            with self.subTest(name):
                seen = self.outcomes(name, 100 if FULL else 6)
                self.assertLessEqual(len(seen), most)
                for outcome in seen:
                    self.assertEqual(self.explore(name, outcome)[0], ["assertion"], outcome)
                kinds, report = self.explore(name, 1000)
                self.assertEqual(kinds, [])
                self.assertIn("note: complete", report)

    def test_winners(self):
        """Each thread gets what only one can, in one execution each; the schedule leads there again."""
        for name, wanted in (("blocks", {f"{a} {b}" for a in range(3) for b in range(3)}),
                             ("copied", {f"{a} 0" for a in range(3)}),
                             ("mixed", {f"{a} {b}" for a in range(2) for b in range(2)})):
            for strategy in ("dpor", "naive"):
                with self.subTest(name, strategy=strategy):
                    done = self.heddle("explore", "--outcomes", "--strategy", strategy, "--output", self.path("out"),
                                       "--", self.binary["winners"], name, status=0)
                    report = done.stdout + done.stderr
                    seen = [line.split(": ", 1)[1] for line in report.splitlines() if "stdout: " in line]
                    self.assertEqual(sorted(seen), sorted(wanted), report)
                    self.assertIn("note: complete", report)
                    self.assertNotIn("did not lead there", report)


class Builds(OpenmpTest):
    """As programs are built: in parts, by make, cmake and meson; C++."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.project = os.path.join(cls.folder.name, "project")
        shutil.copytree(os.path.join(harness.HERE, "openmp", "project"), cls.project)

    def make(self, *command, env=None):
        done = subprocess.run(command, cwd=self.project, env=harness.environment(env), check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=harness.LIMIT,
                              errors="replace")
        self.assertEqual(done.returncode, 0, done.stdout)

    def judge(self, program):
        program = os.path.join(self.project, program)
        libraries = subprocess.run(["ldd", program], stdout=subprocess.PIPE, check=True, text=True)
        self.assertNotIn("libgomp", libraries.stdout)
        self.assertEqual(found(self.run_json("run", "--", program)[0]), [])
        document, _ = self.run_json("run", "--", program, "race")
        self.assertIn(("race", "observed"), found(document))
        self.assertEqual({a["file"].rsplit("/", maxsplit=1)[-1] for f in document["findings"]
                          for a in f["accesses"]}, {"main.c"})

    def test_make(self):
        self.make("make", f"CC={harness.heddle_command} cc", "program", "shared")
        self.judge("program")
        self.judge("shared")

    @unittest.skipUnless(shutil.which("cmake"), "there is no cmake")
    def test_cmake(self):
        self.make("cmake", "-S", ".", "-B", "by-cmake", "-DCMAKE_BUILD_TYPE=Debug",
                  f"-DCMAKE_C_COMPILER={harness.heddle_command}-cc")
        self.make("cmake", "--build", "by-cmake")
        self.judge("by-cmake/program")

    @unittest.skipUnless(shutil.which("meson"), "there is no meson")
    def test_meson(self):
        self.make("meson", "setup", "by-meson", env={"CC": f"{harness.heddle_command} cc"})
        self.make("ninja", "-C", "by-meson")
        self.judge("by-meson/program")

    def test_classes(self):
        for level in ("-O0", "-O2"):
            program = self.build("openmp/classes.cpp", "classes" + level, level)
            for seed in range(1, 50 if FULL else 3):
                document, _ = self.run_json("run", "--seed", str(seed), "--", program)
                self.assertEqual((found(document), document["program"]["exit"]), ([], 0), (level, seed))

    def test_pragmas(self):
        """Loops by macros, over several lines, after a #line ...: each is known by its own line."""
        program = self.build("openmp/pragmas.cpp", "pragmas", "-O0")
        document, done = self.run_json("run", "--threads", "2", "--", program)
        with open(os.path.join(harness.HERE, "openmp", "pragmas.cpp"), encoding="utf-8") as file:
            racy = {n for n, line in enumerate(file, 1) if line.rstrip().endswith("// race")}
        races = [f for f in document["findings"] if f["kind"] == "race"]
        self.assertEqual({a["line"] for f in races for p in f["pairs"] for a in p["accesses"]},
                         racy | {1007})
        self.assertIn("#pragma omp parallel for\n#pragma omp cancel for\n", done.stdout)
        self.assertEqual(document["program"]["exit"], 0)

    def test_messages(self):
        """What the compiler says and writes is the same with the pragmas rewritten, and without."""
        source = self.path("warned.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("int f(int a)\n{\n\tswitch (a) {\n\tcase 1:\n\t\ta++;\n\t\t/* fall through */\n"
                       "\tcase 2:\n\t\ta++;\n\tcase 3:\n\t\ta++;\n\t}\n\tint unused;\n"
                       "#pragma omp parallel for\n\tfor (int i = 0; i < a; i++)\n\t\t;\n\treturn a;\n}\n")
        flags = ["-fopenmp", "-Wall", "-Wextra", "-MMD", "-MP", "-c", source, "-o", self.path("warned.o")]
        dependencies = self.path("warned.d")
        said = subprocess.run(["gcc", *flags], stderr=subprocess.PIPE, check=True, text=True).stderr
        wrote = harness.read_bytes(dependencies)
        os.unlink(dependencies)
        self.assertEqual(self.heddle("cc", *flags, status=0).stderr, said)
        self.assertEqual(harness.read_bytes(dependencies), wrote)
        self.assertIn("warned.c:8", said)
        self.assertNotIn("warned.c:5", said)

    def test_preprocessed(self):
        """Sources that were preprocessed by others, like ccache, are rewritten, too."""
        source = os.path.join(SUITE, "for_same_chunk_racy.c")
        done = subprocess.run(["gcc", "-fopenmp", "-E", source], stdout=subprocess.PIPE, check=True)
        with open(self.path("same.i"), "wb") as file:
            file.write(done.stdout)
        for flags in ((self.path("same.i"),), (source, "-save-temps=obj"), (source, "-pipe")):
            program = self.path("same")
            self.heddle("cc", "-g", "-O0", "-fopenmp", *flags, "-o", program, status=0)
            self.assertEqual(found(self.run_json("run", "--threads", "2", "--", program)[0]),
                             [("race", "predicted")], flags)

    def test_clang(self):
        done = self.heddle("cc", "-fopenmp", os.path.join(self.project, "lib.c"), "-c", "-o",
                           self.path("lib.o"), env={"HEDDLE_CC": "clang"}, status=2)
        self.assertIn("OpenMP programs need gcc", done.stderr)


if __name__ == "__main__":
    harness.main()
