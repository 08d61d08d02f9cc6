"""What a release says about a regression, as it is shown; nothing is computed here."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.shown import Shown
from mechanisms.infer.findings import Interval
from mechanisms.infer.regression.units import Unit
from release.moments.file import MomentRelease


@dataclass(frozen=True, kw_only=True)
class Weakness:
    """Why a confidence set has no bounds: the combination of coefficients about which the equations say least."""

    direction: tuple[float, ...]
    """A direction of length 1, an estimate."""
    is_proved: bool
    """Whether the set certainly goes to infinity along it; if not, it could not be shown to be bounded."""
    signal: float
    """The least singular value of the equations in units of their noise, an estimate."""
    needed: float
    """The least singular value above which the set is bounded."""
    drop: tuple[str, ...]
    """Without these regressors the set is bounded; empty if no such choice was found."""


@dataclass(frozen=True, kw_only=True)
class FirstOrder:
    """Ends to first order in the noise, the usual normal interval: estimates, right if the noise is small."""

    lo: float
    hi: float
    deviation: float


@dataclass(frozen=True, kw_only=True)
class RegressionAnswer(Shown):
    """Least squares coefficients of the real table from noisy moments. Intervals have the order of `names`."""

    release: MomentRelease
    formula: str
    response: str
    response_text: str
    names: tuple[str, ...]
    references: tuple[str, ...]
    """Indicators that were left out, with which the others of their columns are compared."""
    units: tuple[Unit | None, ...]
    ridge: Fraction
    level: Fraction
    any_formula: bool
    """Whether all holds for every formula, response and ridge at once; then only `joint` and R squared are given."""
    coefficients: tuple[Interval, ...]
    """One at a time: exact level, ends by search."""
    joint: tuple[Interval, ...]
    """All at once: exact level, ends certified."""
    population: tuple[Interval, ...]
    """One at a time, for the population, if all residuals vary alike; empty with a ridge."""
    population_anyhow: tuple[Interval, ...]
    """The same however residuals vary."""
    first_order: tuple[FirstOrder, ...]
    """Empty if the set of all coefficients has no bounds, because the noise is not small then."""
    explained: tuple[Interval, ...]
    """R squared: certified, then to first order where that applies; empty if the release does not determine it."""
    weakness: Weakness | None
    """Why `joint` has no ends, if it has none."""
    signal: float
    """The least singular value of the equations in units of their noise, an estimate."""
    scale: float
    """Factor from these coefficients to those on features in the unit ball."""
    notes: tuple[str, ...]

    @property
    def is_simulated(self) -> bool:
        return self.release.is_simulated

    @property
    def conclusions(self) -> tuple[Interval, ...]:
        """Each coefficient, R squared, all coefficients at once, and those of the population; if everything holds for
        every formula, all at once come first."""
        if self.any_formula:
            return (*self.joint, *self.explained)
        return (*self.coefficients, *self.explained, *self.joint, *self.population, *self.population_anyhow)

    @property
    def certain(self) -> int:
        """How many coefficients certainly have a sign, all at once."""
        return sum(found.sign != 0 for found in self.joint)

    @property
    def is_bounded(self) -> bool:
        return self.weakness is None
