"""Sizes for the columns of a schema: the same theorems, with the number of points and queries that the schema has."""

from __future__ import annotations

import json
from math import prod
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import synthbounds as sb
from bounds.errors import NotApplicable, ParameterError, UsageError
from release.data.columns import LevelColumn
from release.data.schema import PUBLIC, Schema
from synthbounds.cli import main
from tests.paths import ROOT

SURVEY = ROOT / "docs" / "examples" / "survey.schema.json"
ASKED = {"epsilon": "0.5", "accuracy": "0.1", "failure": "0.05"}


def schema(levels: list[int]) -> Schema:
    columns = [LevelColumn(f"c{j}", tuple(str(v) for v in range(size))) for j, size in enumerate(levels)]
    return Schema(tuple(columns), PUBLIC)


@given(p=st.integers(1, 8), t=st.integers(2, 5), family=st.sampled_from(("cells", "monomials", "thresholds")))
def test_equal_levels_give_what_p_and_t_give(p: int, t: int, family: str) -> None:
    how = ASKED | {"degree": min(p, 2), "family": family}
    assert sb.require(schema=schema([t] * p), **how) == sb.require(p=p, t=t, **how)


@given(levels=st.lists(st.integers(2, 9), min_size=2, max_size=7))
def test_points_and_queries_are_counted(levels: list[int]) -> None:
    found = sb.require(schema=schema(levels), degree=2, family="cells", **ASKED)
    pairs = sum(a * b for j, a in enumerate(levels) for b in levels[:j])
    assert found.m == found.domain_size == prod(levels)
    assert found.queries == 1 + sum(levels) + pairs
    assert found.lower_bound is not None
    assert found.lower_bound.n <= found.n


def test_fewer_levels_never_need_more_records() -> None:
    sizes = [
        sb.require(schema=schema(levels), degree=2, family="cells", **ASKED).n for levels in ([2, 3, 5], [5, 5, 5])
    ]
    assert sizes[0] < sizes[1] == sb.require(p=3, t=5, degree=2, family="cells", **ASKED).n


def test_the_file_and_the_schema_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [f"--{name}={value}" for name, value in ASKED.items()]
    assert main(["require", "--schema", str(SURVEY), "--degree=2", "--family=cells", "--format=json", *arguments]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["inputs"]["schema"] == str(SURVEY)
    assert shown["n"] == sb.require(schema=str(SURVEY), degree=2, family="cells", **ASKED).n
    assert "2 to 4 levels" in shown["queries_in_words"]


def test_a_degree_is_solved_for_and_theorems_are_compared() -> None:
    found = sb.solve_for("degree", schema=Path(SURVEY), n=20_000, family="cells", **ASKED)
    assert (found.requirement.n, found.neighbour) > (0, 0)
    rows = sb.compare(schema=SURVEY, degree=2, family="cells", **ASKED)
    assert {row.requirement.domain_size for row in rows if row.requirement is not None} == {3456}


@pytest.mark.parametrize(
    ("more", "error", "says"),
    [
        ({"p": 3}, UsageError, "p and a schema are both given"),
        ({"t": 2}, UsageError, "t and a schema are both given"),
        ({"measure": "kde"}, NotApplicable, "the measure kde is about real numbers"),
        ({"family": "parities"}, ParameterError, "a parity is a product of signs"),
    ],
)
def test_what_a_schema_excludes(more: dict[str, object], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        sb.require(schema=SURVEY, degree=2, **ASKED, **more)  # type: ignore[arg-type]
