from harness import run
from tool import Tool


class Libevent(Tool):
    """The library's own tests of threads: conditions with deadlines, and events made active by other
    threads, in one process."""

    package, binary = "libevent", "build/bin/regress"
    packages = ("cmake",)
    arguments = ("--no-fork", "thread/basic", "thread/conditions_simple")
    search_arguments = ("--no-fork", "thread/conditions_simple")
    says = b"tests ok"

    def build(self, tree, cc, cxx, env):
        words = cc.split()
        run(["cmake", "-S", ".", "-B", "build", f"-DCMAKE_C_COMPILER={words[0]}",
             *(f"-DCMAKE_C_COMPILER_ARG1={w}" for w in words[1:]), "-DCMAKE_C_FLAGS=-O1 -g",
             "-DEVENT__DISABLE_OPENSSL=ON", "-DEVENT__DISABLE_BENCHMARK=ON",
             "-DEVENT__DISABLE_SAMPLES=ON", "-DEVENT__LIBRARY_TYPE=STATIC"],
            cwd=tree, env={k: v for k, v in env.items() if k != "CC"})
        run(["cmake", "--build", "build", "-j2", "--target", "regress"], cwd=tree, env=env)
