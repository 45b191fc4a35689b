#!/usr/bin/env python3
"""Accesses tested in line are judged as calls are: the same findings, outputs, times, schedules and traces.

Random programs of threads that lock, read and write a shared buffer in all sizes, one by one, in
loops that are told of as ranges, in loops that are not, in functions that call nothing and in ones
that do. Each is built with tests in line, with hooks linked into the program, with calls into the
library, and with a part of either; all must say the same. The truth is not known here: the calls are judged by the oracle of races (unit tests), and that
something is found at all, and nothing where every access is locked, is asserted here. It is known of the programs in
which each thread has a stretch of the buffer to itself between two barriers: none races, but for the accesses that
were put into another's stretch.
"""
import os
import random
import re
import subprocess

import harness

SEED = int(os.environ.get("HEDDLE_TEST_SEED", random.SystemRandom().randrange(1 << 30)))
PROGRAMS, PHASED = (50, 60) if os.environ.get("HEDDLE_TEST_FULL") else (8, 4)
LEVELS = ("-O0", "-O2", "-O3")
TYPES = {"char": 1, "short": 2, "int": 4, "long": 8, "double": 8}
PAGES, BYTES = 4, 512  # of the shared buffer; so much of a page is used
# Or a structure of zeros would be written as a whole in one build and by its parts in the other: the same, but another trace.
OPAQUE = '__asm__ volatile("" : "+m"(three));'

HEAD = """
#include <pthread.h>
#include <stdio.h>
#include <string.h>
extern union shared { char c[%d]; short s[1]; int i[1]; long l[1]; double d[1]; } shared;
extern pthread_mutex_t locks[3];
extern pthread_barrier_t turn;
struct three { int a[2]; short b; char c; }; /* no number of bytes that is copied by one assignment */
void *body0(void *), *body1(void *), *body2(void *);
""" % (PAGES * 4096)

MAIN = HEAD + """
union shared shared;
pthread_mutex_t locks[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
pthread_barrier_t turn;
int main(void)
{
	void *(*const bodies[])(void *) = { body0, body1, body2 };
	pthread_t t[3];
	unsigned sum = 0;
	pthread_barrier_init(&turn, 0, 3);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, bodies[i], 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	for (int i = 0; i < %d; i++)
		sum = sum * 31 + (unsigned char)shared.c[i];
	printf("%%u\\n", sum);
	return 0;
}
""" % (PAGES * 4096)


# What is written is read before, after, elsewhere in the same loop; up, down; the same again in a slice.
LOOPS = """
double a[1000], b[1000];
int c[64];
char d[300];
__attribute__((noinline)) void apart(int n) { for (int i = 1; i < n; i++) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3; }
__attribute__((noinline)) void chain(int n) { for (int i = 1; i < n; i++) a[i] = a[i - 1] + 1; }
__attribute__((noinline)) void down(int n) { for (int i = n - 1; i >= 0; i--) c[i] += i; }
__attribute__((noinline)) int sum(int n) { int s = 0; for (int i = 0; i < n; i++) { s += d[i]; d[i] = (char)s; } return s; }
__attribute__((noinline)) int again(int n) { int s = 0; for (int i = 0; i < n; i++) s += c[i] + c[i]; return s; }
__attribute__((noinline)) int one(int n, const int *p) { int s = 0; for (int i = 0; i < n; i++) s += *p + d[i]; return s; }
int main(void)
{
	int s = 0;
	for (int i = 0; i < 300; i++)
		d[i] = (char)i;
	for (int t = 0; t < 5; t++) {
		apart(500 + t);
		chain(100);
		down(64);
		apart(30);
		s += sum(200) + again(40 + t) + again(20) + one(50, c + t);
	}
	return s == 12345;
}
"""

FAULT = """
#include <sys/mman.h>
__attribute__((noinline)) void fill(long *p, int n) { for (int i = 0; i < n; i++) p[i] = i; }
int main(void)
{
	long *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap((char *)p + 4096, 4096);
	fill(p, 100);
	fill(p, 600);
	return 0;
}
"""


class Writer:
    """The text of one random program: one function of accesses in each thread's file."""
    types = TYPES

    def __init__(self, rng, locked):
        self.rng, self.locked = rng, locked
        self.functions = []
        self.low, self.high = 0, BYTES  # what is accessed now
        self.bodies = [[self.section() for _ in range(rng.randrange(2, 6))] for _ in range(3)]

    def place(self, size, room=1):
        """An index of elements of that size, @room of them."""
        return self.rng.randrange(-(-self.low // size), self.high // size - room + 1)

    def one(self):
        kind = self.rng.choice(list(self.types))
        size, member = TYPES[kind], kind[0]
        where = f"shared.{member}[{self.place(size)}]"
        return self.rng.choice((f"{where} = ({kind})(sum & 7);", f"sum += (int){where};",
                                f"{where} += 1;"))

    def copy(self):
        at = 4 * self.place(4, 3)
        return self.rng.choice((f"memcpy(&three, shared.c + {at}, sizeof(three)); sum += three.a[0];",
                                f"*(struct three *)(shared.c + {at}) = three;"))

    def odd(self):
        """At any address: the compiler makes an access of it, which need not be aligned."""
        size = self.rng.choice((2, 4, 8, 16))
        at = self.place(1, size)
        return self.rng.choice((f"__builtin_memcpy(&odd, shared.c + {at}, {size}); sum += odd[0];",
                                f"__builtin_memcpy(shared.c + {at}, &odd, {size});"))

    def odd_loop(self):
        """A window that moves by one byte, as compressors have it: from two places."""
        size, n = self.rng.choice((2, 4, 8, 16)), self.rng.randrange(1, 30)
        at = self.place(1, 2 * n + size)
        return (f"for (int i = 0; i < {n}; i++) {{"
                f" __builtin_memcpy(&odd, shared.c + {at} + i, {size}); sum += odd[0];"
                f" __builtin_memcpy(&odd, shared.c + {at} + 2 * i, {size}); sum += odd[0]; }}")

    def loop(self):
        kind = self.rng.choice(list(self.types))
        size, member = TYPES[kind], kind[0]
        n = self.rng.randrange(1, min(40, (self.high - self.low) // size - 1))
        first = self.place(size, n)
        element = f"shared.{member}[{first} + i]"
        body = self.rng.choice((f"sum += (int){element};", f"{element} = ({kind})i;",
                                f"{element} += 1;", f"{element} = ({kind})({element} + sum);",
                                f"if (sum & 1) sum += (int){element}; else sum++;"))
        down = self.rng.random() < 0.3
        control = f"int i = {n} - 1; i >= 0; i--" if down else f"int i = 0; i < {n}; i++"
        return f"for ({control}) {body}"

    def stencil(self):
        """Each element and its neighbours: ranges that overlap."""
        kind = self.rng.choice(list(self.types))
        size, member = TYPES[kind], kind[0]
        most = min(40, (self.high - self.low) // size - 2)
        n = self.rng.randrange(most // 2, most)  # or gcc writes all rounds out
        first = self.place(size, n + 2)
        three = " + ".join(f"shared.{member}[{first + k} + i]" for k in range(3))
        return f"for (int i = 0; i < {n}; i++) sum += (int)({three});"

    def called(self):
        name = f"f{len(self.functions)}"
        inside = self.rng.choice((self.one, self.loop))()
        self.functions.append(f"__attribute__((noinline)) static int {name}(int sum)\n"
                              f"{{ {inside} return sum; }}")
        return f"sum = {name}(sum);"

    def ways(self):
        return self.one, self.loop, self.stencil, self.copy, self.odd, self.odd_loop, self.called

    def accesses(self, most=3):
        return [self.rng.choice(self.ways())() for _ in range(self.rng.randrange(1, most + 1))]

    def section(self):
        lock = 0 if self.locked else self.rng.choice((None, 0, 1, 2))
        lines = self.accesses()
        if lock is not None:
            lines = [f"pthread_mutex_lock(&locks[{lock}]);", *lines,
                     f"pthread_mutex_unlock(&locks[{lock}]);"]
        return lines

    def source(self, thread):
        lines = "\n\t".join(line for section in self.bodies[thread] for line in section)
        # Function definitions are in every file: each has a copy of its own.
        return (HEAD + "\n".join("__attribute__((unused)) " + f for f in self.functions)
                + f"\nvoid *body{thread}(void *arg)\n{{\n\tint sum = 0;\n"
                + f"\tstruct three three = {{ 0 }};\n\tint odd[4] = {{ 0 }};\n\t{OPAQUE}\n\t{lines}\n\treturn (void *)(long)sum;\n}}\n")


class Phased(Writer):
    """Three threads share a part of the buffer out anew at each barrier, down to four bytes; two times, then the next page.

    @planted: one writes to another's. @words: all accesses are aligned, of four or eight bytes; detection has a
    shorter form for pages that know no others.
    """

    def __init__(self, rng, planted, words):
        if words:
            self.types = ("int", "long", "double")
            self.ways = lambda: (self.one, self.loop, self.stencil, self.called)
        super().__init__(rng, False)
        self.bodies = [[], [], []]
        for phase in range(2 * PAGES):
            page = phase // 2 * 4096
            cuts = [page, page + 4 * rng.randrange(30, 45), page + 4 * rng.randrange(75, 95), page + BYTES]
            threads = rng.sample(range(3), 3)
            for part, thread in enumerate(threads):
                self.low, self.high = cuts[part:part + 2]
                self.bodies[thread].append([*self.accesses(9), "pthread_barrier_wait(&turn);"])
            if planted and phase == 5:
                self.bodies[threads[0]][-1].insert(0, f"shared.i[{cuts[1] // 4}] = 7; /* planted */")
                self.bodies[threads[1]][-1].insert(0, f"sum += shared.i[{cuts[1] // 4}];")


def races(document):
    """Which lines race; the order in which a pair is seen does not matter."""
    pairs = set()
    for finding in document["findings"]:
        lines = sorted((a["stack"][0].get("file", "?").rsplit("/", 1)[-1], a["stack"][0].get("line", 0))
                       for a in finding["accesses"][:2])
        pairs.add((finding["kind"], *lines))
    return pairs


def pairs_of(document):
    """The same for all pairs of places of each finding, not for the one that it leads with."""
    return {(finding["kind"], *sorted((a.get("file", "?").rsplit("/", 1)[-1], a.get("line", 0)) for a in pair["accesses"][:2]))
            for finding in document["findings"] for pair in finding.get("pairs", [finding])}


def agree(some, others, pairs_of_some=None, pairs_of_others=None):
    """Has every pair of each set one in the other (or in the pairs given for that) with the same place against the same thread?

    A thread's first access to some bytes at a time is told, and the next one there tells nothing new.
    Where accesses overlap only in part, or a loop is told of as a range, another may be the first.
    """
    def like(pair, other):
        return pair[0] == other[0] and any(pair[i] == other[j] and pair[3 - i][0] == other[3 - j][0]
                                           for i in (1, 2) for j in (1, 2))
    return all(any(like(a, b) for b in second)
               for first, second in ((some, pairs_of_others or others), (others, pairs_of_some or some)) for a in first)

# gcc writes these out when it makes machine code: a fill, a copy, a comparison, and a copy of a few bytes.
COPIES = r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static char filled[200], copied[96], compared[80], number[16];
static const char other[200];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg)
{
	char own[64];
	unsigned value;

	memset(own, arg != NULL, sizeof(own));
	if (LOCKED)
		pthread_mutex_lock(&lock);
	PREFIX(memset)(filled, own[3], 100);
	PREFIX(memcpy)(copied, other, 48);
	if (PREFIX(memcmp)(compared, other, 8) == 0)
		PREFIX(memcpy)(compared, own, 40);
	PREFIX(memcpy)(&value, number + 1, sizeof(value));
	value++;
	PREFIX(memcpy)(number + 1, &value, sizeof(value));
	if (LOCKED)
		pthread_mutex_unlock(&lock);
	return NULL;
}
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, worker, &a);
	pthread_create(&b, NULL, worker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d %d %d\n", filled[5], copied[5], compared[5], number[1]);
	return 0;
}
"""

WORDS = """
#include <pthread.h>
struct word { long v; } x, y = { 7 };
struct half { int v; } i, j = { 5 };
long l, m = 11;
static void *copy(void *arg) { struct word *to = arg; *to = y; i = j; l = m; return arg; }
int main(void) { pthread_t t; pthread_create(&t, 0, copy, &x); pthread_join(t, 0); return x.v + i.v + l - 23; }
"""

# A million rounds that read nothing, which nobody else can end; and as many that wait for another thread.
COMPUTES = """
#include <pthread.h>
static unsigned long from = 1, to;
static void *work(void *arg) {
	unsigned long x = from;
	for (long i = 0; i < 1000000; i++) x = x * 6364136223846793005ul + 1;
	if (x == 1) return arg;
	to = x;
	return 0;
}
int main(void) { pthread_t t; pthread_create(&t, 0, work, &t); pthread_join(t, 0); return to == 1; }
"""
WAITS = """
#include <pthread.h>
static int stop;
static void *work(void *arg) {
	long rounds = 0;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) rounds++;
	return (void *)rounds;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	return pthread_join(t, 0);
}
"""


class InLine(harness.SystemTest):
    programs = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        print(f"HEDDLE_TEST_SEED={SEED}")
        asked = subprocess.run([harness.heddle_command, "cc", "--version"], env=harness.environment(),
                               capture_output=True, text=True, check=True)
        cls.has_plugin = "tested in line" in asked.stdout + asked.stderr

    def compile(self, source, level, in_line):
        target = source[:-2] + (".in" if in_line else ".call") + ".o"
        extra = {} if in_line else {"HEDDLE_INLINE": "no"}
        subprocess.run([harness.heddle_command, "cc", "-g", level, "-w", "-c", source, "-o", target],
                       env=harness.environment(extra), check=True)
        return target

    def link(self, name, objects, hooks=True):
        extra = {} if hooks else {"HEDDLE_INLINE": "no"}
        subprocess.run([harness.heddle_command, "cc", "-pthread", *objects, "-o", self.path(name)],
                       env=harness.environment(extra), check=True)
        return self.path(name)

    def all_builds(self, writer, level):
        """The first is what the others must agree with."""
        names = [self.path(f"{what}.c") for what in ("main", "t0", "t1", "t2")]
        for name, text in zip(names, (MAIN, *(writer.source(i) for i in range(3)))):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        calls = [self.compile(name, level, False) for name in names]
        builds = [self.link("calls", calls, hooks=False), self.link("hooks", calls)]
        if self.has_plugin:
            here = [self.compile(name, level, True) for name in names]
            builds += [self.link("in-line", here), self.link("mixed", calls[:2] + here[2:], hooks=False)]
        return builds

    def judge(self, program, *options):
        document, done = self.run_json("run", *options, "--", program)
        return races(document), done.stdout

    def check_program(self, index):
        rng = random.Random(SEED + index)
        locked, level = index % 4 == 0, rng.choice(LEVELS)
        builds = self.all_builds(Writer(rng, locked), level)
        found = 0
        for options in (("--seed", "1"), ("--seed", "2"), ("--policy", "rr"),
                        ("--seed", "3", "--switch-at", "accesses")):
            said = [self.judge(program, *options) for program in builds]
            with self.subTest(seed=SEED + index, level=level, options=options):
                if "accesses" not in options:  # the compiler may do a thing twice here and not there
                    for pairs, out in said[1:]:
                        self.assertTrue(agree(pairs, said[0][0]), (pairs, said[0][0]))
                        self.assertEqual(out, said[0][1])
                for pairs, _ in said:
                    self.assertTrue(not locked or not pairs, pairs)
                found += len(said[0][0])
        exact = ("--record-exact",) if index % 2 else ()
        with self.subTest(seed=SEED + index, level=level, exact=exact):
            traces = [self.recorded(program, *exact) for program in builds]
            for trace in traces[1:]:
                self.assertEqual(trace, traces[0])
        return found

    def check_phased(self, index):
        rng = random.Random(SEED - 1 - index)
        writer, level = Phased(rng, planted=index % 2, words=index % 4 > 1), rng.choice(LEVELS)
        builds = self.all_builds(writer, level)
        planted = [(f"t{thread}.c", 1 + text.split("/* planted */")[0].count("\n"))
                   for thread, text in ((i, writer.source(i)) for i in range(3)) if "planted" in text]
        for options in (("--seed", "1"), ("--seed", "2"), ("--seed", "3", "--switch-at", "accesses"), ("--policy", "rr")):
            for program in builds:
                with self.subTest(seed=SEED, index=index, level=level, options=options, build=os.path.basename(program)):
                    pairs, _ = self.judge(program, *options)
                    self.assertEqual(bool(pairs), bool(planted), pairs)
                    for pair in pairs:
                        self.assertIn(planted[0], pair)

    def recorded(self, program, *options):
        """What threads do in a trace, in order, but for where: thread, kind, size and value."""
        self.heddle("run", "-q", "--record", self.path("t.htr"), *options, "--", program)
        dump = self.heddle("trace", "dump", self.path("t.htr"), status=0).stdout
        found = re.findall(r"^\d+ (T\d+ (?:read|write|acquire|release)) \S+ (?:size=(\d+) value=(\d+)|)",
                           dump, re.M)
        self.assertGreater(len(found), 10)
        # Functions are elsewhere in each build.
        return [(*what, "address" if value and 1 << 46 <= int(value) < 1 << 47 else value)
                for *what, value in found]

    def accesses(self, program, *options):
        """The accesses in a trace with their values and lines, in order."""
        self.heddle("run", "-q", "--record", self.path("t.htr"), *options, "--", program, status=None)
        dump = self.heddle("trace", "dump", self.path("t.htr"), status=0).stdout
        return re.findall(r"^\d+ (T\d+ (?:read|write)) \S+ (size=\d+ value=\S+ (?:repeat )?@\S+)", dump, re.M)

    def build(self, name, text, in_line):
        with open(self.path(f"{name}.c"), "w", encoding="utf-8") as file:
            file.write(text)
        extra = {} if in_line else {"HEDDLE_INLINE": "no"}
        target = self.path(f"{name}-{in_line}")
        subprocess.run([harness.heddle_command, "cc", "-g", "-O2", "-w", self.path(f"{name}.c"), "-o", target],
                       env=harness.environment(extra), check=True)
        return target

    def raced(self, name, in_line, *flags):
        """Of COPIES: the arrays that are told of."""
        with open(self.path(f"{name}.c"), "w", encoding="utf-8") as file:
            file.write(COPIES)
        subprocess.run([harness.heddle_command, "cc", "-g", "-w", *flags, self.path(f"{name}.c"), "-o", self.path(name)],
                       env=harness.environment({} if in_line else {"HEDDLE_INLINE": "no"}), check=True)
        document, _ = self.run_json("run", "--", self.path(name))
        return {f["variable"].split("[")[0] for f in document["findings"]}

    def test_copies_that_gcc_writes_out(self):
        """By their names, as _FORTIFY_SOURCE has them, and, which only the plugin sees, as gcc's own."""
        plain, own = "-DPREFIX(f)=f", "-DPREFIX(f)=__builtin_##f"
        ways = [(False, plain), (False, plain, "-D_FORTIFY_SOURCE=2")]
        if self.has_plugin:
            ways += [(True, plain), (True, plain, "-D_FORTIFY_SOURCE=2"), (True, own)]
        for in_line, *flags in ways:
            for level in LEVELS:
                with self.subTest(in_line=in_line, flags=flags, level=level):
                    self.assertEqual(self.raced("copies", in_line, level, "-DLOCKED=0", *flags),
                                     {"filled", "copied", "compared", "number"})
                    self.assertEqual(self.raced("copies", in_line, level, "-DLOCKED=1", *flags), set())

    def test_whole_loops(self):
        """Loops that are recorded as one are, access by access, what they are by calls."""
        builds = [self.build("loops", LOOPS, in_line) for in_line in (False, True)]
        for options in ((), ("--record-exact",)):
            calls, whole = (self.accesses(program, *options) for program in builds)
            self.assertGreater(len(calls), 10000)
            self.assertEqual(whole, calls)

    def test_fault_in_a_loop(self):
        """How far a loop came before a fault is not known: it is left out, with a word, and the fault is told."""
        if not self.has_plugin:
            print("skipped: accesses are not tested in line in this build")
            return
        program = self.build("fault", FAULT, True)
        document, _ = self.run_json("run", "--record", self.path("t.htr"), "--", program)
        self.assertEqual([finding["kind"] for finding in document["findings"]], ["crash"])
        info = self.heddle("trace", "info", self.path("t.htr"), status=0).stdout
        self.assertIn("loops in which a fault happened", info)
        self.assertNotIn("damaged", info)

    def test_collections(self):
        """What the plugin holds survives the compiler's collections of garbage between functions."""
        if not self.has_plugin:
            print("skipped: accesses are not tested in line in this build")
            return
        source = self.path("sizes.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("""
void f0(char *p) { p[0] = 1; }
void f1(short *p) { p[0] = 1; }
void f2(int *p, int n) { for (int i = 0; i < n; i++) p[i] += 1; }
void f3(long *p) { p[0] = p[1]; f0((char *)p); }
struct s { int a, b, c; };
void f4(struct s *p, struct s *q) { *p = *q; f0((char *)p); }
""")
        for level in LEVELS:
            subprocess.run([harness.heddle_command, "cc", level, "--param", "ggc-min-expand=0", "--param",
                            "ggc-min-heapsize=0", "-c", source, "-o", self.path("sizes.o")],
                           env=harness.environment(), check=True)

    def test_random_programs(self):
        self.assertGreater(sum(self.check_program(i) for i in range(PROGRAMS)), PROGRAMS)

    def test_phased_programs(self):
        for index in range(PHASED):
            self.check_phased(index)

    def test_copies(self):
        """A structure of one word is read, then written; the trace has what was written, not what was there before."""
        if not self.has_plugin:
            print("skipped: accesses are not tested in line in this build")
            return
        with open(self.path("copies.c"), "w", encoding="utf-8") as file:
            file.write(WORDS)
        for level in LEVELS:
            program = super().build(self.path("copies.c"), "copies", "-g", level)
            self.heddle("run", "--record", self.path("copies.htr"), "--", program, status=0)
            dump = self.heddle("trace", "dump", self.path("copies.htr"), status=0).stdout
            told = re.findall(r"T2 (read|write) (\S+) size=\d value=(\d+)", dump)
            told = [(what, name.split(".")[0], int(value)) for what, name, value in told if name[0] in "xyijlm"]
            self.assertEqual(told, [("read", "y", 7), ("write", "x", 7), ("read", "j", 5), ("write", "i", 5),
                                    ("read", "m", 11), ("write", "l", 11)], level)

    def test_computing(self):
        """A loop that reads nothing is no wait, whose end a proof would need; one that counts while it waits is."""
        for source, complete in ((COMPUTES, True), (WAITS, False)):
            with open(self.path("loop.c"), "w", encoding="utf-8") as file:
                file.write(source)
            program = super().build(self.path("loop.c"), "loop", "-g", "-O2")
            said = self.heddle("explore", "--", program, status=0 if complete else 4).stdout
            self.assertEqual("complete: every schedule" in said, complete, said)


if __name__ == "__main__":
    harness.main()
