"""The answer of a test of a noisy table: statistic, p-values and what they rest on, effect, power; and plans of these.

Nothing here is certified: p-values are exact only as far as pseudo-random numbers can stand for random ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from bounds.shown import Shown
from mechanisms.infer.findings import Interval, Kind

Question: TypeAlias = Literal["fit", "independence"]
Verdict: TypeAlias = Literal["yes", "no", "cannot be told"]


@dataclass(frozen=True, kw_only=True)
class PValue:
    """`exact`: at most its level at every n and noise; `simulated`: from margins that were estimated; else a limit."""

    value: float
    kind: Kind


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The columns, and the noise of their counts, in records."""

    columns: tuple[str, ...]
    levels: tuple[int, ...]
    size: int
    """The number of records, or the public least number under add-remove, which makes every answer cautious."""
    size_is_public: bool
    cell_deviation: float | None
    """Noise of a cell of the columns' own table; None if only one column is asked about."""
    margin_deviations: tuple[float, ...]
    """Noise of a count of each column, from all tables that show it."""
    tables: tuple[int, ...]
    """How many tables show each column."""


@dataclass(frozen=True, kw_only=True)
class ChiSquareTest(Shown):
    """A test about the population that the records were drawn from independently."""

    question: Question
    shape: Shape
    is_simulated: bool
    """Whether the release is a simulation."""
    statistic: float
    degrees: int
    level: Fraction
    """Tests reject at significance 1 - level."""
    critical: float
    asymptotic: PValue
    simulated: PValue
    """The p-value to quote: it kept its level in every setting that was measured."""
    simulations: int
    seed: int
    ignoring_noise_p: float
    """The p-value of Pearson's test on the noisy counts as if they were exact: not valid, shown for comparison."""
    effect: Interval
    """Cramér's V, or Cohen's w of a fit, of the population, with the noise taken off."""
    effect_with_noise: float | None
    """The same from the noisy counts as if they were exact; None if a value is counted that has no share."""
    noncentrality_est: float
    power_est: float
    """Power against the observed effect, which tells no more than the p-value does."""
    effective_size_est: float
    """For an evenly spread effect, a test without privacy on this many records is equally powerful."""
    drowned: tuple[str, ...]
    """Values whose count is less than twice the deviation of its noise, as COLUMN=VALUE."""

    @property
    def conclusions(self) -> tuple[Interval, ...]:
        """The effect: a p-value is no interval."""
        return (self.effect,)

    @property
    def rejects(self) -> bool:
        # both are the floats nearest to their quotients, so that equal ones stay equal
        return self.simulated.value <= float(1 - self.level)


@dataclass(frozen=True, kw_only=True)
class RealTableVerdict(Shown):
    """Would Pearson's test of independence on the real table, without noise, reject? About the table itself."""

    shape: Shape
    is_simulated: bool
    verdict: Verdict
    level: Fraction
    """Probability that the noise is in its ellipsoid; the test rejects at significance 1 - level."""
    degrees: int
    critical: float
    effect: Interval
    """Cramér's V of the table itself."""
    statistic: Interval
    """Pearson's statistic, for every noise in the ellipsoid, at the estimated margins."""

    @property
    def conclusions(self) -> tuple[Interval, ...]:
        return self.effect, self.statistic


@dataclass(frozen=True, kw_only=True)
class PowerPlan(Shown):
    """Power of a test of independence before the budget is spent, from public numbers alone."""

    shape: Shape
    level: Fraction
    degrees: int
    effect: float
    """The Cramér's V to be detected."""
    expected: Interval
    """The interval to expect if the statistic has its expected value for this effect."""
    power_est: float
    """Power for that effect spread evenly, at uniform margins: rare values make it smaller."""
    least_power_est: float
    """Power for the direction of such an effect that the noise hides best."""
    power_without_privacy: float
    worst_case_power: float
    """Power of rejecting only if every table that the noise allows is rejected; simulated."""
    effective_size_est: float
    tables: int
    """How many tables are planned, all of which share the budget."""
    power_alone_est: float
    """Power with a release of only the table of these two columns."""
    effective_size_alone_est: float
    wanted_power: float
    size_for_power: int | None
    """The least number of records with the required power; None beyond the largest that may be planned."""
    effect_for_power: float | None
    """The least Cramér's V that is detected; None if not even 1 is."""

    @property
    def conclusions(self) -> tuple[Interval, ...]:
        return (self.expected,)
