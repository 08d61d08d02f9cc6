"""Bernstein polynomials on [a, b], plain and iterated.

P_d f = sum f(a + (b-a)k/d) B_{d,k}. The iterated operator is I - (I - P_d)^h: h = 1 is the plain one, and as h grows it
tends to interpolation at the equispaced points. In the Bernstein basis its coefficients are sum_{i<h} (I - M)^i v with
v the samples of f and M the matrix of the basis at the points; only the change to powers of x needs many digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb

from flint import arb, arb_mat, arb_poly, ctx

from bounds.approximation.balls import BallFunction, exact
from bounds.approximation.result import Approximation, Question, enclose
from bounds.enclosure import Undecided, with_growing_precision
from bounds.errors import NotApplicable

HIGHEST_DEGREE = 1000
HIGHEST_ITERATED_DEGREE = 400
MOST_ITERATIONS = 1000
_HIGHEST_PRECISION = 1 << 15


def bernstein(question: Question, degree: int) -> Approximation:
    """The Bernstein polynomial of f on the interval."""
    return _certified(question, degree, "bernstein", lambda: samples(question, degree))


def iterated(question: Question, degree: int, iterations: int) -> Approximation:
    """The iterated Bernstein polynomial I - (I - P_d)^h applied to f, h = iterations."""
    return _certified(
        question,
        degree,
        f"iterated:{iterations}",
        lambda: iterated_coefficients(samples(question, degree), iterations),
    )


def equispaced_limit(question: Question, degree: int) -> Approximation:
    """What the iterated polynomials tend to: interpolation at the points a + (b-a)k/d."""

    def attempt() -> Approximation:
        width = question.right - question.left
        points = [arb(exact(question.left + width * k / degree)) for k in range(degree + 1)]
        values = samples(question, degree)
        polynomial = arb_poly.interpolate(points, values, "newton")
        return _enclose(question, degree, "iterated:inf", polynomial.coeffs())

    return with_growing_precision(attempt, start=_first_bits(degree), highest=_HIGHEST_PRECISION)[0]


def best_iteration(question: Question, degree: int, most: int = 200) -> Approximation:
    """The iterated polynomial of least error among h = 1..most and the limit; ties go to the smaller h."""
    candidates = [equispaced_limit(question, degree), *(iterated(question, degree, h) for h in range(most, 0, -1))]
    best = candidates[0]
    for candidate in candidates[1:]:
        if candidate.error.hi <= best.error.lo or candidate.error.hi <= best.error.hi:
            best = candidate
    return best


def _certified(question: Question, degree: int, method: str, compute: Callable[[], Sequence[arb]]) -> Approximation:
    def attempt() -> Approximation:
        return _enclose(question, degree, method, from_bernstein(compute(), question.left, question.right))

    return with_growing_precision(attempt, start=_first_bits(degree), highest=_HIGHEST_PRECISION)[0]


def _enclose(question: Question, degree: int, method: str, coefficients: Sequence[arb]) -> Approximation:
    balls = [*coefficients, *([arb(0)] * (degree + 1 - len(coefficients)))]
    return enclose(question, symmetrised(question, balls), degree=degree, method=method, bits=int(ctx.prec))


def _first_bits(degree: int) -> int:
    return 128 + 3 * degree


def symmetrised(question: Question, coefficients: Sequence[arb]) -> list[arb]:
    """Odd coefficients put to what they are where f(x) - slope*x is known to be even on a symmetric interval.

    The operators here commute with reflection and keep linear functions, so they keep that symmetry.
    """
    if not question.symmetric:
        return list(coefficients)
    slope = question.function.even_with_slope
    assert slope is not None
    known = {k: arb(exact(slope)) if k == 1 else arb(0) for k in range(1, len(coefficients), 2)}
    for k, value in known.items():
        if not coefficients[k].overlaps(value):
            raise AssertionError(f"coefficient {k} breaks the symmetry that the function is declared to have")
    return [known.get(k, c) for k, c in enumerate(coefficients)]


def samples(question: Question, degree: int) -> list[arb]:
    """f at the equispaced points of the interval."""
    function = BallFunction(question.function.expression)
    width = question.right - question.left
    values = []
    for k in range(degree + 1):
        x = question.left + width * Fraction(k, degree)
        value = function(arb(exact(x)))
        if not value.is_finite():
            raise NotApplicable(f"function: has no certified finite value at x = {x}, or is singular there")
        values.append(value)
    return values


def iterated_coefficients(values: Sequence[arb], iterations: int) -> list[arb]:
    """sum_{i<h} (I - M)^i v, the coefficients in the Bernstein basis."""
    degree = len(values) - 1
    remaining = arb_mat(degree + 1, 1, list(values))
    total = remaining
    if iterations > 1:
        matrix = _basis_matrix(degree)
        for _ in range(iterations - 1):
            remaining = remaining - matrix * remaining
            total = total + remaining
    return list(total.entries())


def _basis_matrix(degree: int) -> arb_mat:
    """M[r, l] = B_{d,l}(r/d)."""
    power = arb(degree) ** degree
    binomials = [comb(degree, k) for k in range(degree + 1)]
    rows = []
    for r in range(degree + 1):
        here = [r**k for k in range(degree + 1)] if r <= degree // 2 else None
        if here is None:  # the matrix looks the same from both ends
            rows.append(list(reversed(rows[degree - r])))
            continue
        there = _powers(degree - r, degree)
        rows.append([arb(binomials[k] * here[k] * there[degree - k]) / power for k in range(degree + 1)])
    return arb_mat(rows)


def _powers(base: int, most: int) -> list[int]:
    powers = [1]
    for _ in range(most):
        powers.append(powers[-1] * base)
    return powers


def from_bernstein(values: Sequence[arb], left: Fraction, right: Fraction) -> list[arb]:
    """Coefficients in powers of x of the polynomial with these coefficients in the Bernstein basis on [left, right].

    With u = (x-a)/(b-a) and q_k = C(d,k) c_k the polynomial is u^d R(1/u - 1), R(y) = sum q_k y^(d-k): one Taylor shift.
    """
    degree = len(values) - 1
    reversed_terms = [arb(comb(degree, k)) * values[k] for k in range(degree, -1, -1)]
    shifted = arb_poly(reversed_terms)(arb_poly([-1, 1])).coeffs()
    shifted = [*shifted, *([arb(0)] * (degree + 1 - len(shifted)))]
    in_u = arb_poly(list(reversed(shifted)))
    width = exact(right - left)
    coefficients: list[arb] = in_u(arb_poly([arb(-exact(left) / width), arb(1 / width)])).coeffs()
    if not all(c.is_finite() for c in coefficients):
        raise Undecided
    return coefficients
