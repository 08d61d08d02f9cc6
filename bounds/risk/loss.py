"""What a bound on excess risk needs to know about a loss on [-R, R], every number enclosed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from flint import arb, arb_poly, fmpq

from bounds.approximation.balls import BallFunction
from bounds.approximation.cells import Cell, ErrorOnPiece, Model, sup_norm
from bounds.approximation.functions import Function
from bounds.approximation.pieces import Piece, as_polynomial
from bounds.approximation.result import Question, error_pieces
from bounds.approximation.slopes import DerivativeOnPiece, largest_bend, slopes
from bounds.enclosure import Enclosure, Undecided, as_fmpq, precision, with_growing_precision
from bounds.errors import NotApplicable, NotCertified

_RELATIVE = Fraction(1, 10**14)
_BITS = 192


@dataclass(frozen=True)
class Loss:
    """A loss on [-R, R]."""

    question: Question
    slope: Enclosure
    """Lipschitz constant."""
    at_zero: Enclosure
    """|phi(0)|."""
    oscillation: Enclosure
    """Largest less least value: no two models differ by more."""
    convexity: Fraction
    """A mu for which phi - mu x^2/2 is convex, including kinks; 0 if none is known to be positive."""
    convex: bool
    """Known to be convex."""

    @property
    def radius(self) -> Fraction:
        return self.question.right

    @property
    def is_logistic(self) -> bool:
        return self.question.function.text == "log(1+exp(-x))"


@lru_cache(maxsize=256)
def loss_on(function: Function, radius: Fraction) -> Loss:
    """The loss on [-radius, radius]; refuses one that is not Lipschitz there."""
    question = Question.of(function, -radius, radius)
    found = slopes(question)
    if found.slope is None:
        raise NotApplicable(f"loss = {function.name[:60]}: no Lipschitz constant could be certified on [-R, R]")
    bends = found.curvature or (largest_bend(question) if _kinks_open_upwards(question) else None)
    least = Fraction(0) if bends is None else _least_second_derivative(question, bends.hi)
    convexity = max(least, Fraction(0))
    with precision(_BITS):
        at_zero = Enclosure.of(abs(BallFunction(question.expression)(arb(0))))
        exactly = _oscillation_by_symmetry(question) if convexity > 0 else _no_oscillation(question)
        oscillation = exactly or oscillation_beside(question, [Fraction(0)])
    return Loss(
        question=question,
        slope=found.slope,
        at_zero=at_zero,
        oscillation=oscillation,
        convexity=convexity,
        convex=convexity > 0 or _polynomials_are_convex(question),
    )


def _oscillation_by_symmetry(question: Question) -> Enclosure | None:
    """2 |slope| R exactly, for slope*x plus an even function, the sum convex and monotone: the logistic loss."""
    slope = question.function.even_with_slope
    if not slope or len(question.pieces) > 1:
        return None
    function = BallFunction(question.pieces[0].expression)
    (_, first), (_, last) = (function.taylor(arb(as_fmpq(x)), 1)[0] for x in (question.left, question.right))
    monotone = (first < 0 and last < 0) or (first > 0 and last > 0)  # the slope of a convex function is monotone
    return Enclosure.of(2 * abs(slope) * question.right) if monotone else None


def _no_oscillation(question: Question) -> Enclosure | None:
    """Exactly nothing for a constant."""
    constant = question.polynomial is not None and question.polynomial.degree() <= 0
    return Enclosure(Fraction(0), Fraction(0)) if constant else None


@lru_cache(maxsize=256)
def even_oscillation(loss: Loss) -> Enclosure:
    """Oscillation of the loss without its linear part."""
    return oscillation_beside(loss.question, [Fraction(0), loss.question.function.even_with_slope or Fraction(0)])


def range_beside(
    question: Question, polynomial: list[Fraction], start: tuple[Fraction, ...] = ()
) -> tuple[Enclosure, Enclosure]:
    """Largest and least value of f - P: two sup norms of f - P, shifted until it has one sign."""

    def attempt() -> tuple[Enclosure, Enclosure]:
        crude = _norm(question, polynomial, Fraction(1, 8), start).hi
        up = _norm(question, [polynomial[0] - crude, *polynomial[1:]], _RELATIVE, start)
        down = _norm(question, [polynomial[0] + crude, *polynomial[1:]], _RELATIVE, start)
        return Enclosure(up.lo - crude, up.hi - crude), Enclosure(crude - down.hi, crude - down.lo)

    return with_growing_precision(attempt, start=_BITS + 4 * len(polynomial), highest=4096)[0]


def oscillation_beside(question: Question, polynomial: list[Fraction], start: tuple[Fraction, ...] = ()) -> Enclosure:
    """max - min of f - P on the interval."""
    largest, least = range_beside(question, polynomial, start)
    return Enclosure(max(largest.lo - least.hi, Fraction(0)), largest.hi - least.lo)


def _norm(question: Question, polynomial: list[Fraction], relative: Fraction, start: tuple[Fraction, ...]) -> Enclosure:
    norm = sup_norm(
        error_pieces(question, polynomial),
        relative=max(relative, question.relative_width),
        negligible=Fraction(1, 10**30),
        start=start,
    )
    return Enclosure(norm.lo, norm.hi)


class DerivativeError(DerivativeOnPiece):
    """shift + p - f^(j) on one piece, so that its largest size can be enclosed."""

    def __init__(self, piece: Piece, j: int, polynomial: list[Fraction], *, shift: Fraction = Fraction(0)) -> None:
        super().__init__(piece, j)
        self._p = ErrorOnPiece(piece, polynomial).polynomial
        self._shift = arb(as_fmpq(shift))

    def value(self, x: fmpq) -> arb:
        return self._shift - super().value(x) + self._p(arb(x))

    def model(self, cell: Cell) -> Model:
        plain = super().model(cell)
        around = self._p(arb_poly([arb(cell.centre), 1]))
        difference: list[arb] = (around + self._shift - arb_poly(plain.coefficients)).coeffs()
        return Model(difference + [arb(0)] * (3 - len(difference)), plain.order)


def derivative_error(question: Question, slope_polynomial: list[Fraction]) -> Enclosure | None:
    """max |f' - p|, or None if it cannot be enclosed."""

    def attempt() -> Enclosure:
        pieces = [DerivativeError(piece, 1, slope_polynomial) for piece in question.pieces]
        norm = sup_norm(pieces, relative=_RELATIVE, negligible=Fraction(1, 10**30))
        return Enclosure(norm.lo, norm.hi)

    if not all(piece.is_smooth for piece in question.pieces):
        return None
    try:
        return with_growing_precision(attempt, start=_BITS, highest=1024)[0]
    except (NotCertified, NotApplicable, Undecided):
        return None


def _kinks_open_upwards(question: Question) -> bool:
    """Is the slope right of every kink known to be at least that left of it?"""
    for before, after in pairwise(question.pieces):
        if before.expression == after.expression:
            continue
        left, right = as_polynomial(before.expression), as_polynomial(after.expression)
        kink = as_fmpq(after.left)
        if left is not None and right is not None:
            opens = left.derivative()(kink) <= right.derivative()(kink)
        else:
            with precision(_BITS):
                try:
                    slope, other = (
                        BallFunction(piece.expression).taylor(arb(kink), 1)[0][1] for piece in (before, after)
                    )
                except Undecided:
                    return False
                opens = slope <= other
        if not opens:
            return False
    return True


def _least_second_derivative(question: Question, largest: Fraction) -> Fraction:
    """A lower bound on f'' on all pieces; `largest` is an upper bound on |f''|."""

    def attempt() -> Fraction:
        pieces = [DerivativeError(piece, 2, [Fraction(0)], shift=largest) for piece in question.pieces]
        norm = sup_norm(pieces, relative=Fraction(1, 10**18), negligible=Fraction(1, 10**30))
        return largest - norm.hi

    if not all(piece.is_smooth for piece in question.pieces):
        return Fraction(0)
    try:
        return with_growing_precision(attempt, start=_BITS, highest=1024)[0]
    except (NotCertified, NotApplicable, Undecided):
        return Fraction(0)


def _polynomials_are_convex(question: Question) -> bool:
    """Is the function piecewise a polynomial of degree at most 2, convex on every piece and across kinks?"""
    pieces = [p for p in (as_polynomial(piece.expression) for piece in question.pieces) if p is not None]
    if len(pieces) < len(question.pieces) or any(p.degree() > 2 or p[2] < 0 for p in pieces):
        return False
    return all(
        before.derivative()(as_fmpq(piece.right)) <= after.derivative()(as_fmpq(piece.right))
        for piece, (before, after) in zip(question.pieces, pairwise(pieces), strict=False)
    )
