"""A mail server for tests: enough of SMTP, over a real socket, for Django's backend to speak to.

It keeps what it took. `refuses` are addresses to which it answers 550; `dies_after` is how
many messages it takes before it hangs up on whoever sends the next.
"""

from __future__ import annotations

import email
import email.policy
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Session)
        self.taken: list[tuple[str, EmailMessage]] = []
        self.refuses: set[str] = set()
        self.dies_after: int | None = None

    @property
    def port(self) -> int:
        return self.server_address[1]


class Session(socketserver.StreamRequestHandler):
    server: Server

    def handle(self) -> None:
        self.say("220 tests")
        to = ""
        while line := self.rfile.readline():
            verb = line.decode().strip().upper()
            if verb.startswith(("EHLO", "HELO", "MAIL", "RSET", "NOOP")):
                self.say("250 yes")
            elif verb.startswith("RCPT"):
                to = line.decode().split("<")[1].split(">")[0]
                self.say("550 nobody here" if to in self.server.refuses else "250 yes")
            elif verb == "DATA":
                if not self.take(to):
                    return None
            elif verb == "QUIT":
                return self.say("221 bye")
            else:
                self.say("502 what?")
        return None

    def take(self, to: str) -> bool:
        if self.server.dies_after is not None and len(self.server.taken) >= self.server.dies_after:
            return False
        self.say("354 go on")
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line)
        message = email.message_from_bytes(b"".join(lines), policy=email.policy.default)
        self.server.taken.append((to, message))
        self.say("250 taken")
        return True

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def mail_server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
