#!/usr/bin/env python3
"""`heddle check` on programs with one error each: it is found, and the same program without it is clean.

usage: test_seeded.py BUILDDIR [unittest's arguments]

A program says in its header how it fails; built with -DFIXED it does not. By default those are taken that only one
step of `check` finds; with HEDDLE_TEST_FULL all. Of tests/known_bugs, which have the form of bugs of known programs, the repaired
ones are checked; bench/seeded.py says what is found in the others.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "system"))
import harness  # pylint: disable=wrong-import-position
import judged  # pylint: disable=wrong-import-position

# Of no candidate: several steps have to come in one order.
FEW = ("pair_of_atomics", "sequence_read_once", "two_stages")
# What is to blame took some finding out: fork and join bring main's accesses around all others, a lock is held at the first one, two
# variables belong together, what comes too early is no pattern, a loop waits, a wake-up is lost, and a lock is one for reading and writing.
BLAMED = ("aba_stack", "lock_upgraded", "limit_and_use", "used_before_set", "unlock_after_free",
          "alarm_clock", "rwlock_order")


KNOWN = os.path.join(os.path.dirname(HERE), "known_bugs")


def programs(everything=False):
    """Sources by their names."""
    found = {n[:-2]: os.path.join(d, n) for d in (HERE, KNOWN) for n in sorted(os.listdir(d)) if n.endswith(".c")}
    if everything or os.environ.get("HEDDLE_TEST_FULL"):
        return found
    return {name: found[name] for name in FEW}


def truth(name):
    """How the program fails, what is to blame, and what mends it."""
    with open(programs(everything=True)[name], encoding="utf-8") as file:
        return judged.truth_of(file.read())


def is_missed(name):
    """Known not to be told rightly."""
    with open(programs(everything=True)[name], encoding="utf-8") as file:
        return " * MISSED: " in file.read()


class Seeded(harness.SystemTest):
    def check_program(self, name, *flags, status):
        binary = self.build(programs(everything=True)[name], name, "-g", *flags)
        document, _ = self.run_json("check", "--output", self.path("out"), "--", binary, status=status)
        return document

    def test_found(self):
        for name, source in programs().items():
            if source.startswith(KNOWN):
                continue
            with self.subTest(name):
                found = self.check_program(name, status=1)["findings"][0]
                again, _ = self.run_json("replay", found["schedule"], "--", self.path(name))
                self.assertIn(truth(name)[0], [f["kind"] for f in again["findings"]])

    def test_right(self):
        """Its consequence, what is to blame and what mends it are those that its header has."""
        for name in sorted(programs(everything=True)) if os.environ.get("HEDDLE_TEST_FULL") else BLAMED:
            with self.subTest(name):
                fails, cause, remedy = truth(name)
                if is_missed(name):
                    continue
                found = judged.of_failure(self.check_program(name, status=1)["findings"], fails)
                self.assertIn(judged.failure(found), fails.split("|"))
                self.assertIn(judged.blames(found, cause), ("right", "not told"))
                self.assertNotEqual(judged.mends(found, remedy), "wrong")
                if name in BLAMED and name != "unlock_after_free":
                    self.assertEqual((judged.blames(found, cause), judged.mends(found, remedy)), ("right", "right"))

    def test_locks_in_freed_memory(self):
        """That one is used before it is freed, and not after, is a matter of order: exploring tries both."""
        for flags, kinds in (([], ["memory"]), (["-DFIXED"], [])):
            binary = self.build(os.path.join(HERE, "unlock_after_free.c"), "freed", "-g", *flags)
            document, _ = self.run_json("explore", "--output", self.path("out"), "--", binary)
            self.assertEqual([f["kind"] for f in document["findings"]], kinds)
            self.assertEqual(document["stats"]["complete"], not kinds)

    def test_clean(self):
        for name in programs():
            with self.subTest(name):
                self.check_program(name, "-DFIXED", status=0)

    def test_owner_that_ended(self):
        """Whom a thread waits for in vain is named, with where the lock was taken."""
        found = self.check_program("kept_after_trylock", status=1)["findings"][0]
        self.assertRegex(found["summary"], r"T2 waits for mutex 'b' held by T3 since "
                         r"kept_after_trylock.c:\d+ in two, which ended without giving it back")

    def test_wrong_waiter_of_the_example(self):
        source = os.path.join(harness.ROOT, "examples", "ci")
        for flags, kinds in ((["-DBROKEN"], ["deadlock"]), ([], [])):
            out = self.path("queue")
            self.heddle("cc", "-g", *flags, os.path.join(source, "queue.c"),
                        os.path.join(source, "queue_test.c"), "-o", out, status=0)
            document, _ = self.run_json("check", "--output", self.path("out"), "--", out)
            self.assertEqual([f["kind"] for f in document["findings"]], kinds)


if __name__ == "__main__":
    harness.main()
