"""A PostgreSQL server of the distribution for tests: on loopback, in its own folder, by no superuser, and stopped."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

PASSWORD = "correct horse"  # noqa: S105
_FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def _tool(name: str) -> str | None:
    places = os.pathsep.join([*map(str, _FOLDERS), os.environ.get("PATH", "")])
    return shutil.which(name, path=places)


def _other_user() -> str | None:
    """Whom the server runs as; it refuses to be run by root."""
    if os.getuid():
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in known), None)


@contextlib.contextmanager
def running_server() -> Iterator[str]:
    """An address without the password, which is in the environment meanwhile; "not run" where there is no server."""
    initdb, control, user = _tool("initdb"), _tool("pg_ctl"), _other_user()
    if initdb is None or control is None or (os.getuid() == 0 and user is None):
        pytest.skip("not run: PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="synthbounds-postgres-"))
    before = os.environ.get("PGPASSWORD")
    try:
        (folder / "password").write_text(PASSWORD, encoding="utf-8")
        if user is not None:
            for path in (folder, folder / "password"):
                shutil.chown(path, user)
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = found.getsockname()[1]

        def run(*line: str) -> None:
            log = folder.with_suffix(".log")
            with log.open("ab") as out:
                subprocess.run(
                    line, check=True, cwd=folder, user=user, stdout=out, stderr=out, stdin=subprocess.DEVNULL
                )
            log.unlink()

        data = str(folder / "data")
        run(initdb, "-D", data, "-U", "steward", "-E", "UTF8", "--locale=C", "-A", "scram-sha-256",
            f"--pwfile={folder / 'password'}", "--no-sync")  # fmt: skip
        settings = f"-c listen_addresses=127.0.0.1 -c unix_socket_directories='' -p {port} -c fsync=off"
        run(control, "-D", data, "-w", "-l", str(folder / "log"), "-o", settings, "start")
        os.environ["PGPASSWORD"] = PASSWORD
        try:
            yield f"postgres://steward@127.0.0.1:{port}/postgres"
        finally:
            run(control, "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        os.environ.pop("PGPASSWORD", None)
        if before is not None:
            os.environ["PGPASSWORD"] = before
        shutil.rmtree(folder, ignore_errors=True)
