"""The least eigenvalue of the sums of f f', as a whole number of steps, proved to be within one step of it.

Floats find the number and both proofs, and are trusted for neither. The Rayleigh quotient of an integer vector shows
that the eigenvalue is not larger; a diagonally dominant congruence C (G - t) C' shows that it is not smaller. Both are
checked in integers, so a singular matrix is as good as any. If the floats are not fine enough, the characteristic
polynomial decides: its roots are real, so the signs of its coefficients say whether one is below t. Proof:
docs/proofs/synthbounds.adassp.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flint import fmpz_mat, fmpz_poly

from bounds.privacy.adjacency import Adjacency
from bounds.privacy.sensitivity import Sensitivity, l2_sensitivity
from release.one_thread import one_thread
from release.statistics.features import FeatureMap
from release.statistics.statistic import RECORD_STEPS, Counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.statistics.moments import MomentSums

WITHIN = 1
"""The whole number of steps is at most this far from the eigenvalue."""
_BITS = 60
"""Entries of C, and of the vector of the quotient, are whole numbers over 2 to this."""


def least_eigenvalue(sums: MomentSums, features: FeatureMap) -> Counted:
    """Of sum f f', in RECORD_STEPS per unit; for the steward only."""
    gram = _whole_matrix(sums.second)
    step, rest = divmod(features.one**2, RECORD_STEPS)
    if rest:  # few bits: G in units of which a step is a whole number
        gram, step = gram * RECORD_STEPS, features.one**2
    return Counted(n=sums.n, values=(steps_of(gram, step),))


def eigenvalue_sensitivity(features: FeatureMap, adjacency: Adjacency) -> Sensitivity:
    """A record moves the eigenvalue by at most P, added, removed or replaced, and both numbers are rounded."""
    return l2_sensitivity(
        squared=(features.squared_norm * RECORD_STEPS + 2 * WITHIN) ** 2,
        adjacency=adjacency,
        n_is_public=adjacency is Adjacency.REPLACE_ONE,
        text=f"least eigenvalue of the sum of f f', in steps of 1/{RECORD_STEPS}",
    )


def steps_of(gram: fmpz_mat, step: int) -> int:
    """k >= 0 such that (k - 1) step <= least eigenvalue <= (k + 1) step, of a whole matrix that is not negative."""
    with one_thread():
        doubles = np.array(gram.tolist(), dtype=np.float64)
        values, vectors = np.linalg.eigh(doubles)
        found = max(round(float(values[0]) / step), 0)
        if _is_at_most(gram, (found + WITHIN) * step, vectors[:, 0]) and (
            found == 0 or _is_at_least(gram, (found - WITHIN) * step, doubles)
        ):
            return found
    return _floor(gram, step)


def _is_at_most(gram: fmpz_mat, bound: int, direction: NDArray[np.float64]) -> bool:
    """Whether the quotient in that direction is at most the bound."""
    vector = _scaled(direction[:, None])
    squares = sum(int(entry) ** 2 for entry in vector.entries())
    return squares > 0 and int((vector.transpose() * gram * vector)[0, 0]) <= bound * squares


def _is_at_least(gram: fmpz_mat, bound: int, doubles: NDArray[np.float64]) -> bool:
    """Whether C (G - bound) C' is diagonally dominant for the inverse C of a factor in floats, so G above the bound."""
    shifted = doubles - float(bound) * np.eye(len(doubles))
    scale = np.sqrt(np.abs(shifted).max())
    try:
        inverse = np.linalg.inv(np.linalg.cholesky(shifted / scale**2))
    except np.linalg.LinAlgError:
        return False
    factor = _scaled(inverse)
    product = (factor * _less(gram, bound) * factor.transpose()).tolist()
    return all(2 * int(row[i]) > sum(abs(int(entry)) for entry in row) for i, row in enumerate(product))


def _floor(gram: fmpz_mat, step: int) -> int:
    """The eigenvalue in steps, rounded down, exactly; slow for hundreds of features."""
    polynomial = gram.charpoly()

    def is_reached(count: int) -> bool:
        moved = [int(c) for c in polynomial(fmpz_poly([count * step, 1])).coeffs()]
        top = len(moved) - 1
        return all(c * (-1) ** (top - i) >= 0 for i, c in enumerate(moved))

    low, high = 0, min(int(gram[i, i]) for i in range(gram.nrows())) // step + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_reached(middle) else (low, middle)
    return low


def _whole_matrix(second: tuple[tuple[int, ...], ...]) -> fmpz_mat:
    """The whole matrix of which the rows of the upper triangle are given."""
    p = len(second)
    return fmpz_mat([[second[min(i, j)][abs(i - j)] for j in range(p)] for i in range(p)])


def _less(gram: fmpz_mat, bound: int) -> fmpz_mat:
    p = gram.nrows()
    return gram - fmpz_mat([[bound if i == j else 0 for j in range(p)] for i in range(p)])


def _scaled(values: NDArray[np.float64]) -> fmpz_mat:
    """The entries over the largest of them, as whole numbers over 2^bits."""
    largest = float(np.abs(values).max())
    return fmpz_mat([[int(entry * 2.0**_BITS) for entry in row] for row in (values / largest).tolist()])
