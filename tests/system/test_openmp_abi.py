#!/usr/bin/env python3
"""Every function of libgomp is answered by libheddle, or named in tests/openmp/unsupported.txt.

usage: test_openmp_abi.py BUILDDIR

The list of libgomp's functions with their versions is tests/openmp/libgomp-symbols.txt; where
the machine has a libgomp, it must have no function that the list does not know.
"""
import fnmatch
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def functions(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                         check=True).stdout
    rows = [line.split() for line in out.splitlines()]
    return {row[2].split("@")[0] for row in rows if len(row) == 3 and row[1] in "TW"}


def lines(name):
    with open(os.path.join(HERE, "openmp", name), encoding="utf-8") as file:
        return [line.split(None, 1) for line in file if line.strip() and line[0] != "#"]


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
    print("\n".join(bad))
    print(f"{len(listed)} functions, {len(listed & ours)} answered, {len(bad)} wrong")
    return 1 if bad or not listed & ours else 0


if __name__ == "__main__":
    sys.exit(main())
