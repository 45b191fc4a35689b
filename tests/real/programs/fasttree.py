"""FastTree: trees of sequences, by OpenMP's loops and sections. Its counters are not protected."""
import os
import random

from harness import run
from tool import Tool


class Fasttree(Tool):
    package, binary = "fasttree", "FastTreeMP"
    arguments = search_arguments = ("-nt", "-quiet", "in.fa")
    says = b");\n"
    finds = {"check": "race nLkCompute"}

    def build(self, tree, cc, cxx, env):
        run([*cc.split(), "-DNO_SSE", "-DOPENMP", "-fopenmp", "-O1", "-g", "-w", "fasttree.c", "-o", self.binary,
             "-lm"], cwd=tree, env=env)

    @staticmethod
    def sample(path):
        rng = random.Random(4)
        sequences = ["".join(rng.choice("ACGT") for _ in range(40))]
        while len(sequences) < 24:
            like = rng.choice(sequences)
            sequences.append("".join(rng.choice("ACGT") if rng.random() < 0.15 else c for c in like))
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f">s{i}\n{s}\n" for i, s in enumerate(sequences))

    def use(self, command, cwd):
        self.sample(os.path.join(cwd, "in.fa"))
        return super().use(command, cwd)

    def search(self, command, cwd):
        self.sample(os.path.join(cwd, "in.fa"))
        return super().search(command, cwd)
