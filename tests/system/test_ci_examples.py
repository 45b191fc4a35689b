#!/usr/bin/env python3
"""The projects in examples/ci, each with its own build system: the test passes under heddle, and with
an error in the queue it fails."""

import os
import re
import shutil
import subprocess
import unittest

import harness


class Examples(harness.SystemTest):
    def setUp(self):
        self.work = os.path.join(self.folder.name, self.id())
        shutil.copytree(os.path.join(harness.ROOT, "examples", "ci"), self.work)
        build = os.path.dirname(harness.heddle_command)
        self.env = harness.environment({"PATH": build + os.pathsep + os.environ["PATH"]})

    def run_in(self, folder, command, *, ok=True, **env):
        done = subprocess.run(["sh", "-c", command], cwd=os.path.join(self.work, folder), text=True,
                              env=dict(self.env, **env), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=harness.LIMIT * 3, check=False)
        self.assertEqual(done.returncode == 0, ok, f"{command}\n{done.stdout}")
        return done.stdout

    def break_it(self):
        path = os.path.join(self.work, "queue.c")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write("#define BROKEN 1\n" + text)
        for folder in ("meson", "autotools"):
            shutil.copy(path, os.path.join(self.work, folder, "queue.c"))

    def test_make(self):
        self.run_in("make", "make check && make check-threads")
        self.assertTrue(os.path.exists(os.path.join(self.work, "make", "findings.xml")))
        self.break_it()
        out = self.run_in("make", "make clean && make check-threads", ok=False)
        self.assertIn("deadlock: T", out)

    def steps(self, name, pattern, **inputs):
        """The commands of a job, as the host would run them."""
        with open(os.path.join(self.work, "hosts", name), encoding="utf-8") as file:
            found = re.findall(pattern, file.read(), flags=re.M)
        self.assertGreater(len(found), 1)
        return [re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: inputs[m.group(1)], step) for step in found]

    def test_the_action(self):
        summary = os.path.join(self.work, "summary.md")
        build, check, after = self.steps("action.yml", r"^      run: (.*)$", build="make queue_test", test="./queue_test",
                                         time="60")
        for ok in (True, False):
            self.run_in("make", build)
            self.run_in("make", check, ok=ok)
            self.run_in("make", after, GITHUB_STEP_SUMMARY=summary)
            self.assertEqual(b"deadlock" in harness.read_bytes(summary), not ok)
            self.break_it()
        self.assertTrue(os.listdir(os.path.join(self.work, "make", "schedules")))

    def test_the_job(self):
        build, check = self.steps("gitlab-ci.yml", r"^    - (.*)$")
        for ok in (True, False):
            self.run_in("make", build)
            self.run_in("make", check, ok=ok)
            self.assertEqual(b"<failure" in harness.read_bytes(os.path.join(self.work, "make", "findings.xml")), not ok)
            self.break_it()

    @unittest.skipUnless(shutil.which("cmake"), "there is no cmake")
    def test_cmake(self):
        build = "cmake -B build -DCMAKE_C_COMPILER=heddle-cc && cmake --build build && " \
                "ctest --test-dir build --output-on-failure"
        self.run_in("cmake", build)
        self.break_it()
        out = self.run_in("cmake", build, ok=False)
        self.assertIn("deadlock: T", out)

    def test_meson(self):
        self.run_in("meson", "meson setup build && meson test -C build", CC="heddle-cc")
        self.break_it()
        out = self.run_in("meson", "meson test -C build --print-errorlogs", ok=False)
        self.assertIn("deadlock: T", out)

    @unittest.skipUnless(shutil.which("autoreconf") and shutil.which("automake"),
                         "there are no autotools")
    def test_autotools(self):
        self.run_in("autotools", "autoreconf -i && ./configure CC=heddle-cc && make check")
        self.break_it()
        self.run_in("autotools", "make check", ok=False)
        with open(os.path.join(self.work, "autotools", "queue_test.log"), encoding="utf-8") as log:
            self.assertIn("deadlock: T", log.read())


if __name__ == "__main__":
    harness.main()
