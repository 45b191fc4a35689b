#!/usr/bin/env python3
"""What would mend a finding: the report says so, and so mended the program is proved right."""

import os

import harness

SOURCE = os.path.join(harness.HERE, "mended.c")


def line_of(marker):
    with open(SOURCE, encoding="utf-8") as file:
        return next(n for n, text in enumerate(file, 1) if f"/* {marker} */" in text)


class Remedy(harness.SystemTest):
    programs = ("mended.c",)

    def remedy(self, what):
        """The sentence, which text and JSON have."""
        document, done = self.run_json("check", "--output", self.path("out"), "--",
                                       self.binary["mended"], what, status=1)
        told = [f["remedy"] for f in document["findings"] if f["remedy"]]
        for remedy in told:
            self.assertIn("Remedy: " + remedy["text"], done.stdout)
        return told

    def expect_mended(self, what, *words):
        """It has these words, and with what they say nothing fails in any schedule."""
        found = [r for r in self.remedy(what) if r["found"]]
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0]["text"])
        self.assertGreater(found[0]["schedules"], 100)
        mended = self.build("mended.c", "mended-" + what, "-DMENDED")
        document, _ = self.run_json("explore", "--", mended, what, status=0)
        self.assertTrue(document["stats"]["complete"])

    def test_sections(self):
        self.expect_mended("sections",
                           f"holding mutex 'lock' from mended.c:{line_of('LOOKED')} in pay to "
                           f"mended.c:{line_of('CHANGED')} in pay prevents it")

    def test_race(self):
        self.expect_mended("race", f"holding a new lock at mended.c:{line_of('COUNTED')} in count prevents it")

    def test_order_of_locks(self):
        self.expect_mended("deadlock", "taking mutex '", "before what is taken at mended.c:")

    def test_wait(self):
        self.expect_mended("wait", f"waiting again at mended.c:{line_of('WAITED')} in take while 'money' is 0, "
                           "as `while` in place of `if` does, prevents it")

    def test_until_a_function_ends(self):
        self.expect_mended("twice", f"holding mutex 'lock' from mended.c:{line_of('LOOKED IN')} in look until look_twice "
                           "ends prevents it")

    def test_copies_of_a_function(self):
        self.expect_mended("copies", f"holding mutex 'lock' from mended.c:{line_of('FIRST COPY')} in look_at_copies to "
                           f"mended.c:{line_of('SECOND COPY')} in look_at_copies prevents it")

    def test_second_look(self):
        self.expect_mended("double-check", f"; or look at 'ready' again under mutex 'lock', before mended.c:{line_of('READY')} "
                           "in set_up (not tried)")

    def test_none(self):
        self.assertEqual([r for r in self.remedy("early") if r["found"]], [])


if __name__ == "__main__":
    harness.main()
