"""Where the page is found: served by the command, as a folder on a plain host, as one file on a disk."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT

BUILD = ROOT / "build"


@dataclass(frozen=True)
class Server:
    address: str
    process: subprocess.Popen[str]


@contextmanager
def serving(*options: str) -> Iterator[Server]:
    """`synthbounds serve` until the end of the block; its address is its first line."""
    command = [sys.executable, "-m", "synthbounds", "serve", "--no-browser", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            address = process.stdout.readline().strip()
            if not address.startswith("http://127.0.0.1:"):
                pytest.skip("not run: " + process.stderr.read())
            yield Server(address, process)
        finally:
            process.terminate()


class Quiet(SimpleHTTPRequestHandler):
    """A plain host of files that says nothing; the browser wants the type of WebAssembly."""

    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".mjs": "text/javascript"}  # noqa: RUF012

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def hosting(folder: Path, handler: type[SimpleHTTPRequestHandler] = Quiet) -> Iterator[str]:
    """The folder on a port of this machine, until the end of the block."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@dataclass(frozen=True)
class Built:
    folder: Path
    single: Path


def built(run: str | None) -> Built:
    """The static page, made from the sources of now; once a run, however many processes share it."""
    place = Built(BUILD / "docs" / "site" / "calculator", BUILD / "docs" / "synthbounds-calculator.html")
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "page.lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        if run is None or lock.read() != run:
            made = subprocess.run(
                [sys.executable, "-m", "docs_site.calculator"], cwd=ROOT, capture_output=True, text=True, check=False
            )
            if made.returncode:
                pytest.skip("not run: " + (made.stderr.strip().splitlines() or ["the page was not made"])[-1])
            lock.seek(0)
            lock.truncate()
            lock.write(run or "")
    return place
