"""How the local page starts and ends: one line first, codes as everywhere, and no process left behind."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from synthbounds.cli import main
from tests.pages.test_page_examples import examples
from tests.paths import ROOT
from tests.synthbounds.web.serving import AS_USERS_DO, TOLD, children, served, wait_until_gone

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


CODES = {signal.SIGTERM: 0, signal.SIGINT: 130, signal.SIGKILL: -9}
ENDS = [(number, doing) for number in CODES for doing in ("hold", "spin", None)]
FAST = ((signal.SIGTERM, "spin"), (signal.SIGKILL, "spin"), (signal.SIGINT, "hold"))


@ON_LINUX
@pytest.mark.parametrize(
    ("number", "doing"), [pytest.param(*end, marks=() if end in FAST else pytest.mark.slow) for end in ENDS]
)
def test_nothing_is_left_behind(number: signal.Signals, doing: str | None) -> None:
    """With an idle engine, a busy one, and one that hears nothing; with open connections."""
    with served(*TOLD) as server, server.connect() as idle, server.connect() as half:
        half.sendall(b"POST /api")
        engine = server.answer({"ask": "answer"})["pid"]
        assert children(server.process.pid) == [engine]
        with server.asking({"ask": "curve", "do": doing} if doing else {"ask": "answer"}) as asking:
            asking.recv(15)
            found, errors = server.end(number)
            assert found == CODES[number]
            assert errors == ("synthbounds: error: interrupted\n" if number == signal.SIGINT else "")
            assert idle.recv(1) == b""
    wait_until_gone(engine)


@ON_LINUX
def test_as_users_start_it() -> None:
    with served(*AS_USERS_DO, "--port", "0") as server:
        (engine,) = children(server.process.pid)
        found, errors = server.end(signal.SIGINT)
    assert (found, errors) == (130, "synthbounds: error: interrupted\n")
    wait_until_gone(engine)


def test_a_file_is_no_folder_of_releases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("mine")
    for folder in (tmp_path / "mine", tmp_path / "mine" / "deeper"):
        assert main(["serve", "--no-browser", "--port", "0", "--folder", str(folder)]) == 6
        out, err = capsys.readouterr()
        assert out == ""
        assert "must be a folder for releases" in err
        assert err.count("\n") == 1


def test_the_port_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["serve", "--no-browser", "--port", str(port)]) == 6
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"synthbounds: error: port = {port}: cannot be used (")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("port", ["-1", "65536", "http", "80.5"])
def test_what_is_no_port(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--no-browser", f"--port={port}"]) == 2
    assert capsys.readouterr().err.startswith("synthbounds: error: port = ")


def test_a_blank_port_is_said_to_be_blank(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--no-browser", "--port="]) == 2
    assert capsys.readouterr().err.startswith("synthbounds: error: port is blank: ")


def test_without_the_packages_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "synthbounds.web.server", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["serve"]) == 2
    assert "pip install 'synthbounds[web]'" in capsys.readouterr().err


@ON_LINUX
def test_the_browser_is_opened_and_not_waited_for(tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\necho noise; echo noise >&2\nprintf %s "$1" > {opened}.part\nmv {opened}.part {opened}\n'
    )
    browser.chmod(0o700)
    with served("-m", "synthbounds", "serve", BROWSER=f"{browser} %s") as server:
        while not opened.exists():
            time.sleep(0.01)
        assert opened.read_text() == f"http://127.0.0.1:{server.port}/#token={server.token}"
        assert server.answer({"ask": "forms"})["last"]


@ON_LINUX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_browser_that_does_not_return_ends_with_the_server(number: signal.Signals, tmp_path: Path) -> None:
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f"#!/bin/sh\necho $$ $PPID > {opened}.part\nmv {opened}.part {opened}\nsleep 1000\n")
    browser.chmod(0o700)
    with served("-m", "synthbounds", "serve", BROWSER=f"{browser} %s") as server:
        while not opened.exists():
            time.sleep(0.01)
        pids = [int(pid) for pid in opened.read_text().split()]
        assert pids[1] in children(server.process.pid)
        assert server.end(number)[0] == CODES[number]
    for pid in pids:
        wait_until_gone(pid)


def test_modules_in_the_folder_where_it_is_started_are_not_taken(tmp_path: Path) -> None:
    for name in ("json", "bounds", "flint"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken')\n")
    from synthbounds.web.engine_process import COMMAND

    done = subprocess.run(COMMAND, cwd=tmp_path, input=b'{"ask": "forms"}\n', capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "taken" not in os.fsdecode(done.stdout)


def test_the_example_of_the_page_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = (e for e in examples((ROOT / "docs/local-page.md").read_text("utf-8")) if e.language == "python")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    scope: dict[str, Any] = {}
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(example.code, "local-page.md", "exec"), scope)  # noqa: S102 - our own page
    shown = example.code.partition("# ")[2].partition("\n")[0]
    with scope["page"] as page:
        assert page.wait(60) == 0
    assert said.getvalue() == f"{shown}\n"
