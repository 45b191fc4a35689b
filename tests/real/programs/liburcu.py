from harness import run
from tool import Tool


class Liburcu(Tool):
    """A benchmark: readers and writers for one second, by a flag that main sets after sleep(1). Its
    atomic operations are inline assembler, which heddle does not see."""

    package, binary = "liburcu", "tests/benchmark/test_urcu"
    arguments = search_arguments = ("2", "1", "1")  # readers, writers, seconds
    says = b"SUMMARY"

    def build(self, tree, cc, cxx, env):
        run(["./configure", "-q", "--disable-shared", "CFLAGS=-O2 -g", f"CC={cc}"], cwd=tree, env=env)
        old = ("ACLOCAL=:", "AUTOCONF=:", "AUTOHEADER=:", "AUTOMAKE=:")  # what is there is new enough
        run(["make", "-C", "src", "-j2", *old], cwd=tree, env=env)
        run(["make", "-C", "tests/common", *old], cwd=tree, env=env)
        run(["make", "-C", "tests/benchmark", "test_urcu", *old], cwd=tree, env=env)
