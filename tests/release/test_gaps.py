"""Missing cells, spaces, whole numbers, order and columns that are left out: as the schema declares, for every kind."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from bounds.errors import DataError, ParameterError
from release.data.columns import NumberColumn
from release.data.schema import Schema, parse_schema
from release.data.source import TableSource
from release.data.tables import read_codes
from release.data.writing import write_table
from release.files.outputs import Outputs
from release.statistics.features import build_feature_map
from tests.release.test_tables import read_text, schema_of
from tests.speeds import examples


def whole_schema(*columns: dict[str, Any], **fields: Any) -> Schema:
    return parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", **fields, "columns": list(columns)}))


KINDS: tuple[dict[str, Any], ...] = (
    {"name": "level", "levels": ["a", "b"], "missing": True},
    {"name": "bins", "range": [0, 10], "bins": 4, "missing": True},
    {"name": "edges", "edges": [-5, 0, 2.5, 100], "missing": ["NA", "-9"], "outside": "clip"},
    {"name": "whole", "edges": [0, 1, 5, 30], "whole": True, "missing": ["99", "?"]},
    {"name": "grid", "range": [0, 1], "grid": 11, "missing": True},
    {"name": "day", "date": "%Y-%m-%d", "first": "2013-01-01", "last": "2013-12-31", "by": "month", "missing": True},
    {"name": "one", "levels": ["only"], "missing": True},
    {"name": "span", "edges": [0, 1], "missing": True},
)
SCHEMA = whole_schema(*KINDS, missing_values=["?", ""], spaces="strip", ignored=["id", ""])
CELLS = {
    "level": [("a", 0), ("b", 1), ("?", 2), ("", 2)],
    "bins": [("0", 0), ("9.99", 3), ("?", 4), ("", 4)],
    "edges": [("-7", 0), ("2.5", 2), ("NA", 3), ("-9", 3), ("-9.0", 0)],
    "whole": [("0", 0), ("4", 1), ("30.0", 2), ("?", 3), ("99", 3)],
    "grid": [("0.5", 5), ("", 11)],
    "day": [("2013-02-28", 1), ("?", 12)],
    "one": [("only", 0), ("?", 1)],
    "span": [("0.5", 0), ("?", 1)],
}
rows = st.tuples(*(st.sampled_from(cells) for cells in CELLS.values()))


@given(table=st.lists(rows, min_size=1, max_size=8), blanks=st.sampled_from(["", " ", "\t "]))
@examples(100)
def test_gaps_have_the_last_code(
    table: list[tuple[tuple[str, int], ...]], blanks: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = ",".join(["", *(blanks + name for name in CELLS), "id"]) + "\n"
    for row in table:
        text += ",".join(["7", *(blanks + cell + blanks for cell, _ in row), "secret"]) + "\n"
    found = read_text(text, SCHEMA, tmp_path_factory.mktemp("gaps"))
    assert found == [[code for _, code in row] for row in table]


def test_spaces_count_unless_declared(tmp_path: Path) -> None:
    schema = schema_of({"name": "a", "levels": ["x", " x"], "missing": True})
    assert read_text("a\n x\nx\n\n", schema, tmp_path) == [[1], [0], [2]]
    with pytest.raises(DataError, match="row 1, column 'a': the value ' ' is not a level"):
        read_text("a\n \n", schema, tmp_path)
    with pytest.raises(DataError, match="begins or ends with a space"):
        whole_schema({"name": "a", "levels": ["x", " x"]}, spaces="strip")


@pytest.mark.parametrize(
    ("name", "cell", "said"),
    [
        ("edges", "", "is missing"),
        ("edges", "?", "is not a decimal number"),
        ("whole", "", "is missing"),
        ("whole", "2.5", "is not a whole number"),
        ("whole", "2.00000000000000000000000001", "is not a whole number"),
        ("whole", "31", "is outside the range"),
        ("level", "NA", "is not a level"),
        ("bins", "nan", "is not a finite number"),
    ],
)
def test_what_is_not_declared_is_refused(name: str, cell: str, said: str, tmp_path: Path) -> None:
    fine = {key: cells[0][0] for key, cells in CELLS.items()}
    lines = [",".join(CELLS), ",".join(fine.values()), ",".join((fine | {name: cell}).values())]
    with pytest.raises(DataError, match=f"row 2, column '{name}'") as caught:
        read_text("\n".join(lines) + "\n", SCHEMA, tmp_path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("values", ["middle", "inside"])
def test_what_is_written_reads_back(name: str, values: str, tmp_path: Path) -> None:
    codes = np.random.default_rng(0).integers(0, SCHEMA.domain.sizes, (1500, len(KINDS))).astype(np.uint8)
    with Outputs() as outputs:
        write_table(outputs, tmp_path / name, codes, SCHEMA, values=values, seed=1)
    assert np.array_equal(read_codes(tmp_path / name, SCHEMA), codes)
    if name == "t.csv":
        shown = {line.split(",")[3] for line in (tmp_path / name).read_text().splitlines()[1:]}
        assert shown <= {"99", *(str(i) for i in range(31))}  # whole numbers stay whole; a gap is its first spelling
        assert len(shown) == (4 if values == "middle" else 32)
    else:
        table = parquet.read_table(tmp_path / name)
        assert table["whole"].type == pa.int64()
        assert table["level"].null_count == (codes[:, 0] == 2).sum()


def test_other_values_are_refused(tmp_path: Path) -> None:
    codes = np.zeros((1, len(KINDS)), dtype=np.uint8)
    for wrong in ({"values": "anywhere"}, {"values": "inside", "seed": -1}):
        with pytest.raises(ParameterError), Outputs() as outputs:
            write_table(outputs, tmp_path / "t.csv", codes, SCHEMA, **wrong)
    assert not list(tmp_path.iterdir())


def test_values_inside_never_spell_a_gap(tmp_path: Path) -> None:
    schema = schema_of({"name": "a", "edges": [0, 3, 6], "whole": True, "missing": ["0", "2", "3"]})
    codes = np.repeat(np.arange(3, dtype=np.uint8), 100)[:, None]
    for name in ("t.csv", "t.parquet"):
        with Outputs() as outputs:
            write_table(outputs, tmp_path / name, codes, schema, values="inside")
        assert np.array_equal(read_codes(tmp_path / name, schema), codes)


@given(
    edges=st.lists(st.integers(-50, 50), min_size=3, max_size=8, unique=True).map(sorted),
    halves=st.booleans(),
    seed=st.integers(0, 2**64 - 1),
)
@examples(100)
def test_numbers_inside_any_bins(
    edges: list[int], halves: bool, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    schema = schema_of({"name": "a", "edges": [str(Fraction(e, 1 + halves)) for e in edges], "whole": not halves})
    codes = np.repeat(np.arange(len(edges) - 1, dtype=np.uint8), 5)[:, None]
    path = tmp_path_factory.mktemp("inside") / "t.csv"
    with Outputs() as outputs:
        write_table(outputs, path, codes, schema, values="inside", seed=seed)
    assert np.array_equal(read_codes(path, schema), codes)
    assert halves or "." not in path.read_text()


def test_parquet_gaps(tmp_path: Path) -> None:
    schema = whole_schema(
        {"name": "none", "levels": ["a", "b"], "missing": True},
        {"name": "int", "edges": [0, 5, 10], "missing": ["-1"]},
        {"name": "float", "edges": [0, 5, 10], "missing": ["nan", "-1"], "whole": True},
        {"name": "text", "levels": ["a"], "missing": ["?"]},
        {"name": "flag", "levels": ["false", "true"], "missing": True},
    )
    table = {
        "none": pa.nulls(3),
        "int": pa.array([None, -1, 7]),
        "float": pa.array([float("nan"), -1.0, 3.0]),
        "text": pa.array([None, "?", "a"]).dictionary_encode(),
        "flag": pa.array([None, True, False]),
    }
    parquet.write_table(pa.table(table), tmp_path / "t.parquet")
    assert read_codes(tmp_path / "t.parquet", schema).T.tolist() == [
        [2] * 3,
        [2, 2, 1],
        [2, 2, 0],
        [1, 1, 0],
        [2, 1, 0],
    ]


def test_floats_that_are_not_whole_are_refused(tmp_path: Path) -> None:
    schema = schema_of({"name": "a", "edges": [0, 5, 10], "whole": True})
    parquet.write_table(pa.table({"a": [1.0, 7.5]}), tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"row 2, column 'a': the value '7\.5' is not a whole number"):
        read_codes(tmp_path / "t.parquet", schema)


def test_what_the_schema_allows_is_never_refused(tmp_path: Path) -> None:
    constant, gaps = tmp_path / "constant.csv", tmp_path / "gaps.csv"
    schema = schema_of({"name": "a", "levels": ["x", "y"], "missing": True}, {"name": "b", "edges": [0, 1, 2]})
    constant.write_text("a,b\n" + "x,0.5\n" * 20)
    gaps.write_text("a,b\n" + ",0.5\n" * 20)
    assert (read_codes(constant, schema) == [0, 0]).all()
    assert (read_codes(gaps, schema) == [2, 0]).all()
    (tmp_path / "empty.csv").write_text("a,b\n")
    source = TableSource(tmp_path / "empty.csv", schema, private=True, size_is_public=False)
    assert source.counts([[0]])[0,].tolist() == [0, 0, 0]


BAD: list[tuple[Any, dict[str, Any], str]] = [
    ({"levels": ["a", "?"], "missing": ["?"]}, {}, '"?" is given twice'),
    ({"levels": ["a", "b"], "missing": []}, {}, "must be a list of 1 to 100 texts"),
    ({"levels": ["a", "b"], "missing": "NA"}, {}, "must be a list of 1 to 100 texts"),
    ({"levels": ["a", "b"], "missing": [None]}, {}, "must be text"),
    ({"levels": ["a", "b"], "missing": ["x", "x"]}, {}, '"x" is given twice'),
    ({"levels": [], "missing": True}, {}, "must be a list of 1 to 65535 texts"),
    ({"levels": ["a", "b"], "ordered": 1}, {}, "ordered = 1: must be true or false"),
    ({"levels": ["a", "b"], "whole": True}, {}, "whole is for numbers"),
    ({"edges": [0, 1, 2], "ordered": True}, {}, "ordered is for levels"),
    ({"edges": [0, 1, 2], "whole": 1}, {}, "whole = 1"),
    ({"edges": [0.25, 0.75, 2], "whole": True}, {}, "bin 1 contains no whole number"),
    ({"range": [0, 2], "grid": 3, "whole": True}, {}, "the points of a grid"),
    ({"range": [0, 2], "grid": 3, "missing": ["1.0"]}, {}, '"1.0" is also how a bin is written'),
    ({"range": [0, 2], "bins": 65536, "missing": True}, {}, "from 2 to 65535"),
    ({"levels": ["a", "b"]}, {"missing_values": []}, "missing_values: must be a list"),
    ({"levels": ["a", "b"]}, {"spaces": "trim"}, 'spaces = "trim": must be'),
    ({"levels": ["a", "b"]}, {"ignored": "id"}, "ignored: must be a list"),
    ({"levels": ["a", "b"]}, {"ignored": [5]}, "ignored[0] = 5: must be text"),
    ({"levels": ["a", "b"]}, {"ignored": ["x"]}, '"x" is given twice'),
    ({"levels": ["a", "b"]}, {"ignored": ["y", "y"]}, '"y" is given twice'),
]


@pytest.mark.parametrize(("column", "fields", "said"), BAD)
def test_bad_schemas(column: dict[str, Any], fields: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError) as caught:
        whole_schema({"name": "x", **column}, **fields)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_read_is_written_and_old_schemas_are_unchanged() -> None:
    body = SCHEMA.to_json()
    assert parse_schema(SCHEMA.to_text()) == SCHEMA
    assert body["missing_values"] == ["?", ""]
    assert body["columns"][0] == KINDS[0]
    assert body["columns"][2]["missing"] == ["NA", "-9"]
    old = schema_of({"name": "a", "levels": ["x", "y"]}, {"name": "b", "range": ["0", "1"], "bins": 3})
    assert set(old.to_json()) == {"synthbounds_schema", "source", "columns"}
    assert [set(column) for column in old.to_json()["columns"]] == [{"name", "levels"}, {"name", "range", "bins"}]


@pytest.mark.parametrize(
    ("levels", "ordered"),
    [
        (["1", "2", "10"], True),
        (["1", "10", "2"], False),
        (["0", "0.0"], False),
        (["a", "b"], False),
        (["-1", "3e2"], True),
    ],
)
def test_order_by_rule_and_as_declared(levels: list[str], ordered: bool) -> None:
    assert schema_of({"name": "a", "levels": levels}).columns[0].is_ordered == ordered
    for said in (True, False):
        column = schema_of({"name": "a", "levels": levels, "ordered": said}).columns[0]
        assert column.is_ordered == said
        assert column.to_json()["ordered"] == said
    assert schema_of({"name": "a", "range": [0, 1], "bins": 3}).columns[0].is_ordered


def test_columns_that_are_left_out_need_not_be_there_and_may_be_alike(tmp_path: Path) -> None:
    schema = whole_schema({"name": "a", "levels": ["x", "y"]}, ignored=["id", ""])
    assert read_text("a\nx\n", schema, tmp_path) == [[0]]
    assert read_text("id,,a,id,\n1,2,y,3,4\n", schema, tmp_path) == [[1]]
    with pytest.raises(DataError, match="column 2"):
        read_text("a,b\nx,1\n", schema, tmp_path)
    with pytest.raises(DataError, match="columns 1 and 2 alike"):
        read_text("a,a\nx,y\n", schema, tmp_path)


def test_features_of_gaps() -> None:
    """A missing cell is an indicator beside the line of the values; every block has norm at most 1."""
    schema = whole_schema(*KINDS, {"name": "y", "levels": ["no", "yes"]})
    made = build_feature_map(schema, label="y", one_hot=["level"], bits=4)
    assert made.names[:5] == ("level=a", "level=b", "level is missing", "bins", "bins is missing")
    assert made.blocks[1] == ((-16, 0), (-5, 0), (5, 0), (16, 0), (0, 16))
    assert made.blocks[6] == ((-16,), (16,))  # one level and a gap: a column of two values
    assert len(made.names) == sum(len(block[0]) for block in made.blocks) + 1
    for block in made.blocks:
        assert all(sum(value**2 for value in row) <= made.one**2 for row in block)
    weights = [Fraction(w) for w in np.random.default_rng(3).integers(-9, 9, made.size).tolist()]
    every = np.array([[c % size for size in schema.domain.sizes] for c in range(5000)])
    scores = made.features(np.unique(every, axis=0)) @ np.array([int(w) for w in weights])
    lo, hi = made.margin_range(weights)
    assert lo <= Fraction(int(scores.min()), made.one) <= Fraction(int(scores.max()), made.one) <= hi
    ends, start = [int(weights[-1]) * made.one] * 2, 0
    for block in made.blocks:
        part = weights[start : start + len(block[0])]
        reached = [int(sum(w * x for w, x in zip(part, row, strict=True))) for row in block]
        ends = [ends[0] + min(reached), ends[1] + max(reached)]
        start += len(part)
    assert (lo, hi) == (Fraction(ends[0], made.one), Fraction(ends[1], made.one))


def test_digests_see_how_cells_are_read() -> None:
    columns: tuple[dict[str, Any], ...] = (
        {"name": "a", "levels": ["x", "z"], "missing": True},
        {"name": "y", "levels": ["no", "yes"]},
    )
    variants: list[dict[str, Any]] = [{}, {"missing_values": ["?"]}, {"spaces": "strip"}, {"ignored": ["id"]}]
    digests = [build_feature_map(whole_schema(*columns, **said), label="y").digest for said in variants]
    assert len(set(digests)) == 3
    assert digests[0] == digests[3]  # what is left out decides no feature


def test_a_whole_range_beyond_floats() -> None:
    column = schema_of({"name": "a", "range": ["0", "1e40"], "bins": 7, "whole": True}).columns[0]
    assert isinstance(column, NumberColumn)
    assert [column.code_of(Fraction(text)) for text in column.texts] == list(range(7))
    assert all("." not in text for text in column.texts)
