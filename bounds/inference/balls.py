"""Matrices of balls: what is needed to bound a quadratic function over an ellipsoid, and nothing else.

A multiplier that makes the difference of two forms positive definite bounds the one by the other. Multipliers come from
floats, on which nothing relies: elimination in balls proves that they do, or raises Undecided.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb, arb_mat

from bounds.enclosure import Undecided, as_fmpq

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MARGIN = 1e-9
"""How far above the largest eigenvalue that floats find a multiplier stays, relatively."""
_STEPS = 80
_TINY = 1e-100
"""Where there is no curvature a multiplier is above 0 all the same, and its square is, too."""


def ball(x: Fraction | int) -> arb:
    return arb(as_fmpq(Fraction(x)))


def ball_matrix(rows: Sequence[Sequence[Fraction | int]]) -> arb_mat:
    return arb_mat([[ball(x) for x in row] for row in rows])


def square(x: arb) -> arb:
    """A power would be nan if a ball of some width has its midpoint at 0."""
    return x * x


def column(entries: Sequence[arb]) -> arb_mat:
    return arb_mat([[x] for x in entries])


def diagonal(entries: Sequence[arb]) -> arb_mat:
    zero = arb(0)
    return arb_mat([[x if i == j else zero for j in range(len(entries))] for i, x in enumerate(entries)])


def form(matrix: arb_mat, vector: arb_mat) -> arb:
    """x' M x of a column x."""
    return (vector.transpose() * matrix * vector)[0, 0]


def inverse(matrix: arb_mat) -> arb_mat:
    """Raises Undecided if balls cannot show that there is one."""
    try:
        return matrix.inv()
    except ZeroDivisionError:
        raise Undecided from None


def solve_definite(matrix: arb_mat, right: arb_mat) -> arb:
    """x' M^-1 x of a column x for a symmetric M that elimination proves to be positive definite, or Undecided."""
    p = matrix.nrows()
    rows = [[*row, x[0]] for row, x in zip(matrix.tolist(), right.tolist(), strict=True)]
    total = arb(0)
    for k in range(p):
        pivot = rows[k][k]
        if not pivot > 0:
            raise Undecided
        total += square(rows[k][p]) / pivot
        for i in range(k + 1, p):  # symmetric: the upper triangle is enough
            factor = rows[k][i] / pivot
            for j in range(i, p + 1):
                rows[i][j] -= factor * rows[k][j]
    return total


def is_positive_definite(matrix: arb_mat) -> bool:
    """Whether elimination in balls proves it."""
    try:
        solve_definite(matrix, arb_mat(matrix.nrows(), 1))
    except Undecided:
        return False
    return True


def largest_over_ellipsoid(
    *, curved: arb_mat, linear: arb_mat, constant: arb, shape: arb_mat, squared_radius: arb
) -> arb:
    """An upper bound on x' K x + 2 l' x + c over the x with x' P x <= r^2, P positive definite.

    For a multiplier t with t P - K positive definite the function is at most c + t r^2 + l' (t P - K)^-1 l there.
    """
    guess = _multiplier_est(floats(curved), floats(linear)[:, 0], floats(shape), float(squared_radius))
    multiplier = ball(Fraction(max(guess, 0.0)))  # below 0 it would bound nothing
    return constant + multiplier * squared_radius + solve_definite(multiplier * shape - curved, linear)


def largest_ratio(curved: arb_mat, shape: arb_mat) -> arb:
    """An upper bound on x' K x / x' P x."""
    zero = arb_mat(shape.nrows(), 1)
    return largest_over_ellipsoid(curved=curved, linear=zero, constant=arb(0), shape=shape, squared_radius=arb(1))


def floats(matrix: arb_mat) -> Floats:
    """The midpoints."""
    import numpy as np

    return np.array([[float(x) for x in row] for row in matrix.tolist()])


def _multiplier_est(curved: Floats, linear: Floats, shape: Floats, squared_radius: float) -> float:
    """Nearly the best one: t r^2 + l' (t P - K)^-1 l is convex above the largest eigenvalue of K against P."""
    import numpy as np

    try:
        root = np.linalg.cholesky(shape)
        whitened = np.linalg.solve(root, np.linalg.solve(root, curved).T)
        values, vectors = np.linalg.eigh((whitened + whitened.T) / 2)
        weights = (vectors.T @ np.linalg.solve(root, linear)) ** 2
    except np.linalg.LinAlgError:
        raise Undecided from None
    size = float(np.abs(values).max())
    least = float(values[-1]) + MARGIN * size + _TINY
    low, high = least, least + max(size, float(np.sqrt(weights.sum() / squared_radius)))

    def slope(t: float) -> float:
        return squared_radius - float((weights / (t - values) ** 2).sum())

    if slope(low) >= 0:
        return low
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if slope(middle) >= 0 else (middle, high)
    return high
