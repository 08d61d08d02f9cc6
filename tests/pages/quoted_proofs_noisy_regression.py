"""Numbers on the proof page about regressions from noisy moments: a recorded benchmark, and equations small enough to
follow by hand."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from scipy.stats import binom

from benchmarks.noisy_regression import FORMULAS
from bounds.inference.linear_pivot import LinearPivot, joint_radius
from bounds.inference.linear_region import Bounded, surround
from bounds.inference.penalised_region import penalised_region
from mechanisms.infer.regression.coefficient_search import search_coefficients
from mechanisms.infer.regression.float_pivot import FloatPivot
from mechanisms.infer.regression.one_by_one import Split, first_order
from mechanisms.infer.regression.penalised import solved, subgradient
from tests.pages.quoted import SETTING, Page, decimal, recorded, thousands

LEVEL = Fraction(19, 20)
PENALTY = (Fraction(1, 20), Fraction(0))


def small() -> LinearPivot:
    one = Fraction(1, 10**4)
    return LinearPivot(
        matrix=((Fraction(1, 5), Fraction(1, 20)), (Fraction(1, 20), Fraction(1))),
        right=(Fraction(1, 10), Fraction(1, 4)),
        variances=((one, one / 2), (one / 2, Fraction(0))),
        right_variances=(2 * one, 2 * one),
    )


def _measured() -> Iterator[str]:
    found = {name: recorded("noisy_regression")[name] for name in FORMULAS}
    for name, one in found.items():
        yield _row(
            name.capitalize(),
            str(one["coefficients"]),
            _or_dash(one["joint_half_width_median"], 3),
            f"{one['joint_unbounded']} of {one['releases']}",
            _or_dash(one["any_formula_half_width_median"], 3),
            f"{one['any_formula_unbounded']} of {one['releases']}",
            "-" if one["signs_certain_mean"] is None else f"{one['signs_certain_mean']:.1f}",
            _or_dash(one["alone_over_first_order_median"], 2),
            _or_dash(one["alone_over_first_order_p95"], 2),
        )
    for name, one in found.items():
        table, population = one["coverage"], one["coverage_population"]
        shares = [table["set"], table["alone"], population["population"]]
        assert all(share["compatible"] for share in shares)
        assert one["r_squared_certified"]["covers"] in (1.0, None)
        told = table.get("r_squared_first_order", {"covers": 1.0, "of": 0})
        missed = round((1 - told["covers"]) * told["of"])
        assert missed <= binom.isf(0.0005, table["set"]["of"], 0.05)
        shares += [population["population_anyhow"], population["naive"]]
        covers = [decimal(share["covers"], 3) for share in shares]
        yield _row(name.capitalize(), *covers[:2], f"{thousands(told['of'])}, {missed}", *covers[2:])
    assert found["heart"]["joint_unbounded"] == found["heart"]["releases"]


def _designs() -> Iterator[str]:
    """Little is explained, and then residuals of a rare group alone."""
    found = recorded("noisy_regression")["designs"]
    none = [found[f"{columns} columns that explain 0.0"] for columns in (12, 25)]
    little = [found[f"{columns} columns that explain 0.005"] for columns in (12, 25)]
    assert all(one["releases"] == little[0]["releases"] for one in (*none, *little))
    yield f"{thousands(little[0]['releases'])} releases each"
    yield f"told in {none[0]['told']} releases with 12 columns and in {none[1]['told']} with 25"
    yield f"it would miss in {thousands(none[0]['missed_if_told'])} and {thousands(none[1]['missed_if_told'])}"
    yield f"told in {thousands(little[0]['told'])} and {thousands(little[1]['told'])}"
    yield f"misses in {little[0]['missed']} and {little[1]['missed']}"
    assert none[0]["share"] == none[1]["share"] == 0
    assert all(abs(one["share"] - 0.005) < 5e-4 for one in little)
    rare = found["a rare group"]
    alike, anyhow = (decimal(rare[name]["covers"], 3) for name in ("population", "population_anyhow"))
    yield f"if residuals vary alike covers {alike}, and the other {anyhow}"


def _by_hand() -> Iterator[str]:
    pivot = small()
    floats, radius = FloatPivot.of(pivot), joint_radius(pivot, 1 - LEVEL)
    around, split = surround(pivot, radius), Split.of(pivot, LEVEL)
    assert isinstance(around, Bounded)
    alone = search_coefficients(floats, places=np.arange(2), radius=split.radius, z=split.z)
    usual = first_order(floats, LEVEL)
    yield _row("solution", *(f"{b:.4f}" for b in floats.solution))
    yield _row("all at once (b)", *(_span(lo, hi) for lo, hi in zip(around.lo, around.hi, strict=True)))
    yield _row("alone (d)", *(_span(lo, hi) for lo, hi in zip(alone.lo, alone.hi, strict=True)))
    yield _row("first order", *(_span(one.lo, one.hi) for one in usual))
    point = solved(floats, PENALTY)
    assert point is not None
    region = penalised_region(pivot, radius, point=point, subgradient=subgradient(pivot, point, PENALTY))
    assert region is not None
    yield _row(
        r"with $H=0.05\lvert b_1\rvert$ (f)", *(_span(b - w, b + w) for b, w in zip(point, region.widths, strict=True))
    )


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _span(lo: float | Fraction, hi: float | Fraction) -> str:
    return f"{float(lo):.4f} to {float(hi):.4f}"


def _or_dash(value: float | None, places: int) -> str:
    return "-" if value is None else f"{value:.{places}f}"


def _quotes() -> Iterator[str]:
    yield f"coefficients and {recorded('noisy_regression')['dutch']['releases']} releases"
    yield from _measured()
    yield from _designs()
    yield from _by_hand()


PAGES = {
    "synthbounds.noisy-regression": Page(
        _quotes,
        {
            SETTING: (
                r"$\varepsilon=1$, $\delta=10^{-6}$, replace-one, level $95\%$",
                "alone, 95th percentile",
                "Coverage over 2,000 releases",
                "at $99.9\\%$",
                "5 % of all releases",
                "12 or 25 columns of two values",
                "40,000 records",
                "share 0.005",
                "one record of a hundred, 1,000,000 records",
                r"$G=\begin{pmatrix}0.2&0.05\cr0.05&1\end{pmatrix}$, $m=(0.1,0.25)$, $V_{11}=10^{-4}$, "
                r"$V_{12}=5\cdot10^{-5}$, $V_{22}=0$ (the intercept), $v_1=v_2=2\cdot10^{-4}$, $\alpha=0.05$",
            )
        },
    )
}
