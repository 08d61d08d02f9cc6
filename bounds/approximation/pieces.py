"""Cut an interval where a function has kinks, so that on every piece it is one smooth expression.

abs, max and min switch branches where the difference of their arguments vanishes. Where that difference is a
polynomial with rational roots in the interval, the cut is exact. Any other zero is enclosed between two dyadic numbers
that are very near to each other; the switch stays in the expression only between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import acb, arb, fmpq, fmpq_poly

from bounds.approximation.balls import BallFunction
from bounds.approximation.expression import (
    Call,
    Expression,
    Number,
    Operation,
    Power,
    Variable,
    combine,
    number,
    raised,
)
from bounds.approximation.rationals import dyadic_between
from bounds.enclosure import as_fmpq, as_fraction, precision

_SWITCHES = ("abs", "max", "min")
_LARGEST_DEGREE = 64
_NARROW_BITS = 400
NARROW = Fraction(1, 2**300)
"""A piece this narrow is not cut further: a switch whose place is known this well is located."""
_MOST_LOOKS = 20_000


@dataclass(frozen=True)
class Piece:
    """A part of the interval and the expression for the function on it."""

    left: Fraction
    right: Fraction
    expression: Expression

    @property
    def is_smooth(self) -> bool:
        """No switch of branches is left in the expression."""
        return not has_switch(self.expression)


def cut(tree: Expression, left: Fraction, right: Fraction) -> tuple[Piece, ...]:
    """Pieces from left to right, cut wherever a branch switches, even where another switch hides it."""
    pieces = [Piece(left, right, tree)]
    while True:
        refined = [part for piece in pieces for part in _cut_once(piece)]
        if refined == pieces:
            return tuple(pieces)
        pieces = refined


def _cut_once(piece: Piece) -> list[Piece]:
    """Resolve one switch, the innermost first, so that its arguments are free of switches."""
    if piece.right - piece.left <= NARROW:
        return [piece]
    switch = next(_switches(piece.expression), None)
    if switch is None:
        return [piece]
    difference = _difference(switch)
    polynomial = as_polynomial(difference)
    if polynomial is not None and _roots_are_rational(polynomial):
        signs = _polynomial_signs(polynomial, piece)
    else:
        signs = signs_of(difference, piece.left, piece.right)
    return [
        Piece(low, high, replace(piece.expression, switch, _branch(switch, sign)) if sign else piece.expression)
        for low, high, sign in signs
    ]


def _difference(switch: Call) -> Expression:
    """The expression whose sign decides the branch."""
    if switch.name == "abs":
        return switch.arguments[0]
    return combine("-", *switch.arguments)


def _polynomial_signs(polynomial: fmpq_poly, piece: Piece) -> list[tuple[Fraction, Fraction, int]]:
    roots = sorted(as_fraction(r) for r in rational_roots(polynomial))
    ends = [piece.left, *(r for r in roots if piece.left < r < piece.right), piece.right]
    return [(low, high, _sign_between(polynomial, low, high)) for low, high in pairwise(ends)]


def signs_of(tree: Expression, left: Fraction, right: Fraction) -> list[tuple[Fraction, Fraction, int]]:
    """Parts on which the sign is certified, and very narrow ones, or the whole, where it is not (sign 0)."""
    function = BallFunction(tree)
    smallest = as_fmpq((right - left) / 2**_NARROW_BITS)
    waiting = [(as_fmpq(left), as_fmpq(right))]
    parts: list[tuple[Fraction, Fraction, int]] = []
    with precision(2 * _NARROW_BITS):
        for _ in range(_MOST_LOOKS):
            if not waiting:
                return parts
            low, high = waiting.pop()
            value = function(arb(low).union(arb(high)))
            sign = 1 if value >= 0 else -1 if value <= 0 else 0
            if sign == 0 and high - low > smallest:
                middle = dyadic_between(low, high)
                waiting += [(middle, high), (low, middle)]
                continue
            if parts and parts[-1][2] == sign:
                parts[-1] = (parts[-1][0], as_fraction(high), sign)
            else:
                parts.append((as_fraction(low), as_fraction(high), sign))
    return [(left, right, 0)]


def _roots_are_rational(polynomial: fmpq_poly) -> bool:
    if polynomial.is_zero():
        return True
    return not any(f.degree() > 1 and _real_roots_exist(f) for f, _ in polynomial.factor()[1])


def _real_roots_exist(factor: fmpq_poly) -> bool:
    roots: list[tuple[acb, int]] = factor.complex_roots()  # type: ignore[assignment]
    return any(root.imag == 0 for root, _ in roots)


def rational_roots(polynomial: fmpq_poly) -> list[fmpq]:
    if polynomial.is_zero():
        return []
    return [-f[0] / f[1] for f, _ in polynomial.factor()[1] if f.degree() == 1]


def _sign_between(difference: fmpq_poly, low: Fraction, high: Fraction) -> int:
    middle = (low + high) / 2
    value = difference(fmpq(middle.numerator, middle.denominator))
    return 1 if value >= 0 else -1


def _branch(switch: Call, sign: int) -> Expression:
    if switch.name == "abs":
        return switch.arguments[0] if sign > 0 else combine("-", number(0), switch.arguments[0])
    first, second = switch.arguments
    return first if (sign > 0) == (switch.name == "max") else second


def _switches(tree: Expression) -> Iterator[Call]:
    for child in children(tree):
        yield from _switches(child)
    if isinstance(tree, Call) and tree.name in _SWITCHES:
        yield tree


def has_switch(tree: Expression) -> bool:
    return next(_switches(tree), None) is not None


def children(tree: Expression) -> tuple[Expression, ...]:
    match tree:
        case Operation(_, left, right):
            return (left, right)
        case Power(base, _):
            return (base,)
        case Call(_, arguments):
            return arguments
    return ()


def replace(tree: Expression, old: Expression, new: Expression) -> Expression:
    """The tree with every occurrence of a part exchanged."""
    if tree == old:
        return new
    match tree:
        case Operation(symbol, left, right):
            return combine(symbol, replace(left, old, new), replace(right, old, new))
        case Power(base, exponent):
            return raised(replace(base, old, new), exponent)
        case Call(name, arguments):
            return Call(name, tuple(replace(a, old, new) for a in arguments))
    return tree


def simplified(tree: Expression) -> Expression:
    """An expression that is a polynomial, in powers of x: x - x is then exactly 0."""
    polynomial = as_polynomial(tree)
    if polynomial is None:
        return tree
    total: Expression = number(0)
    for k, c in enumerate(polynomial.coeffs()):
        if c != 0:
            term = combine("*", number(as_fraction(c)), raised(Variable(), k)) if k else number(as_fraction(c))
            total = combine("+", total, term) if total != number(0) else term
    return total


def as_polynomial(tree: Expression) -> fmpq_poly | None:
    """The polynomial in x that the expression is, if it is one of moderate degree."""
    match tree:
        case Number(value):
            return fmpq_poly([fmpq(value.numerator, value.denominator)])
        case Variable():
            return fmpq_poly([0, 1])
        case Power(base, exponent):
            inner = as_polynomial(base)
            if inner is None or inner.degree() * exponent > _LARGEST_DEGREE:
                return None
            return inner**exponent
        case Operation(symbol, left, right):
            first, second = as_polynomial(left), as_polynomial(right)
            if first is None or second is None:
                return None
            if symbol == "/":
                return first / second[0] if second.degree() == 0 else None
            product = first.degree() + second.degree()
            if symbol == "*" and product > _LARGEST_DEGREE:
                return None
            return first + second if symbol == "+" else first - second if symbol == "-" else first * second
    return None
