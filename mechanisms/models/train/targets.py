"""The targets of a synthetic table: the noisy moments of a release as floats, with the standard deviation of each.

This is post-processing of a release. It reads no table, spends no privacy and certifies nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bounds.errors import ParameterError
from release.statistics.features import FeatureMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class NoisyMoments(Protocol):
    """The parts of a release that are read here; moments on the scale of f, noise on that of x = f/sqrt(P)."""

    @property
    def feature_map(self) -> FeatureMap: ...
    @property
    def first(self) -> Sequence[Fraction]: ...
    @property
    def second(self) -> Sequence[Sequence[Fraction]]: ...
    @property
    def noise_first(self) -> Fraction: ...
    @property
    def noise_second(self) -> Fraction: ...


@dataclass(frozen=True, eq=False)
class MomentTargets:
    """Noisy E[y f] and E[f f^T] on the scale of f, and the standard deviation of every entry's noise."""

    feature_map: FeatureMap
    first: Floats
    second: Floats
    first_sd: Floats
    second_sd: Floats

    def __post_init__(self) -> None:
        p = self.feature_map.size
        for name, value, shape in (
            ("first", self.first, (p,)),
            ("second", self.second, (p, p)),
            ("first_sd", self.first_sd, (p,)),
            ("second_sd", self.second_sd, (p, p)),
        ):
            if value.shape != shape:
                raise ParameterError(name, f"shape {value.shape}", f"of shape {shape}", "one entry for each feature")
            if not np.isfinite(value).all():
                raise ParameterError(name, "NaN or infinity", "finite everywhere")
        if not np.array_equal(self.second, self.second.T) or not np.array_equal(self.second_sd, self.second_sd.T):
            raise ParameterError("second", "an asymmetric matrix", "symmetric")
        if min(self.first_sd.min(), self.second_sd.min()) <= 0:
            raise ParameterError("standard deviation", 0, "positive", "moments without noise have none to fit within")


def release_targets(release: NoisyMoments) -> MomentTargets:
    """The targets of a release of moments: independent Gaussian noise, off the diagonal smaller by sqrt(2)."""
    P = release.feature_map.squared_norm
    p = release.feature_map.size
    second = np.array([[float(value) for value in row] for row in release.second])
    off_diagonal = float(release.noise_second) * P / sqrt(2)
    second_sd = np.full((p, p), off_diagonal)
    np.fill_diagonal(second_sd, float(release.noise_second) * P)
    return MomentTargets(
        release.feature_map,
        np.array([float(value) for value in release.first]),
        second,
        np.full(p, float(release.noise_first) * sqrt(P)),
        second_sd,
    )
