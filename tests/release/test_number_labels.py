"""Labels that are numbers and columns without their first indicator: exact sums, what one record moves, and files."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.errors import ParameterError
from bounds.privacy.adjacency import Adjacency
from release.data.schema import Schema, parse_schema
from release.moments.file import release_text
from release.moments.make import make_release
from release.moments.read import parse_release
from release.moments.shares import moment_shares
from release.statistics.blocks import ONE_HOT, REDUCED, block_names, block_of, block_width
from release.statistics.features import FeatureMap, build_feature_map, choose_features
from release.statistics.moments import moment_sums
from tests.release.test_moment_release import WIDE, by_hand, contribution

COLUMNS = [
    {"name": "a", "levels": ["0", "1"]},
    {"name": "c", "levels": ["x", "y", "z"]},
    {"name": "pay", "levels": ["0", "1", "2.5", "9"]},
]


def schema(*columns: dict[str, Any]) -> Schema:
    return parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns or COLUMNS}))


FEATURES = build_feature_map(schema(), label="pay", one_hot=(), reduced=["c"])
DOMAIN = np.array(list(itertools.product(range(2), range(3), range(4))), dtype=np.uint8)
TABLE = DOMAIN[np.random.Generator(np.random.Philox(3)).integers(0, len(DOMAIN), 300)]


def test_labels_run_from_the_least_number_to_the_largest() -> None:
    assert FEATURES.label_is_number
    assert FEATURES.label_range == (0, 9)
    wanted = [round((2 * x / 9 - 1) * 2**16) for x in (Fraction(0), Fraction(1), Fraction(5, 2), Fraction(9))]
    assert list(FEATURES.label_values) == wanted
    assert (wanted[0], wanted[-1], FEATURES.label_one) == (-(2**16), 2**16, 2**16)
    assert FEATURES.label_text == "pay, a number; 0 is -1 and 9 is +1"
    assert FEATURES.names == ("a", "c=y", "c=z", "intercept")


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("fourth", [False, True])
@pytest.mark.parametrize("weight", ["1/2", "7"])
def test_no_two_neighbours_are_told_apart_better_than_the_budget_allows(
    adjacency: Adjacency, fourth: bool, weight: str
) -> None:
    """Over all pairs of records, exactly: differences of sums in standard deviations, against mu^2."""
    n0 = 10 if adjacency is Adjacency.ADD_REMOVE else None
    found = make_release(
        TABLE, FEATURES, **(WIDE | {"adjacency": adjacency, "n0": n0, "fourth": fourth}), weight=weight
    )
    scales = found.noise.scales
    rows, labels = FEATURES.features(DOMAIN).tolist(), FEATURES.labels(DOMAIN).tolist()
    moved = np.array(
        [
            [float(x / sd) for x, sd in zip(contribution(row, y)[: len(scales)], scales, strict=True)]
            for row, y in zip(rows, labels, strict=True)
        ]
    )
    if adjacency is Adjacency.REPLACE_ONE:
        squared = ((moved[:, None] - moved[None]) ** 2).sum(axis=2)
    else:
        squared = (moved**2).sum(axis=1)
    mu_squared = float(found.mu_squared_spent)
    assert squared.max() <= mu_squared * (1 + 1e-12)
    if adjacency is Adjacency.ADD_REMOVE:  # a record at a corner has norm 1 and a label of size 1: nothing is wasted
        assert squared.max() >= mu_squared * (1 - 1e-9)
        inner = np.abs(labels) < FEATURES.label_one
        assert squared[inner].max() < squared[~inner].max()


def test_sums_are_exact_and_are_divided_by_both_units() -> None:
    first, second, fourth = by_hand(TABLE, FEATURES)
    found = moment_sums(TABLE, FEATURES, fourth=True)
    assert (list(found.first), [list(row) for row in found.second]) == (first, second)
    assert list(found.fourth or ()) == fourth
    release = make_release(TABLE, FEATURES, **(WIDE | {"epsilon": 1000}))
    means = [Fraction(x, len(TABLE) * 4**16) for x in first]
    assert all(abs(a - b) < Fraction(1, 10) for a, b in zip(release.first, means, strict=True))
    assert "label times feature over 2^32, of products of two features over 2^32" in release.statistic.text


def test_a_release_is_read_back() -> None:
    made = make_release(TABLE, FEATURES, **WIDE)
    again = parse_release(release_text(made))
    assert again == made
    assert again.feature_map.positive is None
    assert again.digest == made.digest


def test_shares_know_what_moments_hold_and_no_label() -> None:
    found = make_release(TABLE, FEATURES, **WIDE)
    shares = moment_shares(found, Fraction(1, 20))
    assert set(shares) == {0}
    two = build_feature_map(schema(COLUMNS[0], COLUMNS[1], {"name": "pay", "levels": ["0", "9"]}), label="pay")
    other = moment_shares(make_release(np.minimum(TABLE, [1, 2, 1]), two, **WIDE), Fraction(1, 20))
    assert set(other) == {0, 1, 2}
    assert float(shares[0].radius[0]) == pytest.approx(float(other[0].radius[0]), rel=0.1)


@pytest.mark.parametrize(
    ("column", "chosen", "message"),
    [
        (COLUMNS[1], {}, "label = c with 3 values: must be a column with exactly two values, or of numbers"),
        ({**COLUMNS[2], "missing": True}, {}, "label = pay with 5 values: must be"),
        (COLUMNS[2], {"positive": "9"}, "positive = 9: must be left out"),
    ],
)
def test_labels_that_are_no_numbers_are_refused(column: dict[str, Any], chosen: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        choose_features(schema(COLUMNS[0], column), label=column["name"], **chosen)


@given(st.integers(2, 9), st.booleans(), st.integers(1, 20))
def test_a_reduced_block_is_the_one_hot_block_without_its_first_feature(size: int, gap: bool, bits: int) -> None:
    said = {"name": "x", "levels": [f"v{i}" for i in range(size)], **({"missing": True} if gap else {})}
    (column, _) = schema(said, COLUMNS[0]).columns
    full, reduced = (block_of(column, encoding, 2**bits) for encoding in (ONE_HOT, REDUCED))
    assert reduced == tuple(row[1:] for row in full)
    assert block_names(column, REDUCED) == block_names(column, ONE_HOT)[1:]
    assert block_width(column, REDUCED) == size + gap - 1 == len(reduced[0])
    assert all(sum(x * x for x in row) <= 4**bits for row in reduced)


@given(st.lists(st.integers(-9, 9), min_size=4, max_size=4))
def test_ranges_of_scores_are_those_of_all_records(integers: list[int]) -> None:
    coefficients = [Fraction(x, 3) for x in integers]
    scores = [
        sum((c * x for c, x in zip(coefficients, row, strict=True)), Fraction(0)) / FEATURES.one
        for row in FEATURES.features(DOMAIN).tolist()
    ]
    assert FEATURES.margin_range(coefficients) == (min(scores), max(scores))


def test_reduced_may_name_columns_or_all() -> None:
    wide = schema(*COLUMNS, {"name": "d", "levels": ["p", "q", "r"]})

    def chosen(**said: Any) -> FeatureMap:
        return choose_features(wide, label="a", **said)

    assert chosen(reduced=["c"]).encodings == ("reduced", "linear", "one-hot")
    assert chosen(reduced=["all"], by_value=["pay"]).encodings == ("reduced", "value", "reduced")
    assert chosen(reduced=["all"], one_hot=["d"]).encodings == ("reduced", "linear", "one-hot")
    with pytest.raises(ParameterError, match="reduced = c: must be a column that is not one-hot"):
        chosen(reduced=["c"], one_hot=["c"])
