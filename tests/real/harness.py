"""What all programs of check_real share: sources, builds, runs, results."""
import glob
import json
import os
import shutil
import subprocess

LIMIT = 900  # seconds for one step


class Failed(Exception):
    pass


def run(command, *, cwd=None, env=None, ok=(0,), limit=LIMIT, **more):
    """Run to the end; its output. What it prints is shown only if it fails."""
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("stderr", subprocess.STDOUT)
    try:
        done = subprocess.run(command, cwd=cwd, env=env, timeout=limit, check=False, **more)
    except subprocess.TimeoutExpired as timeout:
        raise Failed(f"{command} took more than {limit} s") from timeout
    if done.returncode not in ok:
        tail = (done.stdout or b"")[-2000:].decode(errors="replace")
        raise Failed(f"{command} ended with {done.returncode}:\n{tail}")
    return done.stdout or b""


class Sources:
    """Debian's source packages, with lists of our own: no root, no change of the system."""

    def __init__(self, folder):
        self.folder = folder
        self.options = ["-o", f"Dir::Etc::sourceparts={folder}/parts", "-o", "Dir::Etc::sourcelist=/dev/null",
                        "-o", f"Dir::State::lists={folder}/lists", "-o", "APT::Sandbox::User="]
        os.makedirs(f"{folder}/parts", exist_ok=True)
        os.makedirs(f"{folder}/lists/partial", exist_ok=True)
        for path in glob.glob("/etc/apt/sources.list.d/*.sources"):
            with open(path, encoding="utf-8") as file:
                text = file.read().replace("Types: deb\n", "Types: deb-src\n")
            with open(f"{folder}/parts/{os.path.basename(path)}", "w", encoding="utf-8") as file:
                file.write(text)
        if os.path.exists("/etc/apt/sources.list"):
            with open("/etc/apt/sources.list", encoding="utf-8") as file:
                lines = ["deb-src" + l[3:] for l in file if l.startswith("deb ")]
            with open(f"{folder}/parts/more.list", "w", encoding="utf-8") as file:
                file.writelines(lines)

    def update(self):
        run(["apt-get", "-q", *self.options, "update"])

    def fetch(self, package):
        """The folder of the unpacked source."""
        found = [p for p in glob.glob(f"{self.folder}/{package}-[0-9]*") if os.path.isdir(p)]
        if not found:
            if not glob.glob(f"{self.folder}/lists/*Sources*"):
                self.update()
            run(["apt-get", "-q", *self.options, "source", package], cwd=self.folder)
            found = [p for p in glob.glob(f"{self.folder}/{package}-[0-9]*") if os.path.isdir(p)]
        if not found:
            raise Failed(f"no source of {package}")
        return found[0]


class Program:
    """One package. @build makes @binary twice: plain, and for heddle.

    A program is a file in tests/real/programs with one class: the name of the file is the name that
    check_real knows it by.
    """

    package = binary = None
    packages = ()  # what building or using it needs, beyond a compiler
    options = ()  # of heddle, for this program
    finds = {}  # what check or explore must find: a kind of finding for its name

    def __init__(self, sources, heddle, folder):
        self.heddle, self.folder = heddle, folder
        install(self.packages)
        self.source = sources.fetch(self.package)

    def version(self):
        return os.path.basename(self.source)[len(self.package) + 1:]

    def tree(self, word):
        path = os.path.join(self.folder, f"{self.package}-{word}")
        if not os.path.isdir(path):
            shutil.copytree(self.source, path, symlinks=True)
        return path

    def make(self, word, cc, cxx):
        tree = self.tree(word)
        binary = os.path.join(tree, self.binary)
        if not os.path.exists(binary):
            self.build(tree, cc, cxx, dict(os.environ, CC=cc, CXX=cxx))
        return binary

    def build(self, tree, cc, cxx, env):
        raise NotImplementedError

    def use(self, command, cwd):
        """Use the program once by way of @command (a prefix and the binary); raise if it is wrong."""
        raise NotImplementedError

    def search(self, command, cwd):
        """Let @command (check or explore, and the binary) run the program as often as it likes; what it
        prints."""
        raise NotImplementedError


def install(packages):
    """What is missing of @packages; as root only, and not if HEDDLE_NO_INSTALL is set."""
    missing = [p for p in packages if subprocess.run(["dpkg", "-s", p], capture_output=True, check=False).returncode]
    if missing and (os.getuid() != 0 or os.environ.get("HEDDLE_NO_INSTALL")):
        raise Failed(f"needs the packages {' '.join(missing)}")
    if missing:
        run(["apt-get", "-q", "-y", "install", "--no-install-recommends", *missing],
            env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"))


def findings(path):
    """The findings of a --json file, in a few words."""
    if not os.path.exists(path):
        return "none written"
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    found = [f"{f['kind']} {f['variable'] or ''}".strip() for f in document["findings"]]
    kinds = sorted(set(found))
    return f"{len(found)}: " + "; ".join(kinds[:4]) + (" ..." if len(kinds) > 4 else "") if found else "none"
