"""The operator norm of a symmetric matrix of integers, enclosed in an interval no wider than requested.

Floating point only guesses: a vector, whose Rayleigh quotient is a lower bound, and a basis in which the matrices to be
shown positive semidefinite are diagonally dominant, which proves the upper bound; both are computed in integers. If the
guess is too coarse, elimination in balls decides, at whatever precision is needed: the width is a promise, and it does
not depend on the matrix. Proof: docs/proofs/synthbounds.table-distance.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb, fmpz, fmpz_mat

from bounds.enclosure import Enclosure, as_fmpq, precision

Rows = Sequence[Sequence[int]]

_BITS = 52
"""Of the entries of a guessed vector."""
_FIRST_PRECISION, _MOST_PRECISION = 128, 4096


def operator_norm(rows: Rows, width: Fraction) -> Enclosure:
    """Two rationals around the norm of a symmetric matrix that differ by at most `width`, which is positive.

    >>> found = operator_norm([[0, 3], [3, 0]], Fraction(1, 1000))
    >>> found.lo <= 3 <= found.hi <= found.lo + Fraction(1, 1000)
    True
    """
    most = max((sum(map(abs, row)) for row in rows), default=0)  # the largest row sum bounds the norm
    if most <= width:
        return Enclosure(Fraction(0), Fraction(most))
    basis, place = _guessed_basis(rows)
    matrix = fmpz_mat([list(row) for row in rows])
    turned, gram = basis.transpose() * matrix * basis, basis.transpose() * basis
    lo = Fraction(abs(int(turned[place, place])), int(gram[place, place]))
    hi = lo + width
    if _is_dominant(gram, turned, hi):
        return Enclosure(lo, hi)
    return _by_elimination(rows, lo, hi, Fraction(most), width)


def _guessed_basis(rows: Rows) -> tuple[fmpz_mat, int]:
    """Integer vectors near an orthogonal basis of eigenvectors, and the place of the largest eigenvalue in size."""
    import numpy as np

    largest = max(abs(x) for row in rows for x in row)
    values, vectors = np.linalg.eigh(np.array([[x / largest for x in row] for row in rows]))
    # Exact: a double times a power of two, rounded, is an integer that Python holds whole.
    whole = np.rint(vectors * 2.0**_BITS).astype(np.int64).tolist()
    return fmpz_mat(whole), int(np.argmax(np.abs(values)))


def _is_dominant(gram: fmpz_mat, turned: fmpz_mat, bound: Fraction) -> bool:
    """Whether bound Q'Q - Q'MQ and bound Q'Q + Q'MQ are strictly diagonally dominant.

    Then both are positive definite, Q is invertible, and so no eigenvalue of M exceeds the bound in size.
    """
    numerator, denominator = fmpz(bound.numerator), fmpz(bound.denominator)
    scaled, other = gram * numerator, turned * denominator
    return all(_dominates(shown.tolist()) for shown in (scaled - other, scaled + other))


def _dominates(rows: list[list[fmpz]]) -> bool:
    return all(2 * row[i] > sum(map(abs, row)) for i, row in enumerate(rows))


def _by_elimination(rows: Rows, lo: Fraction, hi: Fraction, most: Fraction, width: Fraction) -> Enclosure:
    """First whether the norm is below the desired end; then bisection up to the bound that is always valid."""
    if _is_above(rows, hi):
        return Enclosure(lo, hi)
    hi = max(lo, most)
    while hi - lo > width:
        # A point is not decided if it is, or nearly is, an eigenvalue of a leading part of the matrix or of its
        # negative. There are p(p + 1) of those, and each spoils one of these points at most.
        for k in range(1, len(rows) * (len(rows) + 1) + 2):
            middle = lo + (hi - lo) * Fraction(k, 2 * k + 1)
            above = _is_above(rows, middle)
            if above is not None:
                lo, hi = (lo, middle) if above else (middle, hi)
                break
        else:
            raise AssertionError("more points were spoilt than there are eigenvalues")
    return Enclosure(lo, hi)


def _is_above(rows: Rows, bound: Fraction) -> bool | None:
    """Whether the bound exceeds the norm; None if it is too near an eigenvalue of a leading part to decide."""
    bits = _FIRST_PRECISION
    while bits <= _MOST_PRECISION:
        with precision(bits):
            found = [_is_definite(rows, bound, sign) for sign in (1, -1)]
        if False in found:
            return False
        if None not in found:
            return True
        bits *= 2
    return None


def _is_definite(rows: Rows, bound: Fraction, sign: int) -> bool | None:
    """Whether all pivots of bound - sign M are positive; False where one is certainly negative, None if unknown."""
    shift = arb(as_fmpq(bound))
    left = [[(shift if i == j else arb(0)) - sign * x for j, x in enumerate(row)] for i, row in enumerate(rows)]
    for k, pivot_row in enumerate(left):
        pivot = pivot_row[k]
        if not pivot > 0:
            return False if pivot < 0 else None
        for row in left[k + 1 :]:
            factor = row[k] / pivot
            for j in range(k + 1, len(row)):
                row[j] -= factor * pivot_row[j]
    return True
