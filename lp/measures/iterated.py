"""Coefficients of iterated Bernstein polynomials: the polynomial of order j, written in the ordinary Bernstein basis.

B^(j) = I - (I - B)^j applied to values F on the lattice has the coefficients A F on every axis, where
A = sum_{i<j} (I - M)^i and M[r, l] = b_l(r/k). A is computed exactly; if its denominator has more than 64 bits it is
rounded to units of 2^-64. Coefficients come after the noise, so that rounding is public.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np
from flint import fmpz_mat

from bounds.exact import require_range

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_ORDER = 16
_MOST_DENOMINATOR_BITS = 64


def iterated_operator(degree: int, order: int) -> tuple[list[list[int]], int]:
    """The matrix A as integers over a common denominator.

    >>> iterated_operator(2, 2)
    ([[4, 0, 0], [-1, 6, -1], [0, 0, 4]], 4)
    """
    require_range("order", order, order, least=1, most=MOST_ORDER, reason="Bernstein order")
    k, unit = degree, degree**degree
    lattice = range(k + 1)
    residual = fmpz_mat(
        [[unit * (r == ell) - comb(k, ell) * r**ell * (k - r) ** (k - ell) for ell in lattice] for r in lattice]
    )
    total = identity = fmpz_mat([[int(r == ell) for ell in lattice] for r in lattice])
    for i in range(1, order):  # Horner: A_{i+1} = I + (I - M) A_i
        total = identity * unit**i + residual * total
    rows, denominator = [[int(total[r, ell]) for ell in lattice] for r in lattice], unit ** (order - 1)
    if denominator.bit_length() <= _MOST_DENOMINATOR_BITS:
        return rows, denominator
    rounded = 2**_MOST_DENOMINATOR_BITS
    return [[(2 * entry * rounded + denominator) // (2 * denominator) for entry in row] for row in rows], rounded


def iterated_coefficients(values: NDArray[np.object_], degree: int, order: int) -> tuple[NDArray[np.object_], int]:
    """Coefficients as integers over a denominator, from integer values on the lattice, one axis of the array each."""
    if order == 1:
        return values, 1
    rows, denominator = iterated_operator(degree, order)
    operator = np.array(rows, dtype=object)
    found = values
    for axis in range(values.ndim):
        found = np.moveaxis(np.tensordot(operator, found, axes=(1, axis)), 0, axis)
    return found, denominator**values.ndim
