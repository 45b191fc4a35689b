#!/usr/bin/env python3
"""Hostile surroundings: rights, limits, full disks, closed descriptors, names that drive terminals."""

import ctypes
import json
import os
import resource
import shutil
import struct
import subprocess

import harness


def racy_places(number):
    """A program with a race in each of so many functions."""
    lines = ["#include <pthread.h>"]
    lines += [f"static int v{i}; static void f{i}(void) {{ v{i}++; }}" for i in range(number)]
    lines.append("static void *work(void *arg) {")
    lines += [f"f{i}();" for i in range(number)]
    lines += ["return arg; }",
              "int main(void) { pthread_t a, b; pthread_create(&a, NULL, work, NULL);",
              "pthread_create(&b, NULL, work, NULL); pthread_join(a, NULL); return pthread_join(b, NULL); }"]
    return "\n".join(lines)


class Rights(harness.SystemTest):
    programs = ("race/barrier_racy.c",)

    def test_set_id(self):
        """The kernel undoes what the program would start over for: it starts once, and runs."""
        program = self.path("set_id")
        shutil.copy(self.binary["barrier_racy"], program)
        os.chmod(program, 0o4755)
        for options, status, report in (("seed=1", 66, b"data race"), ("seed=1:races=0", 0, b"")):
            done = subprocess.run([program], env=harness.environment({"HEDDLE_OPTIONS": options}),
                                  stderr=subprocess.PIPE, timeout=harness.LIMIT, check=False)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(report, done.stderr)

    def test_the_mark_is_not_seen(self):
        source = self.path("environment.c")
        with open(source, "w", encoding="utf-8") as out:
            out.write("#include <stdio.h>\nextern char **environ;\n"
                      "int main(void) { for (char **e = environ; *e; e++) puts(*e); return 0; }\n")
        program = self.build(source, "environment")
        env = {"A": "1", "B": "2"}
        done = subprocess.run([program], env=env, stdout=subprocess.PIPE, timeout=harness.LIMIT, check=True)
        self.assertEqual(done.stdout, b"A=1\nB=2\n")


class Floods(harness.SystemTest):
    FUNCTIONS = 1050

    def test_all_findings_are_in_the_files(self):
        source = self.path("flood.c")
        with open(source, "w", encoding="utf-8") as out:
            out.write(racy_places(self.FUNCTIONS))
        program = self.build(source, "flood")
        files = {kind: self.path("flood." + kind) for kind in ("json", "sarif", "junit", "html")}
        options = [word for kind, file in files.items() for word in ("--" + kind, file)]
        done = self.heddle("run", *options, "--", program, status=1)
        expected = self.FUNCTIONS
        with open(files["json"], encoding="utf-8") as opened:
            self.assertEqual(len(json.load(opened)["findings"]), expected)
        with open(files["sarif"], encoding="utf-8") as opened:
            self.assertEqual(len(json.load(opened)["runs"][0]["results"]), expected)
        self.assertEqual(harness.read_bytes(files["junit"]).count(b"<failure"), expected)
        note = f"{expected - 1000} more findings are not shown here"
        self.assertIn(note, done.stderr)
        self.assertEqual(done.stderr.count("SUMMARY: "), 1000)
        self.assertIn(note.encode(), harness.read_bytes(files["html"]))
        done = self.heddle("run", "--baseline", files["json"], "--", program, status=0)
        self.assertIn(f"{expected} findings known", done.stderr)


class Outputs(harness.SystemTest):
    programs = ("torn_pair.c",)

    def test_schedules_that_cannot_be_written(self):
        """The finding is told, and its replay command needs no file."""
        for command in ("check", "explore"):
            done = self.heddle(command, "--output", "/dev/full", "--", self.binary["torn_pair"])
            self.assertIn("/dev/full", done.stderr)
            self.assertIn(done.returncode, (2, 3), done.stderr)
            self.assertIn("SUMMARY: heddle: ", done.stdout)
            replay = [line.split("Replay: ", 1)[1] for line in done.stdout.splitlines() if "Replay: " in line]
            self.assertIn("heddle-schedule 1", replay[-1])
            again = subprocess.run(["bash", "-c", replay[-1].replace("heddle", harness.heddle_command, 1)],
                                   env=harness.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, timeout=harness.LIMIT, check=False)
            self.assertEqual(again.returncode, 1, again.stderr)

    def test_every_command_says_that_its_output_is_lost(self):
        trace, document = self.path("run.htr"), self.path("run.json")
        self.heddle("run", "--record", trace, "--json", document, "--", self.binary["torn_pair"])
        commands = (("--help",), ("--version",), ("run", "--help"), ("trace", "--help"), ("completion", "bash"),
                    ("doctor",), ("trace", "info", trace), ("trace", "dump", trace), ("analyze", trace),
                    ("predict", trace), ("report", document, "--sarif"),
                    ("run", "--json", "-", "--", self.binary["torn_pair"], "locked"),
                    ("check", "--output", self.path("c"), "--", self.binary["torn_pair"]),
                    ("explore", "--output", self.path("e"), "--", self.binary["torn_pair"]))
        for command in commands:
            with self.subTest(command=command), open("/dev/full", "wb") as full:
                done = self.heddle(*command, stdout=full, status=3)
                self.assertIn("heddle: ", done.stderr)
        for command in commands[1:10:4] + commands[-2:-1]:
            with self.subTest(command=command, closed=True):
                words = [harness.heddle_command, *command]
                done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *words], env=harness.environment(),
                                      stderr=subprocess.PIPE, timeout=harness.LIMIT, check=False)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(b"heddle: ", done.stderr)

    def test_the_program_may_write_where_it_likes(self):
        with open("/dev/full", "wb") as full:
            self.heddle("run", "--", self.binary["torn_pair"], "locked", stdout=full, status=0)

    def test_closed_descriptors(self):
        """Files that are opened do not take the place of standard output or error."""
        for closed in ("2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            for command in ("run", "check"):
                file = self.path("closed.json")
                words = [harness.heddle_command, command, "--json", file]
                words += ["--output", self.path("closed")] if command == "check" else []
                subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", *words, "--", self.binary["torn_pair"]],
                               env=harness.environment(), stdout=subprocess.DEVNULL, timeout=harness.LIMIT,
                               check=False)
                with open(file, encoding="utf-8") as opened:
                    self.assertIn("findings", json.load(opened))


class Limits(harness.SystemTest):
    programs = ("own_limits.c", "race/barrier_racy.c")

    def test_limits_of_the_program(self):
        done = self.heddle("run", "--", self.binary["own_limits"], status=0)
        self.assertEqual(done.stdout, "set 0 limit 256 512 create 0 large no\n")
        done = self.heddle("run", "--", self.binary["own_limits"], "race", status=1)
        self.assertIn("data race", done.stderr)

    def test_no_room_for_race_detection(self):
        """Silence is not the same as nothing found: the status says so."""
        few = lambda: resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        done = self.heddle("run", "-q", "--", self.binary["barrier_racy"], preexec_fn=few, status=4)
        self.assertNotIn("data race", done.stderr)
        self.assertIn("drops: race detection: ", done.stderr)
        self.heddle("run", "-q", "--", self.binary["barrier_racy"], status=1)


class Crowds(harness.SystemTest):
    THREADS = 20000

    def test_many_threads_want_one_lock(self):
        """What a thread that must wait costs does not grow with the number of threads."""
        source = self.path("crowd.c")
        with open(source, "w", encoding="utf-8") as out:
            out.write("#include <pthread.h>\n#include <stdio.h>\n"
                      f"static pthread_t t[{self.THREADS}]; static long count;\n"
                      "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
                      "static void *work(void *arg) { pthread_mutex_lock(&m); count++; "
                      "pthread_mutex_unlock(&m); return arg; }\n"
                      f"int main(void) {{ for (int i = 0; i < {self.THREADS}; i++)"
                      " if (pthread_create(&t[i], NULL, work, NULL) != 0) return 2;\n"
                      f"for (int i = 0; i < {self.THREADS}; i++) pthread_join(t[i], NULL);\n"
                      'printf("%ld\\n", count); return 0; }\n')
        program = self.build(source, "crowd")
        done = self.heddle("run", "--races", "no", "--expect-exit", "2", "--", program, status=0)
        if not done.stdout:
            self.skipTest("the system has no room for so many threads")
        self.assertEqual(done.stdout, f"{self.THREADS}\n")


class Piles(harness.SystemTest):
    LOCKS = 100000

    def test_many_locks_are_held_at_once(self):
        """What it costs to take or give back one does not grow with the number that is held."""
        source = self.path("pile.c")
        with open(source, "w", encoding="utf-8") as out:
            out.write("#include <pthread.h>\n#include <stdio.h>\n"
                      f"static pthread_mutex_t m[{self.LOCKS}]; static long count;\n"
                      "static void *work(void *arg) {"
                      f" for (int i = 0; i < {self.LOCKS}; i++) {{ pthread_mutex_lock(&m[i]); count++; }}"
                      f" for (int i = 0; i < {self.LOCKS}; i++) pthread_mutex_unlock(&m[i]); return arg; }}\n"
                      "int main(void) { pthread_t t; pthread_create(&t, NULL, work, NULL); work(NULL);"
                      ' pthread_join(t, NULL); printf("%ld\\n", count); return 0; }\n')
        program = self.build(source, "pile")
        done = self.heddle("run", "--", program, status=0)
        self.assertEqual(done.stdout, f"{2 * self.LOCKS}\n")


def chunk(kind, count, raw):
    """A chunk of a trace file as docs/reference/format.md has it."""
    zstd = ctypes.CDLL("libzstd.so.1")
    for name in ("ZSTD_createCCtx", "ZSTD_compress2"):
        getattr(zstd, name).restype = ctypes.c_size_t
    context = ctypes.c_void_p(zstd.ZSTD_createCCtx())
    zstd.ZSTD_CCtx_setParameter(context, 201, 1)  # with a checksum
    room = ctypes.create_string_buffer(len(raw) + 1024)
    size = zstd.ZSTD_compress2(context, room, ctypes.c_size_t(len(room)), raw, ctypes.c_size_t(len(raw)))
    zstd.ZSTD_freeCCtx(context)
    head = kind + struct.pack("<IIIQ", count, len(raw), size, 0)
    check = 0x6865646431
    for word in struct.unpack("<3Q", head):
        check = (check ^ word) * 0x9e3779b97f4a7c15 & (1 << 64) - 1
        check ^= check >> 29
    return head + struct.pack("<Q", check) + room.raw[:size]


class Bombs(harness.SystemTest):
    # One string of a megabyte of the same letter, again and again.
    TEXT = chunk(b"TABL", 1, b"\x03\x01\x80\x80\x40" + bytes(1 << 20))

    def bomb(self, name, texts, more=b""):
        path = self.path(name)
        with open(path, "wb") as out:
            out.write(b"HEDDLE\2\0" + chunk(b"META", 0, b"") + more + self.TEXT * texts)
            out.write(chunk(b"END!", 1, b"\x09\x02\x00\x00"))
        return path

    def test_a_file_that_unpacks_to_too_much_is_refused(self):
        path = self.bomb("bomb.htr", 300)
        self.assertLess(os.path.getsize(path) * 4000, 300 << 20)
        for command in (("trace", "info"), ("trace", "dump"), ("trace", "export", "--text"), ("analyze",),
                        ("predict",), ("replay",)):
            done = self.heddle(*command, path, status=2)
            self.assertIn("--max-unpacked", done.stderr, command)
        done = self.heddle("trace", "compact", path, "-o", self.path("compact.htr"), status=2)
        self.assertIn("--max-unpacked", done.stderr)
        self.assertFalse(os.path.exists(self.path("compact.htr")))
        # Whoever wants it all the same gets it.
        self.assertTrue(json.loads(self.heddle("trace", "info", "--json", "--max-unpacked", "1G", path,
                                               status=0).stdout)["complete"])
        self.heddle("analyze", "--max-unpacked", "1G", path, status=0)
        self.heddle("trace", "info", "--max-unpacked", "much", path, status=2)

    def test_size_or_ratio_alone_is_no_reason(self):
        self.heddle("trace", "info", self.bomb("small.htr", 200), status=0)
        # As many bytes, and a hundred thousand that cannot be packed.
        noise = b"\x03\x02\x80\xc0\x0c" + os.urandom(204800)
        self.heddle("trace", "info", self.bomb("large.htr", 300, chunk(b"TABL", 1, noise)), status=0)


class Names(harness.SystemTest):
    BAD = "a\x1b[31mb\u202ec"

    def test_names_do_not_drive_the_terminal(self):
        source = self.path("names.c")
        with open(source, "w", encoding="utf-8") as out:
            out.write('#define _GNU_SOURCE\n#include <pthread.h>\nint main(void) { return '
                      'pthread_setname_np(pthread_self(), "a\\033[31mb\\xe2\\x80\\xae" "c"); }\n')
        program = self.build(source, self.BAD)
        trace = self.path("names.htr")
        self.heddle("run", "--record", trace, "--", program, status=0)
        shown = [self.heddle("trace", "info", trace, status=0).stdout,
                 self.heddle("trace", "dump", trace, status=0).stdout,
                 self.heddle("trace", "info", self.path("no" + self.BAD), status=2).stderr,
                 self.heddle("run", "--", self.path("no" + self.BAD), status=2).stderr]
        for text in shown:
            self.assertIn("a\\x1b[31mb\\xe2\\x80\\xaec", text)
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\u202e", text)


if __name__ == "__main__":
    harness.main()
