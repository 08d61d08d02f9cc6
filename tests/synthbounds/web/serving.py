"""Servers for tests: started as users start them, or with an engine that does as it is told; raw requests to them."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synthbounds.web.guard import ASK
from tests.paths import ROOT

SECONDS = 60.0
"""Far longer than anything here takes; nothing is measured by it."""
AS_USERS_DO = ("-m", "synthbounds", "serve", "--no-browser")
TOLD = ("-m", "tests.synthbounds.web.told_server")
QUESTION = {"ask": "answer", "command": "require", "options": {"p": "10", "epsilon": "0.2"}}


@dataclass(frozen=True)
class Served:
    """A server that runs."""

    process: subprocess.Popen[str]
    port: int
    token: str

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS)

    def head(self, length: int | None, *, drop: str = "", at: str = ASK, **other: str) -> bytes:
        """The head of a question, or of what is posted elsewhere; headers are replaced, dropped or added by name."""
        headers = {
            "host": f"127.0.0.1:{self.port}",
            "authorization": f"Bearer {self.token}",
            "content-type": "application/json",
            **({} if length is None else {"content-length": str(length)}),
            **{name.replace("_", "-"): value for name, value in other.items()},
        }
        lines = [f"{name}: {value}\r\n" for name, value in headers.items() if name != drop]
        return f"POST {at} HTTP/1.1\r\n{''.join(lines)}\r\n".encode()

    def send(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        """What comes back for these bytes: status, headers and body; a status of 0 where nothing does."""
        with self.connect() as connection:
            connection.sendall(request)
            return received(connection)

    def ask(self, question: object, **headers: str) -> tuple[int, dict[str, str], bytes]:
        body = question if isinstance(question, bytes) else json.dumps(question).encode()
        return self.send(self.head(len(body), **headers) + body)

    def answer(self, question: object) -> dict[str, Any]:
        status, _, body = self.ask(question)
        assert status == 200, body
        found: dict[str, Any] = json.loads(body)
        return found

    @contextmanager
    def asking(self, question: object) -> Iterator[socket.socket]:
        """A question that was sent, and whose answer has not been read."""
        body = json.dumps(question).encode()
        with self.connect() as connection:
            connection.sendall(self.head(len(body)) + body)
            yield connection

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """The exit code and what was written to standard error."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, errors


def received(connection: socket.socket) -> tuple[int, dict[str, str], bytes]:
    response = http.client.HTTPResponse(connection)
    try:
        response.begin()
        body = response.read()
    except (http.client.HTTPException, ConnectionError):
        return 0, {}, b""
    return response.status, {name.lower(): value for name, value in response.getheaders()}, body


@contextmanager
def served(*how: str, **environment: str) -> Iterator[Served]:
    """A server until the end of the block, and nothing on its standard error."""
    process = subprocess.Popen(
        [sys.executable, *(how or AS_USERS_DO)],
        cwd=ROOT,
        env={**os.environ, "PYTHONWARNINGS": "error", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        address = process.stdout.readline()
        assert address.startswith("http://127.0.0.1:"), process.communicate(timeout=SECONDS)
        place, _, token = address.strip().partition("/#token=")
        server = Served(process, int(place.rpartition(":")[2]), token)
        yield server
        if process.poll() is None:
            assert server.end() == (0, "")
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def children(pid: int) -> list[int]:
    """The processes that a process has started, where the system says so."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def wait_until_gone(pid: int) -> None:
    """Return when the process has ended; hangs, as the test then does, if it never does."""
    while True:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except (FileNotFoundError, ProcessLookupError):
            return
        time.sleep(0.01)
