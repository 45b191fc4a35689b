#!/usr/bin/env python3
"""Plans as users meet them: followed, left with a reason, made for another program."""

import json
import os
import re
import shutil

import harness


def line_of(mark):
    with open(os.path.join(harness.HERE, "branch.c"), encoding="utf-8") as file:
        return next(n for n, line in enumerate(file, 1) if f"/* {mark} */" in line)


class Plan(harness.SystemTest):
    programs = ("branch.c",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.flag = None

    def observe(self, wanted):
        """A plan that is a run in which the reader says @wanted, as lines."""
        binary = self.binary["branch"]
        for seed in range(1, 50):
            done = self.heddle("run", "-q", "--races", "no", "--seed", str(seed),
                               "--record-exact", "--switch-at", "accesses", "--record",
                               self.path("o.htr"), "--", binary, status=0)
            if done.stdout == wanted + "\n":
                break
        else:
            self.fail(f"no seed gives '{wanted}'")
        harness.subprocess.run([os.environ["PLAN_TOOL"], "observed", self.path("o.htr"),
                                self.path("o.plan")], check=True)
        with open(self.path("o.plan"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        head = [l for l in lines if not re.match(r"T\d", l)]
        body = [l for l in lines if re.match(r"T\d", l)]
        # What both threads touch is the flag; the reader reads it first of all.
        read = next(l for l in body if l.startswith("T2 read"))
        addr = re.search(r"addr (\S+)", read).group(1)
        write = next(l for l in body if l.startswith("T1 write") and f"addr {addr} " in l + " ")
        return head, body, read, write

    def save(self, head, body):
        with open(self.path("p.plan"), "w", encoding="utf-8") as file:
            file.write("\n".join(head + body) + "\n")
        return self.path("p.plan")

    def follow(self, plan, *options, status, program=None, arguments=()):
        done = self.heddle("replay", plan, *options, "--json", self.path("j"), "--record",
                           self.path("p.htr"), "--", program or self.binary["branch"], *arguments,
                           status=status)
        with open(self.path("j"), encoding="utf-8") as file:
            return done, json.load(file)

    def test_reached(self):
        for wanted in ("yes", "no"):
            head, body, _, _ = self.observe(wanted)
            done, document = self.follow(self.save(head, body), status=0)
            self.assertEqual(done.stdout, wanted + "\n")
            self.assertTrue(document["goal"])
            self.assertIsNone(document["divergence"])
            self.assertIn("the goal of the plan was reached", done.stderr)
            # Its trace is a schedule like any other.
            again = self.heddle("replay", self.path("p.htr"), "--", self.binary["branch"], status=0)
            self.assertEqual(again.stdout, done.stdout)

    def test_left_with_the_reason(self):
        head, body, read, write = self.observe("yes")
        body.remove(read)
        body.insert(body.index(write), read)
        done, document = self.follow(self.save(head, body), status=2)
        sentence = (f"T2 left the plan at branch.c:{line_of('NO')} in reader: "
                    f"it read 0 at branch.c:{line_of('READ')} in reader, the plan has 1")
        self.assertEqual(document["divergence"], sentence)
        self.assertFalse(document["goal"])
        self.assertIn("heddle: " + sentence, done.stderr)
        self.assertEqual(done.stdout, "no\n")  # it goes on all the same

    def test_both_stand_before_the_race(self):
        head, body, read, write = self.observe("yes")
        before = body[:min(body.index(read), body.index(write))]
        self.assertFalse([l for l in before if l.startswith("T2")])
        plan = self.save(head, before + [write + " next", read + " next"])
        for after, wanted in (("first:T1", "yes"), ("last:T2", "yes"), ("first:2", "no"),
                              ("last:1", "no")):
            done, document = self.follow(plan, "--after", after, status=0)
            self.assertTrue(document["goal"])
            self.assertEqual(done.stdout, wanted + "\n", after)
        seen = {self.follow(self.save([f"option seed {seed}" if l.startswith("option seed") else l
                                       for l in head], before + [write + " next", read + " next"]),
                            "--after", "random", status=0)[0].stdout for seed in range(1, 20)}
        self.assertEqual(seen, {"yes\n", "no\n"})

    def test_after_in_the_file(self):
        head, body, read, write = self.observe("yes")
        before = body[:min(body.index(read), body.index(write))]
        plan = self.save(head + ["after first:T2"], before + [write + " next", read + " next"])
        self.assertEqual(self.follow(plan, status=0)[0].stdout, "no\n")

    def test_goal_events_keep_their_order(self):
        head, body, _, _ = self.observe("yes")
        plan = self.save(head, [body[0] + " goal"] + [l + " goal" for l in body[1:]])
        self.assertTrue(self.follow(plan, status=0)[1]["goal"])

    def test_wrong_program(self):
        head, body, _, _ = self.observe("yes")
        plan = self.save(head, body)
        done = self.heddle("replay", plan, "--", self.binary["branch"], "more", status=2)
        self.assertIn("other arguments", done.stderr)
        other = self.build("branch.c", "other", "-O2", "-DOTHER=1")
        done = self.heddle("replay", plan, "--", other, status=2)
        self.assertIn("is not the program", done.stderr)
        self.assertEqual(done.stdout, "")
        done = self.heddle("replay", plan, "--force", "--", other)
        self.assertIn("the program has changed since", done.stderr)
        done = self.heddle("replay", plan, "--", self.path("nothing"), status=2)
        self.assertIn("there is no program", done.stderr)
        copy = self.path("copy")  # the same program by another name
        shutil.copy(self.binary["branch"], copy)
        self.assertTrue(self.follow(plan, status=0, program=copy)[1]["goal"])

    def test_usage(self):
        head, body, _, _ = self.observe("yes")
        plan = self.save(head, body)
        binary = self.binary["branch"]
        for words, says in ((("--after", "never"), "--after must be"),
                            (("--after", "first:T0"), "--after must be"),
                            (("--save", self.path("s")), "--save is for schedules"),
                            (("--record", plan), "would be overwritten")):
            done = self.heddle("replay", plan, *words, "--", binary, status=2)
            self.assertIn(says, done.stderr)
        done = self.heddle("replay", self.path("o.htr"), "--force", "--", binary, status=2)
        self.assertIn("are for plans", done.stderr)
        with open(plan, "a", encoding="utf-8") as file:
            file.write("T1 frobnicate 3\n")
        done = self.heddle("replay", plan, "--", binary, status=2)
        self.assertIn("there is no such event", done.stderr)

    def test_empty_plan(self):
        head, _, _, _ = self.observe("yes")
        _, document = self.follow(self.save(head, []), status=0)
        self.assertTrue(document["goal"])


harness.main()
