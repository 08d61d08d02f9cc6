"""Tables from one-way answers alone: when they are made, whether they keep their promise, and how near rows are."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import synthbounds as sb
from bounds.errors import NotApplicable
from lp.programme.rounding import round_rows
from lp.synthesis.ask import synthesize
from lp.synthesis.plan_product import ROUTE, shuffled_error
from lp.synthesis.question import GAP
from lp.synthesis.run import Synthesis
from release.data.domain import Domain
from tests.lp.test_synthesis import SIMULATE, records, true_error
from verify.checkers import density

CUBE = Domain((2,) * 10)
QUESTION: dict[str, Any] = {"p": 10, "epsilon": "0.2", "failure": "0.05"}


def aligned(n: int, p: int = 10) -> np.ndarray:
    """Half of the records are 1 everywhere and half are 0: pairs are as far from independent as they can be."""
    return np.repeat((np.arange(n) % 2).astype(np.uint8)[:, None], p, axis=1)


def require_route(found: Synthesis, *, centred: bool, whole: bool) -> None:
    assert found.plan.promise.route == ROUTE
    assert found.plan.product is not None
    assert (found.plan.product.centred, found.plan.product.whole) == (centred, whole)


@pytest.mark.parametrize(("degree", "accuracy"), [(1, "0.1"), (2, "0.4")])
def test_the_sizes_of_the_theorem_suffice(degree: int, accuracy: str) -> None:
    asked = sb.require(degree=degree, accuracy=accuracy, **QUESTION)
    assert asked.route == ROUTE
    missed = 0
    for seed in range(25):
        found = synthesize(
            aligned(asked.n), CUBE, degree=degree, seed=seed, k=asked.k, **{**SIMULATE, "accuracy": accuracy}
        )
        assert found.plan.promise.kept
        assert found.promise_holds
        assert found.plan.promise.accuracy <= Fraction(accuracy)
        assert found.accuracy <= Fraction(accuracy)
        error = true_error(found, aligned(asked.n))
        missed += error > found.accuracy
    require_route(found, centred=degree == 2, whole=degree == 2)
    assert missed <= 6  # a miss has probability 0.05 at most: seven of 25 have 0.0003


def test_columns_are_left_alone_where_that_keeps_the_promise() -> None:
    found = synthesize(aligned(700), CUBE, degree=2, seed=3, **SIMULATE)
    require_route(found, centred=False, whole=True)
    assert found.optimum.hi == 0
    assert density.check(found.proof(""))
    assert true_error(found, aligned(700)) >= Fraction(1, 5)  # pairs are not measured, and these are not independent


def test_the_programme_is_taken_where_it_keeps_the_promise() -> None:
    found = synthesize(records(CUBE, 3000, 1), CUBE, degree=2, seed=1, **SIMULATE)
    assert found.plan.product is None
    assert found.plan.promise.required_size == 2259


@pytest.mark.parametrize(
    ("n", "accuracy", "words"),
    [
        (200, "0.4", r"accuracy 0\.71\d+ is promised, not 0\.4, by .*, product of one-way tables; it asks for 552 "),
        (500, "0.2", r"accuracy 1\.39\d+ is promised, not 0\.2, by .*, every point of the domain; it asks for 4,517 "),
    ],
)
def test_where_no_route_keeps_the_promise_the_nearer_one_is_named_with_its_size(
    n: int, accuracy: str, words: str
) -> None:
    """One-way tables reach 0.4 with fewer records; 0.2 they never reach, though they are nearer to it at this n."""
    asked = {**SIMULATE, "accuracy": accuracy, "degree": 2, "seed": 1}
    with pytest.raises(NotApplicable, match=words):
        synthesize(aligned(n), CUBE, **asked)
    promise = synthesize(aligned(n), CUBE, anyway=True, **asked).plan.promise
    assert promise.route == "every point of the domain"
    assert promise.required_size == {"0.4": 2259, "0.2": 4517}[accuracy]  # its own


@pytest.mark.parametrize("family", ["monomials", "cells", "thresholds"])
def test_no_points_are_needed(family: str) -> None:
    """A domain far too large to list: columns are shuffled, and a certificate holds all that counts."""
    domain = Domain((2, 3, 4) * 8)
    real = records(Domain((2, 3, 4)), 20_000, 2)
    wide = np.tile(real, 8)
    asked = {**SIMULATE, "epsilon": "1", "accuracy": "0.35"}
    found = synthesize(wide, domain, family=family, degree=2, seed=4, k=5000, **asked)
    require_route(found, centred=False, whole=False)
    assert found.observed <= found.plan.row_error == shuffled_error(found.plan.question, 5000)
    assert true_error(found, wide) <= found.accuracy
    assert len(found.rows) == 5000


def test_half_of_the_shuffles_fit() -> None:
    """Part (f): the share of batches that are as near as asked is at least one half; it is nearly all of them."""
    domain, generator = Domain((2,) * 6), np.random.default_rng(8)
    question = synthesize(aligned(700, 6), domain, degree=2, seed=1, **SIMULATE).plan.question
    for k in (30, 300):
        codes = np.zeros((k, 6), dtype=np.uint8)
        codes[: k // 2] = 1
        fit = 0
        for _ in range(100):
            shuffled = generator.permuted(codes, axis=0)
            means = np.array(question.family.sums(shuffled)) / k
            wanted = np.where(np.arange(len(means)) < 6, 0.5, 0.25)
            fit += float(np.abs(means - wanted).max()) <= shuffled_error(question, k)
        assert fit >= 50


def test_options_that_do_nothing_are_named() -> None:
    asked = {**SIMULATE, "epsilon": "1", "degree": 1, "seed": 1}
    usual = synthesize(aligned(700), CUBE, **asked)
    assert usual.points == "none: the columns are independent"
    found = synthesize(aligned(700), CUBE, measure="tree", solver="simplex", exact=True, **asked)
    assert found.points == f"{usual.points}; not used: --measure tree, --solver simplex, --exact"
    assert np.array_equal(found.rows, usual.rows)


@pytest.mark.parametrize(("sizes", "factor"), [((3, 5, 2), Fraction(8, 5)), ((2, 2), 1), ((9,), Fraction(16, 9))])
def test_making_cells_consistent_costs_what_is_proved(sizes: tuple[int, ...], factor: Fraction) -> None:
    """With t levels the largest noise counts 2 - 2/t times, and that is in the promise."""
    domain = Domain(sizes)
    plan = synthesize(records(domain, 3000, 5), domain, family="cells", degree=1, seed=1, **SIMULATE).plan
    assert plan.promise.accuracy == factor * plan.noise.quantile + GAP + plan.row_error


@pytest.mark.parametrize("levels", [4, 8, 40])
def test_rounding_many_levels_moves_a_threshold_by_no_more_than_is_said(levels: int) -> None:
    """Part (f): at most t/4 rows, and nearly so many where all shares lie between two counts, high levels above."""
    k, half, unit = 100, levels // 2, 10**6
    shares = [3 * unit - 1] * half + [3 * unit + 1] * half
    shares[0] += 2 * unit * (k - half - levels)
    assert sum(shares) == 2 * unit * k
    moved = sum(round_rows(shares, k)[half:]) - Fraction(sum(shares[half:]), 2 * unit)
    domain = Domain((levels, 2))
    found = synthesize(records(domain, 900, 6), domain, family="thresholds", degree=1, seed=1, **SIMULATE)
    assert Fraction(99, 100) * levels / 4 < moved <= k * shuffled_error(found.plan.question, k) == Fraction(levels, 4)
