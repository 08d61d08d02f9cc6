"""The records that a question about shares counts, if values are numbers of a range."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from bounds.errors import ParameterError
from mechanisms.infer.shares.event import read_event, read_events, read_groups
from release.data.schema import Schema, parse_schema


def schema() -> Schema:
    columns: list[dict[str, Any]] = [
        {"name": "age", "edges": ["15", "20", "25", "30"], "outside": "clip", "whole": True},
        {"name": "pay", "range": ["0", "4"], "bins": 4},
        {"name": "size", "range": ["0", "2"], "grid": 3},
        {"name": "children", "range": ["0", "3"], "bins": 3, "whole": True, "missing": True},
        {"name": "town", "levels": ["a|b", "c", "3"]},
    ]
    return parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns}))


@pytest.mark.parametrize(
    ("asked", "codes", "said"),
    [
        ("age=22", (1,), "age=20 to 24"),
        ("age=20", (1,), "age=20 to 24"),
        ("age=20 to 24", (1,), "age=20 to 24"),
        ("age=99", (2,), "age=at least 25"),
        ("age=3|21", (0, 1), "age=at most 19|20 to 24"),
        ("pay=1", (1,), "pay=1 to less than 2"),
        ("pay=1.5|1.6", (1,), "pay=1 to less than 2"),
        ("pay=4", (3,), "pay=3 to 4"),
        ("size=0.9", (1,), "size=1"),
        ("children=1", (1,), "children=1"),
        ("children=3", (2,), "children=2 to 3"),
        ("children=", (3,), "children="),
        ("town=a|b", (0,), "town=a|b"),
        ("town=3|c", (1, 2), "town=c|3"),
    ],
)
def test_a_number_stands_for_its_range(asked: str, codes: tuple[int, ...], said: str) -> None:
    event = read_event(asked, schema())
    assert (event.codes, event.text) == (codes, said)
    assert read_event(said, schema()).codes == codes


def test_every_number_is_counted_where_records_count_it() -> None:
    column = schema().columns[0]
    for number in range(-5, 60):
        event = read_event(f"age={number}", schema())
        assert event.codes == (column.code_of(number),)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ("pay=5", "one of 0 to less than 1, .*5 is not a value"),
        ("pay=much", "much is not a value"),
        ("age=15|20|25", "some values of the column, and not all"),
        ("height=1", "height is not a column"),
    ],
)
def test_what_no_record_can_have_is_refused(asked: str, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        read_events(asked, schema())


def test_groups_are_ranges_too() -> None:
    first, second = read_groups("age=18,27", schema())
    assert [first.text, second.text] == ["age=at most 19", "age=at least 25"]
    with pytest.raises(ParameterError, match=re.escape("without a value in common")):
        read_groups("age=21,24", schema())
