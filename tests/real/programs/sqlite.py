from harness import run
from tool import Tool


class Sqlite(Tool):
    """Four connections from four threads to one database in memory."""

    package, binary = "sqlite3", "threadtest5"
    packages = ("tcl",)  # makes the one large source file
    says = b"\nOK"

    def build(self, tree, cc, cxx, env):
        run(["./configure", "-q", "--disable-tcl", "--disable-readline", "CFLAGS=-O1 -g", f"CC={cc}"],
            cwd=tree, env=env)
        run(["make", "threadtest5"], cwd=tree, env=env)
