#!/usr/bin/env python3
"""What libc touches for the program: a race through each function is found, and its clean twins are silent.

touches.c has the cases. That a function of libc_touches.def has none is an error.

    test_touches.py BUILDDIR [unittest's arguments]
"""
import json
import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "system"))
import harness  # pylint: disable=wrong-import-position

SOURCE = os.path.join(HERE, "touches.c")
LIST = os.path.join(harness.ROOT, "src", "runtime", "libc", "libc_touches.def")
# What there may be nothing of on this machine: /etc/services and /etc/protocols; groups; a user who has logged in.
NO_CASE = {"getservbyname", "getservbyport", "getprotobyname", "getprotobynumber", "getlogin_r"}
MAY_FAIL = {"getgroups", "ttyname_r", "ptsname_r", "tcgetattr", "accept", "getsockname"}


def listed():
    """The functions of the list."""
    with open(LIST, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    names = re.findall(r"^(?:LOOKS|LIBC|NUMBER|WIDE_NUMBER|SIMPLE_NUMBER)\([^,(]*, *(\w+),", text, flags=re.M)
    return names + re.findall(r"^LIBC_VOID\((\w+),", text, flags=re.M)


class Touches(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        flags = ["-O1", "-fno-builtin", "-w", "-U_FORTIFY_SOURCE"]
        cls.program = cls.build(SOURCE, "touches", *flags, "-lm")
        cls.native = cls.path("native")
        subprocess.run(["gcc", *flags, SOURCE, "-o", cls.native, "-lm"], check=True)
        cls.names = subprocess.run([cls.native, "list"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()

    def cases_found(self, *args):
        """The cases that a race is reported of; and what else is reported."""
        out = self.path("found.json")
        self.heddle("run", "--policy", "rr", "--json", out, "--", self.program, *args)
        with open(out, encoding="utf-8") as file:
            document = json.load(file)
        found, other = set(), []
        for finding in document["findings"]:
            frames = [s["function"] or "" for a in finding["accesses"] for s in a["stack"]]
            touched = {f[len("touch_"):] for f in frames if f.startswith("touch_")}
            if finding["kind"] != "race" or len(touched) != 1:
                other.append(finding["summary"])
            found |= touched
        return found, other

    def test_there_is_a_case_for_each(self):
        names = set(listed())
        self.assertGreater(len(names), 250)
        tested = {n for case in self.names for n in (case, re.sub(r"_[a-z]+(_[a-z]+)?$", "", case))}
        self.assertEqual(names - tested - NO_CASE, set())

    def test_natively_each_writes_what_is_said(self):
        done = subprocess.run([self.native, "native"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              errors="replace", check=True)
        self.assertEqual(re.findall("not written: .*", done.stdout), [])

    def test_races_are_found(self):
        """Races on one variable (environ, what localtime and gmtime return) are one finding: those alone, too."""
        found, _ = self.cases_found("racy")
        missing = set(self.names) - found - MAY_FAIL
        self.assertLess(len(missing), 12, missing)
        for name in missing:
            self.assertEqual(self.cases_found("racy", name)[0], {name})

    def test_with_a_lock_there_are_none(self):
        self.assertEqual(self.cases_found("locked"), (set(), []))

    def test_the_byte_behind_is_not_touched(self):
        self.assertEqual(self.cases_found("beside"), (set(), []))

    def test_two_that_read_are_no_race(self):
        self.assertEqual(self.cases_found("readers"), (set(), []))


harness.main()
