#!/usr/bin/env python3
"""Make plans from runs of the test programs, and follow them.

usage: run_plans.py BUILDDIR PLAN_TOOL [PATH...] [--clang] [--seeds N] [-j N]

Without PATHs a selection of the programs is tried; with HEDDLE_TEST_FULL in the environment a third of
them with two seeds, built with gcc, and a ninth with clang.

Two seeds suffice: one run switches at synchronisation only, the other at every access, and what a plan
does with a program hardly depends on which of its runs it was made from. Compilers differ in where
accesses are and in their places, so both count. Runs with very many planned events are left out: these are
the same few again and again, they took most of the time, and they found nothing that others did not.

For each program and seed:

    observed   the plan that is the observed order: reached, and the same events
    shuffled   another legal order: reached, and exactly that order
    cut        a part of that; some threads stand before their next event
    mutated    nonsense: a divergence that is told, or a goal; never a hang or a crash of heddle
    replayed   the trace of a run by plan is a schedule like any other
    segments   all of a run's segments are that run; some of them are some run
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.dont_write_bytecode = True
import run_programs  # pylint: disable=wrong-import-position

Failure = run_programs.Failure
LIMIT = 60
LARGEST = 45000  # planned events of a run that is still tried
# Programs with millions of them, whatever the compiler: it takes long to find that out.
LARGE = ("stop_by_plain_write.c", "million.c")

# Programs that do other things when they run at other times, for a reason that plans do not know
# of (trace/plan.h). They may leave a plan, and then must say so.
TIME = "they look at how much time has passed"
CANCEL = "cancellation is not planned"
SIGNAL = "where a signal arrives is not planned"
STACK = "how deep it goes depends on what is on the stack"
REGISTER = "when a task registers itself on a phaser is not planned"
UNPLANNED = {
    "alarms.c": TIME, "poll_many.c": TIME, "clock_poll.c": TIME,
    "join_by_two.c": "a call that fails is not an event", "join_errors.c": "the same",
    "last_thread_status.c": "which thread ends last is not planned",
    "file_lock.c": "what is in a file depends on who writes first, which is not planned",
    "cancel_async.c": CANCEL, "cancel_points.c": CANCEL, "cancel_io.c": CANCEL,
    "cancel_clean.c": CANCEL, "cancel_ended.c": CANCEL, "cleanup_handlers.c": CANCEL,
    "once_cancelled.c": CANCEL, "cancelled_with_lock.c": CANCEL, "cancel_racy.c": CANCEL,
    "all_allocators.c": "it reads its folder, where each run leaves a file",
    "signal_clean.c": SIGNAL, "signal_racy.c": SIGNAL, "signal_directed.c": SIGNAL, "signal_interrupt.c": SIGNAL, "signal_wait.c": SIGNAL,
    "stack_overflow.c": STACK, "stack_overflow_main.c": STACK,
    "phaser_modes.c": REGISTER,
}
# The same: which thread of an OpenMP team is free for a task or an iteration, and when, is not planned.
UNPLANNED_FOLDER = "openmp"
# The clock moves with scheduling points and with who could run, of which runs by plan have others: who
# reads what it showed sees something else.
LOOKS_AT_CLOCK = re.compile(
    r"\b(now_ns|in_seconds|timer_gettime|clock_gettime|gettimeofday|timespec_get)\(")
# Programs that see something of the world, or times: reads need not see the same.
OTHER_VALUES = ("fork_wait.c", "exec_child.c", "fork_child.c", "signal_wait.c", "sleep_order.c",
                "fork_in_thread.c", "virtual_time.c", "mutex_timedlock.c", "cond_timed_clean.c",
                "timedlock_clean.c",
                "signalfd_calls.c",  # the number of a process
                "bounded_quarantine.c")  # how much memory a process has
# When a child ends decides what is possible when.
OUTSIDE = ("fork_in_thread.c", "fork_child.c", "fork_wait.c", "exec_child.c", "all_allocators.c")


# One for each way in which threads meet.
SELECTION = ("mutex/mutex_timedlock.c", "mutex/mutex_trylock.c", "cond/bounded_queue.c",
             "cond/cond_timedwait.c", "barrier/barrier_rounds.c", "sem/sem_ping_pong.c",
             "rwlock/rwlock_shared.c", "once/once_once.c", "atomics/futex_lock.c",
             "thread/creates_threads.c", "libc/stdio_pipe.c", "race/tryjoin_clean.c",
             "tasks/futures.c", "tasks/signal_twice.c", "tasks/thread_local.c", "libc/sleep_order.c",
             "timer/timer_thread_clean.c", "timer/timer_calls.c", "crash/own_handler.c",
             "barrier/stencil.c", "race/pipe_poll_clean.c", "libc/signal_directed.c")


class Plans:
    def __init__(self, args, work):
        self.heddle = os.path.abspath(os.path.join(args.builddir, "heddle"))
        self.tool_path = os.path.abspath(args.tool)
        self.suite = run_programs.Suite(self.heddle, args.clang, work)
        self.args, self.work = args, work

    def run(self, program, folder, command, options=None, **more):
        env = {**self.suite.env, **program.env, **(options or {})}
        try:
            done = subprocess.run(command, env=env, cwd=folder, timeout=LIMIT, errors="replace",
                                  stdin=subprocess.DEVNULL, capture_output=True, check=False,
                                  **more)
        except subprocess.TimeoutExpired:
            raise Failure(f"{shlex.join(command)}: no end after {LIMIT} s") from None
        return done

    def tool(self, folder, *words):
        done = subprocess.run([self.tool_path, *words], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise Failure(f"in {folder}: plan_tool {shlex.join(words)}: {done.stderr}")
        return done.stdout

    def follow(self, program, folder, command, plan, trace):
        """Run by the plan; the JSON document."""
        words = [self.heddle, "replay", plan, "--record", trace, "--json", trace + ".json"]
        statuses = [0, 1, 2]
        if UNPLANNED.get(os.path.basename(program.path)) == SIGNAL:
            words += ["--time", "3"]  # if it came before they wait for it, they wait for ever
            statuses.append(4)
        words += ["--", *command]
        done = self.run(program, folder, words)
        if done.returncode not in statuses or not os.path.exists(
                os.path.join(folder, trace + ".json")):
            raise Failure(f"in {folder}: {shlex.join(words)}: status {done.returncode}\n"
                          f"{done.stderr}")
        with open(os.path.join(folder, trace + ".json"), encoding="utf-8") as file:
            return json.load(file), done.stderr

    @staticmethod
    def is_outside(program, folder):
        """Does what it does depend on more than the schedule, or did it wait for ever?"""
        with open(os.path.join(folder, "shuffled.htr.json"), encoding="utf-8") as file:
            return (os.path.basename(program.path) in OUTSIDE or
                    json.load(file)["stats"]["stopped"] == "time")

    @staticmethod
    def is_unplanned(program):
        folder, file = os.path.split(program.path)
        return file in UNPLANNED or os.path.basename(folder) == UNPLANNED_FOLDER

    def check_followed(self, program, folder, command, name):
        document, report = self.follow(program, folder, command, name + ".plan", name + ".htr")
        if document["divergence"]:
            if self.is_unplanned(program):
                return
            raise Failure(f"in {folder}: {name}.plan: {report}")
        file = os.path.basename(program.path)
        if self.is_unplanned(program):
            return
        with open(program.path, encoding="utf-8") as source:
            other = file in OTHER_VALUES or LOOKS_AT_CLOCK.search(source.read())
        self.tool(folder, "follows", name + ".plan", name + ".htr",
                  "any-values" if other else "same-values")

    def segments(self, program, folder, command, trace, drop):
        """A run by @trace's segments, but @drop of 100; where its trace is."""
        words = [self.tool_path, "segments", trace, trace + ".again", str(drop), "1", *command]
        done = self.run(program, folder, words)
        if done.returncode:
            raise Failure(f"in {folder}: {shlex.join(words)}: {done.stderr}")
        return trace + ".again"

    def check_seed(self, program, folder, command, seed):
        if os.path.basename(program.path) in LARGE:
            return False
        switch = "accesses" if seed % 2 == 0 else "atomics"
        self.run(program, folder, [self.heddle, "run", "-q", "--seed", str(seed), "--record-exact",
                                   "--start-time", "1700000000", "--switch-at", switch,
                                   "--record", "o.htr", "--", *command])
        self.tool(folder, "observed", "o.htr", "observed.plan")
        with open(os.path.join(folder, "observed.plan"), encoding="utf-8") as file:
            if sum(1 for _ in file) > LARGEST:
                return False
        self.check_followed(program, folder, command, "observed")
        self.tool(folder, "shuffled", "o.htr", "shuffled.plan", str(seed))
        self.check_followed(program, folder, command, "shuffled")
        self.tool(folder, "cut", "o.htr", "cut.plan", str(seed))
        self.check_followed(program, folder, command, "cut")
        self.check_mutated(program, folder, command, seed)
        if self.is_outside(program, folder):
            return True
        self.check_replayed(program, folder, command)
        self.check_segments(program, folder, command)
        return True

    def check_mutated(self, program, folder, command, seed):
        for i in range(2):
            self.tool(folder, "mutated", "o.htr", "mutated.plan", str(100 * seed + i))
            document, report = self.follow(program, folder, command, "mutated.plan", "m.htr")
            if document.get("goal") == bool(document["divergence"]):
                raise Failure(f"in {folder}: mutated.plan: neither reached nor left\n{report}")

    def check_replayed(self, program, folder, command):
        document, report = self.follow(program, folder, command, "shuffled.htr", "again.htr")
        if document["divergence"]:
            raise Failure(f"in {folder}: replay of shuffled.htr: {report}")
        self.check_choices(program, folder, "shuffled.htr", "again.htr")

    def check_choices(self, program, folder, first, second):
        """The two runs are the same, unless they get to another depth before they crash."""
        if UNPLANNED.get(os.path.basename(program.path)) != STACK:
            self.tool(folder, "choices", first, second)

    def check_segments(self, program, folder, command):
        for trace in ("o.htr", "shuffled.htr"):
            again = self.segments(program, folder, command, trace, 0)
            self.check_choices(program, folder, trace, again)
            for drop in (10, 50):
                self.segments(program, folder, command, trace, drop)

    def check_program(self, path):
        name = os.path.relpath(path, os.path.join(os.path.dirname(HERE), "programs"))
        folder = os.path.join(self.work, name.replace(os.sep, "-").replace(".", "-"))
        os.mkdir(folder)
        small = large = 0
        try:
            program = run_programs.Program(path)
            self.suite.compile(program, os.path.join(folder, "prog"))
            for seed in range(1, self.args.seeds + 1):
                if self.check_seed(program, folder, ["./prog", *program.args], seed):
                    small += 1
                else:
                    large += 1
        except Failure as failure:
            return f"FAIL {name}: seed {small + large + 1}: {failure}", False
        more = f", {large} too large" if large else ""
        return f"ok   {name} ({small} run{'s' if small != 1 else ''}{more})", True


def parse_arguments():
    parser = argparse.ArgumentParser(description="follow plans")
    parser.add_argument("builddir")
    parser.add_argument("tool")
    parser.add_argument("--clang", action="store_true", help="build the programs with clang")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--work", help="folder to work in, which stays")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 2, dest="jobs")
    parser.add_argument("paths", nargs="*")
    args = parser.parse_args()
    full, programs = "HEDDLE_TEST_FULL" in os.environ, os.path.join(os.path.dirname(HERE), "programs")
    args.seeds = args.seeds or (2 if full else 1)
    args.both = full and not args.paths and not args.clang and shutil.which("clang")
    args.every = 3 if full and not args.paths else 1
    args.paths = args.paths or ([programs] if full else
                                [os.path.join(programs, name) for name in SELECTION])
    return args


def follow_all(args):
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="heddle-plans-") as work, \
            concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        plans = Plans(args, args.work or work)
        chosen = run_programs.buildable(args.paths, args.clang)[::args.every]
        for message, good in pool.map(plans.check_program, chosen):
            print(message, flush=True)
            passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed")
    return bool(passed and not failed)


def main():
    args = parse_arguments()
    good = follow_all(args)
    if args.both:
        args.clang, args.every = True, 3 * args.every
        good &= follow_all(args)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
