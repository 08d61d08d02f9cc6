"""The model of least mean squared error by noisy sums: projected to what sums can be, held back where noise is.

A noisy matrix of sums has directions in which it is nothing but noise, negative ones among them. Negative eigenvalues
are set to 0, the nearest matrix that records can have, and a ridge at the edge of the spectrum of the noise is added:
no eigenvalue of Gaussian noise of deviation s (s over the root of 2 beside the diagonal) is much larger than
s sqrt(2 p) in p dimensions. That number is public, so it costs nothing, and it is all that there is to tune.
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


def spectral_edge(sums: Sums) -> float:
    """About the largest eigenvalue of the noise on the sums of f f'."""
    return sums.gram_sd * sqrt(2 * len(sums.cross))


def least_squares(sums: Sums, *, ridge: float, tau: float | None = None) -> Floats:
    """The least of v'(G + ridge) v/2 - h.v over all v, or those of norm at most tau; G without its negative part.

    The norm is that of a model, sqrt(P) times that of its coefficients. Directions without curvature are left at 0.
    """
    values, vectors = np.linalg.eigh(sums.gram)
    hessian = (vectors * (np.maximum(values, 0) + ridge)) @ vectors.T
    radius = None if tau is None else tau / sqrt(sums.feature_map.squared_norm)
    return smallest_in_ball(hessian, sums.cross, radius)


def raw_solution(sums: Sums) -> Floats:
    """G^-1 h as it is, negative eigenvalues and all, by least squares where G is singular: for study."""
    return np.asarray(np.linalg.lstsq(sums.gram, sums.cross, rcond=None)[0], dtype=np.float64)
