"""How often tests reject over many simulated releases: the level if the columns are independent, else the power.

All releases are drawn and tested at once; simulated p-values, the worst-case route, effects and the range of the real
table's statistic are computed table by table, for the first of them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.infer.chi_square.chi2_law import critical_value
from mechanisms.infer.chi_square.common import share_at_least
from mechanisms.infer.chi_square.draws import STUDY, blocks, drawn_pairs, stream
from mechanisms.infer.chi_square.effect import effect_of_residual, measure_of_pair
from mechanisms.infer.chi_square.fit import fitted_of
from mechanisms.infer.chi_square.independence import simulated_p
from mechanisms.infer.chi_square.power import planned_power, worst_case_values
from mechanisms.infer.chi_square.real_table import least_pearson, pearson_range
from mechanisms.infer.chi_square.shown import ShownPair
from mechanisms.infer.chi_square.statistic import interaction_of, pearson_of, statistics_of

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats

LEVEL, _NEXT = Fraction(19, 20), Fraction(1, 10**9)
ALPHA = float(1 - LEVEL)
_SIMULATED_STEP = STUDY + 2**20


@dataclass(frozen=True, kw_only=True)
class Rejections:
    """Shares of simulated releases."""

    without_privacy: float
    """Pearson's test on the exact tables rejects."""
    asymptotic: float
    simulated: float
    """The recommended p-value."""
    worst_case: float
    """Rejecting only if every table that the noise allows is rejected."""
    synthetic_rows: float
    """Pearson's test on n rows drawn from the noisy shares: what must not be done."""
    planned: float
    """The power predicted by the plan."""
    effect_missed: float
    """The interval of Cramér's V misses that of the population."""
    real_table_missed: float
    """The range of Pearson's statistic misses that of the real table."""
    real_table_told: float
    """The answer says whether the test on the real table rejects."""

    def row(self) -> dict[str, float]:
        return {name: round(value, 4) for name, value in asdict(self).items()}


def rejections(
    shown: ShownPair, shares: Floats, *, releases: int, seed: int, simulations: int, simulated_of: int, slow_of: int
) -> Rejections:
    """Rates over this many releases of tables with these shares, r x c; only the first few get the slow answers."""
    critical = critical_value(ALPHA, shown.degrees)
    exact, combined, synthetic = [], [], []
    for block, count in blocks(releases, numbers=max(shares.size, shown.degrees**2)):
        source = stream(seed=seed, step=STUDY, block=block)
        drawn = drawn_pairs(shown, shares, count, source)
        exact.append(drawn.exact)
        combined.append(drawn.combined)
        synthetic.append(pearson_of(_rows_of(drawn.combined, shown, source)) > critical)
    statistics = np.concatenate([statistics_of(shown, part) for part in combined])
    real, tables = np.concatenate(exact), np.concatenate(combined)
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
    slow = np.array(
        [_slow(shown, shares, *both) for both in zip(tables[:slow_of], pearson_of(real[:slow_of]), strict=True)]
    )
    worst, effect, ranges, told = slow.mean(axis=0).tolist()
    return Rejections(
        without_privacy=float((pearson_of(real) > critical).mean()),
        asymptotic=float((statistics > critical).mean()),
        simulated=float(np.mean([p <= ALPHA for p in p_values])),
        worst_case=worst,
        synthetic_rows=float(np.concatenate(synthetic).mean()),
        planned=planned_power(shown, shares, level=LEVEL),
        effect_missed=effect,
        real_table_missed=ranges,
        real_table_told=told,
    )


def _slow(shown: ShownPair, shares: Floats, table: Floats, real: float) -> tuple[bool, bool, bool, bool]:
    """Whether the worst-case route rejects, effect and real statistic are missed, and a verdict is given."""
    radius, narrow = worst_case_values(LEVEL, shown.degrees)
    found, measure = interaction_of(shown, table), measure_of_pair(shown)
    effect = effect_of_residual(
        measure, residual=found.residual, sampling=found.sampling, noise=found.noise, level=LEVEL
    )
    true = measure.of(shown.size * float(pearson_of(shares)))
    least, most = pearson_range(shown, table, outside=ALPHA)
    critical = critical_value(ALPHA, shown.degrees)
    return (
        least_pearson(shown, table, radius) > narrow,
        effect.hi is None or not effect.lo - _NEXT <= true <= effect.hi + _NEXT,
        not least <= real <= most,
        least > critical or most <= critical,
    )


def fit_level(shown: ShownPair, shares: Floats, *, releases: int, simulations: int, seed: int) -> float:
    """How often the p-value of the fit to the true shares is at most 0.05."""
    fitted, rejected = fitted_of(shown, shares.ravel()), 0
    for block, count in blocks(releases, numbers=max(shares.size, simulations)):
        source = stream(seed=seed, step=STUDY, block=block)
        seen = fitted.statistics(drawn_pairs(shown, shares, count, source).combined.reshape(count, -1))
        for statistic in seen.tolist():
            others = drawn_pairs(shown, shares, simulations, source).combined.reshape(simulations, -1)
            rejected += share_at_least(fitted.statistics(others), statistic) <= ALPHA
    return rejected / releases


def _rows_of(combined: Floats, shown: ShownPair, source: np.random.Generator) -> Floats:
    """Tables of n rows with the noisy shares, those below 0 left out."""
    positive = np.maximum(combined, 0).reshape(len(combined), -1)
    shares = positive / positive.sum(axis=1, keepdims=True)
    return source.multinomial(shown.size, shares).reshape(combined.shape).astype(np.float64)
