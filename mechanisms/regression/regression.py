"""The result of every method of regression: a model, its cost, what was measured, and the release behind it."""

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
"""Releases whose sums give models."""


@dataclass(frozen=True, kw_only=True)
class Spent:
    """The privacy cost to the people in the table: nothing if the release already existed."""

    epsilon: Fraction
    dp_delta: Fraction
    adjacency: Adjacency
    size: int
    """n if it is public, else the public least number of records."""
    sensitivities: tuple[tuple[str, Sensitivity], ...]
    """The quantities asked of the records, each with its sensitivity."""

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
    """The release that the model was made from and is certified by; None if only the model was released."""
    facts: tuple[tuple[str, str], ...] = ()
    """How the model was made, in words."""
    is_new: bool = True
    """Whether records were asked; otherwise it was made from an existing release."""
    can_be_released: bool = True
    """Whether the same run in release mode would have been a release."""
    too_few: bool = False
    """In a simulation: whether the table has fewer records than stated."""

    @property
    def is_simulated(self) -> bool:
        return self.mode == "simulate"
