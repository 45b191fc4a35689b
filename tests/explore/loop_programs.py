"""
Random programs of threads that wait in loops, retry, take locks and look: as C, and all ways in which they can end, by
a model of their operations in which nothing of heddle is. What threads find goes into a sum that each keeps, often by way
of variables that later rounds overwrite; so what is left out of an exploration shows.

Each statement is written twice, side by side: as C text, and as operations of the model. An operation is a list: its
name and operands. Names of registers are the C variables; `w` is what C does not keep. Expressions are both C and Python.

Some programs have a variable `d` that is neither atomic nor guarded. The model knows what is ordered before what, by vector
clocks: whether there is a race. A value that is read in a race may be any that some order of the accesses gives.
"""

REGISTERS = ("r", "a", "b", "i", "n", "w")
VARIABLES = ("x", "y", "z", "p", "q", "d")  # p and q are guarded by the mutex
ATOMICS = VARIABLES[:3]
SEMAPHORE, OWNER = 6, 7  # places in the shared state behind them
RUNS, WAITS, WOKEN = 0, 1, 2  # at a condition

LOADS = ("seq_cst", "acquire", "relaxed")
STORES = ("seq_cst", "release", "relaxed")
CHANGES = ("seq_cst", "acq_rel", "relaxed", "acquire")
COMPUTE = {
    "add": lambda old, v: old + v, "sub": lambda old, v: old - v, "or": lambda old, v: old | v,
    "xor": lambda old, v: old ^ v, "and": lambda old, v: old & v, "exchange": lambda old, v: v,
}


class TooLarge(Exception):
    """The model has more states than it is worth."""


class Thread:
    """The C text and the operations of one thread."""

    def __init__(self, rng, number, variables, kinds):
        self.rng, self.number, self.variables, self.kinds = rng, number, variables, kinds
        self.text, self.ops, self.depth = [], [], 0
        self.last, self.in_lock, self.has_mutex = None, False, False

    # -- writing both

    def line(self, text):
        self.text.append("\t" * (1 + self.depth) + text)

    def op(self, *operands):
        self.ops.append(list(operands))
        return self.ops[-1]

    def here(self):
        return len(self.ops)

    def let(self, register, value):
        self.line(f"{register} = {value};")
        self.op("let", register, value)

    def tell(self, *values):
        """One of @values goes into the sum; "": nothing does."""
        value = self.rng.choice(values)
        if value:
            self.let("r", f"(r * 5 + {value}) & 1023")

    def begin(self, head):
        self.line(head + " {")
        self.depth += 1

    def end(self):
        self.depth -= 1
        self.line("}")

    def leave(self, condition):
        """Out of the loop; the place is set at its end."""
        self.line(f"if ({condition}) break;")
        return self.op("if", condition, None)

    def come_here(self, *jumps):
        for jump in jumps:
            jump[-1] = self.here()

    # -- parts of statements

    def number_(self):
        return str(self.rng.choice((0, 1, 1, 2, 3)))

    def value(self):
        return self.rng.choice((self.number_(), self.number_(), self.number_(), "(r & 1)", "(r & 3)", "(a & 3)"))

    def condition(self, v):
        return self.rng.choice((f"{v} == {self.number_()}", f"{v} != {self.number_()}", f"({v} & 1) == 1",
                                f"({v} & 1) == 0", f"{v} > 1", f"{v} != 0", f"{v} == 0"))

    def order(self, orders):
        return self.rng.choice(orders) if self.rng.random() < .5 else "seq_cst"

    def loaded(self, x, register):
        """C for a load of @x; in the model it is in @register."""
        form, order = self.rng.random(), self.order(LOADS)
        if form < .2:
            order = "seq_cst"
        self.op("load", x, register, order)
        if form < .12:
            return f"look(&{x})"
        if form < .2:
            return f"(look_into(&{x}, &seen), seen)"
        return f"atomic_load_explicit(&{x}, memory_order_{order})"

    def load(self, x, register="a"):
        self.line(f"{register} = {self.loaded(x, register)};")

    def store(self, x, value):
        order = self.order(STORES)
        self.line(f"atomic_store_explicit(&{x}, {value}, memory_order_{order});")
        self.op("store", x, value, order)

    def change(self, what, x, value, used):
        name = "atomic_exchange" if what == "exchange" else f"atomic_fetch_{what}"
        order = self.order(CHANGES)
        self.line(("a = " if used else "") + f"{name}_explicit(&{x}, {value}, memory_order_{order});")
        self.op("change", what, x, value, "a" if used else "w", order)

    def swap(self, x, expected, value, done="n"):
        self.line(f"{done} = atomic_compare_exchange_strong(&{x}, &{expected}, {value});")
        self.op("swap", x, expected, value, done)

    def pause(self):
        self.line(self.rng.choice((";",) * 6 + ("sched_yield();", "sched_yield();", "junk = a + 1;",
                                                "pad[1] = pad[0];")))

    def body(self, n):
        for _ in range(n):
            if self.rng.random() < .5 or not self.last:
                self.last = self.rng.choice(self.variables)
            statement = self.rng.choice(self.kinds)
            if len(self.ops) > 16 and statement not in (tell_load, give_value, compute):
                statement = tell_load
            statement(self, self.last)


# ---- statements ---------------------------------------------------------------------------

def tell_load(t, x):
    t.load(x)
    t.tell("a")


def give_value(t, x):
    t.store(x, t.value())


def compute(t, x):
    what = t.rng.choice(("add", "add", "add", "sub", "or", "xor", "and", "exchange", "exchange"))
    used = t.rng.random() < .5
    t.change(what, x, "1" if what == "sub" else t.number_(), used)
    if used:
        t.tell("a")


def swap_once(t, x):
    t.let("b", t.rng.choice((t.number_(), "a")))
    t.swap(x, "b", t.value())
    t.tell("n", "b", "", "n * 3 + b")


def look_and_swap(t, x):
    """A load, then a compare-and-swap of what it found, perhaps only if that is as wanted."""
    t.load(x)
    t.let("b", "a")
    wanted, jump = t.rng.random() < .5, None
    if wanted:
        condition = t.condition("a")
        t.begin(f"if ({condition})")
        jump = t.op("if", f"({condition}) == 0", None)
    t.swap(x, "b", t.rng.choice(("(a + 1) & 7", "1", "2", "(a ^ 1)")))
    t.tell("n", "b", "a")
    if wanted:
        t.end()
        t.come_here(jump)


def retry(t, x):
    """A loop around a compare-and-swap."""
    form, tell = t.rng.choice(("load", "load", "guess", "reload")), t.rng.choice(("", "", "a", "b", "n"))
    value = t.rng.choice(("(a + 1) & 7", "(a ^ 1)", "(a + 2) & 7", "a | 2", "1", "3 - (a & 3)"))
    stop = t.rng.choice(("", "", f"a > {t.number_()}", "a == 2"))
    besides = t.rng.choice(("",) * 8 + ATOMICS)
    t.let("b", "0")
    t.let("n", "0")
    if form == "load":
        t.load(x)
        t.let("b", "a & 1")
    elif form == "guess":
        t.let("a", "0")
    top, jumps = t.here(), []
    t.begin("for (;;)")
    if form == "reload":
        t.load(x)
    if stop:
        jumps.append(t.leave(stop))
    t.swap(x, "a", value, "i")
    jumps.append(t.leave("i"))
    if tell == "n":
        t.let("n", "n + (n < 2)")
    if besides not in ("", x):
        t.store(besides, "a & 3")
    t.pause()
    t.op("go", top)
    t.end()
    t.come_here(*jumps)
    t.tell(tell)


def wait(t, x):
    """Until a variable is as wanted; what was found then, or before, is told."""
    condition, tell = t.condition("a"), t.rng.choice(("", "a", "b", "b", "n"))
    for register in "abn":
        t.let(register, "0")
    top = t.here()
    if tell in ("", "a") and t.rng.random() < .5:
        t.line(f"while (a = {t.loaded(x, 'a')}, ({condition}) == 0)")
        t.pause()
        t.op("if", f"({condition}) == 0", top)
    else:
        t.begin("for (;;)")
        if tell == "b":
            t.let("b", "a")
        t.load(x)
        jump = t.leave(condition)
        if tell == "n":
            t.let("n", t.rng.choice(("n | 1", "a", "n ^ 1", "(n + 1) & 1", "n + (n < 2)")))
        t.pause()
        t.op("go", top)
        t.end()
        t.come_here(jump)
    t.tell(tell)


def wait_for_two(t, x):
    y = t.rng.choice(ATOMICS)
    t.let("a", "0")
    t.let("b", "0")
    top = t.here()
    t.begin("for (;;)")
    t.load(x)
    jumps = [t.leave(t.condition("a"))]
    if t.rng.random() < .2:
        t.change(t.rng.choice(("exchange", "or")), y, "1", False)
    t.load(y, "b")
    jumps.append(t.leave(t.condition("b")))
    t.pause()
    t.op("go", top)
    t.end()
    t.come_here(*jumps)
    t.tell("", "a", "b", "a * 2 + b")


def react(t, x):
    """Until a variable has one value; for another one something is done each time."""
    end, other, y = t.number_(), t.number_(), t.rng.choice(ATOMICS)
    top = t.here()
    t.begin("for (;;)")
    t.load(x)
    jump = t.leave(f"a == {end}")
    t.begin(f"if (a == {other})")
    skip = t.op("if", f"a != {other}", None)
    t.store(y, t.number_())
    t.end()
    t.come_here(skip)
    t.op("go", top)
    t.end()
    t.come_here(jump)


def look_a_few_times(t, x):
    most = t.rng.choice("123")
    t.op("let", "i", "0")
    top = t.here()
    t.begin(f"for (i = 0; i < {most}; i++)")
    jumps = [t.op("if", f"i >= {most}", None)]
    t.load(x)
    jumps.append(t.leave(t.condition("a")))
    t.end()
    t.op("let", "i", "i + 1")
    t.op("go", top)
    t.come_here(*jumps)
    t.tell("i", "a", "i + a")


def take_lock(t, x):
    """A lock made of @x."""
    if t.in_lock and t.rng.random() < .9:
        tell_load(t, x)
        return
    form, top = t.rng.choice(("test", "test", "set", "set", "swap", "function")), t.here()
    if form == "function":
        t.line(f"swap_lock(&{x});")
        t.op("let", "w", "0")
        t.op("swap", x, "w", "1", "i")
        t.op("if", "i == 0", top)
        t.line("i = 1;")
    elif form == "set":
        t.line(f"while (atomic_exchange(&{x}, 1))")
        t.pause()
        t.op("change", "exchange", x, "1", "w", "seq_cst")
        t.op("if", "w", top)
    else:
        t.line("do {")
        t.line(f"\twhile ({t.loaded(x, 'w')})")
        t.line("\t\t" + t.rng.choice((";", "sched_yield();")))
        t.op("if", "w", top)
        if form == "test":
            t.line(f"}} while (atomic_exchange(&{x}, 1));")
            t.op("change", "exchange", x, "1", "w", "seq_cst")
            t.op("if", "w", top)
        else:
            t.line("\tb = 0;")
            t.op("let", "b", "0")
            t.line(f"}} while (!atomic_compare_exchange_strong(&{x}, &b, 1));")
            t.op("swap", x, "b", "1", "w")
            t.op("if", "w == 0", top)
    t.in_lock = True
    t.body(t.rng.randint(0, 2))
    t.in_lock = False
    t.store(x, "0")


def take_mutex(t, x):
    if t.has_mutex:
        tell_load(t, x)
        return
    form, jump = t.rng.choice(("lock", "lock", "try", "once")), None
    if form == "lock":
        t.line("pthread_mutex_lock(&m);")
        t.op("lock")
    elif form == "try":
        top = t.here()
        t.line("while (pthread_mutex_trylock(&m))")
        t.line("\t" + t.rng.choice((";", "sched_yield();")))
        t.op("try", "w")
        t.op("if", "w == 0", top)
    else:
        t.begin("if (pthread_mutex_trylock(&m) == 0)")
        t.op("try", "w")
        jump = t.op("if", "w == 0", None)
    t.has_mutex = True
    if t.rng.random() < .5:
        t.line("p = p * 2 + 1 & 15;")
        t.op("load", "p", "w")
        t.op("store", "p", "w * 2 + 1 & 15")
    else:
        t.line("a = p;")
        t.op("load", "p", "a")
        t.tell("a")
    t.body(t.rng.randint(0, 1))
    t.has_mutex = False
    t.line("pthread_mutex_unlock(&m);")
    t.op("unlock")
    if jump:
        t.end()
        over = t.op("go", None)
        t.come_here(jump)
        t.begin("else")
        tell_load(t, x)
        t.end()
        t.come_here(over)


def use_semaphore(t, _):
    form = t.rng.choice(("post", "post", "wait", "wait", "try", "get"))
    if form == "post":
        for _ in range(t.rng.choice((1, 1, 1, 2))):
            t.line("sem_post(&s);")
            t.op("post")
    elif form == "wait":
        t.line("sem_wait(&s);")
        t.op("wait")
    elif form == "try":
        t.line("n = sem_trywait(&s) == 0;")
        t.op("trywait", "n")
        t.tell("n")
    else:
        t.line("sem_getvalue(&s, &seen);")
        t.line("n = seen;")
        t.op("getvalue", "n")
        t.tell("n")


def use_condition(t, x):
    if t.has_mutex:
        give_value(t, x)
        return
    t.line("pthread_mutex_lock(&m);")
    t.op("lock")
    if t.rng.random() < .5:
        condition, top = t.rng.choice(("q == 1", "q != 0", "q > 1", "q == 2")), t.here()
        t.op("load", "q", "w")
        jump = t.op("if", condition.replace("q", "w"), None)
        t.line(f"while (({condition}) == 0)")
        t.line("\tpthread_cond_wait(&c, &m);")
        t.op("sleep")
        t.op("woken")
        t.op("go", top)
        t.come_here(jump)
    else:
        value = t.rng.choice(("(q + 1) & 3", "1", "2"))
        t.line(f"q = {value};")
        t.op("load", "q", "w")
        t.op("store", "q", value.replace("q", "w"))
        wake = t.rng.choice(("signal", "broadcast"))
        t.line(f"pthread_cond_{wake}(&c);")
        t.op(wake)
    t.line("pthread_mutex_unlock(&m);")
    t.op("unlock")


def branch(t, x):
    t.load(x)
    condition = t.condition("a")
    t.begin(f"if ({condition})")
    jump = t.op("if", f"({condition}) == 0", None)
    t.body(t.rng.randint(1, 2))
    t.end()
    if t.rng.random() < .4:
        over = t.op("go", None)
        t.come_here(jump)
        t.begin("else")
        t.body(1)
        t.end()
        t.come_here(over)
    else:
        t.come_here(jump)


def keep(t, _):
    value = t.number_()
    t.line(f"put(&d, {value});")
    t.op("store", "d", value)


def fetch(t, _):
    t.line("a = get(&d);")
    t.op("load", "d", "a")
    t.tell("a", "a", "")


def hide(t, x):
    """What was found is kept where other threads do not look."""
    where = t.rng.choice((f"heap[{t.number}]", "mine", "pad[2]"))
    t.load(x)
    t.line(f"{where} = a;")
    t.op("let", "n", "a")
    t.change("exchange", x, t.number_(), t.rng.random() < .5)
    t.line(f"n = {where};")
    t.tell("n")


KINDS = (
    (tell_load, give_value, compute, swap_once, look_and_swap, look_and_swap, retry, retry, retry, wait),
    (tell_load, give_value, give_value, give_value, compute, wait, wait, wait_for_two, react, look_a_few_times, branch),
    (tell_load, give_value, compute, take_lock, take_lock, take_lock, take_mutex, wait, retry),
    (tell_load, give_value, compute, use_semaphore, use_semaphore, use_semaphore, use_semaphore, wait, take_mutex),
    (tell_load, give_value, take_mutex, use_condition, use_condition, use_condition, use_semaphore, wait, retry),
    (tell_load, compute, compute, compute, retry, wait, look_a_few_times, branch),
    (tell_load, give_value, compute, swap_once, look_and_swap, retry, wait, wait_for_two, react, look_a_few_times, take_lock,
     take_mutex, use_semaphore, use_condition, branch, hide, hide),
)


# ---- programs -------------------------------------------------------------------------------

class Program:
    def __init__(self, rng):
        kinds, variables = rng.choice(KINDS), rng.choice(("x", "xy", "xy", "xyz"))
        if rng.random() < .3:
            kinds += (keep, keep, fetch, fetch)
        n = rng.choice((2, 2, 2, 3))
        self.threads = [Thread(rng, number, variables, kinds) for number in range(n)]
        for thread in self.threads:
            thread.body(rng.randint(1, 4 if n == 2 else 2))
        self.first = [rng.choice((0, 0, 0, 1)) for _ in ATOMICS] + [rng.choice((0, 0, 1, 2))]


EVALUATED = {"store": 2, "change": 3, "swap": 3, "let": 2, "if": 1}


def compiled(ops):
    """With functions of the registers for expressions."""
    out = []
    for op in ops:
        op = list(op)
        if op[0] in EVALUATED:
            at = EVALUATED[op[0]]
            op[at] = eval(f"lambda {', '.join(REGISTERS)}: int({op[at]})")  # pylint: disable=eval-used
        out.append(op)
    return out


ACQUIRE, RELEASE = ("seq_cst", "acquire", "acq_rel"), ("seq_cst", "release", "acq_rel")


def later(one, other):
    return tuple(map(max, one, other))


class Clocks:
    """What is ordered before what: clocks of the threads, of what was released to the variables, the semaphore and the mutex;
    and the accesses to `d`: last write (thread, time), last read of each thread."""

    def __init__(self, n):
        self.none = (0,) * n
        threads = tuple(tuple(int(u == t) for u in range(n)) for t in range(n))
        self.start = (threads, (self.none,) * (OWNER + 1), None, self.none)

    def after(self, clocks, op, t, before, shared, registers):
        """After thread @t has made @op, and what is shared is no longer as @before; None: that is a race."""
        threads, released, write, reads = clocks
        mine, kind = threads[t], op[0]

        def place():
            return VARIABLES.index(op[2] if kind == "change" else op[1])

        def give(at, clock):
            nonlocal released, mine
            released = released[:at] + (clock,) + released[at + 1:]
            mine = mine[:t] + (mine[t] + 1,) + mine[t + 1:]

        if kind in ("load", "store") and op[1] == "d":
            if write and write[0] != t and mine[write[0]] < write[1]:
                return None
            if kind == "store":
                if any(mine[u] < reads[u] for u in range(len(reads)) if u != t):
                    return None
                write, reads = (t, mine[t]), self.none
            else:
                reads = reads[:t] + (mine[t],) + reads[t + 1:]
        elif kind == "load" and op[-1] in ACQUIRE:
            mine = later(mine, released[place()])
        elif kind == "store":
            give(place(), mine if op[-1] in RELEASE else self.none)
        elif kind in ("change", "swap"):
            order = op[-1] if kind == "change" else "seq_cst"
            was = released[place()]
            if order in ACQUIRE:
                mine = later(mine, was)
            if order in RELEASE and (kind == "change" or registers[REGISTERS.index(op[4])]):
                give(place(), later(was, mine))
        elif kind in ("lock", "try", "woken") and shared[OWNER] == t:
            mine = later(mine, released[OWNER])
        elif kind in ("unlock", "sleep"):
            give(OWNER, mine)
        elif kind == "post":
            give(SEMAPHORE, later(released[SEMAPHORE], mine))
        elif kind in ("wait", "trywait") and before != shared:
            mine = later(mine, released[SEMAPHORE])
        return threads[:t] + (mine,) + threads[t + 1:], released, write, reads


class Model:
    """All states that a program comes to. A state: what threads share; place and registers of each; who waits."""

    def __init__(self, program, limit=40000):
        self.code = [compiled(t.ops) for t in program.threads]
        self.numbers, self.before, self.last = {}, [], []  # of states: number, those before each, those with all done
        self.ends, self.races = set(), False
        *atomics, permits = program.first
        shared = (*atomics, 0, 0, 0, permits, -1)
        threads = tuple(self.alone(code, 0, (0,) * len(REGISTERS)) for code in self.code)
        self.clocks = Clocks(len(threads))
        keeps = any(op[1:2] == ["d"] for t in program.threads for op in t.ops)
        self.explore((shared, threads, (RUNS,) * len(threads), self.clocks.start if keeps else None), limit)
        self.gets_stuck = self.find_stuck()

    @staticmethod
    def put(registers, name, value):
        at = REGISTERS.index(name)
        return registers[:at] + (value,) + registers[at + 1:]

    def alone(self, code, place, registers):
        """What a thread does by itself."""
        for _ in range(10000):
            if place == len(code) or code[place][0] not in ("let", "if", "go"):
                return place, registers
            op = code[place]
            place += 1
            if op[0] == "let":
                registers = self.put(registers, op[1], op[2](*registers))
            elif op[0] == "go" or op[1](*registers):
                place = op[-1]
        raise TooLarge

    def step(self, op, t, shared, registers, waits):
        """All ways in which thread @t makes @op: (shared, registers, waits)."""
        kind, same = op[0], (shared, registers, waits)

        def share(at, value):
            return shared[:at] + (value,) + shared[at + 1:]

        def known(register, value, shared=shared):
            return [(shared, self.put(registers, register, value), waits)]

        def waiting(who, how):
            return tuple(how if u in who else w for u, w in enumerate(waits))

        if kind in ("load", "store", "change", "swap"):
            at = VARIABLES.index(op[2] if kind == "change" else op[1])
        if kind == "load":
            return known(op[2], shared[at])
        if kind == "store":
            return [(share(at, op[2](*registers)), registers, waits)]
        if kind == "change":
            return known(op[4], shared[at], share(at, COMPUTE[op[1]](shared[at], op[3](*registers))))
        if kind == "swap":
            if shared[at] == registers[REGISTERS.index(op[2])]:
                return known(op[4], 1, share(at, op[3](*registers)))
            return [(shared, self.put(self.put(registers, op[2], shared[at]), op[4], 0), waits)]
        if kind == "unlock":
            return [(share(OWNER, -1), registers, waits)]
        if kind == "try":
            return known(op[1], 1, share(OWNER, t)) if shared[OWNER] < 0 else known(op[1], 0)
        if kind == "post":
            return [(share(SEMAPHORE, shared[SEMAPHORE] + 1), registers, waits)]
        if kind in ("wait", "trywait"):
            taken = share(SEMAPHORE, shared[SEMAPHORE] - 1)
            if kind == "trywait":
                return known(op[1], 1, taken) if shared[SEMAPHORE] else known(op[1], 0)
            return [(taken, registers, waits)] if shared[SEMAPHORE] else []
        if kind == "getvalue":
            return known(op[1], shared[SEMAPHORE])
        if kind == "sleep":
            return [(share(OWNER, -1), registers, waiting([t], WAITS))]
        if kind in ("lock", "woken"):
            free = shared[OWNER] < 0 and (kind == "lock" or waits[t] == WOKEN)
            return [(share(OWNER, t), registers, waiting([t], RUNS))] if free else []
        sleepers = [u for u, w in enumerate(waits) if w == WAITS]
        if kind == "signal" and sleepers:
            return [(shared, registers, waiting([u], WOKEN)) for u in sleepers]
        return [(shared, registers, waiting(sleepers, WOKEN))] if sleepers else [same]

    def follow(self, state):
        """The states after @state."""
        shared, threads, waits, clocks = state
        for t, (place, registers) in enumerate(threads):
            if place == len(self.code[t]):
                continue
            op, then = self.code[t][place], None
            for after, regs, who in self.step(op, t, shared, registers, waits):
                if clocks:
                    then = self.clocks.after(clocks, op, t, shared, after, regs)
                    self.races |= not then
                mine = self.alone(self.code[t], place + 1, regs)
                yield after, threads[:t] + (mine,) + threads[t + 1:], who, then

    def note(self, state, limit):
        if state not in self.numbers:
            if len(self.numbers) == limit or max(map(abs, state[0])) > 200:
                raise TooLarge
            self.numbers[state] = len(self.numbers)
            self.before.append([])
        return self.numbers[state]

    def explore(self, start, limit):
        self.note(start, limit)
        todo = [start]
        while todo:
            state = todo.pop()
            shared, threads, _, _ = state
            if all(place == len(code) for (place, _), code in zip(threads, self.code)):
                self.ends.add(" ".join(map(str, shared[:SEMAPHORE + 1])) + ": " + " ".join(str(regs[0]) for _, regs in threads))
                self.last.append(self.numbers[state])
            for after in self.follow(state):
                known = len(self.numbers)
                self.before[self.note(after, limit)].append(self.numbers[state])
                if len(self.numbers) > known:
                    todo.append(after)

    def find_stuck(self):
        """Is there a state from which no end can be come to?"""
        ends, todo = set(self.last), list(self.last)
        while todo:
            for state in self.before[todo.pop()]:
                if state not in ends:
                    ends.add(state)
                    todo.append(state)
        return len(ends) < len(self.numbers)


# ---- C -----------------------------------------------------------------------------------------

HEAD = """#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __clang__
#define LOOK static __attribute__((noinline, optnone))
#else
#define LOOK static __attribute__((noipa))
#endif
static atomic_int x, y, z;
static int p, q, sums[3], *heap;
static __thread int mine;
static sem_t s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static int d;
LOOK int get(const int *v) { return *v; }
LOOK void put(int *v, int value) { *v = value; }
LOOK int look(atomic_int *v) { return atomic_load(v); }
LOOK void look_into(atomic_int *v, int *into) { *into = atomic_load(v); }
LOOK void swap_lock(atomic_int *v)
{
	for (;;) {
		int zero = 0;

		if (atomic_compare_exchange_strong(v, &zero, 1))
			return;
	}
}
"""

THREAD = """
static void *thread_{0}_{1}(void *arg)
{{
	int r = 0, a = 0, b = 0, i = 0, n = 0, seen = 0, junk = 0, pad[4] = {{ 0 }};

{2}
	(void)a, (void)b, (void)i, (void)n, (void)seen, (void)junk, (void)pad;
	sums[{1}] = r;
	return arg;
}}
"""

MAIN = """
int main(int argc, char **argv)
{
	pthread_t threads[3];
	int k = atoi(argv[1]), n = 0;

	atomic_init(&x, first[k][0]);
	atomic_init(&y, first[k][1]);
	atomic_init(&z, first[k][2]);
	sem_init(&s, 0, first[k][3]);
	heap = calloc(8, sizeof(*heap));
	for (; n < 3 && table[k][n]; n++)
		pthread_create(&threads[n], NULL, table[k][n], NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	sem_getvalue(&s, &argc);
	printf("%d %d %d %d %d %d %d:", x, y, z, p, q, d, argc);
	for (int i = 0; i < n; i++)
		printf(" %d", sums[i]);
	printf("\\n");
	return 0;
}
"""


def c_text(programs):
    """One file, whose argument says which of @programs it is to be."""
    out = [HEAD]
    for k, program in enumerate(programs):
        out += [THREAD.format(k, t.number, "\n".join(t.text)) for t in program.threads]
    rows = (", ".join(f"thread_{k}_{t.number}" for t in program.threads) for k, program in enumerate(programs))
    out.append("\nstatic void *(*const table[][3])(void *) = {\n" + "".join(f"\t{{ {row} }},\n" for row in rows) + "};\n")
    rows = (", ".join(map(str, program.first)) for program in programs)
    out.append("\nstatic const int first[][4] = {\n" + "".join(f"\t{{ {row} }},\n" for row in rows) + "};\n")
    return "".join(out) + MAIN


def random_programs(rng, n):
    """Pairs of a program and its model; each can end in two ways at least."""
    found = []
    while len(found) < n:
        program = Program(rng)
        try:
            model = Model(program)
        except TooLarge:
            continue
        if len(model.ends) > 1:
            found.append((program, model))
    return found
