#!/usr/bin/python3
"""What many processes gain where one search is divided: measured with one and two of this machine, and simulated for many
machines (bench_ranks.c).

    bench/ranks.py BUILDDIR [MOST]      trees of no more than MOST executions are simulated; all: some minutes
"""
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
THREADS = (7, 8)  # that take a number from one counter: 7! and 8! orders
ROUNDS = 5


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


def side_by_side(heddle, program, folder, threads):
    """Executions a second of two searches that know nothing of each other: what the machine gives two processes."""
    folders = [os.path.join(folder, name) for name in "ab"]
    for name in folders:
        os.makedirs(name, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        began = time.monotonic()
        both = list(pool.map(lambda name: explore(heddle, program, name, threads, 0), folders))
    return sum(executions for executions, *_ in both) / (time.monotonic() - began)


def measure(heddle, program, folder):
    print("One search by processes of this machine; medians of", ROUNDS, "rounds, and of the efficiency in each. One rank is compared with "
          "one process,\ntwo are with two such searches side by side.\n")
    print("| orders | ranks | executions | a second | efficiency |")
    print("| --: | --: | --: | --: | --: |")
    led, all_executions = {}, {}
    for threads in THREADS:
        executions = all_executions[threads] = {}
        rates = {0: [], 1: [], 2: [], "both": []}
        for _ in range(ROUNDS):
            for ranks in (0, 1, 2):
                executions[ranks], seconds, leads = explore(heddle, program, folder, threads, ranks)
                rates[ranks].append(executions[ranks] / seconds)
                led[threads, ranks] = min(led.get((threads, ranks), leads), leads)
            rates["both"].append(side_by_side(heddle, program, folder, threads))
        peer = {1: rates[0], 2: rates["both"]}
        print(f"| {threads}! | one process | {executions[0]} | {statistics.median(rates[0]):.0f} |  |")
        print(f"| {threads}! | two, side by side | {2 * executions[0]} | {statistics.median(rates['both']):.0f} |  |")
        for ranks, others in peer.items():
            efficiency = statistics.median(rate / other for rate, other in zip(rates[ranks], others))
            print(f"| {threads}! | {ranks} | {executions[ranks]} | {statistics.median(rates[ranks]):.0f} | {efficiency:.2f} |")
    small, large = THREADS
    each = (led[large, 2] - led[small, 2]) / (all_executions[large][2] - all_executions[small][2]) * 1e6
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
