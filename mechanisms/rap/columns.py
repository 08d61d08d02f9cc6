"""Shares of the codes of a number, from its one-way table for single codes and from relaxed rows for large parts.

Thresholds say nothing about single codes, so rows fitted to them miss codes that many records have; sums of many noisy
counts say little about large parts, for which thresholds are accurate. Both are weighted by their noise, cumulated, and
made monotone; then every value gets a code by its rank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_SPREAD = 0.5
"""Errors of relaxed rows at neighbouring codes are alike: all codes together count like two, each as accurate as the
answer of a threshold."""


def shares_of_number(noisy: Floats, made: Floats, *, noise: float, threshold_noise: float) -> Floats:
    """Shares of all codes, from noisy shares and those of relaxed rows; deviations of noise are also in shares.

    The cumulated shares H minimise sum (H_c - H_(c-1) - noisy_c)^2 / noise^2 + sum (H_c - M_c)^2 / t^2, where M are
    those of the rows, and are then replaced by the nearest increasing ones.

    >>> shares_of_number(np.array([.5, -.1, .6]), np.array([.5, 0, .5]), noise=.1, threshold_noise=1e-6)
    array([0.5, 0. , 0.5])
    """
    from scipy.linalg import solveh_banded
    from scipy.optimize import isotonic_regression

    codes = len(noisy)
    local, held = 1 / noise**2, 1 / (threshold_noise**2 * _SPREAD * codes)
    bands = np.empty((2, codes - 1))
    bands[0], bands[1] = -local, 2 * local + held
    wanted = local * (noisy[:-1] - noisy[1:]) + held * np.cumsum(made)[:-1]
    wanted[-1] += local  # all shares together are 1
    # the banded solver does not accept a single unknown
    cumulated = wanted / bands[1] if codes == 2 else solveh_banded(bands, wanted)
    rising = isotonic_regression(cumulated).x
    found: Floats = np.diff(np.clip(rising, 0, 1), prepend=0, append=1)
    return found


def codes_by_rank(values: Floats, shares: Floats, stream: np.random.Generator) -> NDArray[np.intp]:
    """Codes that increase with the values and have these shares, as nearly as whole rows can."""
    count = len(values)
    levels = (np.arange(count) + stream.random()) / count
    found = np.empty(count, dtype=np.intp)
    by_rank = np.searchsorted(np.cumsum(shares), levels, side="right")
    found[np.lexsort((stream.random(count), values))] = np.minimum(by_rank, len(shares) - 1)
    return found
