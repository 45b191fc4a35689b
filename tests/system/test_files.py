#!/usr/bin/env python3
"""Files that a program changes are for every run as they were for the first, and afterwards too."""

import os
import shutil

import harness


def make_tree(top):
    os.makedirs(f"{top}/full")
    for name, text in (("kept", "abcdef"), ("old", "old"), ("full/file", "in it"), ("counter", ""),
                       ("target", "target"), ("pair", "of two names"), ("file", "a file")):
        with open(f"{top}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    os.symlink("kept", f"{top}/link")
    os.symlink("target", f"{top}/alias")
    os.link(f"{top}/pair", f"{top}/twin")
    os.chmod(f"{top}/kept", 0o640)
    os.utime(f"{top}/kept", (1000000000, 1000000000))


def look(top):
    """Everything that is below @top."""
    found = {}
    for folder, folders, files in os.walk(top):
        for name in folders + files:
            path = os.path.join(folder, name)
            state = os.lstat(path)
            content = None
            if os.path.islink(path):
                content = os.readlink(path)
            elif name in files:
                content = (harness.read_bytes(path), state.st_mtime)
            found[os.path.relpath(path, top)] = (state.st_mode, content)
    return found


class Files(harness.SystemTest):
    programs = ("changes_files.c",)

    def use(self, command, *options, how="", status=0):
        """Use @command in a new tree, which it must leave as it was."""
        top = self.path("tree")
        shutil.rmtree(top, ignore_errors=True)
        make_tree(top)
        before = look(top)
        document, done = self.run_json(command, "--output", self.path("out"), *options, "--",
                                       self.binary["changes_files"], how, status=status, cwd=top)
        self.assertEqual(look(top), before, done.stdout + done.stderr)
        self.assertTrue(os.path.samefile(f"{top}/pair", f"{top}/twin"))
        return document, done.stdout + done.stderr

    def test_explore(self):
        for options in ((), ("--jobs", "3"), ("--snapshots", "all"), ("--strategy", "bounded")):
            document, text = self.use("explore", *options)
            self.assertTrue(document["stats"]["complete"], text)
            self.assertIn("the program changes files", text)
        self.assertTrue(self.use("explore", "--snapshots", "all", how="before")[0]["stats"]["complete"])

    def test_faults_are_found_all_the_same(self):
        for how, kind in (("order", "exit"), ("crash", "crash")):
            document, text = self.use("explore", how=how, status=1)
            self.assertEqual([f["kind"] for f in document["findings"]], [kind], text)

    def test_check(self):
        document, text = self.use("check", "--jobs", "2", "--runs", "3")
        self.assertEqual(document["findings"], [], text)
        self.assertIn("one after the other", text)

    def test_the_oracle_sees_what_was_written(self):
        self.use("check", "--oracle", "test -f made && test -f folder/file && ! test -e full")

    def test_a_plain_run_keeps_what_it_wrote(self):
        top = self.path("kept")
        make_tree(top)
        self.heddle("run", "--", self.binary["changes_files"], "", cwd=top, status=0)
        self.assertTrue(os.path.exists(f"{top}/made"))


class Few(harness.SystemTest):
    programs = ("explored.c",)

    def test_a_program_that_changes_none_is_not_told_about(self):
        done = self.heddle("explore", "--output", self.path("out"), "--", self.binary["explored"],
                           "writes", "2", status=0)
        self.assertNotIn("changes files", done.stdout + done.stderr)


if __name__ == "__main__":
    harness.main()
