"""Numbers of the proof pages about reference measures: kernels, grids, lifted histograms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import asinh, ceil, log, pi, sqrt

import numpy as np
from scipy.integrate import quad
from scipy.special import erf

import synthbounds as sb
from bounds.enclosure import Enclosure
from bounds.privacy.adjacency import Adjacency
from bounds.sizes.routes import enclose_formula
from bounds.theorems.synthbounds_lipschitz_uniform import lipschitz_supremum, poincare_constant
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
from tests.pages.quoted import SETTING, Page, text_of
from tests.pages.quoted_proofs_density import derived, rounded
from tests.pages.quoted_theorems import constant

BITS = 16
KERNELS = (
    ("reflected", 1, 144, "0.052221"),
    ("reflected", 1, 10, "0.3"),
    ("reflected", 2, 10, "0.3"),
    ("reflected", 2, 10, "1"),
    ("reflected", 3, 10, "0.3"),
    ("plain", 2, 2, "0.5"),
    ("plain", 2, 10, "0.3"),
    ("plain", 2, 20, "0.2"),
    ("plain", 3, 10, "0.3"),
)


def _bernstein_measure() -> Iterator[str]:
    yield f"attributes of ${SIZE}$ codes, $b={BITS}$"
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
        moves = [_three_or_one(float(move)) for move in (Fraction(calibrated, unit), analytic, Fraction(found, unit))]
        yield f"| {kernel} | {p} | {degree} | {width} | {' | '.join(moves)} | {rounded(loss, 3)} |"


def _lattice_rows(table: AxisTable, p: int) -> np.ndarray:
    """What every record of the grid of codes adds to the sums over the lattice: records in rows."""
    records = np.array(list(product(GRIDS[p], repeat=p)))
    rows = np.ones((len(records), 1), dtype=np.int64)
    for axis in range(p):
        rows = (rows[:, :, None] * table.entries[records[:, axis]][:, None, :]).reshape(len(records), -1)
    return rows


def _three_or_one(value: float) -> str:
    return f"{value:.3f}" if value < 1000 else f"{value:.1f}"


def _lipschitz_grid() -> Iterator[str]:
    removed = []
    for lipschitz, p, tau in ((1, 3, Fraction(1, 2)), (6, 2, Fraction(1, 4))):
        sizes = {}
        for floor in (None, tau):
            q = cells_for_lipschitz(p, lipschitz, tau=floor)
            replaced, other = (_grid_records(q**p, "0.025", floor=floor, moved=moved) for moved in (2, 1))
            sizes[floor] = f"${q}$, ${q**p}$, " + (f"${replaced}$" if q > 1 else "none (uniform)")
            removed += [other] if q > 1 else []
        known = rf"$\tau=\frac{tau.numerator}{tau.denominator}$: {sizes[tau]}"
        yield f"| ${lipschitz}$, ${p}$ | {sizes[None]} | {known} |"
    yield f"Under add/remove the same $n$ are ${removed[0]}$, ${removed[1]}$ and ${removed[2]}$"
    for edition, bound in (("sharp", Fraction(125, 48)), ("corrected", Fraction(12, 5))):
        theorem = "synthbounds.lipschitz-grid" if edition == "sharp" else "bojkovic2024.kde-grid"
        constant(theorem, edition, str(bound))
    yield r"its smaller constant $\frac{12}5$"
    tested = text_of("tests/lp/test_measures.py")
    tent, ramp = _grid_records(5, "0.025"), _grid_records(6, "0.05", floor=Fraction(1, 2))
    assert f'(4 * np.minimum(middle, 1 - middle), 5, {tent}, "covering", 125 / 48,' in tested
    assert f'(0.5 + middle, 6, {ramp}, "plain", 12 / 5,' in tested
    yield rf"$L=4$, $q=5$ and $n={tent}$ stays below $\frac{{125}}{{48}}$"
    yield rf"$q=6$, $g=0.05$ and $n={ramp}$ below $\frac{{12}}5$"


def _grid_records(cells: int, failure: str, *, floor: Fraction | None = None, moved: int = 2) -> int:
    """The n from which on noise and counts are small enough, at epsilon_1 = 1/5: part (B), or (C) with a floor."""
    occupied = cells / (floor or Fraction(1))
    return ceil(max(8 * moved * 5, 32) * occupied * log(cells / Fraction(failure)))


def _lipschitz_uniform() -> Iterator[str]:
    variance = {p: enclose_formula(poincare_constant, (), {"p": Fraction(p)}) for p in (1, 2, 3)}
    assert variance[3] == variance[2]
    condition = [_up(1 + variance[p].hi, 4) for p in (1, 2)]
    means = [_mean_norm(p) for p in (1, 2, 3)]
    assert abs(means[1] - (sqrt(2) + asinh(1)) / 3) < 1e-9
    by_mean = [_up(Fraction(1 + mean).limit_denominator(10**9), 4) for mean in means]
    by_root = [_up(_supremum(p, 1).hi, 4) for p in (1, 2, 3)]
    yield rf"$\kappa\le{condition[0]}$ for $p=1$ and $\kappa\le{condition[1]}$ for every $p\ge2$"
    yield (
        rf"$\sup\nu\le{by_mean[0]}$, ${by_mean[1]}$, ${by_mean[2]}$ by $m_p$ and "
        rf"${by_root[0]}$, ${by_root[1]}$, ${by_root[2]}$ by $\sqrt{{p/3}}$"
    )
    grid = Fraction(constant("bojkovic2024.kde-grid", "corrected", "12/5"))
    largest = sqrt((grid - 1) / variance[2].midpoint)
    assert rounded(largest, 9) == rounded(pi * sqrt(7 / 5), 9)
    yield rf"below $\frac{{12}}5$, the constant of the corrected grid theorem, for $L\le\pi\sqrt{{7/5}}={largest:.3f}$"
    first = 1 + 400 * variance[2].midpoint
    yield f"$L=20$ item 1 gives ${rounded(first, 2)}$ and item 2 ${rounded(_supremum(2, 20), 2)}$"
    yield from _three_densities()


def _three_densities() -> Iterator[str]:
    line = _square_integral(lambda x: 1 + 2 * (x - 0.5))
    assert abs(line - 4 / 3) < 1e-9
    yield rf"$\int\nu^2={line:.5f}$, the bound with $L=2$ is $\frac43$"
    bump = _square_integral(lambda x: max(0.0, sqrt(6) - 6 * abs(x - 0.5)))
    yield rf"$\int\nu^2={bump:.4f}\le{1 + 6**2 // 12}$ and $\sup\nu={sqrt(6):.3f}\le{1 + 6 // 2}$"
    tent = _square_integral(lambda x: 4 * min(x, 1 - x))
    yield rf"$\int\nu^2={tent:.4f}\le{1 + 4**2 / 12:.4f}$"


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


def _up(value: Fraction, places: int) -> str:
    """Rounded up, because it is a bound; without zeros that carry nothing."""
    return f"{ceil(value * 10**places) / 10**places:g}"


def _shifted_histogram() -> Iterator[str]:
    moved, eta = 2, Fraction(1, 4)
    noise, counts = 16, 32  # records in units of N l / epsilon, and of N l
    by_noise, by_counts = Fraction(2 * moved, noise), 1 / (2 * eta * counts)
    first, second = 1 + by_noise, (1 + by_noise + by_counts) / (1 - eta)
    yield rf"At $n=\frac{{{noise}}}\varepsilon N\ell$ part (a) gives $1+{_frac(by_noise)}={_frac(first)}$"
    yield (
        rf"At $n=\max\lbrace {counts},\frac{{{noise}}}\varepsilon\rbrace N\ell$ and $\eta={_frac(eta)}$ part (b) gives "
        rf"$(1+{_frac(by_noise)}+{_frac(by_counts)})\cdot{_frac(1 / (1 - eta))}={_frac(second)}$ for every $\nu$"
    )
    plain = Fraction(constant("bojkovic2024.histogram", "corrected", "9/5"))
    mixed = Fraction(constant("bojkovic2024.histogram-floor", "corrected", "18/5"))
    known = rf"the plain histogram gives ${_frac(plain)}$ under a lower bound on $\nu$"
    yield rf"where {known} and its mixture with the uniform measure ${_frac(mixed)}$"
    n, epsilon, cells, failure = 5000, Fraction("0.2"), 32, Fraction("0.05")
    ratios = {adjacency: _largest_ratio(n, epsilon, adjacency) for adjacency in ("replace-one", "add-remove")}
    lifted = cells * log(cells / failure) / (2 * eta * n)
    shown = rf"For $N={cells}$, $\gamma={float(failure)}$, $\varepsilon={float(epsilon)}$, $n={n}$"
    replaced, removed = (float(ratio.midpoint) for ratio in ratios.values())
    both = (replaced + lifted) / float(1 - eta)
    yield f"{shown}: ${replaced:.4f}$ in (a), ${both:.4f}$ in (b); under add/remove (a) gives ${removed:.4f}$"


def _frac(value: Fraction) -> str:
    """As the pages write it: braces around two digits only."""
    top, bottom = (str(part) if part < 10 else f"{{{part}}}" for part in (value.numerator, value.denominator))
    return rf"\frac{top}{bottom}"


def _largest_ratio(n: int, epsilon: Fraction, adjacency: str) -> Enclosure:
    """1 + 2sN log(N/gamma)/(epsilon n), from what the theorem asks of epsilon n for its own ratio; N = 32."""
    answer = sb.require(
        theorem="synthbounds.shifted-histogram",
        adjacency=adjacency,
        p=5, degree=1, epsilon=1, accuracy="0.4", gamma="0.05",
    )  # fmt: skip
    share, ratio = derived(answer, "c_histogram"), derived(answer, "rho").lo
    return Enclosure(*(1 + end * (ratio - 1) / (epsilon * n) for end in (share.lo, share.hi)))


PAGES = {
    "synthbounds.bernstein-measure": Page(_bernstein_measure),
    "synthbounds.lipschitz-grid": Page(
        _lipschitz_grid,
        {SETTING: (r"Replace-one, $\varepsilon_1=0.2$, $g=0.025$ ($\gamma=0.05$).", r"at $\varepsilon_1=0.2$, $s=2$")},
    ),
    "synthbounds.lipschitz-uniform": Page(_lipschitz_uniform),
    "synthbounds.shifted-histogram": Page(_shifted_histogram),
}
