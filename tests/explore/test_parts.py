#!/usr/bin/env python3
"""A search in parts that know nothing of each other, and one report of all: the findings and the verdict of one process;
complete exactly if all parts are there, of one search, and each is complete."""

import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = os.environ.get("HEDDLE_TEST_FULL")
# Searches are dealt out as soon as they can be: small ones, too.
AT_ONCE = {"HEDDLE_ALONE": "1", "HEDDLE_PARTS_EACH": "2"}

# Scripts: threads by lines; l and u lock and unlock, h is an access. Truth by reading.
SECTIONS = "\n" + 3 * "l0u0l0u0l0u0\n"
DEADLOCK = "\nl0u0l0u0l1l2u2u1\nl0u0l0u0l2l1u1u2\nl0u0\n"
RACE = "\nh1l0u0l0u0l0u0\nl0u0l0u0l0u0h1\nl0u0l0u0l0u0\n"
CLEAN = "\nl0u0l0u0l1l2u2u1\nl0u0l0u0l1l2u2u1\nl0u0\n"

# Which kinds of findings there are. test_counts.py says why the others are clean.
PROGRAMS = [
    (SECTIONS, []), (DEADLOCK, ["deadlock"]), (RACE, ["race"]), (CLEAN, []),
    ("\nl0h1u0l0u0\nl0h1u0\nl0h1u0\n", []), ("\nl0h1u0l0u0\nl0h1u0\nh1\n", ["race"]),
    ("\nl0l1u1u0l0u0\nl1l2u2u1l0u0\nl2l0u0u2l1u1\n", ["deadlock"]), ("\nl0l1u1u0l0u0\nl1l2u2u1l2u2\nl0l2u2u0l1u1\n", []),
    *((("counted", "readers", n), []) for n in (4, 7)), *((("counted", "numbers", n), []) for n in (4, 5)),
    *((("counted", "lastzero", n), []) for n in (5, 7)), (("counted", "barrier", 3), []), (("counted", "last", 4), []),
    *((("waiting", name, 4), []) for name in ("ticket", "test-and-set", "compare-and-swap")),
    (("waiting", "count", 3), []), (("waiting", "remember", 3), []),
]


class Parts(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, flags in (("script", ()), ("counted", ()), ("waiting", ("-O1",))):
            cls.binary[name] = cls.build(os.path.join(HERE, name + ".c"), name, *flags)

    def explore(self, program, *options, env=None):
        if isinstance(program, str):
            with open(self.path("program"), "w", encoding="utf-8") as file:
                file.write(program)
            with open(self.path("result"), "wb"):
                pass
            with open(self.path("program"), encoding="utf-8") as stdin:
                return self.run_json("explore", "--output", self.path("out"), *options, "--",
                                     self.binary["script"], self.path("result"), env=env, stdin=stdin)[0]
        name, *words = program
        return self.run_json("explore", "--output", self.path("out"), *options, "--", self.binary[name],
                             *map(str, words), env=env)[0]

    def parts(self, program, count, *options, env=None):
        """Files with the documents of the parts."""
        files = []
        for k in range(1, count + 1):
            document = self.explore(program, "--part", f"{k}/{count}", *options, env=env)
            if count > 1:
                self.assertFalse(document["stats"]["complete"])
            files.append(self.keep(document, f"part{k}.json"))
        return files

    def keep(self, document, name):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(document, file)
        return self.path(name)

    def merge(self, files, status):
        return json.loads(self.heddle("report", "merge", *files, "--json", status=status).stdout)

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def compare(self, program, kinds, count):
        options = ("--strategy", "dpor", "--keep-going")
        plain = self.explore(program, *options)
        self.assertEqual(sorted({f["kind"] for f in plain["findings"]}), kinds)
        self.assertTrue(plain["stats"]["complete"])
        files = self.parts(program, count, *options, env=AT_ONCE)
        whole = self.merge(files, 1 if kinds else 0)
        self.assertEqual(sorted(f["id"] for f in whole["findings"]), sorted(f["id"] for f in plain["findings"]))
        self.assertEqual(sorted(f["verdict"] for f in whole["findings"]),
                         sorted(f["verdict"] for f in plain["findings"]))
        self.assertTrue(whole["stats"]["complete"], whole["notes"])
        self.assertIsNone(whole["stats"]["stopped"])
        self.assertEqual(whole["stats"]["executions"],
                         sum(self.read(file)["stats"]["executions"] for file in files))
        # Without any one of them it is no proof.
        if count > 1:
            rest = self.merge(files[:-2] + files[-1:], 1 if any(self.read(f)["findings"] for f in files[:-2] + files[-1:])
                              else 4)
            self.assertEqual((rest["stats"]["complete"], rest["stats"]["stopped"]), (False, "parts"))
        return [self.read(file)["part"] for file in files]

    def test_as_one_process(self):
        dealt = 0
        for i, (program, kinds) in enumerate(PROGRAMS if FULL else PROGRAMS[::2]):
            for count in (1, 2, 3, 5) if FULL else ((3, 2, 5, 3, 1, 2)[i % 6],):
                with self.subTest(program, count=count):
                    told = self.compare(program, kinds, count)
                    self.assertEqual([part["number"] for part in told], list(range(1, count + 1)))
                    dealt += not any(part["whole"] for part in told)
        self.assertGreaterEqual(dealt, 40 if FULL else 5)

    def test_with_ranks(self):
        """A part by several processes is the same part."""
        plain = [self.explore(SECTIONS, "--strategy", "dpor", "--part", "2/3", env=AT_ONCE)]
        plain += [self.explore(SECTIONS, "--strategy", "dpor", "--part", "2/3", "--ranks", "3", env=AT_ONCE)]
        for other in plain[1:]:
            self.assertEqual((other["part"], other["stats"]["exploration"]),
                             (plain[0]["part"], plain[0]["stats"]["exploration"]))

    def test_continued(self):
        """A part that ran out of its budget, with another number of ranks, is the part."""
        whole = self.parts(SECTIONS, 2, "--strategy", "dpor")
        both = self.merge(whole, 0)["stats"]["exploration"]
        # What all parts make counts in each.
        self.assertGreaterEqual(both["search"] - both["redundant"], math.factorial(9) // 6 ** 3)
        cut = self.explore(SECTIONS, "--strategy", "dpor", "--part", "2/2", "--executions", "700")
        self.assertFalse(cut["part"]["complete"])
        merged = self.merge([whole[0], self.keep(cut, "cut.json")], 4)
        self.assertEqual((merged["stats"]["complete"], merged["stats"]["stopped"]), (False, "executions"))
        file = os.path.join(self.path("out"), "unfinished-2-of-2.hxp")
        rest = self.explore(SECTIONS, "--strategy", "dpor", "--part", "2/2", "--ranks", "2", "--resume", file)
        self.assertEqual(rest["part"], self.read(whole[1])["part"])
        self.assertEqual(rest["stats"]["exploration"], self.read(whole[1])["stats"]["exploration"])
        self.assertTrue(self.merge([whole[0], self.keep(rest, "rest.json")], 0)["stats"]["complete"])

    def test_refused(self):
        """One sentence and status 2: parts that do not belong together, or are there twice."""
        first, second = self.parts(CLEAN, 2, "--strategy", "dpor", env=AT_ONCE)
        other = self.read(second)

        def refused(words, *files):
            done = self.heddle("report", "merge", *files, status=2)
            self.assertIn(words, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)

        refused("are both part 1", first, second, first)
        refused("which parts?")
        for key, value, words in (("heddle", "9.9", "by different versions of heddle"),
                                  ("program", "0" * 16, "of different programs"),
                                  ("options", "0" * 16, "with different options"),
                                  ("of", 3, "for different numbers of parts")):
            changed = {**other, "part": {**other["part"], key: value}}
            refused(words, first, self.keep(changed, "changed.json"))
        refused("by different commands", first, self.keep({**other, "command": "check"}, "changed.json"))
        refused("is no part", self.keep(self.explore(CLEAN), "plain.json"))
        for text in ("0/2", "3/2", "2", "a/b", "1/", "/2", "1/100001"):
            self.assertIn("must be K/N", self.heddle("explore", "--part", text, "--", "x", status=2).stderr)

    def test_other_options_are_seen(self):
        first = self.keep(self.explore(CLEAN, "--part", "1/2"), "first.json")
        second = self.keep(self.explore(CLEAN, "--part", "2/2", "--depth", "900"), "second.json")
        self.assertIn("with different options", self.heddle("report", "merge", first, second, status=2).stderr)
        other = self.keep(self.explore(SECTIONS, "--part", "2/2"), "other.json")
        self.assertIn("of different programs", self.heddle("report", "merge", first, other, status=2).stderr)

    def test_dealt_out_otherwise(self):
        """Parts that do not fit together prove nothing."""
        first, second = self.parts(SECTIONS, 2, "--strategy", "dpor", env=AT_ONCE)
        other = self.read(second)
        other["part"]["split"] = "0" * 16
        merged = self.merge([first, self.keep(other, "other.json")], 4)
        self.assertEqual((merged["stats"]["complete"], merged["stats"]["stopped"]), (False, "parts"))

    def test_not_split(self):
        """What cannot be split is made whole by each; random executions are others in each."""
        files = self.parts(CLEAN, 2, "--outcomes")
        self.assertTrue(all(self.read(file)["part"]["whole"] for file in files))
        self.assertTrue(self.merge(files, 0)["stats"]["complete"])
        files = self.parts(CLEAN, 2, "--strategy", "random", "--executions", "20")
        merged = self.merge(files, 4)
        self.assertEqual((merged["stats"]["stopped"], merged["stats"]["executions"]), ("executions", 40))


class Check(harness.SystemTest):
    """The same of `heddle check`: what is tried is dealt out."""

    def check(self, program, *options, status):
        document = self.run_json("check", "--keep-going", "--output", self.path("out"), *options, "--", program, status=status)[0]
        with open(self.path("-".join(("check", *options)).replace("/", "-") + ".json"), "w", encoding="utf-8") as file:
            json.dump(document, file)
        return document, file.name

    def merge(self, files, status):
        return json.loads(self.heddle("report", "merge", *files, "--json", status=status).stdout)

    def test_as_one_process(self):
        for name, bad in (("bank_transfer", True), ("missed_signal", True), ("torn_pair", False)):
            source = os.path.join(HERE, "..", "..", "examples", name + ".c")
            program = self.build(source, name, *(() if bad else ("-DFIXED",)))
            with self.subTest(name):
                alone, _ = self.check(program, status=int(bad))
                self.assertTrue(alone["stats"]["complete"])
                parts = [self.check(program, "--part", f"{k}/3", status=None) for k in (1, 2, 3)]
                tried = [document["stats"]["tries"]["candidates"] for document, _ in parts]
                # A part that fails, and has none of the reasons among its own, looks for one.
                extra = 1 if bad else 0
                self.assertIn(sum(tried) - alone["stats"]["tries"]["candidates"], range(extra + 1))
                self.assertLessEqual(max(tried) - min(tried), 1)
                whole = self.merge([file for _, file in parts], int(bad))
                self.assertTrue(whole["stats"]["complete"], whole["notes"])
                self.assertLessEqual({f["id"] for f in alone["findings"]}, {f["id"] for f in whole["findings"]})
                if not bad:
                    self.assertEqual({document["stats"]["stopped"] for document, _ in parts}, {"part"})
                rest = self.merge([file for _, file in parts[1:]], None)
                self.assertEqual((rest["stats"]["complete"], rest["stats"]["stopped"]), (False, "parts"))

    def test_goals_are_not_split(self):
        self.assertIn("goals cannot be tried in parts",
                      self.heddle("check", "--part", "1/2", "--goal", "x", "--", "x", status=2).stderr)


if __name__ == "__main__":
    harness.main()
