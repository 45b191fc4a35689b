#!/usr/bin/env python3
"""The whole way: variables that belong together are inferred from an ordinary binary, a violation
is predicted for them, and the run that shows it fails."""

import os
import shutil
import subprocess
import sys
import unittest

import harness


class Inferred(harness.SystemTest):
    def correlated(self, name, *flags):
        """The groups that are found in the plain binary; the path of their file."""
        plain, groups = self.path(name + ".plain"), self.path(name + ".groups")
        subprocess.run(["gcc", "-g", "-O1", *flags, os.path.join(harness.HERE, "scale_vector.c"),
                        "-o", plain, "-pthread"], check=True)
        self.heddle("correlate", "--groups", groups, "--", plain)
        return groups

    def test_inferred_predicted_confirmed(self):
        groups = self.correlated("torn")
        with open(groups, encoding="utf-8") as file:
            members = file.read().split(":")[1].replace(",", " ").split()
        self.assertEqual(sorted(members), ["x", "y"])
        program = self.build("scale_vector.c", "torn")
        document, _ = self.run_json("check", "--output", self.path("out"), "--groups", groups,
                                    "--", program, status=1)
        confirmed = [f for f in document["findings"] if f["verdict"] == "confirmed"]
        self.assertTrue(confirmed)
        for finding in confirmed:
            self.assertEqual(finding["kind"], "atomicity")
            again, _ = self.run_json("replay", finding["schedule"], status=1)
            self.assertEqual([f["kind"] for f in again["findings"]], ["assertion"])

    def test_the_fixed_one_is_clean(self):
        groups = self.correlated("whole", "-DFIXED")
        program = self.build("scale_vector.c", "whole", "-DFIXED")
        document, _ = self.run_json("check", "--output", self.path("out"), "--groups", groups,
                                    "--keep-going", "--", program, status=0)
        self.assertEqual(document["findings"], [])


if __name__ == "__main__":
    if not shutil.which("valgrind"):
        print("there is no valgrind")
        sys.exit(77)
    harness.main()
