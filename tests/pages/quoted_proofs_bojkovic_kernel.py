"""Numbers on the proof pages of bojkovic2024 about densities on the cube: kernel estimate, grid, uniform records."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, isclose, log
from typing import Any

import numpy as np

from bounds.sizes.requirement import Requirement
from lp.measures.grid import cells_for_lipschitz
from lp.measures.kernel import kernel_values
from tests.pages.quoted import SETTING, Page
from tests.pages.quoted_proofs_bojkovic import (
    CHANGE,
    USUAL,
    VARYING,
    WIDTH,
    ask,
    facts,
    missed,
    quantity,
    run_by_the_tests,
    sizes,
    sizes_run,
    stated,
    term,
    times_power,
)
from verify.claims.bojkovic2024_kde import corner_mean

DIMENSIONS = (1, 2, 3)
SLOPED: dict[str, Any] = {"lipschitz": 1, "tau": "0.5", "density_max": "1.5"}
FLAT: dict[str, Any] = {"lipschitz": 0, "tau": "1", "density_max": "1"}
VARYING_QUERIES, ALL_QUERIES = 55, 56
"""Generic queries: one of them is constant, which only the printed and the corrected sizes count."""


def each_dimension(values: list[str]) -> str:
    return ", ".join(f"${value}$" for value in values)


def repaired(p: int) -> Requirement:
    return ask("kde", "corrected", p=p, queries=ALL_QUERIES, **SLOPED)


def lattice_noise(p: int) -> int:
    return term(repaired(p), "noise on the lattice").required


def on_a_grid(p: int) -> Requirement:
    question = {name: SLOPED[name] for name in ("lipschitz", "tau")}
    return ask("kde-grid", "corrected", p=p, queries=ALL_QUERIES, **question)


def cells_survive(p: int) -> int:
    return term(on_a_grid(p), "density condition").required


def sharp(p: int, lipschitz: int) -> Requirement:
    return ask("kde", p=p, queries=VARYING_QUERIES, lipschitz=lipschitz)


def _kde() -> Iterator[str]:
    for question in (FLAT, SLOPED):
        found = [ask("kde", "printed", p=p, queries=ALL_QUERIES, **question) for p in DIMENSIONS]
        constants = ", ".join(f"{quantity(answer, 'C'):.4f}" for answer in found)
        bandwidths = ", ".join(f"{quantity(answer, 'C_prime'):.5g}" for answer in found)
        setting = rf"with $\Vert\nu\Vert_\infty={question['density_max']}$, $\tau={question['tau']}$"
        yield f"{setting}: $C={constants}$, $C'={bandwidths}$"
        if question is FLAT:
            yield rf"$K={quantity(found[0], 'K'):.4f}$ at $\tau=1$."
    yield f"conditions for $\\mu$ only ($K={quantity(repaired(1), 'K')}$):"
    for p in DIMENSIONS:
        yield _row(p)
    yield from _sharp_options()
    yield from _kernel_sums()
    run = run_by_the_tests("bojkovic2024.kde", "corrected")
    yield f"({sizes_run(run)})"
    yield missed(run, r"6\gamma=")


def _row(p: int) -> str:
    answer = repaired(p)
    kernel, noise = term(answer, "kernel estimate").required, lattice_noise(p)
    change = quantity(answer, "lattice_sensitivity")
    if p == 1:
        last = f"{change:.2f} | {kernel} | **{noise}**"
    else:
        bold = rf"$\mathbf{{{times_power(noise, 5)}}}$"
        last = f"${times_power(change, 4)}$ | ${times_power(kernel, 5)}$ | {bold}"
    sums = f"{quantity(answer, 'kernel_sup'):.3f} | {quantity(answer, 'kernel_sum'):.5g}"
    degree = round(quantity(answer, "bernstein_degree"))
    return f"| {p} | {quantity(answer, 'h'):.6f} | {degree} | {sums} | {last} | {cells_survive(p)} |"


def _sharp_options() -> Iterator[str]:
    yield f"({facts(WIDTH, VARYING, CHANGE, p=1, queries=VARYING_QUERIES)}, $F={ALL_QUERIES}$)"
    both = [
        f"{stated('synthbounds.noise-linf', 'sharp', queries=VARYING_QUERIES, gamma=gamma):.2f}"
        for gamma in (2 * Fraction(USUAL["gamma"]), USUAL["gamma"])
    ]
    yield rf"$e_k={_row_error()}$, $\ell_\infty$ noise ($Q_{{2\gamma}}={both[0]}$, $Q_\gamma={both[1]}$)"
    option_a = [sizes(sharp(p, 1), "uniform, rejection") for p in DIMENSIONS]
    (n,) = {records for records, _ in option_a}
    points = ", ".join(str(m) for _, m in option_a)
    yield f"option A $n={n}$, $m={points}$ for $p=1,2,3$ (rejection)"
    yield f"option B with $p=3$: {_option_b(3, 1)}."
    query_noise = term(ask("kde", "corrected", p=1, queries=VARYING_QUERIES, **SLOPED), "privacy of the noisy answers")
    yield f"The query-noise condition of IV.1' alone asks for ${query_noise.required}$ records."
    n, m = sizes(sharp(2, 6), "uniform, rejection")
    yield f"With $L=6$, $p=2$: A has $n={n}$, $m={m}$; B has {_option_b(2, 6)}."


def _row_error() -> float:
    return quantity(sharp(1, 1), "e_k")


def _option_b(p: int, lipschitz: int) -> str:
    n, m = sizes(sharp(p, lipschitz), "grid, any infimum")
    return f"$q={cells_for_lipschitz(p, lipschitz)}$, $n={n}$, $m={m}$"


def _kernel_sums() -> Iterator[str]:
    """The lattice sums of the kernel for records all over the axis, and what the two farthest records change."""
    answer, count = repaired(1), 2001
    degree, width = round(quantity(answer, "bernstein_degree")), quantity(answer, "h")
    yield f"$n={lattice_noise(1)}$, $k_B={degree}$"
    ratio = quantity(answer, "K")
    assert ratio == float(3 + Fraction(SLOPED["tau"])) / 2
    yield rf"$\nu/\mu$ is below ${ratio}$ everywhere"
    lattice, records = np.arange(degree + 1) / degree, np.linspace(0, 1, count)
    values = kernel_values(lattice, records, bandwidth=Fraction(width))
    sums = values.sum(axis=1)
    assert isclose(sums[0], sums[-1])
    assert isclose(sums.max(), sums[0], rel_tol=1e-12)
    assert isclose(sums[0], quantity(answer, "kernel_sum") / width)
    largest = rf"${count}$ values of $u$: the largest is ${sums[0]:.4f}=\theta_r/h$, at the end points"
    change = np.abs(values[0] - values[-1]).sum()
    assert isclose(change, quantity(answer, "lattice_sensitivity"))
    yield f"{largest}; the $\\ell_1$ change from a record at $0$ to one at $1$ is ${change:.3f}$"


def _kde_grid() -> Iterator[str]:
    conditions = []
    for p in DIMENSIONS:
        answer = on_a_grid(p)
        per_axis, cells = (round(quantity(answer, name)) for name in ("cells_per_axis", "cells"))
        whole = f", $N={cells}$" if p > 1 else ""
        conditions.append(f"${cells_survive(p)}$ ($p={p}$, $q={per_axis}${whole})")
    noise = [lattice_noise(1), *(times_power(lattice_noise(p), 5) for p in DIMENSIONS[1:])]
    yield f"histogram condition {', '.join(conditions)}, against {each_dimension([str(n) for n in noise])} for IV.1'."
    bound = on_a_grid(1).renyi_bound
    assert bound is not None
    assert bound.hi.denominator == 5
    yield f"$q=6$, $n={cells_survive(1)}$, $\\varepsilon={USUAL['epsilon']}$"
    yield rf"$\kappa$ exceeds $\frac{{{bound.hi.numerator}}}5$"
    run = run_by_the_tests("bojkovic2024.kde-grid", "corrected")
    yield f"({sizes_run(run)})"
    yield missed(run, r"6\gamma=")


def _kde_uniform() -> Iterator[str]:
    printed, corrected = (
        [ask("kde-uniform", edition, p=p, queries=ALL_QUERIES) for p in DIMENSIONS]
        for edition in ("printed", "corrected")
    )
    second = [ceil(100 * term(answer, "released estimate").threshold.hi) / 100 for answer in printed]
    yield f"Second printed term: {each_dimension([f'{number:.2f}' for number in second])} for $p=1,2,3$ (rounded up)."
    kernel, noise = (
        each_dimension([str(term(answer, begins).required) for answer in corrected])
        for begins in ("kernel estimate", "noise on the lattice")
    )
    yield f"conditions for $\\mu$: kernel {kernel}; noise {noise}."
    answer = ask("kde-uniform", p=1, queries=VARYING_QUERIES)
    known = facts(WIDTH, VARYING, CHANGE, p=1, queries=VARYING_QUERIES)
    direct = ceil(log(2 * VARYING_QUERIES / Fraction(USUAL["gamma"])) / (2 * Fraction(USUAL["delta"]) ** 2))
    sizes_known = rf"$n={answer.n}$, $m={answer.m}$ (or ${direct}$ by the direct bound)"
    yield rf"Sharp with {known}, $\delta={USUAL['delta']}$, $e_k={_row_error()}$: {sizes_known}"
    yield f"corrected $m={corrected[0].m}$; printed $m={printed[0].m}$."
    means = [f"{float(corner_mean(p, Fraction('0.3')).midpoint):.4f}" for p in DIMENSIONS]
    yield f"is {each_dimension(means)} for $h=0.3$ and $p=1,2,3$"


PAGES = {
    "bojkovic2024.kde": Page(
        _kde,
        {
            SETTING: (
                r"$\tau=0.5$, $\Vert\nu\Vert_\infty=1.5$, $\varepsilon=0.2$, $\gamma=0.05$",
                r"$\varepsilon=0.2$, $\delta=\gamma=0.05$",
            )
        },
    ),
    "bojkovic2024.kde-grid": Page(_kde_grid, {SETTING: (r"$\tau=0.5$, $\varepsilon=0.2$, $\gamma=0.05$",)}),
    "bojkovic2024.kde-uniform": Page(_kde_uniform, {SETTING: (r"$\varepsilon=0.2$, $\gamma=0.05$",)}),
}
