"""Coefficients of what the records were drawn from: the noise exactly, the sampling error as many records have it.

Drawing the records adds to the covariance of the residual that of the mean of x (y - x'b) over them. It is estimated as
if all residuals had one variance, whatever x is: a release of second moments does not tell more.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.certify.radii import normal_interval
from bounds.inference.linear_pivot import LinearPivot
from mechanisms.infer.findings import Interval
from mechanisms.infer.noisy_matrix import NoisyMatrix
from mechanisms.infer.regression.design import Design
from mechanisms.infer.regression.explained import residual_est
from mechanisms.infer.regression.float_pivot import FloatPivot
from mechanisms.infer.regression.one_by_one import Split, one_by_one

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_HOW = "records drawn independently; sampling error from one residual variance for all records"
_NO_SQUARE = "; the mean square of the response is not known and taken to be 1, the most that it can be"


def population_intervals(
    matrix: NoisyMatrix, design: Design, pivot: LinearPivot, split: Split, level: Fraction, *, is_bounded: bool
) -> tuple[Interval, ...]:
    """One for each coefficient by itself."""
    floats = FloatPivot.of(pivot)
    sampling, is_known = sampling_covariance(matrix, design, floats)
    back = np.linalg.inv(floats.matrix)
    usual = np.sqrt(np.maximum(np.diag(back @ sampling @ back), 0))
    z = float(normal_interval(1 - level))
    return one_by_one(
        FloatPivot.of(pivot, added=sampling),
        design.regressors,
        split,
        level=level,
        about="population",
        is_bounded=is_bounded,
        without_privacy=[float(2 * z * s) for s in usual],
        note=_HOW + ("" if is_known else _NO_SQUARE),
    )


def sampling_covariance(matrix: NoisyMatrix, design: Design, floats: FloatPivot) -> tuple[Floats, bool]:
    """Of the residual where records are drawn anew, an estimate; and whether the response's mean square is known."""
    residual, is_known = residual_est(matrix, design, floats)
    return _positive(floats.matrix) * residual / matrix.divisor, is_known


def _positive(matrix: Floats) -> Floats:
    """The nearest matrix without negative eigenvalues."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T, np.float64)
