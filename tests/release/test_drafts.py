"""Drafts of tables as people have them: every column gets a line, and the draft reads the table it was made from."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from bounds.errors import DataError
from release.data.proposals import KINDS
from release.data.tables import read_codes
from release.data.template import Draft, DraftedColumn, draft_of_table
from synthbounds.render.drafted_schema import draft_document
from tests.speeds import examples


def drafted(path: Path, content: str | bytes) -> Draft:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_back(path)


def read_back(path: Path) -> Draft:
    draft = draft_of_table(path)
    assert not draft.schema.is_public
    assert len(read_codes(path, draft.schema)) == draft.rows
    assert all(column.kind in KINDS and column.why for column in draft.columns)
    assert {column.name for column in draft.columns if column.column is None} == set(draft.schema.ignored)
    return draft


def table(header: str, row: Any, count: int = 60) -> str:
    return header + "\n" + "".join(f"{row(i)}\n" for i in range(count))


NASTY: dict[str, tuple[str | bytes, list[str]]] = {
    "a byte order mark": ("\ufeffa,b\n1,x\n2,y\n", ["levels", "levels"]),
    "a column all missing": ("a,b\n,1\nNA,2\n?,2\n", ["unknown", "levels"]),
    "one row": ("name,day,n\nBob,2013-01-02,5\n", ["levels", "dates", "levels"]),
    "huge integers": (table("a,b", lambda i: f"{10**45 * i},{10**30 * i * i}"), ["unknown", "numbers"]),
    "numbers and texts": (table("a,b", lambda i: f"{i % 40 if i % 2 else 'x'},{i % 3}"), ["free text", "levels"]),
    "quotes and newlines": (
        table('a,"b,""c"', lambda i: f'"say ""{i % 3}""","two\nlines {i}"'),
        ["levels", "free text"],
    ),
    "nan and inf": (
        table("a,b", lambda i: f"{'nan' if i % 5 else i * i},{'inf' if i % 7 else i}"),
        ["levels", "levels"],
    ),
    "many of them": (
        table("a,b", lambda i: f"{i * i if i % 5 else 'nan'},{i if i % 7 else 'inf'}"),
        ["numbers", "free text"],
    ),
    "formats of dates": (
        table("a,b", lambda i: (f"2013-01-{i % 28 + 1:02}" if i % 2 else "05.01.2013") + f",{i % 12 + 1}/25/2013"),
        ["free text", "dates"],
    ),
    "two headers alike, one empty": ("a,a,b,\n1,2,3,4\n2,3,4,5\n", ["unknown", "unknown", "levels", "unknown"]),
    "odd letters": (
        table("é,e\u0301,\u202ex", lambda i: f"\U0001f600{i % 3},\u00a0{i % 2},\ufeff{i % 2}"),
        ["levels"] * 3,
    ),
    "bytes that are no text": (b"a,b\n1,\xff\n2,x\n", ["levels", "unknown"]),
    "spaces after commas": ("a , b\n 1, x \n 2, ?\n", ["levels", "levels"]),
    "long names and cells": ("x" * 3000 + ",b,c\n1," + "y" * 5000 + ",1\n2,z,2\n", ["unknown", "unknown", "levels"]),
    "carriage returns": ("a,b\r1,2\r3,4\r", ["levels", "levels"]),
    "codes with zeros": (table("zip,n", lambda i: f"{i * 37:05},{i % 3}"), ["identifier", "levels"]),
    "a constant day": (table("d,n", lambda i: f"2013-05-05 07:00,{i % 2}"), ["dates", "levels"]),
    "the last day there is": ("d\n9999-12-31\n9999-12-30\n0001-01-01\n", ["dates"]),
    "row numbers": (table(",id,x", lambda i: f"{i},{i + 1000},{i * i}"), ["unknown", "identifier", "numbers"]),
    "tiny numbers": (table("a", lambda i: f"-{i}.5e-30"), ["numbers"]),
    "too fine numbers": (table("a,b", lambda i: f"-{i}.5e-60,1"), ["unknown", "levels"]),
}


@pytest.mark.parametrize("name", NASTY)
def test_nasty_tables(name: str, tmp_path: Path) -> None:
    content, kinds = NASTY[name]
    assert [column.kind for column in drafted(tmp_path / "t.csv", content).columns] == kinds


HEADERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "a person": (
        "Meier,66,hiv,2001-05-07\nMeier,21,none,1999-01-02\nHuber,34,hiv,1998-03-04\n",
        ("Meier", "66", "hiv", "2001-05-07"),
    ),
    "a gap": ("NA,b\n1,x\nNA,y\n", ("NA",)),
    "no name": (",b\n1,x\n2,y\n", ("",)),
    "a header": ("name,age,state\nMeier,66,hiv\nHuber,21,none\n", ()),
}


@pytest.mark.parametrize("name", HEADERS)
def test_names_that_look_like_cells_are_told(name: str, tmp_path: Path) -> None:
    content, doubtful = HEADERS[name]
    draft = drafted(tmp_path / "t.csv", content)
    assert draft.doubtful_names == doubtful
    assert ("first row may not be a header" in str(draft_document(draft, None))) == bool(doubtful)


UNREADABLE: dict[str, tuple[bytes, str]] = {
    "no rows": (b"a,b\n", "has no rows"),
    "nothing": (b"", "is empty"),
    "ragged": (b"a,b\n1,2\n3\n", "row 2 has 1 cells"),
    "NUL": (b"a\n1\0\n", "NUL bytes"),
    "UTF-16": ("a,b\n1,2\n".encode("utf-16"), "UTF-16"),
    "an open quote": (b'a\n"1\n', "quote"),
    "no name": (b",\n1,2\n", "no column has a unique name"),
    "only gaps": (b"a,b\n,?\n", "no column is left for a schema"),
    "semicolons": (b"a;b\n1;2\n", "this file seems to be separated by ';'; save it with commas"),
    "too wide": ((",".join(f"c{i}" for i in range(10_001)) + "\n").encode(), "at most 10000"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_table_is_told_in_one_line(name: str, tmp_path: Path) -> None:
    content, said = UNREADABLE[name]
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(DataError) as caught:
        draft_of_table(tmp_path / "t.csv")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_ten_thousand_columns(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(10_000)]
    lines = [",".join(str(i * j % 7) for i in range(10_000)) for j in range(5)]
    found = drafted(tmp_path / "t.csv", "\n".join([",".join(names), *lines]) + "\n")
    assert [column.name for column in found.columns] == names


def test_every_type_of_parquet(tmp_path: Path) -> None:
    when = [None if i % 5 == 0 else dt.datetime(2013, 1 + i % 12, 3, i % 24) for i in range(60)]
    columns = {
        "timestamp": (pa.array(when, pa.timestamp("ns")), "dates"),
        "zone": (pa.array(when, pa.timestamp("ms", tz="Europe/Berlin")), "dates"),
        "date32": (pa.array([w and w.date() for w in when], pa.date32()), "dates"),
        "date64": (pa.array([w and w.date() for w in when], pa.date64()), "dates"),
        "decimal": (pa.array([Decimal(i) / 4 for i in range(60)], pa.decimal128(10, 2)), "numbers"),
        "boolean": (pa.array([None, True, False] * 20), "levels"),
        "null": (pa.nulls(60), "unknown"),
        "list": (pa.array([[1]] * 60), "unknown"),
        "struct": (pa.array([{"a": 1}] * 60), "unknown"),
        "time": (pa.array([dt.time(i % 24) for i in range(60)]), "unknown"),
        "duration": (pa.array([dt.timedelta(i) for i in range(60)]), "unknown"),
        "gaps": (pa.array([float("nan") if i % 9 == 0 else float(i) for i in range(60)]), "numbers"),
        "infinite": (pa.array([float("inf")] * 60), "unknown"),
        "half": (pa.array([0.5] * 60, pa.float16()), "numbers"),
        "bytes": (pa.array([b"\xff"] * 60), "unknown"),
        "dictionary": (pa.array(["a", "b", None] * 20).dictionary_encode(), "levels"),
        "unsigned": (pa.array([2**64 - 1 - i * 10**6 * i for i in range(60)], pa.uint64()), "numbers"),
        "large": (pa.array(["x", "y"] * 30, pa.large_string()), "levels"),
        "view": (pa.array(["x", "y"] * 30, pa.string_view()), "levels"),
        "far": (pa.array([10**7] * 60, pa.int32()).cast(pa.date32()), "unknown"),
    }
    parquet.write_table(pa.table({name: array for name, (array, _) in columns.items()}), tmp_path / "t.parquet")
    draft = read_back(tmp_path / "t.parquet")
    assert [(column.name, column.kind) for column in draft.columns] == [(name, k) for name, (_, k) in columns.items()]
    assert {c.name: c.missing for c in draft.columns if c.missing} == {
        "timestamp": 12, "zone": 12, "date32": 12, "date64": 12, "boolean": 20, "null": 60, "gaps": 7, "dictionary": 20,
    }  # fmt: skip


def column_of(draft: Draft, name: str) -> dict[str, Any]:
    found: DraftedColumn = next(column for column in draft.columns if column.name == name)
    assert found.column is not None
    return found.column.to_json(draft.schema.missing_values)


def test_gaps_are_spelled_as_the_table_spells_them(tmp_path: Path) -> None:
    text = table(
        "a,b,c,d", lambda i: f"{'?' if i % 4 == 0 else i % 3},{'?' if i % 3 else 'x'},{'' if i % 2 else 'y'},z"
    )
    draft = drafted(tmp_path / "t.csv", text)
    assert draft.schema.missing_values == ("?",)
    assert column_of(draft, "a") == {"name": "a", "levels": ["0", "1", "2"], "missing": True}
    assert column_of(draft, "b") == {"name": "b", "levels": ["x"], "missing": True}
    assert column_of(draft, "c") == {"name": "c", "levels": ["y"], "missing": [""]}
    assert column_of(draft, "d") == {"name": "d", "levels": ["z", "other"]}
    assert [column.missing for column in draft.columns] == [15, 40, 30, 0]


@pytest.mark.parametrize(
    ("days", "by", "first", "last"),
    [
        (1, "day", "2013-01-30", "2013-01-31"),
        (20, "day", "2013-01-30", "2013-02-18"),
        (100, "week", "2013-01-28", "2013-05-12"),
        (400, "month", "2013-01-01", "2014-03-31"),
        (9000, "year", "2013-01-01", "2037-12-31"),
    ],
)
def test_bins_of_a_span(days: int, by: str, first: str, last: str, tmp_path: Path) -> None:
    start = dt.date(2013, 1, 30)
    text = table("d", lambda i: start + dt.timedelta(i * (days - 1) // 59))
    found = column_of(drafted(tmp_path / "t.csv", text), "d")
    assert found == {"name": "d", "date": "%Y-%m-%d", "first": first, "last": last, "by": by}


def test_texts_with_many_rows_each_become_levels(tmp_path: Path) -> None:
    for rows, kind in ((60 * 20, "levels"), (60 * 19, "free text")):
        draft = drafted(tmp_path / "t.csv", table("a,b", lambda i: f"country{i % 60},1", rows))
        assert draft.columns[0].kind == kind


def test_a_format_that_changes_between_batches_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("release.data.table_csv.BLOCK_BYTES", 1000)
    text = table("a,b", lambda i: f"{i if i < 500 else 'x'},{'01/02/2013' if i < 500 else '25/02/2013'}", 600)
    draft = drafted(tmp_path / "t.csv", text)
    assert [column.kind for column in draft.columns] == ["free text", "dates"]
    assert column_of(draft, "b")["date"] == "%d/%m/%Y"


cells = st.sampled_from(
    ["", "1", "2.5", "-7", "x", "NA", "?", "2013-01-02", "2/3/2013", " 5", "nan", "inf", "é", "007", "1e400"]
)


@given(columns=st.lists(st.lists(cells, min_size=30, max_size=30), min_size=1, max_size=3))
@examples(150)
def test_any_cells(columns: list[list[str]], tmp_path_factory: pytest.TempPathFactory) -> None:
    """A draft ends, and reads its table; only where nothing is left does it say so."""
    lines = [",".join(["k", *(f"c{j}" for j in range(len(columns)))])]
    lines += [",".join(["ab"[i % 2], *(column[i] for column in columns)]) for i in range(30)]
    assert len(drafted(tmp_path_factory.mktemp("any") / "t.csv", "\n".join(lines) + "\n").columns) == len(columns) + 1
