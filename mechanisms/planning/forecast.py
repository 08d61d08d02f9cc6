"""The terms of a plan of a release: a budget, kinds of errors, and what one method promises about them.

An error holds for all numbers of its kind at once, except with the plan's beta, and for every table that fits the
schema; it follows from public facts alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from mechanisms.mechanism import Public


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Total privacy; dp_delta is None if it is pure."""

    epsilon: Fraction
    dp_delta: Fraction | None = None


@dataclass(frozen=True, kw_only=True)
class Planned:
    """The public facts, and the failure probability of the errors."""

    public: Public
    beta: Fraction
    label: str | None = None


@dataclass(frozen=True, kw_only=True)
class ErrorBound:
    """No number of the kind is off by more than `value`; `trivial` is the bound that holds without any data."""

    value: Fraction
    trivial: Fraction

    @property
    def vacuous(self) -> bool:
        return self.value >= self.trivial


@dataclass(frozen=True, kw_only=True)
class Work:
    """What AIM would do; all of it is public."""

    tables: int
    """Number of tables of `degree` columns that are to be preserved."""
    candidates: int
    """Number of sets of columns that it chooses from."""
    largest_cells: int
    """Cells of the largest candidate."""
    noise_est: float
    """Deviation of a count, in records, before any annealing."""
    most_rounds: int
    model_mb: int
    cpu_seconds_est: float


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """The promise of a method for a budget, by kind of error; `reason` says why kinds are missing."""

    method: str
    budget: Budget
    errors: Mapping[str, ErrorBound] = field(hash=False)
    noise: str = ""
    """The cheapest mechanism, or the one that the command uses."""
    reason: str = ""
    work: Work | None = None
    """Only for AIM."""

    def error(self, kind: str) -> Fraction | None:
        """The error of a kind; None if nothing is promised beyond what holds without any data."""
        bound = self.errors.get(kind)
        return None if bound is None or bound.vacuous else bound.value
