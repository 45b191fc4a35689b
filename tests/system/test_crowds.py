#!/usr/bin/env python3
"""Thousands of threads that wait for one thing cost by their number, not by its square.

usage: test_crowds.py BUILDDIR

What is counted is how often the runtime looks at a waiter (crowd.c), which is the same on every machine. Each run
must let all threads go on, find nothing, and replay.

HEDDLE_TEST_FULL=1: with 4,000 threads in place of 1,200.
"""
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "crowd.c")
WHAT = ("mutex", "rwlock", "sem", "signal", "broadcast", "timed", "join")
# At most 64 waiters are looked at when a thread takes or gives back, and a thread does so a few times.
LOOKS = 8 * 64


def looks(heddle, program, what, n, work):
    schedule = os.path.join(work, "schedule.htr")
    done = subprocess.run([heddle, "run", "-q", "--record", schedule, "--", program, what, str(n)],
                          capture_output=True, text=True, check=False, timeout=120)
    counted = done.stdout.split()
    assert done.returncode == 0 and len(counted) == 2 and counted[0] == str(n), (what, n, done)
    again = subprocess.run([heddle, "replay", "-q", schedule, "--", program, what, str(n)], capture_output=True,
                           text=True, check=False, timeout=120)
    assert again.returncode == 0 and again.stdout.split()[:1] == counted[:1], (what, n, done, again)
    return int(counted[1])


def main():
    heddle = os.path.abspath(os.path.join(sys.argv[1], "heddle"))
    n = 4000 if "HEDDLE_TEST_FULL" in os.environ else 1200
    bad = 0
    with tempfile.TemporaryDirectory() as work:
        program = os.path.join(work, "crowd")
        subprocess.run([heddle, "cc", "-O1", "-pthread", SOURCE, "-o", program], check=True)
        for what in WHAT:
            each = looks(heddle, program, what, n, work) / n
            print(f"{what}: {each:.1f} looks for each of {n} threads")
            bad += each > LOOKS
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
