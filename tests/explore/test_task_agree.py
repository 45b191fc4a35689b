#!/usr/bin/env python3
"""Every way to explore a task program comes to the same verdicts: what once differed, and random
programs. HEDDLE_TEST_PROGRAMS says how many, HEDDLE_TEST_SEED which."""

import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = 80
FEW = 5
WAYS = {
    "naive": ("--strategy", "naive"),
    "dpor": ("--strategy", "dpor"),
    "regions": ("--strategy", "regions"),
    "inferred": ("--infer-regions",),
}
BUDGET = ("--executions", "1000", "--time", "60")
# What exploring once got wrong, as small as it gets.
ONCE_WRONG = [
    "s1s2/g1/p0",  # a deadlock that is noticed when a task has ended
    "s1k0/r0a0",  # a failed assertion that hid what others would have done
    "s1s2r1a0r0/j0/w1p1r0a1",
    "s2s3k0//r0a1/j0a0",  # two assertions, of which one was reported: which, differed
]
CLOSING = {"b": "e", "c": "d", "F": "E"}  # by what opens it


def operations(rng, task, tasks):
    """A task's own: regions are closed again, and around what they are of or not."""
    text = ""
    for _ in range(rng.randint(1, 3)):
        n = rng.randrange(2)
        kind = rng.random()
        if kind < 0.3:
            text += f"r{n}" + (f"a{rng.randrange(4)}" if rng.random() < 0.5 else "")
        elif kind < 0.5:
            text += f"w{n}"
        elif kind < 0.6:
            text += f"j{n}" + (f"a{rng.randrange(4)}" if rng.random() < 0.5 else "")
        elif kind < 0.7:
            text += rng.choice("ik") + str(n)
        elif kind < 0.78:
            text += f"b{n}" + rng.choice((f"w{n}", f"i{n}", f"r{n}", "")) + f"e{n}"
        elif kind < 0.84:
            text += f"c{n}" + rng.choice((f"r{n}", f"j{n}", "")) + f"d{n}"
        elif kind < 0.9:
            text += rng.choice("pg") + str(n)
        elif kind < 0.93:
            text += f"z{n}" + (f"a{rng.randrange(4)}" if rng.random() < 0.5 else "")
        elif kind < 0.95:
            text += f"y{n}a{rng.randrange(2)}"
        elif task + 1 < tasks:
            text += f"F0s{task + 1}E0"
    return text


def random_program(rng):
    tasks = rng.randint(2, 4)
    text = [operations(rng, i, tasks) for i in range(tasks)]
    root = "".join(f"s{i}" for i in range(1, tasks))
    if rng.random() < 0.3:
        root = f"F0{root}E0"
    cut = rng.choice((0, len(text[0]) if rng.random() < 0.3 else 0))
    text[0] = text[0][:cut] + root + text[0][cut:]
    return "/".join(text)


def mixed_operations(rng, task, tasks):
    """With semaphores, a condition variable, a mutex and messages: who waits is made late, so that few wait for ever."""
    text = ""
    for _ in range(rng.randint(1, 4)):
        n = rng.randrange(2)
        kind = rng.random()
        if kind < 0.45:
            text += rng.choice("rrww") + str(n)
        elif kind < 0.55:
            text += rng.choice("ijk") + str(n)
        elif kind < 0.62:
            text += f"l{n}"
        elif kind < 0.7:
            text += rng.choice("mm" if task < 2 else "mn") + str(n)
        elif kind < 0.78:
            text += rng.choice("qq" if task < 2 else "qt") + str(n)
        elif kind < 0.86:
            text += rng.choice("pg") + str(n)
        elif kind < 0.92:
            text += f"x{n}"
        elif kind < 0.95:
            text += "z0"
        elif task + 1 < tasks:
            text += f"F0s{task + 1}E0"
    return text


def mixed_program(rng):
    tasks = rng.randint(2, 4)
    text = [mixed_operations(rng, i, tasks) for i in range(tasks)]
    root = "".join(f"s{i}" for i in range(1, tasks) if not any(f"s{i}" in t for t in text))
    if rng.random() < 0.3:
        root = f"F0{root}E0"
    given = "".join(give for give, wait in (("q0", "t0"), ("q1", "t1"), ("p0", "g0"), ("p1", "g1"))
                    if any(wait in t for t in text) and not any(give in t for t in text))
    text[0] = given + (text[0] + root if rng.random() < 0.3 else root + text[0])
    return "/".join(text)


def operations_of(task):
    return [task[i:i + 2] for i in range(0, len(task), 2)]


def is_valid(program):
    """Tasks make later ones only, so that it ends, and close what they open."""
    for number, task in enumerate(program.split("/")):
        opened = []
        for op in operations_of(task):
            if op[0] == "s" and int(op[1]) <= number:
                return False
            if op[0] in CLOSING:
                opened.append(CLOSING[op[0]] + op[1])
            elif op[0] in CLOSING.values() and (not opened or opened.pop() != op):
                return False
        if opened:
            return False
    return True


def smaller(program):
    """The valid programs without one operation, or without what opens and what closes something."""
    tasks = [operations_of(task) for task in program.split("/")]
    for number, ops in enumerate(tasks):
        for i, first in enumerate(ops):
            for j in range(i, len(ops)):
                if j > i and CLOSING.get(first[0]) != ops[j][0]:
                    continue
                less = [op for k, op in enumerate(ops) if k not in (i, j)]
                text = "/".join("".join(t) for t in tasks[:number] + [less] + tasks[number + 1:])
                if is_valid(text):
                    yield text


def verdicts(document):
    """What a program can do wrong; where it was seen may differ."""
    found = set()
    for f in document["findings"]:
        if f["kind"] == "race":
            found.add(("race", f["variable"]))
        elif f["kind"] == "assertion":
            found.add(("assertion", f["summary"].split("`")[1].split("'")[0]))
        elif f["kind"] not in ("permission", "sharing"):
            found.add((f["kind"],))
    return found


class Agree(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.script = cls.build(os.path.join(HERE, "task_script.c"), "task_script", "-O1")

    def explore(self, program, way):
        """Verdicts, or None where a budget ended."""
        done = subprocess.run([harness.heddle_command, "explore", "--keep-going", "--jobs", "1", "--json",
                               self.path("out.json"), "--output", self.path("out"), *BUDGET,
                               *WAYS[way], "--", self.script], input=program + "\n", text=True,
                              env=harness.environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        self.assertIn(done.returncode, (0, 1, 4), f"{program}, {way}\n{done.stdout}")
        with open(self.path("out.json"), encoding="utf-8") as f:
            document = json.load(f)
        self.assertEqual(done.returncode, harness.status_of(document), f"{program}, {way}\n{done.stdout}")
        return verdicts(document) if document["stats"]["complete"] else None

    def differ(self, program):
        found = {way: self.explore(program, way) for way in WAYS}
        whole = [f for f in found.values() if f is not None]
        return found if any(f != whole[0] for f in whole) else None

    def races_of_all(self, program, seed):
        """What the analysis of tasks says of all schedules from one run, and whether it says that this is not all."""
        done = subprocess.run([harness.heddle_command, "run", "--algorithm", "complete", "--seed", seed, "--json",
                               self.path("run.json"), "--", self.script], input=program + "\n", text=True,
                              env=harness.environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        with open(self.path("run.json"), encoding="utf-8") as f:
            document = json.load(f)
        self.assertEqual(done.returncode, harness.status_of(document), f"{program}\n{done.stdout}")
        races = {v for v in verdicts(document) if v[0] == "race"}
        return races, bool(document["drops"])

    def agree(self, program):
        found = self.differ(program)
        if not found:
            return
        less = program
        while less:  # drop operations while they still differ
            program = less
            less = next((text for text in smaller(program) if self.differ(text)), None)
        self.fail(f"they differ: {program}: {self.differ(program)}")

    def test_what_was_wrong_once(self):
        for program in ONCE_WRONG:
            with self.subTest(program):
                self.agree(program)

    def test_an_assertion_does_not_hide_another(self):
        for way in WAYS:
            with self.subTest(way):
                self.assertEqual(self.explore("s1k0/j0a0a1", way),
                                 {("assertion", "last != 0"), ("assertion", "last != 1")})

    def test_a_program_without_end_is_given_up(self):
        for way in ("dpor", "inferred"):
            with self.subTest(way):
                self.assertIsNone(self.explore("s0", way))

    def test_smaller_programs_are_valid(self):
        self.assertFalse(is_valid("s2s0/i0/r0a1"))
        self.assertFalse(is_valid("s1/F0s1E0"))
        self.assertFalse(is_valid("s1b0/c0e0"))
        self.assertEqual(set(smaller("s1F0k0E0/b1w1e1")), {
            "F0k0E0/b1w1e1", "s1F0E0/b1w1e1", "s1k0/b1w1e1", "s1F0k0E0/b1e1", "s1F0k0E0/w1"})
        for i in range(100):
            self.assertTrue(is_valid(random_program(random.Random(i))))

    def test_one_run_tells_what_all_interleavings_have(self):
        """No false race, whatever is mixed, and none missed where the run says of nothing that it was not looked at."""
        many = 40 * FEW if os.environ.get("HEDDLE_TEST_FULL") else FEW
        seed = int(os.environ.get("HEDDLE_TEST_SEED", "1"))
        for i in range(many):
            program = mixed_program(random.Random(f"{seed} {i}"))
            every = self.explore(program, "dpor")
            if every is None or any(v[0] not in ("race", "atomicity") for v in every):
                continue  # somebody waits for ever
            every = {v for v in every if v[0] == "race"}
            for run in ("1", "2"):
                with self.subTest(program, seed=run):
                    told, more = self.races_of_all(program, run)
                    self.assertLessEqual(told, every)
                    self.assertTrue(more or told == every, f"missed: {every - told}")

    def test_random_programs(self):
        many = FULL if os.environ.get("HEDDLE_TEST_FULL") else FEW
        many = int(os.environ.get("HEDDLE_TEST_PROGRAMS", str(many)))
        seed = int(os.environ.get("HEDDLE_TEST_SEED", "1"))
        print(f"seed {seed}, {many} programs")
        for i in range(many):
            self.agree(random_program(random.Random(f"{seed} {i}")))


if __name__ == "__main__":
    harness.main()
