"""The convex programme behind the end of a coefficient: how far from it the best models are certain to stay.

If only the models with sign v_j <= sign t are compared, the bound has one more term, multiplier * sign (t - v_j), and
it must be below 0 for sign t as large as possible. t and multiplier are unknown, and their product is not linear. But
everything else may be scaled: with the multiplier fixed and the loss scaled by an unknown instead, the largest sign t
is minus the least value of a function that is linear in the unknowns. So one programme finds the end, and no search
over t is needed. Nothing relies on it: see `programme`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bounds.certify.layout import Layout
from bounds.certify.problem import Problem
from bounds.certify.programme import Programme

if TYPE_CHECKING:
    from bounds.certify.programme import Floats

_LEAST_MULTIPLIER = 1e-3


class EndProgramme(Programme):
    """Minimise -multiplier * sign t * sqrt(P) over thresholds t, polynomials that dominate the scaled loss, and scales.

    The fixed multiplier is about as large as the noise, so that the scale of the loss is of the size of 1.
    """

    constant_at_most_0 = False

    def __init__(self, problem: Problem) -> None:
        half = problem.compared.half
        assert half is not None
        self.half = half
        super().__init__(problem)

    @property
    def at_model(self) -> float:
        """The objective if t were the model's own coefficient, beyond which no threshold can be certain."""
        coefficient = float(self.problem.model[self.half.feature]) * self.root
        return float(-self.multiplier * self.half.sign * coefficient)

    def _mass(self) -> float:
        """The end at which a bound below 0 is largest."""
        super()._mass()
        return float(self.problem.known.mass()[1])

    def _laid_out(self) -> Layout:
        found = super()._laid_out()
        return Layout(found.size, found.forms, found.balls, has_scale=True)

    def _add_class(self) -> None:
        """A ridge penalty is scaled as the loss is; the constant part is that of the half-space."""
        super()._add_class()
        scale = self.layout.scale
        self._curvature[scale] = self._curvature[-1]
        self._curvature[-1] = 0.0
        self.cost[scale] = self.offset
        self.offset = 0.0
        self.multiplier = max(self.first_radius, self.matrices[0][1], _LEAST_MULTIPLIER)
        axis = np.zeros(self.p)
        axis[self.half.feature] = 1.0
        if self.is_diagonal:
            axis = self.axes.T @ axis
        self._linear[-1] -= self.multiplier * self.half.sign / 2 * axis

    def _dominating(self, features: Floats, least: Floats, fixed: Floats | None) -> tuple[Floats, Floats]:
        """All right sides that come from the loss are multiplied by its scale, which is not negative."""
        rows, right = super()._dominating(features, least, fixed)
        rows[:, self.layout.scale] = -right
        more = np.zeros((2, self.unknowns))
        more[0, self.layout.scale] = -1.0
        more[1, : self.layout.count] = -self.cost  # few points would allow a threshold beyond the model itself
        return np.concatenate([rows, more]), np.append(np.zeros(len(rows) + 1), -self.at_model)

    def bound_est(self, objective: float, unknowns: Floats) -> float:
        """The bound at the threshold of the problem, for the loss itself."""
        shift = self.multiplier * self.root * self.half.sign * float(self.half.threshold)
        return float((objective + shift) / self.loss_scale(unknowns))

    def half_multiplier(self, unknowns: Floats) -> float:
        """Of the half-space, for the loss itself, on the scale of the features."""
        return float(self.multiplier * self.root / self.loss_scale(unknowns))
