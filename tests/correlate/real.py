#!/usr/bin/env python3
"""Real programs under `heddle correlate`: what they print does not change, and they have no findings
that nobody expects. And wrong uses, and the forms of the report."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop())
HERE = os.path.dirname(os.path.abspath(__file__))
HEDDLE = os.path.join(BUILD, "heddle")
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable


def run(command, **options):
    return subprocess.run(command, capture_output=True, timeout=600, check=False, **options)


class Real(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.lines = os.path.join(self.folder.name, "lines")
        with open(self.lines, "w", encoding="utf-8") as file:
            for i in range(3000):
                file.write(f"{i * 7919 % 10007} {i}\n")

    long = ("cc1", "python3", "python3.11")  # the second time only with check-full

    def same(self, command, statuses=(0,)):
        plain = run(command)
        under = run([HEDDLE, "correlate", "-q", "--"] + command)
        self.assertEqual(under.stdout, plain.stdout)
        self.assertIn(under.returncode, statuses, under.stderr.decode(errors="replace")[:500])
        # Without a second thread code is hardly changed: once more with everything looked at.
        if os.path.basename(command[0]) in self.long and "HEDDLE_TEST_FULL" not in os.environ:
            return
        tool = run(["valgrind", "-q", "--tool=heddle", "--from-start=yes"] + command,
                   env=dict(os.environ, VALGRIND_LIB=os.path.join(BUILD, "src", "correlate")))
        self.assertEqual(tool.stdout, plain.stdout)
        self.assertEqual(tool.returncode, plain.returncode)

    def test_sort(self):
        self.same(["sort", "--parallel=2", "-S", "1M", self.lines])

    def test_gzip(self):
        self.same(["gzip", "-nc", self.lines])

    def test_python(self):
        self.same([PYTHON, "-c", "import threading\nx = []\nt = [threading.Thread(target="
                   "lambda: x.append(1)) for _ in range(3)]\n[i.start() for i in t]\n"
                   "[i.join() for i in t]\nprint(sum(x), 2 ** 200, 1 / 3)"],
                  # When it ends, the interpreter does not wait for its threads' last steps.
                  statuses=(0, 1))

    def test_gcc(self):
        if not shutil.which("gcc"):
            self.skipTest("no gcc")
        source = os.path.join(self.folder.name, "a.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n")
        compiler = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True,
                                  check=True).stdout.strip()
        self.same([compiler, "-quiet", "-O2", source, "-o", "-"])


class Forms(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.program = os.path.join(self.folder.name, "torn")
        source = os.path.join(HERE, "paper", "15_scale_vector_interrupted.c")
        subprocess.run(["gcc", "-g", "-O1", "-w", "-o", self.program, source, "-pthread"],
                       check=True)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_all_forms(self):
        ran = run([HEDDLE, "correlate", "--json", self.path("j"), "--sarif", self.path("s"),
                   "--groups", self.path("g"), "--", self.program])
        self.assertEqual(ran.returncode, 1)
        text = ran.stderr.decode()
        self.assertIn("extended data race on 'x', 'y'", text)
        self.assertIn("released in between", text)
        with open(self.path("j"), encoding="utf-8") as file:
            finding = json.load(file)["findings"][0]
        self.assertEqual(finding["kind"], "extended-race")
        self.assertEqual(sorted(finding["variables"]), ["x", "y"])
        self.assertEqual([a["role"] for a in finding["accesses"]], ["begin", "between", "end"])
        self.assertTrue(all(a["locks"] for a in finding["accesses"]))
        with open(self.path("s"), encoding="utf-8") as file:
            results = json.load(file)["runs"][0]["results"]
        self.assertEqual(results[0]["ruleId"], "extended-race")
        with open(self.path("g"), encoding="utf-8") as file:
            self.assertIn(": x, y", file.read().replace("y, x", "x, y"))

    def test_fingerprint_and_suppression(self):
        ids = set()
        for name in ["a", "b"]:
            run([HEDDLE, "correlate", "--json", self.path(name), "--", self.program])
            with open(self.path(name), encoding="utf-8") as file:
                ids.add(json.load(file)["findings"][0]["kind"])
        self.assertEqual(ids, {"extended-race"})
        with open(self.path("supp"), "w", encoding="utf-8") as file:
            file.write("extended-race:scale_vector\n")
        ran = run([HEDDLE, "correlate", "--suppressions", self.path("supp"), "--", self.program])
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_wrong_use(self):
        self.assertEqual(run([HEDDLE, "correlate"]).returncode, 2)
        self.assertEqual(run([HEDDLE, "correlate", "--", "./there-is-none"]).returncode, 2)
        ran = run([HEDDLE, "correlate", "--", self.program],
                  env=dict(os.environ, PATH="/nonexistent"))
        self.assertEqual(ran.returncode, 2)
        self.assertIn(b"valgrind", ran.stderr)

    def test_another_valgrind(self):
        """One sentence, with what is there and what is needed."""
        os.mkdir(self.path("bin"))
        for text, said in [("echo valgrind-3.99.0", b"valgrind-3.99.0"),
                           ("exit 1", b"none in PATH")]:
            fake = self.path("bin/valgrind")
            with open(fake, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{text}\n")
            os.chmod(fake, 0o755)
            ran = run([HEDDLE, "correlate", "--", self.program],
                      env=dict(os.environ, PATH=self.path("bin") + ":" + os.environ["PATH"]))
            self.assertEqual(ran.returncode, 2)
            self.assertIn(said, ran.stderr)
            self.assertEqual(ran.stderr.count(b"\n"), 1, ran.stderr)

    def test_debug_information_that_valgrind_cannot_read(self):
        """Type units of DWARF 5: valgrind gives up, and heddle says in one sentence what to do."""
        if not shutil.which("clang++"):
            self.skipTest("no clang++")
        source = self.path("types.cc")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <map>\n#include <string>\n#include <thread>\n"
                       "std::map<std::string, int> m;\n"
                       "int main() { std::thread t([] { m[\"a\"]++; }); t.join(); return 0; }\n")
        for dwarf, status in [("-gdwarf-5", 3), ("-gdwarf-4", 0)]:
            subprocess.run(["clang++", dwarf, "-fdebug-types-section", "-o", self.path("types"),
                            source, "-pthread"], check=True)
            ran = run([HEDDLE, "correlate", "--", self.path("types")])
            self.assertEqual(ran.returncode, status, ran.stderr)
            self.assertEqual(ran.stderr.count(b"\n"), 1, ran.stderr)
            self.assertEqual(b"-gdwarf-4" in ran.stderr, status != 0, ran.stderr)

    def test_without_debug_information(self):
        """Addresses in files instead of names and lines, the same verdict, and a note."""
        bare = self.path("bare")
        subprocess.run(["strip", "-o", bare, self.program], check=True)
        ran = run([HEDDLE, "correlate", "--", bare])
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn(b"extended data race on memory of bare at 0x", ran.stderr)
        self.assertIn(b"released in between", ran.stderr)
        self.assertIn(b"debug information of " + bare.encode() + b" not found", ran.stderr)
        self.assertNotIn(b"scale_vector", ran.stderr)

    def test_crash_and_exec(self):
        crash = self.path("crash.c")
        with open(crash, "w", encoding="utf-8") as file:
            file.write("int main(void) { *(volatile int *)0 = 1; return 0; }\n")
        subprocess.run(["gcc", "-o", self.path("crash"), crash], check=True)
        ran = run([HEDDLE, "correlate", "--json", self.path("j"), "--", self.path("crash")])
        with open(self.path("j"), encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(document["program"]["signal"], 11)
        self.assertEqual([f["kind"] for f in document["findings"]], ["crash"])
        self.assertEqual(ran.returncode, 1)
        ran = run([HEDDLE, "correlate", "--", "sh", "-c", "exec true"])
        self.assertEqual(ran.returncode, 3)
        self.assertIn(b"exec", ran.stderr)


if __name__ == "__main__":
    if not os.path.exists(os.path.join(BUILD, "src", "correlate", "heddle-amd64-linux")):
        print("heddle was built without valgrind: `correlate` is not tested")
        sys.exit(77)
    unittest.main()
