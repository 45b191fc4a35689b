#!/usr/bin/env python3
"""heddle predict: its verdicts against every order of small runs, its options, its mistakes."""

import collections
import json
import os
import re
import sys

import harness
import json_schema
import predict_oracle as oracle

PLANNER = (f"{sys.executable} {os.path.join(harness.HERE, 'tiny_planner.py')} "
           "{domain} {problem} {plan}")

# Figure 1(a) of the planning paper: T2 writes x only after it has seen the flag.
FIGURE_1 = """init x 7
T1 read x 7 @fig.c:1
T1 write flag 1 @fig.c:2
T1 read x 7 @fig.c:3
T2 read flag 1 @fig.c:10
T2 write x 9 @fig.c:11
"""

# T2 can be at its acquire of a while T1 is at its acquire of b ...
DEADLOCK = """T1 fork T2
T1 acquire a @d.c:1
T1 acquire b @d.c:2
T1 release b
T1 release a
T2 acquire b @d.c:11
T2 acquire a @d.c:12
T2 release a
T2 release b
T1 join T2
"""

# ... unless the flag that T1 sets last lets it start only then.
NO_DEADLOCK = DEADLOCK.replace(
    "T2 acquire b", "T1 atomic-store go 1\nT2 atomic-load go 1\nT2 acquire b", 1)

# The two increments of x++ with the lock given back in between: lost if the read of one changes.
LOST_UPDATE = """T1 fork T2
T1 acquire m
T1 read x 0
T1 release m
T1 acquire m
T1 write x 1
T1 release m
T2 acquire m
T2 read x 1
T2 release m
T2 acquire m
T2 write x 2
T2 release m
"""

# x is protected by m in one thread and by n in the other; y orders the two by chance.
LOCKSET_RACE = """T1 fork T2
T1 acquire m
T1 write x 1 @r.c:1
T1 release m
T1 acquire k
T1 release k
T2 acquire k
T2 release k
T2 acquire n
T2 write x 2 @r.c:2
T2 release n
"""

BLOCK = """T1 fork T2
T1 begin
T1 read x 0 @b.c:1
T1 write y 1
T1 write x 5 @b.c:2
T1 end
T2 write x 9 @b.c:3
"""


class Predict(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with open(os.path.join(harness.ROOT, "docs", "reference", "findings.schema.json"),
                  encoding="utf-8") as file:
            cls.schema = json.load(file)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def predict(self, text, *options, status=None):
        """What --json says of the run @text, and the result."""
        trace = self.write("run.txt", text)
        document, done = self.run_json("predict", trace, *options, status=status)
        json_schema.check(document, self.schema, self.schema)
        self.assertEqual(document["command"], "predict")
        return document, done

    def verdict(self, text, *options, status=None, key="patterns"):
        document, _ = self.predict(text, *options, status=status)
        self.assertEqual(len(document[key]), 1, document)
        return document[key][0]

    def need_sat(self):
        done = self.heddle("predict", self.write("any.txt", FIGURE_1), "--solver", "sat")
        if "built without a SAT solver" in done.stderr:
            self.skipTest("heddle is built without CaDiCaL (libcadical-dev)")

    def planned(self, row):
        """The numbers of the events that a plan executes, and those that are next."""
        with open(row["plan"], encoding="utf-8") as file:
            lines = [line.split() for line in file if re.match(r"T\d+ ", line)]
        return ([int(w[2]) for w in lines if "next" not in w],
                [int(w[2]) for w in lines if "next" in w])


class Paper(Predict):
    """The example of section 4.4."""

    def test_search(self):
        self.feasible_by("search")

    def test_sat(self):
        self.need_sat()
        self.feasible_by("sat", "both")

    def feasible_by(self, *solvers):
        for solver in solvers:
            row = self.verdict(FIGURE_1, "--pattern", "1,5,3", "--solver", solver, "--plans",
                               self.path("plans"), status=0)
            self.assertEqual((row["e1"], row["f"], row["e2"]), (1, 5, 3))
            self.assertEqual((row["kind"], row["verdict"]), ("RWR", "feasible"))
            self.assertEqual(self.planned(row), ([1, 2, 4, 5], []))

    def test_found_without_asking(self):
        row = self.verdict(FIGURE_1, "--only", "patterns", status=0)
        self.assertEqual((row["e1"], row["f"], row["e2"], row["kind"]), (1, 5, 3, "RWR"))

    def test_actions(self):
        self.verdict(FIGURE_1, "--pattern", "1,5,3", "--pddl", self.path("pddl"))
        files = sorted(os.listdir(self.path("pddl")))
        self.assertEqual(files, ["001-RWR-domain.pddl", "001-RWR-problem.pddl"])
        domain, problem = (harness.read_bytes(os.path.join(self.path("pddl"), f)).decode()
                           for f in files)
        self.assertEqual(re.findall(r"\(:action (\S+)", domain),
                         ["Ac1_1", "Ac1_2", "Ac1_3", "Ac2_1", "Ac2_2"])
        self.assertIn("(:goal (and (Happened f)))", problem)
        second = domain.split("(:action Ac2_2")[1]
        self.assertIn("(Done t2_1) (Not_Executed t2_2) (Happened e1)", second)

    def test_planner(self):
        """A planner's shortest plan: Ac1,1 Ac1,2 Ac2,1 Ac2,2."""
        keep = self.path("planners-plan")
        row = self.verdict(FIGURE_1, "--pattern", "1,5,3", "--plans", self.path("plans"),
                           "--planner", f"{PLANNER} && cp {{plan}} {keep}", status=0)
        self.assertEqual(row["verdict"], "feasible")
        self.assertEqual(harness.read_bytes(keep).decode().split(),
                         ["(ac1_1)", "(ac1_2)", "(ac2_1)", "(ac2_2)"])
        self.assertEqual(self.planned(row), ([1, 2, 4, 5], []))

    def test_wrong_plans_are_refused(self):
        """Figure 1(b): T2 goes on as if it had seen the flag. And other mistakes."""
        trace = self.write("run.txt", FIGURE_1)
        for plan in ("ac1_1 ac2_1 ac2_2", "ac2_1", "ac1_1 ac1_2 ac2_1", "ac1_2 ac1_1 ac2_1 ac2_2",
                     "ac1_1 ac1_2 ac1_3 ac2_1 ac2_2", "ac1_1 ac1_1 ac1_2 ac2_1 ac2_2",
                     "ac1_1 ac1_2 ac2_1 ac2_2 ac9_9"):
            steps = "".join(f"({name})\\n" for name in plan.split())
            command = f"printf '{steps}' > {{plan}} # {{domain}} {{problem}}"
            done = self.heddle("predict", trace, "--pattern", "1,5,3", "--planner", command,
                               status=2)
            self.assertRegex(done.stderr, r"^heddle: .*plan.*\n$", plan)

    def test_planner_without_plan_proves_nothing(self):
        row = self.verdict(LOST_UPDATE, "--pattern", "2,11,5", "--planner", PLANNER)
        self.assertEqual((row["verdict"], row["proof"]), ("unknown", None))

    def test_planner_that_is_not_there(self):
        trace = self.write("run.txt", FIGURE_1)
        done = self.heddle("predict", trace, "--pattern", "1,5,3", "--planner",
                           "/no/such/planner {domain} {problem} {plan}", status=2)
        self.assertIn("could not be run", done.stderr)


class Verdicts(Predict):
    def test_deadlock(self):
        document, done = self.predict(DEADLOCK, "--plans", self.path("plans"), status=1)
        [row] = document["goals"]
        self.assertEqual((row["kind"], row["verdict"], row["next"]),
                         ("deadlock", "feasible", [2, 6]))
        self.assertEqual(self.planned(row), ([0, 1, 5], [2, 6]))
        [finding] = document["findings"]
        self.assertEqual((finding["kind"], finding["verdict"]), ("deadlock", "predicted"))
        self.assertEqual(finding["schedule"], row["plan"])
        self.assertIn("as predicted", done.stdout)
        self.assertRegex(done.stdout, r"acquire b d\.c:2 \(next\)")

    def test_no_deadlock(self):
        document, done = self.predict(NO_DEADLOCK, status=0)
        [row] = document["goals"]
        self.assertEqual((row["verdict"], row["proof"]), ("infeasible", "run"))
        self.assertEqual(document["findings"], [])
        self.assertIn("proved for the whole run", done.stdout)

    def test_race(self):
        row = self.verdict(LOCKSET_RACE, "--only", "race", status=1, key="goals")
        self.assertEqual((row["kind"], row["verdict"], row["next"]), ("race", "feasible", [2, 9]))
        first = self.predict(LOCKSET_RACE, "--only", "race")[0]["findings"][0]
        self.assertEqual((first["kind"], first["verdict"]), ("race", "predicted"))
        guarded = LOCKSET_RACE.replace("acquire n", "acquire m").replace("release n", "release m")
        document, _ = self.predict(guarded, status=0)
        self.assertEqual(document["goals"] + document["patterns"], [])

    def test_race_that_values_exclude(self):
        """By happens-before there are two races; the flag's value lets only one of them be."""
        run = "T1 write x 1\nT1 write flag 1\nT2 read flag 1\nT2 write x 2\n"
        document, _ = self.predict(run, "--only", "race", status=1)
        self.assertEqual({(tuple(r["next"]), r["verdict"]) for r in document["goals"]},
                         {((1, 2), "feasible"), ((0, 3), "infeasible")})

    def test_undeclared_pattern_is_a_note(self):
        plain = BLOCK.replace("T1 begin\n", "").replace("T1 end\n", "")
        document, _ = self.predict(plain, "--only", "patterns", status=0)
        self.assertEqual([p["verdict"] for p in document["patterns"]], ["feasible"])
        self.assertEqual(document["findings"], [])

    def test_declared_block_is_a_finding(self):
        for ask in ((), ("--pattern", "2,6,4")):
            document, _ = self.predict(BLOCK, "--only", "patterns", *ask, status=1)
            self.assertEqual([p["verdict"] for p in document["patterns"]], ["feasible"])
            self.assertEqual([(f["kind"], f["verdict"], f["pattern"])
                              for f in document["findings"]], [("atomicity", "predicted", "RWW")])

    def test_group(self):
        text = ("T1 fork T2\nT1 read a 0\nT1 read b 0\nT2 write a 1\nT2 write b 1\n")
        groups = self.write("groups", "group pair: a, b\n")
        document, _ = self.predict(text, "--only", "patterns", "--groups", groups, status=1)
        self.assertEqual({(p["e1"], p["f"], p["e2"], p["kind"], p["verdict"])
                          for p in document["patterns"]},
                         {(1, 3, 2, "RWR", "feasible"), (1, 4, 2, "RWR", "feasible"),
                          (3, 1, 4, "WRW", "feasible"), (3, 2, 4, "WRW", "feasible")})
        self.assertEqual(self.predict(text, "--only", "patterns", status=0)[0]["patterns"], [])

    def test_relaxed(self):
        document, done = self.predict(LOST_UPDATE, "--plans", self.path("plans"), status=0)
        for row in document["patterns"]:
            self.assertEqual((row["verdict"], row["relaxed"]), ("infeasible", True))
            self.assertIn("\nloose\n", harness.read_bytes(row["plan"]).decode())
        self.assertIn("relaxed", done.stdout)
        document, done = self.predict(LOST_UPDATE, "--plans", self.path("plans"), "--relaxed",
                                      "no", status=0)
        for row in document["patterns"]:
            self.assertEqual((row["verdict"], row["relaxed"], row["plan"]),
                             ("infeasible", False, None))

    def test_relaxed_respects_locks(self):
        text = ("T1 fork T2\nT1 acquire m\nT1 read x 0\nT1 write x 1\nT1 release m\n"
                "T2 acquire m\nT2 read x 1\nT2 write x 2\nT2 release m\n")
        row = self.verdict(text, "--pattern", "2,7,3", status=0)
        self.assertEqual((row["verdict"], row["relaxed"]), ("infeasible", False))

    def test_unknown_names_the_budget(self):
        document, done = self.predict(LOST_UPDATE, "--time", "0.000000001", status=4)
        self.assertEqual({p["verdict"] for p in document["patterns"]}, {"unknown"})
        self.assertFalse(document["stats"]["complete"])
        self.assertIn("the time for all", done.stdout)

    def test_unknown_names_the_steps(self):
        self.need_sat()
        many = "T1 fork T2\n" + "".join(f"T1 write x {i}\nT2 read x {i}\n" for i in range(200))
        row = self.verdict(many, "--pattern", "1,398,399", "--solver", "sat", "--relaxed", "no",
                           status=0)
        self.assertEqual((row["verdict"], row["proof"]), ("unknown", None))
        self.assertIn("steps", row["why"])

    def test_window(self):
        """Far from the goal nothing has to be moved: the answer says which events were."""
        idle = "".join(f"T1 write a {i}\nT2 read a {i}\n" for i in range(3000))
        text = "T1 fork T2\n" + idle + "T1 read x 0\nT1 write x 1\nT2 write x 2\n"
        row = self.verdict(text, "--pattern", "6001,6003,6002", "--window", "16", "--plans",
                           self.path("plans"), status=0)
        self.assertEqual(row["verdict"], "feasible")
        self.assertGreater(row["window"][0], 5000)
        order, _ = self.planned(row)
        self.assertEqual(order[:5000], list(range(5000)))
        self.assertEqual([e for e in order if e > 6000], [6001, 6003])


class Oracle(Predict):
    """Every verdict, and every plan, against all orders of the run."""

    @staticmethod
    def line(goal, first):
        order, after, open_end = goal
        parts = []
        if order:
            parts.append("order " + " < ".join(str(e + first) for e in order) +
                         (" open" if open_end else ""))
        if after:
            parts.append("next " + ", ".join(str(e + first) for e in after))
        return "; ".join(parts)

    def compare(self, seed, *options):
        rng = oracle.seeded(seed)
        run, init = oracle.random_run(rng, rng.randint(2, 3), rng.randint(2, 6))
        goals = oracle.random_goals(rng, run, 12) if len(run) >= 3 else []
        if not goals:
            return 0
        first = len(init)
        file = self.write("goals", "\n".join(self.line(g, first) for g in goals))
        document, _ = self.predict(oracle.text_of(run, init), "--goal", file, "--plans",
                                   self.path("plans"), *options)
        self.assertEqual(len(document["goals"]), len(goals))
        for goal, row in zip(goals, document["goals"]):
            wanted = oracle.Goal(run, *goal)
            what = f"seed {seed}: {self.line(goal, first)}\n{oracle.text_of(run, init)}"
            feasible = oracle.feasible(run, init, wanted)
            self.assertEqual(row["verdict"], "feasible" if feasible else "infeasible", what)
            self.assertEqual(row["relaxed"],
                             not feasible and oracle.feasible(run, init, wanted, True), what)
            self.assertEqual(row["plan"] is not None, feasible or row["relaxed"], what)
            if row["plan"]:
                order = [e - first for e in self.planned(row)[0]]
                wrong = oracle.follow(run, init, wanted, order, row["relaxed"])
                self.assertIsNone(wrong, f"{what}{order}")
        return len(goals)

    def test_random_runs(self):
        rounds = int(os.environ.get("HEDDLE_TEST_ROUNDS", "120"))
        start = int(os.environ.get("HEDDLE_TEST_SEED", "1"))
        goals = sum(self.compare(seed) for seed in range(start, start + rounds))
        print(f"{goals} goals, seeds from {start}")
        self.assertGreater(goals, 5 * rounds)

    def test_random_sentences(self):
        """
        What an event of the sentence may see if its thread must still not have done something is
        bounded from both sides.
        """
        rounds = int(os.environ.get("HEDDLE_TEST_ROUNDS", "120"))
        seen = collections.Counter()
        for seed in range(70000, 70000 + rounds):
            rng = oracle.seeded(seed)
            run, init = oracle.random_run(rng, rng.randint(2, 3), rng.randint(3, 6))
            if all(e[1] in ("fork", "join") for e in run):
                continue
            asked = [s for s in (oracle.random_sentence(rng, run) for _ in range(12))
                     if oracle.ways_of(run, s)]
            if not asked:
                continue
            file = self.write("goals", "\n".join(oracle.words_of(s) for s in asked))
            document, _ = self.predict(oracle.text_of(run, init), "--goal", file)
            for sentence, row in zip(asked, document["goals"]):
                what = f"seed {seed}: {row}\n{oracle.text_of(run, init)}"
                seen[sentence[2], row["verdict"]] += 1
                if row["verdict"] == "feasible":
                    self.assertTrue(oracle.can_be(run, init, sentence, True), what)
                elif row["verdict"] == "infeasible":
                    self.assertFalse(oracle.can_be(run, init, sentence, False), what)
        print(dict(seen))
        for kind in ("sequence", "between", "twice"):
            for verdict in ("feasible", "infeasible"):
                self.assertGreater(seen[kind, verdict], rounds // 40, seen)
        unknown = sum(n for (_, verdict), n in seen.items() if verdict == "unknown")
        self.assertLess(unknown, sum(seen.values()) // 10, seen)

    def test_both_solvers(self):
        self.need_sat()
        for seed in range(5000, 5030):
            self.compare(seed, "--solver", "both")

    def test_candidates(self):
        """What is found without being asked for is decided rightly, too."""
        seen = {"feasible": 0, "infeasible": 0}
        for seed in range(7000, 7060):
            run, init = oracle.random_run(oracle.seeded(seed), 3, 6)
            document, _ = self.predict(oracle.text_of(run, init))
            for row in document["patterns"]:
                events = [row[k] - len(init) for k in ("e1", "f", "e2")]
                feasible = oracle.feasible(run, init, oracle.Goal(run, events, (), True))
                self.assertEqual(row["verdict"], "feasible" if feasible else "infeasible",
                                 f"seed {seed}: {events}")
                seen[row["verdict"]] += 1
            for row in document["goals"]:
                events = [e - len(init) for e in row["next"]]
                feasible = oracle.feasible(run, init, oracle.Goal(run, (), events))
                self.assertEqual(row["verdict"], "feasible" if feasible else "infeasible",
                                 f"seed {seed}: {events}")
        self.assertGreater(min(seen.values()), 5, seen)


class Goals(Predict):
    def goal(self, text, *options, run=FIGURE_1, status=None):
        return self.predict(run, "--goal", self.write("goal", text), *options, status=status)

    def test_words(self):
        text = """# what is asked
order write@fig.c:11 < read@fig.c:3   # the second read sees 9
next T1 read x #2, T2 write x
order T2 read flag < T1 write flag    # its value was free to differ

  order T2 any @fig.c:10<T2 write x<T1 any x #2 open
order 4 < 5; next 3
"""
        document, done = self.goal(text, status=1)
        rows = document["goals"]
        self.assertEqual([(r["order"], r["next"]) for r in rows],
                         [([5, 3], []), ([], [3, 5]), ([4, 2], []), ([4, 5, 3], []), ([4, 5], [3])])
        self.assertEqual([r["verdict"] for r in rows], ["feasible"] * 5)
        self.assertEqual(rows[1]["text"], "next T1 read x #2, T2 write x")
        self.assertIn("read x 7? fig.c:3", done.stdout)

    def test_infeasible(self):
        document, _ = self.goal("order T2 write x < T1 write flag\n", status=0)
        self.assertEqual([(r["verdict"], r["proof"]) for r in document["goals"]],
                         [("infeasible", "run")])

    def test_any_that_fits(self):
        """The description fits three reads; only for the last is there a schedule."""
        run = ("init x 0\nT1 read x 0\nT1 write f 1\nT1 read x 0\nT1 write g 1\nT1 read x 0\n"
               "T2 read g 1\nT2 write x 5\n")
        document, _ = self.goal("order T2 write x < T1 read x\n", run=run, status=1)
        self.assertEqual(document["goals"][0]["order"], [7, 5])
        document, _ = self.goal("order T2 write x < T1 read x #2\n", run=run, status=0)
        self.assertEqual(document["goals"][0]["verdict"], "infeasible")

    def test_sentences(self):
        text = """T2 writes x before T1 reads x #2
T2 writes x between fig.c:1 and fig.c:3
T1 reads x twice without T1 writes flag between
T1 reads x twice without T2 writes x between
Ta reads x then Tb writes x then Ta reads x without Tb reads flag
use(x) in nowhere before reads flag
"""
        done = self.heddle("predict", self.write("run.txt", FIGURE_1), "--goal",
                           self.write("goal", text))
        self.assertIn("line 6: no event of the run fits event 1", done.stderr)
        document, _ = self.goal("\n".join(text.split("\n")[:5]), status=1)
        self.assertEqual([(r["order"], r["verdict"]) for r in document["goals"]],
                         [([5, 3], "feasible"), ([1, 5, 3], "feasible"), ([], "infeasible"),
                          ([1, 3, 5], "feasible"), ([1, 5, 3], "feasible")])

    def test_blocks(self):
        """A block that is given out again is another one."""
        again = "T1 free b 4\nT1 alloc b 4\nT1 write b 8\nT1 free b 4\n"
        run = "T1 alloc b 4\nT1 write b 7\nT1 fork T2\nT2 read b 7\n"
        document, _ = self.goal("free(*) before use(*)\n", run=run + again, status=1)
        self.assertEqual(document["goals"][0]["order"], [4, 3])
        document, _ = self.goal("free(*) before use(*)\n", run=run + "T1 join T2\n" + again,
                                status=0)
        self.assertEqual(document["goals"][0]["verdict"], "infeasible")

    def test_mistakes(self):
        for text, words in (
                ("", "there is no goal in it"),
                ("# nothing\n", "there is no goal in it"),
                ("order 1\n", "at least two events"),
                ("order 1 <\n", "missing"),
                ("order 1 < 2 3\n", "does not belong here: '3'"),
                ("\norder 1 < 2,3\n", "line 2: this does not belong here: ',3'"),
                ("before 1 < 2\n", "an event is FILE:LINE, or what is done"),
                ("reads x\n", "comes before, then, between or twice"),
                ("reads x between fig.c:1\n", "and is missing"),
                ("enters f before reads x\n", "records calls with --calls"),
                ("T1 reads x between T2 reads flag and T1 reads x\n", "none fit together"),
                ("next T1 jump x, 3\n", "no operation 'jump'"),
                ("next T1 read, 3\n", "say of what or where"),
                ("next read@fig.c, 3\n", "@FILE:LINE, not '@fig.c'"),
                ("next read@:3, 3\n", "@FILE:LINE, not '@:3'"),
                ("next read x #0, 3\n", "after #"),
                ("next read x #9, 5\n", "there are only 2"),
                ("next read nowhere, 5\n", "no event of the run fits"),
                ("order 1 < 99\n", "no event 99: the run has 6"),
                ("order 1 < 2; order 2 < 3\n", "one order"),
                ("order " + " < ".join(["1"] * 17) + "\n", "at most 16"),
                ("order T2 write x < 5\n", "the same event twice"),
                ("order 0 < 5\n", "event 0 (init)"),
                ("order 1 < 2 \0\n", "byte 0")):
            done = self.heddle("predict", self.write("run.txt", FIGURE_1), "--goal",
                               self.write("goal", text))
            if "init" in words:
                self.assertIn(words, done.stdout)
                continue
            self.assertEqual(done.returncode, 2, text)
            self.assertRegex(done.stderr, r"^heddle: [^\n]+\n$", text)
            self.assertIn(words, done.stderr, text)

    def test_patterns_that_are_none(self):
        trace = self.write("run.txt", FIGURE_1 + "T2 acquire m\n")
        for text, words in (("1,5", "three numbers"), ("1,5,3,4", "three numbers"),
                            ("a,b,c", "three numbers"), ("1,5,3;", "three numbers"),
                            ("1,5,99", "no access"), ("1,6,3", "(acquire) is no access"),
                            ("3,5,1", "in this order"), ("1,2,3", "another thread"),
                            ("1,5,4", "of one thread")):
            done = self.heddle("predict", trace, "--pattern", text, status=2)
            self.assertIn(words, done.stderr, text)
        document, _ = self.predict(FIGURE_1, "--pattern", "1,5,3;1,4,3", status=None)
        self.assertEqual(len(document["patterns"]) + len(document["goals"]), 2)


class Inputs(Predict):
    def test_forms_of_the_same_run(self):
        """As text, imported, and through `trace dump`: one numbering."""
        text = self.write("run.txt", FIGURE_1)
        self.heddle("trace", "import", text, "-o", self.path("run.htr"), status=0)
        dump = self.heddle("trace", "dump", self.path("run.htr"), status=0).stdout
        self.assertRegex(dump, r"(?m)^\s*5\s+T2\s+write\s+x")
        rows = []
        for trace in (text, self.path("run.htr")):
            document, _ = self.run_json("predict", trace, "--only", "patterns", status=0)
            rows.append([(p["e1"], p["f"], p["e2"], p["verdict"]) for p in document["patterns"]])
        self.assertEqual(rows, [[(1, 5, 3, "feasible")]] * 2)

    def test_std(self):
        """Without values a read may only see the write that it saw."""
        text = ("T0|fork(T1)|1\nT0|r(x)|2\nT0|w(flag)|3\nT0|r(x)|4\nT1|r(flag)|5\nT1|w(x)|6\n")
        row = self.verdict(text, "--only", "patterns", status=0)
        self.assertEqual(row["verdict"], "feasible")

    def test_not_a_trace(self):
        for name, text in (("none", None), ("words", "hello world\n"), ("empty", ""),
                           ("broken", "T1 read x 0\nT1 flies\n"),
                           ("impossible", "T1 read x 0\nT2 read x 1\n")):
            path = self.path("no-such-file") if text is None else self.write(name, text)
            done = self.heddle("predict", path, status=2)
            self.assertRegex(done.stderr, r"^heddle: [^\n]+\n$", name)
            self.assertEqual(done.stdout, "")

    def test_cut_off(self):
        """Of a file that breaks off, all before it counts, and the status says so."""
        text = self.write("run.txt", FIGURE_1)
        self.heddle("trace", "import", text, "-o", self.path("run.htr"), status=0)
        whole = harness.read_bytes(self.path("run.htr"))
        with open(self.path("cut.htr"), "wb") as file:
            file.write(whole[:-10])
        done = self.heddle("predict", self.path("cut.htr"), "--only", "patterns",
                           status=2)
        self.assertIn("RWR      feasible", done.stdout)

    def test_usage(self):
        trace = self.write("run.txt", FIGURE_1)
        for options, words in (((), "which trace"), ((trace, trace), "one trace at a time"),
                               ((trace, "--solver", "luck"), "search|sat|both"),
                               ((trace, "--budget", "soon"), "number of seconds"),
                               ((trace, "--pattern", "1,5,3", "--goal", "x"), "exclude each other"),
                               ((trace, "--planner", "x", "--solver", "sat"), "exclude each other"),
                               ((trace, "--pattern", "1,5,3", "--planner", "x"), "{domain}"),
                               ((trace, "--goal", "/no/file"), "/no/file"),
                               ((trace, "--plans", trace), "cannot make the folder"),
                               ((trace, "--only", "luck"), "--only")):
            done = self.heddle("predict", *options, status=2)
            self.assertIn(words, done.stderr)

    def test_json_on_standard_output(self):
        trace = self.write("run.txt", FIGURE_1)
        done = self.heddle("predict", trace, "--json", "-", "--only", "patterns", status=0)
        self.assertEqual(len(json.loads(done.stdout)["patterns"]), 1)
        self.assertIn("feasible", done.stderr)


class Recorded(Predict):
    programs = ("mutex/abba_deadlock.c", "bookings.c")

    def test_program(self):
        """A run without a deadlock predicts it, with the lines of the source."""
        trace = self.path("abba.htr")
        for seed in range(1, 40):
            done = self.heddle("run", "--seed", str(seed), "--record", trace, "--record-exact",
                               "-q", "--", self.binary["abba_deadlock"])
            if done.returncode == 0:
                break
        self.assertEqual(done.returncode, 0)
        document, done = self.run_json("predict", trace, "--plans", self.path("plans"), status=1)
        [finding] = document["findings"]
        self.assertEqual((finding["kind"], finding["verdict"]), ("deadlock", "predicted"))
        self.assertTrue(all(a["file"].endswith("abba_deadlock.c") and a["line"]
                            for a in finding["accesses"]))
        self.assertRegex(done.stdout, r"acquire \w+ abba_deadlock\.c:\d+ \(next\)")
        plan = harness.read_bytes(finding["schedule"]).decode()
        self.assertIn("program " + self.binary["abba_deadlock"], plan)
        self.assertRegex(plan, r"build-id [0-9a-f]+")

    def test_atomic_functions(self):
        trace = self.path("bookings.htr")
        self.heddle("run", "--record", trace, "--record-exact", "--calls", "-q", "--",
                    self.binary["bookings"], status=0)
        document, _ = self.run_json("predict", trace, status=0)
        kinds = [p["kind"] for p in document["patterns"]]
        self.assertIn("RWW", kinds)
        document, _ = self.run_json("predict", trace, "--atomic", "^deposit$", status=1)
        self.assertEqual([(p["kind"], p["verdict"]) for p in document["patterns"]],
                         [("RWW", "feasible")])
        [finding] = document["findings"]
        self.assertEqual((finding["kind"], finding["variable"]), ("atomicity", "total"))
        document, _ = self.run_json("predict", trace, "--atomic", "^reset$", status=0)
        self.assertEqual(document["findings"], [])

    def test_atomic_functions_without_calls(self):
        trace = self.path("bookings.htr")
        self.heddle("run", "--record", trace, "--record-exact", "-q", "--",
                    self.binary["bookings"], status=0)
        document, _ = self.run_json("predict", trace, "--atomic", "^deposit$", status=0)
        self.assertIn("--calls", " ".join(document["notes"]))


if __name__ == "__main__":
    harness.main()
