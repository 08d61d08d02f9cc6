"""Numbers on the proof pages about noise on answers: quantiles of the theorems, calibrations, sensitivities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from math import log, sqrt
from statistics import NormalDist

import mpmath

import synthbounds as sb
from bounds.arithmetic.ball import BALL
from bounds.enclosure import BallNumber, Enclosure, as_fmpq
from bounds.privacy.gaussian import analytic_gaussian
from bounds.queries import QueryFamily, binomial_sum, family_of_degree
from bounds.solve import enclose
from release.data.domain import Domain
from release.noise.choice import choose_noise
from release.statistics.contrasts import ways_through
from release.statistics.families import build_family
from tests.bounds.test_contrasts import EQUAL_LEVELS, dual_bound
from tests.bounds.test_queries import CASES
from tests.pages.quoted import Page

FAILURE, EPSILON, DP_DELTA, SIZE = "0.05", "0.2", "1e-6", 2259
SETTING_OF_ALL = f"$g={FAILURE}$, $p=10$, $d=2$."


def rounded(value: Enclosure | Fraction | float, places: int) -> str:
    """To the nearest decimal with that many places, on which both ends of an enclosure agree."""
    low, high = (value.lo, value.hi) if isinstance(value, Enclosure) else (Fraction(value), Fraction(value))
    low, high = (Fraction(round(end * 10**places), 10**places) for end in (low, high))
    assert low == high
    return f"{float(low):.{places}f}"


def of_degree_two(name: str, p: int = 10, t: int = 2) -> QueryFamily:
    return family_of_degree(name, p, t, 2)


def coefficient(noise: str, name: str, p: int = 10, t: int = 2, degree: int = 2) -> Enclosure:
    """Q of the theorem on that noise."""
    budget = {"epsilon": EPSILON, "dp_delta": DP_DELTA} if noise.endswith("gaussian") else {}
    (found,) = sb.evaluate(f"synthbounds.noise-{noise}", family=name, p=p, t=t, degree=degree, gamma=FAILURE, **budget)
    assert found.value is not None
    return found.value


def quantile(law: Callable[..., BallNumber], count: int) -> Enclosure:
    return enclose(lambda: law(as_fmpq(count), as_fmpq(Fraction(FAILURE))))


def named(name: str, t: int = 2) -> str:
    return f"cells, $t={t}$" if name == "cells" else name


def _gaussian() -> Iterator[str]:
    ratio = {epsilon: _ratio(epsilon) for epsilon in (EPSILON, "0.1", "1")}
    product = {epsilon: rounded(Fraction(epsilon) * found.midpoint, 6) for epsilon, found in ratio.items()}
    scale = rounded(ratio[EPSILON], 6)
    asked = rf"$\varepsilon={EPSILON}$, $\delta_{{\mathrm{{dp}}}}=10^{{-6}}$"
    yield rf"{asked}: $s={scale}$, $\varepsilon s={product[EPSILON]}$."
    yield rf"$\varepsilon s={product['0.1']}$ at $\varepsilon=0.1$ and ${product['1']}$ at $\varepsilon=1$"
    yield f"With $g={FAILURE}$:"
    by_union = []
    for name, p in (("monomials", 10), ("monomials", 20), ("parities", 10), ("cells", 10)):
        family = of_degree_two(name, p)
        cells = [f"{named(name)}, $p={p}$, $d=2$", family.varying, family.l2_sensitivity_squared]
        cells += [rounded(quantile(BALL.normal_max_quantile, family.varying), 6)]
        cells += [rounded(coefficient(noise, name, p), places) for noise, places in _NOISE_COLUMNS]
        yield f"| {' | '.join(map(str, cells))} |"
        tail = NormalDist().inv_cdf(1 - float(FAILURE) / (2 * family.varying))
        deviation = float(Fraction(EPSILON) * ratio[EPSILON].midpoint) * sqrt(family.l2_sensitivity_squared)
        by_union.append(rounded(deviation * tail, 4))
    yield f"the first two entries become ${by_union[0]}$ and ${by_union[1]}$"
    mantissa = rounded(_privacy_by_integration(scale) * 10**6, 8)
    yield rf"at $s={scale}$ gives ${mantissa}\cdot10^{{-6}}$; $s$ is rounded up"


_NOISE_COLUMNS = (("gaussian", 4), ("linf", 4), ("laplace", 3))


def _ratio(epsilon: str) -> Enclosure:
    return analytic_gaussian(epsilon=epsilon, dp_delta=DP_DELTA, adjacency="replace-one", digits=20).ratio


def _privacy_by_integration(scale: str) -> Fraction:
    """The integral of max(dP - e^epsilon dQ, 0) for P = N(1, s^2), Q = N(0, s^2)."""
    with mpmath.workdps(30):
        s, epsilon = mpmath.mpf(scale), mpmath.mpf(EPSILON)
        start = epsilon * s**2 + mpmath.mpf(1) / 2  # dP > e^epsilon dQ from here on

        def excess(y: mpmath.mpf) -> mpmath.mpf:
            return mpmath.npdf(y, 1, s) - mpmath.exp(epsilon) * mpmath.npdf(y, 0, s)

        return Fraction(str(mpmath.quad(excess, [start + k * s / 2 for k in range(20)])))


def _laplace() -> Iterator[str]:
    yield SETTING_OF_ALL
    for name, t in (("monomials", 2), ("parities", 2), ("cells", 2), ("cells", 3)):
        family = of_degree_two(name, t=t)
        union = float(family.l1_sensitivity) * log(family.varying / float(FAILURE))
        facts = (named(name, t), family.varying, family.l1_sensitivity, family.l2_sensitivity_squared)
        cells = (*facts, rounded(coefficient("laplace", name, t=t), 3), rounded(union, 3))
        yield f"| {' | '.join(map(str, cells))} |"
    pairs = ",".join(str(of_degree_two("parities", p).l1_sensitivity) for p in range(2, 11))
    yield rf"Parities with $d=2$ and $p=2,\dots,10$: $\Delta_1={pairs}$."
    ten, twenty = (family_of_degree("parities", p, 2, 3).l1_sensitivity for p in (10, 20))
    yield rf"Parities with $d=3$: $\Delta_1={ten}$ for $p=10$ and ${twenty}$ for $p=20$."
    two, three = (max(p for _, _, p, levels, _ in CASES if levels == t) for t in (2, 3))
    yield rf"for all $1\le d\le p\le {two}$ with $t=2$, for cells and monomials also $p\le {three}$ with $t=3$"


def _cube() -> Iterator[str]:
    yield SETTING_OF_ALL
    better = {}
    for name, t in (("monomials", 2), ("parities", 2), *(("cells", t) for t in range(2, 7))):
        family = of_degree_two(name, t=t)
        cube, laplace = (coefficient(noise, name, t=t) for noise in ("linf", "laplace"))
        better[name, t] = "cube" if cube.hi < laplace.lo else "Laplace"
        tail = log(1 / float(FAILURE))
        bound = family.range_width * (family.varying + sqrt(2 * family.varying * tail) + tail)
        assert bound > cube.hi
        label = f"parities ($R={family.range_width}$)" if name == "parities" else named(name, t)
        numbers = (rounded(value, 3) for value in (cube, bound, laplace))
        yield f"| {label} | {family.varying} | {' | '.join(numbers)} | {better[name, t]} |"
    last = max(t for (name, t), best in better.items() if best == "cube" and name == "cells")
    assert all(best == "Laplace" for (_, t), best in better.items() if t > last)
    yield f"is between $t={last}$ and $t={last + 1}$"
    rank = binomial_sum(10, 2, 1) - 1
    assert rank == of_degree_two("cells").dimension
    needed, plain = quantile(BALL.gamma_quantile, rank), coefficient("linf", "cells")
    yield f"cells with $t=2$ would need ${rounded(needed, 3)}$ instead of ${rounded(plain, 3)}$"


def _contrast_cube() -> Iterator[str]:
    yield f"$g={FAILURE}$, $p=10$. Columns"
    for t, d in ((2, 1), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2), (4, 3)):
        family = family_of_degree("cells", 10, t, d)
        through, *others = (
            rounded(coefficient(noise, "cells", t=t, degree=d), 3) for noise in ("contrast-linf", "linf", "laplace")
        )
        cells = (f"$t={t}$, $d={d}$", family.dimension, through, family.varying, *others)
        yield f"| {' | '.join(map(str, cells))} |"
    two, three = ([_records(d, mechanism) for mechanism in ("contrast-linf", "linf")] for d in (2, 3))
    setting = rf"At accuracy $0.1$, $\varepsilon={EPSILON}$ and with the density released this makes"
    yield f"{setting} ${two[0]}$ records of the ${two[1]}$ that the cells themselves need ($t=2$, $d=2$)"
    yield f"and ${three[0]}$ of ${three[1]}$ ($d=3$)"


def _records(degree: int, mechanism: str) -> int:
    return sb.require(
        family="cells", p=10, degree=degree, epsilon=EPSILON, accuracy="0.1", failure=FAILURE, release="density",
        mechanism=mechanism,
    ).n  # fmt: skip


def _contrast_gaussian() -> Iterator[str]:
    yield rf"$g={FAILURE}$, $\varepsilon={EPSILON}$, $\delta_{{\mathrm{{dp}}}}=10^{{-6}}$"
    for name, p, t in (
        ("monomials", 10, 2),
        ("monomials", 20, 2),
        ("cells", 10, 2),
        ("cells", 10, 3),
        ("cells", 10, 5),
    ):
        family = of_degree_two(name, p, t)
        facts = family.contrasts
        assert facts is not None
        sizes = [sqrt(family.l2_sensitivity_squared), sqrt(facts.moved * facts.spread)]
        numbers = [rounded(facts.variances[1], 3), *(rounded(size, 4) for size in sizes)]
        numbers += [rounded(coefficient(noise, name, p, t), 4) for noise in ("gaussian", "contrast-gaussian")]
        yield f"| {named(name, t)}, $p={p}$, $d=2$ | {' | '.join(numbers)} |"
    for p, t, d in EQUAL_LEVELS:
        found = family_of_degree("cells", p, t, d).contrasts
        assert found is not None
        assert sqrt(found.moved * found.spread) <= 1.001 * dual_bound(p, t, d)
    yield r"$\sqrt{MV}$ is within 0.1 percent of the bound in (e)"


_LATTICE_COLUMNS = (("simulate", "replace-one"), ("release", "replace-one"), ("release", "add-remove"))


_LATTICE_ROWS = {
    "linf": "cube",
    "laplace": "Laplace",
    "gaussian": "Gaussian",
    "contrast-linf": "cube on contrasts",
    "contrast-gaussian": "Gaussian on contrasts",
}


def _lattice() -> Iterator[str]:
    confidence = 1 - Decimal(FAILURE)
    yield f"Certified ${confidence}$-quantiles of the largest error of the answers: $n=n_0={SIZE}$"
    yield rf"$\varepsilon={EPSILON}$, $\delta_{{\mathrm{{dp}}}}=10^{{-6}}$ for Gaussian noise, $D=1$"
    exact: list[Fraction] = []
    by_zcdp: list[Fraction] = []
    for name in ("monomials", "cells"):
        family = of_degree_two(name)
        label = f"{named(name)}, $p=10$, $d=2$ | {family.varying}"
        for mechanism, title in _LATTICE_ROWS.items():
            if (name, mechanism) == ("monomials", "contrast-linf"):  # no fewer contrasts than queries
                continue
            found = [_error(name, mechanism, mode, adjacency) for mode, adjacency in _LATTICE_COLUMNS]
            yield f"| {label} | {title} | {' | '.join(rounded(value, 5) for value in found)} |"
            costs = by_zcdp if mechanism == "gaussian" else exact
            costs += [100 * (value / found[0] - 1) for value in found[1:]]
            label = " |"
    most = Decimal("0.1")
    assert most / 2 < max(exact) < most
    yield f"The lattice costs less than {most} per cent."
    (percent,) = {round(cost) for cost in by_zcdp}
    yield f"The discrete Gaussian costs {percent} per cent more than the continuous one"


def _error(name: str, mechanism: str, mode: str, adjacency: str) -> Fraction:
    family = build_family(name, Domain((2,) * 10), 2)
    plan = choose_noise(
        family.facts, 1, epsilon=EPSILON, dp_delta=DP_DELTA, n=SIZE, adjacency=adjacency, beta=FAILURE, mode=mode,
        mechanism=mechanism, through=ways_through(family),
    )  # fmt: skip
    return plan.quantile


PAGES = {
    "synthbounds.noise-gaussian": Page(_gaussian),
    "synthbounds.noise-contrast-gaussian": Page(_contrast_gaussian),
    "synthbounds.noise-contrast-linf": Page(_contrast_cube),
    "synthbounds.noise-laplace": Page(_laplace),
    "synthbounds.noise-linf": Page(_cube),
    "synthbounds.lattice-noise": Page(_lattice),
}
