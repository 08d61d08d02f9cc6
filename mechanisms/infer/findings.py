"""What is concluded: intervals that say what they are about, how sure they are, and in what sense.

An interval is `exact` where it covers with at least its level for every table and every n; `asymptotic` where that
needs many records, and `simulated` where its level is known from simulations alone. Its ends are certified where they
were enclosed in ball arithmetic and rounded outwards; otherwise they are estimates. Nothing is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["exact", "asymptotic", "simulated"]
About: TypeAlias = Literal["table", "population"]
"""The records that were there, or what they were drawn from independently."""


@dataclass(frozen=True, kw_only=True)
class Interval:
    """Where a number lies; an end that is None is at infinity, or excludes nothing."""

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
    """Of the usual interval at this level from exact numbers, an estimate; None where it would have no width."""
    note: str = ""

    @property
    def is_bounded(self) -> bool:
        return self.lo is not None and self.hi is not None

    @property
    def width(self) -> float | None:
        """None where it is unbounded."""
        if self.lo is None or self.hi is None:
            return None
        return float(self.hi - self.lo)

    @property
    def sign(self) -> int:
        """1 or -1 where the number surely has that sign, else 0."""
        if self.lo is not None and self.lo > 0:
            return 1
        return -1 if self.hi is not None and self.hi < 0 else 0
