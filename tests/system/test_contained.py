#!/usr/bin/env python3
"""In a container: without ptrace, and with the calls forbidden that engines forbid by default (contained.c)."""

import os
import subprocess

import harness


class Contained(harness.SystemTest):
    """Programs that were built in the container; one that was not."""

    programs = ("contained_race.c",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.launcher = cls.path("contained")
        subprocess.run(["gcc", os.path.join(harness.HERE, "contained.c"), "-o", cls.launcher], check=True)
        cls.binary["elsewhere"] = cls.binary["contained_race"]
        for source in ("examples/bank_transfer.c", "tests/system/order.c", "tests/system/contained_race.c"):
            source = os.path.join(harness.ROOT, source)
            name = os.path.splitext(os.path.basename(source))[0]
            cls.binary[name] = cls.path(name + ".here")
            subprocess.run([cls.launcher, harness.heddle_command, "cc", "-g", source, "-o", cls.binary[name]],
                           env=harness.environment(), check=True)

    def contained(self, *args, status):
        done = subprocess.run([self.launcher, harness.heddle_command, *args], env=harness.environment(), cwd=self.folder.name,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=harness.LIMIT, errors="replace", check=False)
        self.assertEqual(done.returncode, status, f"{args}\n{done.stdout}")
        return done.stdout

    def test_what_is_forbidden(self):
        """Or the other tests would say nothing."""
        done = subprocess.run([self.launcher, "setarch", "-R", "true"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("not permitted", done.stdout)

    def test_the_doctor_is_content(self):
        out = self.contained("doctor", status=0)
        self.assertIn("heddle works here", out)
        self.assertIn("limited  address randomisation cannot be switched off", out)
        self.assertNotIn("broken", out)

    def test_runs(self):
        self.contained("run", "-q", "--", self.binary["order"], status=0)
        for name in ("contained_race", "elsewhere"):
            self.assertIn("HEDDLE: data race on 'count'", self.contained("run", "--", self.binary[name], "race", status=1))
            self.contained("run", "--", self.binary[name], status=0)

    def test_the_example_of_the_readme(self):
        out = self.contained("check", "--output", "out", "--", self.binary["bank_transfer"], status=1)
        self.assertIn("HEDDLE: atomicity violation on 'balance' (RWW): confirmed", out)
        schedule = next(n for n in os.listdir(self.path("out")) if n.endswith(".htr"))
        self.assertRegex(schedule, r"^atomicity-[0-9a-f]{8}\.htr$")
        out = self.contained("replay", os.path.join("out", schedule), "--", self.binary["bank_transfer"], status=1)
        self.assertIn("assertion `balance == 157' failed", out)
        self.contained("check", "--output", "good", "--", self.binary["contained_race"], status=0)

    def test_exploring(self):
        """What is learnt in one round holds in the next; where it does not, there is an end, and no proof."""
        for words in ((), ("--jobs", "2")):
            command = ("explore", "--keep-going", "--output", "all", *words, "--")
            out = self.contained(*command, self.binary["contained_race"], "race", status=1)
            self.assertRegex(out, "[2-9] rounds, ")
            self.assertIn("note: complete", out)
            out = self.contained(*command, self.binary["elsewhere"], "race", status=1)
            self.assertIn("HEDDLE: data race on 'count'", out)
            self.assertIn("not a proof: addresses differ", out)
            for name in ("contained_race", "elsewhere"):
                self.assertIn("note: complete", self.contained(*command, self.binary[name], status=0))


harness.main()
