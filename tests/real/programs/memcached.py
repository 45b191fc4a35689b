import os

from harness import Failed, run
from server import Server


class Memcached(Server):
    package = binary = "memcached"
    packages = ("libevent-dev",)

    def build(self, tree, cc, cxx, env):
        run(["./configure", "-q", "--disable-docs", "--disable-coverage", "CFLAGS=-O2 -g", f"CC={cc}"],
            cwd=tree, env=env)
        run(["make", "-j2", "memcached"], cwd=tree, env=env)

    def arguments(self, port):
        user = ["-u", "root"] if os.getuid() == 0 else []
        return ["-l", "127.0.0.1", "-p", str(port), "-U", "0", "-t", "2", "-m", "8", *user]

    @staticmethod
    def talk(stream):
        for i in range(40):
            value = b"value %d" % i
            stream.write(b"set key%d 0 0 %d\r\n%s\r\n" % (i, len(value), value))
            stream.flush()
            if stream.readline() != b"STORED\r\n":
                raise Failed("the server did not store")
        for i in range(40):
            stream.write(b"get key%d\r\n" % i)
            stream.flush()
            lines = [stream.readline() for _ in range(3)]
            if lines[1] != b"value %d\r\n" % i:
                raise Failed(f"the server answered {lines}")
