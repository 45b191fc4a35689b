#!/usr/bin/env python3
"""Plans that were damaged at random are refused or followed; the program that follows them is as sound as before.

With HEDDLE_TEST_FULL 1,000 of them.
"""

import os
import random
import signal
import subprocess

import harness

DAMAGED = 1000 if os.environ.get("HEDDLE_TEST_FULL") else 60
HANGS = 60  # seconds


def damage(lines, rng):
    """One to three changes: a line less, twice, elsewhere, or another number, thread or word in it."""
    lines = list(lines)
    for _ in range(rng.randint(1, 3)):
        i = rng.randrange(1, len(lines))
        words = lines[i].split(" ")
        how = rng.randrange(7)
        if how == 0 and len(lines) > 2:
            del lines[i]
        elif how == 1:
            lines.insert(i, lines[i])
        elif how == 2:
            lines.insert(rng.randrange(1, len(lines)), lines.pop(i))
        elif how == 3:
            w = rng.randrange(len(words))
            words[w] = str(rng.choice([0, 1, -1, 7, 2**31, 2**63, 2**64, rng.getrandbits(64)]))
            lines[i] = " ".join(words)
        elif how == 4:
            lines[i] = f"T{rng.choice([0, 1, 2, 3, 4, 99, 2**32])} " + " ".join(words[1:])
        elif how == 5:
            lines[i] += rng.choice([" goal", " next", " free", " value 3", " size 16", " arg 65535"])
        else:
            at = rng.randrange(len(lines[i]) + 1)
            lines[i] = lines[i][:at] + chr(rng.randrange(32, 127)) + lines[i][at + 1:]
    return "\n".join(lines) + "\n"


class PlanFuzz(harness.SystemTest):
    programs = (os.path.join(harness.ROOT, "examples", "bank_transfer.c"),)

    def follow(self, plan):
        args = [harness.heddle_command, "replay", "--force", plan, "--", self.binary["bank_transfer"]]
        # pylint: disable=consider-using-with
        process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env=harness.environment(), errors="replace", start_new_session=True)
        try:
            out, _ = process.communicate(timeout=HANGS)
            return process.returncode, out
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return "hangs", process.communicate()[0]

    def test_damaged_plans(self):
        """The program has one error: a failed assertion. Others are not invented."""
        trace, plans = self.path("good.htr"), self.path("plans")
        self.heddle("run", "--policy", "rr", "--rr-quantum", "100", "--record", trace, "--",
                    self.binary["bank_transfer"], status=0)
        self.heddle("predict", trace, "--plans", plans)
        names = sorted(os.listdir(plans)) if os.path.isdir(plans) else []
        self.assertTrue(names, "there is no plan to begin with")
        with open(os.path.join(plans, names[0]), encoding="utf-8") as file:
            lines = file.read().splitlines()
        rng, followed = random.Random(24), 0
        for number in range(DAMAGED):
            plan = self.path("damaged.plan")
            text = damage(lines, rng)
            with open(plan, "w", encoding="utf-8") as file:
                file.write(text)
            status, out = self.follow(plan)
            self.assertIn(status, (0, 1, 2, 3, 4), f"{number}: {out}\n{text}")
            errors = [line for line in out.splitlines() if line.startswith("HEDDLE: ")]
            self.assertEqual(len(errors), int(status == 1), out)
            if errors:
                self.assertIn("assertion `balance == 157' failed", errors[0])
            followed += "goal of the plan" in out
        self.assertGreater(followed, DAMAGED // 10)


harness.main()
