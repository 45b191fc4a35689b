#!/usr/bin/env python3
"""heddle check: every way to fail and every verdict, each with a twin that must stay silent."""

import json
import os
import re
import signal
import time
import unittest

import harness
from harness import SystemTest, main, read_bytes

FIXED = ("assert", "exit", "output", "always", "crash", "deadlock", "race", "torn", "declared",
         "excluded", "moody")


class CheckTest(SystemTest):
    programs = ("checked.c",)

    def setUp(self):
        self.here = os.path.join(self.folder.name, re.sub(r"\W", "_", self.id()))
        os.makedirs(self.here, exist_ok=True)

    def check(self, *words, options=(), status=None, **more):
        """Run check on a scenario in a folder of its own: the JSON, and the result."""
        file = os.path.join(self.here, "findings.json")
        done = self.heddle("check", "--json", file, *options, "--", self.binary["checked"], *words,
                           status=status, cwd=self.here, **more)
        if done.returncode in (2, 3):
            return None, done
        with open(file, encoding="utf-8") as opened:
            return json.load(opened), done

    def only_finding(self, document, **fields):
        self.assertEqual(len(document["findings"]), 1, document["findings"])
        found = document["findings"][0]
        for name, value in fields.items():
            self.assertEqual(found[name], value, name)
        return found


class Verdicts(CheckTest):
    def confirmed(self, *words, outcome, **fields):
        document, done = self.check(*words, status=1)
        found = self.only_finding(document, verdict="confirmed", **fields)
        self.assertRegex(found["outcome"], outcome)
        self.assertIn("Outcome: ", done.stdout)
        return found

    def test_assert(self):
        found = self.confirmed("assert", kind="atomicity", pattern="RWW", variable="balance",
                               outcome="^assertion: .*balance == 157")
        accesses = found["accesses"]
        self.assertEqual([a["role"] for a in accesses], ["e1", "f", "e2"])
        self.assertEqual([a["function"] for a in accesses], ["deposit"] * 3)
        self.assertEqual(accesses[0]["thread"], accesses[2]["thread"])
        self.assertNotEqual(accesses[0]["thread"], accesses[1]["thread"])
        # As it was in the run that fails: read before the other's write, written after it.
        self.assertEqual(accesses[0]["value"], 100)
        self.assertIn(accesses[1]["value"], (150, 107))
        self.assertTrue(any(step["switch"] for step in found["interleaving"]))

    def test_crash(self):
        self.confirmed("crash", kind="atomicity", pattern="RWR", variable="pointer",
                       outcome="^crash: SIGSEGV")

    def test_deadlock(self):
        self.confirmed("deadlock", kind="deadlock", outcome="^deadlock: .*'other'.*'lock'|'lock'")

    def test_exit(self):
        self.confirmed("exit", kind="atomicity", pattern="RWW",
                       outcome="exit status 3, in ordinary runs with exit status 0")

    def test_output(self):
        self.confirmed("output", kind="atomicity", pattern="RWW",
                       outcome="line 'balance (150|107)', which no ordinary run has")

    def test_race(self):
        found = self.confirmed("race", kind="race", variable="shared",
                               outcome="without any order")
        self.assertEqual(found["established"], "happens-before")

    def test_oracle(self):
        oracle = 'test "$HEDDLE_EXIT" = 0 && grep -q "balance 157" "$HEDDLE_STDOUT"'
        document, _ = self.check("oracle", options=["--oracle", oracle], status=1)
        found = self.only_finding(document, kind="atomicity", verdict="confirmed")
        self.assertEqual(found["outcome"], "the oracle's status is 1")
        document, _ = self.check("oracle", "fixed", options=["--oracle", oracle], status=0)
        self.assertEqual(document["findings"], [])

    def test_oracle_that_never_agrees(self):
        _, done = self.check("assert", options=["--oracle", "exit 4"], status=2)
        self.assertIn("the oracle's status is 4 for an ordinary run", done.stderr)

    def test_output_that_varies_is_no_failure(self):
        document, done = self.check("oracle", status=0)
        self.assertEqual(document["findings"], [])
        self.assertIn("note: the output differs between ordinary runs", done.stdout)
        self.assertIn("happened without visible failure; --all lists them", done.stdout)

    def test_realised(self):
        document, done = self.check("torn", status=0)
        self.assertEqual((document["findings"], document["candidates"]), ([], []))
        self.assertEqual(document["stats"]["candidates"], 1)
        self.assertIn("heddle: 1 candidate happened without visible failure", done.stdout)
        document, _ = self.check("torn", options=["--all"], status=0)
        self.assertEqual([c["verdict"] for c in document["candidates"]], ["realised"])
        self.assertEqual([p["verdict"] for p in document["patterns"]], ["feasible"])

    def test_realised_in_a_declared_block(self):
        document, _ = self.check("declared", status=1)
        found = self.only_finding(document, kind="atomicity", verdict="realised", pattern="RWR")
        self.assertIsNone(found["outcome"])
        self.assertIn("look_atomically", json.dumps(found["threads"]))
        self.replays_to(found, 0)  # nothing is seen in it

    def test_a_declared_block_is_not_blamed_for_what_else_fails(self):
        document, _ = self.check("declared-cause", status=1)
        self.only_finding(document, kind="atomicity", verdict="confirmed", variable="balance")
        document, _ = self.check("declared-beside", status=1)
        blocks = [f for f in document["findings"] if f["variable"] == "level"]
        self.assertEqual([(f["kind"], f["verdict"], f["outcome"]) for f in blocks], [("atomicity", "realised", None)])
        others = [f for f in document["findings"] if f["variable"] != "level"]
        self.assertIn("raised", json.dumps(others))
        document, _ = self.check("declared-cause", "fixed", status=0)
        self.assertEqual(document["findings"], [])

    def test_realised_in_a_group(self):
        groups = os.path.join(self.here, "groups")
        with open(groups, "w", encoding="utf-8") as file:
            file.write("group range: low, high\n")
        document, _ = self.check("group", options=["--groups", groups], status=1)
        found = self.only_finding(document, kind="atomicity", verdict="realised")
        self.assertEqual([a["variable"] for a in found["accesses"]][::2], ["low", "high"])
        for words, options in ((("group",), ()), (("group", "fixed"), ("--groups", groups))):
            document, _ = self.check(*words, options=options, status=0)
            self.assertEqual(document["findings"], [])

    def replays_to(self, found, status):
        self.heddle("replay", found["schedule"], "--", self.binary["checked"], "declared",
                    cwd=self.here, status=status)

    def test_infeasible(self):
        document, done = self.check("excluded", options=["--all"], status=0)
        self.assertEqual(document["findings"], [])
        self.assertEqual({c["verdict"] for c in document["candidates"]}, {"infeasible"})
        self.assertEqual([p["verdict"] for p in document["patterns"]], ["infeasible"])
        # The relaxed schedule was tried, and this is where and why the program left it.
        self.assertRegex(document["candidates"][0]["detail"],
                         r"T3 left the plan at checked.c:\d+ in raise_when_ready: it read 0 at "
                         r"checked.c:\d+ in raise_when_ready, the plan has 1")
        self.assertIn("2 candidates proved infeasible", done.stdout)
        document, done = self.check("excluded", status=0)
        self.assertEqual(document["candidates"], [])

    def test_unknown(self):
        document, done = self.check("moody", options=["--all"], status=0)
        self.assertEqual([c["verdict"] for c in document["candidates"]], ["unknown"])
        self.assertRegex(document["candidates"][0]["detail"], "T1 left the plan at checked.c")
        self.assertIn("1 candidate left undecided", done.stdout)

    def test_observed(self):
        document, _ = self.check("always", status=1)
        found = self.only_finding(document, kind="assertion", verdict="observed")
        self.heddle("replay", found["schedule"], "--", self.binary["checked"], "always",
                    cwd=self.here, status=1)

    def test_fixed(self):
        for scenario in FIXED:
            with self.subTest(scenario):
                document, done = self.check(scenario, "fixed", status=0)
                self.assertEqual(document["findings"], [])
                self.assertEqual(os.listdir(self.here), ["findings.json"], done.stdout)


class Objects(SystemTest):
    """Lines that two threads can be at together are not one object's accesses."""
    programs = ("handed_over.c",)

    def found(self, *words, status):
        document, _ = self.run_json("check", "--output", self.path("out"), "--",
                                    self.binary["handed_over"], *words, status=status)
        return document["findings"]

    def test_each_with_its_own(self):
        self.assertEqual(self.found(status=0), [])

    def test_both_with_one(self):
        kinds = {(found["kind"], access["function"]) for found in self.found("late", status=1)
                 for access in found["accesses"]}
        self.assertIn(("race", "fill"), kinds)
        self.assertIn(("race", "amount_of"), kinds)


class Witness(CheckTest):
    def test_replays_again_and_again(self):
        document, _ = self.check("assert", status=1)
        found = document["findings"][0]
        self.assertTrue(found["replay"].startswith("heddle replay heddle-checked/atomicity-"))
        first = None
        for _ in range(20):
            done = self.heddle("replay", found["schedule"], "--", self.binary["checked"],
                               "assert", cwd=self.here, status=1)
            first = first or done.stderr
            self.assertEqual(done.stderr, first)
            self.assertIn("balance == 157", first)

    def test_has_one_preemption(self):
        """The late thread's deposit comes between the other's look and store: one preemption."""
        document, _ = self.check("assert", status=1)
        file = os.path.join(self.here, document["findings"][0]["schedule"])
        dump = self.heddle("trace", "dump", file, status=0).stdout
        taken = []
        for line in dump.splitlines():
            choice = re.match(r"\d+ T(\d+) choice T(\d+) .*arg=(\d+)", line)
            # 2: the one that ran could have gone on; 1: which waiter is woken.
            if choice and choice[1] != choice[2] and int(choice[3]) & 3 == 2:
                taken.append(line)
        self.assertEqual(len(taken), 1, taken)

    def test_does_not_overwrite(self):
        document, _ = self.check("assert", status=1)
        path = os.path.join(self.here, document["findings"][0]["schedule"])
        with open(path, "r+b") as file:  # its own it does, also of another version
            file.seek(6)
            file.write(b"\x7f")
        self.check("assert", status=1)
        with open(path, "w", encoding="utf-8") as file:
            file.write("mine")
        _, done = self.check("assert", status=2)
        self.assertIn("exists and is not a heddle trace", done.stderr)
        self.assertEqual(read_bytes(path), b"mine")

    def test_output_folder(self):
        document, _ = self.check("assert", options=["--output", "there"], status=1)
        self.assertEqual(os.path.dirname(document["findings"][0]["schedule"]), "there")
        self.assertFalse(os.path.exists(os.path.join(self.here, "heddle-checked")))


def without_times(document):
    document["stats"].pop("seconds")
    for pattern in document["patterns"]:
        pattern.pop("us")
    return document


    def test_each_finding_has_a_file_of_its_own(self):
        """Races of tasks that come about unseen, of which none can be shown as it was."""
        program = self.build(os.path.join(harness.ROOT, "examples", "tasks_sort.c"), "sort", "-g")
        file = self.path("sort.json")
        self.heddle("check", "--json", file, "--output", self.path("sorted"), "--", program, status=1)
        with open(file, encoding="utf-8") as opened:
            findings = json.load(opened)["findings"]
        alone = [f["schedule"] for f in findings if f["verdict"] != "observed"]
        self.assertGreater(len(alone), 1)
        self.assertEqual(len(set(alone)), len(alone), alone)
        for name in alone:
            self.assertTrue(os.path.exists(name), name)


class Driver(CheckTest):
    def test_jobs_change_nothing(self):
        for scenario, options in (("assert", ["--all"]), ("assert", ["--keep-going", "--all"])):
            reports = []
            for jobs in ("1", "2"):
                document, done = self.check(
                    scenario, options=[*options, "--jobs", jobs, "--start-time", "1700000000"])
                reports.append((without_times(document), done.stdout, done.returncode))
            self.assertEqual(reports[0], reports[1], scenario)

    def test_several_observations(self):
        """Runs under other seeds suggest nothing new here, and nothing is told twice."""
        one, _ = self.check("assert", options=["--keep-going", "--all"], status=1)
        more, _ = self.check("assert", options=["--keep-going", "--all", "--runs", "4"], status=1)
        ids = [{f["id"] for f in d["findings"] + d["candidates"]} for d in (one, more)]
        self.assertLessEqual(ids[0], ids[1])
        self.assertEqual(len(more["findings"]), len({f["id"] for f in more["findings"]}))
        self.assertGreater(more["stats"]["executions"], one["stats"]["executions"])

    def test_input_is_given_to_every_run(self):
        document, _ = self.check("input", status=1, stdin=None, input="3\n")
        found = self.only_finding(document, verdict="confirmed")
        self.assertRegex(found["outcome"], "3 rounds, balance (150|107)")
        with open(os.path.join(self.here, "in"), "w", encoding="utf-8") as file:
            file.write("2\n")
        with open(file.name, encoding="utf-8") as file:
            document, _ = self.check("input", "fixed", status=0, stdin=file)
        self.assertEqual(document["program"]["exit"], 0)

    def test_baseline_and_suppressions(self):
        self.check("assert", status=1)
        findings = os.path.join(self.here, "findings.json")
        known = os.path.join(self.here, "known.json")
        os.rename(findings, known)
        document, done = self.check("assert", options=["--baseline", known], status=0)
        self.assertTrue(document["findings"][0]["known"])
        self.assertIn("1 finding known from the baseline", done.stdout)
        lines = os.path.join(self.here, "suppressions")
        with open(lines, "w", encoding="utf-8") as file:
            file.write("atomicity:balance\n")
        document, done = self.check("assert", options=["--suppressions", lines], status=0)
        self.assertEqual(document["findings"], [])
        self.assertIn("1 finding suppressed", done.stdout)

    def test_other_formats(self):
        sarif, junit = (os.path.join(self.here, n) for n in ("a.sarif", "a.xml"))
        self.check("assert", options=["--sarif", sarif, "--junit", junit], status=1)
        with open(sarif, encoding="utf-8") as file:
            result = json.load(file)["runs"][0]["results"][0]
        self.assertEqual(result["properties"]["verdict"], "confirmed")
        self.assertIn("heddle replay", result["properties"]["replay"])
        self.assertIn(b'failures="1"', read_bytes(junit))

    def test_time(self):
        """A program without end is told of as far as it came; a third of the time is for that."""
        document, done = self.check("hang", options=["--time", "2"], status=4)
        self.assertEqual(document["stats"]["stopped"], "unfinished")
        self.assertIn("had not ended after", done.stdout)

    @unittest.skipUnless(os.environ.get("HEDDLE_TEST_FULL"), "HEDDLE_TEST_FULL: takes its time")
    def test_a_server_without_end(self):
        """A first run takes a third of the time; what it shows is then tried in runs that end early."""
        for how, found, status in (("torn", ["atomicity"], 1), ("whole", [], 4)):
            document, done = self.run_json("check", "--time", "24", "--", self.build("endless_server.c", how, "-g", f"-D{how.upper()}"),
                                           status=status, cwd=self.here)
            self.assertEqual([f["kind"] for f in document["findings"] if f["verdict"] == "confirmed"], found)
            self.assertIn("further runs were ended after", done.stdout)

    def test_interrupted(self):
        """Ctrl-C: what was established so far is told. Waits for a run that is under way."""
        child = self.start("check", "--", self.binary["checked"], "hang", cwd=self.here)
        child.stdin.close()
        child.stdin = None
        began = os.path.join(self.here, "began")
        while not os.path.exists(began):
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=harness.LIMIT)
        self.assertEqual(child.returncode, 4, err)
        self.assertIn(b"interrupted", out)
        self.assertIn(b"had not ended after", out)


class Hints(SystemTest):
    """Lost wake-ups: a signal before the wait is tried; else the command that finds it is named."""

    def hint(self, name, *flags, status=0):
        program = self.build("lost_wakeup.c", name, "-g", *flags)
        done = self.heddle("check", "--", program, status=status, cwd=self.folder.name)
        return program, [line for line in done.stdout.splitlines() if "a wake-up may" in line]

    def test_a_signal_before_the_wait(self):
        program = self.build("lost_wakeup.c", "late", "-g")
        document, done = self.run_json("check", "--", program, status=1, cwd=self.folder.name)
        found, = document["findings"]
        self.assertEqual((found["kind"], found["verdict"]), ("order", "confirmed"))
        self.assertEqual([(a["op"], a["line"]) for a in found["accesses"]],
                         [("atomic read", 42), ("notify", 32), ("wait", 43)])
        self.assertIn("T1 waits on condition variable 'changed'", found["outcome"])
        self.assertNotIn("a wake-up may", done.stdout)

    def test_the_command_finds_it(self):
        program = self.build("lost_wakeup.c", "late", "-g")
        _, (line,) = self.analysed(program)
        self.assertIn("the wait for condition variable 'changed' at lost_wakeup.c:43 in main", line)
        command = re.search(r"`heddle (.*)`", line).group(1).split()
        self.assertEqual(command, ["explore", "--", program])
        done = self.heddle(*command, status=1, cwd=self.folder.name)
        self.assertIn("HEDDLE: deadlock: T1 waits on condition variable 'changed'", done.stdout)

    def analysed(self, program, *options):
        """What `heddle analyze` notes on wake-ups of a run of the program."""
        trace = os.path.join(self.folder.name, "run.htr")
        self.heddle("run", "--policy", "rr", "--record", trace, "--", program, status=0, cwd=self.folder.name)
        done = self.heddle("analyze", trace, *options, status=0, cwd=self.folder.name)
        return trace, [line for line in done.stdout.splitlines() if "a wake-up may" in line]

    def test_analyze_says_the_same(self):
        program = self.build("lost_wakeup.c", "late", "-g")
        trace, noted = self.analysed(program)
        self.assertEqual(len(noted), 1)
        self.assertEqual(self.analysed(program, "--only", "wakeups")[1], noted)
        self.assertEqual(self.analysed(program, "--only", "race,deadlock")[1], [])
        # Without a program there is no command.
        text = os.path.join(self.folder.name, "run.txt")
        self.heddle("trace", "export", "--text", trace, "-o", text, status=0)
        self.heddle("trace", "import", text, "-o", trace, status=0)
        done = self.heddle("analyze", trace, status=0)
        line, = (line for line in done.stdout.splitlines() if "a wake-up may" in line)
        self.assertIn("looks before at nothing that its wakers set under the same mutex", line)
        self.assertNotIn("heddle explore", line)

    def test_analyze_is_silent_about_twins(self):
        program = self.build("lost_wakeup.c", "good", "-g", "-DGOOD")
        self.assertEqual(self.analysed(program)[1], [])

    def test_twins_are_not_hinted_at(self):
        for name, flags in (("good", ("-DGOOD",)), ("two", ("-DTWO", "-DGOOD"))):
            program, lines = self.hint(name, *flags)
            self.assertEqual(lines, [])
            self.heddle("explore", "--", program, status=0, cwd=self.folder.name)


class FromTrace(CheckTest):
    def record(self, *words, options=("--record-exact",)):
        trace = os.path.join(self.here, "run.htr")
        self.heddle("run", "--policy", "rr", "--rr-quantum", "1000000", *options, "--record", trace,
                    "--", self.binary["checked"], *words, cwd=self.here, status=0)
        return trace

    def from_trace(self, trace, *words, status):
        return self.heddle("check", "--trace", trace, *words, cwd=self.here, status=status)

    def test_confirms(self):
        trace = self.record("assert")
        for words in ((), ("--", self.binary["checked"], "assert")):
            self.assertIn("confirmed", self.from_trace(trace, *words, status=1).stdout)

    def test_needs_every_read(self):
        done = self.from_trace(self.record("assert", options=()), status=2)
        self.assertIn("--record-exact", done.stderr)

    def test_other_arguments(self):
        done = self.from_trace(self.record("assert"), "--", self.binary["checked"], "exit",
                               status=2)
        self.assertIn("recorded with other arguments", done.stderr)

    def test_changed_surroundings(self):
        trace = self.record("moody")
        done = self.from_trace(trace, status=2)
        self.assertIn("does not do what it did when", done.stderr)
        self.assertIn("input or surroundings have changed", done.stderr)

    def test_changed_program(self):
        copy = self.build("checked.c", "rebuilt")
        trace = os.path.join(self.here, "run.htr")
        self.heddle("run", "--record-exact", "--record", trace, "--", copy, "torn", status=0)
        self.build("checked.c", "rebuilt", "-DREBUILT=1", "-O0")
        done = self.from_trace(trace, "--", copy, "torn", status=2)
        self.assertIn("the program has changed since", done.stderr)

    def test_not_a_trace(self):
        self.assertIn("__none__", self.from_trace("__none__", status=2).stderr)


class Goals(CheckTest):
    """--goal: what a run did is a finding; what cannot be is none."""
    programs = ("goals.c",)
    # T3 read what T2 had written when the run was observed, so only other values lead to the first.
    BETWEEN = "T3 writes count between goals.c:20 and goals.c:25"
    AFTER = "T2 writes count then T3 reads count"

    def goals(self, scenario, *lines, options=(), status):
        file = os.path.join(self.here, "goals.txt")
        with open(file, "w", encoding="utf-8") as opened:
            opened.write("\n".join(lines) + "\n")
        out = os.path.join(self.here, "findings.json")
        done = self.heddle("check", "--goal", file, "--json", out, *options, "--",
                           self.binary["goals"], scenario, status=status, cwd=self.here)
        if status == 2:
            return None, done
        with open(out, encoding="utf-8") as opened:
            return json.load(opened), done

    def test_reached_and_it_fails(self):
        document, done = self.goals("torn", self.BETWEEN, status=1)
        found = self.only_finding(document, kind="goal", verdict="confirmed")
        self.assertRegex(found["outcome"], "^assertion: .*count == 2")
        self.assertIn(f"goal reached: {self.BETWEEN}: confirmed", done.stdout)
        first, between, last = found["accesses"]
        self.assertEqual([first["line"], between["line"], last["line"]], [20, 25, 25])
        self.assertEqual(first["thread"], last["thread"])
        self.assertEqual(between["thread"], "T3")
        [row] = document["goals"]
        self.assertEqual((row["text"], row["reached"], row["relaxed"]), (self.BETWEEN, True, True))
        again = self.heddle(*found["replay"].split()[1:], status=1, cwd=self.here)
        self.assertIn("count == 2", again.stdout + again.stderr)

    def test_reached_without_failure(self):
        document, _ = self.goals("held", self.AFTER, status=1)
        found = self.only_finding(document, kind="goal", verdict="realised")
        self.assertIsNone(found["outcome"])
        self.assertIn("heddle replay", found["replay"])
        self.assertTrue(document["goals"][0]["reached"])
        self.assertEqual([a["text"].split(",")[0] for a in found["accesses"]],
                         ["T2: write of 'count'", "T3: read of 'count'"])

    def test_beside_a_race(self):
        document, _ = self.goals("bare", self.AFTER, options=["--seed", "5"], status=1)
        [race] = [f for f in document["findings"] if f["kind"] == "race"]
        self.assertEqual(sum(step["access"] for step in race["interleaving"]), 2)

    def test_locks_exclude_it(self):
        document, done = self.goals("held", self.BETWEEN, status=0)
        self.assertEqual(document["findings"], [])
        [row] = document["goals"]
        self.assertEqual((row["verdict"], row["reached"], row["relaxed"]), ("infeasible", False, False))
        self.assertIn(f"goal '{self.BETWEEN}': infeasible", done.stdout)

    def test_every_goal_is_answered(self):
        document, _ = self.goals("torn", self.BETWEEN, self.AFTER,
                                 "enters add before leaves add", status=1)
        self.assertEqual([row["reached"] for row in document["goals"]], [True] * 3)
        goals = [f for f in document["findings"] if f["kind"] == "goal"]
        self.assertEqual(len({f["id"] for f in goals}), 3)

    def test_what_is_not_there(self):
        for line in ("goals.c:999 before goals.c:20", "writes nothing before writes count",
                     "enters nowhere before writes count"):
            _, done = self.goals("torn", self.AFTER, line, status=2)
            self.assertRegex(done.stderr, r"^heddle: --goal, line 2: no event of the run fits event 1 .*\n$")

    def test_numbers_need_a_trace(self):
        _, done = self.goals("torn", "order 1 < 2", status=2)
        self.assertIn("--goal, line 1: numbers of events are those of a recorded run", done.stderr)

    def test_not_a_goal(self):
        self.assertIn("line 1", self.goals("torn", "something else", status=2)[1].stderr)


class Trouble(CheckTest):
    def test_no_such_program(self):
        done = self.heddle("check", "--", "./nothing-here", status=2)
        self.assertEqual(done.stderr, "heddle: there is no program './nothing-here'\n")

    def test_no_program(self):
        self.assertIn("which program?", self.heddle("check", status=2).stderr)

    def test_not_instrumented(self):
        done = self.heddle("check", "--", "env", "true", status=2)
        self.assertIn("was it built with `heddle cc`?", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_wrong_numbers(self):
        for option, value in (("--jobs", "0"), ("--jobs", "1000"), ("--runs", "0")):
            done = self.heddle("check", option, value, "--", self.binary["checked"], status=2)
            self.assertIn(f"{option} must be", done.stderr)

    def test_folder_that_cannot_be_made(self):
        with open(os.path.join(self.here, "file"), "w", encoding="utf-8"):
            pass
        _, done = self.check("assert", options=["--output", "file/below"], status=2)
        self.assertIn("cannot make the folder 'file/below'", done.stderr)

    def test_silent_in_a_pipe(self):
        _, done = self.check("torn", options=["--quiet"], status=0)
        self.assertEqual((done.stdout, done.stderr), ("", ""))


if __name__ == "__main__":
    main()
