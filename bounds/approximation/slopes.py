"""Lipschitz constants of a function and of its derivative on an interval, enclosed.

The function is continuous, so its Lipschitz constant is the largest |f'| over all smooth pieces. The derivative is
Lipschitz only if it does not jump at a kink; that is decided exactly where both sides are polynomials.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import perm

from flint import arb, fmpq

from bounds.approximation.cells import Cell, ErrorOnPiece, Model, sup_norm
from bounds.approximation.pieces import Piece, as_polynomial
from bounds.approximation.result import Question
from bounds.enclosure import Enclosure, Undecided, as_fmpq, with_growing_precision
from bounds.errors import NotApplicable, NotCertified

_RELATIVE = Fraction(1, 10**12)
_ORDER = 8


@dataclass(frozen=True)
class Slopes:
    """Lipschitz constants of f and f'; None if there is none, or none could be found."""

    slope: Enclosure | None
    curvature: Enclosure | None


class DerivativeOnPiece(ErrorOnPiece):
    """A derivative of f in place of f - P, so that the same cells enclose its largest size."""

    def __init__(self, piece: Piece, derivative: int) -> None:
        super().__init__(piece, [Fraction(0)])
        self.derivative = derivative
        self.orders = (_ORDER,)

    def value(self, x: fmpq) -> arb:
        return self._coefficients(arb(x), 0)[0]

    def model(self, cell: Cell) -> Model:
        hull = arb(cell.left).union(arb(cell.right))
        at_centre = self._coefficients(arb(cell.centre), cell.order - 1)
        return Model([*at_centre, self._coefficients(hull, cell.order)[-1]], cell.order)

    def _coefficients(self, at: arb, order: int) -> list[arb]:
        j = self.derivative
        coefficients, decided = self.function.taylor(at, order + j)
        if not decided:
            raise Undecided
        return [c * perm(k, j) for k, c in enumerate(coefficients) if k >= j]


def slopes(question: Question) -> Slopes:
    """Both Lipschitz constants, to a relative width of 10^-12."""
    return Slopes(_largest(question, 1), None if _derivative_jumps(question) else largest_bend(question))


def largest_bend(question: Question) -> Enclosure | None:
    """The largest |f''| between the kinks."""
    return _largest(question, 2)


def _largest(question: Question, derivative: int) -> Enclosure | None:
    if not all(piece.is_smooth for piece in question.pieces):
        return None  # a kink that is only enclosed: the slope beside it is not separated

    def attempt() -> Enclosure:
        norm = sup_norm(
            [DerivativeOnPiece(piece, derivative) for piece in question.pieces],
            relative=_RELATIVE,
            negligible=Fraction(1, 10**40),
        )
        return Enclosure(norm.lo, norm.hi)

    try:
        return with_growing_precision(attempt, start=128, highest=512)[0]
    except (NotCertified, NotApplicable):
        return None


def _derivative_jumps(question: Question) -> bool:
    """Does f' jump at a kink, or is that not known?"""
    for before, after in pairwise(question.pieces):
        if before.expression == after.expression:
            continue
        left, right = as_polynomial(before.expression), as_polynomial(after.expression)
        if left is None or right is None:
            return True
        kink = as_fmpq(after.left)
        if left.derivative()(kink) != right.derivative()(kink):
            return True
    return False
