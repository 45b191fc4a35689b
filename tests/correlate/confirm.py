#!/usr/bin/env python3
"""heddle correlate --confirm: what is found is run in the order that tears it.

    confirm.py BUILDDIR

Programs are built with `heddle cc`. Each has the verdict that its findings must get, by their variables;
with #define GOOD there is none. A schedule that is said to show something must do so when it is replayed.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
HEDDLE = os.path.join(BUILD, "heddle")

# A part of an account is moved in two sections: whoever adds up in between misses some of it.
ASSERTS = """
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int cash = 100, savings;
static void *mover(void *arg)
{
	pthread_mutex_lock(&m);
	cash -= 30;
#ifndef GOOD
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
	savings += 30;
	pthread_mutex_unlock(&m);
	return arg;
}
static void *auditor(void *arg)
{
	pthread_mutex_lock(&m);
	assert(cash + savings == 100);
	pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, mover, 0);
	pthread_create(&b, 0, auditor, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
"""

# Which of two the second thread writes is the first one's after that one has ended: computed, not decided.
FLAG = """
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct { int width, area; } shape[2] = { { 2, 4 }, { 2, 4 } };
static volatile int over;
static void *first(void *arg)
{
	int w;
	pthread_mutex_lock(&m);
	w = shape[1].width;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	shape[1].area = w * w;
	pthread_mutex_unlock(&m);
	over = 1;
	return arg;
}
static void *second(void *arg)
{
	int which = over;
	pthread_mutex_lock(&m);
	shape[which].width = 3;
	shape[which].area = 9;
	pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, first, 0);
	pthread_create(&b, 0, second, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
"""


class Confirm(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.work)

    def build(self, source, *flags, cc=(HEDDLE, "cc")):
        program = os.path.join(self.work, "program")
        path = source
        if "\n" in source:
            path = program + ".c"
            with open(path, "w", encoding="utf-8") as file:
                file.write(source)
        subprocess.run([*cc, "-g", "-O1", "-w", path, "-o", program, "-pthread", *flags],
                       check=True, cwd=self.work)
        return program

    def correlate(self, *words, status):
        ran = subprocess.run([HEDDLE, "correlate", "--all", "--json", "out.json", *words],
                             cwd=self.work, capture_output=True, text=True, errors="replace",
                             check=False, timeout=120)
        self.assertEqual(ran.returncode, status, ran.stderr)
        with open(os.path.join(self.work, "out.json"), encoding="utf-8") as file:
            return json.load(file)

    @staticmethod
    def verdicts(document):
        return {" ".join(sorted(f.get("variables") or [f["variable"]])): f["verdict"]
                for f in document["findings"] + document["candidates"]}

    def replay(self, finding):
        return subprocess.run([HEDDLE, "replay", "-q", "--json", "again.json",
                               finding["schedule"]], cwd=self.work, capture_output=True,
                              check=False, timeout=60).returncode

    def test_confirmed(self):
        program = self.build(ASSERTS)
        document = self.correlate("--confirm", "--", program, status=1)
        self.assertEqual(self.verdicts(document), {"cash savings": "confirmed"})
        finding = document["findings"][0]
        self.assertIn("assertion", finding["outcome"])
        self.assertEqual(self.replay(finding), 1)

    def test_good(self):
        program = self.build(ASSERTS, "-DGOOD")
        self.assertEqual(self.verdicts(self.correlate("--confirm", "--", program, status=0)), {})

    def test_realised(self):
        program = self.build(os.path.join(HERE, "torn", "update_reader.c"))
        document = self.correlate("--confirm", "--", program, status=1)
        self.assertEqual(self.verdicts(document), {"x y": "realised"})
        self.assertEqual(self.replay(document["findings"][0]), 0)

    def test_race(self):
        program = self.build(os.path.join(HERE, "micro", "unlocked_pair.c"))
        document = self.correlate("--confirm", "--", program, status=1)
        self.assertEqual(self.verdicts(document), {"high low": "confirmed"})

    def test_infeasible(self):
        program = self.build(FLAG)
        document = self.correlate("--confirm", "--", program, status=1)
        self.assertEqual(self.verdicts(document),
                         {"shape[]": "infeasible", "over": "confirmed"})
        self.assertEqual([f["variable"] for f in document["findings"]], ["over"])

    def test_the_order_is_shown(self):
        program = self.build(ASSERTS, cc=("gcc",))
        steps = self.correlate("--", program, status=1)["findings"][0]["interleaving"]
        shown = [(s["thread"], s["step"].rsplit(" ", 1)[0] if s["access"] else s["step"])
                 for s in steps]
        first, second = shown[0][0], shown[3][0]
        self.assertEqual(shown, [
            (first, "acquire m"), (first, "write cash"), (first, "release m"),
            (second, "acquire m"), (second, "read cash"), (second, "read savings"),
            (second, "release m"), (first, "acquire m"), (first, "write savings"),
            (first, "release m")])

    def test_build(self):
        self.build(ASSERTS, cc=("gcc",))
        document = self.correlate("--build", "$CC -g -O1 program.c -o program -pthread", "--",
                                  "./program", status=1)
        self.assertEqual(self.verdicts(document), {"cash savings": "confirmed"})

    def test_refused(self):
        program = self.build(ASSERTS, cc=("gcc",))
        for words, why in [(["--confirm"], "heddle cc"), (["--build", "false"], "--build failed")]:
            ran = subprocess.run([HEDDLE, "correlate", *words, "--", program], cwd=self.work,
                                 capture_output=True, text=True, check=False)
            self.assertEqual(ran.returncode, 2)
            self.assertIn(why, ran.stderr)


if __name__ == "__main__":
    if not os.path.exists(os.path.join(BUILD, "src/correlate/heddle-amd64-linux")):
        print("heddle was built without valgrind: --confirm is not tested")
        sys.exit(77)
    unittest.main()
