"""How a test program is built and started, as its header comment says: see run_programs.py."""

import re
import shlex

WORDS = ("CC", "ARGS", "ENV", "RUN", "EXPECT", "NEVER", "EXIT", "OUTPUT")


def lines(source):
    """The lines of a header that count: (word, text)."""
    comment = re.match(r"\s*/\*(.*?)\*/", source, re.S)
    for line in (comment.group(1) if comment else "").splitlines():
        match = re.match(r"[\s*]*([A-Z]+):\s*(.*?)\s*$", line)
        if match and match.group(1) in WORDS:
            yield match.groups()


class Header:
    """What is needed to build and start a program; most programs need nothing."""

    def __init__(self, path):
        self.path = path
        self.flags, self.args, self.env = [], [], {}
        with open(path, encoding="utf-8") as file:
            self.source = file.read()
        self.cxx = path.endswith(".cpp")
        for word, text in lines(self.source):
            if word == "CC":
                self.flags += [w if w.startswith("-") else "-std=" + w for w in text.split()]
            elif word == "ARGS":
                self.args += shlex.split(text)
            elif word == "ENV":
                self.env.update([text.split("=", 1)])

    def build_command(self, heddle, binary, *flags, before=()):
        """The command that builds it; @flags prevail over the header's, and those over @before."""
        return [heddle, "c++" if self.cxx else "cc", "-O1", *before, *self.flags, *flags, self.path,
                "-o", binary, "-pthread"]
