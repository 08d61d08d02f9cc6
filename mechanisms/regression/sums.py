"""Sums of f f' and of y f, noisy or not: all that least squares needs. Floats, on the scale of the features.

With the intercept as the last feature, the last sum of f f' is the number of records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from release.statistics.features import FeatureMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.moments.file import MomentRelease

    Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Sums:
    """Approximate sums over records and, if Gaussian noise was added to the sums themselves, its deviation."""

    feature_map: FeatureMap
    gram: Floats
    """Sums of f f', symmetric."""
    cross: Floats
    """Sums of y f."""
    count: float
    """Number of records."""
    gram_sd: float = 0.0
    """Deviation of the noise on the diagonal; off it, it is this over the root of 2, as in an isometric matrix."""
    cross_sd: float = 0.0


def sums_of_release(release: MomentRelease) -> Sums:
    """The noisy sums of a release of moments, unchanged."""
    features = release.feature_map
    p, one = features.size, float(features.one)
    gram = np.zeros((p, p))
    gram[np.triu_indices(p)] = [float(value) for row in release.second_sums for value in row]
    gram = gram + np.triu(gram, 1).T
    cross = np.array([float(value) for value in release.first_sums])
    unit = one * features.label_one
    return Sums(
        feature_map=features,
        gram=gram / one**2,
        cross=cross / unit,
        count=float(release.size),
        gram_sd=float(release.deviations.second_diagonal) / one**2,
        cross_sd=float(release.deviations.first) / unit,
    )


def sums_of_records(codes: Codes, features: FeatureMap, weights: Floats | None = None) -> Sums:
    """Sums over records, each counted as often as its weight says; for public rows, and for studies."""
    values = features.features(codes) / float(features.one)
    labels = features.labels(codes) / float(features.label_one)
    counted = values if weights is None else values * weights[:, None]
    total = float(len(codes)) if weights is None else float(weights.sum())
    return Sums(feature_map=features, gram=counted.T @ values, cross=counted.T @ labels, count=total)
