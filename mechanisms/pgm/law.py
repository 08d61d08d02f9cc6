"""A law as a product of factors: potentials, and the sweep that says what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pgm.layout import factors_of
from mechanisms.pgm.plan import Plan, Scope
from mechanisms.pgm.sweep import Sweep

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.pgm.layout import Layout

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Law:
    """Potentials of all scopes of a layout, their sum for a record being the logarithm of its weight."""

    layout: Layout
    potentials: tuple[Floats, ...]
    sweep: Sweep

    @property
    def log_z(self) -> float:
        """Logarithm of the sum of all weights."""
        return self.sweep.log_z + sum(float(potential.max()) for potential in self.potentials)

    @cached_property
    def home_shares(self) -> list[Floats]:
        return self.sweep.marginals()

    @cached_property
    def shares(self) -> list[Floats]:
        """Shares of every scope."""
        return self.layout.out(self.home_shares)

    def joint(self, columns: Scope) -> Floats:
        """Shares of any columns: what is left when all others are summed out."""
        plan = Plan(self.layout.sizes, self.layout.homes, keep=columns)
        return Sweep(plan, self.home_values).joint()

    @cached_property
    def home_values(self) -> list[Floats]:
        return self.layout.values(factors_of(self.potentials))


def sweep_of(layout: Layout, potentials: Sequence[Floats], in_logs: bool) -> Sweep:
    return Sweep(layout.plan, layout.values(factors_of(potentials)))
