#!/usr/bin/env python3
"""The engine as a library: the example, built against what is installed."""

import os
import subprocess

import harness

EXAMPLE = os.path.join(harness.ROOT, "examples", "embed", "check_program.c")


class Embed(harness.SystemTest):
    programs = ("torn_pair.c", "unjoined.c")

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


if __name__ == "__main__":
    harness.main()
