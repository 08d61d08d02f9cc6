"""Coefficients of the population: exact for the noise, asymptotic in the number of records for the sampling error.

Drawing the records adds to the covariance of the residual that of the mean of x (y - x'b) over them. It is estimated in
two ways: as if all residuals had the same variance, whatever x is, and with the largest residual that any record can
have in place of all residuals, which assumes nothing. A release of second moments tells no more.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from release.statistics.features import FeatureMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ALIKE = "asymptotic, if all residuals vary alike; records drawn independently"
ANYHOW = (
    "asymptotic, however residuals vary; records drawn independently, every residual taken to be the largest possible"
)
_NO_SQUARE = "; the mean square of the response is not known and taken to be 1, the most that it can be"


def population_intervals(
    matrix: NoisyMatrix, design: Design, pivot: LinearPivot, split: Split, level: Fraction, *, is_bounded: bool
) -> tuple[Interval, ...]:
    """One interval for each single coefficient, if all residuals vary alike."""
    sampling, is_known = sampling_covariance(matrix, design, FloatPivot.of(pivot))
    note = ALIKE + ("" if is_known else _NO_SQUARE)
    return _intervals(design, pivot, split, level, sampling, note, ", population", is_bounded=is_bounded)


def population_anyhow(
    matrix: NoisyMatrix,
    design: Design,
    features: FeatureMap,
    pivot: LinearPivot,
    split: Split,
    level: Fraction,
    *,
    is_bounded: bool,
) -> tuple[Interval, ...]:
    """The same however residuals vary, which is wider."""
    sampling = largest_covariance(features, matrix, design, FloatPivot.of(pivot))
    suffix = ", population, any residuals"
    return _intervals(design, pivot, split, level, sampling, ANYHOW, suffix, is_bounded=is_bounded)


def _intervals(
    design: Design,
    pivot: LinearPivot,
    split: Split,
    level: Fraction,
    sampling: Floats,
    note: str,
    suffix: str,
    *,
    is_bounded: bool,
) -> tuple[Interval, ...]:
    back = np.linalg.inv(FloatPivot.of(pivot).matrix)
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
        note=note,
        suffix=suffix,
    )


def sampling_covariance(matrix: NoisyMatrix, design: Design, floats: FloatPivot) -> tuple[Floats, bool]:
    """Covariance of the residual from drawing records, an estimate; and whether the response's mean square is known."""
    residual, is_known = residual_est(matrix, design, floats)
    return _positive(floats.matrix) * residual / matrix.divisor, is_known


def largest_covariance(features: FeatureMap, matrix: NoisyMatrix, design: Design, floats: FloatPivot) -> Floats:
    """The same if all residuals are the largest that a record can have: an upper bound, as n grows."""
    return _positive(floats.matrix) * largest_residual(features, design, floats.solution) ** 2 / matrix.divisor


def largest_residual(features: FeatureMap, design: Design, coefficients: Sequence[float] | Floats) -> float:
    """The largest residual of these coefficients that a record of the public domain can have."""
    weights = dict(zip(design.regressors, map(float, coefficients), strict=True))
    names = [*features.names[:-1], features.label]
    blocks = [np.array(block, dtype=float) / features.one for block in features.blocks]
    lowest = highest = weights.get(features.names[-1], 0.0)
    start, spans = 0, dict[str, tuple[float, float]]()
    for block in (*blocks, np.array([[-1.0], [1.0]])):  # the label stands after the columns
        own = names[start : start + block.shape[1]]
        told = block @ np.array([weights.get(name, 0.0) for name in own])
        lowest, highest = lowest + told.min(), highest + told.max()
        spans |= {name: (block[:, j].min(), block[:, j].max()) for j, name in enumerate(own)}
        start += block.shape[1]
    low, high = spans[design.response]
    return float(max(high - lowest, highest - low))


def _positive(matrix: Floats) -> Floats:
    """The nearest matrix without negative eigenvalues."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T, np.float64)
