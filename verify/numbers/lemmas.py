"""Numbers of the lemmas in Appendix A of bojkovic2024, exact ones next to those of the editions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, exp, isclose, log, prod, sqrt
from typing import Any

import numpy as np

from verify.claims.bojkovic2024_lemma_steps import Table, power_sum, small_tables, total_variation
from verify.claims.bojkovic2024_lemmas import expected_maximum, l1_tail_of_uniform
from verify.numbers.answers import value

ROUNDING = Fraction(1, 10**12)
"""The error that floating point may add to a divergence here."""


def said(lemma: str, edition: str, **quantities: Any) -> float:
    """The value of an edition, by the first route that the quantities allow."""
    return float(value(f"bojkovic2024.{lemma}", edition=edition, **quantities).midpoint)


def table(text: str) -> Table:
    """Probabilities as a page lists them."""
    found = tuple(map(Fraction, text.split(",")))
    assert sum(found) == 1
    return found


# --- the largest Laplace variable ----------------------------------------------------------------------------------


def largest_laplace(count: int, gamma: str) -> list[Any]:
    editions = ("sharp", "corrected", "printed")
    return [count, gamma, [said("max-laplace", edition, sigma=1, count=count, gamma=gamma) for edition in editions]]


def means(most: int = 5) -> list[Fraction]:
    return [expected_maximum(n) for n in range(1, most + 1)]


def means_over_logarithms() -> list[float]:
    return [float(mean) - log(n) for n, mean in enumerate(means(), start=1)]


def tails_at_the_printed_threshold(below: int = 200, powers: tuple[int, ...] = (3, 5), steps: int = 1000) -> list[Any]:
    """The counts and values of gamma for which exact tails were compared with the bound, and never exceeded it."""
    gammas = np.arange(1, steps + 1) / steps
    large = [10**power for power in powers]
    holds = all(
        bool((-np.expm1(count * np.log1p(-tail)) <= gammas).all())
        for count in (*range(2, below), *large)
        for tail in (count ** (-1 / gammas) / 2, count ** (-1 / gammas))
    )
    return [holds, below, large, 1 / steps, 1]


def stays_below() -> Fraction:
    """x (2^(1-x) - 4^-x) on [1, 2], rounded up."""
    x = np.linspace(1, 2, 10**5)
    return Fraction(int(float((x * (2 ** (1 - x) - 4**-x)).max()) * 10**4) + 1, 10**4)


# --- the empirical distribution ------------------------------------------------------------------------------------


def mean_distance(cells: int = 10, draws: int = 100) -> float:
    """Of uniform draws from their source, in L1."""
    share = Fraction(1, cells)
    mean = sum(
        comb(draws, c) * share**c * (1 - share) ** (draws - c) * abs(c - draws // cells) for c in range(draws + 1)
    )
    return float(mean * cells / draws)


def tail(deviation: str, cells: int = 10, draws: int = 100, least: int = 32) -> list[Any]:
    """Exact, printed, (b) and (c); 100 Z is an even integer, so nearby deviations mean the same event."""
    assert Fraction(least - 2, draws) <= Fraction(deviation) < Fraction(least, draws)
    bounds = [
        said("empirical-tv", edition, count=cells, n=draws, deviation=deviation)
        for edition in ("printed", "corrected", "sharp")
    ]
    return [deviation, float(l1_tail_of_uniform(cells, draws, least)), bounds]


def tails_below_the_bound() -> list[Any]:
    """Tables on two and three points, sizes, and in how many cases the exact tail was compared with (c)."""
    sizes, compared, holds = (5, 10, 20, 40), 0, True
    tables = [*small_tables(2, 12), *small_tables(3, 6)]
    for p, n in product(tables, sizes):
        mean, tail = sqrt((len(p) - 1) / n), 0.0
        for t, chance in sorted(_l1_distribution(p, n).items(), reverse=True):
            tail += chance
            if t < mean:
                break
            holds &= tail <= exp(-n / 2 * (float(t) - mean) ** 2) + ROUNDING
            compared += 1
    return [holds, len(tables), Fraction(1, 12), Fraction(1, 6), sizes, compared]


def _l1_distribution(p: Table, n: int) -> dict[Fraction, float]:
    """How the L1 distance of n draws from their source p is distributed."""
    found: dict[Fraction, float] = defaultdict(float)
    for first in product(range(n + 1), repeat=len(p) - 1):
        if sum(first) > n:
            continue
        counts = (*first, n - sum(first))
        ways = prod(comb(sum(counts[: i + 1]), c) for i, c in enumerate(counts))
        distance = sum((abs(Fraction(c, n) - share) for c, share in zip(counts, p, strict=True)), Fraction(0))
        found[distance] += ways * prod(float(share) ** c for c, share in zip(counts, p, strict=True))
    assert isclose(sum(found.values()), 1)
    return found


# --- ratios and divergences ----------------------------------------------------------------------------------------


def ratios(ours: str, theirs: str) -> dict[str, Fraction]:
    """Distances, the smallest ratio, and (a) and (b) by total variation and by the largest gap."""
    p, q = table(ours), table(theirs)
    tv, gap = total_variation(p, q), max(b - a for a, b in zip(p, q, strict=True))
    (a, b), (sharp_a, sharp_b) = _ratio_bounds(p, q, tv), _ratio_bounds(p, q, gap)
    assert isclose(a, said("ratio-tv", "printed", tv=tv, p_min=min(p)))
    assert isclose(b, said("ratio-tv", "sharp", tv=tv, q_min=min(q)))
    assert isclose(sharp_a, said("ratio-tv", "sharp", gap=gap, p_min=min(p)))
    return {"tv": tv, "gap": gap, "ratio": _least_ratio(p, q), "a": a, "b": b, "sharp a": sharp_a, "sharp b": sharp_b}


def _ratio_bounds(p: Table, q: Table, distance: Fraction) -> tuple[Fraction, Fraction]:
    return 1 / (1 + distance / min(p)), 1 - distance / min(q)


def _least_ratio(p: Table, q: Table) -> Fraction:
    return min(a / b for a, b in zip(p, q, strict=True))


def pairs() -> list[Any]:
    """Pairs of tables on two and three points for which (b) <= (a) <= ratio, and in how many (a) is larger."""
    found = [pair for n, total in ((2, 12), (3, 9)) for pair in product(small_tables(n, total), repeat=2)]
    bounds = [(*_ratio_bounds(p, q, total_variation(p, q)), _least_ratio(p, q)) for p, q in found]
    holds = all(b <= a <= ratio for a, b, ratio in bounds)
    return [holds, len(found), Fraction(1, 12), Fraction(1, 9), sum(b < a for a, b, _ in bounds)]


def divergence(p: Sequence[Fraction | float], q: Sequence[Fraction | float], order: float) -> float:
    return log(sum(float(a) ** order * float(b) ** (1 - order) for a, b in zip(p, q, strict=True))) / (order - 1)


def order_two(p: str, q: str) -> float:
    return divergence(table(p), table(q), 2)


def best_middle(p: str, q: str) -> list[float]:
    """S with equality for alpha = 2."""
    weights = [float(a) ** (2 / 3) * float(b) ** (1 / 3) for a, b in zip(table(p), table(q), strict=True)]
    return [weight / sum(weights) for weight in weights]


def through(p: str, middle: str | Sequence[float], q: str) -> list[float]:
    """The two parts of the right-hand side for alpha = 2, and their sum."""
    between = table(middle) if isinstance(middle, str) else middle
    first, second = divergence(table(p), between, 4), divergence(between, table(q), 3)
    exact = [Fraction(part).limit_denominator(10**15) for part in (first, second)]
    whole = said("renyi-triangle", "printed", alpha=2, D_first=exact[0], D_second=exact[1])
    assert isclose(whole, 1.5 * first + second)
    return [1.5 * first, second, 1.5 * first + second]


def triples() -> list[Any]:
    """Triples of tables on three points for which (1) holds for alpha = 2, in rationals."""
    tables = small_tables(3, 6)
    every = list(product(tables, repeat=3))
    return [all(power_sum(a, c, 2) ** 2 <= power_sum(a, b, 4) * power_sum(b, c, 3) for a, b, c in every), len(every)]


def triangle_holds(orders: tuple[float, ...] = (1.5, 2, 3)) -> bool:
    """(2) on the same triples, for all pairs of these orders."""
    tables = np.array(small_tables(3, 6), dtype=float)
    return all(_slack_of_the_triangle(tables, alpha, a) >= -ROUNDING for alpha, a in product(orders, repeat=2))


def _slack_of_the_triangle(tables: np.ndarray, alpha: float, a: float) -> float:
    """The smallest difference of the two sides of (2) over all triples."""
    b = a / (a - 1)

    def divergences(order: float) -> np.ndarray:
        return np.asarray(np.log(tables**order @ (tables ** (1 - order)).T) / (order - 1))

    first = (alpha - 1 / a) / (alpha - 1) * divergences(a * alpha)
    second = divergences(b * (alpha - 1 / a))
    return float((first[:, :, None] + second[None, :, :] - divergences(alpha)[:, None, :]).min())


def power_at_equality(order: Fraction | int) -> float:
    """The sum of p^order q^(1 - order) for P and Q of the page, which is what the theorem allows."""
    p, q = table("1/2,0,1/2"), table("1/4,1/4,1/2")
    found = sum(float(a) ** order * float(b) ** (1 - order) for a, b in zip(p, q, strict=True))
    allowed = said("renyi-tv", "printed", alpha=order, tv=Fraction(1, 4), beta=Fraction(1, 2))
    assert isclose(found, exp((order - 1) * allowed))
    return found


def divergences_below_the_bound(orders: tuple[float, ...] = (0, 0.3, 0.5, 0.9, 1.5)) -> Iterator[Any]:
    """How many divergences of different tables were compared with the bound, including exact orders 2, 3 and 4."""
    compared, holds = 0, True
    for points, total in ((2, 12), (3, 8)):
        for p, q in product(small_tables(points, total), repeat=2):
            if p == q:
                continue
            theta, beta = total_variation(p, q), _least_ratio(q, p)
            for order in (2, 3, 4):
                holds &= power_sum(p, q, order) <= 1 + theta * (beta ** (1 - order) - 1) / (1 - beta)
            for real in orders:
                bound = log(1 + theta * (float(beta) ** (1 - real) - 1) / (1 - beta)) / (real - 1)
                holds &= divergence(p, q, real) <= bound + ROUNDING
            compared += 3 + len(orders)
    yield holds
    yield compared
