"""The smallest n, the smallest epsilon and the best marginals: proved on both sides, and compared with every order."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

import synthbounds as sb
from bounds.errors import NotApplicable

PRIVATE: dict[str, Any] = {"radius": 1, "epsilon": 1, "dp_delta": "1e-6", "failure": "1/1048576"}


def test_smallest_n() -> None:
    def n(**question: Any) -> int:
        answer = sb.risk(**{**PRIVATE, **question})
        assert answer.required.certificate.is_valid
        assert answer.required.proved_smallest
        assert answer.bound.hi <= Fraction(str(question["target"]))
        return int(answer.n)

    assert n(features=10, marginals=2, target=".1") == 13361 <= 17050
    assert n(features=10, target=".1") == 13361
    assert n(features=100, marginals=2, target=".1") == 142936 <= 178800
    assert n(features=10, release="moments", target=".5") == 260 <= 493
    assert n(features=10, marginals=8, target=".5") == 57488 <= 117200
    paper = n(features=10, marginals=8, target=".5", edition="corrected")
    assert abs(Fraction(paper) / Fraction("2.044e19") - 1) < Fraction(1, 2000)
    for order in range(2, 9):
        with pytest.raises(NotApplicable, match="no number of records"):
            n(features=10, marginals=order, target=".1", edition="corrected")


@pytest.mark.share(3)
@pytest.mark.parametrize(
    ("loss", "features", "radius", "target"),
    [
        ("logistic", 12, 1, ".5"), ("logistic", 12, 1, ".01"), ("logistic", 7, 1, ".0003"), ("logistic", 6, 20, "1"),
        ("logistic", 9, 3, ".2"), ("squared-hinge", 8, 3, ".3"), ("exponential", 8, 3, ".05"), ("hinge", 5, 2, ".1"),
    ],
)  # fmt: skip
def test_one_record_fewer_is_not_enough_at_any_order(loss: str, features: int, radius: int, target: str) -> None:
    question = {**PRIVATE, "loss": loss, "features": features, "radius": radius}
    answer = sb.risk(**question, target=target)
    assert answer.required.proved_smallest
    assert answer.bound.hi <= Fraction(target)
    fewer = [sb.risk(**question, marginals=d, n=answer.n - 1).bound.lo for d in range(1, features + 2)]
    assert min(fewer) > Fraction(target)
    at_n = sb.risk(**question, n=answer.n)
    assert at_n.bound.hi <= Fraction(target)


def test_the_best_order_is_found() -> None:
    """Far orders can be better than near ones: the whole table has one marginal."""
    for radius, n, features in ((20, 10**7, 10), (3, 10**5, 6), (1, 10**8, 8)):
        question = {**PRIVATE, "radius": radius, "features": features, "n": n}
        by_order = [sb.risk(**question, marginals=d).bound.hi for d in range(1, features + 2)]
        assert sb.risk(**question).bound.hi == min(by_order)
    for loss, features, radius, n in (("huber:1/2", 3, "1.86", 703), ("abs", 5, 3, 10**5)):
        question = {**PRIVATE, "loss": loss, "features": features, "radius": radius, "n": n, "levels": 3}
        by_order = [sb.risk(**question, marginals=d).bound.hi for d in range(1, features + 2)]
        assert sb.risk(**question).bound.hi == min(by_order)
    printed = {**PRIVATE, "epsilon": ".5", "features": 10, "n": 10**10, "edition": "printed"}
    assert sb.risk(**printed).bound.hi == min(sb.risk(**printed, marginals=d).bound.hi for d in range(2, 12))


@pytest.mark.slow
def test_very_small_targets_and_large_numbers_of_features() -> None:
    tiny = sb.risk(**{**PRIVATE, "features": 20, "target": "1e-16"})
    assert not tiny.required.proved_smallest  # n has 23 digits, more than the margins have
    fewer = sb.risk(**PRIVATE, features=20, marginals=tiny.order, n=tiny.n - tiny.n // 10**12)
    assert fewer.bound.lo > Fraction(1, 10**16)
    with pytest.raises(NotApplicable, match=r"up to order 40 the bound is still 2\.6"):
        sb.risk(**{**PRIVATE, "features": 4000, "radius": 2, "target": "1e-44"})


@pytest.mark.slow
def test_the_whole_table_is_found_beyond_the_largest_order() -> None:
    many = sb.risk(**{**PRIVATE, "features": 41, "radius": 100, "target": ".1"})
    assert many.tables.hold_everything


def test_labels_in_pairs_save_records() -> None:
    """The logistic loss needs the label with one feature at a time; in another spelling that is not known of it."""
    question = {**PRIVATE, "radius": 5, "features": 10, "marginals": 8, "target": ".5"}
    paired, plain = sb.risk(**question), sb.risk(**{**question, "loss": "log(1+exp(-x))+0*x"})
    assert paired.tables.paired
    assert not plain.tables.paired
    assert plain.n > paired.n > plain.n / 2
    assert paired.polynomial.orders[1] == 2
    assert (
        "the 55 marginals (of 8 of the 10 features, and of each feature with the label)"
        in paired.noise.privacy.sensitivity
    )
    pairs = sb.risk(**{**question, "marginals": 2, "target": "4"})
    assert pairs.n == sb.risk(**{**question, "marginals": 2, "target": "4", "loss": "log(1+exp(-x))+0*x"}).n
    whole = sb.risk(**{**question, "features": 3, "marginals": None})
    assert whole.tables.hold_everything
    assert whole.route == "all attributes"


def test_moments_grow_like_the_root_of_the_features() -> None:
    by_moments = [sb.risk(features=m, release="moments", target=".1", **PRIVATE).n for m in (25, 100, 400, 1600)]
    by_marginals = [sb.risk(features=m, marginals=2, target=".1", **PRIVATE).n for m in (25, 100, 400, 1600)]
    assert all(big < 2.1 * small for small, big in pairwise(by_moments))
    assert all(big > 3.9 * small for small, big in pairwise(by_marginals))


def test_with_an_optimisation_gap_nothing_is_claimed_to_be_smallest_that_is_not() -> None:
    question = {**PRIVATE, "failure": ".01", "features": 4, "optimisation_gap": "1e-3", "target": ".03"}
    answer = sb.risk(**question)
    assert answer.route == "quadratic bias"
    assert not answer.required.proved_smallest
    assert answer.bound.lo < answer.bound.hi <= Fraction(".03")


def test_smallest_epsilon_has_a_neighbour_that_is_not_enough() -> None:
    question = {k: v for k, v in PRIVATE.items() if k != "epsilon"}
    for release in ("marginals", "moments"):
        answer = sb.risk(features=10, n=20000, target=".1", solve_for="epsilon", release=release, **question)
        assert answer.bound.hi <= Fraction(1, 10) < answer.solved.neighbour_bound.lo
        assert 0 < answer.solved.value - answer.solved.neighbour <= answer.solved.value / 10**5
    free = sb.risk(features=10, n=10**40, target=".1", solve_for="epsilon", **question)
    assert (free.solved.value, free.solved.neighbour) == (Fraction(1, 10**12), None)
    paper = sb.risk(
        features=10, marginals=9, n=10**25, target=".5", solve_for="epsilon", edition="corrected", **question
    )
    assert paper.bound.hi <= Fraction(1, 2) < paper.solved.neighbour_bound.lo


@pytest.mark.parametrize(
    ("features", "radius", "n", "target"),
    [(3, 3, 10**4, ".5"), pytest.param(10, 20, 10**7, "1", marks=pytest.mark.slow)],
)
def test_smallest_epsilon_where_far_orders_are_the_best(features: int, radius: int, n: int, target: str) -> None:
    question = {k: v for k, v in PRIVATE.items() if k not in ("epsilon", "radius")}
    far = sb.risk(features=features, n=n, target=target, solve_for="epsilon", radius=radius, **question)
    assert far.bound.hi <= Fraction(target) < far.solved.neighbour_bound.lo
    assert far.order > 3
