"""Code shared by both tests: p-values from draws, the worth of records, and the assembled answer."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable
from bounds.exact import Exact, parse_rational, require_range
from mechanisms.infer.chi_square.answers import ChiSquareTest, PValue, Question
from mechanisms.infer.chi_square.chi2_law import critical_value, upper_tail
from mechanisms.infer.chi_square.effect import Measure, effect_of_residual
from mechanisms.infer.chi_square.shown import ShownColumn, ShownPair
from mechanisms.infer.chi_square.tables import NoisyTables

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats

MOST_DEGREES = 2_500
"""Most rows of a covariance."""
_ROUNDING = 1e-8


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """Contrasts between the shown counts and a hypothesis, and how they vary if it is true."""

    question: Question
    shown: ShownColumn | ShownPair
    counts: Floats
    residual: Floats
    sampling: Floats
    """Covariance of the records."""
    noise: Floats
    """Covariance of the noise."""
    measure: Measure
    pearson: float
    """Pearson's statistic on the noisy counts as if they were exact."""
    effect_with_noise: float | None

    @property
    def statistic(self) -> float:
        return float(self.residual @ np.linalg.solve(self.sampling + self.noise, self.residual))

    @property
    def degrees(self) -> int:
        return len(self.residual)


def read_level(level: Exact) -> Fraction:
    found = parse_rational(level, "level")
    require_range("level", found, level, least=Fraction(1, 2), below=1, reason="a probability")
    return found


def require_degrees(degrees: int) -> None:
    if degrees > MOST_DEGREES:
        raise NotApplicable(
            f"degrees of freedom = {degrees:,}: must be at most {MOST_DEGREES:,} (the covariance of the table)"
        )


def share_at_least(simulated: Floats, statistic: float) -> float:
    """(1 + #{S* >= S}) / (B + 1); values that differ only by rounding count as equal, as often in small tables."""
    reached = simulated >= statistic - _ROUNDING * (1 + statistic)
    return float((1 + np.count_nonzero(reached)) / (len(simulated) + 1))


def effective_size(size: float, sampling: Floats, noise: Floats) -> float:
    """n tr(V^-1 V1) / d: how much the records count, on average over directions."""
    ratio = np.trace(np.linalg.solve(sampling + noise, sampling)) / len(sampling)
    return float(size * ratio)


def answer_of(
    tables: NoisyTables, found: Compared, *, simulated: PValue, level: Fraction, simulations: int, seed: int
) -> ChiSquareTest:
    """The answer, with the p-value that was simulated."""
    degrees, statistic = found.degrees, found.statistic
    critical, shift = critical_value(float(1 - level), degrees), max(0.0, statistic - degrees)
    return ChiSquareTest(
        question=found.question,
        shape=found.shown.shape,
        is_simulated=tables.is_simulated,
        statistic=statistic,
        degrees=degrees,
        level=level,
        critical=critical,
        asymptotic=PValue(value=upper_tail(statistic, degrees), kind="asymptotic"),
        simulated=simulated,
        simulations=simulations,
        seed=seed,
        ignoring_noise_p=upper_tail(found.pearson, degrees),
        effect=effect_of_residual(
            found.measure, residual=found.residual, sampling=found.sampling, noise=found.noise, level=level
        ),
        effect_with_noise=found.effect_with_noise,
        noncentrality_est=shift,
        power_est=upper_tail(critical, degrees, shift),
        effective_size_est=effective_size(found.shown.size, found.sampling, found.noise),
        drowned=found.shown.drowned(tables.schema, found.counts),
    )
