#!/usr/bin/env python3
"""Read-write locks that prefer writers: a writer that begins to wait keeps readers out. What `heddle explore` says
of small programs is compared with a model of such a lock, of which all states are visited."""

import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "system"))
import harness  # pylint: disable=wrong-import-position

SEEDS = range(12) if os.environ.get("HEDDLE_TEST_FULL") else range(6)
# Reads twice; the same where nobody writes, and where a writer only tries; a try behind a writer that waits.
FIXED = (("rruu", "wu"), ("rruu", "ru"), ("rruu", "T"), ("ru", "wu", "t"), ("rtu", "wu"), ("rruu", "wu", "ru"))
PIECES = ("ru", "rruu", "rtu", "wu", "t", "T")


def steps(script, state, lock, others):
    """What a thread in @state can do next: its state and the lock's. A state: place, what it does there, tries, results."""
    place, doing, tries, results = state
    readers, writer = lock
    word = "u" if doing == "tried" else script[place]
    free = {"r": not writer and "writes" not in others, "w": not writer and not readers}
    if word == "u":
        return (place + 1, "", tries, results), (0 if writer else readers - 1, False)
    if word in "tT":
        taken = free["r" if word == "t" else "w"]
        after = (place, "tried") if taken else (place + 1, "")
        lock = (readers + 1, False) if taken and word == "t" else (0, True) if taken else lock
        return (*after, tries + 1, results | taken << tries), lock
    if free[word]:
        return (place + 1, "", tries, results), (readers + 1, False) if word == "r" else (0, True)
    waits = "reads" if word == "r" else "writes"
    return None if doing == waits else ((place, waits, tries, results), lock)


def outcomes(scripts):
    """Whether threads can wait for ever, and all results."""
    todo, seen, ends, stuck = [(((0, "", 0, 0),) * len(scripts), (0, False))], set(), set(), False
    while todo:
        threads, lock = todo.pop()
        if (threads, lock) in seen:
            continue
        seen.add((threads, lock))
        left = [i for i, script in enumerate(scripts) if threads[i][0] < len(script)]
        nexts = []
        for i in left:
            others = [t[1] for t in threads[:i] + threads[i + 1:]]
            step = steps(scripts[i], threads[i], lock, others)
            if step:
                nexts.append((threads[:i] + (step[0],) + threads[i + 1:], step[1]))
        if not left:
            ends.add(sum(t[3] << 2 * i for i, t in enumerate(threads)))
        stuck |= bool(left) and not nexts
        todo += nexts
    return stuck, ends


def scripts_of(seed):
    chosen = random.Random(seed)
    return tuple("".join(chosen.choices(PIECES, k=chosen.choice((1, 1, 2)))) for _ in range(chosen.choice((2, 2, 3))))


class WritersFirst(harness.SystemTest):
    def setUp(self):
        super().setUp()
        self.program = self.build(os.path.join(HERE, "rwlock_script.c"), "rwlock_script", "-g")

    def compare(self, scripts, result):
        stuck, ends = outcomes(scripts)
        expected = {kind for kind, is_so in (("deadlock", stuck), ("assertion", result in ends)) if is_so}
        document, _ = self.run_json("explore", "--strategy", "dpor", "--keep-going", "--output", self.path("out"), "--",
                                    self.program, str(result), *scripts, status=1 if expected else 0)
        self.assertEqual({f["kind"] for f in document["findings"]}, expected, (scripts, result))
        self.assertTrue(document["stats"]["complete"], (scripts, result))

    def test_the_model(self):
        """By hand: who reads twice can be shut out by a writer, and only by one that waits."""
        self.assertEqual(outcomes(("rruu", "wu")), (True, {0}))
        self.assertEqual(outcomes(("rruu", "T")), (False, {0, 4}))
        self.assertEqual(outcomes(("rtu", "wu")), (False, {0, 1}))

    def test_fixed(self):
        for scripts in FIXED:
            for result in {max(outcomes(scripts)[1], default=0), 63}:
                with self.subTest(scripts=scripts, result=result):
                    self.compare(scripts, result)

    def test_random(self):
        for seed in SEEDS:
            scripts = scripts_of(seed)
            with self.subTest(scripts=scripts):
                self.compare(scripts, random.Random(seed).choice((63, *outcomes(scripts)[1])))


if __name__ == "__main__":
    harness.main()
