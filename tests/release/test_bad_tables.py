"""Bad tables of every kind: one clear line with row and column, exit code 3, and no data in it where that is asked."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from bounds.errors import DataError
from release.data import table_csv
from release.data.columns import NumberColumn
from release.data.schema import Schema
from release.data.tables import read_codes
from release.data.template import draft_of_table
from tests.release.test_tables import schema_of

SCHEMA = schema_of({"name": "sex", "levels": ["F", "M"]}, {"name": "age", "range": ["0", "100"], "bins": 10})


def complaint(path: Path, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        read_codes(path, SCHEMA, **options)
    message = str(caught.value)
    assert caught.value.exit_code == 3
    assert caught.value.__suppress_context__ or caught.value.__context__ is None  # no Arrow message behind it
    assert "\n" not in message
    assert len(message) < 250
    return message


HEAD = b"sex,age\n"
CASES: list[tuple[bytes, str]] = [
    (b"", "is empty"),
    (b"\xef\xbb\xbf", "is empty"),
    (b"\n", "the first line is empty"),
    (b"sex,age", "has no rows"),
    (HEAD, "has no rows"),
    (b"sex\nF\n", "the column 'age' of the schema is missing"),
    (b"sex;age\nF;5\n", "table t.csv: this file seems to be separated by ';'; save it with commas"),
    (b"sex\tage\nF\t5\n", "this file seems to be separated by tabs; save it with commas"),
    (b"sex;age,old\nF;5,6\n", "the column 'sex' of the schema is missing"),
    (b"F,5\nM,6\n", "the column 'sex' of the schema is missing"),
    (b"sex,age,zip\nF,5,secret\n", "column 3 ('zip') is not in the schema; add it to the schema"),
    (b"sex,age,\nF,5,\n", "the header, column 3, is empty"),
    (b"sex,age,sex\nF,5,M\n", "columns 1 and 3 alike 'sex'"),
    (b"sex,\xff\nF,5\n", "the header, column 2, is not UTF-8"),
    ("sex,age\nF,5\n".encode("utf-16"), "UTF-16"),
    ("sex,age\nF,5\n".encode("utf-16-le"), "NUL bytes"),
    (b"\x1f\x8b\x08rest", "is compressed"),
    (HEAD + b"F,5\nM\n", "row 2 has 1 cells, the header has 2"),
    (HEAD + b"F,5\nM,6,\xff\n", "row 2 has 3 cells, the header has 2"),
    (HEAD + b"F,5\nM,6,7\n", "row 2 has 3 cells, the header has 2"),
    (HEAD + b"F,5\n\nM,6\n", "row 2, column 'sex': the value is missing"),
    (HEAD + b"F,5\n\n", "row 2, column 'sex': the value is missing"),
    (HEAD + b"F,5\n,6\n", "row 2, column 'sex': the value is missing"),
    (HEAD + b'F,""\n', "row 1, column 'age': the value is missing"),
    (HEAD + b"secret,5\n", "row 1, column 'sex': the value 'secret' is not a level"),
    (HEAD + b"f,5\n", "the value 'f' is not a level"),
    (HEAD + b" F,5\n", "the value ' F' is not a level"),
    (HEAD + b"F,5\nsecret,5\nM,six\n", "row 2, column 'sex'"),
    (HEAD + b"F,six\nsecret,5\n", "row 1, column 'age': the value 'six' is not a decimal number"),
    (HEAD + b"F, 5\n", "the value ' 5' is not a decimal number"),
    (HEAD + b"F,0x10\n", "not a decimal number"),
    (HEAD + b"F,1_0\n", "not a decimal number"),
    (HEAD + b"F,1/2\n", "not a decimal number"),
    (HEAD + "F,\u0663\n".encode(), "not a decimal number"),
    (HEAD + b"F,nan\n", "the value 'nan' is not a finite number"),
    (HEAD + b"F,-Infinity\n", "not a finite number"),
    (HEAD + b"F,-0.0000001\n", "the value '-0.0000001' is outside the range"),
    (HEAD + b"F,100.00000000000000000001\n", "outside the range"),
    (HEAD + b"F,1e999\n", "outside the range"),
    (HEAD + b"F,1e-99999\n", "not a decimal number"),
    (HEAD + b"F," + b"9" * 5000 + b"\n", "(5000 characters) is not a decimal number"),
    (HEAD + b"\xff,5\n", "row 1, column 'sex': the value '\\xff' is not UTF-8"),
    (HEAD + b"F,\xff\n", "row 1, column 'age': the value '\\xff' is not UTF-8"),
    (HEAD + b"F,5\0\n", "NUL bytes"),
    (HEAD + b'F,5\nM,"6', "a quoted cell is never closed"),
    (HEAD + b'F,5\n"M,6\nF,7\n', "row 2 has 1 cells"),
    (HEAD + b"F" * (3 * table_csv.BLOCK_BYTES) + b",5\n", "a row is longer than 2 MiB"),
]


@pytest.mark.parametrize(("data", "said"), CASES, ids=[said[:40] for _, said in CASES])
def test_bad_csv(data: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    assert said in complaint(path)
    quiet = complaint(path, echo_values=False)
    for value in ("secret", "zip", "six", "nan", "\\xff", "999", "0.0000001"):
        assert value not in quiet


def test_a_bad_byte_far_inside(tmp_path: Path) -> None:
    good = HEAD + b"F,5\n" * 1_000_000
    (tmp_path / "t.csv").write_bytes(good + b"M,\0\n")
    assert "NUL bytes" in complaint(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_bytes(good + b"M\n")
    assert "row 1000001 has 1 cells" in complaint(tmp_path / "t.csv")


def test_bad_places(tmp_path: Path) -> None:
    assert "No such file" in complaint(tmp_path / "none.csv")
    assert "not a regular file" in complaint(tmp_path)
    os.mkfifo(tmp_path / "fifo.csv")
    assert "not a regular file" in complaint(tmp_path / "fifo.csv")
    assert "usable name" in complaint(Path("a\0b.csv"))
    (tmp_path / "bad\nname.csv").write_bytes(HEAD)
    assert "bad?name.csv" in complaint(tmp_path / "bad\nname.csv")


def test_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("release.data.tables.find_spec", lambda name: None)
    assert "pip install 'synthbounds[data]'" in complaint(tmp_path / "t.csv")


def columns(**changes: Any) -> dict[str, Any]:
    return {"sex": ["F", "M"], "age": [5, 6], **changes}


PARQUET: list[tuple[dict[str, Any], str]] = [
    (columns(sex=["F", None]), "row 2, column 'sex': the value is missing"),
    (columns(age=[None, 5]), "row 1, column 'age': the value is missing"),
    (columns(age=[5.0, None]), "row 2, column 'age': the value is missing"),
    (columns(age=pa.array([5, None]).dictionary_encode()), "row 2, column 'age': the value is missing"),
    (columns(sex=pa.array(["F", None]).dictionary_encode()), "row 2, column 'sex': the value is missing"),
    (columns(sex=["F", ""]), "row 2, column 'sex': the value is missing"),
    (columns(sex=["F", "secret"]), "row 2, column 'sex': the value 'secret' is not a level"),
    (columns(sex=[1, 7777]), "row 1, column 'sex': the value '1' is not a level"),
    (columns(sex=[0.0, 1.0]), "column 'sex': has the type double"),
    (columns(age=[5.0, float("nan")]), "row 2, column 'age': the value 'nan' is not a finite"),
    (columns(age=[5.0, float("-inf")]), "not a finite"),
    (columns(age=[5, 101]), "the value '101' is outside"),
    (columns(age=[5, -(2**63)]), "outside"),
    (columns(age=["5", "six"]), "the value 'six' is not a decimal number"),
    (columns(age=[True, False]), "column 'age': has the type bool"),
    (columns(age=[[1], [2]]), "has the type list"),
    (columns(zip=[1, 2]), "column 3 ('zip') is not in the schema"),
    ({"sex": ["F"]}, "the column 'age' of the schema is missing"),
    (columns(sex=pa.array([], pa.string()), age=pa.array([], pa.int64())), "has no rows"),
]


@pytest.mark.parametrize(("table", "said"), PARQUET, ids=[said[:40] for _, said in PARQUET])
def test_bad_parquet(table: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table(table), path)
    assert said in complaint(path)
    assert not any(v in complaint(path, echo_values=False) for v in ("secret", "zip", "six", "7777", "101", "nan"))


def test_two_parquet_columns_of_one_name(tmp_path: Path) -> None:
    table = pa.table([pa.array(["F"]), pa.array([5]), pa.array([6])], names=["sex", "age", "age"])
    parquet.write_table(table, tmp_path / "t.parquet")
    assert "columns 2 and 3 alike" in complaint(tmp_path / "t.parquet")


def test_damaged_parquet(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(b"sex,age\nF,5\n")
    assert "not a readable Parquet" in complaint(path)
    parquet.write_table(pa.table({"sex": ["F"] * 1000, "age": list(range(100)) * 10}), path)
    data = path.read_bytes()
    path.write_bytes(data[:-20])
    assert "not a readable Parquet" in complaint(path)
    path.write_bytes(data[:4] + b"\xff" * 60 + data[64:])
    assert "Parquet" in complaint(path) or "row" in complaint(path)


@given(st.binary(max_size=60))
def test_any_bytes_give_codes_or_one_line(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "t.csv"
    path.write_bytes(HEAD + data)
    with contextlib.suppress(DataError):
        assert (read_codes(path, SCHEMA) < [2, 10]).all()


def test_a_text_of_parquet_that_is_not_utf_8_is_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = pa.table({"sex": pa.array(["F", "M"]), "age": [5, 6]})
    parquet.write_table(table, path, compression="none", write_statistics=False, column_encoding=None)
    damaged = path.read_bytes().replace(b"\x01\x00\x00\x00M", b"\x01\x00\x00\x00\xa4")
    assert damaged != path.read_bytes()
    path.write_bytes(damaged)
    assert "row 2, column 'sex': the value '\\xa4' is not UTF-8 text" in complaint(path)
    assert "xa4" not in complaint(path, echo_values=False)
    assert "row 2 is not UTF-8 text" in str(draft_of_table(path).columns)


DECLARES = "the schema does not declare"
SIMULATE = "simulate mode shows the value to whoever holds the table"
UNDECLARED = 'spaces around cells ("spaces": "strip")'
ROW = HEAD + b"F,5\n"


def declaring(*, missing: tuple[str, ...] = (), spaces: str = "count") -> Schema:
    """As above, with missing ages or spaces declared."""
    sex, age = SCHEMA.columns
    assert isinstance(age, NumberColumn)
    return replace(SCHEMA, columns=(sex, replace(age, missing=missing)), spaces=spaces)


@pytest.mark.parametrize(
    ("data", "schema", "said"),
    [
        (b" F,5\n", SCHEMA, f'level of the schema; {SIMULATE}; {DECLARES} {UNDECLARED} or missing cells ("missing")'),
        (
            b"secret,5\n",
            SCHEMA,
            f'level of the schema; {SIMULATE}; {DECLARES} {UNDECLARED} or missing cells ("missing")',
        ),
        (b"F, 5\n", declaring(missing=("?",)), f"decimal number; {SIMULATE}; {DECLARES} {UNDECLARED}"),
        (b"F,six\n", declaring(spaces="strip"), f'number; {SIMULATE}; {DECLARES} missing cells ("missing")'),
        (b"F,six\n", declaring(missing=("?",), spaces="strip"), f"number; {SIMULATE}"),
        (b"F,\n", declaring(spaces="strip"), f'the value is missing; {DECLARES} missing cells ("missing")'),
        (b"F,999\n", SCHEMA, f"range of the schema; {SIMULATE}"),
    ],
)
def test_a_release_hints_at_what_the_schema_does_not_declare(
    data: bytes, schema: Schema, said: str, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_bytes(ROW + data)
    with pytest.raises(DataError) as caught:
        read_codes(tmp_path / "t.csv", schema, echo_values=False)
    assert str(caught.value).endswith(said)


@pytest.mark.parametrize(
    ("data", "fits"),
    [(b" F,5\n", True), (b"\tM ,5\n", True), (b"F, 5\n", True), (b" X,5\n", False), (b"F,6 6\n", False)],
)
def test_a_simulation_says_if_only_spaces_are_in_the_way(data: bytes, fits: bool, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(ROW + data)
    said = complaint(tmp_path / "t.csv")
    assert ('without the spaces around it, it would fit ("spaces": "strip" in the schema)' in said) is fits
    assert "simulate mode" not in said
