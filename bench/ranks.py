#!/usr/bin/python3
"""What many processes gain where one search is divided: measured with one and two of this machine, and simulated for many
machines (bench_ranks.c).

    bench/ranks.py BUILDDIR [MOST]      trees of no more than MOST executions are simulated; all: some minutes
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
THREADS = (7, 8)  # that take a number from one counter: 7! and 8! orders
ROUNDS = 2


def leader_seconds(pid):
    """Processor time of the process alone, as long as it is there."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError, IndexError):
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def explore(heddle, program, folder, threads, ranks):
    """Executions, seconds, and processor time of the one who leads."""
    file = os.path.join(folder, "all.json")
    began, led = time.monotonic(), 0.0
    with subprocess.Popen([heddle, "explore", "-q", "--strategy", "dpor", "--jobs", "1", "--ranks", str(ranks), "--output", folder,
                           "--json", file, "--", program, "numbers", str(threads)], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as child:
        while child.poll() is None:
            led = leader_seconds(child.pid) or led
            time.sleep(0.02)
    seconds = time.monotonic() - began
    document = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
    assert document["stats"]["complete"], document["notes"]
    return document["stats"]["exploration"]["search"], seconds, led


def measure(heddle, program, folder):
    print("One search by processes of this machine, best of", ROUNDS, "rounds:\n")
    print("| orders | ranks | executions | a second | efficiency |")
    print("| --: | --: | --: | --: | --: |")
    led = {}
    for threads in THREADS:
        alone = 0.0
        for ranks in (0, 1, 2):
            runs = [explore(heddle, program, folder, threads, ranks) for _ in range(ROUNDS)]
            executions = runs[0][0]
            rate = max(executions / seconds for _, seconds, _ in runs)
            led[threads, ranks] = (executions, min(run[2] for run in runs))
            alone = alone if ranks else rate
            efficiency = f"{rate / alone / ranks:.2f}" if ranks else ""
            print(f"| {threads}! | {ranks or 'one process'} | {executions} | {rate:.0f} | {efficiency} |")
    small, large = led[THREADS[0], 2], led[THREADS[1], 2]
    each = (large[1] - small[1]) / (large[0] - small[0]) * 1e6
    print(f"\nThe one who leads takes {each:.1f} us of processor time for each further execution of two others "
          "(messages, and what was seen, included).\n")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    heddle = str(build / "heddle")
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
        program = os.path.join(folder, "counted")
        subprocess.run([heddle, "cc", "-O1", "-o", program, str(ROOT / "tests" / "explore" / "counted.c")], check=True)
        measure(heddle, program, folder)
    sys.stdout.flush()
    subprocess.run([str(build / "bench" / "bench_ranks"), *sys.argv[2:]], check=True)


if __name__ == "__main__":
    main()
