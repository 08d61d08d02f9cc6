"""Chebyshev polynomials: the truncated series, and interpolation at the zeros of T_{d+1}.

The coefficients of the series are the integrals c_k = (2/pi) int_0^pi f(m + r cos t) cos(kt) dt, where m and r are the
middle and half-width of the interval. They are enclosed by rigorous quadrature on every smooth piece.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from flint import acb, arb, arb_poly, ctx, fmpq, fmpz_poly

from bounds.approximation.balls import BallFunction, ComplexFunction
from bounds.approximation.bernstein import symmetrised
from bounds.approximation.pieces import Piece
from bounds.approximation.result import Approximation, Question, enclose
from bounds.enclosure import Undecided, as_fmpq, with_growing_precision
from bounds.quadrature import integral

HIGHEST_DEGREE = 200
_HIGHEST_PRECISION = 1 << 13


def truncated_series(question: Question, degree: int) -> Approximation:
    """The Chebyshev series of f up to T_degree."""
    return _certified(question, degree, "chebyshev", series_coefficients)


def interpolant(question: Question, degree: int) -> Approximation:
    """The polynomial that agrees with f at the zeros of T_{degree+1}."""
    return _certified(question, degree, "interpolation", interpolation_coefficients)


def _certified(
    question: Question, degree: int, method: str, compute: Callable[[Question, int], list[arb]]
) -> Approximation:
    def attempt() -> Approximation:
        coefficients = symmetrised(question, in_powers(question, compute(question, degree)))
        return enclose(question, coefficients, degree=degree, method=method, bits=int(ctx.prec))

    return with_growing_precision(attempt, start=128 + 3 * degree, highest=_HIGHEST_PRECISION)[0]


def series_coefficients(question: Question, degree: int) -> list[arb]:
    """c_0/2, c_1, ..., c_degree."""
    middle, half = as_fmpq((question.left + question.right) / 2), as_fmpq((question.right - question.left) / 2)
    totals = [arb(0)] * (degree + 1)
    for piece in question.pieces:
        start = ((as_fmpq(piece.right) - middle) / arb(half)).acos() if piece.right < question.right else arb(0)
        stop = ((as_fmpq(piece.left) - middle) / arb(half)).acos() if piece.left > question.left else arb.pi()
        if not piece.is_smooth:
            slack = _crude_integral(piece, stop - start)
            totals = [t + slack for t in totals]
            continue
        function = ComplexFunction(piece.expression)
        for k in range(degree + 1):
            if question.symmetric and k % 2:
                continue  # put to its known value afterwards

            def integrand(t: acb, analytic: bool, k: int = k, f: ComplexFunction = function) -> acb:
                return f(middle + half * t.cos(), analytic) * (k * t).cos()

            totals[k] += integral(integrand, acb(start), acb(stop)).real
    coefficients = [2 * t / arb.pi() for t in totals]
    coefficients[0] /= 2
    if question.symmetric:
        slope = question.function.even_with_slope
        assert slope is not None
        coefficients[1] = arb(half * as_fmpq(slope))
    return coefficients


def _crude_integral(piece: Piece, angle: arb) -> arb:
    """The integral over a very narrow piece around a kink lies within its length times the largest value."""
    hull = arb(as_fmpq(piece.left)).union(arb(as_fmpq(piece.right)))
    size = abs(BallFunction(piece.expression)(hull)) * abs(angle)
    if not size.is_finite():
        raise Undecided
    return arb(0, size.upper())


def interpolation_coefficients(question: Question, degree: int) -> list[arb]:
    """Chebyshev coefficients of the interpolant, by the discrete orthogonality of cosines at the nodes."""
    function = BallFunction(question.expression)
    middle, half = as_fmpq((question.left + question.right) / 2), as_fmpq((question.right - question.left) / 2)
    count = degree + 1
    values = [function(middle + half * arb.cos_pi_fmpq(fmpq(2 * k + 1, 2 * count))) for k in range(count)]
    if not all(v.is_finite() for v in values):
        raise Undecided
    cosines = [arb.cos_pi_fmpq(fmpq(j, 2 * count)) for j in range(4 * count)]
    coefficients = []
    for j in range(count):
        total = sum((v * cosines[j * (2 * k + 1) % (4 * count)] for k, v in enumerate(values)), arb(0))
        coefficients.append(total * (2 if j else 1) / count)
    return coefficients


@cache
def _chebyshev(k: int) -> fmpz_poly:
    return fmpz_poly.chebyshev_t(k)


def in_powers(question: Question, coefficients: Sequence[arb]) -> list[arb]:
    """The polynomial sum c_k T_k((x - m)/r) in powers of x."""
    middle, half = as_fmpq((question.left + question.right) / 2), as_fmpq((question.right - question.left) / 2)
    in_z = arb_poly([0])
    for k, c in enumerate(coefficients):
        in_z += c * arb_poly(_chebyshev(k))
    in_x: list[arb] = in_z(arb_poly([arb(-middle / half), arb(1 / half)])).coeffs()
    return in_x
