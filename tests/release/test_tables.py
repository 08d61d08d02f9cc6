"""Reading tables: codes are those of exact arithmetic on what the cell says, in CSV and in Parquet, in batches."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from bounds.errors import DataError, ParameterError
from release.data import table_csv, table_parquet
from release.data.coding import coder_for
from release.data.columns import NumberColumn
from release.data.decimals import parse_decimal
from release.data.schema import Schema, parse_schema
from release.data.tables import read_batches, read_codes


def schema_of(*columns: dict[str, Any]) -> Schema:
    return parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": list(columns)}))


PEOPLE = schema_of(
    {"name": "sex", "levels": ["F", "M"]},
    {"name": "age", "range": ["0", "100"], "bins": 10},
    {"name": "x", "range": ["0", "1"], "grid": 4097},
)


def read_text(text: str | bytes, schema: Schema, folder: Path, **options: Any) -> list[list[int]]:
    path = folder / "table.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    found: list[list[int]] = read_codes(path, schema, **options).tolist()
    return found


def test_a_table(tmp_path: Path) -> None:
    rows = "sex,age,x\nF,0,0\nM,100,1\nM,39.5,0.5\n"
    expected = [[0, 0, 0], [1, 9, 4096], [1, 3, 2048]]
    assert read_text(rows, PEOPLE, tmp_path) == expected
    assert read_text(rows.removesuffix("\n"), PEOPLE, tmp_path) == expected
    assert read_text("\ufeff" + rows, PEOPLE, tmp_path) == expected
    assert read_text(rows.replace("\n", "\r\n"), PEOPLE, tmp_path) == expected
    assert read_text('age,"x",sex\n"0",0,F\n100,1,"M"\n39.5,0.5,M\n', PEOPLE, tmp_path) == expected


def test_codes_are_narrow_and_columns_contiguous(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("sex,age,x\nF,0,0\nM,100,1\n")
    codes = read_codes(tmp_path / "t.csv", PEOPLE)
    assert codes.dtype == np.uint16
    assert codes[:, 0].flags.c_contiguous
    small = schema_of({"name": "sex", "levels": ["F", "M"]})
    assert read_codes(tmp_path / "t.csv", small, extra="ignore").dtype == np.uint8


def test_labels_of_every_kind(tmp_path: Path) -> None:
    labels = [
        "=cmd|' /C calc'!A0",
        "a,b",
        'say "hi"',
        "two\nlines",
        "cr\r\nlf",
        " space ",
        "é",
        "e\u0301",
        "NA",
        "nan",
        "-",
    ]
    schema = schema_of({"name": "la,bel", "levels": labels}, {"name": "n", "levels": ["0", "00"]})
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows([["la,bel", "n"], *([label, "00"] for label in labels)])
    assert read_text(stream.getvalue(), schema, tmp_path) == [[i, 1] for i in range(len(labels))]


def test_extra_columns_are_ignored_only_when_asked(tmp_path: Path) -> None:
    rows = "id,sex,age,x\n17,F,5,0\n"
    assert read_text(rows, PEOPLE, tmp_path, extra="ignore") == [[0, 0, 0]]
    with pytest.raises(DataError, match=r"column 1 \('id'\) is not in the schema"):
        read_text(rows, PEOPLE, tmp_path)
    with pytest.raises(ParameterError, match="extra = drop"):
        read_text(rows, PEOPLE, tmp_path, extra="drop")


def test_batches_follow_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_csv, "BLOCK_BYTES", 4096)
    monkeypatch.setattr(table_parquet, "_BATCH_ROWS", 300)
    ages = [i % 101 for i in range(5000)]
    (tmp_path / "t.csv").write_text("age\n" + "".join(f"{age}\n" for age in ages))
    parquet.write_table(pa.table({"age": ages}), tmp_path / "t.parquet", row_group_size=700)
    schema = schema_of({"name": "age", "range": ["0", "100"], "bins": 10})
    for name in ("t.csv", "t.parquet"):
        batches = list(read_batches(tmp_path / name, schema))
        assert len(batches) > 3
        assert np.concatenate(batches)[:, 0].tolist() == [min(age // 10, 9) for age in ages]
    (tmp_path / "t.csv").write_text("age\n" + "".join(f"{age}\n" for age in ages) + "101\n")
    with pytest.raises(DataError, match=r"row 5001, column 'age': the value '101' is outside"):
        list(read_batches(tmp_path / "t.csv", schema))


DECIMALS = st.one_of(
    st.decimals(min_value=-2, max_value=2, allow_nan=False, allow_infinity=False).map(str),
    st.fractions(min_value=-1, max_value=1, max_denominator=64).map(lambda f: repr(float(f))),
    st.sampled_from(["0.1", "0.3", "0.30000000000000000000001", "0.2999999999999999999", ".7", "1.", "+0.5", "-0",
                     "1e-1", "3E-01", "1e-400", "-1e-400", "1e400", "0.1000000000000000055511151231257827", "00.10"]),
)  # fmt: skip
EDGES = st.lists(
    st.decimals(min_value=-1, max_value=1, places=2, allow_nan=False, allow_infinity=False)
    | st.sampled_from([Decimal("0.1"), Decimal("0.3"), Decimal("0.1000000000000000000001"), Decimal(0)]),
    min_size=3,
    max_size=8,
    unique_by=Fraction,
).map(lambda edges: [str(e) for e in sorted(edges)])


@given(edges=EDGES, numbers=st.lists(DECIMALS, min_size=1, max_size=20), clips=st.booleans())
@settings(max_examples=300)
def test_codes_are_those_of_fractions(edges: list[str], numbers: list[str], clips: bool) -> None:
    column = schema_of({"name": "a", "edges": edges, "outside": "clip" if clips else "refuse"}).columns[0]
    assert isinstance(column, NumberColumn)
    coder = coder_for(column)
    for numbers_shown in (numbers, [*numbers, "oops"]):  # a bad cell must not change how the others are read
        texts = pa.array([n.encode() for n in numbers_shown], pa.binary())
        marked = coder.marked(texts).tolist()
        assert marked == coder.marked(texts.dictionary_encode()).tolist()
        for number, mark in zip(numbers, marked, strict=False):
            inner = sum(Fraction(edge) <= Fraction(number) for edge in edges[1:-1])
            inside = Fraction(edges[0]) <= Fraction(number) <= Fraction(edges[-1])
            assert mark == (inner if inside or clips else -6), number


@given(edges=EDGES, numbers=st.lists(st.floats(-1.5, 1.5) | st.sampled_from([0.1, 0.3, -0.0]), min_size=1))
def test_a_float_is_its_exact_binary_value(edges: list[str], numbers: list[float]) -> None:
    column = schema_of({"name": "a", "edges": edges, "outside": "clip"}).columns[0]
    marked = coder_for(column).marked(pa.array(numbers, pa.float64())).tolist()
    assert marked == [sum(Fraction(edge) <= Fraction(number) for edge in edges[1:-1]) for number in numbers]


def test_a_decimal_and_its_float_may_differ() -> None:
    column = schema_of({"name": "a", "edges": ["0", "0.3", "1"]}).columns[0]
    coder = coder_for(column)
    assert coder.marked(pa.array(["0.3"])).tolist() == [1]
    assert coder.marked(pa.array([0.3])).tolist() == [0]  # the float 0.3 is below three tenths


def test_large_integers_are_not_rounded() -> None:
    column = schema_of({"name": "a", "edges": ["0", "9007199254740993", "18446744073709551615"]}).columns[0]
    numbers = [9007199254740992, 9007199254740993, 2**64 - 1]
    for values in (pa.array(numbers, pa.uint64()), pa.array([str(n) for n in numbers])):
        assert coder_for(column).marked(values).tolist() == [0, 1, 1]


@given(st.text(alphabet="0123456789+-.eE xnaif_", max_size=8))
def test_what_is_a_number_does_not_depend_on_the_way(text: str) -> None:
    """Arrow reads most cells, we read the doubtful ones: both must agree on what a number is."""
    if not text:
        return
    coder = coder_for(schema_of({"name": "a", "range": ["-1e40", "1e40"], "bins": 3, "outside": "clip"}).columns[0])
    is_number = parse_decimal(text) is not None
    assert (coder.marked(pa.array([text.encode()], pa.binary()))[0] >= 0) == is_number


PARQUET = schema_of(
    {"name": "sex", "levels": ["F", "M"]},
    {"name": "age", "range": ["0", "100"], "bins": 10},
)


@pytest.mark.parametrize(
    ("sex", "age"),
    [
        (pa.array(["F", "M", "F"]), pa.array([0, 39, 100], pa.int8())),
        (pa.array(["F", "M", "F"], pa.large_string()), pa.array([0, 39.5, 100])),
        (pa.array(["F", "M", "F"]).dictionary_encode(), pa.array([0, 39.5, 100], pa.float32())),
        (pa.array([b"F", b"M", b"F"]), pa.array(["0", "39.999999999999999999", "1e2"])),
        (pa.array(["F", "M", "F"]), pa.array([Decimal("0.0"), Decimal("39.5"), Decimal("100.0")])),
        (pa.array(["F", "M", "F"]), pa.array([0, 39, 100], pa.uint64()).dictionary_encode()),
    ],
)
def test_parquet_columns_of_many_types(sex: Any, age: Any, tmp_path: Path) -> None:
    parquet.write_table(pa.table({"age": age, "sex": sex}), tmp_path / "t.parquet")
    assert read_codes(tmp_path / "t.parquet", PARQUET).tolist() == [[0, 0], [1, 3], [0, 9]]


def test_parquet_levels_that_are_no_text(tmp_path: Path) -> None:
    schema = schema_of({"name": "a", "levels": ["0", "1"]}, {"name": "b", "levels": ["true", "false"]})
    parquet.write_table(pa.table({"a": [1, 0], "b": [True, False]}), tmp_path / "t.parquet")
    assert read_codes(tmp_path / "t.parquet", schema).tolist() == [[1, 0], [0, 1]]


def test_parquet_is_known_by_its_content(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"sex": ["M"], "age": [5], "more": [[1]]}), tmp_path / "table")
    assert read_codes(tmp_path / "table", PARQUET, extra="ignore").tolist() == [[1, 0]]
