#!/usr/bin/env python3
"""Patterns at the same three places of the code are told apart by callers, and by when they
happened: of these one may be possible and harmful while another is not.
"""

import harness


class Callers(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.binary["careless"] = cls.build("callers.c", "careless", "-g")
        cls.binary["kept"] = cls.build("callers.c", "kept", "-g", "-DKEPT")

    def patterns(self, name, *options):
        """e1, f, e2 and the verdict of each pattern of a run that did not fail."""
        trace = self.path("run.htr")
        self.heddle("run", "-q", *options, "--record-exact", "--record", trace, "--",
                    self.binary[name], status=0)
        document, _ = self.run_json("predict", trace, status=0)
        return [(p["e1"], p["f"], p["e2"], p["verdict"]) for p in document["patterns"]
                if p["kind"] == "RWR"]

    def test_pairs_of_all_callers_are_asked_about(self):
        # Everything is read before the write: by two calls of show(), by careless() and by a loop
        # of show(), two reads each. Every neighbour of a read counts, that of the loop's last read
        # is its first: eight pairs, and nothing keeps the write out of any of them.
        found = self.patterns("careless", "--policy", "rr", "--rr-quantum", "1000000")
        self.assertEqual([(e1 < e2 < f, verdict) for e1, f, e2, verdict in found],
                         [(True, "feasible")] * 8)

    def test_before_and_after_the_write(self):
        # What was read after the write cannot be read before it, but the loop was there before,
        # too, and then it can: a run with the write in the middle of the loop has both.
        both = 0
        for seed in range(1, 21):
            found = self.patterns("kept", "--seed", str(seed))
            before = {v for e1, f, e2, v in found if e2 < f}
            after = {v for e1, f, e2, v in found if f < e1}
            self.assertLessEqual(before, {"feasible"})
            self.assertLessEqual(after, {"infeasible"})
            both += len(before) == len(after) == 1
        self.assertGreater(both, 0)


if __name__ == "__main__":
    harness.main()
