"""Intervals of single coefficients from noisy equations: exact for the table, asymptotic for the population.

Both are the range in one coordinate of a set: the joint set at a tenth of the failure probability, cut by one normal
statistic at the rest, less the cost of rounding. The split is fixed; a single coefficient needs none, since both sets
are then the same. If the joint set is not known to be bounded, there are no ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from bounds.certify.radii import normal_interval
from bounds.errors import NotApplicable
from bounds.inference.linear_pivot import LinearPivot, joint_radius
from mechanisms.infer.findings import About, Interval
from mechanisms.infer.regression.answer import FirstOrder
from mechanisms.infer.regression.coefficient_search import search_coefficients
from mechanisms.infer.regression.float_pivot import FloatPivot

JOINT_SHARE = Fraction(1, 10)
"""The part of the failure probability for the joint set."""
LARGEST_SEARCHED = 60
"""Above this many coefficients none is searched for individually."""
_AT_ONCE = 10
"""Coefficients that are searched for together."""


MOST_VARIATION = Fraction(1, 1000)
"""The most that rounding may cost if the level is to be called exact; also at most half of the statistic's share."""
COARSE = "asymptotic, in the limit of a fine lattice: the release is rounded too coarsely for an exact level"


@dataclass(frozen=True, kw_only=True)
class Split:
    """The radius of the joint set and the quantile of the statistic, from one level."""

    radius: float
    z: float
    set_failure: Fraction
    """Failure probability of the joint set of this radius; the release's own set contains it, to allow for rounding."""
    is_exact: bool

    @classmethod
    def of(cls, pivot: LinearPivot, level: Fraction, variation: Fraction = Fraction(0)) -> Split:
        """`variation` is the cost of treating rounded numbers with half steps added as Gaussian."""
        failure = 1 - level
        if pivot.size == 1:
            radius = float(joint_radius(pivot, failure))
            return cls(radius=radius, z=radius, set_failure=failure, is_exact=True)
        own = (1 - JOINT_SHARE) * failure
        is_exact = variation <= min(MOST_VARIATION, own / 2)
        return cls(
            radius=float(joint_radius(pivot, JOINT_SHARE * failure) - pivot.rounding),
            z=float(normal_interval(own - variation if is_exact else own)),
            set_failure=JOINT_SHARE * failure,
            is_exact=is_exact,
        )


def first_order(pivot: FloatPivot, level: Fraction) -> tuple[FirstOrder, ...]:
    """The usual normal intervals of all coefficients."""
    z, center, deviations = float(normal_interval(1 - level)), pivot.solution, pivot.first_order()
    return tuple(
        FirstOrder(lo=float(b - z * s), hi=float(b + z * s), deviation=float(s))
        for b, s in zip(center, deviations, strict=True)
    )


def require_noise(pivot: FloatPivot) -> None:
    """Refuse equations without a solution, or whose residual has no noise in some direction."""
    try:
        np.linalg.cholesky(pivot.covariance(pivot.solution[None])[0])
    except np.linalg.LinAlgError:
        raise NotApplicable(
            "the equations of these columns are public or singular: there is nothing that noise hides, or no solution"
        ) from None


def one_by_one(
    pivot: FloatPivot,
    names: Sequence[str],
    split: Split,
    *,
    level: Fraction,
    about: About,
    is_bounded: bool,
    without_privacy: Sequence[float] | None = None,
    note: str = "",
    suffix: str = "",
) -> tuple[Interval, ...]:
    """The interval of every single coefficient; ends are estimates."""
    center = pivot.solution
    ends: list[tuple[float, float] | None] = [None] * pivot.size
    if is_bounded and pivot.size <= LARGEST_SEARCHED:
        for start in range(0, pivot.size, _AT_ONCE):
            places = np.arange(start, min(start + _AT_ONCE, pivot.size))
            found = search_coefficients(pivot, places=places, radius=split.radius, z=split.z)
            ends[start : start + len(places)] = [
                (float(lo), float(hi)) for lo, hi in zip(found.lo, found.hi, strict=True)
            ]
    if not is_bounded:
        note = "the set may be unbounded: the equations say too little about some combination of coefficients"
    elif pivot.size > LARGEST_SEARCHED:
        note = f"not searched: there are more than {LARGEST_SEARCHED} coefficients"
    elif about == "table" and not split.is_exact:
        note = COARSE
    return tuple(
        Interval(
            name=f"{name}{suffix}",
            about=about,
            kind="exact" if about == "table" and split.is_exact else "asymptotic",
            level=level,
            estimate=float(center[j]),
            lo=None if both is None else Fraction(both[0]),
            hi=None if both is None else Fraction(both[1]),
            is_certified=False,
            width_without_privacy=None if without_privacy is None else without_privacy[j],
            note=note,
        )
        for j, (name, both) in enumerate(zip(names, ends, strict=True))
    )
