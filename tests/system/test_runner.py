#!/usr/bin/env python3
"""The runner of the test programs: a wrong expectation must make it fail."""

import os
import subprocess
import sys

import harness

RUNNER = os.path.join(os.path.dirname(harness.HERE), "run_programs.py")

CLEAN = "int main(void) { return 0; }\n"
STATUS = "int main(void) { return 3; }\n"
MISUSE = """#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void helper(void) { }
int main(void)
{
	helper();
	pthread_mutex_unlock(&m); /* HERE */
	return 0; /* THERE */
}
"""


class Runner(harness.SystemTest):
    def verdict(self, header, body):
        """Whether a program passes, and what is said about it."""
        source = self.path("sample.c")
        lines = "".join(f" * {line}\n" for line in header)
        with open(source, "w", encoding="utf-8") as file:
            file.write(f"/*\n * Prose.\n *\n{lines} */\n{body}")
        done = subprocess.run([sys.executable, RUNNER, os.path.dirname(harness.heddle_command),
                               source], env=harness.environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=harness.LIMIT,
                              check=False)
        last = done.stdout.splitlines()[-1]
        self.assertIn((done.returncode, last), ((0, "1 passed, 0 failed"),
                                                (1, "0 passed, 1 failed")), done.stdout)
        return done.returncode == 0, done.stdout

    def passes(self, *header, body):
        good, output = self.verdict(header, body)
        self.assertTrue(good, output)

    def fails(self, *header, body, because):
        good, output = self.verdict(header, body)
        self.assertFalse(good, output)
        self.assertIn(because, output)

    def test_right_ones_pass(self):
        self.passes("RUN: run --seed 1..3", "EXPECT: clean", body=CLEAN)
        self.passes("RUN: run", "EXPECT: clean", "EXIT: 3", body=STATUS)
        self.passes("RUN: run", "EXPECT: misuse not locked @main:HERE", "NEVER: deadlock",
                    body=MISUSE)
        self.passes("RUN: run", "EXPECT: misuse within 2 seeds", body=MISUSE)

    def test_findings(self):
        self.fails("RUN: run", "EXPECT: clean", body=MISUSE, because="not expected: misuse")
        self.fails("RUN: run", "EXPECT: misuse", body=CLEAN, because="not found: misuse")
        self.fails("RUN: run", "EXPECT: misuse within 3 seeds", body=CLEAN,
                   because="in none of 3 seeds")
        self.fails("RUN: run", "EXPECT: crash", body=MISUSE, because="not expected: misuse")
        self.fails("RUN: run", "EXPECT: misuse", "NEVER: misuse", body=MISUSE,
                   because="must never be")
        self.fails("RUN: run", "EXPECT: misuse of a barrier", body=MISUSE,
                   because="not expected: misuse")

    def test_places(self):
        self.fails("RUN: run", "EXPECT: misuse @helper", body=MISUSE, because="not expected")
        self.fails("RUN: run", "EXPECT: misuse @main:THERE", body=MISUSE, because="not expected")
        self.fails("RUN: run", "EXPECT: misuse @main:NOWHERE", body=MISUSE, because="no line has")

    def test_ends(self):
        self.fails("RUN: run", "EXPECT: clean", body=STATUS, because="the program ends with status 3")
        self.fails("RUN: run", "EXPECT: clean", "EXIT: SIGABRT", body=CLEAN,
                   because="ended with 0, not SIGABRT")
        self.fails("RUN: run", "EXPECT: clean", "OUTPUT: words", body=CLEAN,
                   because="did not print 'words'")

    def test_headers(self):
        self.fails(body=CLEAN, because="says nothing")
        self.fails("RUN: run", body=CLEAN, because="each RUN needs")
        self.fails("RUN: run", "EXPECT: clean", "RUN: run", body=CLEAN, because="each RUN needs")
        self.fails("RUN: run", "EXPECT: trouble", body=CLEAN, because="unknown kind")
        self.fails("RUN: walk", "EXPECT: clean", body=CLEAN, because="only `run` is known")

    def test_compiler(self):
        self.fails("RUN: run", "EXPECT: clean", body="int main(void) { return x; }\n",
                   because="undeclared")
        self.fails("RUN: run", "EXPECT: clean", body="static int f(void);\n" + CLEAN,
                   because="Werror")

    def test_no_program(self):
        done = subprocess.run([sys.executable, RUNNER, os.path.dirname(harness.heddle_command),
                               self.path("nothing")], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("there is no", done.stderr)


harness.main()
