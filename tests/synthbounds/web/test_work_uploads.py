"""Uploaded files: bad ones get one sentence and leave nothing; good ones stay private, and are deleted."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import os
import signal
import stat
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from synthbounds.web.work.private_folder import PrivateFolder, remove_abandoned
from synthbounds.web.work.uploads import file_name
from tests.synthbounds.web.serving import children, wait_until_gone
from tests.synthbounds.web.working import SURVEY, SURVEY_SCHEMA, Person, person

MOST = 10_000_000
CANARY = "Kanarienvogel7391"


def zipped() -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("table.csv", SURVEY.read_bytes())
    return whole.getvalue()


WRONG = {
    "zip.csv": (zipped(), "is a ZIP archive or a spreadsheet"),
    "table.csv.gz": (gzip.compress(b"a,b\n1,2\n"), "is compressed"),
    "utf16.csv": (codecs.BOM_UTF16_LE + "a,b\n1,2\n".encode("utf-16-le"), "is UTF-16 text"),
    "utf16-without-mark.csv": ("a,b\n1,2\n".encode("utf-16-le"), "contains NUL bytes"),
    "latin1.csv": ("name\nMüller\n".encode("latin-1"), "is not UTF-8 text"),
    "cut.csv": ("name\nMüller".encode()[:-5], "is not UTF-8 text"),
    "late.csv": (b"a,b\n" + b"1,2\n" * 50_000 + b"\x00,1\n", "contains NUL bytes"),
    "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(50), "is not a table"),
    "paper.pdf": (b"%PDF-1.7\n", "is not a table"),
    "people.sqlite": (b"SQLite format 3\x00" + bytes(100), "is a database"),
    "cut.parquet": (b"PAR1" + bytes(200), "is not a readable Parquet file"),
    "empty.csv": (b"", "is empty"),
}


@pytest.fixture(scope="module")
def steward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    with person(tmp_path_factory.mktemp("uploads"), "--demo", "--most-upload", str(MOST)) as one:
        yield one


@pytest.mark.parametrize("name", WRONG)
def test_wrong_files(steward: Person, name: str) -> None:
    data, why = WRONG[name]
    status, answer = steward.post("upload", data, x_name=name)
    error = json.loads(answer)["error"]
    assert status == 422
    assert error.startswith(f"{name}: {why}")
    assert "\n" not in error
    assert not list(steward.private[0].glob("uploads/*"))


def test_a_file_of_two_gigabytes(steward: Person) -> None:
    """Refused by what its head says, before any of it is sent; and by the limit of this server."""
    for size in (2 * 10**9, MOST + 1):
        head = steward.server.head(size, at="/api/v1/upload", content_type="application/octet-stream")
        status, _, answer = steward.server.send(head)
        assert status == 413
        assert json.loads(answer)["error"] == "a file has at most 10,000,000 bytes here (serve --most-upload)"


def test_an_upload_that_is_broken_off_leaves_nothing(steward: Person) -> None:
    head = steward.server.head(1000, at="/api/v1/upload", content_type="application/octet-stream")
    with steward.server.connect() as connection:
        connection.sendall(head + b"a,b\n1,2\n")
        while not list(steward.private[0].glob("uploads/*.part")):
            time.sleep(0.01)
    while list(steward.private[0].glob("uploads/*.part")):
        time.sleep(0.01)


def test_kinds_and_names(steward: Person) -> None:
    table = io.BytesIO()
    pq.write_table(pa.table({"a": [1, 2]}), table)
    for data, name, kind in (
        (b"a,b\n1,2\n", "../../etc/pass wd", "csv"),
        (codecs.BOM_UTF8 + b"a\n1\n", "schema.json", "csv"),
        (table.getvalue(), "-rf.parquet", "parquet"),
        (b'{"a": 1}', "model", "json"),
    ):
        found = steward.upload(data, name)
        assert (found["kind"], found["bytes"], found["public"]) == (kind, len(data), False)
        assert found["name"] == file_name(name, kind)
        assert "/" not in found["name"]
        assert not found["name"].startswith(("-", "."))
        steward.say("state", forget=found["id"])
    assert steward.say("state")["uploads"] == []
    assert not list(steward.private[0].glob("uploads/*"))
    assert file_name("answer.json", "json") == "my-answer.json"
    assert file_name("", "csv") == file_name("\u202e/..", "csv") == "table.csv"


def test_examples_are_public_and_only_where_asked_for(steward: Person, tmp_path: Path) -> None:
    found = steward.say("demo", name="survey")
    assert (found["public"], found["schema"]) == (True, SURVEY_SCHEMA)
    assert "must be one of" in steward.refused("demo", name="../survey")
    with person(tmp_path) as other:
        assert "--demo" in other.refused("demo", name="survey")
        assert other.say("state")["demos"] == []


def test_the_private_folder_is_private(steward: Person) -> None:
    (place,) = steward.private
    steward.upload(b"a\n1\n", "a.csv")
    for path in (place, *place.rglob("*")):
        assert not path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO) or path.parent != place, path
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in place.glob("uploads/*"))
    text = json.dumps(steward.say("state"))
    assert str(place) not in text
    assert place.name not in text


@pytest.mark.share(3)
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_at_the_end(number: signal.Signals, tmp_path: Path) -> None:
    """With a job that runs; after SIGKILL, at the next start."""
    with person(tmp_path) as one:
        table = one.upload(SURVEY.read_bytes(), "survey.csv")["id"]
        one.say("work", do="draft", table=table)
        one.say("work", do="draft", table=table)
        running = children(one.server.process.pid)
        one.server.end(number)
    for pid in running:
        wait_until_gone(pid)
    if number == signal.SIGKILL:
        assert len(one.private) == 1
        with person(tmp_path) as two:
            assert two.say("state")["uploads"] == []
            assert len(two.private) == 1
            assert not list(two.private[0].glob("uploads/*"))
    assert one.private == []
    assert list(one.temporary.iterdir()) == []
    assert not one.releases.exists()


def test_living_servers_and_other_people_keep_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").write_text("kept")
    with PrivateFolder() as living:
        (living.folder("uploads") / "t1.csv").write_text("a")
        (tmp_path / "synthbounds-private-link").symlink_to(elsewhere)
        dead = tmp_path / "synthbounds-private-dead"
        dead.mkdir()
        (dead / "t1.csv").write_text("b")
        (dead / "link").symlink_to(elsewhere)
        remove_abandoned()
        assert not dead.exists()
        assert (living.path / "uploads/t1.csv").exists()
        foreign = tmp_path / "synthbounds-private-foreign"
        foreign.mkdir()
        monkeypatch.setattr(os, "getuid", lambda: 12345)
        remove_abandoned()
        assert foreign.exists()
        monkeypatch.undo()
    assert not living.path.exists()
    assert (elsewhere / "file").read_text() == "kept"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_no_value_comes_out(tmp_path: Path) -> None:
    """A value of an upload is in no message, address, log or file outside, and strangers see nothing at all."""
    rows = SURVEY.read_text("utf-8").splitlines(keepends=True)[:400]
    bad = "".join([*rows[:200], rows[200].replace(rows[200].split(",")[4], CANARY), *rows[201:]])
    remarks = "".join([rows[0].replace("\n", ",remark\n"), *(row.replace("\n", f",{CANARY}\n") for row in rows[1:])])
    said: list[str] = []
    with person(tmp_path) as one:
        table = one.upload(bad.encode(), "survey.csv")["id"]
        wide = one.upload(remarks.encode(), "wide.csv")["id"]
        for do, number, more in (
            ("check-schema", table, {}),
            ("prepare", table, {"options": {"epsilon": "1", "adjacency": "replace-one"}}),
            ("prepare", table, {"options": {"epsilon": "1", "adjacency": "add-remove", "least-size": "10"}}),
            ("check-schema", wide, {}),
        ):
            events = list(one.events(one.say("work", do=do, table=number, schema=SURVEY_SCHEMA, **more)["job"]))
            assert events[-1]["exit_code"] == 3
            said.append(json.dumps(events))
        assert "row 200, column 'region'" in said[0]
        ok = one.done(
            "prepare",
            table=wide,
            schema=SURVEY_SCHEMA,
            options={"epsilon": "1", "adjacency": "replace-one", "method": "independent", "ignore-extra": True},
        )
        last = one.done("release", ticket=ok["body"]["ticket"])
        said += [json.dumps(ok), json.dumps(last), json.dumps(one.say("state"))]
        for line in (
            Path(
                f"/proc/{one.server.process.pid}/cmdline",
            )
            .read_text()
            .split("\0")
        ):
            said.append(line)
        stranger = [
            one.server.head(2, at=f"/api/v1/{name}", authorization="Bearer x") + b"{}"
            for name in ("state", "job", "file", "work", "stop", "demo", "upload")
        ]
        for request in stranger:
            status, _, body = one.server.send(request)
            assert status in (401, 415)
            said.append(body.decode())
        for name in ("/", "/main.js"):
            said.append(
                one.server.send(f"GET {name} HTTP/1.1\r\nhost: 127.0.0.1:{one.server.port}\r\n\r\n".encode())[
                    2
                ].decode()
            )
        code, errors = one.server.end()
        assert (code, errors) == (0, "")
    said += [path.read_bytes().decode("utf-8", "replace") for path in tmp_path.rglob("*") if path.is_file()]
    assert len(said) > 25
    assert not [text[:200] for text in said if CANARY in text]
