#!/usr/bin/env python3
"""Wrong uses of the heap in explore, check and replay; equal runs with a quarantine of any size."""

import os

import harness


class Memory(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in ("use_after_free_other", "use_after_free_other_fixed", "double_free",
                     "past_the_end_fixed"):
            cls.binary[name] = cls.build(os.path.join("memory", name + ".c"), name, "-fno-builtin")

    def explore(self, name, *options, status):
        return self.run_json("explore", "--output", self.path(name + ".d"), *options, "--",
                             self.binary[name], status=status)[0]

    def test_explore_finds_the_schedule(self):
        """The reader comes after the free in one of two orders of the lock."""
        for options in ((), ("--strategy", "bounded"), ("--strategy", "naive"),
                        ("--switch-at", "accesses"), ("-k",)):
            document = self.explore("use_after_free_other", *options, status=1)
            kinds = {f["kind"] for f in document["findings"]}
            self.assertEqual(kinds, {"memory"}, options)
            finding = document["findings"][0]
            self.assertEqual([a["role"] for a in finding["accesses"]],
                             ["access", "freed", "allocated"])
            self.assertEqual([a["function"] for a in finding["accesses"]],
                             ["reader", "main", "main"])
            self.assertEqual([a["thread"] for a in finding["accesses"]], ["T2", "T1", "T1"])

    def test_explore_proves_the_fixed_one(self):
        for options in ((), ("--strategy", "naive"), ("--switch-at", "accesses")):
            document = self.explore("use_after_free_other_fixed", *options, status=0)
            self.assertEqual(document["findings"], [])
            self.assertTrue(any(n.startswith("complete") for n in document["notes"]), document["notes"])

    def test_what_explore_found_is_replayed(self):
        document = self.explore("use_after_free_other", status=1)
        schedule = document["findings"][0]["schedule"]
        again, _ = self.run_json("replay", schedule, "--", self.binary["use_after_free_other"],
                                 status=1)
        self.assertEqual([f["id"] for f in again["findings"]],
                         [f["id"] for f in document["findings"]])

    def test_check_names_it(self):
        document, _ = self.run_json("check", "--output", self.path("check.d"), "--",
                                    self.binary["double_free"], status=1)
        memory = [f for f in document["findings"] if f["kind"] == "memory"]
        self.assertEqual({f["accesses"][0]["function"] for f in memory}, {"main", "drop"})
        self.assertEqual([f for f in document["findings"] if f["kind"] == "crash"], [])

    def test_an_abort_is_in_the_program(self):
        """Where libc notices it, the place is that of the call, also if it has no name."""
        stripped = self.build(os.path.join("memory", "double_free.c"), "stripped", "-fno-builtin", "-s")
        done = self.heddle("run", "--heap", "no", "--", stripped, status=1)
        summary = [line for line in done.stderr.splitlines() if line.startswith("SUMMARY: ")]
        self.assertEqual(len(summary), 1, done.stderr)
        self.assertIn("crash", summary[0])
        self.assertIn("stripped+0x", summary[0])

    def test_equal_seeds_give_equal_traces(self):
        """Whatever is kept, and for replays too."""
        for name, options in (("use_after_free_other", ()), ("double_free", ()),
                              ("double_free", ("--quarantine", "100")),
                              ("past_the_end_fixed", ("--quarantine", "0")),
                              ("past_the_end_fixed", ("--heap", "no"))):
            dumps = []
            first = self.path("first.htr")
            for command in (("run", "--seed", "5", *options), ("run", "--seed", "5", *options)):
                self.heddle(*command, "-q", "--record", first, "--", self.binary[name])
                dumps.append(self.heddle("trace", "dump", first, status=0).stdout)
            self.heddle("replay", "-q", "--record", self.path("again.htr"), first, "--",
                        self.binary[name])
            dumps.append(self.heddle("trace", "dump", self.path("again.htr"), status=0).stdout)
            self.assertEqual(dumps[0], dumps[1], (name, options))
            self.assertEqual(dumps[0], dumps[2], (name, options))

    def test_what_is_recorded_does_not_move_blocks(self):
        """An address is the same whether the run is recorded or not."""
        source = self.path("where.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <stdio.h>\n#include <stdlib.h>\n"
                       "int main(void) { for (int i = 0; i < 9; i++) {"
                       " char *p = malloc(10 * i); printf(\"%p\\n\", (void *)p); if (i % 2) free(p); }"
                       " return 0; }\n")
        binary = self.build(source, "where")
        shown = {self.heddle("run", *options, "-q", "--", binary, status=0).stdout
                 for options in ((), ("--record", self.path("w.htr")), ("--races", "no"))}
        self.assertEqual(len(shown), 1, shown)


if __name__ == "__main__":
    harness.main()
