"""Certified eigenvalues of a symmetric matrix of rationals, and how far guessed eigenvectors are from the true ones.

Floating point guesses a basis; its Gram matrix, the matrix in that basis and the residuals are computed in balls, and
theorems of Ostrowski and Weyl turn them into enclosures of all eigenvalues, whether or not they are separated.
Directions are bounded only if they are. Proof: docs/proofs/synthbounds.noisy-spectrum.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, arb_mat

from bounds.enclosure import Enclosure, as_fmpq, precision
from bounds.errors import DataError, NotCertified

Rows = Sequence[Sequence[Fraction]]

_BITS = 128
_MOST_TILT = Fraction(1, 2)
"""Of the Gram matrix of the guessed basis from the identity."""


@dataclass(frozen=True, kw_only=True)
class Eigensystem:
    """Eigenvalues, the largest first, and vectors of doubles near an orthonormal basis of eigenvectors."""

    values: tuple[Enclosure, ...]
    vectors: tuple[tuple[float, ...], ...]
    residuals: tuple[Fraction, ...]
    """Upper bounds of ||H x - t x|| for each vector x and the number t in `guesses`."""
    guesses: tuple[Fraction, ...]
    tilt: Fraction
    """Upper bound of ||X'X - I||, X the matrix of the vectors."""

    @property
    def size(self) -> int:
        return len(self.values)

    def gap(self, rank: int) -> Fraction:
        """A lower bound, perhaps negative, on the gap between this many largest eigenvalues and the others."""
        return self.values[rank - 1].lo - self.values[rank].hi

    def sum_of_largest(self, rank: int) -> Enclosure:
        return Enclosure(
            sum((value.lo for value in self.values[:rank]), Fraction(0)),
            sum((value.hi for value in self.values[:rank]), Fraction(0)),
        )

    def trace(self) -> Enclosure:
        return self.sum_of_largest(self.size)

    def offset(self, first: int, last: int) -> Fraction | None:
        """How large a sine can be between the vectors first to last - 1 and the eigenvectors that they stand for.

        None if eigenvalues outside are not certainly separated from the guesses inside.
        """
        squares = Fraction(0)
        outside = [value for j, value in enumerate(self.values) if not first <= j < last]
        for t, residual in zip(self.guesses[first:last], self.residuals[first:last], strict=True):
            apart = min((max(value.lo - t, t - value.hi) for value in outside), default=None)
            if apart is None:
                return Fraction(0)
            if apart <= 0:
                return None
            squares += (residual / apart) ** 2
        squares /= 1 - self.tilt
        return root_up(squares)


def eigensystem(rows: Rows) -> Eigensystem:
    """All eigenvalues of a symmetric matrix, enclosed to about twelve digits of the largest.

    >>> found = eigensystem([[Fraction(2), Fraction(1)], [Fraction(1), Fraction(2)]])
    >>> [value.contains(exact) for value, exact in zip(found.values, (3, 1))]
    [True, True]
    """
    p = len(rows)
    if any(rows[i][j] != rows[j][i] for i in range(p) for j in range(i)):
        raise DataError("the matrix is not symmetric")
    values, vectors = _guessed(rows)
    with precision(_BITS):
        matrix = arb_mat([[arb(as_fmpq(x)) for x in row] for row in rows])
        basis = arb_mat([[arb(x) for x in row] for row in vectors])
        image = matrix * basis
        turned, gram = basis.transpose() * image, basis.transpose() * basis
        tilt = _norm_ub([[gram[i, j] - int(i == j) for j in range(p)] for i in range(p)])
        if tilt >= _MOST_TILT:
            raise NotCertified("no basis of eigenvectors was found in double precision")
        spread = _norm_ub([[turned[i, j] if i != j else arb(0) for j in range(p)] for i in range(p)])
        diagonal = [Enclosure.of(turned[i, i]) for i in range(p)]
        residuals = tuple(
            _upper(_length([image[i, j] - basis[i, j] * arb(values[j]) for i in range(p)])) for j in range(p)
        )
    # Weyl for the matrix in the guessed basis: sorted ends of the diagonal, moved by the norm of the rest.
    lows = sorted((x.lo - spread for x in diagonal), reverse=True)
    highs = sorted((x.hi + spread for x in diagonal), reverse=True)
    return Eigensystem(
        values=tuple(
            Enclosure(_over(lo, tilt, down=True), _over(hi, tilt, down=False))
            for lo, hi in zip(lows, highs, strict=True)
        ),
        vectors=tuple(tuple(row[j] for row in vectors) for j in range(p)),
        residuals=residuals,
        guesses=tuple(Fraction(x) for x in values),
        tilt=tilt,
    )


def root_up(square: Fraction, bits: int = 64) -> Fraction:
    """A rational of few digits that is at least the root, for any square that is not negative."""
    if square <= 0:
        return Fraction(0)
    with precision(bits):
        return Enclosure.of(arb(as_fmpq(square)).sqrt()).hi


def root_down(square: Fraction, bits: int = 64) -> Fraction:
    """A rational of few digits that is at most the root, for any square that is not negative."""
    if square <= 0:
        return Fraction(0)
    with precision(bits):
        return max(Enclosure.of(arb(as_fmpq(square)).sqrt()).lo, Fraction(0))


def _over(end: Fraction, tilt: Fraction, *, down: bool) -> Fraction:
    """An end of an eigenvalue of X'HX over a number from 1 - tilt to 1 + tilt: Ostrowski."""
    return end / (1 + tilt if (end >= 0) == down else 1 - tilt)


def _guessed(rows: Rows) -> tuple[list[float], list[list[float]]]:
    """Eigenvalues, the largest first, and a matrix with vectors as columns, whose largest entries are positive."""
    import numpy as np

    values, vectors = np.linalg.eigh(np.array([[float(x) for x in row] for row in rows]))
    values, vectors = values[::-1], vectors[:, ::-1]
    largest = np.argmax(np.abs(vectors), axis=0)
    signs = np.where(vectors[largest, np.arange(len(values))] < 0, -1.0, 1.0)
    return values.tolist(), (vectors * signs).tolist()


def _norm_ub(rows: list[list[arb]]) -> Fraction:
    """The largest row sum of absolute values, which the norm of a symmetric matrix does not exceed."""
    return max(sum((_upper(abs(x)) for x in row), Fraction(0)) for row in rows)


def _length(numbers: list[arb]) -> arb:
    total = arb(0)
    for x in numbers:
        total += x * x
    return arb(total.upper()).sqrt()  # a ball around zero has no root


def _upper(number: arb) -> Fraction:
    return Enclosure.of(arb(number.upper())).hi
