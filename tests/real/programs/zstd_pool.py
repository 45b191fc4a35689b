from harness import run
from tool import Tool


class ZstdPool(Tool):
    """The tests of zstd's pool of threads: 14 pools of up to four threads, made larger and smaller."""

    package, binary = "libzstd", "tests/poolTests"
    says = b"PASS: all POOL tests"

    def build(self, tree, cc, cxx, env):
        run(["make", "-C", "tests", f"CC={cc}", "poolTests"], cwd=tree, env=env)
