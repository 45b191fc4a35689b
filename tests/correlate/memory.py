#!/usr/bin/env python3
"""What the Valgrind tool keeps does not grow with the length of a run.

    memory.py BUILDDIR

A program of locks, condition variables, atomic counters in the heap and short-lived threads runs for
a while and for six times as long. Six times as many segments are made; but what is kept at a time of
segments, labels, records, numbers of sets and ordering objects does not follow.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = ["most-segments", "most-labels", "most-records", "most-nodes", "most-orders"]


def stats(folder, binary, result, rounds):
    subprocess.run(["valgrind", "-q", "--tool=heddle", "--result=" + result, binary, str(rounds)],
                   check=True, env=dict(os.environ, VALGRIND_LIB=folder), timeout=600,
                   stdout=subprocess.DEVNULL)
    with open(result, encoding="utf-8") as file:
        lines = [line.split() for line in file]
    assert not any(line[0] == "finding" for line in lines), "a finding in a correct program"
    return {line[1]: int(line[2]) for line in lines if line[0] == "stat"}


def main():
    folder = os.path.join(os.path.abspath(sys.argv[1]), "src", "correlate")
    if not os.path.exists(os.path.join(folder, "heddle-amd64-linux")):
        print("heddle was built without valgrind: its memory is not tested")
        return 77
    with tempfile.TemporaryDirectory() as work:
        binary = os.path.join(work, "churn")
        subprocess.run(["gcc", "-g", "-O2", "-o", binary,
                        os.path.join(HERE, "..", "..", "bench", "correlate", "churn.c"),
                        "-pthread"], check=True)
        short, long = (stats(folder, binary, os.path.join(work, "result"), rounds)
                       for rounds in (6000, 36000))
    wrong = [f"{name}: {short[name]}, then {long[name]}" for name in KEPT
             if long[name] > 3 * short[name] + 100]  # the schedule is valgrind's
    if long["segments"] < 4.5 * short["segments"]:
        wrong.append(f"segments made: {short['segments']}, then only {long['segments']}")
    print("\n".join(wrong) or "as much at a time: " +
          ", ".join(f"{name} {short[name]} and {long[name]}" for name in KEPT))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
