#!/usr/bin/env python3
"""explore --suggest-orders: what makes an algorithm with a weakened order right again, and what one does not need.

What is expected is reasoned. And each suggestion is tried without the option: the line is rewritten in a copy of the
source, which explores clean."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = bool(os.environ.get("HEDDLE_TEST_FULL"))

# The weakened order itself, or another that excludes the same. A missing fence is one again, if orders alone would
# take two changes: the reader of the sequence lock would need both loads to acquire, Chase and Lev's owner its store and
# its load in one order with the thief's.
STRONGER = {
    "ring": [("store", "written", "release", False)],
    "publish": [("store", "current", "release", False)],
    "once": [("load", "ready", "acquire", False)],
    "ticket": [("store", "serving", "release", False)],
    "refcount": [("read-modify-write", "references", "release", False)],
    "seqlock": [("load", "seq", "acquire", True)],
    "treiber": [("compare-exchange", "head", "release", False)],
    "msqueue": [("read-modify-write", "first", "release", False)],
    "chaselev": [("load", "top", "seq_cst", True)],
    # Each store before the other's load, and who comes in later knows what was counted. The rest follows: who
    # waits for its turn has seen the other's flag, which goes down once more only when that one leaves.
    "dekker": [("store", "wants", "seq_cst", False), ("load", "wants", "seq_cst", False),
               ("store", "wants", "release", False)],
    # Who writes turn last has a fence before it looks at the other's wish; the other has one between its wish and its turn.
    # Neither does alone, and with orders all three operations would have to be in one order.
    "peterson": [("store", "turn", "seq_cst", True), ("load", "wants", "seq_cst", True)],
    "mcs": [("store", "nodes", "release", False)],  # the only way from who leaves to who waits
}
SHORT = ("ring", "seqlock")

# The consumer's index is read by nobody; all else is needed.
WEAKER = {"ring": [("store", "taken", "relaxed", False)], "publish": [], "seqlock": []}


class Suggest(harness.SystemTest):
    def source(self, name):
        return os.path.join(HERE, "weak", name + ".c")

    def suggest(self, program, *options):
        document, _ = self.run_json("explore", "--model", "c11", "--suggest-orders", "--output", self.path("out"),
                                    *options, "--", program)
        return document["stats"]["exploration"]["orders"]

    def changes(self, orders):
        return [(c["operation"], (c["object"] or "").split(".")[0].removesuffix("[]"), c["to"], c["fence_before"])
                for c in orders["changes"]]

    def rewrite(self, name, orders):
        """The source with what was suggested written into it."""
        with open(self.source(name), encoding="utf-8") as file:
            lines = file.read().split("\n")
        for change in orders["changes"]:
            at, to = change["line"] - 1, "memory_order_" + change["to"]
            if change["fence_before"]:
                lines[at], n = re.subn(r"(atomic_(?:load|store)_explicit\([^()]*\))", rf"(atomic_thread_fence({to}), \1)",
                                       lines[at], count=1)
            else:
                lines[at], n = re.subn(r"\b(memory_order_\w+|[A-Z]{3,})(?=[,)])", to, lines[at], count=1)
            self.assertEqual(n, 1, lines[at])
        path = self.path(name + "-changed.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        return path

    def test_stronger(self):
        for name in STRONGER if FULL else SHORT:
            with self.subTest(name):
                program = self.build(self.source(name), name + "-weak", "-g", "-O1", "-DWEAKENED")
                orders = self.suggest(program)
                self.assertEqual((orders["what"], orders["smallest"]), ("stronger", True))
                self.assertEqual(self.changes(orders), STRONGER[name])
                if any(c["operation"] not in ("load", "store") for c in orders["changes"]):
                    continue
                changed = self.build(self.rewrite(name, orders), name + "-changed", "-g", "-O1", "-DWEAKENED",
                                     "-I", os.path.join(HERE, "weak"))
                done = self.heddle("explore", "--model", "c11", "--output", self.path("o"), "--", changed, status=0)
                self.assertIn("complete:", done.stdout + done.stderr)

    def test_weaker(self):
        for name in WEAKER if FULL else ("ring",):
            with self.subTest(name):
                orders = self.suggest(self.build(self.source(name), name, "-g", "-O1"))
                self.assertEqual(orders["what"], "weaker")
                self.assertEqual(self.changes(orders), WEAKER[name])

    def test_no_help(self):
        """It is wrong in one order of everything, too."""
        program = self.build("../explore/weak/lost_update.c", "lost", "-g", "-O1")
        orders = self.suggest(program)
        self.assertEqual((orders["what"], orders["changes"]), ("no-help", []))

    def test_needs_the_model(self):
        self.heddle("explore", "--suggest-orders", "--", "/bin/true", status=2)


if __name__ == "__main__":
    harness.main()
