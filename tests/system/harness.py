"""What the end-to-end tests share: building programs, running heddle on them.

Each test is a script: test_X.py BUILDDIR [unittest's arguments]
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(os.path.dirname(HERE), "programs")
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
from program_header import Header  # pylint: disable=wrong-import-position
from status_rule import status_of  # pylint: disable=wrong-import-position

# Seconds after which a run counts as hanging; long tests have long runs.
LIMIT = 600 if os.environ.get("HEDDLE_TEST_FULL") else 60

# Ignored, if the tests run in the background of a script; what they start would ignore it, too.
signal.signal(signal.SIGINT, signal.default_int_handler)

heddle_command = None  # pylint: disable=invalid-name


def environment(extra=None):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("HEDDLE_")}
    # How long a command takes is not what most tests are about: findings come in the report only.
    return {**clean, "HEDDLE_TELL_AFTER": "1000", **(extra or {})}


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


class SystemTest(unittest.TestCase):
    """A folder of its own for each class, with the programs in it built once."""

    programs = ()  # sources below tests/programs or in this folder

    @classmethod
    def setUpClass(cls):
        # pylint: disable=consider-using-with
        cls.folder = tempfile.TemporaryDirectory(prefix="heddle-system-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.binary = {}
        for source in cls.programs:
            name = os.path.splitext(os.path.basename(source))[0]
            cls.binary[name] = cls.build(source, name)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    @classmethod
    def build(cls, source, name, *flags):
        here = os.path.join(HERE, source)
        source = here if os.path.exists(here) else os.path.join(PROGRAMS, source)
        out = cls.path(name)
        header = Header(source)
        if header.cxx and not shutil.which("g++"):
            raise unittest.SkipTest("there is no g++")
        subprocess.run(header.build_command(heddle_command, out, *flags), env=environment(), check=True)
        return out

    def heddle(self, *args, env=None, status=None, **more):
        """Run the command to its end; its output is text unless it goes elsewhere."""
        for stream in ("stdout", "stderr"):
            more.setdefault(stream, subprocess.PIPE)
        more.setdefault("stdin", subprocess.DEVNULL)
        done = subprocess.run([heddle_command, *args], env=environment(env), timeout=LIMIT,
                              errors="replace", check=False, **more)
        if status is not None:
            self.assertEqual(done.returncode, status, f"{args}\n{done.stdout}{done.stderr}")
        return done

    def start(self, *args, env=None, **more):
        """Start the command, with pipes for standard input, output and error."""
        child = subprocess.Popen([heddle_command, *args], env=environment(env),
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, **more)
        self.addCleanup(self.put_away, child)
        return child

    @staticmethod
    def put_away(child):
        if child.poll() is None:
            child.kill()
        child.communicate()

    def run_json(self, *args, **more):
        """Like heddle(): what --json says, and the result, whose status says the same."""
        file = self.path("findings.json")
        done = self.heddle(args[0], "--json", file, *args[1:], **more)
        with open(file, encoding="utf-8") as opened:
            document = json.load(opened)
        if done.returncode != 2:  # or the run left its schedule
            self.assertEqual(done.returncode, status_of(document), f"{args}\n{done.stdout}{done.stderr}")
        return document, done

    def info(self, trace):
        """`heddle trace info --json` of a trace that must be readable."""
        return json.loads(self.heddle("trace", "info", "--json", trace, status=0).stdout)

    def seed_with_finding(self, name, kind, *options, limit=50):
        """The first seed under which a program shows a finding of @kind."""
        for seed in range(1, limit + 1):
            document, _ = self.run_json("run", *options, "--seed", str(seed), "--",
                                        self.binary[name])
            if [f["kind"] for f in document["findings"]] == [kind]:
                return seed
        self.fail(f"{name}: no {kind} within {limit} seeds")
        return None


def main():
    global heddle_command  # pylint: disable=global-statement
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} BUILDDIR")
    heddle_command = os.path.abspath(os.path.join(sys.argv[1], "heddle"))
    if not os.access(heddle_command, os.X_OK):
        sys.exit(f"{sys.argv[0]}: there is no heddle command in '{sys.argv[1]}'")
    result = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False).result
    for test, why in result.skipped:
        if "HEDDLE_TEST_FULL" in why:
            continue  # nothing is missing
        print(f"skipped: {test.id().removeprefix('__main__.')}: {why}")
    sys.exit(not result.wasSuccessful())
