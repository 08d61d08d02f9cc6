"""Numbers of the proof pages about points drawn from a reference measure, and about how far it is from the data."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, exp, factorial, log, sqrt
from typing import Any

import numpy as np
from scipy.stats import binom

from bounds import renyi
from bounds.enclosure import Enclosure, precision
from bounds.renyi import condition_number, infinite_kappa_probability
from docs_site.numbers.names import run
from verify.claims.bojkovic2024_histogram import infinite_at
from verify.numbers.answers import evaluate_all, value
from verify.numbers.grouped import grouped


@grouped
def reference_points() -> Iterator[Any]:
    for varying, failure, delta, ratio in (
        ("55", "0.05", "0.1", "1.8"),
        ("55", "0.1", "0.05", "1.8"),
        ("1000", "0.05", "0.1", "1"),
        ("1", "0.1", "0.1", "1.8"),
    ):
        weights, truncated, rejection = _points(varying, failure, delta, condition=ratio, ratio=ratio)
        accepted, closed = _accepted_and_closed(varying, failure, delta, ratio)
        by_rejection: list[Any] = [rejection, accepted, closed if ratio != "1" else []]
        yield varying, failure, delta, ratio, weights, truncated, by_rejection
    _, _, m = _points("55", "0.05", "0.1", condition="1", ratio="1.8")
    least, _ = _accepted_and_closed("55", "0.05", "0.1", "1.8")
    below, above = (float(binom.cdf(least - 1, trials, 5 / 9)) for trials in (m, m - 1))
    assert below <= 0.025 < above
    yield m, "5/9", least, below, "0.025", m - 1, above
    yield from _heavy_tails()


def _points(varying: str, failure: str, delta: str, *, condition: str, ratio: str) -> list[int]:
    """By weights, by truncated weights, by rejection."""
    found = evaluate_all(
        "synthbounds.reference-points", F_varying=varying, gamma=failure, delta=delta, K=condition, rho=ratio
    )
    assert [row.route for row in found] == ["Chebyshev", "truncated weights", "rejection"]
    return [row.integer for row in found if row.integer is not None]


def _accepted_and_closed(varying: str, failure: str, delta: str, ratio: str) -> tuple[int, int]:
    """M of Proposition 3, and its closed form for m."""
    g = Fraction(failure)
    accepted = ceil(log(4 * int(varying) / g) / (2 * Fraction(delta) ** 2))
    more = log(2 / g)
    return accepted, ceil(Fraction(ratio) * (accepted + more + sqrt(2 * accepted * more + more**2)))


def _heavy_tails() -> Iterator[Any]:
    """Weights .55 u^-.45 against the uniform measure on [0, 1], thresholds at multiples of 1/21."""
    power, queries, delta = Fraction("0.45"), 20, Fraction("0.1")
    condition = (1 - power) ** 2 / (1 - 2 * power)
    yield 1 - power, -power
    yield condition, queries
    weights, truncated, _ = _points(str(queries), str(delta), str(delta), condition=str(condition), ratio="1.8")
    for name, m, runs, cut in (
        ("Truncated weights", truncated, 200, 3 * float(condition / delta) / 2),
        ("Weights", weights, 20, float("inf")),
    ):
        worst = max(_threshold_error(m, float(power), queries, cut, seed) for seed in range(runs))
        assert worst <= delta
        yield name, m, runs, worst
    _, _, m = _points(str(queries), str(delta), str(delta), condition="1", ratio="1.8")
    accepted, _ = _accepted_and_closed(str(queries), str(delta), str(delta), "1.8")
    short = float(binom.cdf(accepted - 1, m, 5 / 9))
    assert short <= delta / 2
    yield accepted, m, short


def _threshold_error(m: int, power: float, queries: int, cut: float, seed: int) -> float:
    """e_m of weighted points for the queries [u <= j/21]."""
    points = np.sort(np.random.Generator(np.random.Philox(seed)).random(m))
    weights = np.minimum((1 - power) * points**-power, cut)
    thresholds = np.arange(1, queries + 1) / (queries + 1)
    share = np.append(0.0, np.cumsum(weights) / weights.sum())[np.searchsorted(points, thresholds, side="right")]
    return float(np.abs(share - thresholds ** (1 - power)).max())


TABLES = (
    (".4,.3,.2,.1", ".42,.29,.2,.09", ".43,.27,.19,.11"),
    (".25,.25,.25,.25", ".26,.24,.27,.23", ".27,.22,.28,.23"),
    (".9,.0996,.0004", ".9,.0999,.0001", ".1,.899999,10^{-6}"),
    (".9,.099999,10^{-6}", ".9,.09999999,10^{-8}", ".1,.899999999,10^{-9}"),
)
"""nu, nu_1 and mu as the page has them."""


@grouped
def renyi_bounds() -> Iterator[Any]:
    for texts in TABLES:
        nu, middle, mu = ([_entry(entry) for entry in text.split(",")] for text in texts)
        report = condition_number(nu, mu, middle)
        assert report.kappa is not None
        assert report.direct_bound is not None
        assert report.through_bound is not None
        first, second = condition_number(nu, middle), condition_number(middle, mu)
        distances: dict[str, Any] = {"tv": first.total_variation, "tv2": second.total_variation}
        ratios: dict[str, Any] = {"beta": first.least_ratio, "beta2": second.least_ratio}
        printed = value("synthbounds.renyi-bounds", edition="printed", **distances, **ratios)
        yield texts, report.kappa, float(report.direct_bound), report.through_bound, printed
    yield from _emptied_histograms()


def _entry(text: str) -> Fraction:
    return Fraction(text.replace("10^{", "1e").rstrip("}"))


def _emptied_histograms() -> Iterator[Any]:
    printed, *_ = infinite_at("1e-4")
    yield "0.1"
    small = Fraction(1, 5)
    for cells, n, epsilon in (
        (32, printed, Fraction(1, 10**4)),
        *((c, n, small) for c, n in ((32, 1000), (256, 10000), (8, 1000))),
    ):
        lower, exact, union = _emptied([Fraction(1, cells)] * cells, n, epsilon)
        yield cells, n, epsilon, union / cells, lower, exact, union
    yield from _unequal_cells()
    simulated = run("kappa")
    share = simulated["uniform:32 n=1000"]["infinite"]
    exact = _emptied([Fraction(1, 32)] * 32, 1000, Fraction("0.2"))[1]
    assert abs(share - exact) < 3 * sqrt(exact * (1 - exact) / simulated["runs"])
    yield simulated["runs"], 32, 1000, "0.2", share, exact


def _unequal_cells() -> Iterator[Any]:
    n, epsilon = 60, Fraction(1, 2)
    total = sum(Fraction(1, j) for j in range(1, 6))
    nu = [Fraction(1, j) / total for j in range(1, 6)]
    lower, exact, union = _emptied(nu, n, epsilon)
    product_of_series = np.ones(1)
    for share in map(float, nu):
        terms = [share**c / factorial(c) * (1 - exp(-float(epsilon) * c / 2) / 2) for c in range(n + 1)]
        product_of_series = np.convolve(product_of_series, terms)[: n + 1]
    assert abs(1 - factorial(n) * product_of_series[n] - exact) < 1e-12
    yield n, epsilon
    yield exact, lower, union


def _emptied(nu: list[Fraction], n: int, epsilon: Fraction) -> tuple[float, float, float]:
    """Lower bound, exact value and union bound of the probability that an occupied cell is emptied."""
    exact = infinite_kappa_probability(nu, n, epsilon)
    assert exact.exact
    with precision(200):
        lower = Enclosure.of(1 - renyi._independent_survival(nu, n, epsilon))
        union = Enclosure.of(renyi._union(nu, n, epsilon))
    assert lower.hi <= exact.lower.hi <= union.hi
    return float(lower.midpoint), float(exact.lower.midpoint), float(union.midpoint)
