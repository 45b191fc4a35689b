import subprocess

from harness import Failed, Program, run
from server import connect, end, free_port


class Iperf(Program):
    """The client, with three threads that send and one that reports; the server is not under control."""

    package, binary = "iperf", "src/iperf"
    packages = ("autoconf", "automake")

    def build(self, tree, cc, cxx, env):
        run(["autoreconf", "-fi"], cwd=tree, env=env)
        run(["./configure", "-q"], cwd=tree, env=env)
        run(["make", "-j2"], cwd=tree, env=env)

    def served(self, command, cwd, ok):
        port = free_port()
        with subprocess.Popen([f"{self.tree('plain')}/{self.binary}", "-s", "-p", str(port)], cwd=cwd,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
            try:
                connect(port, server).close()
                return run([*command, "-c", "127.0.0.1", "-p", str(port), "-P", "3", "-n", "200K"], cwd=cwd, ok=ok)
            finally:
                end(server)

    def use(self, command, cwd):
        output = self.served(command, cwd, (0, 1))
        if b"[SUM]" not in output or b"600 KBytes" not in output:
            raise Failed(f"the client did not send: {output[-2000:].decode(errors='replace')}")
        return output

    def search(self, command, cwd):
        return self.served([*command[:2], "--jobs", "1", "--keep-going", *command[2:]], cwd, (0, 1, 2))
