from harness import run
from tool import Tool


class Jemalloc(Tool):
    """jemalloc's own test of its sequence locks: C11 atomics with relaxed, acquire and release orders, and fences."""

    package, binary = "jemalloc", "test/unit/seq"
    options = ("--model", "c11")
    says = b"fail: 0/2"

    def build(self, tree, cc, cxx, env):
        run(["./configure", "--disable-cxx", "--disable-libdl", "--with-jemalloc-prefix=je_"], cwd=tree, env=dict(env, CC="gcc"))
        run(["make", "-j2", self.binary, f"CC={cc}"], cwd=tree, env=env)
