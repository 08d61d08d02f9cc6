"""Numbers of the proof pages about reference measures: kernels, grids, lifted histograms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import asinh, ceil, log, pi, sqrt
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.special import erf

from bounds.enclosure import Enclosure
from bounds.privacy.adjacency import Adjacency
from bounds.sizes.require import require
from bounds.sizes.routes import enclose_formula
from bounds.theorems.synthbounds_lipschitz_uniform import lipschitz_supremum, poincare_constant
from docs_site.numbers.names import ROOT
from docs_site.numbers.of_pages.density import derived, rounded
from docs_site.numbers.of_pages.editions import constant
from lp.measures.grid import cells_for_lipschitz
from lp.measures.kernel import (
    AxisTable,
    axis_table,
    kernel_constants,
    lattice_sensitivity,
    table_sensitivity,
    value_sensitivity,
)
from tests.lp.test_bernstein_measure import GRIDS, SIZE, largest_move
from verify.numbers.grouped import grouped

BITS = 16
KERNELS = (
    *(
        ("reflected", *of)
        for of in ((1, 144, "0.052221"), (1, 10, "0.3"), (2, 10, "0.3"), (2, 10, "1"), (3, 10, "0.3"))
    ),
    *(("plain", *of) for of in ((2, 2, "0.5"), (2, 10, "0.3"), (2, 20, "0.2"), (3, 10, "0.3"))),
)
"""Kernel, p, degree and bandwidth."""


@grouped
def bernstein_measure() -> Iterator[Any]:
    yield SIZE, BITS
    for kernel, p, degree, width in KERNELS:
        h = Fraction(width)
        table = axis_table(size=SIZE, degree=degree, bandwidth=h, bits=BITS, kernel=kernel)
        unit = 2 ** (BITS * p)
        calibrated = table_sensitivity([table] * p, Adjacency.REPLACE_ONE)
        constants = kernel_constants(degree=degree, bandwidth=h, kernel=kernel)
        analytic = lattice_sensitivity(constants, p=p, degree=degree, adjacency=Adjacency.REPLACE_ONE)
        found = largest_move(_lattice_rows(table, p))
        assert found <= calibrated <= analytic * unit
        assert (found == calibrated) == (p == 1)
        loss = Fraction(found, unit) / ((degree + 1) * value_sensitivity(constants, p=p))
        assert (loss > 1) == (p > 1)
        moves = [float(move) for move in (Fraction(calibrated, unit), analytic, Fraction(found, unit))]
        yield kernel, p, degree, width, moves, float(loss)


def _lattice_rows(table: AxisTable, p: int) -> np.ndarray:
    """What every record of the grid of codes adds to the sums over the lattice: records in rows."""
    records = np.array(list(product(GRIDS[p], repeat=p)))
    rows = np.ones((len(records), 1), dtype=np.int64)
    for axis in range(p):
        rows = (rows[:, :, None] * table.entries[records[:, axis]][:, None, :]).reshape(len(records), -1)
    return rows


@grouped
def lipschitz_grid() -> Iterator[Any]:
    removed = []
    for lipschitz, p, tau in ((1, 3, Fraction(1, 2)), (6, 2, Fraction(1, 4))):
        sizes = {}
        for floor in (None, tau):
            q = cells_for_lipschitz(p, lipschitz, tau=floor)
            replaced, other = (_grid_records(q**p, "0.025", floor=floor, moved=moved) for moved in (2, 1))
            sizes[floor] = [q, q**p, replaced if q > 1 else []]
            removed += [other] if q > 1 else []
        yield lipschitz, p, sizes[None], tau, sizes[tau]
    yield removed
    constant("synthbounds.lipschitz-grid", "sharp", "125/48")
    yield constant("bojkovic2024.kde-grid", "corrected", "12/5")
    tested = (ROOT / "tests/lp/test_measures.py").read_text(encoding="utf-8")
    tent, ramp = _grid_records(5, "0.025"), _grid_records(6, "0.05", floor=Fraction(1, 2))
    assert f'(4 * np.minimum(middle, 1 - middle), 5, {tent}, "covering", 125 / 48,' in tested
    assert f'(0.5 + middle, 6, {ramp}, "plain", 12 / 5,' in tested
    yield tent
    yield ramp


def _grid_records(cells: int, failure: str, *, floor: Fraction | None = None, moved: int = 2) -> int:
    """The n from which on noise and counts are small enough, at epsilon_1 = 1/5: part (B), or (C) with a floor."""
    occupied = cells / (floor or Fraction(1))
    return ceil(max(8 * moved * 5, 32) * occupied * log(cells / Fraction(failure)))


@grouped
def lipschitz_uniform() -> Iterator[Any]:
    variance = {p: enclose_formula(poincare_constant, (), {"p": Fraction(p)}) for p in (1, 2, 3)}
    assert variance[3] == variance[2]
    means = [_mean_norm(p) for p in (1, 2, 3)]
    assert abs(means[1] - (sqrt(2) + asinh(1)) / 3) < 1e-9
    yield _up(1 + variance[1].hi), 1, _up(1 + variance[2].hi)
    yield (
        [_up(Fraction(1 + mean).limit_denominator(10**9)) for mean in means],
        [_up(_supremum(p, 1).hi) for p in (1, 2, 3)],
    )
    grid = Fraction(constant("bojkovic2024.kde-grid", "corrected", "12/5"))
    largest = sqrt((grid - 1) / variance[2].midpoint)
    assert rounded(largest, 9) == rounded(pi * sqrt(7 / 5), 9)
    yield largest
    yield float(1 + 400 * variance[2].midpoint), 2, _supremum(2, 20)
    yield from _three_densities()


def _three_densities() -> Iterator[Any]:
    line = _square_integral(lambda x: 1 + 2 * (x - 0.5))
    assert abs(line - 4 / 3) < 1e-9
    yield line
    bump = _square_integral(lambda x: max(0.0, sqrt(6) - 6 * abs(x - 0.5)))
    yield bump, 1 + 6**2 // 12, sqrt(6), 1 + 6 // 2
    tent = _square_integral(lambda x: 4 * min(x, 1 - x))
    yield tent, 1 + 4**2 / 12


def _square_integral(density: Callable[[float], float]) -> float:
    """Of a density with kinks at 1/2 and where the bump ends."""
    kinks = (0.5 - 1 / sqrt(6), 0.5, 0.5 + 1 / sqrt(6))
    mass, square = (quad(lambda x, k=k: density(x) ** k, 0, 1, points=kinks)[0] for k in (1, 2))
    assert abs(mass - 1) < 1e-9
    return float(square)


def _supremum(p: int, lipschitz: int) -> Enclosure:
    return enclose_formula(lipschitz_supremum, (), {"p": Fraction(p), "L": Fraction(lipschitz)})


def _mean_norm(p: int) -> float:
    """E|Z| for Z uniform on the unit cube, by the integral of (1 - E exp(-u^2 |Z|^2))/u^2 over u > 0."""
    value, error = quad(lambda u: (1 - (sqrt(pi) * erf(u) / (2 * u)) ** p) / u**2, 0, np.inf, epsabs=1e-10)
    assert error < 1e-6
    return float(value / sqrt(pi))


def _up(value: Fraction) -> Fraction:
    """To four digits after the point, because it is a bound."""
    return Fraction(ceil(value * 10**4), 10**4)


@grouped
def shifted_histogram() -> Iterator[Any]:
    moved, eta = 2, Fraction(1, 4)
    noise, counts = 16, 32  # records in units of N l / epsilon, and of N l
    by_noise, by_counts = Fraction(2 * moved, noise), 1 / (2 * eta * counts)
    first, second = 1 + by_noise, (1 + by_noise + by_counts) / (1 - eta)
    yield noise, 1, by_noise, first
    yield counts, noise, eta, 1, by_noise, by_counts, 1 / (1 - eta), second
    plain = constant("bojkovic2024.histogram", "corrected", "9/5")
    yield plain, constant("bojkovic2024.histogram-floor", "corrected", "18/5")
    n, epsilon, cells, failure = 5000, Fraction("0.2"), 32, Fraction("0.05")
    ratios = {adjacency: _largest_ratio(n, epsilon, adjacency) for adjacency in ("replace-one", "add-remove")}
    lifted = cells * log(cells / failure) / (2 * eta * n)
    replaced, removed = (float(ratio.midpoint) for ratio in ratios.values())
    both = (replaced + lifted) / float(1 - eta)
    yield cells, failure, epsilon, n, replaced, both, removed


def _largest_ratio(n: int, epsilon: Fraction, adjacency: str) -> Enclosure:
    """1 + 2sN log(N/gamma)/(epsilon n), from what the theorem asks of epsilon n for its own ratio; N = 32."""
    answer = require(
        theorem="synthbounds.shifted-histogram",
        adjacency=adjacency,
        p=5, degree=1, epsilon=1, accuracy="0.4", gamma="0.05",
    )  # fmt: skip
    share, ratio = derived(answer, "c_histogram"), derived(answer, "rho").lo
    return Enclosure(*(1 + end * (ratio - 1) / (epsilon * n) for end in (share.lo, share.hi)))
