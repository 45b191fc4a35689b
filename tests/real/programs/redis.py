import tempfile

from harness import Failed, run
from server import Server, expect, say

KEYS = 40


class Redis(Server):
    """As Debian builds it: with jemalloc, which takes malloc's place."""

    package, binary = "redis", "src/redis-server"
    packages = ("libjemalloc-dev",)

    def build(self, tree, cc, cxx, env):
        run(["make", "-j2", "USE_SYSTEM_JEMALLOC=yes", f"CC={cc}", "redis-server", "redis-benchmark"],
            cwd=f"{tree}/src", env=env)

    def arguments(self, port):
        return ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--io-threads", "3",
                "--io-threads-do-reads", "yes", "--lazyfree-lazy-user-del", "yes", "--appendonly", "yes",
                "--dir", tempfile.mkdtemp(prefix="data-redis-", dir=self.folder)]

    def talk(self, stream, client):
        """Keys of its own, a counter of all, a large value that a thread frees, and a child that saves."""
        for i in range(KEYS):
            say(stream, b"SET key%d.%d value%d" % (client, i, i))
            expect(stream, b"+OK")
        for i in range(KEYS):
            value = b"value%d" % i
            say(stream, b"GET key%d.%d" % (client, i), b"INCR counter")
            expect(stream, b"$%d" % len(value), value)
            if not stream.readline().startswith(b":"):
                raise Failed("the server did not count")
        say(stream, b"RPUSH list%d " % client + b" ".join(b"%d" % i for i in range(200)))
        expect(stream, b":200")
        say(stream, b"DEL list%d" % client)
        expect(stream, b":1")
        if client == 0:
            say(stream, b"BGSAVE")
            expect(stream, b"+Background saving started")
            while b"rdb_bgsave_in_progress:0" not in self.information(stream):
                pass

    @staticmethod
    def information(stream):
        say(stream, b"INFO persistence")
        length = stream.readline()
        if not length.startswith(b"$"):
            raise ConnectionResetError("the end") if not length else Failed(f"INFO gave {length}")
        return stream.read(int(length[1:]) + 2)

    def bye(self, stream):
        say(stream, b"GET counter")
        expect(stream, b"$3", b"120")
        say(stream, b"FLUSHALL ASYNC")
        expect(stream, b"+OK")
        say(stream, b"SHUTDOWN NOSAVE")
