"""The feature map: exact integers, norms, ranges of scores, digests, and what it refuses."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.errors import DataError, ParameterError
from release.data.schema import Schema, parse_schema
from release.files.strict_json import parse_json
from release.statistics.features import FeatureMap, build_feature_map, choose_features


def schema_of_sizes(*sizes: int) -> Schema:
    columns = [{"name": f"c{i}", "levels": [f"v{j}" for j in range(t)]} for i, t in enumerate(sizes)]
    columns.append({"name": "y", "levels": ["no", "yes"]})
    return parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns}))


SCHEMA = schema_of_sizes(2, 4, 3)
MIXED = build_feature_map(SCHEMA, label="y", one_hot=["c2"])


def every_record(schema: Schema) -> np.ndarray:  # type: ignore[type-arg]
    return np.array(list(itertools.product(*(range(size) for size in schema.domain.sizes))), dtype=np.uint8)


def test_names_blocks_and_values_by_hand() -> None:
    assert MIXED.names == ("c0", "c1", "c2=v0", "c2=v1", "c2=v2", "intercept")
    assert (MIXED.size, MIXED.squared_norm, MIXED.positive) == (6, 4, "yes")
    third = 21845  # 65536 / 3 = 21845.33
    assert MIXED.blocks == (
        ((-65536,), (65536,)),
        ((-65536,), (-third,), (third,), (65536,)),
        ((65536, 0, 0), (0, 65536, 0), (0, 0, 65536)),
    )
    codes = np.array([[0, 2, 1, 1], [1, 3, 0, 0]], dtype=np.uint8)
    assert MIXED.features(codes).tolist() == [[-65536, third, 0, 65536, 0, 65536], [65536, 65536, 65536, 0, 0, 65536]]
    assert MIXED.labels(codes).tolist() == [1, -1]
    assert build_feature_map(SCHEMA, label="y", positive="no").labels(codes).tolist() == [-1, 1]


def test_halves_go_to_the_even_integer() -> None:
    found = build_feature_map(schema_of_sizes(9), label="y", one_hot=(), bits=1)  # ties at j = 1, 3, 5, 7
    assert [value for (value,) in found.blocks[0]] == [-2, -2, -1, 0, 0, 0, 1, 2, 2]


def test_every_record_of_the_domain_is_in_the_ball() -> None:
    features = MIXED.features(every_record(SCHEMA)).astype(object)
    norms = (features**2).sum(axis=1)
    assert norms.max() == MIXED.squared_norm * MIXED.one**2


@given(st.lists(st.fractions(-3, 3, max_denominator=50), min_size=6, max_size=6))
def test_the_range_of_scores_is_attained_and_never_left(coefficients: list[Fraction]) -> None:
    features = MIXED.features(every_record(SCHEMA)).tolist()
    scores = [sum(c * Fraction(f, MIXED.one) for c, f in zip(coefficients, row, strict=True)) for row in features]
    assert MIXED.margin_range(coefficients) == (min(scores), max(scores))


def test_a_label_in_the_middle_is_left_out() -> None:
    found = build_feature_map(schema_of_sizes(2, 2, 3), label="c1", one_hot=())
    assert found.columns == ("c0", "c2", "y")
    codes = np.array([[1, 0, 2, 1], [0, 1, 1, 0]], dtype=np.uint8)
    assert found.features(codes)[:, :3].tolist() == [[65536, 65536, 65536], [-65536, 0, -65536]]
    assert found.labels(codes).tolist() == [-1, 1]


def test_the_digest_follows_everything_that_decides_features_and_nothing_else() -> None:
    noted = Schema(SCHEMA.columns, "data-dependent", "a note")
    assert build_feature_map(noted, label="y", one_hot=["c2"]).digest == MIXED.digest
    others = [
        build_feature_map(SCHEMA, label="y"),
        build_feature_map(SCHEMA, label="y", one_hot=["c2"], positive="no"),
        build_feature_map(SCHEMA, label="y", one_hot=["c2"], bits=15),
        build_feature_map(SCHEMA, label="c0", one_hot=["c2"]),
        build_feature_map(schema_of_sizes(2, 5, 3), label="y", one_hot=["c2"]),
    ]
    assert len({MIXED.digest, *(other.digest for other in others)}) == 6


def through_json(**changes: object) -> FeatureMap:
    return FeatureMap.from_json(parse_json(json.dumps(MIXED.to_json() | changes), "map"), SCHEMA, "map")


def test_json_there_and_back() -> None:
    assert through_json() == MIXED


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"digest": "0" * 64}, "have another"),
        ({"bits": 15}, "have another"),
        ({"bits": 99}, "bits = 99: must be between 1 and 20"),
        ({"bits": "16"}, "whole number"),
        ({"label": "c1", "encodings": {"c0": "linear", "c2": "linear", "y": "linear"}}, "exactly two values"),
        ({"label": 3}, "must be text"),
        ({"positive": "maybe"}, "must be no or yes"),
        ({"encodings": {"c0": "linear", "c1": "linear"}}, "c2 is missing"),
        ({"encodings": {"c0": "linear", "c1": "cubic", "c2": "linear"}}, "cubic for c1"),
        ({"more": 1}, "is not a field"),
    ],
)
def test_json_that_does_not_add_up_is_refused(changes: dict[str, object], complaint: str) -> None:
    with pytest.raises(DataError, match=complaint) as caught:
        through_json(**changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"label": "z"}, "label = z: must be a column"),
        ({"label": "c1"}, "exactly two values"),
        ({"label": "y", "one_hot": ["y"]}, "other than the label"),
        ({"label": "y", "one_hot": ["c1", "c1"]}, "given once"),
        ({"label": "y", "positive": "1"}, "must be no or yes"),
        ({"label": "y", "bits": 0}, "bits = 0"),
    ],
)
def test_what_cannot_be_built(asked: dict[str, object], complaint: str) -> None:
    with pytest.raises(ParameterError, match=complaint):
        build_feature_map(SCHEMA, **asked)  # type: ignore[arg-type]


def test_too_many_features_and_equal_names_are_refused() -> None:
    with pytest.raises(ParameterError, match="at most 1000"):
        build_feature_map(schema_of_sizes(1000), label="y", one_hot=["c0"])
    columns = [{"name": n, "levels": ["0", "1"]} for n in ("intercept", "y")]
    text = json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns})
    with pytest.raises(ParameterError, match="named differently"):
        build_feature_map(parse_schema(text), label="y")
    with pytest.raises(ParameterError, match="one for each feature"):
        MIXED.margin_range([Fraction(1)])


PEOPLE = parse_schema(
    """{"synthbounds_schema": 1, "source": "public", "columns": [
    {"name": "age", "edges": ["0", "1", "3", "11"]}, {"name": "rooms", "levels": ["1", "2", "10"], "missing": true},
    {"name": "odd", "levels": ["5", "1", "4"]}, {"name": "town", "levels": ["a", "b", "c"]},
    {"name": "owns", "levels": ["no", "yes"]}, {"name": "grade", "levels": ["low", "mid", "top"], "ordered": true},
    {"name": "one", "edges": ["0", "9"], "missing": true}, {"name": "y", "levels": ["no", "yes"]}]}"""
)


def encodings(found: FeatureMap) -> str:
    """A letter for each column: its encoding begins with it."""
    return "".join(encoding[0] for encoding in found.encodings)


def test_columns_without_an_order_are_one_hot() -> None:
    assert encodings(build_feature_map(PEOPLE, label="y")) == "lloolll"
    assert encodings(build_feature_map(PEOPLE, label="y", one_hot=())) == "lllllll"
    assert encodings(build_feature_map(PEOPLE, label="y", by_value=["odd", "one"])) == "llvollv"
    assert encodings(choose_features(PEOPLE, label="y")) == "lloolll"
    assert encodings(choose_features(PEOPLE, label="y", one_hot=["age"], linear=["town"])) == "ololl" + "ll"
    assert encodings(choose_features(PEOPLE, label="y", one_hot=["age"], linear=["all"], by_value=["odd"])) == "olvllll"


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"linear": ["y"]}, "linear = y: must be a column"),
        ({"linear": ["age"], "by_value": ["age"]}, "linear = age: must be a column with no other"),
        ({"one_hot": ["age"], "by_value": ["age"]}, "by_value = age: must be a column that is not one-hot"),
        ({"by_value": ["town"]}, "by_value = town: must be a column whose values are numbers"),
        ({"linear": ["all", "age"]}, "linear = all"),
    ],
)
def test_a_column_has_one_encoding(asked: dict[str, list[str]], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        choose_features(PEOPLE, label="y", **asked)  # type: ignore[arg-type]


def test_features_by_value() -> None:
    found = build_feature_map(PEOPLE, label="y", by_value=["age", "rooms", "odd", "one"], bits=1)
    assert found.blocks[:3] == (
        ((-2,), (-1,), (2,)),  # 1/2, 2, 7 over 13/2: -1, -0.538, 1
        ((-2, 0), (-2, 0), (2, 0), (0, 2)),
        ((2,), (-2,), (1,)),  # not rising: the largest number comes first
    )
    assert found.blocks[6] == ((-2,), (2,))
    coefficients = [Fraction(k, 7) for k in range(-3, found.size - 3)]
    scores = [
        sum(c * int(x) for c, x in zip(coefficients, row, strict=True)) / 2
        for row in found.features(every_record(PEOPLE))
    ]
    assert found.margin_range(coefficients) == (min(scores), max(scores))


@given(st.integers(2, 9), st.booleans())
def test_equal_steps_by_value_are_linear(bins: int, missing: bool) -> None:
    column = {"name": "x", "range": ["-3", "8.5"], "bins": bins, **({"missing": True} if missing else {})}
    label = {"name": "y", "levels": ["no", "yes"]}
    schema = parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": [column, label]}))
    by_code, by_value = (build_feature_map(schema, label="y", by_value=names) for names in ((), ("x",)))
    assert by_code.blocks == by_value.blocks
