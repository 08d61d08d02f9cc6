"""R squared of least squares from noisy moments: its first-order interval, and a certified one.

R squared is (E - M) / (T - M): E = c'b is what the regressors explain of the mean square T of the response, and M the
square of its mean, 0 without an intercept. It rises in E, and falls in T and in M.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from bounds.certify.radii import normal_interval
from bounds.exact import root_at_least
from bounds.inference.linear_explained import explained_square
from bounds.inference.linear_pivot import LinearPivot
from mechanisms.infer.findings import Interval, Kind
from mechanisms.infer.noisy_matrix import Entry, NoisyMatrix
from mechanisms.infer.regression.design import Design
from mechanisms.infer.regression.float_pivot import FloatPivot

_SET, _MEAN, _SQUARE = Fraction(1, 4), Fraction(1, 8), Fraction(1, 8)
"""Shares of the failure probability: of the joint set, of the mean, of the mean square and the number of records."""
NAME = "R squared"


@dataclass(frozen=True)
class _Total:
    """The mean square of the response and the share of records, of which the sums were divided by the divisor."""

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
    certified: bool = True,
) -> tuple[Interval, ...]:
    """The first-order interval and, if wanted, the certified one; none without the mean square of the response."""
    total = _total(matrix, design)
    if total is None:
        return ()
    if not is_bounded:
        why = "nothing is excluded: the set of coefficients has no bounds"
        return (_interval(NAME, level, None, None, None, kind="exact", is_certified=True, note=why),)
    noisy = _first_order(design, pivot, total, level)
    both = (noisy, _certified(design, pivot, total, level, noisy) if certified else None)
    return tuple(found for found in both if found is not None)


def residual_est(matrix: NoisyMatrix, design: Design, pivot: FloatPivot) -> tuple[float, bool]:
    """The mean squared residual, and whether the mean square of the response is known; if not it is at most 1."""
    count = float(matrix.entry(matrix.intercept, matrix.intercept).value)
    total = _total(matrix, design)
    square = count if total is None else float(total.square.value)
    residual = (square - float(pivot.right @ pivot.solution)) / count
    return max(residual, 0.0), total is not None


def _total(matrix: NoisyMatrix, design: Design) -> _Total | None:
    count = matrix.entry(matrix.intercept, matrix.intercept)
    square = matrix.rows[design.response_place][design.response_place]
    if square is not None:
        return _Total(square, count, False)
    if design.response_is_sign:
        return _Total(count, count, True)
    return None


def _first_order(design: Design, pivot: LinearPivot, total: _Total, level: Fraction) -> Interval | None:
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
    # an entry off the diagonal stands twice, with one noise
    twice = floats.variances * (2 - np.eye(len(b)))
    variance = float(right**2 @ floats.right_variances + (inner**2 * twice).sum() + own**2)
    half = float(normal_interval(1 - level)) * variance**0.5 / rest
    lo, hi = (Fraction(min(max(end, 0.0), 1.0)) for end in (share - half, share + half))
    note = "by the first order of the noise"
    return _interval(NAME, level, min(max(share, 0.0), 1.0), lo, hi, kind="asymptotic", is_certified=False, note=note)


def _certified(
    design: Design, pivot: LinearPivot, total: _Total, level: Fraction, first: Interval | None
) -> Interval | None:
    failure = 1 - level
    others = [entry for entry in (total.square, total.count) if not entry.is_exact]
    taken = (_SET + _MEAN * design.has_intercept + _SQUARE * bool(others)) * failure
    found = explained_square(pivot, failure=failure - taken, set_failure=_SET * failure)
    if found is None:
        return None
    square = _entry_ends(total.square, _SQUARE * failure / max(len(others), 1))
    count = _entry_ends(total.count, _SQUARE * failure / max(len(others), 1))
    least, most = _squared_mean(design, pivot, _MEAN * failure, count)
    lo, hi = Fraction(0), Fraction(1)
    if square[1] > most:
        lo = min(max((found[0] - most) / (square[1] - most), lo), hi)
    if square[0] > least:
        hi = max(min((found[1] - least) / (square[0] - least), hi), lo)
    estimate = None if first is None else first.estimate
    return _interval(f"{NAME}, certified", level, estimate, lo, hi, kind="exact", is_certified=True)


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


def _entry_ends(entry: Entry, failure: Fraction) -> tuple[Fraction, Fraction]:
    if entry.is_exact:
        return entry.value, entry.value
    reach = normal_interval(failure) * entry.deviation + entry.rounding
    return entry.value - reach, entry.value + reach


def _squared_mean(
    design: Design, pivot: LinearPivot, failure: Fraction, count: tuple[Fraction, Fraction]
) -> tuple[Fraction, Fraction]:
    """Ends of (sum of the response)^2 over the number of records, both divided by the divisor."""
    if not design.has_intercept:
        return Fraction(0), Fraction(0)
    place = len(design.regressors) - 1
    value, variance = pivot.right[place], pivot.right_variances[place]
    reach = Fraction(0)
    if variance:
        reach = (normal_interval(failure) + pivot.rounding) * root_at_least(variance)
    size = abs(value)
    least, most = max(size - reach, Fraction(0)), size + reach
    low = max(count[0], Fraction(1))  # the divisor is n, or the least that n is
    return least**2 / max(count[1], low), most**2 / low
