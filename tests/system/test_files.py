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


def look_but_pipes(top):
    """The same without the two pipes, which reading would wait at."""
    pipes = [f"{top}/{name}" for name in ("told", "go")]
    for pipe in pipes:
        os.rename(pipe, f"{top}-{os.path.basename(pipe)}")
    found = look(top)
    for pipe in pipes:
        os.rename(f"{top}-{os.path.basename(pipe)}", pipe)
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


class CommandIsKilled(harness.SystemTest):
    programs = ("changes_and_waits.c",)

    def test_files_are_put_back(self):
        """Nobody is left to do it but the guard, which says so, and leaves nothing behind."""
        for command in ("check", "explore"):
            top, temp = self.path(command), self.path(command + "-temp")
            os.makedirs(temp)
            make_tree(top)
            os.rename(f"{top}/old", f"{top}/removed")
            for name in ("told", "go"):
                os.mkfifo(f"{top}/{name}")
            before = look_but_pipes(top)
            child = self.start(command, "--output", self.path(command + "-out"), "--",
                               self.binary["changes_and_waits"], cwd=top, env={"TMPDIR": temp})
            child.stdin.close()
            child.stdin = None
            with open(f"{top}/told", "rb") as told:
                self.assertEqual(told.read(1), b"x")
            self.assertNotEqual(look_but_pipes(top), before)
            child.kill()
            errors = child.stderr.read()  # until the guard is gone, which has it, too
            self.assertEqual(look_but_pipes(top), before, errors)
            self.assertIn(b"heddle: it was killed; what the run in progress had changed in files was put back",
                          errors)
            self.assertEqual(os.listdir(temp), [])

    def test_the_guard_says_nothing_else(self):
        """After an end of another kind there is nothing to put back."""
        top = self.path("interrupted")
        make_tree(top)
        for name in ("told", "go"):
            os.mkfifo(f"{top}/{name}")
        before = look_but_pipes(top)
        child = self.start("check", "--output", self.path("interrupted-out"), "--",
                           self.binary["changes_and_waits"], cwd=top)
        child.stdin.close()
        child.stdin = None
        with open(f"{top}/told", "rb") as told:
            self.assertEqual(told.read(1), b"x")
        child.terminate()
        errors = child.stderr.read()
        self.assertEqual(look_but_pipes(top), before, errors)
        self.assertNotIn(b"it was killed", errors)


class Few(harness.SystemTest):
    programs = ("explored.c",)

    def test_a_program_that_changes_none_is_not_told_about(self):
        done = self.heddle("explore", "--output", self.path("out"), "--", self.binary["explored"],
                           "writes", "2", status=0)
        self.assertNotIn("changes files", done.stdout + done.stderr)


if __name__ == "__main__":
    harness.main()
