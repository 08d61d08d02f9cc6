"""Bernstein polynomials on [a, b], plain and iterated.

P_d f = sum f(a + (b-a)k/d) B_{d,k}. The iterated operator is I - (I - P_d)^h: h = 1 is the plain one, and as h grows it
tends to interpolation at the equispaced points. In the Bernstein basis its coefficients are sum_{i<h} (I - M)^i v with
v the samples of f and M the matrix of the basis at the points; only the change to powers of x needs many digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb

from flint import arb, arb_mat, arb_poly, ctx

from bounds.approximation.balls import BallFunction
from bounds.approximation.result import Approximation, Question, enclose
from bounds.enclosure import Enclosure, Undecided, as_fmpq, precision, with_growing_precision
from bounds.errors import NotApplicable

HIGHEST_DEGREE = 1000
HIGHEST_ITERATED_DEGREE = 400
MOST_ITERATIONS = 1000
SCANNED_ITERATIONS = 200
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
    """The limit of the iterated polynomials: interpolation at the points a + (b-a)k/d."""

    def attempt() -> Approximation:
        width = question.right - question.left
        points = [arb(as_fmpq(question.left + width * k / degree)) for k in range(degree + 1)]
        values = samples(question, degree)
        polynomial = arb_poly.interpolate(points, values, "newton")
        return _enclose(question, degree, "iterated:inf", polynomial.coeffs())

    return with_growing_precision(attempt, start=_first_bits(degree), highest=_HIGHEST_PRECISION)[0]


def best_iteration(question: Question, degree: int) -> Approximation:
    """The iterated polynomial of least error; the note says whether every other h is proved to be worse.

    With c the coefficients of the limit, those of B^(h) are c - (I-M)^h c, so its error differs from that of the limit
    by at most |(I-M)^h c|. Once |(I-M)^N| <= 1 for some N, the largest of N values of this bounds all that follow.
    """
    limit = equispaced_limit(question, degree)
    runs = [iterated(question, degree, h) for h in range(1, SCANNED_ITERATIONS + 1)]
    best = min(runs, key=lambda run: run.error.hi)
    with precision(_first_bits(degree) * 2):
        tail = _tail(question, degree)
    others = [run.error.lo for run in (*runs, limit) if run is not best]
    alone = all(best.error.hi < error for error in others)
    if alone and tail is not None and best.error.hi < limit.error.lo - tail:
        note = "every other number of iterations, and the limit, has a larger error"
    elif alone:
        note = f"every other number of iterations up to {SCANNED_ITERATIONS}, and the limit, has a larger error"
    else:
        note = f"no number of iterations up to {SCANNED_ITERATIONS} is proved to have a smaller error"
    return replace(best, notes=(*best.notes, note))


def _tail(question: Question, degree: int) -> Fraction | None:
    """A bound on |(I-M)^h c| for every h above SCANNED_ITERATIONS; None where none follows."""
    values = samples(question, degree)
    matrix = _basis_matrix(degree)
    identity = arb_mat([[arb(int(i == j)) for j in range(degree + 1)] for i in range(degree + 1)])
    step = identity - matrix
    half = SCANNED_ITERATIONS // 2
    power = identity
    for _ in range(half):
        power = power * step
    if not all(sum((abs(x) for x in row), arb(0)) <= 1 for row in power.tolist()):
        return None
    remaining = power * matrix.solve(arb_mat(degree + 1, 1, values))
    largest = arb(0)
    for _ in range(half):
        remaining = step * remaining
    for _ in range(half):
        remaining = step * remaining
        largest = largest.max(max((abs(x) for x in remaining.entries()), key=lambda x: x.upper()))
    return Enclosure.of(largest.upper()).hi if largest.is_finite() else None


def _certified(question: Question, degree: int, method: str, compute: Callable[[], Sequence[arb]]) -> Approximation:
    def attempt() -> Approximation:
        return _enclose(question, degree, method, from_bernstein(compute(), question.left, question.right))

    return with_growing_precision(attempt, start=_first_bits(degree), highest=_HIGHEST_PRECISION)[0]


def _enclose(question: Question, degree: int, method: str, coefficients: Sequence[arb]) -> Approximation:
    return enclose(question, symmetrised(question, coefficients), degree=degree, method=method, bits=int(ctx.prec))


def _first_bits(degree: int) -> int:
    return 128 + 3 * degree


def symmetrised(question: Question, coefficients: Sequence[arb]) -> list[arb]:
    """Odd coefficients set to their exact values if f(x) - slope*x is known to be even on a symmetric interval.

    The operators here commute with reflection and keep linear functions, so they keep that symmetry.
    """
    if not question.symmetric:
        return list(coefficients)
    slope = question.function.even_with_slope
    assert slope is not None
    known = {k: arb(as_fmpq(slope)) if k == 1 else arb(0) for k in range(1, len(coefficients), 2)}
    for k, value in known.items():
        if not coefficients[k].overlaps(value):
            raise AssertionError(f"coefficient {k} breaks the symmetry that the function is declared to have")
    return [known.get(k, c) for k, c in enumerate(coefficients)]


def samples(question: Question, degree: int) -> list[arb]:
    """f at the equispaced points of the interval."""
    function = BallFunction(question.expression)
    width = question.right - question.left
    values = []
    for k in range(degree + 1):
        x = question.left + width * Fraction(k, degree)
        value = function(arb(as_fmpq(x)))
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
    rows: list[list[arb]] = []
    for r in range(degree + 1):
        if r > degree // 2:  # the matrix looks the same from both ends
            rows.append(list(reversed(rows[degree - r])))
            continue
        here, there = _powers(r, degree), _powers(degree - r, degree)
        rows.append([arb(binomials[k] * here[k] * there[degree - k]) / power for k in range(degree + 1)])
    return arb_mat(rows)


def _powers(base: int, most: int) -> list[int]:
    powers = [1]
    for _ in range(most):
        powers.append(powers[-1] * base)
    return powers


def from_bernstein(values: Sequence[arb], left: Fraction, right: Fraction) -> list[arb]:
    """Coefficients in powers of x of the polynomial with these coefficients in the Bernstein basis on [left, right].

    With u = (x-a)/(b-a) and q_k = C(d,k) c_k the polynomial is u^d R(1/u - 1), R(y) = sum q_k y^(d-k): a Taylor shift.
    """
    degree = len(values) - 1
    reversed_terms = [arb(comb(degree, k)) * values[k] for k in range(degree, -1, -1)]
    shifted = arb_poly(reversed_terms)(arb_poly([-1, 1])).coeffs()
    shifted = [*shifted, *([arb(0)] * (degree + 1 - len(shifted)))]
    in_u = arb_poly(list(reversed(shifted)))
    width = as_fmpq(right - left)
    coefficients: list[arb] = in_u(arb_poly([arb(-as_fmpq(left) / width), arb(1 / width)])).coeffs()
    if not all(c.is_finite() for c in coefficients):
        raise Undecided
    return coefficients
