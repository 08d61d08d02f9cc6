"""Numbers on the proof pages of our theorems on excess risk: polynomials, quadratic bias and private moments."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import ceil, exp, lgamma, log, sqrt

import numpy as np
from scipy.optimize import minimize_scalar
from threadpoolctl import threadpool_limits

from bounds.arithmetic.vector import VECTOR
from bounds.enclosure import Enclosure
from bounds.pieces.noisy_moments import MOMENTS
from bounds.quantities import Quantities
from bounds.risk.polynomials import of_method
from bounds.risk.quadratic import best_tilt
from tests.pages.quoted import SETTING, Page
from tests.pages.quoted_proofs_zhou import (
    DOWN,
    UP,
    Real,
    digits,
    fixed,
    largest_coefficient_sum,
    row,
    scientific,
    values,
)
from tests.pages.quoted_proofs_zhou_theorems import logistic_on, near_slope, quadratic_bias

CASES = tuple(product((1, 2, 5), (2, 4)))
"""Radii and degrees of the tables."""


def _excess_risk() -> Iterator[str]:
    two, four = (of_method(logistic_on(1), degree, "minimax") for degree in (2, 4))
    bias, cost = two.oscillation.midpoint, two.cost
    yield rf"$\mathrm{{osc}}(P-\varphi)={scientific(bias, 8)}$ and $S={fixed(cost, 9)}$"
    yield rf"the bound is ${fixed(2 * bias, 10)}+{fixed(2 * cost, 9)}\thinspace s$"
    yield rf"Degree $4$: ${scientific(2 * four.oscillation.midpoint, 8)}+{fixed(2 * four.cost, 9)}\thinspace s$"
    real, synthetic, nu = 100, 110, 10
    off, of = nu + abs(real - synthetic), max(real, synthetic)
    share = fixed(Fraction(off, of), 6)
    yield rf"$n_r={real}$, $n_s={synthetic}$, $\nu={nu}$ give $s\le\frac{{{off}}}{{{of}}}={share}$"
    new = Fraction(synthetic - real, synthetic)
    assert (1 - Fraction(real, synthetic)) + new == Fraction(off, of)  # old cells shrink, new ones appear
    yield rf"attained by appending ${synthetic - real}$ new records; $\nu/n_r={nu / real}$"


def _written(value: Real, *, from_power: int = -2) -> str:
    """Six digits, five of them in front of a power of ten and from 1 on."""
    number = float(value.midpoint if isinstance(value, Enclosure) else value)
    if number < 10.0**from_power:
        return scientific(value, 5)
    return digits(value, 5 if number >= 1 else 6)


def _quadratic_bias() -> Iterator[str]:
    for radius, D in CASES:
        loss, polynomial = logistic_on(radius), near_slope(radius, D)
        e, mu = polynomial.slope_error, loss.convexity
        assert e is not None
        least = best_tilt(polynomial, convexity=mu, s=Fraction(0)).value
        general = 2 * of_method(loss, D, "minimax").oscillation.midpoint
        error = scientific(e, 6) if e < Fraction(1, 1000) else digits(e, 6)
        cells = (error, digits(mu, 6), _written(least), _written(2 * e**2 / mu), _written(general))
        yield row(str(radius), str(D), *cells, plain=2)
    polynomial = near_slope(1, 2)
    yield f"$S(Q)={fixed(polynomial.cost, 6)}$ and $b_2={fixed(polynomial.scaled(2), 6)}$"
    quarter, at_best, tilt, general_bound = _tilts("0.001")
    yield (
        rf"With $s=0.001$ the bound is ${quarter}$ at $\rho=\frac\mu4$ and ${at_best}$ at the best $\rho={tilt}$; "
        f"the general theorem gives ${general_bound}$"
    )
    quarter, at_best, tilt, general_bound = _tilts("0.01")
    yield rf"With $s=0.01$: ${quarter}$, ${at_best}$ at $\rho={tilt}$, and ${general_bound}$"


def _tilts(s: str) -> tuple[str, str, str, str]:
    """At R = 1, D = 2: the bound at a quarter of the convexity and at the best tilt, that tilt, the general bound."""
    loss, share = logistic_on(1), Fraction(s)
    best = best_tilt(near_slope(1, 2), convexity=loss.convexity, s=share)
    general = of_method(loss, 2, "minimax")
    bound = 2 * general.oscillation.midpoint + 2 * share * general.cost
    numbers = (quadratic_bias(1, 2, share), quadratic_bias(1, 2, share, best.tilt))
    quarter, at_best = (fixed(x, 7) for x in numbers)
    return quarter, at_best, fixed(best.tilt, 4), fixed(bound, 7)


def _mean_norm(m: int) -> float:
    """E_m."""
    return sqrt(2) * exp(lgamma((m + 1) / 2) - lgamma(m / 2))


def _noisy_moments() -> Iterator[str]:
    epsilon, dp_delta, failure = 1, "1e-6", Fraction(1, 2**20)
    polynomial = of_method(logistic_on(1), 2, "minimax")
    bias, b1, b2 = (float(x) for x in (2 * polynomial.oscillation.midpoint, polynomial.scaled(1), polynomial.scaled(2)))
    k = values("zhou2024.gaussian-mechanism", epsilon=epsilon, dp_delta=dp_delta)["sharp"]
    yield (
        rf"$2\thinspace\mathrm{{osc}}(P-\varphi)={fixed(bias, 7)}$, $b_1={fixed(b1, 1)}$, $b_2={fixed(b2, 7)}$, "
        f"$k={fixed(k, 6)}$"
    )
    spread = sqrt(2 * log(2 / failure))

    def deviation(r: float, m: int, *, simpler: bool = False) -> float:
        """N by (b) and (c)."""
        first, second = b1 / sqrt(1 - r * r), b2 / (1 + r)
        mean = first + 2 * second if simpler else sqrt(first**2 + 4 * second**2)
        reach = sqrt(first**2 + (1 if simpler else 1 - 1 / m) * 2 * second**2)
        return 2 * float(k.midpoint) * (_mean_norm(m) * mean + spread * reach)

    targets = (0.5, 0.1)
    yield f"for an excess of ${targets[0]}$ and ${targets[1]}$"
    yield f"| $m$ | best $r$ | {' | '.join(f'$n$ for ${target}$' for target in targets)} | at $r=0$ | simpler $N$ |"

    def records(number: float) -> list[str]:
        return [str(ceil(4 * number / (target - bias))) for target in targets]

    def best(m: int, *, simpler: bool = False) -> float:
        found = minimize_scalar(
            lambda r: deviation(r, m, simpler=simpler), bounds=(0, 0.9), method="bounded", options={"xatol": 1e-8}
        )
        return float(found.x)

    own = []
    for m in (10, 50, 100, 1000):
        r, other = best(m), best(m, simpler=True)
        own.append(other)
        numbers = {"features": m, "split": Fraction(r), "n": 1, "epsilon": epsilon, "dp_delta": dp_delta}
        costs = {"linear_cost": polynomial.scaled(1), "quadratic_cost": polynomial.scaled(2)}
        known = values("synthbounds.noisy-moments", failure=failure, oscillation=0, **numbers, **costs)["sharp"]
        assert float(known.midpoint) <= 4 * deviation(r, m)
        at_zero, simpler = records(deviation(0, m)), records(deviation(other, m, simpler=True))
        cells = (fixed(r, 3), *records(deviation(r, m)), ", ".join(at_zero), ", ".join(simpler))
        yield row(str(m), *cells, plain=6)
    yield f"which lies between ${fixed(min(own), 2, DOWN)}$ and ${fixed(max(own), 2, UP)}$"
    yield from _by_comparison()
    with threadpool_limits(limits=1, user_api="blas"):  # many small matrices: threads wait more than they help
        yield from _simulated_moments()


def _sized(m: int, b1: float, b2: float, failure: float, name: str) -> float:
    """A bound N by its name, for noise of the sizes b1 and b2: ell and q of (d)."""
    known = {"features": m, "failure": failure, "linear_cost": b1, "quadratic_cost": b2}
    derived = tuple(d for d in MOMENTS if d.name in ("mean_norm", "by_concentration", "by_comparison"))
    q = Quantities(VECTOR, {**known, "sigma_1": sqrt(m), "sigma_2": float(m)}, derived)
    return float(getattr(q, name))


def _by_comparison() -> Iterator[str]:
    ratio, failure = 0.24, 0.05
    yield rf"(d) against (c), $q={ratio}\thinspace\ell$ as for the logistic loss at $R=1$, $\beta={failure}$"
    sizes = (1, 2, 10, 50)
    yield f"| $m$ | {' | '.join(map(str, sizes))} |"
    new, old = ([_sized(m, 1, ratio, failure, f"by_{how}") for m in sizes] for how in ("comparison", "concentration"))
    quotients = [a / b for a, b in zip(new, old, strict=True)]
    yield row("(d)/(c)", *(fixed(x, 3, UP) for x in quotients))


def _noise(rng: np.random.Generator, draws: int, m: int) -> np.ndarray:
    """Symmetric matrices with standard normal entries and nothing on the diagonal."""
    upper = np.triu(rng.standard_normal((draws, m, m)), 1)
    return np.asarray(upper + upper.transpose(0, 2, 1))


def _suprema(linear: np.ndarray, matrices: np.ndarray) -> np.ndarray:
    """The largest <g, w> + w'Gw on the unit ball, by the secular equation; with trace 0 it lies on the sphere."""
    eigenvalues, vectors = np.linalg.eigh(matrices)
    squares = np.einsum("dij,di->dj", vectors, linear) ** 2 / 4
    low = eigenvalues[:, -1]
    high = low + np.linalg.norm(linear, axis=1)
    for _ in range(60):
        middle = (low + high) / 2
        falls = (squares / (middle[:, None] - eigenvalues) ** 2).sum(axis=1) > 1
        low, high = np.where(falls, middle, low), np.where(falls, high, middle)
    return np.asarray(high + (squares / (high[:, None] - eigenvalues)).sum(axis=1))


def _simulated_moments() -> Iterator[str]:
    rng, draws, sizes = np.random.default_rng(1), 2000, (2, 10, 30)
    costs, failures = ((0.5, 0.12), (0.5, 1.0), (0.1, 1.0)), (0.5, 0.1, 0.01)
    for m, (b1, b2) in product(sizes, costs):
        linear, matrices = b1 * rng.standard_normal((draws, m)), b2 * _noise(rng, draws, m)
        largest = np.maximum(_suprema(linear, matrices), _suprema(linear, -matrices))
        mean = _mean_norm(m) * sqrt(b1**2 + 4 * b2**2)
        for failure in failures:
            bound = mean + sqrt(2 * log(2 / failure)) * sqrt(b1**2 + (1 - 1 / m) * 2 * b2**2)
            assert np.quantile(largest, 1 - failure) < min(bound, _sized(m, b1, b2, failure, "by_comparison"))
    cases = len(sizes) * len(costs)
    yield f"{draws} seeded draws of the noise for each of {cases} cases with $m$ from {sizes[0]} to {sizes[-1]}"
    yield (
        "the empirical quantiles of $Z$ at {}, {} and {} are below $N$ at ".format(*(f"${1 - f}$" for f in failures))
        + r"$\beta={}$, ${}$ and ${}$".format(*failures)
    )
    means = {m: float(np.linalg.eigvalsh(_noise(rng, draws, m))[:, -1].mean()) for m in (10, 50)}
    first, second = (f"${fixed(mean, 1)}$ at $m={m}$" for m, mean in means.items())
    yield f"The mean of the largest eigenvalue of $G$ with $\\sigma_2=1$ over as many draws is {first} and {second}"
    yield "the bound $2E_m$ is ${}$ and ${}$".format(*(fixed(2 * _mean_norm(m), 2) for m in means))


def _bernstein_norm() -> Iterator[str]:
    degrees = (1, 2, 3, 4, 5, 6, 8, 10)
    yield f"| $D$ | {' | '.join(map(str, degrees))} |"
    yield row("$N_D$", *(f"{float(largest_coefficient_sum(1, D)):g}" for D in degrees))
    bounds = [values("synthbounds.bernstein-norm", norm=1, left=1, right=1, D=D)["sharp"] for D in degrees]
    yield row("$2^{D/2}$", *(fixed(b, 0) if D % 2 == 0 else fixed(b, 3) for D, b in zip(degrees, bounds, strict=True)))


def _logistic_chebyshev() -> Iterator[str]:
    for radius, degree in ((1, 2), (1, 4), (1, 8), (5, 4)):
        found = values("synthbounds.logistic-chebyshev", radius=radius, half_degree=degree // 2)
        large = found["exact"].midpoint > Fraction(1, 100)
        exact = (digits if large else scientific)(found["exact"], 12)
        closed = (digits if large else scientific)(found["geometric"], 5)
        yield row(str(radius), str(degree), exact, closed, plain=2)


PAGES = {
    "synthbounds.excess-risk": Page(_excess_risk),
    "synthbounds.quadratic-bias": Page(_quadratic_bias),
    "synthbounds.noisy-moments": Page(_noisy_moments, {SETTING: (r"$\delta=10^{-6}$, $\beta=2^{-20}$",)}),
    "synthbounds.bernstein-norm": Page(_bernstein_norm),
    "synthbounds.logistic-chebyshev": Page(_logistic_chebyshev),
}
