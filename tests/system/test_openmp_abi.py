#!/usr/bin/env python3
"""Every function of libgomp is answered by libheddle, or named in tests/openmp/unsupported.txt.

usage: test_openmp_abi.py BUILDDIR

The list of libgomp's functions with their versions is tests/openmp/libgomp-symbols.txt; where
the machine has a libgomp, it must have no function that the list does not know. On worker threads
(`heddle run --parallel`) whichever is called first ends the program with one sentence, and status 2.
"""
import fnmatch
import glob
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def functions(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                         check=True).stdout
    rows = [line.split() for line in out.splitlines()]
    return {row[2].split("@")[0] for row in rows if len(row) == 3 and row[1] in "TW"}


def lines(name):
    with open(os.path.join(HERE, "openmp", name), encoding="utf-8") as file:
        return [line.split(None, 1) for line in file if line.strip() and line[0] != "#"]


REGION = """
int shared;
void region(void);
void region(void)
{
#pragma omp parallel num_threads(2)
	shared = 1;
}
"""
PROGRAMS = {
    # its language, what else it is linked with, its text
    "itself": ("cc", [], REGION + "int main(void) { region(); return 0; }"),
    "in_c++": ("c++", [], 'extern "C" {' + REGION + "}\nint main() { region(); return 0; }"),
    "functions": ("cc", [], "int omp_get_max_threads(void);\n"
                            "int main(void) { return omp_get_max_threads() < 1; }"),
    "in_a_library": ("cc", ["-L.", "-lregion", "-Wl,-rpath,$ORIGIN"],
                     "void region(void);\nint main(void) { region(); return 0; }"),
    "loaded_later": ("cc", ["-ldl"], """
#include <dlfcn.h>
int main(void)
{
	void *library = dlopen("./libregion.so", RTLD_NOW);

	if (!library)
		return 9;
	((void (*)(void))dlsym(library, "region"))();
	return 0;
}
"""),
    "after_tasks": ("cc", [], REGION + """
#include <heddle/hj.h>
static void root(void *arg) { (void)arg; }
int main(void) { hj_launch(root, 0); region(); return 0; }
"""),
}


def refused(heddle, folder):
    """OpenMP on worker threads, however it comes into the program; returns what went wrong."""
    def build(kind, name, text, *words):
        source = os.path.join(folder, name + (".cc" if kind == "c++" else ".c"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([heddle, kind, "-g", "-fopenmp", source, *words], check=True, cwd=folder)
    build("cc", "region", REGION, "-shared", "-fPIC", "-o", "libregion.so")
    wrong = []
    for name, (kind, words, text) in PROGRAMS.items():
        if kind == "c++" and not shutil.which("g++"):
            continue
        build(kind, name, text, "-o", name, *words)
        for options, status, said in (
                (["--parallel", "2"], 2, "heddle: the program uses OpenMP, which does not run on worker "
                                         "threads: run it without --parallel\n"),
                (["-q"], 1 if "region" in text else 0, None)):
            done = subprocess.run([heddle, "run", *options, "--", "./" + name], text=True, check=False,
                                  cwd=folder, capture_output=True, timeout=60)
            if done.returncode != status or (said and done.stderr != said):
                wrong.append(f"{name} {options}: status {done.returncode}: {done.stderr}")
    return wrong


def main():
    ours = functions(os.path.join(sys.argv[1], "libheddle.so"))
    listed = {words[0] for words in lines("libgomp-symbols.txt")}
    unsupported = [words[0] for words in lines("unsupported.txt")]
    bad = [f"neither answered nor listed as unsupported: {name}" for name in sorted(listed - ours)
           if not any(fnmatch.fnmatchcase(name, pattern) for pattern in unsupported)]
    bad += [f"unsupported, but answered: {name}" for name in sorted(listed & ours)
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in unsupported)]
    for library in glob.glob("/usr/lib/*/libgomp.so.1"):
        bad += [f"{library} has it, the list does not: {name}"
                for name in sorted(functions(library) - listed)
                if name.startswith(("GOMP_", "omp_"))]
    names = {n for n in ours if n.startswith(("GOMP_", "omp_", "hd_omp_", "hd_unheeded_omp_"))}
    workers = functions(os.path.join(sys.argv[1], "libheddle-checked.so"))
    bad += [f"not in src/parallel/openmp_names.def: {name}" for name in sorted(names - workers)]
    with tempfile.TemporaryDirectory() as folder:
        bad += refused(os.path.join(os.path.abspath(sys.argv[1]), "heddle"), folder)
    print("\n".join(bad))
    print(f"{len(listed)} functions, {len(listed & ours)} answered, {len(bad)} wrong")
    return 1 if bad or not listed & ours else 0


if __name__ == "__main__":
    sys.exit(main())
