"""How often tests reject over many simulated releases: level where the columns are independent, else power.

All releases are drawn and tested at once; only simulated p-values and the worst-case route
go table by table, for the first of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bounds.exact import Exact
from mechanisms.infer.chi_square.chi2_law import critical_value
from mechanisms.infer.chi_square.common import read_level
from mechanisms.infer.chi_square.draws import STUDY, blocks, drawn_pairs, stream
from mechanisms.infer.chi_square.independence import simulated_p
from mechanisms.infer.chi_square.power import planned_power, worst_case_values
from mechanisms.infer.chi_square.real_table import least_pearson
from mechanisms.infer.chi_square.shown import ShownPair
from mechanisms.infer.chi_square.statistic import interaction_of, pearson_of, statistics_of

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats

_SIMULATED_STEP = STUDY + 2**20


@dataclass(frozen=True, kw_only=True)
class Rejections:
    """Shares of simulated releases in which a test rejects; None where it was not asked for."""

    releases: int
    without_privacy: float
    """Pearson's test on the exact tables."""
    asymptotic: float
    simulated: float | None
    simulated_of: int
    worst_case: float | None
    worst_case_of: int
    synthetic_rows: float
    """Pearson's test on n rows drawn from the noisy shares: what must not be done."""
    planned: float | None
    """The power that the plan says, where a margin is not 0."""


def rejections(
    shown: ShownPair,
    shares: Floats,
    *,
    releases: int,
    seed: int,
    simulations: int = 0,
    simulated_of: int = 0,
    worst_case_of: int = 0,
    level: Exact = "0.95",
) -> Rejections:
    """Over so many releases of tables with these shares, r x c, of which the first few get the slow tests."""
    confidence = read_level(level)
    alpha = float(1 - confidence)
    critical = critical_value(alpha, shown.degrees)
    exact, combined, synthetic = [], [], []
    for block, count in blocks(releases, numbers=max(shares.size, shown.degrees**2)):
        source = stream(seed=seed, step=STUDY, block=block)
        drawn = drawn_pairs(shown, shares, count, source)
        exact.append(pearson_of(drawn.exact) > critical)
        combined.append(drawn.combined)
        synthetic.append(pearson_of(_rows_of(drawn.combined, shown, source)) > critical)
    tables = np.concatenate(combined)
    statistics = np.concatenate([statistics_of(shown, part) for part in combined])
    p_values = [
        simulated_p(
            shown,
            table,
            interaction_of(shown, table),
            simulations=simulations,
            seed=seed,
            step=_SIMULATED_STEP,
            run=run,
        )
        for run, table in enumerate(tables[:simulated_of])
    ]
    radius, narrow = worst_case_values(confidence, shown.degrees)
    worst = [least_pearson(shown, table, radius) > narrow for table in tables[:worst_case_of]]
    full = bool(shares.sum(0).all() and shares.sum(1).all())
    return Rejections(
        releases=releases,
        without_privacy=float(np.concatenate(exact).mean()),
        asymptotic=float((statistics > critical).mean()),
        simulated=float(np.mean([p <= alpha for p in p_values])) if p_values else None,
        simulated_of=len(p_values),
        worst_case=float(np.mean(worst)) if worst else None,
        worst_case_of=len(worst),
        synthetic_rows=float(np.concatenate(synthetic).mean()),
        planned=planned_power(shown, shares, level=level) if full else None,
    )


def _rows_of(combined: Floats, shown: ShownPair, source: np.random.Generator) -> Floats:
    """Tables of n rows with the noisy shares, those below 0 left out."""
    positive = np.maximum(combined, 0).reshape(len(combined), -1)
    shares = positive / positive.sum(axis=1, keepdims=True)
    return source.multinomial(shown.size, shares).reshape(combined.shape).astype(np.float64)
