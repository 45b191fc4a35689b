import os
import shutil
import subprocess

from compressor import sample
from harness import Failed, run
from programs.xz import Xz

# Debian's changes to the decoder with threads: a buffer was freed while the main thread still wrote to it
# if the data was damaged (CVE-2025-31115), and sizes and counters were not protected.
MENDED = ("Fix-a-comment", "Simplify-by-removing-the-THR_STOP-state", "Don-t-free-the-input-buffer-too-early-CVE-",
          "Don-t-modify-thr-in_size-in-the-worker-thr", "Protect-progress_in-update-with-mutex")


class XzUnmended(Xz):
    """xz as it was before these were mended, with a damaged file: known bugs, which must be found."""

    finds = {"check": "crash"}

    def tree(self, word):
        path = os.path.join(self.folder, f"xz-unmended-{word}")
        if not os.path.isdir(path):
            shutil.copytree(self.source, path, symlinks=True)
            for name in reversed(MENDED):
                with open(f"{path}/debian/patches/liblzma-mt-dec-{name}.patch", "rb") as patch:
                    run(["patch", "-R", "-p1"], cwd=path, stdin=patch)
        return path

    @staticmethod
    def damage(cwd):
        """A file with two blocks, the first of which goes wrong long before its end."""
        path = os.path.join(cwd, "in.txt")
        sample(path, 160_000)
        run(["xz", "-T2", "-0", "--block-size=120000", "-f", "in.txt"], cwd=cwd)
        with open(path + ".xz", "r+b") as file:
            file.seek(300)
            file.write(b"\xff\x00\xff\x00")

    def use(self, command, cwd):
        self.damage(cwd)
        done = subprocess.run([*command, "-t", "-T2", "in.txt.xz"], cwd=cwd, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if b"corrupt" not in done.stdout:
            raise Failed(f"{command} does not say that the file is damaged: {done.stdout[-500:]}")

    def search(self, command, cwd):
        self.damage(cwd)
        return run([*command, "-t", "-T2", "in.txt.xz"], cwd=cwd, ok=(0, 1, 2, 4))
