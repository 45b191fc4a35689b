#!/usr/bin/env python3
"""Labels of the Valgrind tool against a small interpreter.

    labels.py [--seed N] BUILDDIR

Random little functions on six variables are compiled into one program, which asks the tool for every
pair of variables whether their values have a source in common. The interpreter below runs the same
statements on values and on sets of sources. Arithmetic of all kinds, copies by the library and
by vectors, calls, decisions. Prints the seed and the function that differs.
"""
import argparse
import os
import random
import sys

import functions as functions_of

VARS = 6

HEAD = """
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "cr_requests.h"
static void *nothing(void *arg) { return arg; }
/* A line of memory each, so that none shares its source with its neighbour. */
typedef struct { int v; char pad[60]; } __attribute__((aligned(64))) var;
static int same(volatile void *a, volatile void *b)
{
	return (int)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, CR_REQ_SAME_LABEL, a, b, 0, 0, 0);
}
__attribute__((noinline)) static int pass(int n) { return n; }
__attribute__((noinline)) static void by_pointer(volatile int *to, volatile int *from) { *to = *from; }
/*
 * Four words of two origins are copied, all or two at once, from and to some alignment: what is
 * copied comes from both. Without loops and parameters, which would be sources, too: a label has room
 * for eight.
 */
#define CLEAR(x) x[0] = x[1] = x[2] = x[3] = x[4] = x[5] = x[6] = x[7] = x[8] = 0
#define PUT(at, n) *(volatile int *)((char *)from + at) = n
#define COPY(name, at, second, instructions, reg) \
	__attribute__((noinline)) static int name(int a, int b) \
	{ \
		_Alignas(64) static volatile int from[9], to[9]; \
		CLEAR(from); \
		CLEAR(to); \
		PUT(at, a); \
		PUT(at + 4, second); \
		PUT(at + 8, b); \
		PUT(at + 12, b); \
		__asm__ volatile(instructions :: "r"((char *)from + at), "r"((char *)to + at) \
				 : reg, "memory"); \
		return *(volatile int *)((char *)to + at); \
	}
#define VECTOR a, "movdqu (%0), %%xmm0; movdqu %%xmm0, (%1)", "xmm0"
#define DOUBLE b, "movq (%0), %%rax; movq %%rax, (%1)", "rax"
#define COPY_(name, at, how) COPY(name, at, how)
COPY_(vector_0, 0, VECTOR)
COPY_(vector_8, 8, VECTOR)
COPY_(vector_3, 3, VECTOR)
COPY_(double_5, 5, DOUBLE)
COPY_(double_16, 16, DOUBLE)
"""

# The text, and what it computes from the values of two variables.
OPERATIONS = [
    ("v[{i}].v = v[{j}].v + v[{k}].v;", lambda a, b: a + b, "jk"),
    ("v[{i}].v = v[{j}].v ^ (v[{k}].v << 1);", lambda a, b: a ^ (b << 1), "jk"),
    ("v[{i}].v = (v[{j}].v & 1023) * (v[{k}].v & 1023);",
     lambda a, b: (a & 1023) * (b & 1023), "jk"),
    ("v[{i}].v = (int)((double)(v[{j}].v & 4095) + (v[{k}].v & 4095));",
     lambda a, b: (a & 4095) + (b & 4095), "jk"),
    ("v[{i}].v = (int)((float)(v[{j}].v & 255) * (v[{k}].v & 255));",
     lambda a, b: (a & 255) * (b & 255), "jk"),
    ("v[{i}].v = (int)((long double)(v[{j}].v & 255) + 1);", lambda a, b: (a & 255) + 1, "j"),
    ("v[{i}].v = (int)((long double)(v[{j}].v & 255) + (v[{k}].v & 255));",
     lambda a, b: (a & 255) + (b & 255), "jk"),
    ("v[{i}].v = pass(v[{j}].v);", lambda a, b: a, "j"),
    ("by_pointer(&v[{i}].v, &v[{j}].v);", lambda a, b: a, "j"),
    ("memcpy((void *)&v[{i}].v, (void *)&v[{j}].v, 4);", lambda a, b: a, "j"),
    ("{{ long l = v[{j}].v; v[{i}].v = (int)(l * 3); }}", lambda a, b: a * 3, "j"),
    ("v[{i}].v = (unsigned char)v[{j}].v;", lambda a, b: a & 255, "j"),
    ("v[{i}].v = v[{j}].v / ((v[{k}].v & 7) + 1);", None, "jk"),
    ("v[{i}].v = vector_0(v[{j}].v, v[{k}].v);", lambda a, b: a, "jk"),
    ("v[{i}].v = vector_8(v[{j}].v, v[{k}].v);", lambda a, b: a, "jk"),
    ("v[{i}].v = vector_3(v[{j}].v, v[{k}].v);", lambda a, b: a, "jk"),
    ("v[{i}].v = double_5(v[{j}].v, v[{k}].v);", lambda a, b: a, "jk"),
    ("v[{i}].v = double_16(v[{j}].v, v[{k}].v);", lambda a, b: a, "jk"),
]


def wrap(n):
    n &= 0xffffffff
    return n - (1 << 32) if n >> 31 else n


def divide(a, b):
    quotient = abs(a) // ((b & 7) + 1)
    return quotient if a >= 0 else -quotient


class Interpreter:
    def __init__(self, values):
        self.value = list(values)
        self.label = [None] * VARS  # None: nothing known; a read gives it a source
        self.sources = 0

    def read(self, i):
        if self.label[i] is None:
            self.label[i] = frozenset([self.sources])
            self.sources += 1
        return self.label[i]

    def write(self, i, value, label):
        self.value[i] = wrap(value)
        self.label[i] = label or None

    def common(self, i, k):
        return bool((self.label[i] or frozenset()) & (self.label[k] or frozenset()))


def decision(rng, state, i, j, k):
    """An if, an if with an else, or a loop; what is written under it depends on it."""
    wanted, other = rng.randrange(4), rng.randrange(VARS)
    # Both sides of an else write different variables: otherwise one side may be to do nothing.
    kind = rng.choice(["if", "else" if i != other else "if", "nested", "loop"])
    taken, label = state.value[j] & 3 == wanted, state.read(j)
    test = f"(v[{j}].v & 3) == {wanted}"
    if kind == "if":
        if taken:
            state.write(i, state.value[k], state.read(k) | label)
        return f"if ({test}) v[{i}].v = v[{k}].v;"
    if kind == "else":
        if taken:
            state.write(i, state.value[k], state.read(k) | label)
        else:
            state.write(other, state.value[k] + 1, state.read(k) | label)
        return f"if ({test}) v[{i}].v = v[{k}].v; else v[{other}].v = v[{k}].v + 1;"
    if kind == "nested":
        if taken:
            inner = state.read(other)
            if state.value[other] & 1:
                state.write(i, state.value[k], state.read(k) | label | inner)
            else:
                state.write(i, 7, label | inner)
        return (f"if ({test}) {{ if (v[{other}].v & 1) v[{i}].v = v[{k}].v; "
                f"else v[{i}].v = 7; }}")
    # As often as the variable says: the second round depends on its decision alone.
    rounds = state.value[j] & 3
    if rounds:
        state.write(i, state.value[k], state.read(k) | label)
    return f"for (int n = v[{j}].v & 3; n > 0; n--) v[{i}].v = v[{k}].v;"


def statement(rng, state):
    """One random statement as C; @state executes it."""
    i, j, k = (rng.randrange(VARS) for _ in range(3))
    if rng.random() < 0.3:
        return decision(rng, state, i, j, k)
    text, compute, uses = rng.choice(OPERATIONS)
    label = state.read(j) | (state.read(k) if "k" in uses else frozenset())
    compute = compute or divide
    state.write(i, compute(state.value[j], state.value[k]), label)
    return text.format(i=i, j=j, k=k)


def make(rng, number):
    values = [rng.randrange(1, 1000) for _ in range(VARS)]
    state = Interpreter(values)
    lines = [statement(rng, state) for _ in range(rng.randrange(3, 14))]
    init = ", ".join("{ %d }" % v for v in values)
    body = "\n\t".join(lines)
    text = (f"static void f{number}(void)\n{{\n\tstatic volatile var v[] = {{ {init} }};\n\t{body}\n"
            f"\tfor (int i = 0; i < {VARS}; i++)\n\t\tfor (int k = 0; k < i; k++)\n"
            f"\t\t\tputchar('0' + same(&v[i].v, &v[k].v));\n\tputchar('\\n');\n}}\n")
    wanted = "".join(str(int(state.common(i, k))) for i in range(VARS) for k in range(i))
    return text, wanted


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("build")
    args = parser.parse_args()
    folder = functions_of.tool_folder(args.build)
    if not folder:
        print("heddle was built without valgrind: labels are not tested")
        return 77
    count = 2000 if os.environ.get("HEDDLE_TEST_FULL") == "1" else 200
    rng = random.Random(args.seed)
    functions = [make(rng, i) for i in range(count)]
    wrong = 0
    for level in ["-O0", "-O2"]:
        out = functions_of.run(HEAD, [text for text, _ in functions], "gcc", level, folder)
        for number, (text, wanted) in enumerate(functions):
            if number >= len(out) or out[number] != wanted:
                wrong += 1
                if wrong <= 3:
                    print(f"seed {args.seed}, {level}: function {number} gives "
                          f"{out[number] if number < len(out) else 'nothing'}, not {wanted}\n{text}")
    print(f"{2 * count} functions, {wrong} wrong (seed {args.seed})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
