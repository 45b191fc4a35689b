from compressor import Compressor
from harness import run


class Xz(Compressor):
    package, binary = "xz-utils", "src/xz/xz"
    options, undo = ("-T3", "-1", "--block-size=65536"), ("xz", "-dc")
    size = 250_000
    search_options, search_size = ("-T2", "-0", "--block-size=5000"), 20_000

    def build(self, tree, cc, cxx, env):
        run(["./configure", "-q", "--disable-shared", "--disable-nls", "--disable-doc", "--disable-scripts",
             "CFLAGS=-O2 -g", f"CC={cc}"], cwd=tree, env=env)
        run(["make", "-j2"], cwd=tree, env=env)
