"""The model of least mean squared error from noisy sums, projected to possible sums, with a ridge against the noise.

A noisy matrix of sums has directions, some with negative eigenvalues, in which it is nothing but noise. Negative
eigenvalues are set to 0, which gives the nearest matrix that records can have, and a ridge as large as the noise is
added. Eigenvalues of Gaussian noise of deviation s (s over the root of 2 off the diagonal) end near s sqrt(2 p) in p
dimensions, and half of that is their root mean square. This edge is the ridge for the worst noise; half of it, which is
used, was better on average. Both are public, so the ridge costs nothing, and there is nothing to tune.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.models.train.ball_minimum import smallest_in_ball
from mechanisms.regression.sums import Sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


NEXT_TO_NONE = 1e-6
"""As a part of the number of records: enough for a singular matrix, and negligible against any sum that matters."""


def spectral_edge(sums: Sums) -> float:
    """About the largest eigenvalue of the noise on the sums of f f'."""
    return sums.gram_sd * sqrt(2 * len(sums.cross))


def noise_ridge(sums: Sums) -> float:
    """The root mean square of the eigenvalues of the noise: half of their edge."""
    return spectral_edge(sums) / 2


def public_ridge(sums: Sums) -> float:
    """A ridge as large as the noise of the sums; if they have none of their own, just enough for a singular matrix."""
    return noise_ridge(sums) or NEXT_TO_NONE * sums.count


def least_squares(sums: Sums, *, ridge: float, tau: float | None = None) -> Floats:
    """The minimiser of v'(G + ridge) v/2 - h.v over all v, or those of norm at most tau; G without its negative part.

    The norm is that of a model, sqrt(P) times that of its coefficients. Directions without curvature are left at 0.
    """
    values, vectors = np.linalg.eigh(sums.gram)
    hessian = (vectors * (np.maximum(values, 0) + ridge)) @ vectors.T
    radius = None if tau is None else tau / sqrt(sums.feature_map.squared_norm)
    return smallest_in_ball(hessian, sums.cross, radius)


def raw_solution(sums: Sums) -> Floats:
    """G^-1 h unchanged, even with negative eigenvalues, by least squares if G is singular: for study."""
    return np.asarray(np.linalg.lstsq(sums.gram, sums.cross, rcond=None)[0], dtype=np.float64)
