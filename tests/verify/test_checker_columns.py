"""The checker of releases counts the codes of a column and makes its features by itself, as the feature map does."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest

from release.data.dates import BY
from release.data.schema import parse_schema
from release.statistics.features import build_feature_map
from verify.checkers import Rejected
from verify.checkers.columns import block_of, column_size
from verify.checkers.given import require_same_features
from verify.checkers.given_features import label_bits

SPAN = {"date": "%Y-%m-%d %H", "first": "2012-11-05", "last": "2014-02-10"}
KINDS: list[dict[str, Any]] = [
    {"levels": ["a", "b", "c"], "ordered": True},
    {"levels": ["a"]},
    {"range": ["0", "1"], "bins": 5, "whole": False},
    {"edges": ["0", "1", "3"], "outside": "clip", "whole": True},
    {"edges": ["0", "1"]},
    {"range": ["0", "1"], "grid": 4},
    {"edges": ["-1.5", "2", "7.25", "40"], "whole": True},
    {"levels": ["7", "-2.5", "1e2"]},
    *({**SPAN, "by": by} for by in BY),
]
COLUMNS = [
    {"name": f"c{i}{gap}", **kind, **({"missing": gap} if gap else {})}
    for i, kind in enumerate(KINDS)
    for gap in (False, True, ["?", "NA"])
    if gap or kind not in ({"levels": ["a"]}, {"edges": ["0", "1"]})
]
BY_VALUE = [column["name"] for column in COLUMNS[1:] if "edges" in column or column.get("levels", "a")[0] == "7"]
SCHEMA: dict[str, Any] = {
    "synthbounds_schema": 1,
    "source": "public",
    "missing_values": ["-", ""],
    "spaces": "strip",
    "ignored": ["id"],
    "columns": [*COLUMNS, {"name": "y", "levels": ["no", "yes"]}],
}


@pytest.mark.parametrize("encoding", ["linear", "one-hot", "reduced", "value", "smooth"])
def test_columns_have_the_same_features(encoding: str) -> None:
    schema = parse_schema(json.dumps(SCHEMA))
    names = [column["name"] for column in COLUMNS]
    for column in schema.columns[:-1]:  # alone, because of all together there are too many indicators
        one = parse_schema(
            json.dumps({**SCHEMA, "columns": [column.to_json(schema.missing_values), SCHEMA["columns"][-1]]})
        )
        hot = [column.name] if encoding == "one-hot" and column.size < 900 else []
        numbers = column.numbers is not None and encoding == "value"
        fewer = [column.name] if encoding == "reduced" and column.size < 900 else []
        made = build_feature_map(one, label="y", one_hot=hot, by_value=[column.name] if numbers else [], reduced=fewer)
        if encoding == "smooth":
            made = replace(made, encodings=(encoding,))
        name, shape = column_size(column.to_json(schema.missing_values))
        assert name in names
        assert sum(shape) == column.size
        again = block_of(made.encodings[0], shape, made.one, column.to_json(schema.missing_values))
        assert again == [list(row) for row in made.blocks[0]]


def test_a_release_with_gaps_and_dates_is_compared() -> None:
    schema = parse_schema(json.dumps(SCHEMA))
    made = build_feature_map(schema, label="y", one_hot=[COLUMNS[0]["name"]], by_value=BY_VALUE)
    release = {"schema": schema.to_json(), "feature_map": made.to_json()}
    body = {
        "feature_map": made.digest,
        "bits": made.bits,
        "blocks": [[list(row) for row in block] for block in made.blocks],
        "squared_norm": made.squared_norm,
    }
    require_same_features(body, release)
    for change in ({"spaces": "count"}, {"missing_values": ["-"]}):
        other = copy.deepcopy(release)
        other["schema"] |= change
        with pytest.raises(Rejected, match="digest"):
            require_same_features(body, other)


def test_labels_that_are_numbers_have_bits_of_their_own() -> None:
    numbers = {"name": "pay", "levels": ["1", "2", "7"]}

    def bits(label: dict[str, Any], positive: str | None = None) -> int:
        body = {"columns": [COLUMNS[0], label]}
        return label_bits(body, {"label": label["name"], "positive": positive, "bits": 16})

    assert (bits(numbers), bits({**numbers, "levels": ["1", "7"]}, "7")) == (16, 0)
    with pytest.raises(Rejected, match="does not have two values"):
        bits(numbers, "7")
    for column in ({**numbers, "missing": True}, {**numbers, "levels": ["1", "2"]}, {**numbers, "levels": list("abc")}):
        with pytest.raises(Rejected):
            bits(column)


@pytest.mark.parametrize(
    "column",
    [
        {"name": "a", "levels": ["x"]},
        {"name": "a", **SPAN, "by": "fortnight"},
        {"name": "a", **SPAN, "by": "month", "first": "2012-02-30"},
        {"name": "a", **SPAN, "by": "month", "last": "2012-11-30"},
        {"name": "a", **SPAN, "by": "month", "first": 5},
        {"name": "a", "levels": ["x", "y"], "absent": True},
    ],
)
def test_columns_that_no_schema_has_are_rejected(column: dict[str, Any]) -> None:
    with pytest.raises(Rejected):
        column_size(column)
