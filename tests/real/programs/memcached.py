import os

from harness import run
from server import Server, expect, say

KEYS = 100


class Memcached(Server):
    package = binary = "memcached"
    packages = ("libevent-dev",)

    def build(self, tree, cc, cxx, env):
        run(["./configure", "-q", "--disable-docs", "--disable-coverage", "CFLAGS=-O2 -g", f"CC={cc}"],
            cwd=tree, env=env)
        run(["make", "-j2", "memcached"], cwd=tree, env=env)

    def arguments(self, port):
        user = ["-u", "root"] if os.getuid() == 0 else []
        return ["-A", "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-t", "2", "-m", "8", *user]

    def talk(self, stream, client):
        """Keys of its own, and counters that all clients increment."""
        for i in range(KEYS):
            key, value = b"key%d.%d" % (client, i), b"value %d" % i
            say(stream, b"set %s 0 0 %d" % (key, len(value)), value)
            expect(stream, b"STORED")
        for i in range(KEYS):
            key, value = b"key%d.%d" % (client, i), b"value %d" % i
            say(stream, b"get " + key)
            expect(stream, b"VALUE %s 0 %d" % (key, len(value)), value, b"END")
            if i % 10 == 0:
                say(stream, b"delete " + key)
                expect(stream, b"DELETED")
        say(stream, b"stats")
        while stream.readline() not in (b"END\r\n", b""):
            pass

    def bye(self, stream):
        say(stream, b"shutdown")
