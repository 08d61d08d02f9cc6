"""An approximation: an exact polynomial, its distance from the function, and the proof of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from flint import arb, fmpq_poly

from bounds.approximation.cells import ErrorOnPiece, SupNorm, sup_norm
from bounds.approximation.expression import Expression
from bounds.approximation.functions import Function
from bounds.approximation.pieces import Piece, as_polynomial, simplified
from bounds.approximation.rationals import dyadic
from bounds.enclosure import Enclosure, Undecided, as_fmpq, as_fraction
from bounds.shown import Shown

RELATIVE_WIDTH = Fraction(1, 10**16)
"""Width of an enclosed error, relative to it."""
RELATIVE_WIDTH_UNLOCATED_KINK = Fraction(1, 10**9)
"""The same if a kink cannot be located exactly."""

_ENOUGH_FOR_ZERO = 1200
"""An error that this many bits cannot distinguish from zero is reported as lying between zero and almost nothing."""


@dataclass(frozen=True)
class Question:
    """A function on an interval, cut at its kinks."""

    function: Function
    left: Fraction
    right: Fraction
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, function: Function, left: Fraction, right: Fraction) -> Question:
        pieces = function.pieces(left, right)
        return cls(function, left, right, tuple(replace(p, expression=simplified(p.expression)) for p in pieces))

    @property
    def radius(self) -> Fraction:
        """R, the largest |x|."""
        return max(abs(self.left), abs(self.right))

    @cached_property
    def polynomial(self) -> fmpq_poly | None:
        """The polynomial that the function is on the whole interval, if it is one."""
        polynomials = [as_polynomial(piece.expression) for piece in self.pieces]
        first = polynomials[0]
        return first if first is not None and all(p is not None and p == first for p in polynomials) else None

    @property
    def expression(self) -> Expression:
        """The function on the whole interval, simplified where one expression serves everywhere."""
        first = self.pieces[0].expression
        return first if all(p.expression == first for p in self.pieces) else self.function.expression

    @property
    def symmetric(self) -> bool:
        """Is f(x) - slope*x known to be even, on an interval around 0?"""
        return self.function.even_with_slope is not None and self.left == -self.right

    @property
    def relative_width(self) -> Fraction:
        return RELATIVE_WIDTH if all(p.is_smooth for p in self.pieces) else RELATIVE_WIDTH_UNLOCATED_KINK

    @property
    def kinks(self) -> tuple[Fraction, ...]:
        """Where the expression of the function changes inside the interval."""
        pairs = zip(self.pieces, self.pieces[1:], strict=False)
        return tuple(after.left for before, after in pairs if before.expression != after.expression)


@dataclass(frozen=True)
class Lower:
    """A lower bound on the error of every polynomial of degree len(points) - 2, from a reference."""

    points: tuple[Fraction, ...]
    value: Fraction


@dataclass(frozen=True)
class Objective:
    """2 osc(P - f) + 2 s sum_{k>=1} |a_k| R^k, enclosed, with the measure whose moments bound it from below."""

    marginal_error: Fraction
    radius: Fraction
    value: Enclosure
    lower: Fraction
    """No polynomial of the degree has a smaller value."""
    measure: tuple[tuple[Fraction, Fraction], ...]

    @property
    def gap(self) -> Fraction:
        return self.value.hi - self.lower


def objective_ub(polynomial: Sequence[Fraction], *, error_ub: Fraction, s: Fraction, radius: Fraction) -> Fraction:
    """At least 2 osc(P - f) + 2 s sum_{k>=1} |a_k| R^k, because the oscillation is at most twice the error."""
    cost = sum((abs(c) * radius**k for k, c in enumerate(polynomial) if k), Fraction(0))
    return 4 * error_ub + 2 * s * cost


@dataclass(frozen=True)
class Approximation(Shown):
    """A polynomial near a function, with certified numbers.

    `polynomial` has exact dyadic coefficients and is what the certificate is about. The polynomial of the method itself
    lies within `rounding` of it; `error`, `coefficients` and `coefficient_sum` enclose the numbers of both.
    """

    question: Question
    degree: int
    method: str
    polynomial: tuple[Fraction, ...]
    rounding: Fraction
    error: Enclosure
    coefficients: tuple[Enclosure, ...]
    coefficient_sum: Enclosure
    norm: SupNorm
    precision: int
    minimax_error: Enclosure | None = None
    """The least error that any polynomial of this degree has."""
    lower: Lower | None = None
    objective: Objective | None = None
    notes: tuple[str, ...] = ()


def error_pieces(question: Question, polynomial: Sequence[Fraction]) -> list[ErrorOnPiece]:
    return [ErrorOnPiece(piece, polynomial) for piece in question.pieces]


def enclose(
    question: Question,
    coefficients: Sequence[arb],
    *,
    degree: int,
    method: str,
    bits: int,
    start: Sequence[Fraction] = (),
    relative: Fraction | None = None,
    accept_below: Fraction = Fraction(0),
) -> Approximation:
    """Certify the polynomial with these coefficients, which are balls around those of the method.

    The error is enclosed to the relative width, or found to lie below `accept_below`.
    Raises Undecided if the balls are too wide to enclose the error or the coefficient sum usefully.
    """
    coefficients = [*coefficients, *[arb(0)] * (degree + 1 - len(coefficients))]
    if not all(c.is_finite() for c in coefficients):
        raise Undecided
    polynomial = tuple(as_fraction(dyadic(c)) for c in coefficients)
    radius = as_fmpq(question.radius)
    spread = sum((c.rad() * arb(radius) ** k for k, c in enumerate(coefficients)), arb(0))
    rounding = Enclosure.of(spread).hi
    total = Enclosure.of(sum((abs(c) for c in coefficients), arb(0)))
    if total.hi - total.lo > total.hi / 2**60:
        raise Undecided
    relative = question.relative_width if relative is None else max(relative, question.relative_width)
    negligible = max((total.hi or Fraction(1)) / Fraction(2) ** (bits // 2), 4 * rounding, accept_below)
    norm = sup_norm(
        error_pieces(question, polynomial),
        relative=relative,
        negligible=negligible,
        start=start,
        symmetric=question.symmetric and _keeps_symmetry(question, polynomial),
    )
    error = Enclosure(max(norm.lo - rounding, Fraction(0)), norm.hi + rounding)
    tight = error.hi - error.lo <= error.hi * 4 * relative or error.hi <= 2 * accept_below
    if not tight and bits < _ENOUGH_FOR_ZERO:
        raise Undecided
    return Approximation(
        question,
        degree,
        method,
        polynomial,
        rounding,
        error,
        tuple(Enclosure.of(c) for c in coefficients),
        total,
        norm,
        bits,
    )


def _keeps_symmetry(question: Question, polynomial: Sequence[Fraction]) -> bool:
    """Has P(x) - slope*x even powers only, exactly?"""
    slope = question.function.even_with_slope
    odd = [c if k != 1 else c - (slope or 0) for k, c in enumerate(polynomial) if k % 2]
    if len(polynomial) < 2 and slope != 0:
        return False
    return all(c == 0 for c in odd)
