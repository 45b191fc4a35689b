#!/usr/bin/env python3
"""A check decodes an observed run at most three times, however much there is to predict and to tell.

usage: test_decodings.py BUILDDIR DECODINGS
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(os.path.dirname(HERE), "system")
# Repeating the first run takes its schedule from the file, by a reader of its own.
BESIDE = 1


def main():
    heddle, tool = os.path.join(os.path.abspath(sys.argv[1]), "heddle"), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        # Candidates that are feasible, infeasible and confirmed; lost wake-ups; an assertion that fails.
        for source, *flags in (("verdicts.c",), ("bookings.c",), ("lost_wakeup.c",),
                               ("lost_wakeup.c", "-DTWO")):
            exe = os.path.join(folder, source[:-2])
            subprocess.run([heddle, "cc", "-g", *flags, "-o", exe, os.path.join(PROGRAMS, source), "-lpthread"],
                           check=True)
            for runs in (1, 3):
                done = subprocess.run([tool, str(runs), exe], cwd=folder, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, timeout=120, check=False)
                lines = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
                if done.returncode or not lines or any(events == 0 for events, _ in lines):
                    sys.exit(f"{source} {flags}: status {done.returncode}\n{done.stdout}{done.stderr}")
                for events, decodings in lines:
                    print(f"{source} {' '.join(flags)}: {events} events, decoded {decodings} times")
                    if not 1 <= decodings + BESIDE <= 3:
                        sys.exit(f"{source} {flags}: decoded {decodings} times, and once beside")


if __name__ == "__main__":
    main()
