"""Programs that answer clients."""
import os
import signal
import socket
import subprocess
import time

from harness import Failed, Program


class Server(Program):
    """Answers a client while it is under control, and ends when it is told to."""

    def arguments(self, port):
        raise NotImplementedError

    @staticmethod
    def talk(stream):
        raise NotImplementedError

    def use(self, command, cwd):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with open(os.path.join(cwd, "server.log"), "w+b") as log:
            server = subprocess.Popen([*command, *self.arguments(port)], cwd=cwd, stdout=log, stderr=log)
            try:
                with self.connect(port, server) as client, client.makefile("rwb") as stream:
                    self.talk(stream)
            except OSError as error:
                raise Failed(f"the server stopped answering: {error}") from error
            finally:
                server.send_signal(signal.SIGTERM)
                try:
                    server.wait(60)
                except subprocess.TimeoutExpired:
                    server.kill()
                    server.wait()
            log.seek(0)
            return log.read()

    @staticmethod
    def connect(port, server):
        until = time.monotonic() + 120
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), 60)
            except OSError as error:
                if time.monotonic() > until or server.poll() is not None:
                    raise Failed("the server does not answer") from error
                time.sleep(0.1)

    def search(self, command, cwd):
        return b"needs a client for each run"
