"""What a plan of a release speaks of: a budget, kinds of errors, and what one method promises of them for it.

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
    """Privacy in total; dp_delta is None where it is pure."""

    epsilon: Fraction
    dp_delta: Fraction | None = None


@dataclass(frozen=True, kw_only=True)
class Planned:
    """What is public, and how surely errors are to hold."""

    public: Public
    beta: Fraction
    label: str | None = None


@dataclass(frozen=True, kw_only=True)
class ErrorBound:
    """No number of the kind is off by more than `value`; `trivial` is what holds without any data."""

    value: Fraction
    trivial: Fraction

    @property
    def vacuous(self) -> bool:
        return self.value >= self.trivial


@dataclass(frozen=True, kw_only=True)
class Work:
    """What AIM would do: all of it is public."""

    tables: int
    """Of as many columns as the degree says, that are to be kept."""
    candidates: int
    """Sets of columns that it chooses from."""
    largest_cells: int
    """Of a candidate."""
    noise_est: float
    """Deviation of a count, in records, before any round is annealed."""
    most_rounds: int
    model_mb: int
    cpu_seconds_est: float


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """What a method promises for a budget, by kind of error; `reason` says why kinds are missing."""

    method: str
    budget: Budget
    errors: Mapping[str, ErrorBound] = field(hash=False)
    noise: str = ""
    """The mechanism that is cheapest, or that the command takes."""
    reason: str = ""
    work: Work | None = None
    """For AIM."""

    def error(self, kind: str) -> Fraction | None:
        """The error of a kind; None where nothing is promised, or nothing but what holds without any data."""
        bound = self.errors.get(kind)
        return None if bound is None or bound.vacuous else bound.value
