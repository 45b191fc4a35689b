#!/usr/bin/env python3
"""`heddle correlate` beside Valgrind's own tools: time and memory on six programs.

    bench/correlate.py BUILDDIR

Prints a table for docs/measured/benchmarks.md: processor time as a multiple of `--tool=none`, peak memory,
and what each tool reports. All tools run in turn on the same machine; the best of two runs.
"""
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = ["none", "helgrind", "drd", "heddle"]


def lines(work, count):
    path = os.path.join(work, f"lines{count}")
    numbers = random.Random(1)
    with open(path, "w", encoding="utf-8") as file:
        for i in range(count):
            file.write(f"{numbers.getrandbits(40)} {i}\n")
    return path


def programs(work):
    """Name and command of each; programs that are not there are left out."""
    for name in ["matrix", "queue", "table"]:
        binary = os.path.join(work, name)
        subprocess.run(["gcc", "-g", "-O2", "-o", binary,
                        os.path.join(HERE, "correlate", name + ".c"), "-pthread"], check=True)
        yield name, [binary]
    # sort has a second thread only if there are many lines.
    yield "sort", ["sort", "--parallel=2", "-S", "50M", lines(work, 150000)]
    if shutil.which("xz"):
        yield "xz", ["xz", "-T2", "--block-size=200000", "-c", lines(work, 30000)]
    yield "python3", ["/usr/bin/python3", os.path.join(HERE, "correlate", "threads.py")]


def measure(command, env):
    """Seconds of processor time and KB of peak memory of the best of two runs."""
    best = None
    for _ in range(2):
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            child = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
            child.wait()
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            os.write(writer, f"{used.ru_utime + used.ru_stime} {used.ru_maxrss}".encode())
            os._exit(0)
        os.close(writer)
        seconds, memory = os.read(reader, 100).decode().split()
        os.close(reader)
        os.waitpid(pid, 0)
        if best is None or float(seconds) < best[0]:
            best = float(seconds), int(memory)
    return best


def main():
    build = os.path.abspath(sys.argv[1])
    folder = os.path.join(build, "src", "correlate")
    if not os.path.exists(os.path.join(folder, "heddle-amd64-linux")):
        print("correlate: built without valgrind, nothing to measure")
        return 0
    print("| program | " + " | ".join(f"{t} x" for t in TOOLS[1:]) + " | " +
          " | ".join(f"{t} MB" for t in TOOLS) + " |")
    print("| --- |" + " ---: |" * (2 * len(TOOLS) - 1))
    with tempfile.TemporaryDirectory() as work:
        for name, command in programs(work):
            took = {}
            for tool in TOOLS:
                env = dict(os.environ)
                options = ["valgrind", "-q", "--tool=" + tool]
                if tool == "heddle":
                    env["VALGRIND_LIB"] = folder
                    options.append("--result=" + os.path.join(work, "result"))
                took[tool] = measure(options + command, env)
            print(f"| {name} | " +
                  " | ".join(f"{took[t][0] / took['none'][0]:.1f}" for t in TOOLS[1:]) + " | " +
                  " | ".join(f"{took[t][1] / 1024:.0f}" for t in TOOLS) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
