#!/usr/bin/env python3
"""Phasers against a model: random programs of phaser operations, run under random schedules.

The model below is the definition, without any thought of speed. Of each run it checks that every
signal and wait in the trace was allowed at its place, and that the run ended where the
program must end: phasers give way monotonically, so whether and where a program gets stuck does
not depend on the schedule. A failure prints the program and the seeds.

HEDDLE_TEST_PROGRAMS=N: that many programs instead of the usual number.
"""

import os
import random
import re
import unittest

import harness

SIG, WAIT, SINGLE = 1, 2, 4
MODES = (SIG, WAIT, SIG | WAIT, SIG | WAIT | SINGLE)


class Script:
    """A random program: bounds of phasers, and for each task its registrations and operations."""

    def __init__(self, rng):
        self.rng = rng
        count = rng.randint(1, 3)
        self.bounds = [rng.choice((0, 0, 1, 2)) for _ in range(count)]
        self.tasks = []
        regs = {p: rng.choice((SIG | WAIT, SIG | WAIT, SIG | WAIT | SINGLE, SIG))
                for p in range(count)}
        self.make_task(regs, rng.randint(1, 2), top=True)

    def make_task(self, regs, depth, top=False):
        """The number of a new task. Only legal operations: misuse has its own programs."""
        number = len(self.tasks)
        task = {"regs": list(regs.items()), "ops": []}
        self.tasks.append(task)
        live = dict(regs)
        signalled = set()
        children = self.rng.randint(2, 3) if top else 0
        for i in range(children + self.rng.randint(0, 8)):
            op = self.operation(live, signalled, depth, "a" if i < children else None)
            if op:
                task["ops"].append(op)
        return number

    def operation(self, live, signalled, depth, kind=None):
        rng = self.rng
        kind = kind or rng.choice("nNNNswwSSda")
        ph = rng.choice(list(live)) if live else None
        if kind == "a" and len(self.tasks) < 8 and (depth or not live):
            some = {p: rng.choice([m for m in MODES if not m & ~live[p]])
                    for p in rng.sample(list(live), rng.randint(len(live) // 2, len(live)))}
            # A child is in the phase that its parent is in; keep that simple to generate.
            some = {p: m for p, m in some.items() if p not in signalled}
            return f"a{self.make_task(some, depth - 1)}"
        if ph is None:
            return None
        mode = live[ph]
        if kind == "n":
            signalled.clear()
            return "n"
        if kind == "N":
            signalled.discard(ph)
            return f"N{ph}"
        if kind == "s" and mode & SIG and ph not in signalled:
            if mode & WAIT:
                signalled.add(ph)
            return f"s{ph}"
        if kind == "w" and mode & WAIT and (not mode & SIG or ph in signalled):
            signalled.discard(ph)
            return f"w{ph}"
        if kind == "S" and mode & SINGLE and ph not in signalled:
            return f"S{ph}"
        if kind == "d" and rng.random() < 0.4:
            del live[ph]
            signalled.discard(ph)
            return f"d{ph}"
        return None

    def text(self):
        lines = ["P " + " ".join(map(str, self.bounds))]
        for task in self.tasks:
            regs = ",".join(f"{p}:{m}" for p, m in task["regs"]) or "-"
            lines.append(" ".join(["T", regs, *task["ops"]]))
        return "\n".join(lines) + "\n"


class Model:
    """All phasers; and each task as the list of steps that it still has to take."""

    def __init__(self, script):
        self.script = script
        self.regs = {}      # (task, phaser) -> [mode, phases signalled, phases waited for]
        self.wanted = set() # (phaser, phase) with a single statement that has not run
        self.steps = {}     # task -> steps to take
        self.leaving = {}   # task -> steps are those of its end
        self.born(0, {p: (m, 0, 0) for p, m in script.tasks[0]["regs"]})

    def born(self, task, regs):
        for ph, reg in regs.items():
            self.regs[task, ph] = list(reg)
        self.steps[task] = [("op", op) for op in self.script.tasks[task]["ops"]] + [("end",)]

    def mine(self, task):
        return [ph for t, ph in self.regs if t == task]

    def signallers(self, ph):
        return [r for (_, p), r in self.regs.items() if p == ph and r[0] & SIG]

    def has_signalled(self, task, ph):
        mode, sig, wait = self.regs[task, ph]
        return bool(mode & WAIT) and sig > wait

    def next_of(self, task, phasers, single=False):
        steps = [("signal", ph, single) for ph in phasers
                 if self.regs[task, ph][0] & SIG and not self.has_signalled(task, ph)]
        return steps + [("wait", ph, single) for ph in phasers if self.regs[task, ph][0] & WAIT]

    def expand(self, task):
        """Replace an operation at the front by its steps."""
        while self.steps[task] and self.steps[task][0][0] in ("op", "end"):
            step = self.steps[task].pop(0)
            if step[0] == "end":
                new = [("leave", ph) for ph in self.mine(task)]
            else:
                kind, ph = step[1][0], int(step[1][1:] or 0)
                new = {"n": lambda: self.next_of(task, self.mine(task)),
                       "N": lambda: self.next_of(task, [ph]),
                       "S": lambda: self.next_of(task, [ph], single=True),
                       "s": lambda: [("signal", ph, False)],
                       "w": lambda: [("wait", ph, False)],
                       "d": lambda: [("leave", ph)],
                       "a": lambda: [("spawn", ph)]}[kind]()
            self.steps[task] = new + self.steps[task]
        return self.steps[task][0] if self.steps[task] else None

    def may_be_leaving(self, task, ph):
        """A task that only waits leaves without a trace: perhaps it has."""
        step = self.expand(task)
        return step is not None and step[0] == "leave" and self.regs[task, ph][0] == WAIT

    def bound_allows(self, ph, sig, strict):
        bound = self.script.bounds[ph]
        waits = [r[2] for (t, p), r in self.regs.items() if p == ph and r[0] & WAIT
                 and (strict or not self.may_be_leaving(t, p))]
        return not bound or not waits or sig + 1 <= min(waits) + bound

    def all_signalled(self, ph, phase):
        return all(r[1] > phase for r in self.signallers(ph))

    def can(self, task, step):
        if step[0] == "signal":
            return self.bound_allows(step[1], self.regs[task, step[1]][1], strict=True)
        if step[0] == "wait":
            phase = self.regs[task, step[1]][2]
            if not self.signallers(step[1]):
                return True
            return self.all_signalled(step[1], phase) and \
                ((step[1], phase) not in self.wanted or step[2])
        return True

    def do(self, task, step):
        self.steps[task].pop(0)
        if step[0] == "signal":
            reg = self.regs[task, step[1]]
            if step[2]:
                self.wanted.add((step[1], reg[1]))
            reg[1] += 1
        elif step[0] == "wait":
            reg = self.regs[task, step[1]]
            self.wanted.discard((step[1], reg[2]))
            reg[2] += 1
        elif step[0] == "leave":
            del self.regs[task, step[1]]
        elif step[0] == "spawn":
            self.born(step[1], {p: (m, *self.regs[task, p][1:])
                                for p, m in self.script.tasks[step[1]]["regs"]})

    def run_to_the_end(self):
        """Anybody who can goes on. True: all tasks ended."""
        moved = True
        while moved:
            moved = False
            for task in list(self.steps):
                step = self.expand(task)
                if step and self.can(task, step):
                    self.do(task, step)
                    moved = True
        return not any(self.steps.values())

    def where(self):
        return {task: len(steps) for task, steps in self.steps.items() if self.expand(task) or steps}


EVENT = re.compile(r"^T(\d+) (task-spawn|task-end|phaser-signal|phaser-wait) ?(.*)$")


class Run:
    """Steps the model along a trace, and complains about what it does not allow."""

    def __init__(self, script, text):
        self.model = Model(script)
        self.task_of = {1: 0}
        self.phasers = {} # name in the trace -> number
        for line in text.splitlines():
            match = EVENT.match(line.split("@")[0].strip())
            if match:
                self.event(int(match.group(1)), match.group(2), match.group(3).split(), line)

    def front(self, task, unseen=("leave",)):
        """The next step that shows in the trace."""
        while True:
            step = self.model.expand(task)
            if not step or step[0] not in unseen or self.model.regs[task, step[1]][0] & SIG:
                return step
            self.model.do(task, step)

    def phaser(self, name, number):
        if self.phasers.setdefault(name, number) != number:
            raise AssertionError(f"{name} is phaser {self.phasers[name]}, not {number}")

    def event(self, thread, what, words, line):
        task = self.task_of[thread]
        step = self.front(task)
        if what == "task-end":
            if step and thread != 1:
                raise AssertionError(f"{line}: the task ended before {step}")
            return
        if what == "task-spawn":
            self.expect(step and step[0] == "spawn", line, step)
            self.task_of[int(words[0])] = step[1]
            self.model.do(task, step)
            return
        phase, mode = int(words[1]), int(words[2]) if len(words) > 2 else 0
        self.expect(step and step[0] in ("signal", "wait", "leave"), line, step)
        self.phaser(words[0], step[1])
        reg = self.model.regs[task, step[1]]
        if mode == 0:
            self.single(task, step, what, phase, line)
        elif what == "phaser-signal":
            self.expect(step[0] in ("signal", "leave") and phase == reg[1], line, step)
            self.expect(step[0] == "leave" or
                        self.model.bound_allows(step[1], phase, strict=False), line, "the bound")
            self.model.do(task, step)
        else:
            self.expect(step[0] == "wait" and phase == reg[2], line, step)
            self.expect(not self.model.signallers(step[1]) or
                        (self.model.all_signalled(step[1], phase) and
                         (step[1], phase) not in self.model.wanted), line, "others must come first")
            self.model.do(task, step)

    def single(self, task, step, what, phase, line):
        model, ph = self.model, step[1]
        self.expect(step[0] == "wait" and step[2] and (ph, phase) in model.wanted and
                    model.all_signalled(ph, phase), line, "a single statement out of turn")
        if what == "phaser-signal":
            model.wanted.discard((ph, phase))

    @staticmethod
    def expect(good, line, why):
        if not good:
            raise AssertionError(f"{line}: against the model: {why}")


class Phasers(harness.SystemTest):
    programs = ("phaser_script.c",)

    def check(self, number):
        rng = random.Random(number)
        script = Script(rng)
        policy = rng.choice((("random",), ("random",), ("pct",), ("rr",)))[0]
        path, trace = self.path("script"), self.path("run.htr")
        with open(path, "w", encoding="utf-8") as file:
            file.write(script.text())
        final = Model(script)
        ends = final.run_to_the_end()
        done = self.heddle("run", "--seed", str(number), "--policy", policy, "--record", trace,
                           "--", self.binary["phaser_script"], path,
                           status=0 if ends else 1)
        self.assertEqual("HEDDLE: deadlock" in done.stderr, not ends, done.stderr)
        self.assertNotIn("misuse", done.stderr)
        text = self.heddle("trace", "export", "--text", trace).stdout
        run = Run(script, text)
        for task in run.model.steps:
            run.front(task)
        self.assertEqual(run.model.where(), final.where())
        return ends, final

    def test_random_programs(self):
        ended = 0
        count = int(os.environ.get("HEDDLE_TEST_PROGRAMS", "60"))
        for number in range(1, count + 1):
            try:
                ended += self.check(number)[0]
            except AssertionError as error:
                with open(self.path("script"), encoding="utf-8") as file:
                    self.fail(f"program and seed {number}:\n{file.read()}\n{error}")
        # Both kinds occur, or nothing was tested.
        self.assertGreater(ended, count // 10)
        self.assertGreater(count - ended, 0)


if __name__ == "__main__":
    harness.main()
