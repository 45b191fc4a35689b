#!/usr/bin/env python3
"""What lies where in the packages of `make deb`. scripts/check_fresh installs them in an empty Debian.

With HEDDLE_TEST_FULL lintian looks at them, too.
"""

import json
import os
import re
import shutil
import subprocess
import unittest

import harness

# By name, beside what meson installs: everything else is heddle's.
ENGINE, HEADERS = r"usr/lib/[^/]+/libheddle-engine\.so\.\d+$", r"usr/include/|usr/lib/[^/]+/(pkgconfig/|libheddle-engine\.(so|a)$)"


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


@unittest.skipUnless(shutil.which("dpkg-gencontrol"), "there is no dpkg-dev")
class Packages(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.build_dir = os.path.dirname(harness.heddle_command)
        files = output("sh", os.path.join(harness.ROOT, "scripts", "deb"), "--of", cls.build_dir, cls.folder.name).split()
        cls.file = {os.path.basename(f).split("_")[0]: f for f in files}
        cls.content = {name: cls.list(f) for name, f in cls.file.items()}

    @staticmethod
    def list(file):
        """{path: (mode, owner, target of a link)} of all but folders."""
        found = {}
        for line in output("dpkg-deb", "-c", file).splitlines():
            mode, owner, _, _, _, path, *link = line.split(maxsplit=8)
            if not mode.startswith("d"):
                found[path.removeprefix("./")] = (mode, owner, link[1] if link else None)
        return found

    def installed(self):
        """What meson installs, as the packages name it."""
        for path in json.loads(output("meson", "introspect", "--installed", self.build_dir)).values():
            path = "usr/" + re.sub(r"^/usr/(local/)?", "", path)
            path = path.replace("share/zsh/site-functions", "share/zsh/vendor-completions")
            yield path + ".gz" if "/man1/" in path else path

    def test_each_file_is_in_one_package(self):
        self.assertEqual(sorted(self.content), ["heddle", "libheddle-dev", "libheddle-engine0"])
        count = 0
        for path in self.installed():
            owner = ("libheddle-engine0" if re.match(ENGINE, path) else "libheddle-dev" if re.match(HEADERS, path) else "heddle")
            self.assertEqual([name for name, content in self.content.items() if path in content], [owner], path)
            count += 1
        # And nothing but these, and what a package has to say about itself.
        said = [p for content in self.content.values() for p in content
                if re.match(r"usr/share/(doc/[\w-]+/(copyright|changelog\.gz)|lintian/overrides/heddle)$", p)]
        self.assertEqual(sum(map(len, self.content.values())), count + len(said) + 1)  # heddle-c++.1.gz is a link
        self.assertEqual(len(said), 7)

    def test_places(self):
        heddle = self.content["heddle"]
        for name in ("heddle-cc", "heddle-c++"):
            self.assertEqual(heddle["usr/bin/" + name][2], "heddle")
        for path in ("usr/bin/heddle", "usr/share/bash-completion/completions/heddle",
                     "usr/share/zsh/vendor-completions/_heddle", "usr/share/man/man1/heddle-check.1.gz"):
            self.assertIn(path, heddle)
        for end in ("heddle/libheddle.so", "heddle/heddle-gdb.py"):
            self.assertTrue([p for p in heddle if p.endswith(end) and p.startswith("usr/lib/")], end)

    def test_anybody_can_read_and_root_owns_it(self):
        for content in self.content.values():
            for path, (mode, owner, link) in content.items():
                self.assertEqual(owner, "root/root", path)
                self.assertIn(mode, ("lrwxrwxrwx",) if link else ("-rw-r--r--", "-rwxr-xr-x"), path)

    def test_what_they_need(self):
        needs = {name: output("dpkg-deb", "-f", file, "Depends") for name, file in self.file.items()}
        for word in ("libc6 (", "libdw1", "libzstd1", "gcc | clang", "libc6-dev", "libheddle-dev (="):
            self.assertIn(word, needs["heddle"])
        for word in ("libheddle-engine0 (=", "libdw-dev", "libelf-dev", "libzstd-dev"):  # pkg-config asks for all
            self.assertIn(word, needs["libheddle-dev"])
        self.assertNotIn("heddle", needs["libheddle-engine0"])

    def test_what_only_some_of_it_needs(self):
        field = {name: output("dpkg-deb", "-f", self.file["heddle"], name) for name in ("Depends", "Recommends", "Suggests")}
        for part, strength, word in ((r"/heddle-(openmpi|mpich)\.so$", "Suggests", "mpi"), ("/valgrind/", "Suggests", "valgrind (<<"),
                                     (r"/heddle-gcc-12\.", "Recommends", "gcc-12")):
            self.assertNotIn(word, field["Depends"])
            self.assertEqual(any(re.search(part, p) for p in self.content["heddle"]), word in field[strength], part)

    def test_what_linking_the_engine_statically_needs(self):
        suggested = output("dpkg-deb", "-f", self.file["libheddle-dev"], "Suggests")
        with open(os.path.join(self.folder.name, "packages", "libheddle-dev", next(
                p for p in self.content["libheddle-dev"] if p.endswith("heddle-engine.pc"))), encoding="utf-8") as pc:
            has_cadical = "-lcadical" in pc.read()
        self.assertIn("libbz2-dev", suggested)  # libdw's
        self.assertEqual(has_cadical, "libcadical-dev" in suggested)

    def test_links_hold_in_any_root(self):
        for content in self.content.values():
            for path, (_, _, link) in content.items():
                self.assertFalse(link and link.startswith("/"), path)

    @unittest.skipUnless(os.environ.get("HEDDLE_TEST_FULL"), "only with HEDDLE_TEST_FULL")
    @unittest.skipUnless(shutil.which("lintian"), "there is no lintian")
    def test_lintian(self):
        done = subprocess.run(["lintian", "--no-cfg", "--allow-root", *self.file.values()], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual([line for line in done.stdout.splitlines() if re.match("[EW]:", line)], [])
        self.assertEqual(done.returncode, 0, done.stdout)


harness.main()
