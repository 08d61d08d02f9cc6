"""The range of the real table's statistic against brute force, and what is said of the real table."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from mechanisms.infer.chi_square.draws import STUDY, drawn_pairs, stream
from mechanisms.infer.chi_square.real_table import (
    ellipsoid_range,
    least_in_ellipsoid,
    most_in_ellipsoid,
    pearson_range,
    would_real_table_reject,
)
from mechanisms.infer.chi_square.shown import shown_pair
from mechanisms.infer.chi_square.statistic import (
    interaction_of,
    margins_of,
    noise_covariance,
    pearson_of,
    residual_of,
)
from mechanisms.infer.chi_square.tables import tables_of
from tests.mechanisms.infer.chi_square_examples import design, records_with, schema_with, simulated

ELLIPSOIDS = [
    ([3.0, -1.0, 0.5], [0.5, 1.0, 2.0], 4.0),
    ([0.0, 0.0], [1.0, 3.0], 2.0),
    ([0.1, 0.2], [1.0, 3.0], 2.0),
    ([2.0, 0.0, 1.0], [1.0, 3.0, 3.0], 0.5),  # nothing along the widest directions
    ([2.0, 1e-9, 1.0], [1.0, 3.0, 2.0], 0.5),
    ([5.0, 4.0, 3.0, 2.0], [1e-3, 1.0, 40.0, 40.0], 9.0),
    ([1.0], [2.0], 3.0),
    ([1e4, -3e3], [1e2, 1e-2], 6.0),
]


@pytest.mark.parametrize(("centre", "widths", "radius"), ELLIPSOIDS)
def test_the_range_is_that_of_brute_force(centre: list[float], widths: list[float], radius: float) -> None:
    c, w = np.array(centre), np.array(widths)
    least, most = ellipsoid_range(c, w, radius)
    directions = np.random.default_rng(1).standard_normal((20_000, len(c)))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    seen = ((c + np.sqrt(radius * w) * directions) ** 2).sum(1)
    assert seen.max() <= most * (1 + 1e-9)
    assert most == pytest.approx(seen.max(), rel=0.02)
    inside = c @ (c / w) <= radius
    assert least == (0 if inside else pytest.approx(seen.min(), rel=0.05, abs=1e-6))
    if not inside:
        assert seen.min() >= least * (1 - 1e-9)
    # and of another solver on the boundary, from the best of these points
    scale = 1 + float(c @ c)

    def length(d: np.ndarray[Any, Any]) -> float:
        return float(((c + np.sqrt(radius * w) * d / np.linalg.norm(d)) ** 2).sum()) / scale

    farthest = optimize.minimize(lambda d: -length(d), directions[seen.argmax()], method="Nelder-Mead", tol=1e-12)
    assert most == pytest.approx(-farthest.fun * scale, rel=1e-6)
    if not inside:
        nearest = optimize.minimize(length, directions[seen.argmin()], method="Nelder-Mead", tol=1e-12)
        assert least == pytest.approx(nearest.fun * scale, rel=1e-6)


def test_ends_move_with_the_radius() -> None:
    c, w = np.array([3.0, -1.0]), np.array([1.0, 2.0])
    radii = [0.1, 1.0, 4.0, 30.0]
    least, most = ([end(c, w, r) for r in radii] for end in (least_in_ellipsoid, most_in_ellipsoid))
    assert least == sorted(least, reverse=True)
    assert most == sorted(most)
    assert least_in_ellipsoid(c, w, 1e-12) == pytest.approx(10, rel=1e-4)
    assert most_in_ellipsoid(c, w, 1e-12) == pytest.approx(10, rel=1e-4)


def test_the_range_has_the_statistic_of_the_real_table_as_often_as_is_said() -> None:
    """At the true margins the noise leaves its ellipsoid just as often; a range is missed more rarely."""
    shown = design(schema_with(3, 3), ("a", "b"), 3000)
    a, b = np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.3, 0.3])
    shares = np.outer(a, b) + np.outer([0.01, -0.01, 0], [0.01, 0, -0.01]) * 80
    drawn = drawn_pairs(shown, shares, 300, stream(seed=2, step=STUDY, block=0))
    missed = 0
    for exact, seen in zip(drawn.exact, drawn.combined, strict=True):
        least, most = pearson_range(shown, seen, outside=0.2)
        missed += not least <= float(pearson_of(exact)) <= most
    assert stats.binomtest(missed, 300, 0.2, alternative="greater").pvalue > 1e-3
    covariance = noise_covariance(shown, a, b)
    noise = residual_of(drawn.combined - drawn.exact + 3000 * np.outer(a, b), *margins_of(drawn.combined), 3000)
    apart = noise - residual_of(drawn.exact - drawn.exact + 3000 * np.outer(a, b), *margins_of(drawn.exact), 3000)
    inside = np.einsum("ni,ij,nj->n", apart, np.linalg.inv(covariance), apart) <= stats.chi2.isf(0.2, 4)
    assert 0.7 < inside.mean() < 0.9


def test_yes_no_and_cannot_be_told() -> None:
    schema = schema_with(2, 3)
    strong = records_with(schema, 4000, seed=1, together=0.5)
    yes = would_real_table_reject(simulated(schema, strong), ("a", "b"))
    assert yes.verdict == "yes"
    assert yes.effect.lo is not None
    assert yes.statistic.lo is not None
    assert yes.statistic.lo > yes.critical
    assert yes.conclusions == (yes.effect, yes.statistic)
    counts = np.zeros((2, 3))
    np.add.at(counts, (strong[:, 0], strong[:, 1]), 1)
    real = float(pearson_of(counts))
    assert yes.statistic.hi is not None
    assert yes.statistic.lo <= real <= yes.statistic.hi
    assert yes.effect.lo <= (real / 4000) ** 0.5 <= yes.effect.hi
    # the estimate has no bias from the noise
    shown, seen = shown_pair(tables_of(simulated(schema, strong)), ("a", "b"))
    found = interaction_of(shown, seen)
    length = float(found.residual @ np.linalg.solve(found.sampling, found.residual))
    bias = float(np.trace(np.linalg.solve(found.sampling, found.noise)))
    assert bias > 0.1
    assert yes.statistic.estimate == pytest.approx(length - bias, rel=1e-6)
    assert yes.effect.estimate == pytest.approx(((length - bias) / 4000) ** 0.5)
    even = np.array([(i % 2, (i // 2) % 3) for i in range(6000)])
    no = would_real_table_reject(simulated(schema, even, epsilon="8"), ("b", "a"))
    assert no.verdict == "no"
    assert no.statistic.hi is not None
    assert no.statistic.hi <= no.critical
    untold = would_real_table_reject(simulated(schema, even[:90]), ("a", "b"), level="0.9")
    assert untold.verdict == "cannot be told"
    assert untold.level == Fraction(9, 10)
    assert untold.critical == pytest.approx(stats.chi2.isf(0.1, 2))


def test_a_private_number_of_records_never_says_no() -> None:
    schema = schema_with(2, 3)
    even = np.array([(i % 2, (i // 2) % 3) for i in range(6000)])
    asked = {"adjacency": "add-remove", "least_size": 5000, "epsilon": "8"}
    found = would_real_table_reject(simulated(schema, even, **asked), ("a", "b"))
    assert found.verdict == "cannot be told"
    assert found.statistic.hi is None
    assert "private" in found.statistic.note
    assert found.effect.hi is not None
    strong = would_real_table_reject(
        simulated(schema, records_with(schema, 6000, seed=1, together=0.5), **asked), ("a", "b")
    )
    assert strong.verdict == "yes"
