"""The local page: a server on the loopback interface for whoever holds the address that was printed.

Here it starts and ends: the port, the token, the browser, signals. It logs nothing. What it answers is in
`application`, what it refuses in `guard`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.applications import Starlette

from bounds.errors import OutputError
from synthbounds.web.application import application
from synthbounds.web.connection import Connection
from synthbounds.web.engine_process import COMMAND, EngineProcess
from synthbounds.web.guard import HEADERS, MOST_HEADER_BYTES
from synthbounds.web.work.desk import Desk
from synthbounds.web.work.kept import Kept
from synthbounds.web.work.private_folder import PrivateFolder
from synthbounds.web.work.uploads import MOST_BYTES

TOKEN_BYTES = 24
FOLDER = "synthbounds-releases"


def serve(
    *,
    port: int,
    announce: Callable[[str], None],
    opens_browser: bool,
    engine: Sequence[str] = COMMAND,
    folder: str = FOLDER,
    most_upload: int = MOST_BYTES,
    demo: bool = False,
) -> list[str]:
    """Answer until SIGTERM, or SIGINT, which is raised again as KeyboardInterrupt; what jobs cut off have spent."""
    _require_folder(Path(folder))
    place = _listen(port)
    port = place.getsockname()[1]
    token = secrets.token_urlsafe(TOKEN_BYTES)
    address = f"http://127.0.0.1:{port}/#token={token}"
    with place, contextlib.ExitStack() as started:

        def tell() -> None:
            announce(f"{address}\n")
            if opens_browser:
                _open_browser(address, started)

        private = started.enter_context(PrivateFolder())
        desk = Desk(private, Kept(Path(folder)), most_upload=most_upload, demo=demo)
        server = asyncio.run(_answer_until_told(place, token, engine, desk, tell))
    if server.ended_by == signal.SIGINT:
        raise KeyboardInterrupt("; ".join(["interrupted", *server.told]))
    return server.told


def _require_folder(folder: Path) -> None:
    """It may be made later; if it exists, it must be a folder."""
    there = next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise OutputError(f"folder = {str(folder)!r}: must be a folder for releases, but it is a file; give another")


def _listen(port: int) -> socket.socket:
    place = socket.socket()
    try:
        if os.name == "posix":  # elsewhere it would let others take the port away
            place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind(("127.0.0.1", port))
        place.listen()
    except OSError as error:
        place.close()
        raise OutputError(f"port = {port}: cannot be used ({error.strerror}); give another, or 0 for any") from None
    return place


async def _answer_until_told(
    place: socket.socket, token: str, engine: Sequence[str], desk: Desk, ready: Callable[[], None]
) -> _Server:
    for name in ("asyncio", "uvicorn.error"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what a client does wrong concerns nobody else
    asyncio.get_running_loop().set_exception_handler(lambda _, __: None)
    async with EngineProcess(engine) as process:
        server = _Server(_configured(application(process, place.getsockname()[1], token, desk)))
        ready()
        try:
            await server.serve(sockets=[place])
        finally:
            server.told = await desk.jobs.end()
    return server


class _Server(uvicorn.Server):
    """Ends at once when told to; which signal told it is kept."""

    ended_by: int | None = None
    told: list[str] = []  # noqa: RUF012 - replaced, never changed
    """What jobs that were cut off have spent."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.ended_by = sig
        self.should_exit = True


def _configured(app: Starlette) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        loop="asyncio",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        headers=list(HEADERS.items()),
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        timeout_graceful_shutdown=0,
    )


def _open_browser(address: str, started: contextlib.ExitStack) -> None:
    """By a helper that nobody waits for: some browsers print, or return only when they are closed.

    Its arguments contain the token, so it ends with the server, and with it what it runs in its own session; a browser
    that has a session of its own stays open.
    """
    command, nobody = [sys.executable, "-P", "-m", "webbrowser", address], subprocess.DEVNULL
    with contextlib.suppress(OSError):  # the address was printed as well
        helper = subprocess.Popen(command, stdin=nobody, stdout=nobody, stderr=nobody, start_new_session=True)
        started.callback(_end, helper)


def _end(helper: subprocess.Popen[bytes]) -> None:
    if helper.poll() is None:
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                helper.terminate()
            else:
                os.killpg(helper.pid, signal.SIGTERM)
        helper.wait()
