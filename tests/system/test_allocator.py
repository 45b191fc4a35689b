#!/usr/bin/env python3
"""Programs with an allocator of their own: linked as a library, as jemalloc and tcmalloc are, or part of
the program. It serves every block, nobody runs in the middle of it, and its locks are not the program's.
"""

import os
import subprocess

import harness

SOURCE = os.path.join(harness.HERE, "own_allocator.c")


class Allocator(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        library = cls.path("liballocator.so")
        subprocess.run(["cc", "-O2", "-fno-builtin", "-fPIC", "-shared", SOURCE, "-o", library, "-pthread"], check=True)
        cls.binary["library"] = cls.build("allocates.c", "library", "-Wl,--no-as-needed", library,
                                          f"-Wl,-rpath,{cls.folder.name}")
        cls.binary["inside"] = cls.build("allocates.c", "inside", SOURCE, "-fno-builtin")

    def findings(self, name, *args, options=()):
        document, _ = self.run_json("run", *options, "--", self.binary[name], *args)
        return {f["kind"] for f in document["findings"]}

    def test_it_serves_every_block(self):
        for name in ("library", "inside"):
            for options in ((), ("--switch-at", "accesses"), ("--carriers", "threads")):
                for seed in range(1, 6):
                    found = self.findings(name, "fork", options=(*options, "--seed", str(seed)))
                    self.assertEqual(found, set(), (name, options, seed))

    def test_races_of_the_program_are_still_found(self):
        """The locks of a library that allocates order nothing in the program."""
        for seed in range(1, 6):
            self.assertEqual(self.findings("library", "race", options=("--seed", str(seed))), {"race"})

    def test_equal_seeds_give_equal_traces(self):
        traces = []
        for i in range(2):
            self.heddle("run", "-q", "--seed", "3", "--record", self.path(f"{i}.htr"), "--",
                        self.binary["library"], status=0)
            traces.append(self.heddle("trace", "dump", self.path(f"{i}.htr"), status=0).stdout)
        self.assertEqual(traces[0], traces[1])

    def test_its_locks_are_not_in_the_trace(self):
        """Of the program's own mutex 15 acquisitions, and none of the allocator's."""
        self.heddle("run", "-q", "--record", self.path("locks.htr"), "--", self.binary["library"], status=0)
        dump = self.heddle("trace", "dump", self.path("locks.htr"), status=0).stdout
        self.assertEqual(dump.count(" acquire "), 15)


if __name__ == "__main__":
    harness.main()
