#!/usr/bin/env python3
"""The whole way: variables that belong together are inferred from an ordinary binary, a violation
is predicted for them, and the run that shows it fails."""

import os
import shutil
import subprocess
import sys
import unittest

import harness


# Each program, and its variables that belong together. None of them races on a single variable.
PROGRAMS = {
    "scale_vector": ["x", "y"],
    "move_money": ["account.cash", "account.savings"],
    "number_and_twice": ["top", "twice"],
}


class Inferred(harness.SystemTest):
    def correlated(self, name, *flags):
        """The groups that are found in the plain binary; the path of their file."""
        plain, groups = self.path(name + ".plain"), self.path(name + ".groups")
        subprocess.run(["gcc", "-g", "-O1", *flags, os.path.join(harness.HERE, name + ".c"),
                        "-o", plain, "-pthread"], check=True)
        self.heddle("correlate", "--groups", groups, "--", plain)
        return groups

    def test_inferred_predicted_confirmed(self):
        for name, variables in PROGRAMS.items():
            with self.subTest(name):
                self.torn(name, variables)

    def torn(self, name, variables):
        groups = self.correlated(name)
        with open(groups, encoding="utf-8") as file:
            members = file.read().split(":")[1].replace(",", " ").split()
        self.assertEqual(sorted(members), variables)
        program = self.build(name + ".c", name)
        document, _ = self.run_json("check", "--output", self.path(name + ".out"), "--groups",
                                    groups, "--", program, status=1)
        confirmed = [f for f in document["findings"] if f["verdict"] == "confirmed"]
        self.assertTrue(confirmed)
        for finding in confirmed:
            self.assertEqual(finding["kind"], "atomicity")
            again, _ = self.run_json("replay", finding["schedule"], status=1)
            self.assertEqual([f["kind"] for f in again["findings"]], ["assertion"])

    def test_the_fixed_ones_are_clean(self):
        for name in PROGRAMS:
            with self.subTest(name):
                groups = self.correlated(name, "-DFIXED")
                program = self.build(name + ".c", name + ".fixed", "-DFIXED")
                document, _ = self.run_json("check", "--output", self.path(name + ".out"),
                                            "--groups", groups, "--keep-going", "--", program,
                                            status=0)
                self.assertEqual(document["findings"], [])


if __name__ == "__main__":
    tool = os.path.join(sys.argv[1], "src", "correlate", "heddle-amd64-linux") if sys.argv[1:] else ""
    if not shutil.which("valgrind") or not os.path.exists(tool):
        print("heddle was built without valgrind: `correlate` is not tested")
        sys.exit(77)
    harness.main()
