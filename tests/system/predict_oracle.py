"""Prediction, slowly and obviously: every order of a small run's events.

A run is a list of events (thread, op, object, value, value2) as the text form has them; the
number of an event is its place in the list. Nothing here knows how heddle does it.
"""

import random

READS = ("read", "atomic-load", "cas-fail")
WRITES = ("write", "atomic-store")
ACCESSES = READS + WRITES + ("atomic-rmw",)


def text_of(run, init):
    """The run in text form, after one `init` line for each location."""
    lines = [f"init {x} {v}" for x, v in sorted(init.items())]
    for thread, op, obj, value, value2 in run:
        words = [f"T{thread}", op]
        if obj is not None:
            words.append(f"T{obj}" if op in ("fork", "join") else obj)
        words += [str(v) for v in (value, value2) if v is not None]
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def random_program(rng, threads, length):
    """What each thread does: (op, object, value to write); locks nest, forks come first."""
    programs = []
    for _ in range(threads):
        ops, held = [], []
        for _ in range(rng.randint(1, length)):
            choice = rng.random()
            if choice < 0.35:
                ops.append(("read", rng.choice("xyz"), None))
            elif choice < 0.6:
                ops.append(("write", rng.choice("xyz"), rng.randint(0, 2)))
            elif choice < 0.7:
                ops.append(("atomic-rmw", rng.choice("xz"), rng.randint(0, 2)))
            elif choice < 0.85 and len(held) < 2:
                free = [m for m in "mn" if m not in held]
                held.append(rng.choice(free))
                ops.append(("acquire", held[-1], None))
            elif held:
                ops.append(("release", held.pop(), None))
        while held and rng.random() < 0.9:
            ops.append(("release", held.pop(), None))
        programs.append(ops)
    forked = [t for t in range(2, threads + 1) if rng.random() < 0.4]
    joined = [t for t in forked if rng.random() < 0.4]
    first = programs[0]
    for t in forked:
        first.insert(rng.randint(0, len(first)), ("fork", t, None))
    for t in joined:
        first.insert(rng.randint(first.index(("fork", t, None)) + 1, len(first)),
                     ("join", t, None))
    return programs, forked


def random_run(rng, threads=3, length=5):
    """Run a random program in a random order until nobody can go on."""
    programs, forked = random_program(rng, threads, length)
    init = {x: rng.randint(0, 1) for x in "xyz"}
    values, owner, at = dict(init), {}, [0] * threads
    started = {t for t in range(1, threads + 1) if t not in forked}
    run = []
    while True:
        ready = []
        for t in started:
            ops = programs[t - 1]
            if at[t - 1] == len(ops):
                continue
            op, obj, _ = ops[at[t - 1]]
            if op == "acquire" and obj in owner:
                continue
            if op == "join" and at[obj - 1] < len(programs[obj - 1]):
                continue
            ready.append(t)
        if not ready:
            return run, init
        t = rng.choice(sorted(ready))
        op, obj, value = programs[t - 1][at[t - 1]]
        at[t - 1] += 1
        value2 = None
        if op == "read":
            value = values[obj]
        elif op == "write":
            values[obj] = value
        elif op == "atomic-rmw":
            value, value2 = values[obj], value
            values[obj] = value2
        elif op == "acquire":
            owner[obj] = t
        elif op == "release":
            del owner[obj]
        elif op == "fork":
            started.add(obj)
        run.append((t, op, obj, value, value2))


class State:
    """How far each thread is, what memory holds, who owns what, who read something else."""

    def __init__(self, run, init):
        self.at = {e[0]: 0 for e in run}
        for _, op, obj, _, _ in run:
            if op in ("fork", "join"):
                self.at.setdefault(obj, 0)
        self.values, self.owner = dict(init), {}
        self.unborn = {e[2] for e in run if e[1] == "fork"}
        self.stopped = set()
        self.reached = 0

    def copy(self):
        new = object.__new__(State)
        new.at, new.values, new.owner = dict(self.at), dict(self.values), dict(self.owner)
        new.unborn, new.stopped = set(self.unborn), set(self.stopped)
        new.reached = self.reached
        return new

    def key(self):
        return (tuple(sorted(self.at.items())), tuple(sorted(self.values.items())),
                tuple(sorted(self.owner.items())), tuple(sorted(self.unborn)),
                tuple(sorted(self.stopped)), self.reached)


class Goal:
    """order: happen so; next: all about to happen; open_end: the last of order has not happened."""

    def __init__(self, run, order=(), after=(), open_end=False):
        self.order, self.next, self.open_end = list(order), list(after), open_end
        self.happen = self.order[:-1] if open_end else self.order
        self.free = set()
        for i, e in enumerate(self.happen):
            later = [k for k in self.order[i + 1:] if run[k][0] == run[e][0]]
            ends = i + 1 == len(self.happen) and not self.next
            if not later and (run[e][1] in READS or (run[e][1] == "atomic-rmw" and ends)):
                self.free.add(e)


def step(run, events, goal, state, thread, loose=False):
    """The state after the next event of @thread; None: it cannot happen."""
    mine = events[thread]
    if state.at[thread] == len(mine) or thread in state.unborn or thread in state.stopped:
        return None
    number = mine[state.at[thread]]
    if number in goal.next or (goal.open_end and number == goal.order[-1]):
        return None
    if number in goal.happen and goal.happen[state.reached:state.reached + 1] != [number]:
        return None
    _, op, obj, value, value2 = run[number]
    new = state.copy()
    if op in READS + ("atomic-rmw",) and not loose and new.values[obj] != value:
        if number not in goal.free:
            return None
        new.stopped.add(thread)
    if op in WRITES:
        new.values[obj] = value
    elif op == "atomic-rmw":
        new.values[obj] = value2
    elif op == "acquire":
        if obj in new.owner:
            return None
        new.owner[obj] = thread
    elif op == "release":
        del new.owner[obj]
    elif op == "fork":
        new.unborn.discard(obj)
    elif op == "join":
        if new.at[obj] < len(events[obj]) or obj in new.unborn or obj in new.stopped:
            return None
    new.at[thread] += 1
    new.reached += number in goal.happen
    return new


def reached(run, events, goal, state):
    if state.reached < len(goal.happen):
        return False
    for number in goal.next:
        thread = run[number][0]
        if thread in state.unborn or thread in state.stopped:
            return False
        if events[thread][state.at[thread]:state.at[thread] + 1] != [number]:
            return False
    return True


def events_of(run):
    events = {}
    for number, e in enumerate(run):
        events.setdefault(e[0], []).append(number)
        if e[1] in ("fork", "join"):
            events.setdefault(e[2], [])
    return events


def feasible(run, init, goal, loose=False):
    """Is there any order that reaches the goal?"""
    events = events_of(run)
    threads = [run[e][0] for e in goal.next]
    if len(set(threads)) < len(threads):
        return False
    first = State(run, init)
    seen, todo = {first.key()}, [first]
    while todo:
        state = todo.pop()
        if reached(run, events, goal, state):
            return True
        for thread in events:
            new = step(run, events, goal, state, thread, loose)
            if new and new.key() not in seen:
                seen.add(new.key())
                todo.append(new)
    return False


def follow(run, init, goal, order, loose=False):
    """What is wrong with @order, a list of events that should reach the goal; None: nothing."""
    events, state = events_of(run), State(run, init)
    for number in order:
        thread = run[number][0]
        if events[thread][state.at[thread]:state.at[thread] + 1] != [number]:
            return f"event {number} is not the next of T{thread}"
        state = step(run, events, goal, state, thread, loose)
        if state is None:
            return f"event {number} cannot happen"
    return None if reached(run, events, goal, state) else "the goal is not reached"


def random_goals(rng, run, count):
    """Goals of all kinds over events of the run."""
    goals = []
    numbers = range(len(run))
    for _ in range(count * 4):
        kind = rng.choice(("pattern", "pattern", "order", "next", "both"))
        picked = rng.sample(numbers, min(len(run), 4))
        if kind == "pattern":
            e1, f, e2 = (picked + picked)[:3]
            if e1 < e2 and run[e1][0] == run[e2][0] != run[f][0] and all(
                    run[e][1] in ACCESSES for e in (e1, f, e2)):
                goals.append(((e1, f, e2), (), True))
        elif kind == "order" and len(picked) >= 2:
            goals.append((tuple(picked[:rng.randint(2, len(picked))]), (), rng.random() < 0.3))
        elif kind == "next" and len(picked) >= 2:
            goals.append(((), tuple(picked[:rng.randint(2, min(3, len(picked)))]), False))
        elif kind == "both" and len(picked) == 4:
            goals.append((tuple(picked[:2]), tuple(picked[2:]), False))
        if len(goals) == count:
            break
    return goals


def seeded(seed):
    return random.Random(seed)


# ---- sentences ---------------------------------------------------------------------------------
#
# A description is (thread or None, verb, object). A sentence is (descriptions, what must not happen in
# each gap or None, "sequence" | "between" | "twice").

VERBS = {"reads": READS + ("atomic-rmw",), "writes": WRITES + ("atomic-rmw",), "uses": ACCESSES,
         "locks": ("acquire",), "unlocks": ("release",)}


def described(run, description):
    thread, verb, obj = description
    return [n for n, e in enumerate(run)
            if thread in (None, e[0]) and e[1] in VERBS[verb] and e[2] == obj]


def random_sentence(rng, run):
    """Of events that the run has."""
    def description():
        thread, op, obj, _, _ = rng.choice([e for e in run if e[1] not in ("fork", "join")])
        verb = rng.choice([v for v, ops in sorted(VERBS.items()) if op in ops])
        return (rng.choice((None, thread)), verb, obj)

    kind = rng.choice(("sequence", "sequence", "between", "twice"))
    parts = [description() for _ in range({"between": 3, "twice": 1}.get(kind, rng.randint(2, 3)))]
    if kind == "twice":
        parts *= 2
    gaps = [None] * (len(parts) - 1)
    if kind != "between":
        gaps = [description() if kind == "twice" or rng.random() < 0.6 else None for _ in gaps]
    return parts, gaps, kind


def words_of(sentence):
    def words(d):
        return (f"T{d[0]} " if d[0] else "") + f"{d[1]} {d[2]}"

    parts, gaps, kind = sentence
    if kind == "between":
        return f"{words(parts[1])} between {words(parts[0])} and {words(parts[2])}"
    if kind == "twice":
        return f"{words(parts[0])} twice without {words(gaps[0])} between"
    text = words(parts[0])
    for part, gap in zip(parts[1:], gaps):
        text += f" then {words(part)}" + (f" without {words(gap)}" if gap else "")
    return text


def ways_of(run, sentence):
    """Every choice of events that the sentence may mean."""
    parts, _, kind = sentence
    ways = [[]]
    for part in parts:
        ways = [w + [n] for w in ways for n in described(run, part) if n not in w]
    if kind == "between":
        ways = [w for w in ways if run[w[0]][0] == run[w[2]][0] != run[w[1]][0] and w[0] < w[2]]
    if kind == "twice":
        ways = [w for w in ways if run[w[0]][0] != run[w[1]][0] or w[0] < w[1]]
    return ways


def can_be(run, init, sentence, generous):
    """Is there an order? @generous: a read of the sentence may see anything, whatever has to be undone."""
    _, gaps, kind = sentence
    avoided = [set(described(run, gap)) if gap else set() for gap in gaps]
    for way in ways_of(run, sentence):
        goal = Goal(run, way, (), kind == "between")
        if not generous:
            threads = {run[n][0] for gap in avoided for n in gap}
            goal.free = {n for n in goal.free if run[n][0] not in threads}
        else:
            last = {run[n][0]: n for n in goal.happen}
            goal.free = {n for n in goal.happen if last[run[n][0]] == n}
        if reaches_sentence(run, init, goal, [gap - set(way) for gap in avoided]):
            return True
    return False


def reaches_sentence(run, init, goal, avoided):
    events, first = events_of(run), State(run, init)
    seen, todo = {first.key()}, [first]
    while todo:
        state = todo.pop()
        if reached(run, events, goal, state):
            return True
        gap = avoided[state.reached - 1] if 0 < state.reached < len(goal.happen) else set()
        for thread in events:
            coming = events[thread][state.at[thread]:state.at[thread] + 1]
            new = step(run, events, goal, state, thread) if not gap.intersection(coming) else None
            if new and new.key() not in seen:
                seen.add(new.key())
                todo.append(new)
    return False
