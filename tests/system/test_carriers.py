#!/usr/bin/env python3
"""Kernel threads that take turns run a program exactly as fibers do: the traces are equal bytes.

A choice of programs; with HEDDLE_TEST_FULL=1 all of them whose runs follow from the seed alone.
"""

import glob
import os

import harness

CHOICE = ("mutex/mutex_robust.c", "cond/bounded_queue.c", "thread/detached.c", "cancel/cancel_points.c",
          "mutex/abba_deadlock.c", "crash/stack_overflow.c", "tasks/phaser_modes.c", "cxx/std_thread.cpp")
FOLDERS = ("mutex", "cond", "thread", "cancel", "tsd", "sem", "barrier", "rwlock", "once", "c11",
           "tasks", "cxx", "crash", "race", "spin")


def programs():
    if not os.environ.get("HEDDLE_TEST_FULL"):
        return [os.path.join(harness.PROGRAMS, p) for p in CHOICE]
    return [p for folder in FOLDERS for p in sorted(glob.glob(f"{harness.PROGRAMS}/{folder}/*.c*"))]


class Carriers(harness.SystemTest):
    def trace(self, binary, carriers, seed):
        path = self.path(f"{carriers}.htr")
        done = self.heddle("run", "--carriers", carriers, "--seed", str(seed), "--start-time", "5",
                           "--record", path, "--", binary)
        return done.returncode, harness.read_bytes(path)

    def test_equal_traces(self):
        chosen = programs()
        self.assertGreaterEqual(len(chosen), len(CHOICE))
        for source in chosen:
            binary = self.build(source, "program")
            for seed in (1, 7):
                with self.subTest(program=source, seed=seed):
                    self.assertEqual(self.trace(binary, "fibers", seed),
                                     self.trace(binary, "threads", seed))


if __name__ == "__main__":
    harness.main()
