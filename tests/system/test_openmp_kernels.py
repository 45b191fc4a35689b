#!/usr/bin/env python3
"""The kernels of bench/programs/openmp print under heddle what they print with libgomp, and are clean.

usage: test_openmp_kernels.py BUILDDIR

HEDDLE_TEST_FULL=1: with 200 seeds in place of 2.
"""
import glob
import os
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def output(command):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def check(heddle, source, work, seeds):
    native, ours = os.path.join(work, "native"), os.path.join(work, "ours")
    subprocess.run(["gcc", "-O1", "-fopenmp", source, "-o", native], check=True)
    subprocess.run([heddle, "cc", "-O1", "-fopenmp", source, "-o", ours], check=True)
    wanted = output([native]).stdout
    for seed in seeds:
        done = output([heddle, "run", "--seed", str(seed), "--", ours])
        if done.returncode or done.stdout != wanted or not wanted:
            return f"{source}: seed {seed}: status {done.returncode}, {done.stdout!r}, not " \
                   f"{wanted!r}\n{done.stderr}"
    return None


def main():
    heddle = os.path.abspath(os.path.join(sys.argv[1], "heddle"))
    seeds = range(1, 201 if "HEDDLE_TEST_FULL" in os.environ else 3)
    sources = sorted(glob.glob(os.path.join(TOP, "bench/programs/openmp/*.c")))
    with tempfile.TemporaryDirectory() as work:
        bad = [b for b in (check(heddle, s, work, seeds) for s in sources) if b]
    print("\n".join(bad))
    print(f"{len(sources)} kernels, {len(bad)} wrong")
    return 1 if bad or len(sources) < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
