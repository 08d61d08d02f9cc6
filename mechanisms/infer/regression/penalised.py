"""The lasso of a table from its private moments: where each coefficient lies, and which are certainly zero.

The lasso minimises half the mean squared error plus a penalty times the sum of the sizes of the coefficients, the
intercept free, features from -1 to 1. All statements hold at once, at the level, and are certified; any other convex
penalty works with bounds.inference.penalised_region in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable
from bounds.exact import require_range
from bounds.inference.linear_pivot import LinearPivot, joint_radius
from bounds.inference.penalised_region import PenalisedRegion, penalised_region
from bounds.shown import Shown
from mechanisms.infer.findings import Interval
from mechanisms.infer.noisy_matrix import noisy_matrix
from mechanisms.infer.regression.any_formula import radius_of_any
from mechanisms.infer.regression.ask import DEFAULT_LEVEL, LEAST_LEVEL
from mechanisms.infer.regression.design import Design, design_of
from mechanisms.infer.regression.equation import equations
from mechanisms.infer.regression.float_pivot import FloatPivot
from release.moments.file import MomentRelease
from release.statistics.features import INTERCEPT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_SWEEPS = 5000
_UNIT = 2**48
_SETTLED = 1e-13


@dataclass(frozen=True, kw_only=True)
class LassoAnswer(Shown):
    """Lasso coefficients of the real table; intervals have the order of `names`."""

    release: MomentRelease
    formula: str
    response: str
    names: tuple[str, ...]
    penalty: Fraction
    level: Fraction
    any_formula: bool
    """Whether everything holds for all formulas and penalties at once."""
    coefficients: tuple[Interval, ...]
    """All at once, certified; without ends if the noise is too large."""
    zero: tuple[bool, ...]
    """Which coefficients of the real table are certainly 0."""
    is_bounded: bool
    notes: tuple[str, ...]

    @property
    def is_simulated(self) -> bool:
        return self.release.is_simulated

    @property
    def conclusions(self) -> tuple[Interval, ...]:
        return self.coefficients

    @property
    def chosen(self) -> tuple[str, ...]:
        """Regressors that the lasso of the real table certainly chooses."""
        return tuple(n for n, one in zip(self.names, self.coefficients, strict=True) if one.sign and n != INTERCEPT)


def lasso_from_release(
    release: MomentRelease,
    formula: str,
    *,
    penalty: Fraction,
    any_formula: bool = False,
    level: Fraction = DEFAULT_LEVEL,
) -> LassoAnswer:
    """The lasso of a formula; one-hot columns keep all indicators. n must be public, since it multiplies the penalty.

    With `any_formula` the level is that of all formulas and penalties together.
    """
    require_range("level", level, level, least=LEAST_LEVEL, below=1, reason="a probability")
    require_range("penalty", penalty, penalty, above=0, most=10**6, reason="weight of the coefficients' sizes")
    if not release.size_is_exact:
        raise NotApplicable("the lasso needs a public n, which multiplies its penalty: under add-remove n is private")
    matrix = noisy_matrix(release)
    design = design_of(formula, release.feature_map, matrix, keeps_all=True)
    pivot = equations(matrix, response=design.response_place, regressors=design.places)
    weights = tuple(Fraction(0) if name == INTERCEPT else penalty for name in design.regressors)
    point = solved(FloatPivot.of(pivot), weights)
    found = None
    if point is not None:
        radius = radius_of_any(matrix, 1 - level) if any_formula else joint_radius(pivot, 1 - level)
        found = penalised_region(pivot, radius, point=point, subgradient=subgradient(pivot, point, weights))
    zero = _zeros(pivot, found, weights)
    return LassoAnswer(
        release=release,
        formula=design.formula,
        response=design.response,
        names=design.regressors,
        penalty=penalty,
        level=level,
        any_formula=any_formula,
        coefficients=_intervals(design, point, found, zero, level),
        zero=zero,
        is_bounded=found is not None,
        notes=design.notes,
    )


def solved(pivot: FloatPivot, weights: tuple[Fraction, ...]) -> tuple[Fraction, ...] | None:
    """The lasso of the noisy moments, rounded; None if no table can have these moments."""
    matrix, right, sizes = pivot.matrix, pivot.right, [float(w) for w in weights]
    if np.linalg.eigvalsh(matrix).min() <= 0:
        return None
    b = np.zeros(len(right))
    for _ in range(_SWEEPS):
        before = b.copy()
        for j, size in enumerate(sizes):
            pull = right[j] - matrix[j] @ b + matrix[j, j] * b[j]
            b[j] = np.sign(pull) * max(abs(pull) - size, 0.0) / matrix[j, j]
        if np.abs(b - before).max() <= _SETTLED * (1 + np.abs(b).max()):
            break
    return tuple(Fraction(round(float(x) * _UNIT), _UNIT) for x in b)


def subgradient(pivot: LinearPivot, point: tuple[Fraction, ...], weights: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """A subgradient of the penalty at a point; for coefficients of 0, the one nearest to solving the equations."""
    return tuple(
        (w if b > 0 else -w) if b else min(max(-r, -w), w)
        for b, r, w in zip(point, pivot.residual(point), weights, strict=True)
    )


def _zeros(pivot: LinearPivot, found: PenalisedRegion | None, weights: tuple[Fraction, ...]) -> tuple[bool, ...]:
    """A nonzero coefficient needs an equation that is off by the whole penalty."""
    if found is None:
        return (False,) * len(weights)
    return tuple(
        abs(r) + image + noise < w
        for r, image, noise, w in zip(pivot.residual(found.point), found.images, found.noise, weights, strict=True)
    )


def _intervals(
    design: Design,
    point: tuple[Fraction, ...] | None,
    found: PenalisedRegion | None,
    zero: tuple[bool, ...],
    level: Fraction,
) -> tuple[Interval, ...]:
    ends: list[tuple[Fraction, Fraction] | None] = [None] * len(zero)
    if found is not None:
        ends = [
            (Fraction(0), Fraction(0)) if is_zero else (b - width, b + width)
            for b, width, is_zero in zip(found.point, found.widths, zero, strict=True)
        ]
    note = "" if found is not None else "no bounds: the noise on the second moments is too large"
    return tuple(
        Interval(
            name=f"{name}, lasso",
            about="table",
            kind="exact",
            level=level,
            estimate=None if point is None else float(point[j]),
            lo=None if both is None else both[0],
            hi=None if both is None else both[1],
            is_certified=True,
            simultaneous=True,
            note="certainly 0" if zero[j] else note,
        )
        for j, (name, both) in enumerate(zip(design.regressors, ends, strict=True))
    )
