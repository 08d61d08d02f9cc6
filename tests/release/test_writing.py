"""Writing tables: what is written reads back as the same codes, and files appear whole or not at all, together."""

from __future__ import annotations

import csv
import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from bounds.errors import OutputError
from release.data.columns import LevelColumn, NumberColumn
from release.data.schema import Schema, parse_schema
from release.data.tables import read_codes
from release.data.writing import formula_labels, write_table
from release.files.outputs import Outputs
from tests.paths import ROOT
from tests.release.test_tables import PEOPLE, schema_of
from tests.speeds import in_both, some

HOSTILE = ["=1+1", "a,b", 'say "hi"', "two\nlines", "\r", " ", "\ufeffmark", "é", "-", "NA", "'", "\\", "\t"]
SCHEMA = schema_of(
    {"name": "\ufefflabel, quoted", "levels": HOSTILE},
    {"name": "age", "range": ["0", "100"], "bins": 10},
    {"name": "third", "range": ["0", "1"], "bins": 3},
    {"name": "x", "range": ["-1", "1"], "grid": 4097},
    {"name": "tiny", "range": ["1", "1.0000000000000000001"], "grid": 300},
    {"name": "huge", "range": ["-1e40", "1e40"], "bins": 7},
)


def every_code(schema: Schema) -> Any:
    """A table in which every code of every column occurs."""
    rows = np.arange(max(schema.domain.sizes))
    return np.stack([rows % size for size in schema.domain.sizes], axis=1).astype(schema.domain.code_type)


def written(path: Path, codes: Any, schema: Schema, *, force: bool = False) -> None:
    with Outputs(force=force) as outputs:
        write_table(outputs, path, codes, schema)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "T.CSV"])
def test_what_is_written_reads_back(name: str, tmp_path: Path) -> None:
    codes = every_code(SCHEMA)
    written(tmp_path / name, codes, SCHEMA)
    assert np.array_equal(read_codes(tmp_path / name, SCHEMA), codes)
    assert os.listdir(tmp_path) == [name]


def test_blocks_of_codes_make_one_table(tmp_path: Path) -> None:
    codes = every_code(SCHEMA)
    written(tmp_path / "whole.csv", codes, SCHEMA)
    written(tmp_path / "parts.csv", iter(np.split(codes, [1, 700])), SCHEMA)
    assert (tmp_path / "whole.csv").read_bytes() == (tmp_path / "parts.csv").read_bytes()


def test_one_column_alone(tmp_path: Path) -> None:
    schema = schema_of({"name": "a", "levels": ["x", '"']})
    written(tmp_path / "t.csv", np.array([[0], [1]]), schema)
    assert (tmp_path / "t.csv").read_bytes() == b'a\nx\n""""\n'
    assert read_codes(tmp_path / "t.csv", schema).tolist() == [[0], [1]]


labels = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=5)


@given(levels=st.lists(labels, min_size=2, max_size=6, unique=True), name=labels)
@settings(max_examples=60)
def test_any_labels_read_back(tmp_path_factory: pytest.TempPathFactory, levels: list[str], name: str) -> None:
    schema = Schema((LevelColumn(name, tuple(levels)), LevelColumn(f"{name}2", ("0", "1"))), "public")
    assert parse_schema(schema.to_text()) == schema
    folder = tmp_path_factory.mktemp("labels")
    codes = every_code(schema)
    for file in ("t.csv", "t.parquet"):
        written(folder / file, codes, schema)
        assert np.array_equal(read_codes(folder / file, schema), codes)


def test_other_programs_read_the_csv(tmp_path: Path) -> None:
    written(tmp_path / "t.csv", every_code(SCHEMA), SCHEMA)
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream, strict=True)
    assert header == list(SCHEMA.names)
    assert [row[0] for row in rows[: len(HOSTILE)]] == HOSTILE
    assert rows[0][1:4] == ["5", "0.1666667", "-1"]


def test_types_in_parquet(tmp_path: Path) -> None:
    written(tmp_path / "t.parquet", every_code(SCHEMA), SCHEMA)
    found = [str(field.type) for field in parquet.read_schema(tmp_path / "t.parquet")]
    assert found[1:] == ["int64", "double", "double", "string", "double"]
    assert found[0].startswith("dictionary<values=string")
    assert isinstance(SCHEMA.columns[4], NumberColumn)  # too fine for floats, hence decimals as text


def test_labels_that_look_like_formulas_are_named() -> None:
    assert [label for _, label in formula_labels(SCHEMA)] == ["=1+1", "\r", "-", "\t"]


@pytest.mark.parametrize("name", ["t.txt", "t", "t.csv.gz"])
def test_other_suffixes_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"must end in \.csv or \.parquet"):
        written(tmp_path / name, every_code(SCHEMA), SCHEMA)
    assert os.listdir(tmp_path) == []


def test_bad_targets(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text("old")
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "fifo.csv")
    for target, said in [
        ("old.csv", "exists; give --force"),
        ("folder.csv", "is a folder"),
        ("fifo.csv", "not a regular file"),
        ("none/t.csv", "does not exist"),
        ("x" * 300 + ".csv", "too long|usable name"),
        ("a\0.csv", "usable name"),
    ]:
        with pytest.raises(OutputError, match=said) as caught:
            written(Path(f"{tmp_path}/{target}"), every_code(SCHEMA), SCHEMA)
        assert caught.value.exit_code == 6
    assert (tmp_path / "old.csv").read_text() == "old"
    assert len(os.listdir(tmp_path)) == 3


def test_links_are_followed_and_permissions_are_those_of_new_files(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    written(tmp_path / "link.csv", every_code(SCHEMA), SCHEMA, force=True)
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() != "old"
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "real.csv").stat().st_mode & 0o777 == 0o666 & ~mask


def both(folder: Path, *, force: bool, text: bytes = b"new") -> None:
    with Outputs(force=force) as outputs:
        outputs.add(folder / "table.csv", text, name="output")
        outputs.add(folder / "report.json", text, name="report")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_two_files_appear_together(tmp_path: Path) -> None:
    both(tmp_path, force=False)
    assert contents(tmp_path) == {"table.csv": b"new", "report.json": b"new"}
    both(tmp_path, force=True, text=b"newer")
    assert contents(tmp_path) == {"table.csv": b"newer", "report.json": b"newer"}


def test_an_exception_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> None:
        with Outputs() as outputs:
            outputs.add(tmp_path / "table.csv", b"new")
            raise KeyError("later")

    with pytest.raises(KeyError):
        fail()
    assert contents(tmp_path) == {}


def test_the_same_file_twice_is_refused(tmp_path: Path) -> None:
    def twice() -> None:
        with Outputs() as outputs:
            outputs.add(tmp_path / "t.csv", b"1")
            outputs.add(f"{tmp_path}/../{tmp_path.name}/t.csv", b"2")

    with pytest.raises(OutputError, match="written twice"):
        twice()
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("old", [True, False])
def test_a_failing_second_rename_takes_the_first_back(
    force: bool, old: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if force and old:
        both(tmp_path, force=False, text=b"old")
    real = {"link": os.link, "replace": os.replace}

    def failing(name: str) -> Any:
        def call(source: Any, target: Any) -> None:
            if Path(target).name == "report.json":
                raise OSError(errno.EIO, "Input/output error")
            real[name](source, target)

        return call

    monkeypatch.setattr(os, "replace" if force else "link", failing("replace" if force else "link"))
    with pytest.raises(OutputError, match=r"report = .*report\.json: cannot be written \(Input/output error\)"):
        both(tmp_path, force=force)
    assert contents(tmp_path) == ({"table.csv": b"old", "report.json": b"old"} if force and old else {})


def test_a_file_that_comes_meanwhile_is_kept(tmp_path: Path) -> None:
    def too_late() -> None:
        with Outputs() as outputs:
            outputs.add(tmp_path / "table.csv", b"new")
            outputs.add(tmp_path / "report.json", b"new", name="report")
            (tmp_path / "report.json").write_bytes(b"theirs")

    with pytest.raises(OutputError, match=r"report.*exists; give --force"):
        too_late()
    assert contents(tmp_path) == {"report.json": b"theirs"}


CHILD = """
import resource, sys
import numpy as np
from bounds.errors import OutputError
from release.files.outputs import Outputs
from release.data.writing import write_table
from tests.release.test_tables import PEOPLE

def write(target, value):
    with Outputs(force=True) as outputs:
        write_table(outputs, target, (np.full((20000, 3), value, dtype=np.uint16) for _ in range(4)), PEOPLE)
        outputs.add(target + ".report", b"%d" % value)

target, action = sys.argv[1:]
if action == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))  # a disk that is full after 50 kB
    codes = np.arange(3 * 80_000).reshape(-1, 3) * 7919 % PEOPLE.domain.sizes
    try:
        with Outputs(force=True) as outputs:
            outputs.add(target + ".report", b"new")
            write_table(outputs, target, codes.astype(np.uint16), PEOPLE)
    except OutputError as error:
        sys.exit(str(error))
    sys.exit("not full")
print("ready", flush=True)
for i in range(10**9):
    write(target, i % 2)
"""


def child(target: Path, action: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(target), action],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.share(2)
@in_both
@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_killed_at_any_moment(name: str, tmp_path: Path) -> None:
    target = tmp_path / name
    moments = np.random.Generator(np.random.Philox(key=7)).random(some(6, of=3))
    for moment in moments:
        process = child(target, "forever")
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.05 + 0.2 * moment)
        while moment == moments[-1] and not target.exists() and process.poll() is None:
            time.sleep(0.1)  # at the last, on a busy machine: until a file has been placed once
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stderr.close()
        for path in tmp_path.iterdir():
            assert path.name in (name, f"{name}.report") or path.name.startswith(".synthbounds-")
        if target.exists():
            codes = read_codes(target, PEOPLE)
            assert codes.shape == (80_000, 3)
            assert (codes == codes[0, 0]).all()
        if (tmp_path / f"{name}.report").exists():
            assert target.exists()
    assert target.exists()


@pytest.mark.share(2)
@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_a_full_disk_keeps_the_old_file(name: str, tmp_path: Path) -> None:
    target = tmp_path / name
    target.write_bytes(b"old")
    (tmp_path / f"{name}.report").write_bytes(b"old report")
    process = child(target, "full")
    _, said = process.communicate()
    assert "cannot be written (File too large)" in said
    assert contents(tmp_path) == {name: b"old", f"{name}.report": b"old report"}


def test_two_runs_at_once_do_not_mix(tmp_path: Path) -> None:
    header, ours, theirs = b"sex,age,x\n", b"F,1,0\n", b"M,1,1\n"
    with Outputs(force=True) as first, Outputs(force=True) as second:
        with first.stream(tmp_path / "t.csv") as one, second.stream(tmp_path / "t.csv") as two:
            for line in (0, 1, 2):
                one.write(ours if line else header)
                two.write(theirs if line else header)
        assert len(os.listdir(tmp_path)) == 2  # hidden, each its own
    assert read_codes(tmp_path / "t.csv", PEOPLE)[:, 0].tolist() == [0, 0]  # the one that was placed last
    assert os.listdir(tmp_path) == ["t.csv"]


def test_of_two_that_replace_the_same_bytes_one_is_refused(tmp_path: Path) -> None:
    """Both find the file unchanged before either replaces it, unless one has to wait."""
    (tmp_path / "book").write_bytes(b"open")
    code = (
        "import os, sys, time; from release.files import outputs; from bounds.errors import OutputError\n"
        "replace = os.replace\n"
        "def slow(*names):\n    time.sleep(0.5)\n    replace(*names)\n"
        "os.replace = slow\n"
        "try:\n"
        "    with outputs.Outputs() as files:\n"
        "        files.add('book', b'spent', name='release', replaces=b'open')\n"
        "        print('ready', flush=True)\n"
        "        sys.stdin.readline()\n"
        "        files.add(sys.argv[1], b'answer')\n"
        "except OutputError as error:\n    sys.exit(str(error))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", code, name],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate()[1] for process in both]
    assert sorted(process.returncode for process in both) == [0, 1]
    assert sum("has been changed since it was read" in text for text in said) == 1
    assert sum((tmp_path / name).exists() for name in ("one", "two")) == 1
