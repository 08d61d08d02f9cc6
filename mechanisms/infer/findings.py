"""Conclusions: intervals that say what they are about, how certain they are, and in what sense.

An interval is `exact` if it covers with at least its level for every table and every n, `asymptotic` if that needs many
records, and `simulated` if its level is known only from simulations. Its ends are certified if they were enclosed in
ball arithmetic and rounded outwards; otherwise they are estimates. Nothing is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["exact", "asymptotic", "simulated"]
About: TypeAlias = Literal["table", "population"]
"""The actual records, or the population from which they were drawn independently."""


@dataclass(frozen=True, kw_only=True)
class Interval:
    """An interval for a number; an end that is None is at infinity, or excludes nothing."""

    name: str
    about: About
    kind: Kind
    level: Fraction
    estimate: float | None
    lo: Fraction | None
    hi: Fraction | None
    is_certified: bool
    """Whether the ends are enclosed; else they are estimates."""
    simultaneous: bool = False
    """Whether the level is that of all intervals of the answer together."""
    width_without_privacy: float | None = None
    """Width of the usual interval at this level from exact numbers, an estimate; None if it would have no width."""
    note: str = ""

    @property
    def is_bounded(self) -> bool:
        return self.lo is not None and self.hi is not None

    @property
    def width(self) -> float | None:
        """None if it is unbounded."""
        if self.lo is None or self.hi is None:
            return None
        return float(self.hi - self.lo)

    @property
    def sign(self) -> int:
        """1 or -1 if the number certainly has that sign, else 0."""
        if self.lo is not None and self.lo > 0:
            return 1
        return -1 if self.hi is not None and self.hi < 0 else 0
