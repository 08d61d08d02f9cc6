"""Candidates for the best model of a class on a table: Newton's method until the gap is as small as required.

What release.statistics.least_loss proves about a candidate does not depend on anything here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mechanisms.models.losses import SmoothLoss, find_training_loss, smooth_hinge
from mechanisms.models.train.ball_minimum import smallest_in_ball
from mechanisms.models.train.newton import Problem
from release.statistics.enclosed_least import EnclosedLeast

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MANY_ROWS = 2**13
_THINNED = 8
"""With many rows, the first steps use only every eighth."""
_NARROWER = 0.2
_WIDEST = 3.0
_NEAR_ENOUGH = 0.02


def least_risk(
    least: EnclosedLeast, *, start: Floats | None = None, width: float | None = None, close: float = 0.0
) -> Floats:
    """Coefficients on f with nearly the least penalised mean loss: within `close` of it, or as near as floats go.

    Instead of the hinge loss, a smooth loss of that width below it is minimised.
    """
    from release.one_thread import one_thread

    compared = least.compared
    scale = sqrt(compared.feature_map.squared_norm)
    bound = None if compared.intercept is None else float(compared.intercept) * scale
    problem = LeastRisk(
        signed=least.signed / scale,
        weights=least.counts / least.n,
        loss=find_training_loss(compared.loss),
        tau=float(compared.radius),
        ridge=float(compared.ridge or 0),
        penalise_intercept=bound is None,
        intercept_bound=bound,
        close=close,
    )
    with one_thread():
        if start is not None:
            return problem.best(start * scale, width) / scale
        vector = np.zeros(problem.signed.shape[1])
        if len(problem.signed) > _MANY_ROWS:
            weights = problem.weights[::_THINNED]
            thin = replace(problem, signed=problem.signed[::_THINNED], weights=weights / weights.sum(), close=1e-4)
            vector = thin.best(vector, width)
        return problem.best(vector, width) / scale


@dataclass(frozen=True)
class LeastRisk(Problem):
    """Training that ends at a gap, within a ball, or a ball and an interval for the intercept."""

    most_steps: ClassVar[int] = 100

    intercept_bound: float | None = None
    close: float = 0.0

    @property
    def has_best(self) -> bool:
        return True

    def best(self, start: Floats, width: float | None) -> Floats:
        """A kink is approached by smooth losses, each starting near the end of the last."""
        if width is None:
            return self.minimise(self.loss.stages[-1], start)[0]
        widths = [width]
        while widths[-1] < (50 * width if start.any() else _WIDEST):
            widths.append(widths[-1] / _NARROWER)
        vector = start
        for one in reversed(widths):
            stage = replace(self, close=max(self.close, one * _NEAR_ENOUGH if one > width else 0.0))
            vector, _ = stage.minimise(smooth_hinge(one), vector)
        return vector

    def is_enough(self, loss: SmoothLoss, w: Floats) -> bool:
        """Whether the gap is small enough, by duality: from the least of tangent lines at these margins."""
        counted = self.penalised * w
        penalty = self.ridge / 2 * float(counted @ counted)
        slope = self.gradient(loss, w) - self.ridge * counted
        size = float(np.linalg.norm(self.penalised * slope))
        assert self.tau is not None
        if self.ridge * self.tau >= size > 0:
            most = size**2 / (2 * self.ridge)
        else:
            most = self.tau * size - self.ridge / 2 * self.tau**2
        apart = 0.0 if self.intercept_bound is None else self.intercept_bound * abs(float(slope[-1]))
        return float(slope @ w) + penalty + most + apart <= max(self.close, 1e-15)

    def goal(self, hessian: Floats, right: Floats) -> Floats:
        """The goal of a step; if the best intercept lies outside its interval, the nearer end is the best."""
        found = super().goal(hessian, right)
        bound = self.intercept_bound
        if bound is None or abs(found[-1]) <= bound:
            return found
        last = float(np.copysign(bound, found[-1]))
        others = smallest_in_ball(hessian[:-1, :-1], right[:-1] - hessian[:-1, -1] * last, self.tau)
        return np.append(others, last)

    def hessian(self, loss: SmoothLoss, w: Floats) -> Floats:
        """As a product of a matrix with itself, which is half the work."""
        curved = self.weights * loss.curvature(self.signed @ w)
        active = curved > 0
        rows = self.signed if active.all() else self.signed[active]
        root = rows * np.sqrt(curved[active])[:, None]
        found: Floats = root.T @ root + np.diag(self.ridge * self.penalised)
        return found
