"""Thousands of hostile requests: answers from a list of codes, no traceback, no file read or written, nothing left."""

from __future__ import annotations

import ast
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest

from synthbounds.web.engine_process import COMMAND, MOST_WAITING
from synthbounds.web.guard import API, HEADERS
from tests.paths import ROOT
from tests.synthbounds.web.hostile import Hostile
from tests.synthbounds.web.serving import TOLD, Served, children, served, wait_until_gone
from tests.synthbounds.web.told_server import QUICK_JOB

HELD = b"Kanarienvogel"
"""What the file holds of which no answer may speak."""
STATUSES = {0, 200, 400, 401, 403, 404, 405, 408, 411, 413, 415, 422, 431, 503}
"""0 where the connection was ended without a word, because the request did not come in time."""
WATCHER = """
import os, sys
PLACE = os.open(os.environ["WATCHED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
KINDS = ("open", "os.", "shutil.", "tempfile.", "socket.connect", "socket.bind", "subprocess.", "urllib.")
QUIET = ("os.listdir", "os.scandir", "os.putenv", "os.unsetenv")

def note(event, arguments):
    if event.startswith(KINDS) and event not in QUIET:
        os.write(PLACE, repr((event, [repr(a) for a in arguments])).encode("utf-8", "replace") + b"\\n")

sys.addaudithook(note)
"""
CODE = (".py", ".pyc", ".so", ".pth", ".egg-link", ".cfg")
TREES = tuple(str(Path(place).resolve()) for place in (ROOT, sys.prefix, sys.base_prefix, os.__file__ + "/.."))


def is_code(path: str) -> bool:
    return path.endswith(CODE) and (path.startswith((*TREES, sys.prefix, sys.base_prefix)))


def check_what_was_done(place: Path, port: int, own: tuple[str, ...]) -> int:
    """Nothing but what a program needs: modules, its page and engine, its port, jobs, and two folders of its own."""
    seen = 0
    for line in place.read_text(encoding="utf-8").splitlines():
        event, arguments = ast.literal_eval(line)
        seen += 1
        if event == "open":
            path, flags = ast.literal_eval(arguments[0]), int(arguments[2])
            if isinstance(path, int) or path == os.devnull or path.startswith(own):
                continue
            assert not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC), line
            is_public = "/synthbounds/web/page/" in path or "/docs/examples/" in path
            is_inside = "/" not in path  # a folder inside of one of ours, while that is removed
            assert is_code(path) or is_public or is_inside, line
        elif event == "socket.bind":
            assert arguments[1] in ("('127.0.0.1', 0)", f"('127.0.0.1', {port})"), line
        elif event == "subprocess.Popen":
            words = ast.literal_eval(arguments[1])
            assert words == list(COMMAND) or words[: len(QUICK_JOB)] == list(QUICK_JOB), line
        elif event == "os.kill":
            assert arguments[1] in ("9", "15"), line  # an engine or a job, when its time is over or at the end
        else:
            paths = re.findall(r"'(/[^']*)'", " ".join(arguments))
            assert all(path.startswith(own) for path in paths), line  # other names are relative to a folder inside
            assert paths or event in ("os.remove", "os.rmdir", "os.fwalk"), line
    return seen


def check(server: Served, request: bytes) -> int:
    try:
        status, headers, body = server.send(request)
    except OSError:  # the server has ended the connection before everything was sent
        return 0
    assert status in STATUSES, (status, request)
    assert b"Traceback" not in body
    assert b'File "' not in body
    assert HELD not in body  # its name may be echoed, what it holds is nowhere
    if status:
        assert headers.items() >= HEADERS.items(), request
    if status == 200 and server.token.encode() not in request:
        assert not request.startswith(f"POST {API}".encode()), request
    return status


def attack(count: int, seed: int, folder: Path) -> dict[int, int]:
    (folder / "sitecustomize.py").write_text(WATCHER)
    secret, watched, home = folder / "canary.csv", folder / "watched", folder / "home"
    secret.write_bytes(HELD + b",weight\n" + HELD + b",1\n")
    for place in (home, folder / "temporary", folder / "releases"):
        place.mkdir()
    environment = {
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "WATCHED": str(watched),
        "HOME": str(home),
        "REAL_ENGINE": "1",
        "ANSWER_SECONDS": "2",
        "HEADER_SECONDS": "0.2",
        "BODY_SECONDS": "0.2",
        "QUICK_JOBS": "1",
        "RELEASES": str(folder / "releases"),
        "TMPDIR": str(folder / "temporary"),
    }
    with served(*TOLD, **environment) as server:
        hostile = Hostile(seed, port=server.port, token=server.token, secret=str(secret))
        with ThreadPoolExecutor(MOST_WAITING) as senders:
            found = list(senders.map(lambda request: check(server, request), islice(hostile, count)))
        assert server.answer({"ask": "forms"})["last"]
        engines = children(server.process.pid)
    for engine in engines:
        wait_until_gone(engine)
    own = tuple(str(folder / name) for name in ("temporary", "releases"))
    assert check_what_was_done(watched, server.port, own) > 100
    left = {path.name for path in folder.iterdir()}
    assert left == {"canary.csv", "home", "releases", "sitecustomize.py", "temporary", "watched"}
    assert not list(home.iterdir())
    assert not list((folder / "temporary").iterdir())
    assert {path.name for path in (folder / "releases").iterdir()} <= {".claims"}
    return {status: found.count(status) for status in STATUSES}


def test_hostile_requests(tmp_path: Path) -> None:
    counts = attack(500, 1, tmp_path)
    assert min(counts[status] for status in (0, 200, 400, 401, 403, 404, 405, 411, 413, 415)) > 0, counts


@pytest.mark.slow
def test_many_hostile_requests(tmp_path: Path) -> None:
    counts = attack(5000, 2, tmp_path)
    assert min(counts[status] for status in STATUSES - {503}) > 0, counts
