#!/usr/bin/env python3
"""Every way a build calls its compiler, through `heddle cc` and `heddle c++`.

usage: run.py HEDDLE [TEST...]

HEDDLE is the built command. Each test runs in a new folder, once for gcc and
once for clang. Without a libheddle.so beside HEDDLE, a small stand-in is built,
so that compiling and linking can be tested by themselves.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = []

HELLO = """
#include <stdio.h>
int count;
int main(int argc, char **argv)
{
	(void)argv;
	count += argc;
	printf("count %d\\n", count);
	return 0;
}
"""
MAIN_CALLS_TWICE = """
#include <stdio.h>
int twice(int);
int main(void)
{
	printf("twice %d\\n", twice(21));
	return 0;
}
"""
TWICE = "int last;\nint twice(int n)\n{\n\tlast = n;\n\treturn 2 * last;\n}\n"


class Failure(Exception):
    pass


class Skip(Exception):
    pass


def test(function):
    TESTS.append(function)
    return function


def check(condition, text):
    if not condition:
        raise Failure(text)


class Box:
    """One test's folder, compiler and helpers."""

    def __init__(self, heddle, stage, family, folder):
        self.heddle = heddle
        self.stage = stage
        self.family = family
        self.folder = folder
        self.cc = family
        self.cxx = {"gcc": "g++", "clang": "clang++"}[family]
        self.env = dict(os.environ, HEDDLE_CC=family, LC_ALL="C")
        for name in ("HEDDLE_CXX", "HEDDLE_VERBOSE", "HEDDLE_OPTIONS", "LD_LIBRARY_PATH", "CC",
                     "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "MAKEFLAGS"):
            self.env.pop(name, None)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)) or ".", exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), errors="replace") as file:
            return file.read()

    def has(self, name):
        return os.path.exists(self.path(name))

    def run(self, *words, status=0, env=None, text=None):
        done = subprocess.run(words, cwd=self.folder, env=dict(self.env, **(env or {})),
                              input=text, capture_output=True, text=True, errors="replace",
                              timeout=300)
        if status is not None and done.returncode != status:
            raise Failure("%s: status %d instead of %d\n%s%s"
                          % (" ".join(words), done.returncode, status, done.stdout[-500:],
                             done.stderr[-1500:]))
        return done

    def hcc(self, *words, **more):
        return self.run(self.heddle, "cc", *words, **more)

    def need_cxx(self):
        if not shutil.which(self.cxx):
            raise Skip("there is no " + self.cxx)

    def hcxx(self, *words, **more):
        return self.run(self.heddle, "c++", *words, **more)

    def symbols(self, name):
        return self.run("nm", name).stdout

    def instrumented(self, name, yes=True):
        found = "__tsan_" in self.symbols(name)
        check(found == yes, "%s is %sinstrumented" % (name, "" if found else "not "))

    @staticmethod
    def place_of_hook(what, text):
        """Where @text first has the hook of an access, called or tested in line; -1: nowhere."""
        found = re.search("__tsan_%s|heddle_inline[0-9]+_(leaf_)?(idle_)?%s" % (what, what), text)
        return found.start() if found else -1

    def needed(self, name):
        text = self.run("readelf", "-dW", name).stdout
        return re.findall(r"\(NEEDED\).*\[(.*)\]", text)

    def linked_well(self, name):
        """libheddle first, no libtsan, everything bound at start."""
        libs = self.needed(name)
        check(libs and os.path.basename(libs[0]) == "libheddle.so",
              "%s needs %s: libheddle.so is not first" % (name, libs))
        check(not any("tsan" in lib for lib in libs), "%s needs libtsan" % name)
        dynamic = self.run("readelf", "-dW", name).stdout
        check("BIND_NOW" in dynamic or re.search(r"FLAGS_1.*NOW", dynamic),
              "%s binds lazily" % name)
        path = re.search(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", dynamic)
        check(path and path.group(1).split(":")[0].startswith("/"), "no absolute rpath in " + name)
        check("__tsan_init" not in self.run("nm", "--defined-only", name).stdout,
              "%s has libtsan linked in" % name)

    def output_of(self, name, *words):
        return self.run("./" + name, *words).stdout

    def files(self):
        return sorted(os.listdir(self.folder))


# ---- compiling ----

@test
def compile_only(box):
    box.write("foo.c", HELLO)
    box.hcc("-c", "foo.c")
    check(box.files() == ["foo.c", "foo.o"], "files: %s" % box.files())
    box.instrumented("foo.o")
    box.hcc("-O2", "-c", "foo.c", "-o", "other.o")
    box.hcc("-c", "foo.c", "-oglued.o")
    box.instrumented("other.o")
    box.instrumented("glued.o")


@test
def no_warning_of_ours(box):
    box.write("foo.c", HELLO)
    box.write("asm.s", '.section .note.GNU-stack,"",@progbits\n')
    for words in (["-c", "foo.c"], ["-S", "foo.c"], ["-E", "foo.c", "-o", "foo.i"],
                  ["-c", "foo.i"], ["-M", "foo.c"], ["-fsyntax-only", "foo.c"], ["foo.c"],
                  ["foo.o"], ["-c", "asm.s"], ["foo.o", "asm.s"], ["-shared", "-fPIC", "foo.c"],
                  ["-r", "foo.c", "-o", "r.o"], ["-r", "foo.o", "-o", "r.o"]):
        done = box.hcc("-Wall", "-Wextra", "-Werror", *words)
        check(done.stderr == "", "%s says: %s" % (words, done.stderr))


@test
def both_at_once(box):
    box.write("foo.c", HELLO)
    box.hcc("foo.c")
    check(box.files() == ["a.out", "foo.c"], "files: %s" % box.files())
    box.linked_well("a.out")
    box.instrumented("a.out")
    check(box.output_of("a.out", "x", "y") == "count 3\n", "wrong output")


@test
def link_only(box):
    box.write("foo.c", HELLO)
    box.hcc("-c", "foo.c")
    box.hcc("foo.o", "-o", "prog", "-lpthread", "-lm")
    box.linked_well("prog")
    check(box.output_of("prog") == "count 1\n", "wrong output")


@test
def several_sources(box):
    box.write("main.c", MAIN_CALLS_TWICE)
    box.write("sub/twice.c", TWICE)
    box.hcc("main.c", "sub/twice.c", "-o", "prog")
    check(box.output_of("prog") == "twice 42\n", "wrong output")
    box.linked_well("prog")
    check(box.files() == ["main.c", "prog", "sub"], "files: %s" % box.files())
    box.hcc("-c", "main.c", "sub/twice.c")
    box.instrumented("main.o")
    box.instrumented("twice.o")
    box.hcc("main.c", "twice.o", "-o", "mixed")
    check(box.output_of("mixed") == "twice 42\n", "wrong output")


@test
def preprocess(box):
    box.write("foo.c", HELLO + "#ifdef __has_feature\n#if __has_feature(thread_sanitizer)\n"
              "int marked;\n#endif\n#elif defined(__SANITIZE_THREAD__)\nint marked;\n#endif\n")
    check("int marked;" in box.hcc("-E", "foo.c").stdout, "the thread macro is not defined")
    box.hcc("-E", "foo.c", "-o", "foo.i")
    check("int count;" in box.read("foo.i"), "foo.i has no source")
    box.hcc("-c", "foo.i")
    box.instrumented("foo.o")
    check(box.files() == ["foo.c", "foo.i", "foo.o"], "files: %s" % box.files())


@test
def to_assembly(box):
    box.write("foo.c", HELLO)
    box.hcc("-S", "foo.c")
    check(box.files() == ["foo.c", "foo.s"], "files: %s" % box.files())
    check(box.place_of_hook("write4", box.read("foo.s")) >= 0, "foo.s is not instrumented")
    box.hcc("foo.s", "-o", "prog")
    box.linked_well("prog")
    check(box.output_of("prog") == "count 1\n", "wrong output")


@test
def assembler_sources(box):
    stack = '.section .note.GNU-stack,"",@progbits\n'
    box.write("main.c", MAIN_CALLS_TWICE.replace("twice(int)", "twice(int), thrice(int)")
              .replace("twice(21)", "twice(20) + thrice(0) - 1"))
    box.write("twice.s", ".globl twice\n.text\ntwice: leal (%rdi,%rdi), %eax\nret\n" + stack)
    box.write("thrice.S", "#ifdef NAME\n.globl NAME\n.text\nNAME: movl $VALUE, %eax\nret\n#endif\n"
              + stack)
    if os.uname().machine != "x86_64":
        raise Skip("the assembly is x86-64's")
    box.hcc("-DNAME=thrice", "-DVALUE=3", "main.c", "twice.s", "thrice.S", "-o", "prog")
    check(box.output_of("prog") == "twice 42\n", "wrong output")
    box.instrumented("prog")
    box.hcc("-c", "twice.s")
    box.instrumented("twice.o", False)


@test
def dependencies(box):
    box.write("foo.h", "")
    box.write("foo.c", '#include "foo.h"\n' + HELLO)
    check(box.hcc("-MM", "foo.c").stdout.split() == ["foo.o:", "foo.c", "foo.h"], "-MM is wrong")
    check("stdio.h" in box.hcc("-M", "foo.c").stdout, "-M is wrong")
    box.hcc("-MMD", "-c", "foo.c")
    check(box.read("foo.d").split() == ["foo.o:", "foo.c", "foo.h"], "foo.d is wrong")
    box.hcc("-MD", "-MF", "out.d", "-MT", "target", "-MP", "-c", "foo.c", "-o", "foo.o")
    check(box.read("out.d").startswith("target:"), "out.d is wrong")


@test
def same_files_as_the_compiler(box):
    """Side outputs get the names that the compiler alone would give them."""
    for words in (["-MD", "one.c"], ["-MD", "one.c", "-o", "prog"],
                  ["-MMD", "one.c", "two.c", "-o", "prog"], ["-MMD", "-c", "one.c", "two.c"],
                  ["-MD", "-c", "one.c", "-o", "out/deep.o"], ["-save-temps", "one.c", "two.c"],
                  ["-save-temps", "-c", "one.c"], ["-S", "one.c", "two.c"],
                  ["--coverage", "-c", "one.c"], ["-MD", "-c", "one.c", "-o", "x"]):
        names = []
        for kind in ("plain", "heddle"):
            folder = "%s%d" % (kind, len(os.listdir(box.folder)))
            box.write(folder + "/one.c", MAIN_CALLS_TWICE if "two.c" in words else HELLO)
            box.write(folder + "/two.c", TWICE)
            os.mkdir(box.path(folder + "/out"))
            compiler = [box.cc] if kind == "plain" else [box.heddle, "cc"]
            done = subprocess.run(compiler + words, cwd=box.path(folder), env=box.env,
                                  capture_output=True, text=True)
            check(done.returncode == 0, "%s %s: %s" % (compiler, words, done.stderr))
            names.append(sorted(os.path.relpath(os.path.join(at, name), box.path(folder))
                                for at, _, found in os.walk(box.path(folder)) for name in found))
        check(names[0] == names[1], "%s: %s instead of %s" % (words, names[1], names[0]))


@test
def languages(box):
    box.need_cxx()
    box.write("main.txt", HELLO)
    box.write("twice.c", TWICE)
    box.write("main.c", MAIN_CALLS_TWICE)
    box.hcc("-x", "c", "main.txt", "-o", "prog")
    check(box.output_of("prog") == "count 1\n", "wrong output")
    box.instrumented("prog")
    box.hcc("-c", "twice.c")
    box.hcc("-xc", "main.c", "-x", "none", "twice.o", "-o", "mixed")
    check(box.output_of("mixed") == "twice 42\n", "wrong output")
    box.write("cxx.c", "#include <vector>\nint count;\nint main() { std::vector<int> v(3); "
              "count = v.size(); return count - 3; }\n")
    box.hcc("-x", "c++", "cxx.c", "-lstdc++", "-o", "cxx")
    box.output_of("cxx")


@test
def standard_input(box):
    box.hcc("-x", "c", "-", "-o", "prog", text=HELLO)
    check(box.output_of("prog") == "count 1\n", "wrong output")
    box.instrumented("prog")
    box.hcc("-c", "-x", "c", "-o", "in.o", "-", text=HELLO)
    box.instrumented("in.o")
    check("int here" in box.hcc("-E", "-", text="int here;\n").stdout, "-E - is wrong")


@test
def optimisation_levels(box):
    box.write("foo.c", HELLO)
    for level in ("-O0", "-O1", "-O2", "-O3", "-Os", "-Og", "-Ofast"):
        box.hcc(level, "foo.c", "-o", "prog")
        check(box.output_of("prog") == "count 1\n", "wrong output at " + level)
        box.instrumented("prog")


@test
def position_independence(box):
    box.write("foo.c", HELLO)
    for words, kind in ((["-fPIE", "-pie"], "DYN"), (["-fno-pie", "-no-pie"], "EXEC")):
        box.hcc(*words, "foo.c", "-o", "prog")
        header = box.run("readelf", "-h", "prog").stdout
        check(re.search(r"Type:\s+" + kind, header), "%s gives no %s" % (words, kind))
        check(box.output_of("prog") == "count 1\n", "wrong output")
        box.linked_well("prog")


@test
def debug_information(box):
    box.write("foo.c", HELLO)
    for words, expected in (([], True), (["-g0"], False), (["-g1"], True), (["-ggdb3"], True)):
        box.hcc(*words, "-c", "foo.c")
        found = ".debug_info" in box.run("readelf", "-SW", "foo.o").stdout
        check(found == expected, "%s: debug information %s" % (words, found))


@test
def what_the_hooks_see(box):
    """x++ is a read and a write, in this order; a volatile access says that it is one."""
    box.write("foo.c", "int x;\nvolatile int v;\nvoid add(void) { x++; }\n"
              "int poll(void) { v = 1; return v; }\n")
    for level in ("-O0", "-O2"):
        box.hcc(level, "-S", "foo.c")
        text = box.read("foo.s")
        read, write = box.place_of_hook("read4", text), box.place_of_hook("write4", text)
        # Calls for tests in line are put aside by the optimiser, in no certain order.
        check(read >= 0 and write >= 0 and (read < write or "heddle_inline" in text),
              "x++ is not a read and a write at " + level)
        check("__tsan_volatile_read4" in text and "__tsan_volatile_write4" in text,
              "volatile accesses look like others at " + level)


@test
def fences_do_not_warn(box):
    box.write("foo.c", "#include <stdatomic.h>\n"
              "void f(void) { atomic_thread_fence(memory_order_seq_cst); }\n")
    box.hcc("-Wall", "-Werror", "-O1", "-c", "foo.c")
    check("__tsan_atomic_thread_fence" in box.symbols("foo.o"), "the fence is not seen")


@test
def precompiled_header(box):
    box.write("pre.h", "#include <stdio.h>\nextern int count;\n")
    box.write("foo.c", '#include "pre.h"\n' + HELLO.replace("#include <stdio.h>", ""))
    box.hcc("pre.h")
    check(box.has("pre.h.gch"), "no pre.h.gch: %s" % box.files())
    use = ["-include", "pre.h"] if box.family == "clang" else []
    box.hcc("-Winvalid-pch", "-Werror", *use, "-c", "foo.c")
    box.instrumented("foo.o")
    box.hcc("-Winvalid-pch", "-Werror", *use, "foo.c", "-o", "prog")
    check(box.output_of("prog") == "count 1\n", "wrong output")
    box.hcc("-x", "c-header", "pre.h", "-o", "named.gch")
    check(box.has("named.gch"), "no named.gch")


@test
def our_header(box):
    box.write("foo.c", "#include <heddle/heddle.h>\nint main(void) { return 0; }\n")
    heddle = os.path.join(box.stage, "heddle")
    box.run(heddle, "cc", "-Werror", "foo.c")
    check("heddle/heddle.h" in box.run(heddle, "cc", "-M", "foo.c").stdout, "-M misses our header")


# ---- linking ----

@test
def shared_library(box):
    box.write("main.c", MAIN_CALLS_TWICE)
    box.write("twice.c", TWICE)
    box.hcc("-shared", "-fPIC", "twice.c", "-Wl,-z,defs", "-o", "libtwice.so")
    box.linked_well("libtwice.so")
    box.instrumented("libtwice.so")
    box.hcc("-fPIC", "-c", "twice.c")
    box.hcc("-shared", "-Wl,-soname,libtwo.so", "twice.o", "-o", "libtwo.so")
    box.linked_well("libtwo.so")
    box.hcc("main.c", "-L.", "-ltwice", "-Wl,-rpath," + box.folder, "-o", "prog")
    check(box.output_of("prog") == "twice 42\n", "wrong output")
    box.linked_well("prog")


@test
def static_archive(box):
    box.write("main.c", MAIN_CALLS_TWICE)
    box.write("twice.c", TWICE)
    box.hcc("-c", "twice.c")
    box.run("ar", "rcs", "libtwice.a", "twice.o")
    box.instrumented("libtwice.a")
    box.hcc("main.c", "libtwice.a", "-o", "by_name")
    box.hcc("main.c", "-L", ".", "-l", "twice", "-o", "by_search")
    for name in ("by_name", "by_search"):
        check(box.output_of(name) == "twice 42\n", "wrong output")
        box.linked_well(name)


@test
def relocatable(box):
    box.write("main.c", MAIN_CALLS_TWICE)
    box.write("twice.c", TWICE)
    box.hcc("-c", "main.c")
    box.hcc("-r", "twice.c", "main.o", "-o", "all.o")
    box.instrumented("all.o")
    kind = box.run("readelf", "-h", "all.o").stdout
    check(re.search(r"Type:\s+REL", kind), "-r gives no object")
    box.hcc("all.o", "-o", "prog")
    check(box.output_of("prog") == "twice 42\n", "wrong output")


@test
def static_is_declined(box):
    box.write("foo.c", HELLO)
    box.hcc("-fno-pie", "-c", "foo.c")
    for words in (["-static", "foo.c"], ["-static", "foo.o"], ["-static-pie", "-fPIE", "foo.c"]):
        done = box.hcc(*words, "-o", "prog")
        check(done.stderr.count("\n") == 1 and "-static" in done.stderr,
              "%s says: %s" % (words, done.stderr))
        box.linked_well("prog")
        check(box.output_of("prog") == "count 1\n", "wrong output")
    done = box.hcc("-static-libgcc", "foo.c", "-o", "prog")
    check(done.stderr == "", "-static-libgcc says: " + done.stderr)


@test
def freestanding(box):
    if os.uname().machine != "x86_64":
        raise Skip("the assembly is x86-64's")
    box.write("start.c", 'int count;\nvoid _start(void)\n{\n\tcount = 60;\n\t__asm__ volatile('
              '"syscall" : : "a"(count), "D"(7));\n\tfor (;;)\n\t\t;\n}\n')
    for words in (["-nostdlib"], ["-nodefaultlibs", "-nostartfiles"], ["-nostdlib", "-static"]):
        done = box.hcc(*words, "start.c", "-o", "prog")
        check(done.stderr == "", "%s says: %s" % (words, done.stderr))
        check(box.needed("prog") == [], "%s links libraries" % words)
        box.instrumented("prog", False)
        box.run("./prog", status=7)
    box.hcc("-ffreestanding", "-c", "start.c")
    box.instrumented("start.o", False)
    # How libtool links a C++ library: the C library is there, only named by hand.
    box.write("twice.c", TWICE)
    box.hcc("-shared", "-nostdlib", "-fPIC", "twice.c", "-lc", "-o", "libtwice.so")
    box.linked_well("libtwice.so")


@test
def link_time_optimisation(box):
    box.write("main.c", "#include <stdio.h>\nint store(int, int);\n"
              "int main(int argc, char **argv)\n{\n\t(void)argv;\n"
              '\tprintf("sum %d\\n", store(argc, 5) + store(3 * argc, 6));\n'
              "\treturn 0;\n}\n")
    box.write("store.c", "int table[4];\nint store(int at, int value)\n{\n"
              "\ttable[at & 3] = value;\n\treturn table[1];\n}\n")
    plain = box.run(box.cc, "-flto", "-O2", "main.c", "store.c", "-o", "plain", status=None)
    if plain.returncode:
        raise Skip("this %s cannot link with -flto" % box.cc)
    box.hcc("-flto", "-O2", "main.c", "store.c", "-o", "prog")
    box.hcc("-flto", "-O2", "-c", "main.c", "store.c")
    box.hcc("-flto", "-O2", "main.o", "store.o", "-o", "stepwise")
    for name in ("prog", "stepwise"):
        # table[1] is 5 after the first store, and the second goes to table[3].
        check(box.output_of(name) == "sum 10\n", "wrong output")
        box.linked_well(name)
        check(box.place_of_hook("write4", box.symbols(name)) >= 0, name + " is not instrumented")


@test
def openmp(box):
    box.write("omp.c", "#include <omp.h>\n#include <stdio.h>\nint sum;\nint main(void)\n{\n"
              "#pragma omp parallel for reduction(+ : sum)\n\tfor (int i = 0; i < 10; i++)\n"
              '\t\tsum += i;\n\tprintf("sum %d\\n", sum);\n\treturn 0;\n}\n')
    if box.run(box.cc, "-fopenmp", "omp.c", "-o", "plain", status=None).returncode:
        raise Skip("this %s has no OpenMP" % box.cc)
    if box.family == "clang":
        done = box.hcc("-fopenmp", "omp.c", "-o", "prog", status=2)
        check("OpenMP programs need gcc" in done.stderr, "it is not refused")
        return
    box.hcc("-fopenmp", "omp.c", "-o", "prog")
    box.linked_well("prog")
    box.instrumented("prog")
    check(not any("omp" in lib for lib in box.needed("prog")), "an OpenMP library is linked")


# ---- options ----

@test
def response_files(box):
    box.write("main.c", MAIN_CALLS_TWICE)
    box.write("twice.c", TWICE + 'const char *text = TEXT;\n')
    box.write("inner.rsp", "-fsanitize=thread 'twice.c'\n")
    box.write("outer.rsp", "main.c @inner.rsp\n-DTEXT='\"two words\"' -DTEXT2=a\\ b\n\n-o prog\n")
    box.write("text.rsp", "-DTEXT=\"\\\"two words\\\"\"")
    box.hcc("-O1", "@outer.rsp")
    check(box.output_of("prog") == "twice 42\n", "wrong output")
    box.linked_well("prog")
    box.instrumented("prog")
    box.hcc("-c", "@text.rsp", "twice.c")
    check("two words" in box.run("strings", "twice.o").stdout, "quotes were lost")
    done = box.hcc("@no_such_file", "-c", "main.c", status=None)
    check(done.returncode not in (0, 2, 3), "a missing response file: %d" % done.returncode)
    box.write("self.rsp", "@self.rsp")
    done = box.hcc("@self.rsp", status=2)
    check(done.stderr.count("\n") == 1 and "self.rsp" in done.stderr, done.stderr)


@test
def long_response_file(box):
    """More words than exec takes."""
    box.write("foo.c", HELLO)
    box.write("twice.c", TWICE)
    box.hcc("-c", "foo.c", "twice.c")
    box.run("ar", "rcs", "libtwice.a", "twice.o")
    box.write("long.rsp", "foo.o -o prog\n" + "%slibtwice.a\n" % ("./" * 60) * 20000)
    box.hcc("@long.rsp")
    check(box.output_of("prog") == "count 1\n", "wrong output")
    box.linked_well("prog")


@test
def questions_pass_through(box):
    box.write("foo.c", HELLO)

    def same(*words):
        ours, theirs = box.hcc(*words, status=None), box.run(box.cc, *words, status=None)

        def plain(text):  # on standard error, --version says in one line how accesses are seen
            return re.sub(r"/tmp/[\w./-]+", "TEMPORARY", re.sub(r"^heddle: accesses are .*\n", "", text))
        check(ours.returncode == theirs.returncode, "%s: another status" % (words,))
        check(plain(ours.stdout) == plain(theirs.stdout), "%s: other output" % (words,))
        check(plain(ours.stderr) == plain(theirs.stderr), "%s: other messages" % (words,))
    for words in (["--version"], ["-v"], ["-dumpversion"], ["-dumpmachine"], ["-print-search-dirs"],
                  ["-print-file-name=libc.so"], ["-print-prog-name=ld"],
                  ["-###", "foo.c"], ["-Wl,--version"], [], ["-c"], ["-fsanitize=address", "-v"]):
        same(*words)
    check(box.files() == ["foo.c"], "a question left files: %s" % box.files())
    check("heddle: accesses are " in box.hcc("--version").stderr, "--version does not say how")
    check(box.hcc("--help").stdout.startswith("usage: heddle cc"), "--help does not say who we are")


@test
def errors_are_the_compilers(box):
    box.write("bad.c", "int main(void) { return undeclared; }\n")
    box.write("unresolved.c", "int nowhere(void);\nint main(void) { return nowhere(); }\n")
    for words in (["-c", "bad.c"], ["bad.c"], ["-c", "missing.c"],
                  ["-c", "bad.c", "-fno-such-flag"]):
        ours = box.hcc(*words, status=None)
        theirs = box.run(box.cc, *words, status=None)
        check(ours.returncode == theirs.returncode != 0, "%s: another status" % words)
        check(ours.stderr == theirs.stderr, "%s: %s instead of %s"
              % (words, ours.stderr, theirs.stderr))
    box.hcc("unresolved.c", status=1)
    check(not box.has("a.out"), "a failed link left a program")


@test
def users_sanitizers(box):
    box.write("foo.c", HELLO)
    for words in (["-fsanitize=thread"], ["-fsanitize=thread", "-static-libtsan"], ["-ltsan"],
                  ["-l", "tsan"], ["-fsanitize=address", "-fno-sanitize=address"]):
        box.hcc(*words, "foo.c", "-o", "prog")
        box.linked_well("prog")
        box.instrumented("prog")
        check(box.output_of("prog") == "count 1\n", "wrong output")
    box.hcc("-fsanitize=thread", "-c", "foo.c")
    box.hcc("-fsanitize=thread", "foo.o", "-o", "prog")
    box.linked_well("prog")
    for name in ("address", "leak", "undefined,address", "thread,address"):
        done = box.hcc("-fsanitize=" + name, "-c", "foo.c", "-o", "not.o", status=2)
        check(done.stderr.count("\n") == 1 and "-fsanitize=" in done.stderr, done.stderr)
        check(not box.has("not.o"), "compiled all the same")
    box.hcc("-fno-sanitize=thread", "-c", "foo.c", "-o", "left.o")
    box.instrumented("left.o", False)
    box.hcc("-fno-sanitize=thread", "foo.c", "-o", "left")
    box.linked_well("left")


@test
def undefined_behaviour_sanitizer(box):
    box.write("shift.c", "#include <stdio.h>\nint by = 40;\n"
              'int main(void) { printf("%d\\n", 1 << by); return 0; }\n')
    if box.run(box.cc, "-fsanitize=undefined", "shift.c", status=None).returncode:
        raise Skip("this %s has no undefined behaviour sanitizer" % box.cc)
    box.hcc("-fsanitize=thread,undefined", "shift.c", "-o", "prog")
    box.linked_well("prog")
    check("__ubsan_handle_shift_out_of_bounds" in box.symbols("prog"), "undefined was dropped")
    check(box.place_of_hook("read4", box.symbols("prog")) >= 0, "thread was dropped")


@test
def choosing_the_compiler(box):
    box.need_cxx()
    box.write("foo.c", HELLO)
    box.write("foo.cc", "int main() { return 0; }\n")

    def command(done):
        return done.stderr.splitlines()[0]
    verbose = {"HEDDLE_VERBOSE": "1"}
    line = command(box.hcxx("-c", "foo.cc", env=verbose))
    check(line.startswith("heddle: %s " % box.cxx), line)
    line = command(box.hcxx("-c", "foo.cc", env=dict(verbose, HEDDLE_CXX="env " + box.cxx)))
    check(line.startswith("heddle: env %s " % box.cxx), line)
    line = command(box.hcc("-c", "foo.c", env=dict(verbose, HEDDLE_CC="env " + box.cc)))
    check(line.startswith("heddle: env %s " % box.cc), line)
    box.instrumented("foo.o")
    # A name that does not tell which compiler it is.
    box.write("mycompiler", '#!/bin/sh\nexec %s "$@"\n' % box.cc)
    os.chmod(box.path("mycompiler"), 0o755)
    box.hcc("foo.c", env={"HEDDLE_CC": box.path("mycompiler")})
    box.linked_well("a.out")
    box.instrumented("a.out")
    done = box.hcc("foo.c", status=2, env={"HEDDLE_CC": "no-such-compiler"})
    check(done.stderr.count("\n") == 1 and "no-such-compiler" in done.stderr, done.stderr)
    box.hcc("foo.c", status=2, env={"HEDDLE_CC": "heddle cc"})


@test
def one_word_names(box):
    box.need_cxx()
    box.write("foo.c", HELLO)
    box.write("foo.cc", "#include <vector>\n"
              "int main() { return (int)std::vector<int>().size(); }\n")
    for name in ("heddle-cc", "heddle-c++"):
        os.symlink(box.heddle, box.path(name))
    box.run("./heddle-cc", "foo.c", "-o", "c")
    box.run("./heddle-c++", "foo.cc", "-o", "cxx")
    for name in ("c", "cxx"):
        box.linked_well(name)
        box.output_of(name)


# ---- C++ ----

CXX_THREADS = """
#include <atomic>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::condition_variable all_done;
static std::atomic<int> started;
static int done;

static void work(int n)
{
	try {
		started++;
		if (n == 2)
			throw std::runtime_error("two");
	} catch (const std::runtime_error &) {
		started += 10;
	}
	std::lock_guard<std::mutex> guard(mutex);
	done++;
	all_done.notify_one();
}

int main()
{
	std::vector<std::thread> threads;

	for (int i = 0; i < 4; i++)
		threads.emplace_back(work, i);
	{
		std::unique_lock<std::mutex> guard(mutex);
		all_done.wait(guard, [] { return done == 4; });
	}
	for (auto &thread : threads)
		thread.join();
	std::cout << "done " << done << " started " << started << std::endl;
	return 0;
}
"""


@test
def cxx_threads(box):
    box.need_cxx()
    box.write("threads.cc", CXX_THREADS)
    box.hcxx("-std=c++17", "-O2", "-Wall", "-Werror", "threads.cc", "-o", "prog", "-pthread")
    box.linked_well("prog")
    box.instrumented("prog")
    # 4 threads start; the one that throws adds ten more.
    check(box.output_of("prog") == "done 4 started 14\n", "wrong output")
    box.hcxx("-std=c++17", "-c", "threads.cc")
    box.hcxx("threads.o", "-o", "stepwise", "-pthread")
    check(box.output_of("stepwise") == "done 4 started 14\n", "wrong output")


# ---- build systems ----

CONFIGURE = r"""#!/bin/sh
# As autoconf's checks go: does the compiler work, what is the suffix, is there
# a header, a function, a flag; then write a Makefile.
: "${CC=cc}"
fail() { echo "configure: $1" >&2; exit 1; }
try() { $CC $CFLAGS "$@" >conftest.log 2>&1; }
echo 'int main(void) { return 0; }' >conftest.c
try -o conftest conftest.c || fail "the compiler cannot make programs"
./conftest || fail "cannot run what the compiler makes"
rm -f a.out; try conftest.c && test -f a.out || fail "the default name is not a.out"
try -c conftest.c && test -f conftest.o || fail "no conftest.o"
try -E conftest.c || fail "cannot preprocess"
echo '#include <no/such/header.h>' >conftest.c
try -E conftest.c && fail "finds a header that is not there"
printf '#include <pthread.h>\nint main(void) { return !pthread_self; }\n' >conftest.c
try -o conftest conftest.c -lpthread || fail "no pthreads"
printf 'int no_such_function(void);\nint main(void) { return no_such_function(); }\n' >conftest.c
try -o conftest conftest.c && fail "finds a function that is not there"
echo 'int x;' >conftest.c
try -Werror -Wall -c conftest.c || fail "-Werror fails: `cat conftest.log`"
test -s conftest.log && fail "the compiler prints: `cat conftest.log`"
try -fno-such-option -Werror -c conftest.c && fail "accepts any option"
try -fPIC -shared -o conftest.so conftest.c || fail "no shared libraries"
$CC -v >/dev/null 2>&1 || fail "-v fails"
rm -f conftest* a.out
sed "s|@CC@|$CC|; s|@CFLAGS@|${CFLAGS--g -O2}|" Makefile.in >Makefile
"""
MAKEFILE = """CC = @CC@
CFLAGS = @CFLAGS@
OBJS = main.o
all: prog plugin.so
prog: $(OBJS) libtwice.a
\t$(CC) $(CFLAGS) -o $@ $(OBJS) libtwice.a -lpthread
libtwice.a: twice.o
\tar rcs $@ twice.o
plugin.so: twice.c
\t$(CC) $(CFLAGS) -fPIC -shared -o $@ twice.c
.c.o:
\t$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<
-include main.d twice.d
"""


@test
def configure_and_make(box):
    box.write("configure", CONFIGURE)
    box.write("Makefile.in", MAKEFILE)
    box.write("main.c", MAIN_CALLS_TWICE)
    box.write("twice.c", TWICE)
    box.run("sh", "./configure", env={"CC": box.heddle + " cc"})
    box.run("make")
    check(box.output_of("prog") == "twice 42\n", "wrong output")
    for name in ("prog", "plugin.so"):
        box.linked_well(name)
        box.instrumented(name)
    check("twice.c" in box.read("twice.d"), "no dependency file")


@test
def cmake_project(box):
    if not shutil.which("cmake"):
        raise Skip("cmake is not installed")
    box.write("CMakeLists.txt", """cmake_minimum_required(VERSION 3.10)
project(both C CXX)
find_package(Threads REQUIRED)
add_library(twice STATIC twice.c)
add_library(shared SHARED twice.c)
add_executable(prog main.c)
target_link_libraries(prog twice)
add_executable(dynamic main.c)
target_link_libraries(dynamic shared)
add_executable(threads threads.cc)
target_link_libraries(threads Threads::Threads)
""")
    box.write("main.c", MAIN_CALLS_TWICE)
    box.write("twice.c", TWICE)
    box.write("threads.cc", CXX_THREADS)
    for name in ("heddle-cc", "heddle-c++"):
        os.symlink(box.heddle, box.path(name))
    ways = (["-DCMAKE_C_COMPILER=" + box.path("heddle-cc"),
             "-DCMAKE_CXX_COMPILER=" + box.path("heddle-c++")],
            ["-DCMAKE_C_COMPILER=%s;cc" % box.heddle, "-DCMAKE_CXX_COMPILER=%s;c++" % box.heddle])
    for number, words in enumerate(ways):
        build = "build%d" % number
        box.run("cmake", "-S", ".", "-B", build, "-DCMAKE_BUILD_TYPE=RelWithDebInfo", *words)
        box.run("cmake", "--build", build)
        for name, text in (("prog", "twice 42\n"), ("dynamic", "twice 42\n"),
                           ("threads", "done 4 started 14\n")):
            check(box.output_of(build + "/" + name) == text, "wrong output of " + name)
            box.linked_well(build + "/" + name)
            box.instrumented(build + "/" + name)


@test
def meson_project(box):
    if not shutil.which("meson") or not shutil.which("ninja"):
        raise Skip("meson or ninja is not installed")
    box.write("meson.build", """project('twice', 'c', default_options: ['warning_level=2'])
lib = shared_library('twice', 'twice.c')
executable('prog', 'main.c', link_with: lib, dependencies: dependency('threads'))
""")
    box.write("main.c", MAIN_CALLS_TWICE)
    box.write("twice.c", TWICE)
    box.run("meson", "setup", "build", env={"CC": box.heddle + " cc"})
    box.run("ninja", "-C", "build")
    check(box.output_of("build/prog") == "twice 42\n", "wrong output")
    box.linked_well("build/prog")
    box.instrumented("build/libtwice.so")


@test
def libtool_project(box):
    if not shutil.which("libtool"):
        raise Skip("libtool is not installed")
    # A project's configure writes a libtool of its own that knows the compiler.
    compiler = [box.heddle, "cc"]
    with open(shutil.which("libtool")) as file:
        script = re.sub(r"(?m)^CC=.*$", 'CC="%s"' % " ".join(compiler), file.read())
    box.write("libtool", script)
    box.write("main.c", MAIN_CALLS_TWICE)
    box.write("twice.c", TWICE)
    tool = ["bash", "./libtool", "--tag=CC", "--quiet"]
    box.run(*tool, "--mode=compile", *compiler, "-c", "twice.c")
    box.run(*tool, "--mode=link", *compiler, "-o", "libtwice.la", "twice.lo", "-rpath", box.folder)
    box.hcc("-c", "main.c")
    box.run(*tool, "--mode=link", *compiler, "-o", "prog", "main.o", "libtwice.la")
    check(box.output_of("prog") == "twice 42\n", "wrong output")
    for name in (".libs/libtwice.so", ".libs/prog"):
        box.linked_well(name)
        box.instrumented(name)


# ---- statics handed over through atomics ----

@test
def handover(box):
    """What the compilers get wrong without the flags that heddle adds; see docs/guide/cc.md."""
    box.run(box.cc, "-O1", "-c", os.path.join(HERE, "tsan_stub.c"), "-o", "stub.o")
    full = os.environ.get("HEDDLE_TEST_FULL")
    flag_sets = [["-O0"], ["-O2"]]
    if full:
        flag_sets += [["-O1"], ["-O3"], ["-Os"], ["-Og"], ["-O2", "-fPIC"]]
    if box.family == "gcc":
        flag_sets += [["-O2", "-flto"]]
        flag_sets += [["-O2", "-fwhole-program"], ["-O3", "-fipa-pta"]] if full else []
    programs = sorted(name for name in os.listdir(HERE)
                      if name.startswith("handover_") and name.endswith(".c"))
    check(programs, "no handover programs")
    for flags in flag_sets:
        for name in programs:
            box.hcc(*flags, "-Wall", "-Werror", "-c", os.path.join(HERE, name), "-o", "handover.o")
            # The stub comes before libheddle, so that it answers the hooks.
            box.hcc(*flags, "handover.o", "stub.o", "-o", "prog")
            done = subprocess.run([box.path("prog")], capture_output=True, text=True, timeout=60)
            check(done.returncode == 0, "%s %s:\n%s" % (name, flags, done.stdout))


@test
def handover_between_threads(box):
    """The same with real threads: the example of docs/guide/cc.md."""
    box.write("box.c", """#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
_Atomic int request, reply;
static int box;
static void *other(void *unused)
{
	while (!atomic_load(&request)) { }
	box = 7;
	atomic_store(&reply, 1);
	return unused;
}
__attribute__((noinline)) static void ask(void)
{
	atomic_store(&request, 1);
	while (!atomic_load(&reply)) { }
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, other, NULL);
	box = 1;
	ask();
	printf("box %d\\n", box);
	return pthread_join(thread, NULL);
}
""")
    for level in ("-O0", "-O1", "-O2", "-O3", "-Os"):
        box.hcc(level, "-pthread", "box.c", "-o", "prog")
        check(box.output_of("prog") == "box 7\n", "wrong output at " + level)


@test
def other_linkers(box):
    box.write("foo.c", HELLO)
    tried = 0
    for linker in ("bfd", "gold", "lld"):
        use = "-fuse-ld=" + linker
        if box.run(box.cc, use, "foo.c", "-o", "plain", status=None).returncode:
            continue
        tried += 1
        box.hcc(use, "foo.c", "-o", "prog")
        check(box.output_of("prog") == "count 1\n", "wrong output with " + linker)
        box.linked_well("prog")
    if not tried:
        raise Skip("no other linker is installed")


# ---- running them ----

def make_stage(folder, heddle):
    """A copy of the command with a stand-in for the runtime and a header of ours beside it."""
    shutil.copy(heddle, os.path.join(folder, "heddle"))
    include = os.path.join(folder, "include", "heddle")
    os.makedirs(include)
    with open(os.path.join(include, "heddle.h"), "w") as file:
        file.write("#define HEDDLE_HEADER_FOUND 1\n")
    subprocess.run(["gcc", "-O1", "-w", "-fPIC", "-shared", "-Wl,-soname,libheddle.so",
                    os.path.join(HERE, "tsan_stub.c"), "-o",
                    os.path.join(folder, "libheddle.so")], check=True)


def run_one(function, heddle, stage, family):
    folder = tempfile.mkdtemp(prefix="heddle-cc-")
    try:
        function(Box(heddle, stage, family, os.path.realpath(folder)))
        return "ok", ""
    except Skip as why:
        return "skipped:", str(why)
    except (Failure, OSError, subprocess.SubprocessError) as why:
        return "FAILED", str(why)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    heddle = os.path.abspath(sys.argv[1])
    chosen = [t for t in TESTS if not sys.argv[2:] or t.__name__ in sys.argv[2:]]
    stage = os.path.realpath(tempfile.mkdtemp(prefix="heddle-stage-"))
    failed = 0
    try:
        make_stage(stage, heddle)
        if not os.path.exists(os.path.join(os.path.dirname(heddle), "libheddle.so")):
            print("no libheddle.so beside %s: testing with a stand-in" % heddle)
            heddle = os.path.join(stage, "heddle")
        for family in ("gcc", "clang"):
            if not shutil.which(family):
                print("skipped: the tests with %s: it is not installed" % family)
                continue
            # Most of it is the same for both: with clang, every third test without check-full.
            short = family == "clang" and not sys.argv[2:] and not os.environ.get("HEDDLE_TEST_FULL")
            for function in chosen[::3] if short else chosen:
                result, text = run_one(function, heddle, stage, family)
                failed += result == "FAILED"
                print("%-7s %-5s %s%s" % (result, family, function.__name__,
                                          ": " + text if text else ""), flush=True)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    print("cc: %s" % ("%d tests failed" % failed if failed else "all tests passed"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
