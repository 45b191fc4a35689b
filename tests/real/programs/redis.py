from harness import Failed, run
from server import Server


class Redis(Server):
    package, binary = "redis", "src/redis-server"

    def build(self, tree, cc, cxx, env):
        run(["make", "-j2", "MALLOC=libc", "OPTIMIZATION=-O1", f"CC={cc}", "redis-server"], cwd=f"{tree}/src",
            env=env)

    def arguments(self, port):
        return ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--io-threads", "2",
                "--io-threads-do-reads", "yes", "--daemonize", "no"]

    @staticmethod
    def talk(stream):
        for i in range(40):
            stream.write(b"SET key%d value%d\r\n" % (i, i))
            stream.flush()
            if stream.readline() != b"+OK\r\n":
                raise Failed("the server did not store")
        for i in range(40):
            stream.write(b"GET key%d\r\n" % i)
            stream.flush()
            lines = [stream.readline() for _ in range(2)]
            if lines[1] != b"value%d\r\n" % i:
                raise Failed(f"the server answered {lines}")
