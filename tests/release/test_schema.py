"""Schemas: every field is checked with its place, codes are exact, and what is written reads back."""

from __future__ import annotations

import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.errors import DataError
from release.data.columns import LevelColumn, NumberColumn
from release.data.schema import DRAFTED, Schema, parse_schema, read_schema
from release.data.template import NOTE

GOOD: dict[str, Any] = {
    "synthbounds_schema": 1,
    "source": "public",
    "note": "from the code book",
    "columns": [
        {"name": "sex", "levels": ["F", "M"]},
        {"name": "age", "range": ["0", "100"], "bins": 10},
        {"name": "income", "edges": ["0", "0.1", "0.3", "1e3"], "outside": "clip"},
        {"name": "x", "range": ["0", "1"], "grid": 5},
    ],
}


def one_column(**fields: Any) -> str:
    return json.dumps({"synthbounds_schema": 1, "source": "public", "columns": [{"name": "a", **fields}]})


def number_column(**fields: Any) -> NumberColumn:
    column = parse_schema(one_column(**fields)).columns[0]
    assert isinstance(column, NumberColumn)
    return column


def test_a_schema_names_sizes_and_meanings() -> None:
    schema = parse_schema(json.dumps(GOOD))
    assert schema.domain.sizes == (2, 10, 3, 5)
    assert schema.domain.names == ("sex", "age", "income", "x")
    assert schema.is_public
    schema.require_public()
    assert schema.columns[0].texts == ("F", "M")
    assert schema.columns[1].texts[:2] == ("5", "15")
    assert schema.columns[2].texts == ("0.05", "0.2", "500.15")
    assert schema.columns[3].texts == ("0", "0.25", "0.5", "0.75", "1")


def test_a_schema_reads_back(tmp_path: Path) -> None:
    schema = parse_schema(json.dumps(GOOD))
    (tmp_path / "s.json").write_text(schema.to_text(), encoding="utf-8-sig")  # with a byte order mark
    assert read_schema(tmp_path / "s.json") == schema
    assert parse_schema(json.dumps(schema.to_json())) == schema


def test_numbers_may_be_written_as_json_numbers_and_stay_exact() -> None:
    written = one_column(range=[0, "@"], bins=3).replace('"@"', "0.1")
    column = parse_schema(written).columns[0]
    assert isinstance(column, NumberColumn)
    assert column.hi == Fraction(1, 10)
    assert column.cuts == (Fraction(1, 30), Fraction(1, 15))


def test_a_data_dependent_schema_is_not_for_release() -> None:
    schema = parse_schema(json.dumps({**GOOD, "source": "data-dependent"}))
    with pytest.raises(DataError, match="public knowledge"):
        schema.require_public()


@pytest.mark.parametrize("edited", [NOTE, f" {DRAFTED}, with care"])
def test_the_note_of_a_draft_is_not_for_release_but_stays_readable(edited: str) -> None:
    schema = parse_schema(json.dumps({**GOOD, "note": edited}))
    schema.require_public()
    with pytest.raises(DataError, match=r"every column .* \"note\" where .* known from \(docs/public-schema.md\)"):
        schema.require_releasable()
    parse_schema(json.dumps({**GOOD, "note": "the code book"})).require_releasable()
    parse_schema(json.dumps({key: value for key, value in GOOD.items() if key != "note"})).require_releasable()


@pytest.mark.parametrize(
    ("number", "code"), [("0", 0), ("0.09999999999999999999", 0), ("0.1", 1), ("0.3", 2), ("0.29", 1), ("1000", 2)]
)
def test_edges_belong_to_the_right_and_the_last_bin_is_closed(number: str, code: int) -> None:
    column = number_column(edges=["0", "0.1", "0.3", "1000"])
    assert column.code_of(Fraction(number)) == code


def test_outside_is_refused_or_clipped() -> None:
    refusing, clipping = number_column(range=[0, 1], bins=4), number_column(range=[0, 1], bins=4, outside="clip")
    for number, code in ((Fraction(-1), 0), (Fraction(1000001, 1000000), 3)):
        assert refusing.code_of(number) is None
        assert clipping.code_of(number) == code


def test_grid_takes_the_nearest_point_and_halves_go_up() -> None:
    column = number_column(range=["-1", "1"], grid=5)
    assert [column.code_of(Fraction(n)) for n in ("-1", "-0.75", "-0.7500001", "0", "0.2499", "0.25", "1")] == [
        0, 1, 0, 2, 2, 3, 4,
    ]  # fmt: skip


decimals = st.decimals(min_value=-(10**6), max_value=10**6, allow_nan=False, allow_infinity=False, places=6)


@given(
    ends=st.tuples(decimals, decimals).filter(lambda e: e[0] != e[1]).map(sorted),
    size=st.integers(2, 50),
    kind=st.sampled_from(["bins", "grid"]),
)
def test_the_text_of_a_code_reads_back_as_the_code(ends: list[Any], size: int, kind: str) -> None:
    column = number_column(range=[str(e) for e in ends], **{kind: size})
    assert [column.code_of(Fraction(text)) for text in column.texts] == list(range(size))
    assert len(set(column.texts)) == size


@given(edges=st.lists(decimals, min_size=3, max_size=12, unique=True).map(sorted))
def test_codes_between_any_edges(edges: list[Any]) -> None:
    column = number_column(edges=[str(e) for e in edges])
    for i, text in enumerate(column.texts):
        assert Fraction(edges[i]) < Fraction(text) < Fraction(edges[i + 1])
        assert column.code_of(Fraction(edges[i])) == i
    assert parse_schema(Schema((column,), "public").to_text()).columns == (column,)


def test_the_largest_attributes() -> None:
    column = number_column(range=[0, 1], grid=65536)
    assert column.size == 65536
    assert column.code_of(Fraction(column.texts[40_000])) == 40_000
    labels = [f"v{i}" for i in range(65536)]
    assert parse_schema(one_column(levels=labels)).columns == (LevelColumn("a", tuple(labels)),)


def changed(**fields: Any) -> str:
    return json.dumps({key: value for key, value in {**GOOD, **fields}.items() if value is not None})


BAD: list[tuple[str, str]] = [
    ("", "is empty"),
    ("[]", "must be an object"),
    ("{", "ends early, line 1"),
    ('{"a" 1}', "line 1, column 6"),
    ('{"a": NaN}', "NaN is not a number"),
    ("[" * 100_000, "nested too deeply"),
    ('{"source": "public", "source": "public"}', '"source" is given twice'),
    (changed(synthbounds_schema=None), "synthbounds_schema is missing"),
    (changed(synthbounds_schema=2), "synthbounds_schema = 2: must be 1"),
    (changed(synthbounds_schema="1"), "must be 1"),
    (changed(synthbounds_schema=True), "must be 1"),
    (changed(source=None), "source is missing"),
    (changed(source="private"), 'source = "private"'),
    (changed(source=["public"]), "source = "),
    (changed(note=3), "note = 3"),
    (changed(extra=1), '"extra" is not a field'),
    (changed(columns=[]), "columns must be a list"),
    (changed(columns={}), "columns must be a list"),
    (changed(columns=[3]), "columns[0]: must be an object"),
    (changed(columns=[GOOD["columns"][0]] * 2), 'column name "sex" is given twice'),
    (one_column(), "give levels, or range and bins"),
    (one_column(levels=["F", "M"], range=[0, 1]), "and nothing else"),
    (one_column(range=[0, 1]), "give levels"),
    (one_column(bins=3), "give levels"),
    (one_column(range=[0, 1], bins=3, grid=3), "give levels"),
    (one_column(range=[0, 1], bins=3, width=3), '"width" is not a field'),
    (one_column(name="", levels=["F", "M"]), "columns[0].name: is empty"),
    (one_column(name=5, levels=["F", "M"]), "name = 5"),
    (one_column(name="a\0", levels=["F", "M"]), "no UTF-8 table"),
    (one_column(levels=["F"]), 'columns[0] ("a").levels: must be a list of 2 to 65536'),
    (one_column(levels="FM"), "must be a list"),
    (one_column(levels=[str(i) for i in range(65537)]), "2 to 65536"),
    (one_column(levels=["F", "F"]), 'the level "F" is given twice'),
    (one_column(levels=["F", ""]), "levels[1]: is empty"),
    (one_column(levels=[0, 1]), "levels[0] = 0: must be text"),
    (one_column(levels=["F", None]), "levels[1] = null"),
    (one_column(levels=["F", "\ud800"]), "no UTF-8 table"),
    (one_column(levels=["F", "x" * 1001]), "1001 characters"),
    (one_column(levels=["F", "M"], outside="clip"), "outside is for numbers"),
    (one_column(range=[0, 1], bins=1), "bins = 1: must be a whole number from 2 to 65536"),
    (one_column(range=[0, 1], bins=65537), "bins = 65537"),
    (one_column(range=[0, 1], bins="10"), 'bins = "10"'),
    (one_column(range=[0, 1], bins=2.5), "bins = 2.5"),
    (one_column(range=[0, 1], bins=True), "bins = true"),
    (one_column(range=[0, 1], grid=-4), "grid = -4"),
    (one_column(range=[0, 1, 2], bins=3), "range: must be a list of 2 numbers"),
    (one_column(range=[1, 1], bins=3), "range: must increase"),
    (one_column(range=[2, "1"], bins=3), 'must increase; "1" follows 2'),
    (one_column(range=["0", "nan"], bins=3), "range[1] = "),
    (one_column(range=["0", "inf"], bins=3), "range[1] = "),
    (one_column(range=["0", "ten"], bins=3), "must be a decimal number"),
    (one_column(range=["0", None], bins=3), "range[1] = null"),
    (one_column(range=["0", "1e41"], bins=3), "at most 1e40"),
    (one_column(range=["0", "1/3"], bins=3), "40 decimal places"),
    (one_column(range=["0", "1e-41"], bins=3), "40 decimal places"),
    (one_column(range=["0", "1" * 5000], bins=3), "must be a decimal number"),
    (one_column(edges=[0, 1]), "edges: must be a list of 3 to 65537"),
    (one_column(edges=[0, 1, 1]), "must increase"),
    (one_column(edges=[0, 1, 2], bins=2), "nothing else"),
    (one_column(range=[0, 1], bins=3, outside="drop"), 'outside = "drop"'),
]


@pytest.mark.parametrize(("text", "said"), BAD)
def test_bad_schemas(text: str, said: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_schema(text, where="schema s.json")
    message = str(caught.value)
    assert message.startswith("schema s.json")
    assert said in message
    assert "\n" not in message
    assert len(message) < 300


def test_bad_files(tmp_path: Path) -> None:
    def said(path: Path) -> str:
        with pytest.raises(DataError) as caught:
            read_schema(path)
        assert caught.value.exit_code == 3
        return str(caught.value)

    assert "No such file" in said(tmp_path / "none.json")
    assert "not a regular file" in said(tmp_path)
    os.mkfifo(tmp_path / "fifo")
    assert "not a regular file" in said(tmp_path / "fifo")
    assert "usable name" in said(Path("a\0b"))
    (tmp_path / "wide.json").write_text("{}", encoding="utf-16")
    assert "UTF-16" in said(tmp_path / "wide.json")
    (tmp_path / "bytes.json").write_bytes(b'{"a": "\xff"}')
    assert "not UTF-8" in said(tmp_path / "bytes.json")
    with (tmp_path / "huge.json").open("wb") as stream:
        stream.truncate(2**26 + 1)
    assert "larger than 64 MiB" in said(tmp_path / "huge.json")
