"""Certificates of short numbers and long sums: what a checker will do is announced, and refused in time."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from flint import ctx, fmpq

from synthbounds.api.proofs import check_text
from tests.release.test_reading_costs import seconds_of
from tests.verify.certificate_mutations import read, renewed
from verify.checkers import STEPS, UNASKED, Rejected, Work, allowed_steps, common_bits
from verify.checkers.domination import LOSSES, Box, Polynomial, require_domination, score_boxes
from verify.checkers.given_features import same_blocks

LIMIT = 1_000_000
"""A second at most."""


def denominators(count: int, digits: int) -> list[str]:
    return [f"1/{10 ** (digits - 1) + 2 * i * i + 7 * i + 1}" for i in range(count)]


def model(blocks: list[Any], coefficients: list[str]) -> dict[str, Any]:
    """A claim about so many features that is true as far as noise and class go."""
    p = len(coefficients)
    body = read("model_squared") | {
        "blocks": blocks,
        "coefficients": coefficients,
        "squared_norm": len(blocks) + 1,
        "first": ["0"] * p,
        "second": [["0"] * (p - i) for i in range(p)],
        "size": 10**9,
        "bits": 16,
    }
    easy = {"radii": ["1", "1"], "noise": ["1", "1", "1"], "near": None, "tau": "1/2", "ridge": None, "feature": None}
    return body | easy | {"intercept": "inside", "balls": ["1"], "ball_multipliers": ["1"], "reach": "1"}


def density(queries: list[Any], **more: Any) -> dict[str, Any]:
    zeros = ["0"] * len(queries)
    said = {"queries": queries, "targets": zeros, "dual": zeros, "lower": "0", "upper": "2"}
    return read("density_moments_full_exact") | said | more


def approximation(**more: Any) -> dict[str, Any]:
    body = read("approximation_logistic_minimax") | more
    return {key: value for key, value in body.items() if key != "minimax"}


def products(degree: int) -> list[Any]:
    """All products of powers of two attributes up to that degree."""
    alone = [[[place, a]] for place in (0, 1) for a in range(1, degree + 1)]
    return [*alone, *([[0, a], [1, b]] for a in range(1, degree) for b in range(1, degree - a + 1))]


CELLS = [["0", "1/2", "0", 2], ["1/2", "1", "1", 2]]
BOMBS: dict[str, Callable[[], dict[str, Any]]] = {
    "coefficients": lambda: model([[[0] * 99] * 50], denominators(100, 990)),
    "targets": lambda: density(
        [[[0, k]] for k in range(1, 201)],
        sizes=[2],
        degree=200,
        family="moments",
        points="full",
        support=[[0]],
        weights=["1"],
        targets=denominators(200, 3900),
        dual=["1"] * 200,
    ),
    "long products": lambda: density(
        products(150),
        sizes=[65_536, 65_536],
        degree=150,
        family="moments",
        points=[[65_533, 65_531]],
        support=[[65_533, 65_531]],
        weights=["7" * 3999],
    ),
    "polynomial": lambda: approximation(
        degree=100, polynomial=denominators(101, 3900), function="x", interval=["0", "1"], cells=CELLS, attained="1/3"
    ),
    "weights": lambda: approximation(
        objective={
            "lo": "0",
            "hi": "1000",
            "points": denominators(200, 3900),
            "marginal_error": "1",
            "weights": denominators(200, 3800),
        }
    ),
    "exponentials": lambda: approximation(
        degree=1,
        polynomial=["0", "1"],
        function="+".join(["exp(x)"] * 150),
        interval=["0", "1"],
        cells=CELLS,
        precision=10_000,
        attained="0",
    ),
}


@pytest.mark.share(3)
@pytest.mark.parametrize("name", BOMBS)
def test_long_sums_are_announced(name: str) -> None:
    text = json.dumps(renewed(BOMBS[name]()))
    start = seconds_of(lambda: [Fraction(k, k + 1) for k in range(200_000)])
    assert seconds_of(lambda: check_text(text, limit=LIMIT)) < 20 * start
    result = check_text(text, limit=LIMIT)
    assert not result.valid
    assert "--limit" in result.reason, result.reason


def test_long_files_may_ask_for_seconds_and_no_more() -> None:
    assert allowed_steps("", 2000) == STEPS
    assert allowed_steps("x" * 10**7, 2000) == UNASKED == 40_000_000


def test_a_common_denominator_is_charged_while_it_grows() -> None:
    assert common_bits([6, 4, 6], Work(LIMIT)) == (12).bit_length()
    work = Work(LIMIT)
    with pytest.raises(Rejected, match="--limit"):
        common_bits((10**3000 + 2 * i + 1 for i in range(10_000)), work)
    assert work.spent < 2 * LIMIT


def test_scores_are_looked_at_once_for_all_values_of_a_feature() -> None:
    codes = [[fmpq(i)] for i in range(3000)]
    other = [[fmpq(1)]] * 3000
    work = Work(LIMIT)
    boxes = score_boxes([codes, other], [fmpq(0), fmpq(2), fmpq(1)], 0, work)
    assert len(boxes) == 3000
    assert {(box.low, box.high) for box in boxes} == {(fmpq(3), fmpq(3))}
    assert work.spent < 20_000


def test_cells_are_charged() -> None:
    zero, nothing = fmpq(0), [[fmpq(0)] * 3 for _ in range(3)]
    q = Polynomial(fmpq(100), [zero] * 3, nothing, nothing)
    boxes = [Box(zero, fmpq(-3), fmpq(3))] * 1000
    with ctx.workprec(160):
        enough = Work(10**7)
        require_domination(LOSSES["log(1+exp(-x))"], q, boxes, fmpq(3), zero, enough)
        with pytest.raises(Rejected, match="--limit"):
            require_domination(LOSSES["log(1+exp(-x))"], q, boxes, fmpq(3), zero, Work(enough.spent - 1))


def test_features_are_not_made_beyond_the_first_that_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.fuzz.files import renew
    from verify.checkers import given_features

    columns = [{"name": f"c{i}", "range": ["0", "1"], "bins": 1000} for i in range(900)]
    schema = {
        "synthbounds_schema": 1,
        "source": "public",
        "columns": [*columns, {"name": "y", "levels": ["a", "b"]}],
    }
    encodings = {column["name"]: "one-hot" for column in columns}
    release: dict[str, Any] = {
        "schema": schema,
        "feature_map": {"label": "y", "positive": "a", "encodings": encodings, "bits": 16, "digest": ""},
    }
    renew(release)
    made: list[object] = []
    block_of = given_features.block_of
    monkeypatch.setattr(given_features, "block_of", lambda *a: made.append(a) or block_of(*a))
    assert not same_blocks([[[1]]], schema, release["feature_map"])
    assert len(made) == 1
