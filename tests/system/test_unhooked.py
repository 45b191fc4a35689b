#!/usr/bin/env python3
"""Code without hooks is named, and nothing is claimed that it might make untrue."""

import os
import shutil
import subprocess
import unittest

import harness

PLAIN = os.path.join(harness.HERE, "plain_sort.c")
NOT_SEEN = "code without hooks may have been given shared memory"


class Unhooked(harness.SystemTest):
    def plain(self, name, *flags, compiler="gcc"):
        out = self.path(name)
        subprocess.run([compiler, "-O1", *flags, PLAIN, "-o", out], check=True)
        return out

    def sorts(self, name, *flags):
        return self.build("region_sorts.c", name, *flags)

    def explore(self, program, status):
        document, done = self.run_json("explore", "--output", self.path("out"), "--",
                                       program, status=status)
        return document, done.stdout + done.stderr

    def check_withheld(self, program, name):
        document, text = self.explore(program, 4)
        self.assertEqual(document["unhooked"], [name])
        self.assertEqual(document["stats"]["stopped"], "unhooked")
        self.assertFalse(document["stats"]["complete"])
        self.assertIn(f"{NOT_SEEN}, and what it does there is not seen: {name}", text)
        self.assertIn("(of 'numbers'), to write: no access is seen in it, so it is not known", text)
        for claim in ("complete:", "not needed", "is enough", "region too large"):
            self.assertNotIn(claim, text)

    def test_an_object_file(self):
        for flags, where in ((("-g",), "plain_sort.c"), ((), "no debug information")):
            with self.subTest(flags=flags):
                program = self.sorts("object", "-DPLAIN", self.plain("plain.o", "-c", *flags))
                self.check_withheld(program, f"plain_sort ({where})")

    def test_the_same_file_with_hooks(self):
        """Then the race is seen, or there is none and that is proved."""
        for flags, race in (((), True), (("-DORDERED",), False)):
            document, text = self.explore(self.sorts("hooked", "-DPLAIN", PLAIN, *flags), int(race))
            self.assertEqual(document["unhooked"], [])
            self.assertEqual("race" in {f["kind"] for f in document["findings"]}, race)
            self.assertEqual(document["stats"]["complete"], not race)
            self.assertNotIn(NOT_SEEN, text)

    def test_a_sort_of_libc_is_seen(self):
        for flags, race in (((), True), (("-DORDERED",), False)):
            document, text = self.explore(self.sorts("sorts", *flags), int(race))
            kinds = {f["kind"] for f in document["findings"]}
            self.assertEqual("race" in kinds, race)
            self.assertEqual(document["stats"]["complete"], not race)
            self.assertEqual(document["unhooked"], [])
            self.assertNotIn("it is not known", text)

    def test_atomics_in_assembler(self):
        """Compilers make calls of atomic operations: a lock prefix is somebody's own."""
        for flags, names in (((), ["take (assembler_lock.c)"]), (("-DBUILTIN",), [])):
            for level in ("-O0", "-O2"):
                program = self.build("assembler_lock.c", "assembler_lock", level, *flags)
                document, _ = self.run_json("run", "--", program)
                self.assertEqual(document["unhooked"], names, (flags, level))

    def test_a_stripped_program(self):
        document, _ = self.explore(self.sorts("stripped", "-DORDERED", "-s"), 4)
        self.assertEqual(document["unhooked"], ["stripped (stripped)"])

    def test_libraries(self):
        library = self.plain("libplain.so", "-shared", "-fPIC")
        self.check_withheld(self.sorts("calls", "-DPLAIN", "-Wl,--no-as-needed", library), "libplain.so")
        # One that nobody calls has nothing of the program's.
        document, _ = self.run_json("run", "--", self.sorts("links", "-Wl,--no-as-needed", library))
        self.assertEqual(document["unhooked"], [])

    def test_a_library_with_hooks(self):
        library = self.path("libhooked.so")
        subprocess.run([harness.heddle_command, "cc", "-O1", "-shared", "-fPIC", PLAIN, "-o", library],
                       check=True, env=harness.environment())
        document, _ = self.explore(self.sorts("calls_hooked", "-DPLAIN", "-Wl,--no-as-needed",
                                              library), 1)
        self.assertEqual(document["unhooked"], [])

    def test_findings_say_so(self):
        """A race of such a program may be one that code without hooks makes, or prevents."""
        program = self.build("../programs/race/fork_join_racy.c", "races",
                             self.plain("other.o", "-c", "-g"))
        self.assertIn("note: heddle does not see what code without hooks does, and it may play "
                      "a part in this: plain_sort (plain_sort.c)",
                      self.heddle("run", "--", program, status=1).stderr)

    @unittest.skipUnless(shutil.which("clang"), "there is no clang")
    def test_clang(self):
        program = self.path("by_clang")
        subprocess.run([harness.heddle_command, "cc", "-O2", "-DPLAIN",
                        os.path.join(harness.HERE, "region_sorts.c"),
                        self.plain("clang.o", "-c", "-g", compiler="clang"), "-o", program],
                       check=True, env=harness.environment({"HEDDLE_CC": "clang"}))
        self.check_withheld(program, "plain_sort (plain_sort.c)")


harness.main()
