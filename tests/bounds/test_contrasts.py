"""Noise through contrasts against brute force over every record, contrast and cell of small domains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb, prod, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

import bounds.contrasts
import synthbounds as sb
from bounds.contrasts import ContrastFacts, contrasts_of, halvings, sign_contrasts, sign_weights
from bounds.errors import NotApplicable, UsageError
from bounds.queries import family_of_degree, family_of_levels
from bounds.sizes.require import require
from tests.speeds import examples

DOMAINS = [(2,), (7,), (2, 2), (3, 3), (2, 3), (5, 2), (2, 2, 2), (2, 2, 5), (2, 3, 4), (2, 2, 3, 3), (2, 2, 2, 2)]
CASES = [(levels, d) for levels in DOMAINS for d in range(1, min(len(levels), 3) + 1)]


def facts_of(levels: Sequence[int], degree: int) -> ContrastFacts:
    found = contrasts_of("cells", levels, degree)
    assert found is not None
    return found


def sets(p: int, degree: int) -> Iterator[tuple[int, ...]]:
    for size in range(1, degree + 1):
        yield from combinations(range(p), size)


def helmert(t: int) -> list[list[int]]:
    """Orthogonal contrasts of one attribute in integers: the first j levels against the next."""
    return [[1] * j + [-j] + [0] * (t - j - 1) for j in range(1, t)]


def cells_of(levels: Sequence[int], degree: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for chosen in sets(len(levels), degree):
        for values in product(*(range(levels[j]) for j in chosen)):
            yield chosen, values


def measured(levels: Sequence[int], degree: int) -> list[tuple[tuple[int, ...], tuple[list[int], ...], int]]:
    """Every contrast: its attributes, one vector for each, and its squared norm."""
    found = []
    for chosen in sets(len(levels), degree):
        for vectors in product(*(helmert(levels[j]) for j in chosen)):
            found.append((chosen, vectors, prod(sum(a * a for a in v) for v in vectors)))
    return found


@pytest.mark.parametrize(("levels", "degree"), CASES)
def test_gaussian_facts_are_those_of_every_pair_of_records_and_every_cell(levels: tuple[int, ...], degree: int) -> None:
    facts, contrasts = facts_of(levels, degree), measured(levels, degree)
    assert len(contrasts) == sum(facts.counts)
    variances = [norm * facts.variance([levels[j] for j in chosen]) for chosen, _, norm in contrasts]
    records = list(product(*map(range, levels)))
    values = [[prod(v[x[j]] for j, v in zip(s, vs, strict=True)) for s, vs, _ in contrasts] for x in records]

    def moved(a: list[int], b: list[int]) -> Fraction:
        return sum(((x - y) ** 2 / v for x, y, v in zip(a, b, variances, strict=True) if x != y), Fraction(0))

    # Levels of an attribute can be permuted, so the first record stands for all of them.
    assert facts.moved == max(moved(values[0], other) for other in values)
    squares = [sum(row[i] ** 2 for row in values) for i in range(len(contrasts))]
    largest = Fraction(0)
    for chosen, cell in cells_of(levels, degree):
        inside = [all(x[j] == w for j, w in zip(chosen, cell, strict=True)) for x in records]
        weights = [
            Fraction(sum(row[i] for row, one in zip(values, inside, strict=True) if one), squares[i])
            for i in range(len(contrasts))
        ]
        share = Fraction(sum(inside), len(records))
        for row, one in zip(values, inside, strict=True):
            assert share + sum(w * c for w, c in zip(weights, row, strict=True) if w) == one
        largest = max(largest, sum((w * w * v for w, v in zip(weights, variances, strict=True)), Fraction(0)))
    assert facts.spread == largest


@pytest.mark.parametrize("t", range(2, 20))
def test_levels_are_combinations_of_sign_contrasts(t: int) -> None:
    rows, weights = sign_contrasts(t), sign_weights(t)
    assert len(rows) == t - 1
    for v, (constant, *others) in enumerate(weights):
        for x in range(t):
            assert constant + sum(w * row[x] for w, row in zip(others, rows, strict=True)) == (x == v)
        assert constant + sum(map(abs, others)) == 1
    assert min(constant for constant, *_ in weights) == Fraction(1, 2 ** halvings(t))
    assert all(min(row) == -1 and max(row) == 1 for row in rows)


@pytest.mark.parametrize(("levels", "degree"), CASES)
def test_the_gain_is_the_largest_sum_of_weights_of_a_cell(levels: tuple[int, ...], degree: int) -> None:
    facts = facts_of(levels, degree)
    sums = []
    for chosen, cell in cells_of(levels, degree):
        parts = [sign_weights(levels[j])[v] for j, v in zip(chosen, cell, strict=True)]
        terms = [prod(term, start=Fraction(1)) for term in product(*parts)]
        sums.append(sum(map(abs, terms[1:])))  # the first is the constant
    assert facts.gain == max(sums)
    assert facts.width == 2


@given(st.lists(st.sampled_from([2, 3, 5, 16]), min_size=2, max_size=6), st.integers(1, 3), st.integers(0, 2**32))
@examples(60)
def test_no_pair_of_points_moves_monomials_further(levels: list[int], degree: int, seed: int) -> None:
    p, degree = len(levels), min(degree, len(levels))
    facts = contrasts_of("monomials", levels, degree)
    assert facts is not None
    rng = np.random.default_rng(seed)
    x, y = 2 * rng.beta(0.3, 0.3, (2, p)) - 1
    chosen = list(sets(p, degree))
    changes = [(prod(x[j] for j in s) - prod(y[j] for j in s)) ** 2 for s in chosen]
    # u has squared norm 2 on its two levels
    total = sum(c / float(2 ** len(s) * facts.variance([2] * len(s))) for c, s in zip(changes, chosen, strict=True))
    assert total <= float(facts.moved) * (1 + 1e-12)


@given(st.lists(st.integers(2, 40), min_size=2, max_size=9), st.integers(2, 3))
@examples(40)
def test_shared_intervals_only_enlarge_what_is_moved(levels: list[int], degree: int) -> None:
    degree = min(degree, len(levels))
    exact = ContrastFacts(facts_of(levels, degree).groups, degree)
    shared = ContrastFacts(exact.groups, degree)
    kept = bounds.contrasts._MOST_WORK
    try:
        bounds.contrasts._MOST_WORK = 12 * degree
        shared.__dict__["variances"] = exact.variances
        assert exact.moved <= shared.moved
        bounds.contrasts._MOST_WORK = 1
        coarse = ContrastFacts(exact.groups, degree)
        coarse.__dict__["variances"] = exact.variances
        assert shared.moved <= coarse.moved
    finally:
        bounds.contrasts._MOST_WORK = kept


@given(st.lists(st.integers(2, 30), min_size=1, max_size=7), st.integers(1, 4))
@examples(40)
def test_the_attributes_with_most_levels_have_the_largest_variance(levels: list[int], degree: int) -> None:
    facts = facts_of(levels, min(degree, len(levels)))
    for chosen in sets(len(levels), facts.degree):
        variance = Fraction(0)
        for inside in product((False, True), repeat=len(chosen)):
            own = [levels[j] for j, used in zip(chosen, inside, strict=True) if used]
            others = [levels[j] for j, used in zip(chosen, inside, strict=True) if not used]
            if own:
                share = prod((1 - Fraction(1, t) for t in own), start=Fraction(1))
                variance += facts.variance(own) * share * prod((Fraction(1, t * t) for t in others), start=Fraction(1))
        assert variance <= facts.spread


def dual_bound(p: int, t: int, degree: int, steps: int = 4000) -> float:
    """A bound on sqrt(moved * spread) for all Gaussian noise on cells of equal levels: part (e) of the proof."""
    agree, differ = 1 - 1 / t, -1 / t
    rows = []
    for k in range(p + 1):
        series = np.array([1.0])
        for y in [differ] * k + [agree] * (p - k):
            series = np.convolve(series, [1, y])[: degree + 1]
        rows.append(series[1:])
    changes = 2 * (rows[0] - np.array(rows))
    shares = np.array(
        [
            [comb(s, i) * t ** (-2.0 * (s - i)) * (1 - 1 / t) ** i if i <= s else 0.0 for i in range(1, degree + 1)]
            for s in range(1, degree + 1)
        ]
    )
    pi, rho = np.full(p + 1, 1 / (p + 1)), np.full(degree, 1 / degree)
    best = 0.0
    for step in range(2, steps):
        m, c = pi @ changes, rho @ shares
        best = max(best, float(np.sqrt(m * c).sum()))
        v = np.sqrt(m / c)
        far, wide = np.argmax(changes @ (1 / v)), np.argmax(shares @ v)
        pi, rho = pi * (1 - 2 / (step + 2)), rho * (1 - 2 / (step + 2))
        pi[far] += 2 / (step + 2)
        rho[wide] += 2 / (step + 2)
    return best


EQUAL_LEVELS = [(10, 2, 2), (10, 3, 2), (10, 5, 2), (10, 2, 3), (10, 3, 3), (10, 5, 3)]


@pytest.mark.parametrize(("p", "t", "degree"), EQUAL_LEVELS)
def test_no_gaussian_noise_on_cells_is_much_better(p: int, t: int, degree: int) -> None:
    facts = facts_of((t,) * p, degree)
    found, bound = sqrt(facts.moved * facts.spread), dual_bound(p, t, degree)
    assert bound <= found * (1 + 1e-12)
    assert found <= 1.001 * bound


@pytest.mark.parametrize("levels", [(2, 2, 2, 2, 2), (3, 2, 4)])
def test_noise_exceeds_the_coefficient_no_more_often_than_promised(levels: tuple[int, ...]) -> None:
    degree, runs, rng = 2, 4000, np.random.default_rng(11)
    family = family_of_levels("cells", levels, degree)
    facts = family.contrasts
    assert facts is not None
    question: dict[str, Any] = {"gamma": ".2", "epsilon": 1, "dp_delta": "1e-3", "F_varying": family.varying}
    more: dict[str, Any] = {
        "contrast_scatter": facts.moved * facts.spread,
        "contrast_gain": 2 * facts.gain,
        "rank": family.dimension,
    }
    cells = list(cells_of(levels, degree))
    for noise in ("contrast-gaussian", "contrast-linf"):
        (answer,) = sb.evaluate(f"synthbounds.noise-{noise}", **question, **more)
        assert answer.value is not None
        limit = float(answer.value.hi)
        errors = np.zeros((runs, len(cells)))
        if noise == "contrast-linf":
            radius = rng.gamma(family.dimension + 1, 2.0, (runs, 1))
            drawn = radius * rng.uniform(-1, 1, (runs, family.dimension))
        else:  # sigma times n epsilon, with epsilon = 1
            (factor,) = sb.evaluate(
                "synthbounds.noise-gaussian", **question | {"F_varying": 1, "gamma": ".5"}, Delta_2_squared=1
            )
            assert factor.value is not None
            sigma = float(factor.value.hi) / 0.6744897501960817  # the median of |N(0, 1)|
            drawn = rng.normal(size=(runs, family.dimension)) * sigma * sqrt(facts.moved)
        start = 0
        for chosen in sets(len(levels), degree):
            own = [levels[j] for j in chosen]
            block = drawn[:, start : start + prod(t - 1 for t in own)].reshape(runs, *(t - 1 for t in own))
            start += prod(t - 1 for t in own)
            for i, (asked, cell) in enumerate(cells):
                if not set(chosen) <= set(asked):
                    continue
                at = dict(zip(asked, cell, strict=True))
                part, scale = block, 1.0
                for j in asked:
                    if noise == "contrast-linf":
                        constant, *weights = map(float, sign_weights(levels[j])[at[j]])
                    else:
                        constant = 1 / levels[j]
                        weights = [v[at[j]] / sqrt(sum(a * a for a in v)) for v in helmert(levels[j])]
                    if j in chosen:
                        part = np.tensordot(part, weights, (1, 0))
                    else:
                        scale *= constant
                if noise == "contrast-gaussian":
                    scale *= sqrt(facts.variance(own))
                errors[:, i] += scale * part
        failures = int((np.abs(errors).max(axis=1) > limit).sum())
        assert binomtest(failures, runs, 0.2, alternative="greater").pvalue > 1e-6
        assert failures > (runs // 20 if noise == "contrast-gaussian" else 0)  # the promise is not empty


@pytest.mark.parametrize(
    ("question", "before", "most"),
    [
        ({"family": "cells", "degree": 1}, 1394, 786),
        ({"family": "cells", "degree": 2}, 22_382, 10_162),
        ({"family": "cells", "degree": 3}, 121_659, 34_530),
        ({"family": "cells", "degree": 2, "p": 20}, 84_709, 35_159),
        ({"family": "cells", "degree": 2, "dp_delta": "1e-6"}, 14_562, 5806),
        ({"degree": 2, "p": 20, "dp_delta": "1e-6"}, 20_189, 10_238),
    ],
)
def test_records_that_are_saved(question: dict[str, Any], before: int, most: int) -> None:
    asked: dict[str, Any] = {"p": 10, "epsilon": ".2", "accuracy": ".1", "failure": ".05", "release": "density"}
    asked |= question
    plain = min(
        sb.require(**asked, mechanism=name).n for name in ("linf", "gaussian") if name == "linf" or "dp_delta" in asked
    )
    assert plain == before
    best = sb.require(**asked)
    assert best.n <= most
    named = sb.require(**asked, mechanism="contrast-gaussian" if "dp_delta" in asked else "contrast-linf")
    assert named.n == most
    assert "contrasts" in named.guarantee.privacy.sensitivity


def test_both_adjacencies_need_the_same() -> None:
    asked: dict[str, Any] = {"p": 6, "t": 3, "family": "cells", "degree": 2, "epsilon": 1, "accuracy": ".2"}
    for mechanism in ("contrast-gaussian", "contrast-linf"):
        question = {**asked, "failure": ".1", "dp_delta": "1e-5", "mechanism": mechanism}
        public, private = (sb.require(**question, adjacency=a) for a in ("replace-one", "add-remove"))
        assert public.n == private.n == private.guarantee.privacy.least_public_size


def test_where_there_are_no_contrasts() -> None:
    asked: dict[str, Any] = {"p": 5, "degree": 2, "epsilon": 1, "accuracy": ".2", "failure": ".1"}
    for family in ("parities", "thresholds", "moments"):
        assert family_of_degree(family, 5, 2, 2).contrasts is None
        with pytest.raises(NotApplicable, match="contrast-gaussian"):
            sb.require(**asked, family=family, mechanism="contrast-gaussian", dp_delta="1e-6")
    with pytest.raises(NotApplicable, match="no fewer contrasts"):
        sb.require(**asked, mechanism="contrast-linf")
    with pytest.raises(UsageError, match="dp_delta"):
        sb.require(**asked, mechanism="contrast-gaussian")


def test_large_questions_are_still_answered() -> None:
    asked: dict[str, Any] = {"epsilon": 1, "accuracy": ".2", "failure": ".1", "dp_delta": "1e-6", "family": "cells"}
    for p, t, degree in ((1300, 2, 3), (120, 1000, 12), (500, 5, 13), (1300, 2, 60)):
        assert sb.require(p=p, t=t, degree=degree, **asked).n > 0
    assert require(levels=list(range(2, 120)), degree=3, **asked).n > 0
