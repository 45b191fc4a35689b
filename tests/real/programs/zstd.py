from compressor import Compressor
from harness import run


class Zstd(Compressor):
    package, binary = "libzstd", "programs/zstd"
    options, undo = ("-T3", "-3", "-B65536", "-q"), ("zstd", "-dcq")
    size = 400_000

    def build(self, tree, cc, cxx, env):
        run(["make", "-C", "programs", "-j2", f"CC={cc}", "HAVE_ZLIB=0", "HAVE_LZMA=0", "HAVE_LZ4=0", "zstd"],
            cwd=tree, env=env)
