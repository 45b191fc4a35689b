"""Programs that make a file smaller: what they made must come back."""
import glob
import hashlib
import os
import random
import subprocess

from harness import Failed, Program, run


def sample(path, size):
    """Text that compresses, the same every time."""
    words = [hashlib.md5(str(i).encode()).hexdigest()[:6] for i in range(500)]
    choose = random.Random(1)
    with open(path, "w", encoding="ascii") as out:
        while out.tell() < size:
            out.write(" ".join(choose.choice(words) for _ in range(12)) + "\n")


class Compressor(Program):
    options, undo, size = (), (), 300_000
    search_options, search_size = None, None  # for check and explore, where they are others

    def arguments(self):
        return [*self.options, "-k", "-f", "in.txt"]

    def use(self, command, cwd):
        sample(os.path.join(cwd, "in.txt"), self.size)
        for old in glob.glob(os.path.join(cwd, "in.txt.*")):
            os.unlink(old)
        output = run([*command, *self.arguments()], cwd=cwd, ok=(0, 1))
        packed = glob.glob(os.path.join(cwd, "in.txt.*"))
        if not packed:
            raise Failed(f"{command} made no file:\n{output[-2000:].decode(errors='replace')}")
        text = run([*self.undo, packed[0]], cwd=cwd, stderr=subprocess.DEVNULL)
        with open(os.path.join(cwd, "in.txt"), "rb") as file:
            if file.read() != text:
                raise Failed("what was compressed does not come back")
        return output

    def search(self, command, cwd):
        """Without -k: that the input is there again for the next run is heddle's work."""
        sample(os.path.join(cwd, "in.txt"), self.search_size or self.size)
        for old in glob.glob(os.path.join(cwd, "in.txt.*")):
            os.unlink(old)
        output = run([*command, *(self.search_options or self.options), "in.txt"], cwd=cwd, ok=(0, 1, 2, 4))
        if os.listdir(cwd).count("in.txt") != 1 or glob.glob(os.path.join(cwd, "in.txt.*")):
            raise Failed(f"{command} left other files than it found")
        return output
