"""Programs that answer clients.

A server is used by several clients at once, which are not under control, and told by one of them to
end. Under `check` and `explore`, which run it again and again, clients wait for the next run of it.
"""
import os
import socket
import subprocess
import threading
import time

from harness import LIMIT, Failed, Program

CLIENTS = 3


class Server(Program):
    """@arguments start it on a port, @talk is what one client says, @bye makes it end."""

    def arguments(self, port):
        raise NotImplementedError

    def talk(self, stream, client):
        """Of client number @client; raises Failed if an answer is wrong."""
        raise NotImplementedError

    def bye(self, stream):
        raise NotImplementedError

    def session(self, port, server):
        """One life of the server: all clients at once, then the end. False: there is no server any more."""
        streams = [connect(port, server) for _ in range(CLIENTS)]
        if not all(streams):
            return False
        wrong = []

        def one(client):
            try:
                self.talk(streams[client], client)
            except (Failed, OSError) as failure:
                wrong.append(failure)

        threads = [threading.Thread(target=one, args=(i,)) for i in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if wrong:
            raise wrong[0]
        self.bye(streams[0])
        for stream in streams:
            stream.close()
        return True

    def start(self, command, port, cwd, log):
        return subprocess.Popen([*command, *self.arguments(port)], cwd=cwd, stdout=log, stderr=log)

    def use(self, command, cwd):
        port = free_port()
        with open(os.path.join(cwd, "run.log"), "w+b") as log:
            server = self.start(command, port, cwd, log)
            try:
                if not self.session(port, server):
                    raise Failed("the server does not answer")
                if wait(server, LIMIT) not in (0, 1):
                    raise Failed(f"the server ended with status {server.returncode}")
            except OSError as error:
                raise Failed(f"the server stopped answering: {error}") from error
            finally:
                end(server)
            log.seek(0)
            return log.read()

    def search(self, command, cwd):
        """One run at a time, as there is one port. What clients are told by a server that is stopped in
        the middle is not judged."""
        command = [*command[:2], "--jobs", "1", "--keep-going", *command[2:]]
        port = free_port()
        with open(os.path.join(cwd, f"{command[1]}.log"), "w+b") as log:
            server = self.start(command, port, cwd, log)
            until = time.monotonic() + LIMIT
            try:
                while server.poll() is None and time.monotonic() < until:
                    try:
                        self.session(port, server)
                    except OSError:
                        pass
                if server.poll() is None:
                    raise Failed("no end in sight")
            finally:
                end(server)
            log.seek(0)
            return log.read()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def connect(port, server):
    """A stream to the server; None if it ended."""
    until = time.monotonic() + 120
    while server.poll() is None and time.monotonic() < until:
        try:
            with socket.create_connection(("127.0.0.1", port), 60) as client:
                return client.makefile("rwb")
        except OSError:
            time.sleep(0.02)
    return None


def wait(server, limit):
    try:
        return server.wait(limit)
    except subprocess.TimeoutExpired:
        return None


def end(server):
    if server.poll() is None:
        server.terminate()
    if wait(server, 60) is None:
        server.kill()
        server.wait()


def expect(stream, *lines):
    """The next lines of @stream."""
    for line in lines:
        got = stream.readline()
        if got != line + b"\r\n":
            raise Failed(f"the server answered {got} for {line}") if got else ConnectionResetError("the end")


def say(stream, *lines):
    stream.write(b"".join(line + b"\r\n" for line in lines))
    stream.flush()
