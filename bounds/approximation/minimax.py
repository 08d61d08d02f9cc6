"""The best polynomial of a degree in the largest error, certified from both sides.

Below: for any d + 2 points the functional sum w_i f(x_i), w_i = 1/prod(x_i - x_j), vanishes on polynomials of degree d,
so no such polynomial has an error below |sum w_i f(x_i)| / sum |w_i|. Above: the error of the polynomial found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from flint import arb, ctx, fmpq, fmpq_poly

from bounds.approximation.balls import BallFunction
from bounds.approximation.exchange import Exchange, Levelled, Problem, barycentric_weights, start_reference
from bounds.approximation.float_start import nearly_levelled
from bounds.approximation.rationals import ZERO, rounded
from bounds.approximation.result import Approximation, Lower, Question, enclose
from bounds.enclosure import Enclosure, Undecided, as_fmpq, as_fraction, with_growing_precision
from bounds.errors import NotCertified

HIGHEST_DEGREE = 100
_LEVELLED_BITS = 72
_POINT_BITS = 80
_HIGHEST_PRECISION = 4096


def minimax(question: Question, degree: int) -> Approximation:
    """The polynomial of least largest error, to a relative width of 10^-16 (10^-9 at kinks that are not located)."""
    if question.polynomial is not None and question.polynomial.degree() <= degree:
        return _the_function_itself(question, degree, question.polynomial)
    answer, _ = with_growing_precision(
        lambda: _attempt(question, degree), start=128 + 4 * degree, highest=_HIGHEST_PRECISION
    )
    return answer


def _attempt(question: Question, degree: int) -> Approximation:
    """Level the error to half of the digits first: one more step of Newton's method doubles them."""
    try:
        return _levelled_to(question, degree, _LEVELLED_BITS // 2)
    except Undecided:
        return _levelled_to(question, degree, _LEVELLED_BITS)


def _levelled_to(question: Question, degree: int, levelled_bits: int) -> Approximation:
    bits = int(ctx.prec)
    problem = Problem(question.pieces, degree, _ball(apparent_slope(question)))
    if problem.slope is None and degree % 2 and _is_odd(question):
        problem = Problem(
            question.pieces, degree + 1
        )  # the best polynomial of the even degree is odd, so it is the same
    levelled = _reference(problem, levelled_bits)
    points = reference_in_x(problem, [_short(x, question) for x in levelled.nodes])
    lower = lower_bound(question, points)
    if lower <= 0:
        raise Undecided
    coefficients = [c.mid() for c in levelled.polynomial.coeffs()][: degree + 1]
    found = enclose(
        question,
        coefficients,
        degree=degree,
        method="minimax",
        bits=bits,
        start=[p for p in points if question.left <= p <= question.right],
    )
    if lower > found.norm.hi or found.norm.hi - lower > lower * question.relative_width * 4:
        raise Undecided
    return replace(
        found,
        error=Enclosure(max(found.norm.lo, lower), found.norm.hi),
        minimax_error=Enclosure(lower, found.norm.hi),
        lower=Lower(points, lower),
    )


def _short(x: fmpq, question: Question) -> fmpq:
    """A point of the reference with fewer digits; the bound changes by its square. Ends and kinks stay."""
    if any(x == as_fmpq(end) for end in (question.left, question.right, *question.kinks)):
        return x
    return rounded(x, as_fmpq(question.right - question.left), _POINT_BITS)


def _ball(value: Fraction | None) -> arb | None:
    return None if value is None else arb(as_fmpq(value))


def _reference(problem: Problem, levelled_bits: int) -> Levelled:
    exchange = Exchange(problem)
    for lopsided in (False, True):
        start = start_reference(problem, lopsided=lopsided)
        direct = None if len(problem.pieces) > 1 else exchange.polish(_nearer(problem, start), levelled_bits)
        if direct is not None:
            return direct
        searched = exchange.search(start)
        polished = exchange.polish(searched.nodes, levelled_bits)
        if polished is not None:
            return polished
    raise Undecided


def _nearer(problem: Problem, start: list[fmpq]) -> list[fmpq]:
    """The start of a smooth problem, moved in floating point."""
    slope = None if problem.slope is None else float(problem.slope)
    return nearly_levelled(problem.pieces[0].expression, start, slope=slope)


def apparent_slope(question: Question) -> Fraction | None:
    """The slope that leaves an even function on an interval around 0: known, or as it appears at a few points.

    Only the way to the polynomial depends on it, never what is certified.
    """
    if question.left != -question.right:
        return None
    if question.function.even_with_slope is not None:
        return question.function.even_with_slope
    function = BallFunction(question.expression)
    right = as_fmpq(question.right)
    slope = (function(arb(right)) - function(arb(-right))) / (2 * right)
    for part in (1, 3, 5, 7, 11, 12):
        x = right * part / 13
        if not (function(arb(x)) - function(arb(-x)) - 2 * slope * x).contains(0):
            return None
    twice = (2 * slope).unique_fmpz() if slope.is_finite() else None
    return Fraction(int(twice), 2) if twice is not None else None


def _is_odd(question: Question) -> bool:
    """Does f(x) - f(0) appear to be odd on an interval around 0?"""
    if question.left != -question.right:
        return False
    function, right = BallFunction(question.expression), as_fmpq(question.right)
    middle = 2 * function(arb(0))
    points = [arb(right * part / 13) for part in (1, 3, 5, 7, 11, 13)]
    return all((function(x) + function(-x) - middle).contains(0) for x in points)


def reference_in_x(problem: Problem, nodes: Sequence[fmpq]) -> tuple[Fraction, ...]:
    """The alternation on the whole interval; an even error alternates on both halves."""
    if not problem.even:
        return tuple(as_fraction(x) for x in nodes)
    mirrored = [-x for x in reversed(nodes) if x != ZERO]
    rest = list(nodes) if nodes[0] == ZERO else list(nodes[1:])  # two equal signs beside 0 are not an alternation
    return tuple(as_fraction(x) for x in mirrored + rest)


def lower_bound(question: Question, points: Sequence[Fraction]) -> Fraction:
    """No polynomial of degree len(points) - 2 has a smaller error."""
    function = BallFunction(question.expression)
    balls = [arb(as_fmpq(x)) for x in points]
    weights = barycentric_weights(balls)
    total = sum((w * function(x) for w, x in zip(weights, balls, strict=True)), arb(0))
    size = sum((abs(w) for w in weights), arb(0))
    bound = abs(total / size)
    if not bound.is_finite():
        raise Undecided
    return Enclosure.of(bound.lower()).lo


def _the_function_itself(question: Question, degree: int, polynomial: fmpq_poly) -> Approximation:
    def attempt() -> Approximation:
        balls = [arb(c) for c in polynomial.coeffs()] or [arb(0)]
        return enclose(question, balls, degree=degree, method="minimax", bits=int(ctx.prec))

    try:
        answer, _ = with_growing_precision(attempt, start=256)
    except NotCertified as error:
        raise NotCertified(f"the polynomial could not be certified: {error}") from None
    zero = Enclosure(Fraction(0), answer.error.hi)
    return replace(
        answer, error=zero, minimax_error=zero, notes=("the function is itself a polynomial of this degree",)
    )
