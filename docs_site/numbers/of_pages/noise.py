"""Numbers on the proof pages about noise on answers: quantiles of the theorems, calibrations, sensitivities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from math import log, sqrt
from statistics import NormalDist
from typing import Any

import mpmath

from bounds.arithmetic.ball import BALL
from bounds.enclosure import BallNumber, Enclosure, as_fmpq
from bounds.privacy.gaussian import analytic_gaussian
from bounds.queries import QueryFamily, binomial_sum, family_of_degree
from bounds.sizes.require import require
from bounds.solve import enclose
from release.data.domain import Domain
from release.noise.choice import choose_noise
from release.statistics.contrasts import ways_through
from release.statistics.families import build_family
from tests.bounds.test_contrasts import EQUAL_LEVELS, dual_bound
from tests.bounds.test_queries import CASES
from verify.numbers.answers import value
from verify.numbers.grouped import grouped

FAILURE, EPSILON, DP_DELTA, SIZE = "0.05", "0.2", "1e-6", 2259


def of_degree_two(name: str, p: int = 10, t: int = 2) -> QueryFamily:
    return family_of_degree(name, p, t, 2)


def coefficient(noise: str, name: str, p: int = 10, t: int = 2, degree: int = 2) -> Enclosure:
    """Q of the theorem on that noise."""
    budget = {"epsilon": EPSILON, "dp_delta": DP_DELTA} if noise.endswith("gaussian") else {}
    return value(f"synthbounds.noise-{noise}", family=name, p=p, t=t, degree=degree, gamma=FAILURE, **budget)


def quantile(law: Callable[..., BallNumber], count: int) -> Enclosure:
    return enclose(lambda: law(as_fmpq(count), as_fmpq(Fraction(FAILURE))))


def named(name: str, t: int = 2) -> list[Any]:
    return [name, t] if name == "cells" else [name]


@grouped
def gaussian() -> Iterator[Any]:
    ratio = {epsilon: _ratio(epsilon) for epsilon in (EPSILON, "0.1", "1")}
    product = {epsilon: float(Fraction(epsilon) * found.midpoint) for epsilon, found in ratio.items()}
    yield EPSILON, "10^{-6}", ratio[EPSILON], product[EPSILON]
    yield product["0.1"], "0.1", product["1"]
    yield FAILURE
    by_union = []
    for name, p in (("monomials", 10), ("monomials", 20), ("parities", 10), ("cells", 10)):
        family = of_degree_two(name, p)
        normal = quantile(BALL.normal_max_quantile, family.varying)
        bounds = [coefficient(noise, name, p) for noise in ("gaussian", "linf", "laplace")]
        yield named(name), p, 2, family.varying, family.l2_sensitivity_squared, normal, bounds
        tail = NormalDist().inv_cdf(1 - float(FAILURE) / (2 * family.varying))
        by_union.append(product[EPSILON] * sqrt(family.l2_sensitivity_squared) * tail)
    yield by_union[:2]
    scale = f"{float(ratio[EPSILON].midpoint):.6f}"
    yield scale, rf"{10**6 * _privacy_by_integration(scale):.8f}\cdot10^{{-6}}"


def _ratio(epsilon: str) -> Enclosure:
    return analytic_gaussian(epsilon=epsilon, dp_delta=DP_DELTA, adjacency="replace-one", digits=20).ratio


def _privacy_by_integration(scale: str) -> float:
    """The integral of max(dP - e^epsilon dQ, 0) for P = N(1, s^2), Q = N(0, s^2)."""
    with mpmath.workdps(30):
        s, epsilon = mpmath.mpf(scale), mpmath.mpf(EPSILON)
        start = epsilon * s**2 + mpmath.mpf(1) / 2  # dP > e^epsilon dQ from here on

        def excess(y: mpmath.mpf) -> mpmath.mpf:
            return mpmath.npdf(y, 1, s) - mpmath.exp(epsilon) * mpmath.npdf(y, 0, s)

        return float(mpmath.quad(excess, [start + k * s / 2 for k in range(20)]))


@grouped
def laplace() -> Iterator[Any]:
    yield FAILURE, 10, 2
    for name, t in (("monomials", 2), ("parities", 2), ("cells", 2), ("cells", 3)):
        family = of_degree_two(name, t=t)
        union = float(family.l1_sensitivity) * log(family.varying / float(FAILURE))
        facts = (family.varying, family.l1_sensitivity, family.l2_sensitivity_squared)
        yield named(name, t), facts, coefficient("laplace", name, t=t), union
    yield [of_degree_two("parities", p).l1_sensitivity for p in range(2, 11)]
    ten, twenty = (family_of_degree("parities", p, 2, 3).l1_sensitivity for p in (10, 20))
    yield ten, 10, twenty
    two, three = (max(p for _, _, p, levels, _ in CASES if levels == t) for t in (2, 3))
    yield two, 2, three


@grouped
def cube() -> Iterator[Any]:
    yield FAILURE, 10, 2
    better = {}
    for name, t in (("monomials", 2), ("parities", 2), *(("cells", t) for t in range(2, 7))):
        family = of_degree_two(name, t=t)
        cube, laplace = (coefficient(noise, name, t=t) for noise in ("linf", "laplace"))
        better[name, t] = "cube" if cube.hi < laplace.lo else "Laplace"
        tail = log(1 / float(FAILURE))
        bound = family.range_width * (family.varying + sqrt(2 * family.varying * tail) + tail)
        assert bound > cube.hi
        label = [name, family.range_width] if name == "parities" else named(name, t)
        yield label, family.varying, cube, float(bound), laplace, better[name, t]
    last = max(t for (name, t), best in better.items() if best == "cube" and name == "cells")
    assert all(best == "Laplace" for (_, t), best in better.items() if t > last)
    yield last, last + 1
    rank = binomial_sum(10, 2, 1) - 1
    assert rank == of_degree_two("cells").dimension
    yield quantile(BALL.gamma_quantile, rank), coefficient("linf", "cells")


@grouped
def contrast_cube() -> Iterator[Any]:
    yield FAILURE
    for t, d in ((2, 1), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2), (4, 3)):
        family = family_of_degree("cells", 10, t, d)
        noises = ("contrast-linf", "linf", "laplace")
        through, *others = (coefficient(noise, "cells", t=t, degree=d) for noise in noises)
        yield t, d, family.dimension, through, family.varying, others
    two, three = ([_records(d, mechanism) for mechanism in ("contrast-linf", "linf")] for d in (2, 3))
    yield "0.1", EPSILON, two
    yield three


def _records(degree: int, mechanism: str) -> int:
    return require(
        family="cells", p=10, degree=degree, epsilon=EPSILON, accuracy="0.1", failure=FAILURE, release="density",
        mechanism=mechanism,
    ).n  # fmt: skip


@grouped
def contrast_gaussian() -> Iterator[Any]:
    yield FAILURE, EPSILON
    for name, p, t in (("monomials", 10, 2), ("monomials", 20, 2), *(("cells", 10, t) for t in (2, 3, 5))):
        family = of_degree_two(name, p, t)
        facts = family.contrasts
        assert facts is not None
        sizes = [sqrt(family.l2_sensitivity_squared), sqrt(facts.moved * facts.spread)]
        bounds = [coefficient(noise, name, p, t) for noise in ("gaussian", "contrast-gaussian")]
        yield named(name, t), p, 2, float(facts.variances[1]), sizes, bounds
    for p, t, d in EQUAL_LEVELS:
        found = family_of_degree("cells", p, t, d).contrasts
        assert found is not None
        assert sqrt(found.moved * found.spread) <= 1.001 * dual_bound(p, t, d)
    yield "0.1"


_LATTICE_COLUMNS = (("simulate", "replace-one"), ("release", "replace-one"), ("release", "add-remove"))


_LATTICE_ROWS = {
    "linf": "cube",
    "laplace": "Laplace",
    "gaussian": "Gaussian",
    "contrast-linf": "cube on contrasts",
    "contrast-gaussian": "Gaussian on contrasts",
}


@grouped
def lattice() -> Iterator[Any]:
    yield 1 - Decimal(FAILURE), SIZE
    yield EPSILON
    exact: list[Fraction] = []
    by_zcdp: list[Fraction] = []
    for name in ("monomials", "cells"):
        family = of_degree_two(name)
        label = [named(name), 10, 2, family.varying]
        for mechanism, title in _LATTICE_ROWS.items():
            if (name, mechanism) == ("monomials", "contrast-linf"):  # no fewer contrasts than queries
                continue
            found = [_error(name, mechanism, mode, adjacency) for mode, adjacency in _LATTICE_COLUMNS]
            yield label, title, list(map(float, found))
            costs = by_zcdp if mechanism == "gaussian" else exact
            costs += [100 * (value / found[0] - 1) for value in found[1:]]
            label = []
    most = Decimal("0.1")
    assert most / 2 < max(exact) < most
    yield most
    (percent,) = {round(cost) for cost in by_zcdp}
    yield percent


def _error(name: str, mechanism: str, mode: str, adjacency: str) -> Fraction:
    family = build_family(name, Domain((2,) * 10), 2)
    plan = choose_noise(
        family.facts, 1, epsilon=EPSILON, dp_delta=DP_DELTA, n=SIZE, adjacency=adjacency, beta=FAILURE, mode=mode,
        mechanism=mechanism, through=ways_through(family),
    )  # fmt: skip
    return plan.quantile
