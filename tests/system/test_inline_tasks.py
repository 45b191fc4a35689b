#!/usr/bin/env python3
"""Accesses of tasks on fibers that are tested in line, or told of as ranges, are judged as calls are.

The random functions of test_inline.py, as tasks of OpenMP and in iterations of loops. Each program is built
with tests in line and with calls into the library, where no test ever matches; both must find the same and
print the same. That calls are judged rightly is asserted elsewhere (test_task_check.c, test_task_thin.c);
here that something is found at all, and no race where every access is locked.
"""
import os
import random

import harness
import test_inline

SEED = int(os.environ.get("HEDDLE_TEST_SEED", random.SystemRandom().randrange(1 << 30)))
PROGRAMS = 60 if os.environ.get("HEDDLE_TEST_FULL") else 6

BY_TASKS = ("--races", "no", "--algorithm", "complete")  # clocks do not tell of what it misses

ROOT = test_inline.HEAD + """
union shared shared;
pthread_mutex_t locks[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
int main(void)
{
	unsigned sum = 0;

#pragma omp parallel
	{
#pragma omp single
		{
%s
		}
%s
	}
	for (int i = 0; i < 512; i++)
		sum = sum * 31 + (unsigned char)shared.c[i];
	printf("%%u\\n", sum);
	return 0;
}
"""

LOOP = """#pragma omp for
		for (int i = 0; i < 4; i++)
			for (int k = 0; k < 3; k++)
				body%d(0);"""


def root(rng):
    """What a step does again and again is left out; what the next one does, beside a task made meanwhile, is not."""
    lines, in_tasks = [], rng.choice(((1,), (1, 2), (0, 1, 2)))
    for _ in range(rng.randrange(4, 9)):
        task = f"body{rng.choice(in_tasks)}(0);"
        again = f"for (int k = 0; k < 3; k++)\nbody{rng.choice((0, 0, 2))}(0);"
        lines.append(rng.choice((f"#pragma omp task\n{task}", f"#pragma omp task\n{{ {again} }}", again, again,
                                 "#pragma omp taskwait",
                                 f"#pragma omp task depend(inout: shared)\n{task}")))
    return ROOT % ("\n".join(lines), LOOP % rng.randrange(3) if rng.random() < 0.6 else "")


# One thread runs all iterations, each of which does all that it can do to the same memory, and nothing else.
SAME = """
TYPE data[4][64];
__attribute__((noinline)) static void change(int i) { for (int k = 0; k < COUNT; k++) data[i][k] += 1; }
int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 4; k++)
			change(WHICH);
	return 0;
}
"""

# What the first task does before it sets the flag, the second waits for; what it does after, again, races. It is left
# out unless the lock has ended what is known of the step.
FLAG = """
int data, flag;
__attribute__((noipa)) static void change(int times) { for (int k = 0; k < times; k++) data += k + 1; }
int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task
		{
			for (int k = 0; k < 4; k++)
				change(2);
#pragma omp critical
			flag = 1;
			change(AFTER);
		}
#pragma omp task
		{
			int seen;

			do {
#pragma omp critical
				seen = flag;
			} while (!seen);
			change(1);
		}
	}
	return 0;
}
"""


class TasksInLine(harness.SystemTest):
    def judge(self, program, *options):
        document, done = self.run_json("run", *options, "--", program)
        doubts = any("read under a lock" in reason for reason in document["drops"])
        return test_inline.races(document), test_inline.pairs_of(document), done.stdout, doubts

    def build(self, names, level, in_line):
        exe = self.path("in-line" if in_line else "calls")
        self.compile_openmp([*names, "-o", exe], level, {} if in_line else {"HEDDLE_INLINE": "no"})
        return exe

    def compile_openmp(self, arguments, level, extra):
        done = harness.subprocess.run([harness.heddle_command, "cc", "-fopenmp", "-g", level, "-w",
                                       *arguments], env=harness.environment(extra), check=False,
                                      capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def check_program(self, index):
        rng = random.Random(SEED + index)
        locked, level = index % 4 == 0, rng.choice(test_inline.LEVELS)
        writer = test_inline.Writer(rng, locked)
        names = [self.path(f"{what}.c") for what in ("main", "t0", "t1", "t2")]
        for name, text in zip(names, (root(rng), *(writer.source(i) for i in range(3)))):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        builds = [self.build(names, level, in_line) for in_line in (False, True)]
        found = 0
        for options in (("--threads", "2", "--seed", "1"), ("--threads", "1", "--seed", "2", *BY_TASKS)):
            (calls, all_calls, printed, doubts), (in_line, all_in_line, out, _) = (self.judge(b, *options) for b in builds)
            with self.subTest(seed=SEED + index, level=level, options=options):
                if doubts:  # to a call each value may matter; the plugin tells those apart that do not
                    in_line = {a for a in in_line if any(test_inline.agree({a}, {b}) for b in calls)}
                self.assertTrue(test_inline.agree(in_line, calls, all_in_line, all_calls), (in_line, calls))
                self.assertEqual(out, printed)
                self.assertFalse(locked and any(kind == "race" for kind, *_ in in_line), in_line)
            found += len(in_line)
        return found

    def test_each_iteration_is_told_of(self):
        for kind in ("char", "short", "int", "double"):
            for count in ("1", "40"):
                for which, racy in (("0", True), ("i", False)):
                    text = SAME.replace("TYPE", kind).replace("COUNT", count).replace("WHICH", which)
                    with open(self.path("same.c"), "w", encoding="utf-8") as file:
                        file.write(text)
                    for level in ("-O0", "-O2"):
                        exe = self.build([self.path("same.c")], level, True)
                        found, *_ = self.judge(exe, "--threads", "1", *BY_TASKS)
                        with self.subTest(kind=kind, count=count, level=level, racy=racy):
                            self.assertEqual(any(k == "race" for k, *_ in found), racy, found)

    def test_a_lock_ends_what_is_known_of_a_step(self):
        for after, racy in (("1", True), ("0", False)):
            with open(self.path("flag.c"), "w", encoding="utf-8") as file:
                file.write(FLAG.replace("AFTER", after))
            for level in ("-O0", "-O2"):
                exe = self.build([self.path("flag.c")], level, True)
                found, *_ = self.judge(exe, "--policy", "rr", "--rr-quantum", "100000", "--threads", "2", *BY_TASKS)
                with self.subTest(level=level, racy=racy):
                    self.assertEqual(any(k == "race" for k, *_ in found), racy, found)

    def test_random_programs(self):
        print(f"HEDDLE_TEST_SEED={SEED}")
        found = sum(self.check_program(index) for index in range(PROGRAMS))
        self.assertGreater(found, 0)


if __name__ == "__main__":
    harness.main()
