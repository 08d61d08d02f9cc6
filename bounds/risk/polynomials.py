"""Polynomials near a loss, as used by bounds on excess risk: oscillation, cost of the coefficients, error of the slope.

A polynomial that was found for one distance of the marginals is valid for every other, so they are collected in a pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from bounds.approximation import minimax as best
from bounds.approximation.approximate import approximate_question
from bounds.approximation.derivative import derivative
from bounds.approximation.functions import Function
from bounds.approximation.optimal import HIGHEST_DEGREE as HIGHEST_OPTIMAL
from bounds.approximation.optimal import optimal
from bounds.approximation.result import Approximation, Question
from bounds.enclosure import Enclosure, Undecided, as_fraction
from bounds.errors import NotApplicable, NotCertified
from bounds.risk.loss import Loss, derivative_error, oscillation_beside, range_beside

HIGHEST_DEGREE = HIGHEST_OPTIMAL
"""Polynomials beyond this degree are not looked for; the bounds hold for every lower degree."""


@dataclass(frozen=True)
class RiskPolynomial:
    """A polynomial with exact coefficients, and the numbers that a bound on excess risk uses."""

    method: str
    coefficients: tuple[Fraction, ...]
    radius: Fraction
    oscillation: Enclosure
    """max - min of phi - P."""
    error: Enclosure
    """max |phi - P|."""
    slope_error: Fraction | None = None
    """An upper bound on max |phi' - P'|, if it is needed."""
    optimum_lb: Fraction | None = None
    """No polynomial of the degree has a smaller 2 osc + 2 s S at the s it was found for."""

    @property
    def degree(self) -> int:
        return max((k for k, c in enumerate(self.coefficients) if c), default=0)

    @property
    def cost(self) -> Fraction:
        """S, the sum of |a_k| R^k over k >= 1."""
        return sum((abs(c) * self.radius**k for k, c in enumerate(self.coefficients) if k), Fraction(0))

    @property
    def coefficient_sum(self) -> Fraction:
        return sum((abs(c) for c in self.coefficients), Fraction(0))

    def scaled(self, k: int) -> Fraction:
        """|a_k| R^k."""
        return abs(self.coefficients[k]) * self.radius**k if k < len(self.coefficients) else Fraction(0)

    @property
    def orders(self) -> tuple[int, int]:
        """Marginals that the bound uses: most features without the label, and most attributes with it."""
        even = max((k for k, c in enumerate(self.coefficients) if c and k % 2 == 0), default=0)
        odd = max((k for k, c in enumerate(self.coefficients) if c and k % 2), default=-1)
        return even, odd + 1


def from_approximation(found: Approximation, method: str | None = None) -> RiskPolynomial:
    """Oscillation and cost of a polynomial of any method, both for its exact dyadic coefficients."""
    question = found.question
    start = tuple(x for x in (found.lower.points if found.lower else ()) if question.left <= x <= question.right)
    return RiskPolynomial(
        method=method or found.method,
        coefficients=found.polynomial,
        radius=question.radius,
        oscillation=_oscillation(question, found.polynomial, start),
        error=Enclosure(found.norm.lo, found.norm.hi),
        optimum_lb=None if found.objective is None else found.objective.lower,
    )


def _oscillation(question: Question, coefficients: Sequence[Fraction], start: tuple[Fraction, ...] = ()) -> Enclosure:
    return oscillation_beside(question, list(coefficients) or [Fraction(0)], start)


def loss_itself(loss: Loss, degree: int) -> RiskPolynomial | None:
    """The loss, where it is a polynomial of the degree on [-R, R], as the hinge loss for R <= 1."""
    polynomial = loss.question.polynomial
    if polynomial is None or polynomial.degree() > degree:
        return None
    coefficients = tuple(as_fraction(c) for c in polynomial.coeffs()) or (Fraction(0),)
    nothing = Enclosure(Fraction(0), Fraction(0))
    return RiskPolynomial("the loss itself", coefficients, loss.radius, nothing, nothing, Fraction(0))


@lru_cache(maxsize=512)
def of_method(loss: Loss, degree: int, method: str) -> RiskPolynomial:
    """The polynomial of a named method that does not depend on the marginals: minimax, bernstein, iterated:9, ..."""
    return from_approximation(approximate_question(loss.question, degree, method, None))


@lru_cache(maxsize=512)
def optimal_at(loss: Loss, degree: int, marginal_error: Fraction) -> RiskPolynomial:
    """The polynomial of least 2 osc + 2 s S at this s, certified to be the least."""
    return from_approximation(optimal(loss.question, degree, marginal_error))


@lru_cache(maxsize=256)
def completed(loss: Loss, polynomial: RiskPolynomial) -> RiskPolynomial:
    """With the constant that centres the error, which no bound depends on, and with the error itself."""
    largest, least = range_beside(loss.question, list(polynomial.coefficients))
    middle = Fraction(round((largest.midpoint + least.midpoint) * 2**99), 2**100)
    size = max(abs(e - middle) for e in (largest.lo, largest.hi, least.lo, least.hi))
    inner = max(largest.lo - middle, middle - least.hi, Fraction(0))
    return replace(
        polynomial,
        coefficients=(polynomial.coefficients[0] + middle, *polynomial.coefficients[1:]),
        oscillation=Enclosure(max(largest.lo - least.hi, Fraction(0)), largest.hi - least.lo),
        error=Enclosure(min(inner, size), size),
    )


def slope_pool(loss: Loss, degree: int) -> tuple[RiskPolynomial, ...]:
    """Polynomials whose slope is near that of the loss, of every even degree, for the bound with quadratic bias.

    Without kinks: best approximations of the derivative. Weighing the cost of their coefficients as well was tried
    and gained 0.2 % at most.
    """
    if loss.convexity <= 0 or loss_itself(loss, degree) is not None:
        return ()
    return tuple(p for even in range(2, degree + 1, 2) for p in _near_slope(loss, even))


@lru_cache(maxsize=512)
def _near_slope(loss: Loss, degree: int) -> tuple[RiskPolynomial, ...]:
    """The one of this degree, or none if it cannot be certified."""
    slopes = _derivative_question(loss.question)
    found = (
        _with_slope_error(loss, of_method(loss, degree, "minimax"))
        if slopes is None
        else _integrated(loss, slopes, degree)
    )
    return tuple(found)


def _with_slope_error(loss: Loss, found: RiskPolynomial) -> list[RiskPolynomial]:
    slope = [k * c for k, c in enumerate(found.coefficients)][1:] or [Fraction(0)]
    error = derivative_error(loss.question, slope)
    return [] if error is None else [replace(found, slope_error=error.hi)]


def _derivative_question(question: Question) -> Question | None:
    """The derivative of the loss where one expression serves everywhere."""
    first = question.pieces[0]
    if any(p.expression != first.expression for p in question.pieces) or not first.is_smooth:
        return None
    function = Function(f"derivative of {question.function.name}", derivative(first.expression))
    return Question.of(function, question.left, question.right)


def _integrated(loss: Loss, slopes: Question, degree: int) -> list[RiskPolynomial]:
    """Integrate the best approximation of the derivative; its error bounds that of the slope."""
    try:
        found = best.minimax(slopes, degree - 1)
    except (NotCertified, NotApplicable, Undecided):
        return []
    slope = list(found.polynomial)
    known = loss.question.function.even_with_slope
    if known is not None:  # then phi' - known is odd, and so may its polynomial be: the error does not grow
        slope = [known if k == 0 else c if k % 2 else Fraction(0) for k, c in enumerate(slope)]
    coefficients = (Fraction(0), *(c / (k + 1) for k, c in enumerate(slope)))
    crude = Enclosure(Fraction(0), 2 * loss.radius * found.norm.hi)
    return [RiskPolynomial("minimax derivative", coefficients, loss.radius, crude, crude, found.norm.hi)]
