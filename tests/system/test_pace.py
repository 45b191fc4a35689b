#!/usr/bin/env python3
"""Time passes with work, and alike in every replay."""

import harness

NAP, NAPS, WORKERS = 500000, 3, 2  # as in keeps_time.c; nanoseconds
SHAPES = (("--policy", "random"), ("--policy", "pct"), ("--policy", "rr"),
          ("--switch-at", "sync"), ("--switch-at", "accesses"), ("--record-exact",))


class Pace(harness.SystemTest):
    programs = ("keeps_time.c",)

    def out(self, *args):
        return self.heddle(*args, status=0).stdout

    def test_replays_keep_time(self):
        program = ("--", self.binary["keeps_time"])
        for shape in SHAPES:
            with self.subTest(shape):
                trace, text = self.path("t.htr"), self.path("s.txt")
                first = self.out("run", *shape, "--record", trace, *program)
                self.heddle("replay", trace, "--save", text, status=0)
                for again in (("run", *shape, *program),
                              ("run", *shape, "--races", "no", *program),
                              ("replay", trace), ("replay", trace, "--record", self.path("r.htr")),
                              ("replay", "--carriers", "threads", trace), ("replay", text)):
                    self.assertEqual(self.out(*again), first, again)

    def test_about_as_fast_as_natively(self):
        """A round is 500 accesses read and write and six calls: about a microsecond natively."""
        lines = self.out("run", "--", self.binary["keeps_time"]).split("\n")
        for i in range(NAPS):
            slept = int(lines[i])
            self.assertGreaterEqual(slept, (i + 1) * NAP)
            self.assertLess(slept, (i + 1) * NAP * 1.2)
        for rounds in lines[NAPS:NAPS + WORKERS]:
            self.assertGreater(int(rounds), NAPS * NAP / 10000)
            self.assertLess(int(rounds), NAPS * NAP / 200)


if __name__ == "__main__":
    harness.main()
