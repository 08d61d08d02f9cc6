"""A distribution as a product of factors: potentials, and the sweep that gives their shares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mechanisms.pgm.algebra import Algebra, Linear, Logs, Underflow
from mechanisms.pgm.plan import Plan, Scope
from mechanisms.pgm.sweep import Sweep

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mechanisms.pgm.layout import Layout

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Law:
    """Potentials of all scopes of a layout as one vector; their sum for a record is the logarithm of its weight."""

    layout: Layout
    potentials: Floats
    in_logs: bool = False

    @cached_property
    def sweep(self) -> Sweep:
        return Sweep(self.layout.plan, self._values, self._algebra)

    @property
    def log_z(self) -> float:
        """Logarithm of the sum of all weights."""
        return self.sweep.log_z + (0.0 if self.in_logs else float(self.layout.tops(self.potentials).sum()))

    @cached_property
    def home_shares(self) -> list[Floats]:
        """Shares of the layout's homes."""
        return self.sweep.marginals()

    @cached_property
    def shares(self) -> Floats:
        """Shares of every scope, as one vector."""
        return self.layout.out(self.home_shares)

    def joint(self, columns: Scope) -> Floats:
        """Shares of any columns, with all others summed out."""
        plan = Plan(self.layout.sizes, self.layout.homes, keep=columns)
        try:
            return Sweep(plan, self._values, self._algebra).joint()
        except Underflow:
            return Sweep(plan, self.layout.sums(self.potentials), Logs()).joint()

    @cached_property
    def _values(self) -> list[Floats]:
        if self.in_logs:
            return self.layout.sums(self.potentials)
        return self.layout.products(self.layout.factors(self.potentials))

    @property
    def _algebra(self) -> Algebra:
        return Logs() if self.in_logs else Linear()
