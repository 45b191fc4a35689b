#!/usr/bin/env python3
"""Precision and recall on tests/openmp: heddle, gcc's ThreadSanitizer, and clang's with Archer.

    bench/openmp.py BUILDDIR [TOOL]...

A tool finds a racy program if it reports a race between the lines that the header names; for the
sanitizers any report counts as found, which is generous. A report on a clean program is false. The
sanitizers see one schedule, so each program runs five times under them and one report is enough.
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "openmp"))
import run as heddle_run  # noqa: E402
import suite  # noqa: E402

ARCHER = "/usr/lib/llvm-14/lib/libarcher.so"
REPEATS = 5


def build(command, path, out):
    return subprocess.run(command + [path, "-o", out], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


class Heddle:
    name = "heddle"

    def __init__(self, command):
        self.command = command

    def available(self):
        return True

    def verdict(self, program, folder):
        """True: a race is reported; None: the program cannot be built."""
        wrong = heddle_run.check(self.command, folder, program, [[]])
        if wrong and "does not build" in wrong[0]:
            return None
        return program.racy != bool(wrong)


class Sanitizer:
    def __init__(self, name, command, env):
        self.name, self.command, self.env = name, command, env

    def available(self):
        return shutil.which(self.command[0]) is not None

    def verdict(self, program, folder):
        binary = os.path.join(folder, f"{program.name}-{self.command[0]}")
        if not build(self.command + ["-g", "-O0", "-fopenmp", "-fsanitize=thread"], program.path, binary):
            return None
        env = dict(heddle_run.environment(), **self.env)
        reported = False
        for _ in range(REPEATS):
            try:
                done = subprocess.run(["setarch", "-R", binary], env=env, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, errors="replace",
                                      timeout=60, check=False)
            except subprocess.TimeoutExpired:
                continue
            reported |= "WARNING: ThreadSanitizer: data race" in done.stdout
        os.unlink(binary)
        return reported


def main():
    heddle = os.path.join(os.path.abspath(sys.argv[1]), "heddle")
    tools = [Heddle(heddle), Sanitizer("gcc TSan", ["gcc"], {}),
             Sanitizer("clang TSan + Archer", ["clang"],
                       {"OMP_TOOL_LIBRARIES": ARCHER, "TSAN_OPTIONS": "ignore_noninstrumented_modules=1"})]
    if sys.argv[2:]:
        tools = [tool for tool in tools if any(word in tool.name for word in sys.argv[2:])]
    programs = suite.programs()
    print("| tool | programs | found | missed | false reports | precision | recall | not built |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    details = []
    with tempfile.TemporaryDirectory(prefix="heddle-openmp-") as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for tool in tools:
            if not tool.available():
                continue
            verdicts = list(pool.map(lambda p, t=tool: t.verdict(p, folder), programs))
            pairs = [(p, v) for p, v in zip(programs, verdicts) if v is not None]
            found = sum(p.racy and v for p, v in pairs)
            missed = [p.name for p, v in pairs if p.racy and not v]
            false = [p.name for p, v in pairs if not p.racy and v]
            precision = found / (found + len(false)) if found or false else 1
            recall = found / (found + len(missed)) if found or missed else 1
            print(f"| {tool.name} | {len(pairs)} | {found} | {len(missed)} | {len(false)} | "
                  f"{precision:.2f} | {recall:.2f} | {len(programs) - len(pairs)} |")
            details.append((tool.name, missed, false))
    for name, missed, false in details:
        print(f"\n{name}: missed: {', '.join(missed) or 'none'}; false: {', '.join(false) or 'none'}")


main()
