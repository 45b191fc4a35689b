#!/usr/bin/env python3
"""Loops that wait, by a memory model: dpor leaves out rounds in vain, naive does not, and both reach the same ends. Random
programs; HEDDLE_TEST_SEED says which, and with HEDDLE_TEST_FULL there are many more. And how many executions differ, where
that can be told by hand."""

import math
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = os.environ.get("HEDDLE_TEST_FULL")
PROGRAMS = 150 if FULL else 5
SEED = int(os.environ.get("HEDDLE_TEST_SEED", "1"))
LOADS, STORES, BOTH = ("relaxed", "relaxed", "acquire", "seq_cst"), ("relaxed", "relaxed", "release"), ("relaxed", "acq_rel")

# Programs of weak_waiting.c. Who waits for flags reads what ends the wait, and nothing else makes a difference. Locks: all
# orders. A ring with two places, one message: no choice. Two: the consumer's first look sees 1 or 2; if 1, the producer's
# second look sees 0 or 1, else 0. Three: the same three ways for the first two messages; then the consumer sees 2 and the
# producer 1 or 2, or the consumer 3 and the producer 1, as it cannot see what comes of 3.
COUNTS = [
    ("flag", 1, 1), ("flag", 2, 1), ("flag-relaxed", 2, 1), ("both", 1, 1), ("both", 2, 1),
    *((name, n, math.factorial(n)) for name in ("ticket", "compare-and-swap") for n in (2, 3)),
    ("compare-and-swap-weak", 2, 2), ("ring", 1, 1), ("ring", 2, 3), ("ring", 3, 3 * 3),
]

START = """#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int x, y, z;
static int seen[3][3];
#define LOAD(at, order) atomic_load_explicit(&at, memory_order_##order)
#define STORE(at, value, order) atomic_store_explicit(&at, value, memory_order_##order)
#define ADD(at, order) atomic_fetch_add_explicit(&at, 1, memory_order_##order)
#define SWAP(at, was, is) atomic_compare_exchange_strong_explicit(&at, &was, is, memory_order_relaxed, memory_order_relaxed)
"""
END = """for (int i = 0; i < 9; i++)
	printf("%d", seen[i / 3][i % 3]);
printf(" %d%d%d\\n", x, y, z);
return 0;
}
"""


def wait(rng, at):
    first = f"LOAD({at}, {rng.choice(LOADS)})"
    return rng.choice((f"while ({first} == 0) ;", f"while ({first} != {rng.randint(1, 2)}) ;",
                       f"while ({first} == 0 && LOAD({rng.choice('xyz')}, relaxed) == 0) ;",
                       f"while ((got = {first}) == 0) ;"))


def operation(rng, slot):
    at, value = rng.choice("xxyyz"), rng.randint(1, 2)
    kind = rng.choice("WWWRRLLLAC")
    if kind == "W":
        return f"STORE({at}, {value}, {rng.choice(STORES)});"
    if kind == "R":
        return f"{slot} = LOAD({at}, {rng.choice(LOADS)});"
    if kind == "A":
        return f"{slot} = ADD({at}, {rng.choice(BOTH)});"
    if kind == "C":
        return f"got = 0; while (!SWAP({at}, got, {value}) && got == {rng.choice((0, 2))}) ; {slot} = got;"
    return f"{wait(rng, at)} {slot} = got;"


def source(rng):
    threads, left, text = rng.randint(2, 3), rng.randint(4, 6), START
    for t in range(threads):
        many = max(1, min(left, rng.randint(1, 3)))
        left -= many
        body = " ".join(operation(rng, f"seen[{t}][{i}]") for i in range(many))
        text += f"static void *work{t}(void *arg) {{ int got = 0; (void)got; {body} return arg; }}\n"
    text += "int main(void) { pthread_t threads[3];\n"
    text += "".join(f"pthread_create(&threads[{t}], NULL, work{t}, NULL);\n" for t in range(threads))
    text += "".join(f"pthread_join(threads[{t}], NULL);\n" for t in range(threads))
    return text + END


class WeakLoops(harness.SystemTest):
    def ends(self, program, model, strategy):
        """What the program came to in the end, and what was wrong; None: not everything was tried."""
        document, done = self.run_json("explore", "-k", "--outcomes", "--model", model, "--strategy", strategy,
                                       "--executions", "30000", "--output", self.path("out"), "--", program)
        if "complete:" not in done.stdout + done.stderr:
            return None
        return ({(one["code"], one["stdout"]) for one in document["outcomes"]},
                {found["kind"] for found in document["findings"]})

    def test_counts(self):
        program = self.build(os.path.join(HERE, "weak_waiting.c"), "weak_waiting", "-O1")
        for i, (name, size, count) in enumerate(COUNTS):
            for model in ("c11", "tso") if FULL else (("c11", "tso")[i % 2],):
                with self.subTest(name, size=size, model=model):
                    done = self.heddle("explore", "--strategy", "dpor", "--model", model, "--output", self.path("out"),
                                       "--", program, name, str(size))
                    said = done.stdout + done.stderr
                    self.assertIn("complete:", said)
                    self.assertIn("no findings", said)
                    self.assertEqual(int(re.search(r"(\d+) distinct executions ended", said).group(1)), count)

    def test_waits_for_ever(self):
        program = self.build(os.path.join(HERE, "weak_waiting.c"), "weak_waiting", "-O1")
        for model in ("c11", "tso"):
            done = self.heddle("explore", "--strategy", "dpor", "--model", model, "--output", self.path("out"), "--",
                               program, "never-both", "2")
            self.assertIn("found: livelock by dpor", done.stdout + done.stderr)

    def test_random_programs(self):
        compared = 0
        for seed in range(SEED, SEED + PROGRAMS):
            rng = random.Random(seed)
            text, level, model = source(rng), rng.choice(("-O0", "-O1")), rng.choice(("c11", "c11", "tso"))
            with self.subTest(seed, level=level, model=model, text=text):
                with open(self.path("loops.c"), "w", encoding="utf-8") as file:
                    file.write(text)
                program = self.build(self.path("loops.c"), "loops", level, "-w")
                every = self.ends(program, model, "naive")
                if every:
                    self.assertEqual(self.ends(program, model, "dpor"), every)
                    compared += 1
        self.assertGreater(compared, PROGRAMS // 2)


if __name__ == "__main__":
    harness.main()
