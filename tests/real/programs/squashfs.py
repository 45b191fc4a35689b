"""mksquashfs: threads that read, compress, find duplicates and write, with queues between them."""
import os
import shutil

from compressor import sample
from harness import Failed, Program, run


class Squashfs(Program):
    package, binary = "squashfs-tools", "squashfs-tools/mksquashfs"
    packages = ("zlib1g-dev",)
    files = 4

    def build(self, tree, cc, cxx, env):
        run(["make", f"CC={cc}", "EXTRA_CFLAGS=-g", "XZ_SUPPORT=0", "mksquashfs", "unsquashfs"],
            cwd=os.path.join(tree, "squashfs-tools"), env=env)

    def arguments(self, cwd):
        folder = os.path.join(cwd, "in")
        os.makedirs(folder, exist_ok=True)
        for i in range(self.files):
            sample(os.path.join(folder, f"{i}.txt"), 60_000 * (i + 1))
        return ["in", "packed", "-noappend", "-processors", "2", "-no-progress"]

    def use(self, command, cwd):
        run([*command, *self.arguments(cwd)], cwd=cwd, ok=(0, 1))
        shutil.rmtree(os.path.join(cwd, "out"), ignore_errors=True)
        unpack = os.path.join(os.path.dirname(command[-1]), "unsquashfs")
        # The one built for heddle is run on its own fibers here.
        run([unpack, "-d", "out", "-no-progress", "packed"], cwd=cwd)
        if run(["diff", "-r", "in", "out"], cwd=cwd, ok=(0, 1)):
            raise Failed("what was packed does not come back")

    def search(self, command, cwd):
        return run([*command, *self.arguments(cwd)], cwd=cwd, ok=(0, 1, 2, 4))
