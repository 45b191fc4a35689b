#!/usr/bin/env python3
"""Memory of `heddle correlate` over a long run.

    bench/correlate_memory.py [--seconds N] BUILDDIR

bench/correlate/churn.c (locks, a condition variable, a semaphore, atomic counters, the heap, threads
that live for a moment) runs for N seconds of wall time, 600 unless told. Prints how much memory the
process had, at its peak, after a quarter, a half and the whole of that.
"""
import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def memory(pid):
    """MB: now, and at the peak."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        words = dict(line.split(":", 1) for line in file if ":" in line)
    return tuple(int(words[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("build")
    args = parser.parse_args()
    folder = os.path.join(os.path.abspath(args.build), "src", "correlate")
    if not os.path.exists(os.path.join(folder, "heddle-amd64-linux")):
        print("correlate: built without valgrind, nothing to measure")
        return 0
    with tempfile.TemporaryDirectory() as work:
        binary = os.path.join(work, "churn")
        subprocess.run(["gcc", "-g", "-O2", "-o", binary,
                        os.path.join(HERE, "correlate", "churn.c"), "-pthread"], check=True)
        child = subprocess.Popen(["valgrind", "-q", "--tool=heddle",
                                  "--result=" + os.path.join(work, "result"), binary, "0"],
                                 env=dict(os.environ, VALGRIND_LIB=folder))
        began = time.monotonic()
        print("| seconds | MB now | MB at the peak |\n| ---: | ---: | ---: |")
        for part in (0.25, 0.5, 1):
            time.sleep(max(0, began + args.seconds * part - time.monotonic()))
            if child.poll() is not None:
                print(f"it ended by itself with {child.returncode}")
                return 1
            now, peak = memory(child.pid)
            print(f"| {args.seconds * part:.0f} | {now:.0f} | {peak:.0f} |", flush=True)
        child.send_signal(signal.SIGKILL)
        child.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
