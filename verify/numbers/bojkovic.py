"""Sizes on the proof pages of bojkovic2024, on finite domains and on the cube, and those that were simulated."""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil, isclose, log, sqrt
from typing import Any

import numpy as np

from bounds.sizes.requirement import Requirement, TermResult
from lp.measures.grid import cells_for_lipschitz
from lp.measures.kernel import kernel_values
from verify.claims.bojkovic2024_kde import corner_mean
from verify.numbers.answers import USUAL, ask, by_route, everywhere, quantity, sizes, term

DIMENSIONS = (1, 2, 3)
SLOPED: dict[str, Any] = {"lipschitz": 1, "tau": "0.5", "density_max": "1.5"}
FLAT: dict[str, Any] = {"lipschitz": 0, "tau": "1", "density_max": "1"}
GENERIC, ALL = 55, 56
"""Generic queries: one of them is constant, which only the printed and the corrected sizes count."""


def error_coefficient(queries: int) -> float:
    """The printed size, at gamma = 1/4."""
    spread = sqrt(log(2 * queries / 0.25) / (2 * log(queries / 0.25)))
    return 2 + 4 * spread + 2 * sqrt(1 + 1 / queries)


def uniform(mechanism: str | None = None, **queries: Any) -> list[Any]:
    """Printed n, sharp n with rows and with the density released, printed and sharp m."""
    printed = ask("uniform", "printed", **queries)
    more = {} if mechanism is None else {"mechanism": mechanism}
    rows, density = (everywhere(**USUAL, release=how, **queries, **more) for how in ("rows", "density"))
    return [printed.n, rows.n, density.n, printed.m, rows.m]


def coefficients(noise: tuple[str, ...] = ("Q_linf", "Q_laplace")) -> list[Any]:
    return quantity(everywhere(**USUAL, p=10, degree=2), *noise)


# --- histograms ----------------------------------------------------------------------------------------------------


def histogram(p: int) -> list[Any]:
    """p and the sizes as printed, by III.1', by item 2 with the points that it accepts, and by item 1."""
    repaired, sharp = (ask("histogram-uniform", edition, p=p, degree=2) for edition in ("corrected", "sharp"))
    n, m = by_route(sharp, "shifted histogram")
    (accepted,) = quantity(sizes("synthbounds.shifted-histogram", p=p, degree=2, **USUAL), "M")
    shifted = (n, round(accepted.midpoint), m)
    return [p, substituted(p).required, (repaired.n, repaired.m), shifted, by_route(sharp, "full support")]


def shifted_under_add_remove(p: int) -> int:
    return by_route(ask("histogram-uniform", p=p, degree=2, adjacency="add-remove"), "shifted histogram")[0]


def survives(p: int, theorem: str = "histogram-floor", **question: Any) -> int:
    """Records so that every cell survives counting and noise."""
    return term(ask(theorem, "corrected", p=p, degree=2, **question), "density condition").required


def substituted(p: int, **question: Any) -> TermResult:
    """The condition of Theorem III.1 as printed at tau_1 = tau_2 = 1/N."""
    share = Fraction(1, 2**p)
    return term(ask("histogram", "printed", p=p, degree=2, tau1=share, tau2=share, **question), "empirical")


def compared(p: int) -> tuple[int, int]:
    """Records of the histogram condition, repaired and printed, for a large delta and gamma."""
    large = {"delta": "0.5", "gamma": "0.25"}
    printed, points = substituted(p, **large), 2**p
    assert isclose(printed.threshold.midpoint, 8 * points**3 + 16 * points**2 * log(4))
    return survives(p, "histogram-uniform", **large), printed.required


def setting(name: str) -> list[int]:
    """Points and records of a simulated setting, and the larger numbers that the theorem requires."""
    points, n = map(int, re.fullmatch(r"\w+:(\d+) n=(\d+)", name).groups())  # type: ignore[union-attr]
    asked = survives(points.bit_length() - 1)
    assert n < asked
    return [points, n, asked]


def worst_setting(found: dict[str, Any]) -> list[Any]:
    """Over all seven settings: the largest median, points, records and records required; by Zipf's law."""
    named = {name: one for name, one in found.items() if " n=" in name}
    worst = max(named, key=lambda name: float(named[name]["mixture_median"]))
    return [len(named) == 7, worst.startswith("zipf"), named[worst]["mixture_median"], *setting(worst)]


def points_with_weight() -> list[Any]:
    """Reference points for p = 5: with weight 1/2, with 5/14, where the two bounds of the proof agree, and sharp."""
    half, weight = ask("histogram-floor", "corrected", p=5, degree=2), Fraction(5, 14)
    heavy, other = Fraction(9, 5) / (1 - weight), 1 / weight
    assert heavy == other
    assert half.renyi_bound is not None
    assert half.m is not None
    sharp = by_route(ask("histogram-floor", p=5, degree=2), "shifted histogram")[1]
    return [half.m, Fraction(1, 2), half.m * heavy / half.renyi_bound.hi, weight, sharp]


def allowed(theorem: str = "histogram-floor", **question: Any) -> Fraction:
    bound = ask(theorem, "corrected", **question).renyi_bound
    assert bound is not None
    return bound.hi


# --- densities on the cube -----------------------------------------------------------------------------------------


def constants(question: dict[str, Any], name: str) -> list[Any]:
    """A printed constant, by dimension."""
    return [quantity(ask("kde", "printed", p=p, queries=ALL, **question), name) for p in DIMENSIONS]


def kde(p: int) -> Requirement:
    return ask("kde", "corrected", p=p, queries=ALL, **SLOPED)


def lattice_noise(p: int) -> int:
    return term(kde(p), "noise on the lattice").required


def grid(p: int) -> Requirement:
    return ask("kde-grid", "corrected", p=p, queries=ALL, lipschitz=1, tau="0.5")


def cells_survive(p: int) -> int:
    return term(grid(p), "density condition").required


def kde_row(p: int) -> list[Any]:
    found = quantity(kde(p), "h", "bernstein_degree", "kernel_sup", "kernel_sum", "lattice_sensitivity")
    return [p, found, term(kde(p), "kernel estimate").required, lattice_noise(p), cells_survive(p)]


def rejection(p: int, lipschitz: int) -> tuple[int, int]:
    """n and m of option A."""
    return by_route(ask("kde", p=p, queries=GENERIC, lipschitz=lipschitz), "uniform, rejection")


def option_b(p: int, lipschitz: int) -> list[Any]:
    """q, n and m."""
    sharp = ask("kde", p=p, queries=GENERIC, lipschitz=lipschitz)
    return [cells_for_lipschitz(p, lipschitz), by_route(sharp, "grid, any infimum")]


def row_error() -> Any:
    return quantity(ask("kde", p=1, queries=GENERIC, lipschitz=1), "e_k")


def query_noise() -> int:
    """Records required by the noise on the queries alone."""
    return term(ask("kde", "corrected", p=1, queries=GENERIC, **SLOPED), "privacy of the noisy answers").required


def kernel_sums(count: int = 2001) -> tuple[float, float]:
    """The largest lattice sum of the kernel, at both ends, and the change by the two farthest records."""
    degree, width, total, change = (float(one.midpoint) for one in quantity(
        kde(1), "bernstein_degree", "h", "kernel_sum", "lattice_sensitivity"
    ))  # fmt: skip
    lattice, records = np.arange(degree + 1) / degree, np.linspace(0, 1, count)
    values = kernel_values(lattice, records, bandwidth=Fraction(width))
    sums, moved = values.sum(axis=1), float(np.abs(values[0] - values[-1]).sum())
    assert isclose(sums[0], sums[-1])
    assert isclose(sums.max(), sums[0], rel_tol=1e-12)
    assert isclose(sums[0], total / width)
    assert isclose(moved, change)
    return float(sums[0]), moved


def second_term(p: int) -> Fraction:
    """As printed, rounded up."""
    found = term(ask("kde-uniform", "printed", p=p, queries=ALL), "released estimate")
    return Fraction(ceil(100 * found.threshold.hi), 100)


def kde_uniform(begins: str) -> list[int]:
    return [term(ask("kde-uniform", "corrected", p=p, queries=ALL), begins).required for p in DIMENSIONS]


def direct_bound() -> int:
    return ceil(log(2 * GENERIC / Fraction(USUAL["gamma"])) / (2 * Fraction(USUAL["delta"]) ** 2))


def corner_means() -> list[Fraction]:
    return [corner_mean(p, Fraction("0.3")).midpoint for p in DIMENSIONS]
