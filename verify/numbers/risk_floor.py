"""Numbers on the proof page of data with a large excess risk: the best points, their distributions and their cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, exp, lcm
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize, minimize_scalar

from bounds.approximation.approximate import approximate
from bounds.enclosure import Enclosure
from bounds.risk.evaluate import risk
from bounds.risk.floor import identical_marginals, moved_records
from bounds.risk.polynomials import of_method
from verify.numbers.grouped import grouped
from verify.numbers.risk import CASES
from verify.numbers.risk_bounds import logistic_on


@dataclass(frozen=True)
class Laws:
    """Two distributions on the same points u with equal moments, for the turn T: (F2) of synthbounds.risk-floor."""

    points: tuple[float, ...]
    turn: float

    @property
    def _weights(self) -> np.ndarray:
        u = np.array(self.points)
        found = np.array([1 / np.prod([x - y for y in u if y != x]) for x in u])
        found *= 2 / np.abs(found).sum()
        return found if found @ self._values > 0 else -found

    @property
    def _values(self) -> np.ndarray:
        root = np.sqrt(self.points)
        return np.asarray(root * np.tanh(self.turn * root / 2))

    @property
    def error(self) -> float:
        """e."""
        return float(self._weights @ self._values) / 2

    @property
    def mean(self) -> float:
        """A."""
        return float(np.maximum(self._weights, 0) @ np.array(self.points))

    @property
    def slope(self) -> float:
        """c."""
        return float(np.maximum(-self._weights, 0) @ self._values) / self.mean

    @property
    def floor(self) -> float:
        return 2 * self.error**2 / self.mean

    def excess(self, radius: float) -> float:
        z, c = np.sqrt(self.points), self.slope
        up, down = (np.maximum(self._weights, 0) * (1 + sign * c * z) / 2 for sign in (1, -1))

        def risk(t: float) -> float:
            return float(up @ np.logaddexp(0, -t * z) + down @ np.logaddexp(0, t * z))

        return risk(self.turn) - _least(risk, radius)[1]


def _least(risk: Callable[[float], float], radius: float) -> tuple[float, float]:
    """Where a convex function is smallest on [-R, R], and its value there."""
    found = minimize_scalar(risk, bounds=(-radius, radius), method="bounded", options={"xatol": 1e-10})
    return float(found.x), float(found.fun)


def _with_largest_turn(points: Sequence[float], radius: float) -> Laws:
    """The largest T up to R with c at most 1, as the point 1 requires."""
    whole = Laws(tuple(points), radius)
    if whole.slope <= 1:
        return whole
    return Laws(tuple(points), brentq(lambda turn: Laws(tuple(points), turn).slope - 1, 1e-3, radius, xtol=1e-12))


def _best_laws(radius: int, D: int) -> Laws:
    """The D/2 + 2 points with the largest 2 e^2/A, including 0 and 1."""

    def loss(inner: np.ndarray) -> float:
        points = (0, *inner, 1)
        return -1e4 * _with_largest_turn(points, radius).floor if (np.diff(points) > 1e-6).all() else 0.0

    start = [0.3] if D == 2 else [0.2, 0.7]
    found = minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-12})
    best = _with_largest_turn((0, *map(float, found.x), 1), radius)
    assert all(Laws(best.points, best.turn * share).floor < best.floor for share in (0.5, 0.9, 0.99))
    return best


def _even_error(radius: int, D: int) -> Fraction:
    """e_D: the smallest error of polynomials of degree D for z tanh(T z/2), T = min(R, 2)."""
    turn = min(radius, 2)
    function = f"x*(exp({turn}*x)-1)/(exp({turn}*x)+1)"
    return approximate(function, interval=(-1, 1), degree=D).error.midpoint


@grouped
def risk_floor() -> Iterator[Any]:
    per_distance = moved_records(logistic_on(1), Enclosure.of(1))
    assert per_distance is not None
    assert abs(float(per_distance.midpoint) - (1 + exp(-1)) / 2) < 1e-15
    yield per_distance
    yield 2 * of_method(logistic_on(1), 2, "minimax").cost
    for radius, D in CASES:
        laws = _best_laws(radius, D)
        excess = laws.excess(radius)
        upper = risk(features=40, radius=radius, marginals=D, marginal_error=0).bound
        assert laws.floor <= excess <= upper.hi
        yield radius, D, 2 * _even_error(radius, D) ** 2, laws.floor, excess, upper.midpoint
    yield from _small_floors()
    yield from _equal_pairs()
    yield from _at_the_border()


def _at_the_border() -> Iterator[Any]:
    """Floors of 6 for R = 5 and D = 4; with the points of the table they would end where c is 1."""
    floors = [identical_marginals(logistic_on(5), 4, m) for m in (10, 40)]
    first, second = (floor.lo for floor in floors if floor is not None)
    upper = risk(features=40, radius=5, marginals=4, marginal_error=0).bound
    assert all(floor is not None and floor.hi < upper.lo for floor in floors)
    yield first, 10, second


def _small_floors() -> Iterator[Any]:
    """R = 1: at the alternation points, and at the points that ten features have."""
    error = _even_error(1, 2)
    found = minimize_scalar(
        lambda u: -Laws((0, u, 1), 1).error, bounds=(0.1, 0.9), method="bounded", options={"xatol": 1e-9}
    )
    alternating = Laws((0, float(found.x), 1), 1)
    assert abs(alternating.error - error) < 1e-12
    excess = alternating.excess(1)
    yield error, 0, alternating.points[1]
    yield excess
    yield _even_error(1, 4)
    ten = max((Laws((0, (k / 5) ** 2, 1), 1) for k in range(1, 5)), key=lambda laws: laws.error)
    known = identical_marginals(logistic_on(1), 2, 10)
    assert known is not None
    assert abs(float(known.midpoint) / ten.excess(1) - 1) < 1e-6
    yield (ten.points[1], 1, 2, 10, ten.error, ten.floor, ten.excess(1))


def _mean_of_products(j: int, m: int, z: Fraction) -> Fraction:
    """K_j(z): the mean of the product of j of m signs with the mean z."""
    ups = int(m * (1 + z) / 2)
    total = sum((-1) ** (j - i) * comb(ups, i) * comb(m - ups, j - i) for i in range(j + 1))
    return Fraction(total, comb(m, j))


def _equal_pairs() -> Iterator[Any]:
    """The data set of ten features, by the shares of the means of its records."""
    m, z, tilt = 10, Fraction(3, 5), Fraction(7, 15)
    up, down = ((1 + tilt * z) / 2, (1 - tilt * z) / 2)
    real = {z: up, -z: down}
    synthetic = {Fraction(1): z**2 * (1 + tilt) / 2, Fraction(-1): z**2 * (1 - tilt) / 2, Fraction(0): 1 - z**2}
    whole = lcm(*(
        (share / (2 * comb(m, int(m * (1 + mean) / 2)))).denominator
        for law in (real, synthetic)
        for mean, share in law.items()
    ))  # fmt: skip
    yield whole, m
    yield f"{float(z)} -{float(z)} {float(up)} {float(down)}"
    yield ", ".join(f"${float(share)}$" for share in synthetic.values())

    def moved(j: int) -> Fraction:
        """By how much the mean of a product of j features differs, times the label if j is odd."""
        first, second = (
            sum((share * _mean_of_products(j, m, mean) for mean, share in law.items()), Fraction(0))
            for law in (real, synthetic)
        )
        return abs(first - second)

    # other products have the mean 0; two marginals in which one product differs are that far apart
    assert moved(1) == moved(2) == 0
    apart = max(moved(3), moved(4))
    yield apart

    def risk(t: float, law: dict[Fraction, Fraction] = real) -> float:
        return float(sum(float(share) * np.logaddexp(0, -t * float(mean)) for mean, share in law.items()))

    assert _least(lambda t: risk(t, synthetic), 1)[0] > 1 - 1e-6
    where, least = _least(risk, 1)
    yield Fraction(1, m), 1, 1, where, risk(1) - least
