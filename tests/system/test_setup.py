#!/usr/bin/env python3
"""scripts/setup and scripts/configure, with stand-ins for what they look for and call.

scripts/check_fresh tries them for real, in an empty Debian.
"""

import os
import shutil
import subprocess
import tempfile
import unittest

import harness

TOOLS = ("sh", "cat", "cut", "dirname", "printf", "rm", "env")
NEEDED = {"gcc": 'case $1 in -dumpversion) echo 12 ;; -print-file-name=*) echo "$PLUGINS" ;; esac',
          "python3": "", "meson": "echo 1.0.1", "ninja": "", "pkg-config": ""}
WANTED = {"g++": "", "clang-format": "", "cmake": "", "automake": "", "libtool": "", "gdb": "", "zsh": "",
          "chromium": "", "valgrind": "echo valgrind-3.19.0", "dpkg-gencontrol": "", "mpicc": "", "mpirun": "",
          "mpicc.mpich": "", "mpirun.mpich": ""}


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="heddle-setup-")
        self.addCleanup(folder.cleanup)
        self.folder, self.log = folder.name, os.path.join(folder.name, "log")
        os.mkdir(self.path("bin"))
        for name in TOOLS:
            os.symlink(shutil.which(name), self.path("bin", name))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def stand_in(self, name, body=""):
        with open(self.path("bin", name), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{body}\n")
        os.chmod(self.path("bin", name), 0o755)

    def run_script(self, name, *args, status=0, **env):
        script = os.path.join(self.folder, "scripts", name)
        done = subprocess.run(["sh", script, *args], cwd=self.folder, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={"PATH": self.path("bin"), "LOG": self.log, **env})
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def logged(self):
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as file:
            lines = file.read().splitlines()
        os.unlink(self.log)
        return lines


class Setup(Scripts):
    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(harness.ROOT, "scripts"), self.path("scripts"))
        self.stand_in("apt-get", 'echo "$@" >> "$LOG"')
        self.stand_in("id", "echo 0")

    def everything(self, parts):
        for name, body in parts.items():
            self.stand_in(name, body)

    def test_all_is_there(self):
        self.everything({**NEEDED, **WANTED})
        os.makedirs(self.path("lib", "linux"))
        with open(self.path("lib", "linux", "libclang_rt.fuzzer-x86_64.a"), "w", encoding="utf-8"):
            pass
        self.stand_in("clang", f"echo {self.folder}")
        with open(self.path("gcc-plugin.h"), "w", encoding="utf-8"):
            pass
        self.assertEqual(self.run_script("setup", "test", PLUGINS=self.folder), "")
        self.assertEqual(self.logged(), [])
        os.unlink(self.path("gcc-plugin.h"))
        self.assertIn("gcc-12-plugin-dev", self.run_script("setup", "test", PLUGINS=self.folder))

    def test_nothing_may_be_installed(self):
        said = self.run_script("setup", "build", status=1, HEDDLE_NO_INSTALL="1")
        self.assertRegex(said, r"\Asetup: HEDDLE_NO_INSTALL is set.*`apt-get install .* gcc .*\n\Z")
        self.assertEqual(self.logged(), [])

    def test_not_root(self):
        self.stand_in("id", "echo 1000")
        said = self.run_script("setup", "build", status=1)
        self.assertRegex(said, r"\Asetup: .*there is no sudo.*`apt-get install .* libdw-dev`.*\n\Z")
        self.stand_in("sudo", "exit 1")
        said = self.run_script("setup", "build", status=1)
        self.assertRegex(said, r"\Asetup: .*sudo does not let you.*`apt-get install .*\n\Z")
        self.assertEqual(self.logged(), [])

    def test_with_sudo(self):
        self.stand_in("id", "echo 1000")
        self.stand_in("sudo", '[ "$1" != -n ] || shift\n"$@"')
        self.stand_in("true")
        said = self.run_script("setup", "build", status=1)  # the stand-in installs nothing
        self.assertEqual(self.logged()[0], "-q update")
        self.assertIn("still missing: gcc", said)

    def test_only_wanted_is_missing(self):
        self.everything(NEEDED)
        said = self.run_script("setup", "test", HEDDLE_NO_INSTALL="1")
        self.assertRegex(said, r"\Asetup: going on without .*chromium.*skipped\n\Z")
        self.assertEqual(self.run_script("setup", "--check", "build"), "")
        self.assertEqual(self.run_script("setup", "build"),
                         "setup: installing with apt-get: g++ gcc-12-plugin-dev\n"
                         "setup: going on without g++ gcc-12-plugin-dev: "
                         "what `heddle cc` builds runs slower\n")

    def test_configured_folders_begin_anew(self):
        self.everything(NEEDED)
        os.makedirs(self.path("build-asan"))
        with open(self.path("build-asan", "build.ninja"), "w", encoding="utf-8"):
            pass
        self.run_script("setup", "test")
        self.assertTrue(any("libcmocka-dev" in line or "chromium" in line for line in self.logged()))
        self.assertEqual(os.listdir(self.path("build-asan")), [])

    def test_a_compiler_of_two_words(self):
        self.everything(NEEDED)
        self.stand_in("ccache", 'exec "$@"')
        self.assertEqual(self.run_script("setup", "--check", "build", CC="ccache gcc"), "")


class Configure(Scripts):
    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(harness.ROOT, "scripts"), self.path("scripts"))
        # Of what meson does: the files that are looked at. --wipe empties the folder.
        self.stand_in("mkdir", f'exec {shutil.which("mkdir")} "$@"')
        self.stand_in("meson", """echo "$@" >> "$LOG"
[ "$2" != --wipe ] || rm -rf build/*
mkdir -p build/meson-private
echo > build/build.ninja
echo > build/meson-private/coredata.dat""")
        self.stand_in("gcc", "exit 1")

    def configure(self, *options):
        self.run_script("configure", "build", *options)
        return [line.split()[1:] for line in self.logged()]

    def test_once(self):
        self.assertEqual(self.configure(), [["build", self.folder]])
        self.assertEqual(self.configure(), [])

    def test_what_was_installed_is_noticed(self):
        self.configure()
        self.stand_in("valgrind", "echo valgrind-3.19.0")
        self.assertEqual(self.configure(), [["--wipe", "build", self.folder]])
        self.assertEqual(self.configure(), [])
        self.stand_in("gcc")  # now every header is there
        self.assertEqual(self.configure(), [["--wipe", "build", self.folder]])
        self.assertEqual(self.configure(), [])

    def test_after_set_up(self):
        self.configure()
        os.unlink(self.path("build", "build.ninja"))
        self.assertEqual(self.configure(), [["--wipe", "build", self.folder]])

    def test_an_attempt_that_failed(self):
        os.makedirs(self.path("build", "meson-private"))
        self.assertEqual(self.configure(), [["build", self.folder]])

    def test_options(self):
        self.configure()
        again = [["--reconfigure", "build", self.folder, "-Dprefix=/x"]]
        self.assertEqual(self.configure("-Dprefix=/x"), again)
        self.assertEqual(self.configure("-Dprefix=/x"), [])
        self.assertEqual(self.configure(), [])  # as it is for an installation will do

    def test_by_hand(self):
        os.makedirs(self.path("build"))
        with open(self.path("build", "build.ninja"), "w", encoding="utf-8"):
            pass
        self.assertEqual(self.configure(), [])


if __name__ == "__main__":
    harness.main()
