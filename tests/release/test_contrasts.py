"""Noise through contrasts, against brute force: every point, every pair of records, every coefficient of an answer."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from bounds.contrasts import ContrastFacts
from bounds.errors import ParameterError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.gaussian import analytic_gaussian, gaussian_delta
from bounds.privacy.statements import GaussianDP
from bounds.queries import family_of_degree
from release.data.domain import Domain
from release.noise.choice import choose_noise
from release.noise.draw import draw
from release.noise.kinds import CONTRAST_KINDS, ContrastKind, NoisePlan
from release.noise.lattice import lattice_sums
from release.noise.randomness import read_randomness
from release.statistics import contrasts as contrasts_module
from release.statistics.contrasts import Contrasts, contrasts_for, ways_through
from release.statistics.families import build_family
from release.statistics.family_sums import family_sums

SMALL = [
    ("cells", (2, 2, 2), 1),
    ("cells", (2, 2, 2), 2),
    ("cells", (2, 2, 2, 2), 3),
    ("cells", (3, 3, 3), 2),
    ("cells", (4, 3, 2), 2),
    ("cells", (5, 2), 2),
    ("monomials", (2, 2, 2, 2), 2),
    ("monomials", (3, 2, 4), 2),
    ("monomials", (3, 3, 2), 3),
]
ALL = [(kind, *case) for kind in CONTRAST_KINDS for case in SMALL]


def made(kind: ContrastKind, name: str, sizes: tuple[int, ...], degree: int) -> Contrasts:
    found = contrasts_for(build_family(name, Domain(sizes), degree), kind)
    assert found is not None
    return found


def weights(found: Contrasts) -> list[Fraction]:
    return [weight for count, weight in found.through.blocks for _ in range(count)]


def at_points(found: Contrasts) -> list[list[int]]:
    """The contrasts of every point of the domain."""
    family = found.family
    points = family.domain.points(np.arange(family.domain.size))
    return [found.sums([int(v) for v in column], 1) for column in family.values(points).T]


def coefficients(found: Contrasts) -> list[list[Fraction]]:
    """How much of every contrast is in every answer: contrasts in rows."""
    one, count = found.family.denominator, found.through.count
    base = found.answers([0] * count, one=one)
    rows = []
    for i in range(count):
        moved = found.answers([one * (i == j) for j in range(count)], one=one)
        rows.append([a - b for a, b in zip(moved, base, strict=True)])
    return rows


@pytest.mark.parametrize(("kind", "name", "sizes", "degree"), ALL)
def test_what_noise_is_told_is_true(kind: ContrastKind, name: str, sizes: tuple[int, ...], degree: int) -> None:
    """Width, change by one record, gain and spread, by all pairs of points and all coefficients."""
    found = made(kind, name, sizes, degree)
    facts, unit = found.facts, found.family.denominator
    points, weight = at_points(found), weights(found)
    assert len(points[0]) == found.through.count == len(weight)
    moves = [[Fraction(a - b, unit) for a, b in zip(one, other, strict=True)] for one, other in combinations(points, 2)]
    parts = coefficients(found)
    by_answer = list(zip(*parts, strict=True))
    if kind == "contrast-linf":
        assert max(abs(x) for move in moves for x in move) == facts.width
        assert max(sum(map(abs, row)) for row in by_answer) == facts.gain
        assert found.through.count == sum(facts.counts)
    else:
        farthest = max(sum(x**2 / w for x, w in zip(move, weight, strict=True)) for move in moves)
        assert farthest <= facts.moved
        assert farthest == facts.moved or len(set(sizes)) > 1
        assert max(sum(c**2 * w for c, w in zip(row, weight, strict=True)) for row in by_answer) == facts.spread
        assert max(sum(map(abs, row)) for row in by_answer) <= 1  # so rounding every contrast moves no answer more


@pytest.mark.parametrize(("kind", "name", "sizes", "degree"), ALL)
def test_contrasts_are_products_and_answers_come_back(
    kind: ContrastKind, name: str, sizes: tuple[int, ...], degree: int
) -> None:
    found = made(kind, name, sizes, degree)
    family = found.family
    records = np.random.default_rng(3).integers(0, sizes, size=(17, len(sizes))).astype(np.uint8)
    sums = family_sums(family, records)
    through = found.sums(sums, 17)
    each = at_points(found)
    strides = [math.prod(sizes[:j]) for j in range(len(sizes))]
    assert through == [sum(column) for column in zip(*(each[int(r @ strides)] for r in records), strict=True)]
    assert found.answers(through, one=17 * family.denominator) == tuple(
        Fraction(value, 17 * family.denominator) for value in sums
    )
    assert found.at_first_point() == each[0]
    if name == "cells":  # a contrast on several attributes is the product of those on each
        unit = dict(zip(found.sets, split(found, each[5]), strict=True))
        for chosen, table in unit.items():
            expected = np.array(1)
            for j in chosen:
                expected = np.multiply.outer(expected, unit[j,])
            assert np.array_equal(table, expected)


def split(found: Contrasts, values: list[int]) -> list[Any]:
    return [np.array(table, dtype=np.int64) for table in found._tables(values, ahead=False)]


@settings(max_examples=12)
@given(st.integers(0, 2**32 - 1), st.sampled_from(ALL), st.booleans())
def test_answers_are_linear_whatever_their_size(seed: int, case: Any, large: bool) -> None:
    """Floats, integers in 64 bits and larger ones give what the coefficients say."""
    found = made(*case)
    rng = np.random.default_rng(seed)
    size = 2**58 if large else 2**20
    noisy = [int(v) for v in rng.integers(-size, size, found.through.count)]
    one = found.family.denominator
    base, parts = found.answers([0] * len(noisy), one=one), coefficients(found)
    expected = tuple(
        b + sum(Fraction(v) * c for v, c in zip(noisy, row, strict=True)) / one
        for b, row in zip(base, zip(*parts, strict=True), strict=True)
    )
    assert found.answers(noisy, one=one) == expected
    halves = found.answers([value / 2 for value in noisy], one=one)
    if not large:
        middle = tuple((a + b) / 2 for a, b in zip(base, expected, strict=True))
        assert max(abs(a - b) for a, b in zip(halves, middle, strict=True)) <= Fraction(
            1, 2 * one * found.through.parts
        )


def test_answers_without_a_small_denominator_are_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = made("contrast-gaussian", "cells", (5, 3, 2), 2)
    noisy = [int(v) for v in np.random.default_rng(0).integers(-1000, 1000, exact.through.count)]
    monkeypatch.setattr(contrasts_module, "_MOST_PARTS", 16)
    rounded = made("contrast-gaussian", "cells", (5, 3, 2), 2)
    assert exact.through.is_exact
    assert not rounded.through.is_exact
    off = [a - b for a, b in zip(exact.answers(noisy, one=7), rounded.answers(noisy, one=7), strict=True)]
    assert 0 < max(map(abs, off)) <= Fraction(1, 2 * 16 * 7)
    plans = [planned(found, "contrast-gaussian", n=7, epsilon="1") for found in (exact, rounded)]
    assert plans[1].quantile - plans[0].quantile == plans[0].unit / 32


# --- plans -------------------------------------------------------------------------------------------------------


def planned(found: Contrasts, mechanism: str, **changes: object) -> NoisePlan:
    asked: dict[str, object] = {
        "epsilon": "0.2",
        "dp_delta": "1e-6",
        "n": 2000,
        "adjacency": "replace-one",
        "beta": "0.05",
        "mode": "release",
    }
    family = found.family
    return choose_noise(
        family.facts,
        family.denominator,
        mechanism=mechanism,
        through=[found.through],
        **(asked | changes),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(("kind", "name", "sizes", "degree"), ALL)
@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_no_pair_of_records_costs_more_than_was_asked_for(
    kind: ContrastKind, name: str, sizes: tuple[int, ...], degree: int, adjacency: Adjacency
) -> None:
    """The integers as they are drawn, for all pairs of tables that differ in one of two records or in having it."""
    found = made(kind, name, sizes, degree)
    plan = planned(found, kind, n=2, adjacency=adjacency, epsilon="1")
    points = at_points(found)
    rest = points[len(points) // 2]
    if adjacency is Adjacency.REPLACE_ONE:
        vectors = [lattice_sums(plan, [a + b for a, b in zip(x, rest, strict=True)], n=2) for x in points]
        pairs = list(combinations(vectors, 2))
    else:
        anchor, more = found.at_first_point(), {0: [0] * len(rest), 2: [2 * v for v in rest], 1: rest}
        pairs = []
        for n, sums in more.items():
            here = lattice_sums(plan, sums, n=n, anchor=anchor)
            for x in points:
                there = [a + b for a, b in zip(sums, x, strict=True)]
                pairs.append((here, lattice_sums(plan, there, n=n + 1, anchor=anchor)))
    noise = plan.noise
    if kind == "contrast-linf":
        assert isinstance(noise.scales, Fraction)
        worst = max(max(abs(a - b) for a, b in zip(one, other, strict=True)) for one, other in pairs)
        assert worst / noise.scales <= 1
        assert worst / noise.scales > Fraction(9, 10) or adjacency is Adjacency.ADD_REMOVE
        return
    assert isinstance(noise.scales, tuple)
    squared = [sd**2 for sd in noise.scales]
    mu = max(sum((a - b) ** 2 / s for a, b, s in zip(one, other, squared, strict=True)) for one, other in pairs)
    assert isinstance(noise.additive_cost, GaussianDP)
    assert mu <= noise.additive_cost.mu_squared
    assert gaussian_delta(noise.additive_cost, epsilon=1).delta.hi <= Fraction(1, 10**6)
    if adjacency is Adjacency.REPLACE_ONE and len(set(sizes)) == 1:
        assert mu > noise.additive_cost.mu_squared * (1 - Fraction(1, 10**12))


@settings(max_examples=16)
@given(
    st.integers(0, 2**32 - 1), st.sampled_from(SMALL[3:8]), st.integers(1, 12), st.sampled_from(list(CONTRAST_KINDS))
)
def test_diluted_and_rounded_contrasts_move_by_no_more_than_is_said(
    seed: int, case: Any, size: int, kind: ContrastKind
) -> None:
    """Tables below, at and above the least size, with one record more or less."""
    found = made(kind, *case)
    plan = planned(found, kind, n=size, adjacency="add-remove", epsilon="3")
    rng, anchor = np.random.default_rng(seed), found.at_first_point()
    points = at_points(found)
    for n in range(max(0, size - 2), size + 4):
        rows = [points[i] for i in rng.integers(0, len(points), n + 1)]
        sums = [[sum(column) for column in zip(*some, [0] * len(anchor), strict=True)] for some in (rows[:-1], rows)]
        one, other = (lattice_sums(plan, s, n=n + i, anchor=anchor) for i, s in enumerate(sums))
        moved = [a - b for a, b in zip(one, other, strict=True)]
        if kind == "contrast-linf":
            assert max(map(abs, moved)) <= plan.sensitivity.amount
        else:
            total = sum(m**2 / w for m, w in zip(moved, weights(found), strict=True))
            assert total <= plan.sensitivity.amount


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize(("kind", "name", "sizes", "degree"), [ALL[1], ALL[3], ALL[10], ALL[13], ALL[16]])
def test_quantile_of_the_largest_error(
    kind: ContrastKind, name: str, sizes: tuple[int, ...], degree: int, adjacency: Adjacency
) -> None:
    """Failures in runs of the noise as it is drawn are compatible with the promise, and it is not far too careful."""
    found = made(kind, name, sizes, degree)
    records = np.random.default_rng(5).integers(0, sizes, size=(37, len(sizes))).astype(np.uint8)
    sums = family_sums(found.family, records)
    truth = [Fraction(value, 37 * found.family.denominator) for value in sums]
    plan = planned(found, kind, n=37, beta="0.2", epsilon="2", mode="simulate", adjacency=adjacency)
    exact = lattice_sums(plan, found.sums(sums, 37), n=37, anchor=found.at_first_point())
    runs, failures = 150, 0
    for run in range(runs):
        noisy = draw(plan.noise, exact, read_randomness("simulate", seed=11, run=run))
        answers = found.answers(noisy, one=plan.steps)
        failures += max(abs(a - b) for a, b in zip(answers, truth, strict=True)) > plan.quantile
    assert failures <= 0.2 * runs + 3 * math.sqrt(0.16 * runs)
    assert failures >= 0.02 * runs or kind == "contrast-linf"  # there signs would have to conspire


def test_release_draws_rounded_noise_that_the_quantile_covers() -> None:
    found = made("contrast-gaussian", "cells", (3, 2), 2)
    plan = planned(found, "contrast-gaussian", n=50, beta="0.01")
    assert plan.quantile <= planned(found, "contrast-gaussian", n=50, beta="0.01", mode="simulate").quantile
    exact = [0] * plan.count
    values = draw(plan.noise, exact, read_randomness("release"))
    assert all(isinstance(value, int) for value in values)
    base = found.answers(exact, one=plan.steps)
    off = [abs(a - b) for a, b in zip(found.answers(values, one=plan.steps), base, strict=True)]
    assert 0 < max(off) < 3 * plan.quantile


def test_the_lattice_costs_next_to_nothing() -> None:
    """Against the noise coefficient of continuous noise: Q/(n epsilon)."""
    for name, sizes, degree in (("cells", (2,) * 10, 2), ("monomials", (2,) * 10, 2), ("cells", (3,) * 5, 2)):
        found = made("contrast-gaussian", name, sizes, degree)
        ratio = analytic_gaussian(epsilon="0.2", dp_delta="1e-6", adjacency="replace-one").ratio.midpoint
        for adjacency in Adjacency:
            plan = planned(found, "contrast-gaussian", adjacency=adjacency)
            alone = math.sqrt(found.facts.moved * found.facts.spread) * float(ratio) / 2000
            z = norm.isf((1 - 0.95 ** (1 / found.family.count)) / 2)
            assert alone * z < float(plan.quantile) < 1.001 * alone * z


def test_choices() -> None:
    cells = build_family("cells", Domain((2,) * 6), 2)
    pure = choose_noise(
        cells.facts, 1, epsilon="0.2", n=2000, adjacency="replace-one", beta="0.05", mode="release",
        through=ways_through(cells),
    )  # fmt: skip
    assert pure.mechanism == "contrast-linf"
    assert pure.dp_delta is None
    assert [a.mechanism for a in pure.alternatives] == ["laplace", "linf", "contrast-linf"]
    assert pure.cost.epsilon.hi == Fraction(1, 5)
    found = made("contrast-gaussian", "cells", (2,) * 6, 2)
    chosen = planned(found, None)  # type: ignore[arg-type]
    assert chosen.mechanism == "contrast-gaussian"
    assert chosen.cost == chosen.total
    with pytest.raises(ParameterError, match="without a dp_delta"):
        planned(found, "contrast-gaussian", dp_delta=None)
    facts = family_of_degree("thresholds", 4, 3, 2)
    asked = {"n": 9, "adjacency": "replace-one", "beta": "0.1", "mode": "release", "mechanism": "contrast-linf"}
    with pytest.raises(ParameterError, match="no contrasts"):
        choose_noise(facts, 1, epsilon=1, **asked)  # type: ignore[arg-type]
    for name in ("thresholds", "moments", "parities"):
        assert ways_through(build_family(name, Domain((2, 2, 2)), 2)) == []


# --- seeded bugs: the checks above find them ---------------------------------------------------------------------


class Forgetful(ContrastFacts):
    """Contrasts of several attributes are left out of what one record moves."""

    @cached_property
    def moved(self) -> Fraction:
        return max(Fraction(row[0], self._unit) for row in self._changes) / self.variances[0]

    @property
    def width(self) -> int:
        return 1


@pytest.mark.parametrize("kind", list(CONTRAST_KINDS))
def test_a_wrong_sensitivity_and_a_wrong_scale_are_found(kind: ContrastKind) -> None:
    found = made(kind, "cells", (2, 2, 2), 2)
    plan = planned(found, kind, n=2)
    assert cost(found, plan) <= 1
    forgetful = replace(found, facts=Forgetful(found.facts.groups, found.facts.degree))
    assert cost(found, planned(forgetful, kind, n=2)) > 1
    assert cost(found, replace(plan, scale=plan.scale * Fraction(99, 100))) > 1
    if kind == "contrast-gaussian":
        assert cost(found, replace(plan, blocks=(*plan.blocks[:-1], (1, plan.blocks[-1][1] / 2)))) > 1


def cost(found: Contrasts, plan: NoisePlan) -> Fraction:
    """Of the worst pair of records over what was asked for: epsilon, or mu squared at that epsilon and dp_delta."""
    moves = [[a - b for a, b in zip(one, other, strict=True)] for one, other in combinations(at_points(found), 2)]
    moves = [[m * plan.refinement for m in move] for move in moves]
    scales = plan.noise.scales
    if not isinstance(scales, tuple):
        return max(max(map(abs, move)) for move in moves) / scales / plan.epsilon
    assert plan.dp_delta is not None
    ratio = analytic_gaussian(epsilon=plan.epsilon, dp_delta=plan.dp_delta, adjacency=plan.adjacency, digits=15)
    mu_squared = max(sum((m / sd) ** 2 for m, sd in zip(move, scales, strict=True)) for move in moves)
    return mu_squared * ratio.safe_ratio**2


@pytest.mark.parametrize("wrong", ["sign", "base"])
@pytest.mark.parametrize("attribute", [0, 1])
def test_a_wrong_way_back_is_found(wrong: str, attribute: int) -> None:
    """A sign or a constant that is wrong in one attribute spoils the answers even without noise."""
    found = made("contrast-gaussian", "cells", (3, 2), 2)
    one = found.attributes[attribute]
    if wrong == "base":
        one = replace(one, base=tuple(b + 1 for b in one.base))
    else:
        one = replace(one, back=(tuple(-v for v in one.back[0]), *one.back[1:]))
    spoiled = replace(found, attributes=tuple(one if j == attribute else a for j, a in enumerate(found.attributes)))
    sums = family_sums(found.family, np.array([[0, 0], [1, 1], [2, 1]], dtype=np.uint8))
    truth = tuple(Fraction(v, 3) for v in sums)
    assert found.answers(found.sums(sums, 3), one=3) == truth
    assert spoiled.answers(spoiled.sums(sums, 3), one=3) != truth
