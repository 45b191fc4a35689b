#!/usr/bin/env python3
"""Task programs on worker threads: the same verdicts as on fibers, every time.

usage: test_parallel.py BUILDDIR

Each program of tests/programs/tasks and task-atomicity is run with `--algorithm complete` on fibers
and with `--parallel 2` and `4`; what is found must be the same: kinds, patterns, variables. Programs
whose header says more (-DFIXED, ARGS, --atomic-steps) are run like that. HEDDLE_TEST_FULL=1
repeats all of it, also with one worker.
"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(os.path.dirname(HERE), "programs")
FULL = bool(os.environ.get("HEDDLE_TEST_FULL"))
sys.path.insert(0, os.path.dirname(HERE))
from program_header import Header  # pylint: disable=wrong-import-position
from status_rule import status_of  # pylint: disable=wrong-import-position

# Why a program is not run on workers, or need not give the same answer.
NOT_ON_WORKERS = {
    "from_cxx": "as thread_local",
    "thread_local": "tasks of one worker share its thread-local variables",
    "with_threads": "a task that waits for a condition keeps its worker; pthread_exit",
}
# What is wrong only in some schedules need not be found: permission regions, a value that is asked for
# too early.
BY_SCHEDULE = {"permission_race", "isolated_overlap", "hclib_wrong", "actor_racy"}
# Mailboxes order what they ordered in the run: its race is there for the analysis of tasks in some.
MAY_FIND = {"actor_racy": {("race", "data race on 'seen' (tasks): predicted")}}


class Program(Header):
    def __init__(self, path):
        super().__init__(path)
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.options = ["--atomic-steps"] if "--atomic-steps" in self.source.split("*/")[0] else []
        self.exe = None

    def build(self, heddle, folder):
        self.exe = os.path.join(folder, self.name)
        subprocess.run(self.build_command(heddle, self.exe, "-g"), check=True, capture_output=True)

    def verdict(self, heddle, *options):
        """What was found, without what depends on the schedule: numbers of tasks, which of
        two equal places came first."""
        out = self.exe + "-".join(("",) + options).replace(" ", "") + ".json"
        env = dict(os.environ, **self.env)
        done = subprocess.run([heddle, "run", "-q", "--json", out, *self.options, *options, "--",
                               self.exe, *self.args], env=env, capture_output=True, text=True,
                              timeout=60, check=False)
        with open(out, encoding="utf-8") as f:
            document = json.load(f)
        if done.returncode != status_of(document):
            raise AssertionError(f"{self.name} {options}: status {done.returncode}: {done.stderr}")
        return sorted({key_of(f) for f in document["findings"]}), done.stderr


def key_of(finding):
    summary = re.sub(r"\bT\d+\b", "T", finding["summary"])
    if finding["kind"] in ("deadlock", "assertion", "crash"):
        return (finding["kind"],)
    return (finding["kind"], re.sub(r"0x[0-9a-f]+", "ADDR", summary.split(" at ")[0]))


def compare(program, heddle, folder):
    program.build(heddle, folder)
    fibers = set()
    for seed in ("1", "2") if FULL or program.name in BY_SCHEDULE else ("1",):
        fibers |= set(program.verdict(heddle, "--races", "no", "--algorithm", "complete", "--seed",
                                      seed)[0])
    allowed = fibers | MAY_FIND.get(program.name, set())
    wrong = []
    for n in ("1", "2", "4") if FULL else ("2",):
        for _ in range(4 if FULL else 1):
            got, said = program.verdict(heddle, "--parallel", n)
            same = set(got) <= allowed if program.name in BY_SCHEDULE else set(got) == fibers
            if not same:
                wrong.append(f"--parallel {n}: {got}, fibers: {sorted(fibers)}\n{said}")
    return wrong


def misuse(heddle, folder):
    """What cannot be checked on workers is said, with status 2; returns what went wrong."""
    source, native, checked = (os.path.join(folder, n) for n in ("u.c", "native", "checked"))
    with open(source, "w", encoding="utf-8") as f:
        f.write("#include <heddle/hj.h>\nstatic int x;\nstatic void t(void *a) { x++; (void)a; }\n"
                "static void r(void *a) { hj_async(t, a); hj_async(t, a); }\n"
                "int main(void) { hj_launch(r, 0); return 0; }\n")
    subprocess.run([heddle, "cc", "--native", source, "-o", native], check=True)
    subprocess.run([heddle, "cc", source, "-o", checked], check=True)
    wrong = []
    for words, status, text in (
            (["--parallel", "2", "--", "env", "true"], 2, "launched no tasks"),
            (["--parallel", "2", "--", native], 2, "not built with `heddle cc`"),
            (["--parallel", "2", "--", checked], 1, "data race on 'x'"),
            (["--parallel", "2", "--algorithm", "none", "--", checked], 0, "no findings"),
            (["--parallel", "0", "--", checked], 2, "from 1 to 1024"),
            (["--parallel", "2", "--record", native + ".htr", "--", checked], 2, "exclude each other"),
            (["--algorithm", "none", "--", checked], 2, "for runs with --parallel")):
        done = subprocess.run([heddle, "run", *words], capture_output=True, text=True, timeout=60,
                              check=False)
        if done.returncode != status or text not in done.stderr:
            wrong.append(f"{words}: status {done.returncode}, said: {done.stderr}")
    return wrong + replay(heddle, folder, checked)


def replay(heddle, folder, program):
    """The command that a report names makes the finding happen, on fibers."""
    done = subprocess.run([heddle, "run", "--parallel", "2", "--", program], capture_output=True,
                          text=True, timeout=60, check=False)
    line = re.search(r"Replay: heddle (check .*)", done.stderr)
    if not line:
        return [f"no command to replay in: {done.stderr}"]
    done = subprocess.run([heddle, *line.group(1).split()], capture_output=True, text=True, timeout=60,
                          check=False, cwd=folder)
    if done.returncode == 1 and "data race" in done.stdout and "heddle replay" in done.stdout:
        return []
    return [f"{line.group(0)}: status {done.returncode}, said: {done.stdout}"]


def main():
    heddle = os.path.join(os.path.abspath(sys.argv[1]), "heddle")
    only = sys.argv[2:]
    programs = []
    for folder in ("tasks", "task-atomicity"):
        for name in sorted(os.listdir(os.path.join(PROGRAMS, folder))):
            p = os.path.join(PROGRAMS, folder, name)
            if name.endswith(".cpp") and not shutil.which("g++"):
                print(f"skipped: {name}: there is no g++")
            elif name.endswith((".c", ".cpp")):
                programs.append(Program(p))
    programs = [p for p in programs if p.name not in NOT_ON_WORKERS and
                (not only or p.name in only)]
    failed = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for line in misuse(heddle, folder):
            failed += 1
            print(f"FAIL {line}")
        jobs = {pool.submit(compare, p, heddle, folder): p for p in programs}
        for job in concurrent.futures.as_completed(jobs):
            try:
                wrong = job.result()
            except (AssertionError, subprocess.SubprocessError) as e:
                wrong = [str(e)]
            failed += bool(wrong)
            for line in wrong:
                print(f"FAIL {jobs[job].name} {line}")
    print(f"{len(programs) - failed} programs with equal verdicts, {failed} without")
    return 1 if failed or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
