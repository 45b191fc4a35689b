from harness import run
from tool import Tool


class CkRing(Tool):
    """Concurrency Kit's own test of its ring, with the compiler's atomic operations. Its loads and stores are volatile and
    its fences are the compiler's, so it says what volatile means."""

    package, binary = "ck", "regressions/ck_ring/validate/ck_ring_mpmc"
    arguments = search_arguments = ("2", "1", "4")  # threads, distance of their processors, entries
    options = ("--model", "c11", "--volatile", "relaxed")

    def build(self, tree, cc, cxx, env):
        run(["./configure", "--use-cc-builtins", "--memory-model=rmo", "--disable-sse", "--cores=2"], cwd=tree,
            env=dict(env, CC="gcc"))
        run(["make", "ck_ring_mpmc", f"CC={cc}",
             "CFLAGS=-std=gnu99 -O1 -g -w -DCK_USE_CC_BUILTINS=1 -I../../../include -DCORES=2 -DITERATIONS=3 "
             "-D_GNU_SOURCE -pthread"], cwd=f"{tree}/regressions/ck_ring/validate", env=env)
