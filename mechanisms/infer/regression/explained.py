"""R squared of least squares from noisy moments: a certified interval, and one to first order in the noise.

R squared is (E - M) / (T - M): E = c'b is what the regressors explain of the mean square T of the response, and M the
square of its mean, 0 without an intercept. It rises in E, and falls in T and in M. If little is explained, its slope is
near 0 and the first order says nothing: it is left out then.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from bounds.certify.radii import normal_interval
from bounds.exact import root_at_least
from bounds.inference.linear_explained import Ends, explained_square, explained_within
from bounds.inference.linear_pivot import LinearPivot
from mechanisms.infer.findings import Interval, Kind
from mechanisms.infer.noisy_matrix import Entry, NoisyMatrix
from mechanisms.infer.regression.design import Design
from mechanisms.infer.regression.float_pivot import FloatPivot

_SET, _MEAN, _SQUARE = Fraction(1, 4), Fraction(1, 8), Fraction(1, 8)
"""Shares of the failure probability: of the joint set, of the mean, of the mean square and the number of records."""
NAME, UNCENTRED = "R squared", "R squared, uncentred"
MOST_CURVED = 0.25
"""Largest average shift of the estimate by curvature, in first-order deviations; above it the first order is left
out."""
LITTLE_NOISE = "for R squared above 0 and fixed, and little noise"


_UNBOUNDED = "nothing is excluded: the set of coefficients has no bounds"


@dataclass(frozen=True)
class FirstOrderShare:
    """R squared of the noisy moments, its deviation by the delta method, and how nonlinear it is."""

    share: float
    deviation: float
    curved: float
    """The average shift by the second order, in deviations."""


@dataclass(frozen=True)
class Total:
    """The mean square of the response and the number of records, both divided by the divisor of the sums."""

    square: Entry
    count: Entry
    is_count: bool
    """Whether the square is the count itself: the response is -1 or 1."""


def explained_share(
    matrix: NoisyMatrix,
    design: Design,
    pivot: LinearPivot,
    level: Fraction,
    *,
    is_bounded: bool,
    radius: Fraction | None = None,
    certified: bool = True,
) -> tuple[Interval, ...]:
    """The certified interval, if asked for, and the first-order one where it applies; none without the mean square of
    the response. A `radius` that holds for every formula replaces the levels and the first order."""
    total = total_square(matrix, design)
    if total is None:
        return ()
    name = NAME if design.has_intercept else UNCENTRED
    sure = _interval(name, level, None, None, None, kind="exact", is_certified=True, note=_UNBOUNDED)
    if not is_bounded:
        return (sure,)
    first = first_order_share(design, pivot, total)
    share = None if first is None else min(max(first.share, 0.0), 1.0)
    found: list[Interval] = []
    if certified:
        ends = _certified(design, pivot, total, 1 - level) if radius is None else _of_any(design, pivot, total, radius)
        found.append(sure if ends is None else _interval(name, level, share, *ends, kind="exact", is_certified=True))
    if radius is None and first is not None and first.curved <= MOST_CURVED:
        half = float(normal_interval(1 - level)) * first.deviation
        lo, hi = (Fraction(min(max(end, 0.0), 1.0)) for end in (first.share - half, first.share + half))
        named = f"{name}, first order"
        found.append(_interval(named, level, share, lo, hi, kind="asymptotic", is_certified=False, note=LITTLE_NOISE))
    return tuple(found)


def residual_est(matrix: NoisyMatrix, design: Design, pivot: FloatPivot) -> tuple[float, bool]:
    """The mean squared residual, and whether the mean square of the response is known; if not, it is at most 1."""
    count = float(matrix.entry(matrix.intercept, matrix.intercept).value)
    total = total_square(matrix, design)
    square = count if total is None else float(total.square.value)
    residual = (square - float(pivot.right @ pivot.solution)) / count
    return max(residual, 0.0), total is not None


def total_square(matrix: NoisyMatrix, design: Design) -> Total | None:
    count = matrix.entry(matrix.intercept, matrix.intercept)
    square = matrix.rows[design.response_place][design.response_place]
    if square is not None:
        return Total(square, count, False)
    if design.response_is_sign:
        return Total(count, count, True)
    return None


def first_order_share(design: Design, pivot: LinearPivot, total: Total) -> FirstOrderShare | None:
    """The delta method: R squared is a function of all entries, whose noise is independent."""
    floats = FloatPivot.of(pivot)
    b, place = floats.solution, len(design.regressors) - 1  # the intercept stands last
    count, square = float(total.count.value), float(total.square.value)
    mean = float(floats.right[place]) / count if design.has_intercept else 0.0
    rest = square - mean**2 * count
    if rest <= 0:
        return None
    share = (float(floats.right @ b) - mean**2 * count) / rest
    right = 2 * b
    inner = -np.outer(b, b)
    if design.has_intercept:
        right[place] -= 2 * mean * (1 - share)
        inner[place, place] += mean**2 * (1 - share)
    own = float(total.square.deviation) * share
    if total.is_count:
        own = 0.0 if design.has_intercept else own
        if design.has_intercept:
            inner[place, place] -= share
    # an entry off the diagonal occurs twice, with the same noise
    twice = floats.variances * (2 - np.eye(len(b)))
    variance = float(right**2 @ floats.right_variances + (inner**2 * twice).sum() + own**2)
    # what noise alone explains: the mean of d'G d, less the effect of the noise on the response's mean
    covariance = floats.covariance(b[None])[0]
    shift = float(np.trace(np.linalg.solve(floats.matrix, covariance)))
    if design.has_intercept:
        shift -= float(floats.right_variances[place]) / count
    curved = abs(shift) / variance**0.5 if variance > 0 else 0.0
    return FirstOrderShare(share=share, deviation=variance**0.5 / rest, curved=curved)


def _certified(design: Design, pivot: LinearPivot, total: Total, failure: Fraction) -> Ends | None:
    others = [entry for entry in (total.square, total.count) if not entry.is_exact]
    taken = (_SET + _MEAN * design.has_intercept + _SQUARE * bool(others)) * failure
    found = explained_square(pivot, failure=failure - taken, set_failure=_SET * failure)
    if found is None:
        return None
    z = normal_interval(_SQUARE * failure / max(len(others), 1)) if others else Fraction(0)
    reach = normal_interval(_MEAN * failure) + pivot.rounding
    return _corners(design, pivot, total, found, z, reach, z_has_rounding=False)


def _of_any(design: Design, pivot: LinearPivot, total: Total, radius: Fraction) -> Ends | None:
    """Ends on one event for all entries of the release: each is off by at most the radius, in its deviations."""
    found = explained_within(pivot, radius, radius)
    return None if found is None else _corners(design, pivot, total, found, radius, radius, z_has_rounding=True)


def _corners(
    design: Design, pivot: LinearPivot, total: Total, found: Ends, z: Fraction, mean: Fraction, *, z_has_rounding: bool
) -> Ends:
    """The least and the largest R squared where square and count are within z deviations, the mean within `mean`."""
    square, count = (_entry_ends(one, z, z_has_rounding) for one in (total.square, total.count))
    least, most = _squared_mean(design, pivot, mean, count)
    lo, hi = Fraction(0), Fraction(1)
    if square[1] > most:
        lo = min(max((found[0] - most) / (square[1] - most), lo), hi)
    if square[0] > least:
        hi = max(min((found[1] - least) / (square[0] - least), hi), lo)
    return lo, hi


def _interval(
    name: str,
    level: Fraction,
    estimate: float | None,
    lo: Fraction | None,
    hi: Fraction | None,
    *,
    kind: Kind,
    is_certified: bool,
    note: str = "",
) -> Interval:
    return Interval(
        name=name,
        about="table",
        kind=kind,
        level=level,
        estimate=estimate,
        lo=lo,
        hi=hi,
        is_certified=is_certified,
        note=note,
    )


def _entry_ends(entry: Entry, z: Fraction, z_has_rounding: bool) -> Ends:
    reach = z * entry.deviation + (0 if z_has_rounding else entry.rounding)
    return entry.value - reach, entry.value + reach


def _squared_mean(design: Design, pivot: LinearPivot, z: Fraction, count: Ends) -> Ends:
    """Ends of (sum of the response)^2 over the number of records, both divided by the divisor."""
    if not design.has_intercept:
        return Fraction(0), Fraction(0)
    place = len(design.regressors) - 1
    value, variance = pivot.right[place], pivot.right_variances[place]
    reach = Fraction(0)
    if variance:
        reach = z * root_at_least(variance)
    size = abs(value)
    least, most = max(size - reach, Fraction(0)), size + reach
    low = max(count[0], Fraction(1))  # the divisor is n, or the least that n is
    return least**2 / max(count[1], low), most**2 / low
