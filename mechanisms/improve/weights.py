"""Weights of rows, fitted to the targets, with a fallback when the targets cannot be reached.

Rows that the release cannot tell apart are one point. If no weights are found for a box, or only weights that leave
next to nothing of the table, the soft price is used instead; and if it, too, leaves few rows, it is raised until enough
rows keep their weight. So no request can destroy a table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable
from mechanisms.improve.parameters import BOX, SOFT
from mechanisms.improve.wanted import OUT_OF_REACH, Wanted
from mechanisms.projection.box import fit_box
from mechanisms.projection.denoise import denoise
from mechanisms.projection.price import Priced, fit_by_noise
from mechanisms.projection.tilting import fit_tilt

if TYPE_CHECKING:
    from mechanisms.improve.ask import Wish
    from mechanisms.projection.statistics import Floats, Places

LEAST_EFFECTIVE = 0.05
"""Least effective share of the rows; with less, a table is no longer what it was."""
_DESTROYED = 0.01
"""A box that leaves less is given up."""
_MOST_DENSE = 300
"""Beyond this many statistics the curvature matrix is not formed."""
_MOST_BOXED = 2_000
_RAISED, _LEAST_RAISED, _MOST_RAISED = 4.0, 1.0, 30


@dataclass(frozen=True, eq=False)
class Fitted:
    """Weights of points, which add up to 1, and how they were found."""

    weights: Floats
    price: str
    """The price that was used, which may not be the one that was asked for."""
    strength: float | None
    """The strength of a soft price; infinite if the table was already within the noise."""
    steps: int
    settled: bool
    given_up: str = ""
    """Why the box that was asked for was not used."""
    raised: bool = False
    """Whether the price was raised to keep the rows of the table."""
    denoised_sd: float | None = None
    """How far targets were moved, in deviations."""
    error_est: float | None = None
    """For a price chosen by the noise: mean square distance from the real statistics, in variances."""


@dataclass(frozen=True, eq=False)
class Points:
    """Base weights of points, which add up to 1, and the part of each row in the weight of its point."""

    which: Places
    """The point of every row."""
    base: Floats
    parts: Floats
    """For every row, its part of the weight of its point."""

    @classmethod
    def of(cls, which: Places, start: Floats) -> Points:
        base = np.asarray(np.bincount(which, weights=start), dtype=np.float64)
        return cls(which, base, start / base[which])

    def spread(self, weights: Floats) -> Floats:
        """The weights of rows."""
        found: Floats = weights[self.which] * self.parts
        return found

    def effective_share(self, weights: Floats) -> float:
        """Effective share of all rows: this many equal weights would have the same sum of squares."""
        rows = self.spread(weights)
        return float(1 / (rows @ rows) / len(rows))


def fit_points(wanted: Wanted, points: Points, wish: Wish) -> Fitted:
    """Weights of the points by the requested price, or else by the soft one."""
    if wish.price != BOX:
        return _soft(wanted, points, wish.strength)
    if wanted.statistics.count > _MOST_BOXED:
        raise NotApplicable(
            f"price = {BOX}: at most {_MOST_BOXED:,} statistics, but there are {wanted.statistics.count:,}; use soft"
        )
    targets, moved = wanted.targets, None
    if wish.denoise:
        denoised = denoise(wanted.statistics, targets, wanted.widths)
        targets, moved = denoised.targets, denoised.distance_sd
    gamma = wish.gamma or 0.0
    boxed = fit_box(wanted.statistics, targets, gamma, base=points.base)
    why = ""
    if not boxed.settled:
        why = f"no weights were found that bring every statistic within {gamma:g} of its target"
    elif points.effective_share(boxed.weights) < _DESTROYED:
        why = f"only weights that leave less than {_DESTROYED:.0%} of the rows bring every statistic within {gamma:g}"
    if not why:
        return Fitted(boxed.weights, BOX, None, boxed.steps, True, denoised_sd=moved)
    soft = _soft(wanted, points, None)
    return replace(soft, given_up=why, denoised_sd=moved)


def _soft(wanted: Wanted, points: Points, strength: float | None) -> Fitted:
    given = (wanted.statistics, wanted.targets, wanted.sds)
    if strength is None:
        priced = fit_by_noise(*given, base=points.base, dense=_MOST_DENSE)
    else:
        priced = Priced(fit_tilt(*given, base=points.base, strength=strength, dense=_MOST_DENSE), strength, None)
    tilt, found, raised = priced.tilt, priced.strength, False
    for _ in range(_MOST_RAISED):
        reached = tilt.settled and tilt.largest_residual_sd <= OUT_OF_REACH
        if reached or points.effective_share(tilt.weights) >= LEAST_EFFECTIVE:
            break
        found, raised = max(found, _LEAST_RAISED) * _RAISED, True
        tilt = fit_tilt(*given, base=points.base, strength=found, dense=_MOST_DENSE)
    error = None if raised else priced.error_est
    return Fitted(tilt.weights, SOFT, found, tilt.steps, tilt.settled, raised=raised, error_est=error)
