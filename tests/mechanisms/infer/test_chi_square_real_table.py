"""The range of the real table's statistic against brute force, and what is said of the real table."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from bounds.errors import NotApplicable
from mechanisms.infer.chi_square.algebra import contrasts
from mechanisms.infer.chi_square.draws import STUDY, drawn_pairs, stream
from mechanisms.infer.chi_square.real_table import (
    _in_directions,
    ellipsoid_range,
    least_in_ellipsoid,
    most_in_ellipsoid,
    pearson_range,
    would_real_table_reject,
)
from mechanisms.infer.chi_square.showing import shown_pair
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


@pytest.mark.share(3)
@pytest.mark.parametrize(("a", "b", "phi"), [(0.3, 0.3, -0.42), (0.1, 0.5, 0.33), (0.5, 0.5, 0.0)])
def test_the_range_is_right_for_effects_that_do_not_vanish(a: float, b: float, phi: float) -> None:
    """Noise of the margins moves the statistic as far as that of the cells; one direction, so as often as is said."""
    schema, n, runs = schema_with(2, 2), 10**7, 1500
    shown = design(schema, ("a", "b"), n, epsilon="0.01")
    apart = phi * (a * (1 - a) * b * (1 - b)) ** 0.5 * np.array([[1, -1], [-1, 1]])
    exact = np.rint(n * (np.outer([a, 1 - a], [b, 1 - b]) + apart))
    real, source = float(pearson_of(exact)), np.random.default_rng(5)
    missed = 0
    for _ in range(runs):
        seen = shown.combined(exact + shown.cell.sums(1, exact.shape, source), [], [])
        least, most = pearson_range(shown, seen, outside=0.05)
        missed += not least <= real <= most
    assert stats.binomtest(missed, runs, 0.05).pvalue > 1e-3


def test_the_axes_are_those_of_noise_that_moves_the_statistic() -> None:
    """Against the derivative of the scaled interaction along noise of every cell and margin, by differences."""
    schema = schema_with(3, 4, 2)
    shown = design(schema, ("a", "b"), 10**6, pairs=[("a", "b"), ("a", "c")], one_way=["b"])
    a, b = np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.3, 0.2, 0.1])
    exact = 10**6 * (np.outer(a, b) + 0.02 * np.outer([1, -1, 0], [1, 0, -1, 0]))
    centre, widths = _in_directions(shown, exact)
    assert centre @ centre == pytest.approx(float(pearson_of(exact)))
    moved, step = [], 1.0

    def roots(table: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        rows, columns = table.sum(1) / 10**6, table.sum(0) / 10**6
        return (table - 10**6 * np.outer(rows, columns)) / np.sqrt(10**6 * np.outer(rows, columns))

    rows, columns = contrasts(3), contrasts(4)
    directions = [
        *(shown.cell.deviation * np.outer(f, g) for f in rows.T for g in columns.T),
        *(shown.rows.variance**0.5 * np.outer(f, np.ones(4)) / 4 for f in rows.T),
        *(shown.columns.variance**0.5 * np.outer(np.ones(3), g) / 3 for g in columns.T),
    ]
    for along in directions:
        moved.append((roots(exact + step * along) - roots(exact - step * along)) / (2 * step))
    # the part within the plane in which the interaction lies
    left, right = np.eye(3) - np.outer(np.sqrt(a), np.sqrt(a)), np.eye(4) - np.outer(np.sqrt(b), np.sqrt(b))
    inside = np.array([(left @ one @ right).ravel() for one in moved])
    seen = np.linalg.eigvalsh(inside.T @ inside)[-6:]
    assert np.sort(widths) == pytest.approx(seen, rel=1e-5)


def test_noise_that_is_not_nearly_normal_says_nothing_of_the_real_table() -> None:
    schema = schema_with(2, 3)
    codes = records_with(schema, 900, seed=1)
    for more in ({"mechanism": "laplace", "dp_delta": None}, {"mode": "release", "seed": None, "epsilon": "60"}):
        release = simulated(schema, codes, **more)
        shown, _ = shown_pair(tables_of(release), ("a", "b"))
        assert not shown.noise_is_nearly_normal, shown.cell
        with pytest.raises(NotApplicable, match="only if the noise is nearly normal"):
            would_real_table_reject(release, ("a", "b"))
    usual, _ = shown_pair(tables_of(simulated(schema, codes, mode="release", seed=None)), ("a", "b"))
    assert usual.noise_is_nearly_normal
    sums = np.arange(-400, 401)
    for deviation in np.linspace(2, 6, 81):
        law = np.exp(-(sums**2) / (8 * deviation**2))
        outside = np.abs(sums) > stats.norm.isf(0.025) * 2 * deviation
        assert law[outside].sum() / law.sum() <= 0.065


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
    # the estimate has no bias from the noise, of which an effect brings some more
    shown, seen = shown_pair(tables_of(simulated(schema, strong)), ("a", "b"))
    found = interaction_of(shown, seen)
    length = float(found.residual @ np.linalg.solve(found.sampling, found.residual))
    bias = float(np.trace(np.linalg.solve(found.sampling, found.noise)))
    assert bias > 0.1
    assert yes.statistic.estimate is not None
    assert yes.statistic.estimate == pytest.approx(length - bias, abs=0.1 * bias)
    assert yes.effect.estimate == pytest.approx((yes.statistic.estimate / 4000) ** 0.5)
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
