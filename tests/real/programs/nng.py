from harness import run
from tool import Tool


class Nng(Tool):
    """The library's own tests of its mutexes and conditions, with deadlines."""

    package, binary = "nng", "build/tests/synch"
    packages = ("cmake",)
    says = b"ok"

    def build(self, tree, cc, cxx, env):
        words = cc.split()
        run(["cmake", "-S", ".", "-B", "build", f"-DCMAKE_C_COMPILER={words[0]}",
             *(f"-DCMAKE_C_COMPILER_ARG1={w}" for w in words[1:]), "-DCMAKE_C_FLAGS=-O1 -g",
             "-DNNG_TESTS=ON", "-DNNG_ENABLE_NNGCAT=OFF"],
            cwd=tree, env={k: v for k, v in env.items() if k != "CC"})
        run(["cmake", "--build", "build", "-j2", "--target", "synch"], cwd=tree, env=env)
