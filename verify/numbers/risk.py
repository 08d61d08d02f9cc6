"""Numbers on the proof pages of our theorems on excess risk: polynomials, quadratic bias and private moments."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import ceil, exp, lgamma, log, sqrt
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from threadpoolctl import threadpool_limits

from bounds.arithmetic.vector import VECTOR
from bounds.pieces.noisy_moments import MOMENTS
from bounds.quantities import Quantities
from bounds.risk.polynomials import of_method
from bounds.risk.quadratic import best_tilt
from verify.numbers.answers import values
from verify.numbers.grouped import grouped
from verify.numbers.risk_bounds import logistic_on, near_slope, quadratic_bias
from verify.numbers.written import down, up
from verify.numbers.zhou import largest_coefficient_sum

CASES = tuple(product((1, 2, 5), (2, 4)))
"""Radii and degrees of the tables."""


@grouped
def excess_risk() -> Iterator[Any]:
    two, four = (of_method(logistic_on(1), degree, "minimax") for degree in (2, 4))
    bias, cost = two.oscillation.midpoint, two.cost
    yield bias, cost
    yield 2 * bias, 2 * cost
    yield 2 * four.oscillation.midpoint, 2 * four.cost
    real, synthetic, nu = 100, 110, 10
    off, of = nu + abs(real - synthetic), max(real, synthetic)
    share = Fraction(off, of)
    yield real, synthetic, nu, rf"\frac{{{off}}}{{{of}}}", share
    new = Fraction(synthetic - real, synthetic)
    assert (1 - Fraction(real, synthetic)) + new == Fraction(off, of)  # old cells shrink, new ones appear
    yield synthetic - real, nu / real


@grouped
def tilted() -> Iterator[Any]:
    for radius, D in CASES:
        loss, polynomial = logistic_on(radius), near_slope(radius, D)
        e, mu = polynomial.slope_error, loss.convexity
        assert e is not None
        least = best_tilt(polynomial, convexity=mu, s=Fraction(0)).value
        general = 2 * of_method(loss, D, "minimax").oscillation.midpoint
        yield radius, D, e, mu, least, 2 * e**2 / mu, general
    polynomial = near_slope(1, 2)
    yield polynomial.cost, polynomial.scaled(2)
    quarter, at_best, tilt, general_bound = _tilts("0.001")
    yield (quarter, at_best, tilt, general_bound)
    quarter, at_best, tilt, general_bound = _tilts("0.01")
    yield quarter, at_best, tilt, general_bound


def _tilts(s: str) -> list[Any]:
    """At R = 1, D = 2: the bound at a quarter of the convexity and at the best tilt, that tilt, the general bound."""
    loss, share = logistic_on(1), Fraction(s)
    best = best_tilt(near_slope(1, 2), convexity=loss.convexity, s=share)
    general = of_method(loss, 2, "minimax")
    bound = 2 * general.oscillation.midpoint + 2 * share * general.cost
    return [quadratic_bias(1, 2, share), quadratic_bias(1, 2, share, best.tilt), best.tilt, bound]


def _mean_norm(m: int) -> float:
    """E_m."""
    return sqrt(2) * exp(lgamma((m + 1) / 2) - lgamma(m / 2))


@grouped
def noisy_moments() -> Iterator[Any]:
    epsilon, dp_delta, failure = 1, "1e-6", Fraction(1, 2**20)
    polynomial = of_method(logistic_on(1), 2, "minimax")
    bias, b1, b2 = (float(x) for x in (2 * polynomial.oscillation.midpoint, polynomial.scaled(1), polynomial.scaled(2)))
    k = values("zhou2024.gaussian-mechanism", epsilon=epsilon, dp_delta=dp_delta)["sharp"]
    yield (bias, b1, b2, k)
    spread = sqrt(2 * log(2 / failure))

    def deviation(r: float, m: int, *, simpler: bool = False) -> float:
        """N by (b) and (c)."""
        first, second = b1 / sqrt(1 - r * r), b2 / (1 + r)
        mean = first + 2 * second if simpler else sqrt(first**2 + 4 * second**2)
        reach = sqrt(first**2 + (1 if simpler else 1 - 1 / m) * 2 * second**2)
        return 2 * float(k.midpoint) * (_mean_norm(m) * mean + spread * reach)

    targets = (0.5, 0.1)
    yield targets[0], targets[1]
    yield " | ".join(f"$n$ for ${target}$" for target in targets)

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
        cells = (r, *records(deviation(r, m)), ", ".join(at_zero), ", ".join(simpler))
        yield str(m), *cells
    yield down(min(own), 2), up(max(own), 2)
    yield from _by_comparison()
    with threadpool_limits(limits=1, user_api="blas"):  # many small matrices: threads wait more than they help
        yield from _simulated_moments()


def _sized(m: int, b1: float, b2: float, failure: float, name: str) -> float:
    """A bound N by its name, for noise of the sizes b1 and b2: ell and q of (d)."""
    known = {"features": m, "failure": failure, "linear_cost": b1, "quadratic_cost": b2}
    derived = tuple(d for d in MOMENTS if d.name in ("mean_norm", "by_concentration", "by_comparison"))
    q = Quantities(VECTOR, {**known, "sigma_1": sqrt(m), "sigma_2": float(m)}, derived)
    return float(getattr(q, name))


def _by_comparison() -> Iterator[Any]:
    ratio, failure = 0.24, 0.05
    yield ratio, 1, failure
    sizes = (1, 2, 10, 50)
    yield " | ".join(map(str, sizes))
    new, old = ([_sized(m, 1, ratio, failure, f"by_{how}") for m in sizes] for how in ("comparison", "concentration"))
    quotients = [a / b for a, b in zip(new, old, strict=True)]
    yield "(d)/(c)", *(up(x, 3) for x in quotients)


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


def _simulated_moments() -> Iterator[Any]:
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
    yield draws, cases, sizes[0], sizes[-1]
    yield (
        "the empirical quantiles of $Z$ at {}, {} and {} are below $N$ at ".format(*(f"${1 - f}$" for f in failures))
        + r"$\beta={}$, ${}$ and ${}$".format(*failures)
    )
    means = {m: float(np.linalg.eigvalsh(_noise(rng, draws, m))[:, -1].mean()) for m in (10, 50)}
    yield [(mean, m) for m, mean in means.items()]
    yield [2 * _mean_norm(m) for m in means]


@grouped
def bernstein_norm() -> Iterator[Any]:
    degrees = (1, 2, 3, 4, 5, 6, 8, 10)
    yield " | ".join(map(str, degrees))
    yield "$N_D$", *(f"{float(largest_coefficient_sum(1, D)):g}" for D in degrees)
    bounds = [values("synthbounds.bernstein-norm", norm=1, left=1, right=1, D=D)["sharp"] for D in degrees]
    yield "$2^{D/2}$", bounds


@grouped
def logistic_chebyshev() -> Iterator[Any]:
    for radius, degree in ((1, 2), (1, 4), (1, 8), (5, 4)):
        found = values("synthbounds.logistic-chebyshev", radius=radius, half_degree=degree // 2)
        yield radius, degree, found["exact"], found["geometric"]
