#!/usr/bin/env python3
"""Detection against its definition and against the six-state machine of the paper's Fig. 11.

    machine.py [--seed N] BUILDDIR

Random little histories of three threads, each on a variable of its own: reads, writes, locks,
signals. A program plays them event by event in the order given: the token that says whose turn it
is goes through pipes, which order nothing. Then

- the tool reports a variable exactly if two accesses of different threads, one a write, are neither
  ordered by a signal nor under a common lock: so it never reports what is ordered;
- it is a finding exactly if, for two such accesses, no chain of signals and of locks that a thread
  gave back before another took them leads from the one to the other; if one does for all of
  them, the order in which locks happened to be taken hid the race, and it is a candidate;
- what the machine reports the tool reports, too, unless no two accesses conflict: the machine
  intersects the locks of all accesses, while {m,n}, {n,k}, {k,m} exclude each other two by two.

- with --algorithm paper the tool reports exactly what the machine does.

What the machine misses, because it forgets when it goes back to an exclusive state, is counted.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

THREADS, LOCKS = 3, 3

# Chains through locks are rare in random histories. "0 W" writes, "1 +2" takes lock 2, "1 -2" gives
# it back, "0 >1" signals thread 1, which waits for it at once.
FIXED = [
    ("candidate", "0 W, 0 +0, 0 -0, 1 +0, 1 -0, 1 W"),
    ("candidate", "0 W, 0 >2, 2 +0, 2 -0, 1 +0, 1 R, 1 -0"),        # a signal, then a lock
    ("candidate", "0 R, 0 +0, 0 -0, 2 +0, 2 >1, 1 W, 2 -0"),        # a lock, then a signal
    ("candidate", "0 W, 0 +0, 0 -0, 2 +0, 2 +1, 2 -1, 1 +1, 1 W, 2 -0, 1 -1"), # two locks
    ("finding", "0 +0, 0 -0, 0 W, 1 +0, 1 W, 1 -0"),                # given back before the write
    ("finding", "0 W, 1 +0, 1 W, 1 -0, 0 +0, 0 -0"),                # ... and after the other's
    ("finding", "0 W, 0 +0, 0 -0, 1 +1, 1 W, 1 -1"),                # not the same lock
    ("finding", "0 W, 0 +0, 0 -0, 0 R, 1 +0, 1 -0, 1 W"),           # its last access is after it
    ("finding", "0 W, 2 +0, 2 -0, 0 >2, 1 +0, 1 W, 1 -0"),          # the signal comes too late
    (None, "0 W, 0 >2, 2 +0, 2 -0, 2 >1, 1 W"),
    (None, "0 +0, 0 W, 0 -0, 1 +0, 1 W, 1 -0"),
]

HEAD = """
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static int turn[3][2];
static pthread_mutex_t m[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
	PTHREAD_MUTEX_INITIALIZER };
static void await(int me) { char c; if (read(turn[me][0], &c, 1) != 1) _exit(9); }
static void pass(int to) { char c = 0; if (write(turn[to][1], &c, 1) != 1) _exit(9); }
"""


def history(rng):
    """Events (thread, op, argument) such that nobody ever has to wait."""
    events, held, owner, signals = [], [set() for _ in range(THREADS)], {}, []
    for _ in range(rng.randrange(4, 20)):
        t, roll = rng.randrange(THREADS), rng.random()
        if roll < 0.35:
            events.append((t, rng.choice(["read", "write"]), None))
        elif roll < 0.75:
            lock = rng.randrange(LOCKS)
            if lock in held[t]:
                held[t].remove(lock)
                del owner[lock]
                events.append((t, "unlock", lock))
            elif lock not in owner:
                held[t].add(lock)
                owner[lock] = t
                events.append((t, "lock", lock))
        else:
            to = rng.choice([i for i in range(THREADS) if i != t])
            events += [(t, "post", len(signals)), (to, "wait", len(signals))]
            signals.append(to)
    for t in range(THREADS):
        events += [(t, "unlock", lock) for lock in sorted(held[t])]
    return events


def parse(text):
    """The events of a history of FIXED."""
    events, signals = [], 0
    for t, word in (event.split() for event in text.split(", ")):
        t, kind, arg = int(t), word[0], int(word[1:] or 0)
        if kind == ">":
            events += [(t, "post", signals), (arg, "wait", signals)]
            signals += 1
        else:
            op = {"R": "read", "W": "write", "+": "lock", "-": "unlock"}[kind]
            events.append((t, op, None if kind in "RW" else arg))
    return events


class Order:
    """Vector clocks: what is released to an object comes before what follows an acquire of it."""

    def __init__(self):
        self.clock = [[int(i == t) for i in range(THREADS)] for t in range(THREADS)]
        self.released = {}

    def release(self, t, what):
        self.released[what] = list(self.clock[t])
        self.clock[t][t] += 1

    def acquire(self, t, what):
        self.clock[t] = [max(a, b) for a, b in
                         zip(self.clock[t], self.released.get(what, self.clock[t]))]


def accesses(events):
    """(thread, is write, locks, clock by signals, clock by signals and locks) of each access."""
    signals, run = Order(), Order()
    held, found = [set() for _ in range(THREADS)], []
    for t, op, arg in events:
        if op == "lock":
            held[t].add(arg)
            run.acquire(t, ("lock", arg))
        elif op == "unlock":
            held[t].remove(arg)
            run.release(t, ("lock", arg))
        elif op == "post":
            signals.release(t, arg)
            run.release(t, arg)
        elif op == "wait":
            signals.acquire(t, arg)
            run.acquire(t, arg)
        else:
            found.append((t, op == "write", frozenset(held[t]), tuple(signals.clock[t]),
                          tuple(run.clock[t])))
    return found


def is_before(a, b, clock=3):
    return a[0] == b[0] or a[clock][a[0]] <= b[clock][a[0]]


def conflict(found):
    """By definition: "finding", "candidate" or None."""
    pairs = [(a, b) for i, b in enumerate(found) for a in found[:i]
             if (a[1] or b[1]) and not is_before(a, b) and not a[2] & b[2]]
    if all(is_before(a, b, clock=4) for a, b in pairs):
        return "candidate" if pairs else None
    return "finding"


def is_later(a, b):
    """v_s < v': accesses of one thread with nothing in between that orders have equal clocks."""
    return a[3] != b[3] and all(x <= y for x, y in zip(a[3], b[3]))


def machine(found):
    """Fig. 11: one set with a state, candidate locks, and the clock of the last access."""
    state, candidates, last = "none", None, None
    for now in found:
        alone = state.startswith("exclusive") and last[0] == now[0]
        if state == "none" or alone or is_later(last, now):
            wrote = now[1] or (state == "exclusive-write")
            state, candidates = "exclusive-write" if wrote else "exclusive-read", now[2]
        else:
            candidates &= now[2]
            written = now[1] or state in ("exclusive-write", "shared-write")
            if written and not candidates:
                return True
            state = "shared-write" if written else "shared-read"
        last = now
    return False


def play(number, events, write):
    """The threads' functions for one history: each does its events, and says whose turn is next."""
    signals = sum(op == "post" for _, op, _ in events)
    text = [f"static volatile int x_{number}; static sem_t s_{number}[{signals + 1}];"]
    does = {"read": f"(void)x_{number};", "write": f"x_{number} {write};",
            "lock": "pthread_mutex_lock(&m[{}]);", "unlock": "pthread_mutex_unlock(&m[{}]);",
            "post": f"sem_post(&s_{number}[{{}}]);", "wait": f"sem_wait(&s_{number}[{{}}]);"}
    for t in range(THREADS):
        body = "".join(f"\tawait({t}); {does[op].format(arg)} "
                       f"pass({events[i + 1][0] if i + 1 < len(events) else 0});\n"
                       for i, (who, op, arg) in enumerate(events) if who == t)
        # After the last event the first thread has the token, for the next history.
        text.append(f"static void f_{number}_{t}(void)\n{{\n{body}}}")
    return "\n".join(text)


def program(histories, write):
    text = [HEAD] + [play(i, h, write) for i, h in enumerate(histories)]
    for t in range(THREADS):
        # The token is with thread 0 between two histories, which gives it to who is first.
        calls = "".join((f"\tawait(0); pass({h[0][0]});\n" if t == 0 else "") + f"\tf_{i}_{t}();\n"
                        for i, h in enumerate(histories))
        text.append(f"static void *run_{t}(void *p)\n{{\n{calls}\treturn p;\n}}")
    inits = "".join(f"\tfor (int i = 0; i < {sum(o == 'post' for _, o, _ in h)}; i++) "
                    f"sem_init(&s_{n}[i], 0, 0);\n" for n, h in enumerate(histories))
    starts = "".join(f"\tpthread_create(&t[{t}], 0, run_{t}, 0);\n" for t in range(THREADS))
    text.append("int main(void)\n{\n\tpthread_t t[3];\n\tfor (int i = 0; i < 3; i++) "
                f"if (pipe(turn[i])) return 9;\n{inits}{starts}\tpass(0);\n"
                "\tfor (int i = 0; i < 3; i++) pthread_join(t[i], 0);\n\treturn 0;\n}\n")
    return "\n".join(text)


def reported(build, histories, algorithm="torn"):
    """What each history is reported as: its number with "finding" or "candidate"."""
    # To the paper's algorithm a variable that is overwritten with a constant is another one.
    write = "= 1" if algorithm == "torn" else "+= 1"
    with tempfile.TemporaryDirectory() as work:
        binary = os.path.join(work, "histories")
        with open(binary + ".c", "w", encoding="utf-8") as file:
            file.write(program(histories, write))
        subprocess.run(["gcc", "-g", "-O0", "-w", "-o", binary, binary + ".c", "-pthread"],
                       check=True)
        ran = subprocess.run([os.path.join(build, "heddle"), "correlate", "--all", "--algorithm", algorithm,
                              "--json", binary + ".json", "--", binary],
                             capture_output=True, timeout=600, check=False)
        if ran.returncode not in (0, 1):
            raise SystemExit(ran.stderr.decode(errors="replace"))
        with open(binary + ".json", encoding="utf-8") as file:
            document = json.load(file)
    if ran.returncode != bool(document["findings"]):
        raise SystemExit(f"status {ran.returncode} with {len(document['findings'])} findings")
    if document["program"]["exit"] != 0:
        raise SystemExit("the program did not play the histories to their end")
    told = {}
    for kind in ("finding", "candidate"):
        for f in document[kind + "s"]:
            for name in f.get("variables") or [f["variable"]]:
                if told.setdefault(int(name[2:]), kind) != kind:
                    raise SystemExit(f"{name} is a finding and a candidate")
    return told


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("build")
    args = parser.parse_args()
    if not os.path.exists(os.path.join(args.build, "src/correlate/heddle-amd64-linux")):
        print("heddle was built without valgrind: detection is not tested")
        return 77
    for verdict, text in FIXED:
        if conflict(accesses(parse(text))) != verdict:
            raise SystemExit(f"the definition here says {conflict(accesses(parse(text)))}: {text}")
    rng, rounds = random.Random(args.seed), 20 if os.environ.get("HEDDLE_TEST_FULL") == "1" else 1
    wrong = total = races = candidates = by_machine = missed = pairwise = 0
    for part in range(rounds):
        histories = [history(rng) for _ in range(150)]
        if part == 0:
            histories += [parse(text) for _, text in FIXED]
        total += len(histories)
        told = reported(args.build, histories)
        paper = reported(args.build, histories, "paper")
        for number, events in enumerate(histories):
            found = accesses(events)
            truth, state = conflict(found), machine(found)
            races += truth is not None
            candidates += truth == "candidate"
            by_machine += state
            missed += truth is not None and not state
            pairwise += state and truth is None
            # A write is a read and a write there, of one unit.
            told_so = machine([a for one in found for a in ((one[0], False) + one[2:], one)[not one[1]:]])
            if (number in paper) != told_so:
                wrong += 1
                print(f"seed {args.seed}: --algorithm paper {'reports' if number in paper else 'misses'} what its "
                      f"machine {'reports' if told_so else 'does not'}: {events}")
            if told.get(number) != truth:
                wrong += 1
                print(f"seed {args.seed}: reported as {told.get(number)}, the definition says "
                      f"{truth}, the machine {state}: {events}")
    print(f"{total} histories, {races} with a race, of which locks hid {candidates}; the machine "
          f"reports {by_machine}, misses {missed}, and {pairwise} that are excluded pairwise; "
          f"{wrong} wrong (seed {args.seed})")
    return 1 if wrong or not 0 < candidates < races < total else 0


if __name__ == "__main__":
    sys.exit(main())
