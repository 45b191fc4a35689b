#!/usr/bin/env python3
"""Torn operations against an oracle that enumerates serial orders.

    serial.py [--seed N] [--rounds N] BUILDDIR

Random little histories of two threads, each history on variables of its own. Each thread does one unit: one to three
critical sections under the same lock, in which it reads and writes; what it writes is made of all that it has read so far, or is a
constant, and what it read is used in the end. The oracle interleaves the critical sections in all possible ways.

- If no order has conflicts from one unit to the other and back, then all are equivalent to a serial one, and there is nothing to
  report: that the tool does is an error, always.
- If an order is not equivalent to a serial one, by what is read and what is left, as terms, and is of a shape that
  docs/guide/correlate.md says is found, then it is to be reported: but for a few, which are counted. What is of other shapes is
  counted, too (parts of a unit without data in common, conflicts with several critical sections of the other).
- What is between the two (a cycle of conflicts, but what the other wrote is overwritten and nobody reads it) may be reported.

The threads take turns by pipes, which order nothing: one unit after the other, or one in the middle of the other.
"""
import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

VARIABLES = "xyz"
MISSED_MAX = 0.2 # of the shapes looked for

HEAD = """
#include <pthread.h>
#include <unistd.h>
static int turn[2][2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void await(int me) { char c; if (read(turn[me][0], &c, 1) != 1) _exit(9); }
static void pass(int to) { char c = 0; if (write(turn[to][1], &c, 1) != 1) _exit(9); }
"""


def unit(rng):
    """Critical sections, each a list of (op, variable, is it made of what was read)."""
    sections = []
    for _ in range(rng.choice([1, 1, 2, 2, 2, 3])):
        ops = []
        for _ in range(rng.choice([1, 1, 2, 3])):
            ops.append((rng.choice("rw"), rng.choice(VARIABLES), rng.random() < 0.8))
        sections.append(ops)
    return sections


def history(rng):
    units = [unit(rng), unit(rng)]
    turns = rng.choice(["ab", "ba", "aba", "bab"])
    if turns in ("aba", "bab") and len(units["ab".index(turns[0])]) < 2:
        turns = turns[:2]
    return units, turns


# ---- the oracle ---------------------------------------------------------------------------


def outcome(units, order):
    """What is read and what is left if the sections come in @order, a sequence of threads."""
    memory, seen, at, steps = {v: v for v in VARIABLES}, ([], []), [0, 0], [0, 0]
    for t in order:
        for op, variable, made in units[t][at[t]]:
            steps[t] += 1
            if op == "r":
                seen[t].append(memory[variable])
            else:
                memory[variable] = (t, steps[t], tuple(seen[t]) if made else ())
        at[t] += 1
    return memory, seen


def orders(units):
    a, b = len(units[0]), len(units[1])
    for places in itertools.combinations(range(a + b), a):
        yield [0 if i in places else 1 for i in range(a + b)]


def is_equivalent(units):
    """Is each order of the sections as good as a serial one, by what is read and left?"""
    a, b = len(units[0]), len(units[1])
    serial = [outcome(units, [0] * a + [1] * b), outcome(units, [1] * b + [0] * a)]
    return all(outcome(units, order) in serial for order in orders(units))


def conflict(ops, others):
    return any(v == w and "w" in (o, p) for o, v, _ in ops for p, w, _ in others)


def has_cycle(units):
    """Is there an order with conflicts from the first unit to the second and back?"""
    for order in orders(units):
        at, done, edges = [0, 0], ([], []), set()
        for t in order:
            if any(conflict(ops, units[t][at[t]]) for ops in done[1 - t]):
                edges.add(t)
            done[t].append(units[t][at[t]])
            at[t] += 1
        if len(edges) == 2:
            return True
    return False


def is_fresh(sections, first, last, at, variable):
    """Is @variable not touched between the end of section @first and access @at of section @last?"""
    return not any(v == variable for ops in sections[first + 1:last] + [sections[last][:at]] for _, v, _ in ops)


def tears(section, first, first_op, last, last_op):
    """Does the other's critical section conflict with both?"""
    def conflicts(variable, op):
        return any(v == variable and "w" in (o, op) for o, v, _ in section)
    return conflicts(first, first_op) and conflicts(last, last_op)


def is_told(units):
    """The shapes that the guide says are reported: what is read in a critical section is written back, or to another variable, in a
    later one; or two variables are read in two. One critical section of the other conflicts with both."""
    for t in range(2):
        for i, k in itertools.combinations(range(len(units[t])), 2):
            for op, x, _ in units[t][i]:
                if op != "r" or any(o == "w" and v == x for o, v, _ in units[t][i]):
                    continue
                for at, (last, y, made) in enumerate(units[t][k]):
                    tied = made if last == "w" else x != y
                    if tied and is_fresh(units[t], i, k, at, x) and is_fresh(units[t], i, k, at, y) and any(
                            tears(ops, x, "r", y, last) for ops in units[1 - t]):
                        return True
    return False


# ---- the program --------------------------------------------------------------------------


def body(number, t, sections):
    """The statements of each critical section."""
    texts, read = [], []
    for ops in sections:
        lines = ["pthread_mutex_lock(&m);"]
        for op, v, made in ops:
            if op == "r":
                read.append(f"r{len(read)}")
                lines.append(f"{read[-1]} = {v}_{number};")
            else:
                value = " + ".join(read) if made and read else ""
                lines.append(f"{v}_{number} = {value + ' + ' if value else ''}{t + 2};")
        texts.append("\n\t".join(lines + ["pthread_mutex_unlock(&m);"]))
    return texts, read


def play(number, units, turns):
    text = [f"static volatile int {', '.join(f'{v}_{number}' for v in (*VARIABLES, 's0', 's1'))};"]
    for t in range(2):
        sections, read = body(number, t, units[t])
        stops = [i for i, who in enumerate(turns) if who == "ab"[t]]
        parts = [sections] if len(stops) == 1 else [sections[:1], sections[1:]]
        lines = [f"int {', '.join(read)};"] if read else []
        for i, part in zip(stops, parts):
            following = "ab".index(turns[i + 1]) if i + 1 < len(turns) else 0
            last = i == stops[-1] and read
            lines += [f"await({t});", *part, *([f"s{t}_{number} = {' + '.join(read)};"] if last else []),
                      f"pass({following});"]
        text.append(f"static void f_{number}_{t}(void)\n{{\n\t" + "\n\t".join(lines) + "\n}")
    return "\n".join(text)


def program(histories):
    text = [HEAD] + [play(i, *h) for i, h in enumerate(histories)]
    for t in range(2):
        calls = "".join((f"\tawait(0); pass({'ab'.index(turns[0])});\n" if t == 0 else "") + f"\tf_{i}_{t}();\n"
                        for i, (_, turns) in enumerate(histories))
        text.append(f"static void *run_{t}(void *p)\n{{\n{calls}\treturn p;\n}}")
    text.append("int main(void)\n{\n\tpthread_t t[2];\n\tfor (int i = 0; i < 2; i++) if (pipe(turn[i])) return 9;\n"
                "\tfor (int i = 0; i < 2; i++) pthread_create(&t[i], 0, i ? run_1 : run_0, 0);\n\tpass(0);\n"
                "\tfor (int i = 0; i < 2; i++) pthread_join(t[i], 0);\n\treturn 0;\n}\n")
    return "\n".join(text)


def reported(build, histories, level):
    with tempfile.TemporaryDirectory() as work:
        binary = os.path.join(work, "histories")
        with open(binary + ".c", "w", encoding="utf-8") as file:
            file.write(program(histories))
        subprocess.run(["gcc", "-g", level, "-w", "-o", binary, binary + ".c", "-pthread"], check=True)
        ran = subprocess.run([os.path.join(build, "heddle"), "correlate", "--json", binary + ".json", "--", binary],
                             capture_output=True, timeout=600, check=False)
        if ran.returncode not in (0, 1):
            raise SystemExit(ran.stderr.decode(errors="replace"))
        with open(binary + ".json", encoding="utf-8") as file:
            document = json.load(file)
    if document["program"]["exit"] != 0:
        raise SystemExit("the program did not play the histories to their end")
    names = [name for f in document["findings"] for name in f.get("variables") or [f["variable"]]]
    return {int(name[2:]) for name in names if name[0] in VARIABLES}


def in_words(units, turns):
    return " || ".join(" ".join("{" + " ".join(f"{op}{v}{'' if made or op == 'r' else '!'}" for op, v, made in ops) +
                                "}" for ops in u) for u in units) + f" ({turns})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    full = os.environ.get("HEDDLE_TEST_FULL") == "1"
    parser.add_argument("--rounds", type=int, default=10 if full else 1)
    parser.add_argument("--missed", action="store_true", help="print what is missed")
    parser.add_argument("build")
    args = parser.parse_args()
    if not os.path.exists(os.path.join(args.build, "src/correlate/heddle-amd64-linux")):
        print("heddle was built without valgrind: detection is not tested")
        return 77
    rng = random.Random(args.seed)
    total = torn = silent = overwritten = clear = missed = wrong = 0
    for number in range(args.rounds):
        histories = [history(rng) for _ in range(200 if full else 120)]
        told = reported(args.build, histories, ("-O0", "-O2")[number % 2])
        for i, (units, turns) in enumerate(histories):
            bad, cycle = not is_equivalent(units), has_cycle(units)
            total += 1
            torn += bad
            silent += bad and i not in told
            overwritten += i in told and cycle and not bad
            if i in told and not cycle:
                wrong += 1
                print(f"reported, but serialisable: {in_words(units, turns)}")
            if bad and is_told(units):
                clear += 1
                missed += i not in told
                if i not in told and args.missed:
                    print(f"missed: {in_words(units, turns)}")
    print(f"{total} histories, {torn} not serialisable, of which {silent} are not reported; of the {clear} that are of the "
          f"shapes looked for {missed} are not reported; {overwritten} reported with writes that nobody reads; {wrong} wrong (seed {args.seed})")
    return 1 if wrong or missed > MISSED_MAX * clear or not 0 < torn < total else 0


if __name__ == "__main__":
    sys.exit(main())
