"""What every method of regression gives: a model, what it cost, what was measured, and the release behind it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.privacy.adjacency import Adjacency
from bounds.shown import Shown
from mechanisms.models.model import Model
from release.log.file import MarginalLog
from release.marginals.file import Marginals
from release.moments.file import MomentRelease

if TYPE_CHECKING:
    from bounds.privacy.sensitivity import Sensitivity
    from release.noise.kinds import Mode

Source = MomentRelease | Marginals | MarginalLog
"""Releases that models are made of by sums."""


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What the people in the table paid: nothing, where a release was there already."""

    epsilon: Fraction
    dp_delta: Fraction
    adjacency: Adjacency
    size: int
    """n where it is public, else the public least number of records."""
    sensitivities: tuple[tuple[str, Sensitivity], ...]
    """What was asked of records, each with how far one of them moves it."""

    @property
    def n_is_public(self) -> bool:
        return self.adjacency is Adjacency.REPLACE_ONE


@dataclass(frozen=True, kw_only=True, eq=False)
class Regression(Shown):
    """A linear model by one of the methods."""

    method: str
    model: Model
    mode: Mode
    spent: Spent
    release: Source | None
    """What it was made of, and is certified by; None where the model itself is all that was released."""
    facts: tuple[tuple[str, str], ...] = ()
    """How it came about, in words."""
    is_new: bool = True
    """Whether records were asked; else it was made from a release that was there."""
    can_be_released: bool = True
    """Whether there is a mode in which this would have been one."""
    too_few: bool = False
    """Of a simulation: the table has fewer records than was said."""

    @property
    def is_simulated(self) -> bool:
        return self.mode == "simulate"
