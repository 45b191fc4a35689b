#!/usr/bin/env python3
"""Programs that do to their process what few do: they behave as without heddle, or the report says what differs."""

import json
import os
import subprocess

import harness


class HostileTest(harness.SystemTest):
    """Each program is built twice: what it does without heddle is what is right."""

    source = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        source = os.path.join(harness.HERE, "hostile", cls.source)
        cls.hooked = cls.build(source, "hooked")
        cls.native = cls.path("native")
        subprocess.run(["cc", "-O1", "-pthread", "-w", source, "-o", cls.native], check=True)

    def runs_as_natively(self, *args, options=(), findings=()):
        """The same lines, in any order, and the same end. Returns what heddle said."""
        alone = subprocess.run([self.native, *args], stdout=subprocess.PIPE, timeout=harness.LIMIT, check=False)
        end = alone.returncode
        file = self.path("findings.json")
        done = self.heddle("run", "--json", file, *options, "--", self.hooked, *args)
        lines = alone.stdout.decode().splitlines()
        self.assertTrue(lines)
        self.assertEqual(sorted(done.stdout.splitlines()), sorted(lines), done.stderr)
        with open(file, encoding="utf-8") as opened:
            document = json.load(opened)
        kinds = ["crash" if end < 0 else "exit"] * (end != 0) + list(findings)
        self.assertEqual([f["kind"] for f in document["findings"]], kinds, done.stderr)
        return done


class HandlerStacks(HostileTest):
    source = "handler_stacks.c"

    def test_stacks(self):
        for options in ((), ("--seed", "2", "--switch-at", "accesses"), ("--carriers", "threads")):
            with self.subTest(options=options):
                self.runs_as_natively(options=options)


class LoopsWithoutHooks(HostileTest):
    source = "unhooked_loop.c"

    def test_a_handler_ends_the_loop(self):
        slow = (("alarm", "main"), ("alarm",)) if os.environ.get("HEDDLE_TEST_FULL") else ()
        for args in (("virtual",), ("virtual", "main"), ("other",), ("cpu",)) + slow:
            with self.subTest(args=args):
                done = self.runs_as_natively(*args)
                self.assertIn("outside world", done.stderr)


class KernelCalls(HostileTest):
    source = "kernel_calls.c"

    def test_calls(self):
        for seed in range(1, 6):
            self.runs_as_natively(options=("--seed", str(seed)))


class InMemory(HostileTest):
    source = "in_memory.c"

    def test_what_is_locked_is_there(self):
        for flags in ("1", "2", "3", "5", "6", "7"):
            with self.subTest(flags=flags):
                self.runs_as_natively(flags)


class Sandboxes(HostileTest):
    source = "sandboxes.c"

    def test_what_is_not_applied_is_told(self):
        for how, told in (("filter", "exempt"), ("late", "not applied"), ("strict", "not applied")):
            with self.subTest(how=how):
                done = self.runs_as_natively(how)
                self.assertIn("drops: seccomp ", done.stderr)
                self.assertIn(told, done.stderr)


class FixedPlaces(HostileTest):
    source = "fixed_place.c"

    def test_free_places(self):
        """Round numbers are what programs choose: nothing of heddle's is there."""
        for place in ("0a0000000000", "0b0000000000", "100000000000", "10000000000"):
            with self.subTest(place=place):
                self.assertNotIn("drops:", self.runs_as_natively(place).stderr)

    def test_places_of_heddle(self):
        for place in ("efffff00000", "120000000000"):  # main's stack, and tables
            done = self.heddle("run", "--", self.hooked, place, status=0)
            self.assertEqual(done.stdout, "refused\n2 0\n")
            self.assertIn("where heddle has its own memory", done.stderr)


class WrongTypes(HostileTest):
    source = "wrong_types.c"

    def test_misuse_is_named(self):
        names = {"mutex": "a mutex", "rwlock": "a read-write lock", "spin": "a spin lock", "sem": "a semaphore",
                 "cond": "a condition variable", "barrier": "a barrier"}
        for case in ("lock-mutex-as-rwlock", "unlock-mutex-as-rwlock", "unlock-mutex-as-spin", "post-mutex-as-sem",
                     "signal-mutex-as-cond", "unlock-rwlock-as-mutex", "try-sem-as-mutex",
                     "post-barrier-as-sem", "destruction-mutex-as-barrier", "destruction-mutex-as-cond"):
            with self.subTest(case=case):
                call, made, _, used = case.split("-")
                done = self.heddle("run", "--", self.hooked, case, status=1)
                call = {"try": "lock"}.get(call, call)
                self.assertIn(f"misuse: T1: {call} as {names[used]} of what is {names[made]}", done.stderr)
                self.assertEqual(done.stdout, "end\n")

    def test_memory_may_change_its_type(self):
        self.runs_as_natively("fine")


class WorkOfOthers(HostileTest):
    source = "behind.c"

    def test_threads_of_libc(self):
        """aio, lookups and queues: their threads are the program's, and who waits for them is not stuck."""
        for what in ("aio", "names", "queue"):
            for seed in range(1, 6):
                with self.subTest(what=what, seed=seed):
                    done = self.runs_as_natively(what, options=("--seed", str(seed)))
                    self.assertNotIn("drops:", done.stderr)

    def test_others_are_named(self):
        for what, name in (("uring", "drops: io_uring: "), ("clone", "drops: clone: ")):
            with self.subTest(what=what):
                done = self.runs_as_natively(what)
                if "no io_uring" not in done.stdout:
                    self.assertIn(name, done.stderr)

    def test_their_accesses_are_seen(self):
        done = self.runs_as_natively("race", findings=["race"])
        self.assertIn("aio_read(&cb);", done.stderr)


class OddWays(HostileTest):
    source = "odd_ways.c"

    def test_they_work(self):
        for way in ("wakeop", "pi", "identity", "coroutine", "twice"):
            for seed in range(1, 4):
                with self.subTest(way=way, seed=seed):
                    self.runs_as_natively(way, options=("--seed", str(seed)))

    def test_a_reader_that_wants_to_write(self):
        """It waits for itself, for ever."""
        done = self.heddle("run", "--", self.hooked, "upgrade", status=1)
        self.assertEqual(done.stdout, "in time 1\n")
        self.assertIn("deadlock: ", done.stderr)


class Scribbles(HostileTest):
    source = "scribbles.c"

    def test_nothing_is_invented(self):
        """What was overwritten may be lost, but is no finding, and never called clean."""
        damaged = 0
        for seed in range(1, 13):
            for which in ("0", "1"):
                done = self.heddle("run", "--", self.hooked, str(seed), which)
                self.assertIn(done.returncode, (0, 4), done.stderr)
                damaged += done.returncode == 4
                self.assertEqual(done.returncode == 4, "drops: records damaged" in done.stderr, done.stderr)
        self.assertGreater(damaged, 12)
        self.heddle("run", "--", self.hooked, "1", "15", status=0)


if __name__ == "__main__":
    harness.main()
