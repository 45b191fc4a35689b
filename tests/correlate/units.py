#!/usr/bin/env python3
"""Units over critical sections, as the Valgrind tool infers them, against a small interpreter.

    units.py [--seed N] BUILDDIR

Random little functions read shared variables under a lock, compute with what is their own (static, heap,
thread-local and stack) without it, decide, and write shared variables under the lock again. The program asks the
tool for every pair of variables whether their values have a source in common. The interpreter below knows by
construction: a read of a shared variable in a critical section that has not used it before begins a unit, and everything
else flows on, by data and by control. gcc and clang, -O0 and -O2; with -O2 one function in 50 may depend on more. Prints the seed and the function that differs.
"""
import argparse
import os
import random
import shutil
import sys

import functions as functions_of

SHARED, OWN = 4, 6
ROOM = 8  # sources of one label

HEAD = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "cr_requests.h"
static void *nothing(void *arg) { return arg; }
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK pthread_mutex_lock(&lock)
#define UNLOCK pthread_mutex_unlock(&lock)
/* A line of memory each, so that none shares its source with its neighbour. */
typedef struct { volatile int v; char pad[60]; } __attribute__((aligned(64))) var;
static __thread var local[2];
static int same(volatile void *a, volatile void *b)
{
	return (int)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, CR_REQ_SAME_LABEL, a, b, 0, 0, 0);
}
"""

# Where each variable is: static, the heap, thread-local, the stack.
PLACES = [f"s[{i}].v" for i in range(SHARED)] + [
    "own.v", "heap[0].v", "heap[1].v", "local[0].v", "local[1].v", "stack.v"]


STACK = len(PLACES) - 1


class Interpreter:
    def __init__(self, values):
        self.value = list(values)
        self.label = [None] * len(values)  # None: nothing known; a read gives it a source
        self.used = set()                  # by the present critical section
        self.sources = 0
        self.fits = True

    def enter(self):
        self.used = set()

    def read(self, i):
        if i == STACK and self.label[i] is None:  # a constant of the function's own is no source
            return frozenset()
        if self.label[i] is None or (i < SHARED and i not in self.used):
            self.label[i] = frozenset([self.sources])
            self.sources += 1
        self.used.add(i)
        return self.label[i]

    def write(self, i, value, label):
        self.value[i] = value & 0xffff
        self.label[i] = label or None
        self.used.add(i)
        self.fits &= len(label) <= ROOM

    def common(self, i, k):
        return bool((self.label[i] or frozenset()) & (self.label[k] or frozenset()))


def sum_of(state, i, j, k, control=frozenset()):
    label = state.read(j) | state.read(k) | control
    state.write(i, state.value[j] + state.value[k], label)
    return f"{PLACES[i]} = ({PLACES[j]} + {PLACES[k]}) & 0xffff;"


def copy(state, i, j, control=frozenset()):
    state.write(i, state.value[j], state.read(j) | control)
    return f"{PLACES[i]} = {PLACES[j]};"


def out_of_section(state, own, shared, control=frozenset()):
    """Read under the lock, kept without it: what is the thread's own is never touched under the lock."""
    state.enter()
    label = state.read(shared) | control
    state.write(own, state.value[shared], label)
    return f"{{ int x; LOCK; x = {PLACES[shared]}; UNLOCK; {PLACES[own]} = x; }}"


def into_section(state, shared, own, control=frozenset()):
    label = state.read(own) | control
    state.enter()
    state.write(shared, state.value[own], label)
    return f"{{ int x = {PLACES[own]}; LOCK; {PLACES[shared]} = x; UNLOCK; }}"


def inside(state, rng, control=frozenset()):
    state.enter()
    i, j, k = (rng.randrange(SHARED) for _ in range(3))
    return "LOCK; " + sum_of(state, i, j, k, control) + " UNLOCK;"


def plain(rng, state, control=frozenset()):
    own = [SHARED + rng.randrange(OWN) for _ in range(3)]
    shared = rng.randrange(SHARED)
    kind = rng.randrange(5)
    if kind == 0:
        return sum_of(state, *own, control)
    if kind == 1:
        return copy(state, own[0], own[1], control)
    if kind == 2:
        return inside(state, rng, control)
    if kind == 3:
        return out_of_section(state, own[0], shared, control)
    return into_section(state, shared, own[0], control)


class Untaken(Interpreter):
    """Statements that do not run are made all the same."""

    def __init__(self, of):
        super().__init__(of.value)
        self.label = list(of.label)


def statement(rng, state):
    if rng.random() < 0.7:
        return plain(rng, state)
    by, wanted = SHARED + rng.randrange(OWN), rng.randrange(2)
    taken, label = state.value[by] & 1 == wanted, state.read(by)
    text = plain(rng, state if taken else Untaken(state), label)
    return f"if (({PLACES[by]} & 1) == {wanted}) {{ {text} }}"


def make(rng, number):
    while True:
        values = [rng.randrange(1, 1000) for _ in PLACES]
        state = Interpreter(values)
        lines = [statement(rng, state) for _ in range(rng.randrange(4, 12))]
        if state.fits:
            break
    init = "\n\t".join(f"{place} = {value};" for place, value in zip(PLACES, values))
    addresses = ", ".join("&" + place for place in PLACES)
    body = "\n\t".join(lines)
    text = (f"__attribute__((noinline)) static void f{number}(void)\n{{\n"
            f"\tstatic var s[{SHARED}], own;\n\tvar stack, *heap = aligned_alloc(64, 2 * sizeof(var));\n"
            f"\t{init}\n\t{body}\n"
            f"\t{{\n\t\tvolatile void *const at[] = {{ {addresses} }};\n"
            f"\t\tfor (int i = 0; i < {len(PLACES)}; i++)\n\t\t\tfor (int k = 0; k < i; k++)\n"
            f"\t\t\t\tputchar('0' + same(at[i], at[k]));\n\t}}\n\tputchar('\\n');\n\tfree(heap);\n}}\n")
    wanted = "".join(str(int(state.common(i, k))) for i in range(len(PLACES)) for k in range(i))
    return text, wanted


def agrees(got, wanted, level):
    """With -O2 what follows an if may have been copied into both of its ways, and then depends on it."""
    if level == "-O0" or len(got) != len(wanted):
        return got == wanted
    return all(g == "1" or w == "0" for g, w in zip(got, wanted))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("build")
    args = parser.parse_args()
    folder = functions_of.tool_folder(args.build)
    if not folder:
        print("heddle was built without valgrind: units are not tested")
        return 77
    count = 1500 if os.environ.get("HEDDLE_TEST_FULL") == "1" else 100
    rng = random.Random(args.seed)
    functions = [make(rng, i) for i in range(count)]
    compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
    wrong = more = 0
    for compiler in compilers:
        for level in ["-O0", "-O2"]:
            out = functions_of.run(HEAD, [text for text, _ in functions], compiler, level, folder)
            for number, (text, wanted) in enumerate(functions):
                got = out[number] if number < len(out) else "nothing"
                bad = not agrees(got, wanted, level)
                wrong += bad
                more += not bad and got != wanted
                if bad and wrong <= 3:
                    print(f"seed {args.seed}, {compiler} {level}: function {number} gives {got}, not {wanted}\n{text}")
    total = 2 * len(compilers) * count
    print(f"{total} functions, {wrong} wrong, {more} with more at -O2 (seed {args.seed})")
    return 1 if wrong or more > total // 50 else 0


if __name__ == "__main__":
    sys.exit(main())
