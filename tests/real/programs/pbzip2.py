from compressor import Compressor
from harness import run


class Pbzip2(Compressor):
    package = binary = "pbzip2"
    packages = ("libbz2-dev",)
    options, undo = ("-p3", "-b1"), ("bzip2", "-dc")
    size = 400_000

    def build(self, tree, cc, cxx, env):
        run(["make", f"CXX={cxx}", "CXXFLAGS=-O2 -g", "pbzip2"], cwd=tree, env=env)
