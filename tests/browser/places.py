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

from tests.paths import PACKAGES, ROOT

BUILD = ROOT / "build" / "docs"


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
            assert address.startswith("http://127.0.0.1:"), process.stderr.read()
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


def built() -> Built:
    """The static page, made again where a source is newer; one process makes it, the others wait."""
    place = Built(BUILD / "site" / "calculator", BUILD / "synthbounds-calculator.html")
    sources = (
        path for folder in (*PACKAGES, "docs_site") for path in (ROOT / folder).rglob("*") if path.suffix != ".pyc"
    )
    newest = max(path.stat().st_mtime for path in sources if path.is_file())
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "page.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.single.exists() or place.single.stat().st_mtime < newest:
            place.single.unlink(missing_ok=True)
            command = [sys.executable, "-m", "docs_site.calculator"]
            made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            if made.returncode:
                pytest.skip("not run: " + (made.stderr.strip().splitlines() or ["the page was not made"])[-1])
    return place
