#!/usr/bin/env python3
"""OpenMP: what heddle costs on five kernels, and precision and recall on tests/openmp, beside gcc's
ThreadSanitizer and clang's with Archer.

    bench/openmp.py BUILDDIR [--small] [--update] [kernels|growth|suite]...

Kernels: CPU time (user and system, all processes), the best of three runs less that of the smallest
input, which is what starting takes, as multiples of that of the program with libgomp and two threads.
ThreadSanitizer does not print what it finds there. --small: small inputs, one run, every seventh program; only to see that it works.

Growth: what a task costs as there are more of them (fib), in CPU time and peak memory of the largest process.

Suite: a tool finds a racy program if it reports a race between the lines that the header names; for the
sanitizers any report counts as found, which is generous. A report on a clean program is false. The
sanitizers see one schedule, so each program runs five times under them and one report is enough.
"""
import concurrent.futures
import importlib.util
import os
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "openmp"))
import run as heddle_run  # noqa: E402
import suite  # noqa: E402

spec = importlib.util.spec_from_file_location("benches", os.path.join(os.path.dirname(__file__), "run.py"))
benches = importlib.util.module_from_spec(spec)  # its name is that of the suite's
spec.loader.exec_module(benches)

ARCHER = "/usr/lib/llvm-14/lib/libarcher.so"
REPEATS = 5
TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KERNELS = {"fib": ("19", "12"), "nqueens": ("7", "5"), "sparselu": ("16", "4"), "jacobi": ("256", "64"),
           "sort": ("12000", "200")}
SMALLEST = {"fib": "1", "nqueens": "1", "sparselu": "1", "jacobi": "3", "sort": "1"}


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
        wrong = heddle_run.check(self.command, folder, program, [[]], "-O0")
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
        command = [{"gcc": "g++", "clang": "clang++"}[self.command[0]] if program.cpp else self.command[0]]
        if not build(command + ["-g", "-O0", "-fopenmp", "-fsanitize=thread"], program.path, binary):
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
            reported = "WARNING: ThreadSanitizer: data race" in done.stdout
            if reported:
                break
        os.unlink(binary)
        return reported


def suite_table(heddle, programs):
    tools = [Heddle(heddle), Sanitizer("gcc's ThreadSanitizer", ["gcc"], {"TSAN_OPTIONS": "atexit_sleep_ms=0"}),
             Sanitizer("clang's ThreadSanitizer with Archer", ["clang"],
                       {"OMP_TOOL_LIBRARIES": ARCHER,
                        "TSAN_OPTIONS": "ignore_noninstrumented_modules=1:atexit_sleep_ms=0"})]
    rows, details = [], []
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
            rows.append([tool.name, len(pairs), found, len(missed), len(false), f"{precision:.2f}",
                         f"{recall:.2f}"])
            details.append((tool.name, missed, false))
    for name, missed, false in details:
        print(f"{name}: missed: {', '.join(missed) or 'none'}; false: {', '.join(false) or 'none'}\n")
    return benches.table(["tool", "programs", "found", "missed", "false reports", "precision", "recall"], rows)


def seconds(command, env, times):
    taken = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
                       timeout=120)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(taken)


def kernel_times(heddle, kernel, argument, folder, times):
    """Seconds with libgomp, ThreadSanitizer, heddle on fibers and on kernel threads, without starting."""
    source = os.path.join(TOP, "bench", "programs", "openmp", kernel + ".c")
    native, tsan, ours = (os.path.join(folder, kernel + end) for end in (".native", ".tsan", ".heddle"))
    for command, out in ((["gcc"], native), (["gcc", "-fsanitize=thread"], tsan), ([heddle, "cc"], ours)):
        subprocess.run(command + ["-O2", "-fopenmp", source, "-o", out], check=True)
    env = dict(heddle_run.environment(), OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive",
               TSAN_OPTIONS="report_bugs=0:atexit_sleep_ms=0")
    commands = [[native], ["setarch", "-R", tsan], [heddle, "run", "--threads", "2", "--", ours],
                [heddle, "run", "--threads", "2", "--carriers", "threads", "--", ours]]
    return [max(seconds(c + [argument], env, times) - seconds(c + [SMALLEST[kernel]], env, times), 1e-4)
            for c in commands]


def kernel_table(heddle, small):
    rows = []
    with tempfile.TemporaryDirectory(prefix="heddle-openmp-") as folder:
        for kernel, inputs in KERNELS.items():
            native, tsan, fibers, threads = kernel_times(heddle, kernel, inputs[small], folder, 1 if small else 3)
            rows.append([kernel, inputs[small], f"{1000 * native:.1f}",
                         *(f"{t / native:.0f}" for t in (tsan, fibers, threads)), f"{fibers / tsan:.0f}"])
    return benches.table(["kernel", "input", "libgomp, ms", "ThreadSanitizer", "heddle, fibers", "heddle, threads",
                          "fibers over ThreadSanitizer"], rows)


def measured(command, env):
    """CPU seconds and peak MB of a command."""
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def fib_tasks(n):
    a, b = 0, 0  # of n - 2 and n - 1
    for _ in range(n - 1):
        a, b = b, a + b + 2
    return b


def growth_table(heddle, small):
    source = os.path.join(TOP, "bench", "programs", "openmp", "fib.c")
    rows = []
    with tempfile.TemporaryDirectory(prefix="heddle-openmp-") as folder:
        tools = {"libgomp": (["gcc"], []), "ThreadSanitizer": (["gcc", "-fsanitize=thread"], ["setarch", "-R"]),
                 "Archer": (["clang", "-fsanitize=thread"], ["setarch", "-R"]),
                 "heddle": ([heddle, "cc"], [heddle, "run", "--threads", "2", "--"])}
        tools = {name: t for name, t in tools.items() if shutil.which(t[0][0])}
        env = dict(heddle_run.environment(), OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive",
                   OMP_TOOL_LIBRARIES=ARCHER,
                   TSAN_OPTIONS="report_bugs=0:atexit_sleep_ms=0:ignore_noninstrumented_modules=1")
        for name, (compiler, _) in tools.items():
            subprocess.run(compiler + ["-O2", "-fopenmp", source, "-o", os.path.join(folder, name)], check=True)
        for n in (14, 19) if small else (14, 19, 23, 28):
            row = [f"{fib_tasks(n):,}"]
            for name, (_, start) in tools.items():
                cpu, memory = measured(start + [os.path.join(folder, name), str(n)], env)
                row += [f"{1e6 * cpu / fib_tasks(n):.1f}", f"{memory:.0f}"]
            rows.append(row)
    columns = [c for name in tools for c in (f"{name}, us a task", "MB")]
    return benches.table(["tasks", *columns], rows)


def put(name, text, update):
    print(text + "\n", flush=True)
    if update:
        benches.update_document(text, f"<!-- openmp {name}: begin -->", f"<!-- openmp {name}: end -->")


def main():
    heddle = os.path.join(os.path.abspath(sys.argv[1]), "heddle")
    small, update = "--small" in sys.argv, "--update" in sys.argv
    parts = [w for w in sys.argv[2:] if not w.startswith("--")] or ["kernels", "growth", "suite"]
    if "kernels" in parts:
        put("kernels", kernel_table(heddle, small), update)
    if "growth" in parts:
        put("growth", growth_table(heddle, small), update)
    if "suite" in parts:
        put("suite", suite_table(heddle, suite.programs()[:: 7 if small else 1]), update)


main()
