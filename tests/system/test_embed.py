#!/usr/bin/env python3
"""The engine as a library: the example, built against what is installed."""

import json
import os
import subprocess
import unittest

import harness

EXAMPLE = os.path.join(harness.ROOT, "examples", "embed", "check_program.c")


def has_library(name):
    return subprocess.run(["cc", "-shared", "-o", "/dev/null", "-l" + name], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


class Embed(harness.SystemTest):
    programs = ("torn_pair.c", "keeps_time.c")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        root = cls.path("root")
        subprocess.run(["meson", "install", "-C", os.path.dirname(harness.heddle_command), "--no-rebuild", "--quiet",
                        "--destdir", root], check=True)
        pc = next(folder for folder, _, files in os.walk(root)
                  if "heddle-engine.pc" in files)
        cls.env = {**os.environ, "PKG_CONFIG_PATH": pc, "PKG_CONFIG_SYSROOT_DIR": root}
        cls.libdir = os.path.dirname(pc)

    def tool(self, name, *how):
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", *how, "heddle-engine"], text=True,
                               env=self.env, check=True, capture_output=True).stdout.split()
        if how:
            flags = ["-l:libheddle-engine.a" if f == "-lheddle-engine" else f for f in flags]
        binary = self.path(name)
        subprocess.run(["cc", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", EXAMPLE, *flags,
                        "-o", binary], check=True, cwd=self.path(""))
        return binary

    def run_tool(self, binary, *program):
        return subprocess.run([binary, *program], text=True, capture_output=True, check=False,
                              stdin=subprocess.DEVNULL, cwd=self.path(""),
                              env={**os.environ, "LD_LIBRARY_PATH": self.libdir})

    def test_finds_what_the_command_finds(self):
        document, _ = self.run_json("check", "-k", "--output", self.path("d"), "--",
                                    self.binary["torn_pair"], status=1)
        kinds = sorted(f["kind"] for f in document["findings"])
        done = self.run_tool(self.tool("shared"), self.binary["torn_pair"])
        self.assertEqual(done.returncode, 1, done)
        told = [line.split(" (")[0] for line in done.stdout.splitlines() if not line.startswith(" ")]
        self.assertEqual(sorted(told), kinds, done.stdout)
        self.assertNotIn("HEDDLE", done.stdout + done.stderr)  # the engine itself prints nothing

    @unittest.skipUnless(has_library("bz2"), "there is no bzip2, which libdw asks for (libbz2-dev)")
    def test_the_archive_does_too(self):
        done = self.run_tool(self.tool("static", "--static"), self.binary["torn_pair"])
        self.assertEqual(done.returncode, 1, done)

    def test_what_is_wrong_is_said_and_not_printed(self):
        for program, word in (((), "which program"), (("./not-there",), "there is no program"),
                              (("/bin/ls",), "was not built with `heddle cc`")):
            done = self.run_tool(self.tool("wrong"), *program)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertIn(word, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def call(self, *words, program_says=""):
        done = subprocess.run([os.environ["ENGINE_CALLS"], *words], text=True, capture_output=True, check=False,
                              stdin=subprocess.DEVNULL, cwd=self.path(""), env=harness.environment())
        self.assertRegex(done.stderr, rf"\A{program_says}\Z")
        first, _, rest = done.stdout.partition("\n")
        return first, json.loads(rest) if rest else None

    def test_every_call_agrees_with_its_command(self):
        program, trace = self.binary["torn_pair"], self.path("t.htr")
        self.heddle("run", "--record-exact", "--record", trace, "--", program)
        for words, command in ((("explore", program), ("explore", "-k", "--output", self.path("e"), "--", program)),
                               (("replay", trace), ("replay", trace)),
                               (("analyse", trace), ("analyze", trace)),
                               (("predict", trace), ("predict", trace))):
            with self.subTest(words[0]):
                said = self.path("said.json")
                done = self.heddle(*command[:1], "--json", said, *command[1:])
                with open(said, encoding="utf-8") as file:
                    expected = json.load(file)
                status, document = self.call(*words)
                self.assertEqual({"0": 0, "1": 1, "2": 4}[status], done.returncode)
                self.assertEqual([f["id"] for f in document["findings"]],
                                 [f["id"] for f in expected["findings"]])

    def test_a_plan_and_another_program(self):
        program, trace, plans = self.binary["torn_pair"], self.path("t.htr"), self.path("plans")
        self.heddle("run", "--record-exact", "--record", trace, "--", program)
        self.heddle("predict", "--plans", plans, trace, status=1)
        plan = os.path.join(plans, sorted(os.listdir(plans))[0])
        status, document = self.call("replay", plan, program_says=r".*Assertion `before.*\n")
        self.assertEqual((status, document["stats"]["stopped"]), ("1", None))
        self.assertIn("the goal of the plan was reached", document["notes"])
        status, document = self.call("replay", plan, program, "locked")
        self.assertEqual((status[:8], document), ("error 1 ", None))
        self.assertIn("was made for other arguments", status)
        self.heddle("replay", trace, "--", program, "locked", status=2)
        status, document = self.call("replay", trace, program, "locked")
        self.assertEqual((status, document["findings"]), ("3", []))  # it left the schedule

    def test_a_trace_that_breaks_off_is_not_clean(self):
        trace, part = self.path("t.htr"), self.path("part.htr")
        self.heddle("run", "--record", trace, "--", self.binary["torn_pair"], "locked", status=0)
        with open(trace, "rb") as whole, open(part, "wb") as file:
            file.write(whole.read()[:-100])
        for words, command in ((("analyse", part), "analyze"), (("predict", part), "predict")):
            done = self.heddle(command, part, status=2)
            self.assertEqual(self.call(*words)[0], "error 1 " + done.stderr.removeprefix("heddle: ").strip())

    def test_interrupted(self):
        status, document = self.call("interrupted", self.binary["keeps_time"])
        self.assertEqual((status, document["stats"]["stopped"]), ("2", "interrupted"))
        self.assertEqual(document["stats"]["complete"], False)

    def test_one_call_after_the_other(self):
        alone = self.call("explore", self.binary["torn_pair"])
        after = self.call("again", self.binary["keeps_time"], self.binary["torn_pair"])
        self.assertEqual(after[0], alone[0])
        self.assertEqual([f["id"] for f in after[1]["findings"]], [f["id"] for f in alone[1]["findings"]])

    def test_what_is_wrong_is_an_error(self):
        for words in (("replay", "/not/there"), ("analyse", "/dev/null"), ("predict", "/dev/null"),
                      ("explore", "/bin/ls")):
            status, document = self.call(*words)
            self.assertEqual((status[:8], document), ("error 1 ", None))


if __name__ == "__main__":
    harness.main()
