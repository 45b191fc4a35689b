#!/usr/bin/env python3
"""`heddle correlate --algorithm paper` says what the paper says, and differs from ours where the guide says so.

    paper_algorithm.py BUILDDIR

TABLES has the column "detected" of the paper's Tables 2 and 3, for the tests of tests/correlate/paper: among them are
two that the paper gets wrong (4 and 20). Of test 21 the paper only says that units and sets are not inferred. DIFFERENT has,
for each difference that docs/guide/correlate.md names, programs on which the two algorithms disagree; what is
true of them is in the EXPECT line of each, which run.py tests ours with. Differences in the state machine alone
are in machine.py. Short form: gcc -O2; with HEDDLE_TEST_FULL=1 gcc and clang at -O0 and -O2.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

RACE = {0, 1, 7, 8, 11, 14, 15, 17, 18, 20}  # by the paper; no race: the others

# The programs of each difference: does the paper's algorithm report it?
DIFFERENT = {
    "an empty L_u is enough": (True, ["torn/clean_only_reader.c", "torn/clean_setting.c",
                                      "torn/clean_sum_of_counters.c"]),
    "nothing is known of a look that is repeated": (True, ["torn/clean_recheck.c", "torn/clean_version.c"]),
    "nothing is known of who owns what": (True, ["torn/clean_lists.c", "torn/clean_references.c"]),
    "values that are exchanged exchange their sets": (True, ["paper/20_swap_uncorrelated.c"]),
    "what is overwritten is in a new set": (False, ["paper/04_write_write.c", "torn/derived.c",
                                                    "torn/two_reads.c"]),
    "writes without common data are no unit": (False, ["torn/update_reader.c", "torn/members.c"]),
}


def expectation(path):
    with open(path, encoding="utf-8") as file:
        return re.search(r"^ \* EXPECT: (\w+)", file.read(), re.M).group(1) != "none"


def reports(job):
    build, source, compiler, level, work = job
    binary = os.path.join(work, re.sub(r"\W", "_", f"{source} {compiler} {level}"))
    subprocess.run([compiler, "-g", level, "-w", "-o", binary, os.path.join(HERE, source), "-pthread", "-lm"],
                   check=True)
    ran = subprocess.run([os.path.join(build, "heddle"), "correlate", "--algorithm", "paper", "--", binary],
                         capture_output=True, text=True, errors="replace", timeout=120, check=False)
    if ran.returncode not in (0, 1):
        raise SystemExit(f"{source} {compiler} {level}: status {ran.returncode}: {ran.stderr[:300]}")
    return ran.returncode == 1


def wanted():
    """(program, does the paper's algorithm report it, the difference that it shows)"""
    names = sorted(os.listdir(os.path.join(HERE, "paper")))
    for number, name in enumerate(names[:21]):
        yield os.path.join("paper", name), number in RACE, None
    for difference, (told, programs) in DIFFERENT.items():
        for program in programs:
            yield program, told, difference


def main():
    build = sys.argv[1]
    if not os.path.exists(os.path.join(build, "src/correlate/heddle-amd64-linux")):
        print("heddle was built without valgrind: the paper's algorithm is not tested")
        return 77
    compilers = ["gcc"] + (["clang"] if shutil.which("clang") else [])
    settings = [("gcc", "-O2")]
    if os.environ.get("HEDDLE_TEST_FULL") == "1":
        settings = [(c, level) for c in compilers for level in ("-O0", "-O2")]
    wrong = 0
    with tempfile.TemporaryDirectory() as work:
        jobs = {}
        for program, told, difference in wanted():
            if difference and told == expectation(os.path.join(HERE, program)):
                raise SystemExit(f"{program}: both are expected to say the same")
            jobs.update({(build, program, c, level, work): told for c, level in settings})
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for job, told in zip(jobs, pool.map(reports, jobs)):
                if told != jobs[job]:
                    wrong += 1
                    print(f"{' '.join(job[1:4])}: the paper's algorithm {'reports' if told else 'does not report'} it")
    print(f"{len(jobs)} runs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
