"""The OpenMP programs of this folder, and what is known of each.

Every program comes twice: NAME_racy.c, whose header names the two lines that race ("race: 12 15"), and
NAME_clean.c, which has nothing to report.
"""
import glob
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))


class Program:
    def __init__(self, path):
        self.path = path
        self.name, ending = os.path.splitext(os.path.basename(path))
        self.cpp = ending == ".cpp"
        with open(path, encoding="utf-8") as file:
            header = re.search(r"^ \* (?:race: (\d+(?: \d+)+)|clean)$", file.read(), re.M)
        if not header:
            raise ValueError(f"{path}: the header says neither 'race: N N ...' nor 'clean'")
        self.lines = {int(n) for n in (header.group(1) or "").split()}

    @property
    def racy(self):
        return bool(self.lines)

    def is_meant(self, pair):
        """Is a race between these two lines the one that the header names?"""
        return set(pair) <= self.lines


def programs():
    return [Program(p) for p in sorted(glob.glob(os.path.join(HERE, "*.c")) + glob.glob(os.path.join(HERE, "*.cpp")))]
