from compressor import Compressor
from harness import run


class Zstd(Compressor):
    package, binary = "libzstd", "programs/zstd"
    options, undo = ("-T3", "-1", "-B512K", "-q"), ("zstd", "-dcq")  # smaller parts are not done in parallel
    size = 1_300_000
    search_options, search_size = ("-T2", "-1", "-B512K", "-q", "--rm"), 1_060_000

    def build(self, tree, cc, cxx, env):
        run(["make", "-C", "programs", "-j2", f"CC={cc}", "HAVE_ZLIB=0", "HAVE_LZMA=0", "HAVE_LZ4=0", "zstd"],
            cwd=tree, env=env)
