"""The polynomial of least 2 osc(P - f) + 2 s sum_{k>=1} |a_k| R^k, and the measure that proves it.

With b_k = a_k R^k and z = x/R the value is 4 e + 2 s sum |b_k| where e = max |P - f|, if b_0 is centred. Its dual is a
moment problem: for every signed measure mu with total mass 0, total variation at most 4 and |int z^k dmu| <= 2 s for
1 <= k <= D, no polynomial of degree D has a value below int f dmu. A simplex method finds both, and both are certified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import factorial

from flint import arb, fmpq

from bounds.approximation.balls import BallFunction
from bounds.approximation.exchange import barycentric_weights
from bounds.approximation.minimax import apparent_slope, minimax
from bounds.approximation.moment_simplex import Simplex, Solved
from bounds.approximation.parts import Parts
from bounds.approximation.rationals import ZERO, dyadic
from bounds.approximation.result import Approximation, Objective, Question, enclose, objective_ub
from bounds.enclosure import Enclosure, Undecided, as_fmpq, as_fraction, precision
from bounds.errors import NotCertified

HIGHEST_DEGREE = 40
_GRID = 8
_ROUNDS = 10
_PRECISIONS = (256, 512)
_LARGEST_GAP = Fraction(1, 10**9)


def optimal(question: Question, degree: int, marginal_error: Fraction) -> Approximation:
    """The optimal polynomial for marginal error s = nu/n, with a matching lower bound."""
    constant = question.polynomial is not None and question.polynomial.degree() <= 0
    if marginal_error == 0 or constant:
        return _by_minimax(question, degree, marginal_error)
    slope = apparent_slope(question)
    ways = [_Programme(question, degree, marginal_error, slope)] if slope is not None else []
    ways.append(_Programme(question, degree, marginal_error, None))
    last: Exception | None = None
    for programme in ways:
        for bits in _PRECISIONS:
            with precision(bits):
                try:
                    return _certified(programme, bits)
                except (Undecided, ZeroDivisionError) as error:
                    last = error
    raise NotCertified("the optimal polynomial could not be certified to a gap of 1e-9") from last


@dataclass(frozen=True)
class _Programme:
    """What is solved: on the whole interval, or, for slope*x plus an even function, on x >= 0 with even powers.

    The second way takes the coefficient of x to be the slope. That is optimal unless s is large, when the measure
    cannot be tilted enough, and the first way is taken.
    """

    question: Question
    degree: int
    s: Fraction
    slope: Fraction | None

    @property
    def radius(self) -> Fraction:
        return self.question.radius

    @property
    def powers(self) -> list[int]:
        return list(range(0, self.degree + 1, 1 if self.slope is None else 2))

    @cached_property
    def parts(self) -> Parts:
        return Parts(self.question.pieces, None if self.slope is None else ZERO)

    def jet(self, z: fmpq, order: int) -> list[arb]:
        """g(z) = f(Rz) - slope Rz and its derivatives in z."""
        r = as_fmpq(self.radius)
        place = z * r
        x = arb(place)
        coefficients, _ = self.parts.at(place).function.taylor(x, order)
        jet = [(c * r**k * factorial(k)).mid() for k, c in enumerate(coefficients)]
        if self.slope is not None:
            jet[0] = (jet[0] - as_fmpq(self.slope) * x).mid()
            if order:
                jet[1] = (jet[1] - as_fmpq(self.slope) * r).mid()
        return jet

    def simplex(self) -> Simplex:
        r = as_fmpq(self.radius)
        grid = [x / r for x in self.parts.grid(_GRID * len(self.powers) + 16)]
        return Simplex(self.jet, grid, {x / r for x in self.parts.ends}, self.powers, self.s)

    def unfolded(self, measure: Sequence[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
        """The measure on the whole interval: halved, mirrored, and tilted until its first moment is +-2s.

        The tilt adds odd moments of the same sign that decrease with their order, so all of them stay within 2s.
        """
        if self.slope is None:
            return list(measure)
        reach = sum((abs(w) * z for z, w in measure), Fraction(0))
        if reach == 0 or (self.slope != 0 and reach < 2 * self.s):
            raise Undecided
        tilt = Fraction(0) if self.slope == 0 else 2 * self.s / reach * (1 if self.slope > 0 else -1)
        whole = []
        for z, w in measure:
            if z == 0:
                whole.append((z, w))
            else:
                whole += [(-z, (w - tilt * abs(w)) / 2), (z, (w + tilt * abs(w)) / 2)]
        return whole


def _certified(programme: _Programme, bits: int) -> Approximation:
    simplex = programme.simplex()
    for _ in range(_ROUNDS):
        found, measure = _polynomial(programme, simplex.run(), bits)
        try:
            return with_objective(found, programme.s, measure)
        except Undecided:  # the error is larger between the points of the grid: look there, too
            place = found.norm.at / programme.radius
            simplex.learn(as_fmpq(place if programme.slope is None else abs(place)))
    raise Undecided


def _polynomial(
    programme: _Programme, solved: Solved, bits: int
) -> tuple[Approximation, list[tuple[Fraction, Fraction]]]:
    """The polynomial with its error enclosed, and the measure on the interval."""
    radius, slope = programme.radius, programme.slope
    in_z = solved.coefficients
    coefficients = [
        (in_z[k] / arb(as_fmpq(radius)) ** k).mid() if k in in_z else arb(0) for k in range(programme.degree + 1)
    ]
    if slope is not None:
        coefficients[1] = arb(as_fmpq(slope))
    measure = [(z * radius, w) for z, w in programme.unfolded(_fractions(solved))]
    value_est = abs(integral_lb(programme.question, measure))
    found = enclose(
        programme.question,
        coefficients,
        degree=programme.degree,
        method="optimal",
        bits=bits,
        start=[x for x, _ in measure],
        relative=Fraction(1, 2**40),
        accept_below=value_est / 2**52,
    )
    return found, measure


def _fractions(solved: Solved) -> list[tuple[Fraction, Fraction]]:
    return [(as_fraction(z), as_fraction(dyadic(w))) for z, w in solved.measure]


def with_objective(found: Approximation, s: Fraction, measure: Sequence[tuple[Fraction, Fraction]]) -> Approximation:
    """Attach the value and its lower bound; raises Undecided if they are further apart than allowed."""
    question, radius = found.question, found.question.radius
    upper = objective_ub(found.polynomial, error_ub=found.norm.hi, s=s, radius=radius)
    feasible = make_feasible(measure, radius, found.degree, s)
    lower = integral_lb(question, feasible)
    if upper - lower > _LARGEST_GAP * max(Fraction(1), upper) / 4:
        raise Undecided
    return replace(
        found, objective=Objective(s, radius, Enclosure(max(lower, Fraction(0)), upper), lower, tuple(feasible))
    )


def make_feasible(
    measure: Sequence[tuple[Fraction, Fraction]], radius: Fraction, degree: int, s: Fraction
) -> list[tuple[Fraction, Fraction]]:
    """The measure with mass exactly 0, scaled down until variation and moments obey their bounds exactly."""
    *most, (last, _) = measure
    balanced = [*most, (last, -sum((w for _, w in most), Fraction(0)))]
    excess = sum((abs(w) for _, w in balanced), Fraction(0)) / 4
    # fmpq: these sums have thousands of digits
    points = [(as_fmpq(x / radius), as_fmpq(w)) for x, w in balanced]
    for k in range(1, degree + 1):
        moment = abs(sum((w * z**k for z, w in points), ZERO))
        if moment:
            if s == 0:
                raise Undecided
            excess = max(excess, as_fraction(moment) / (2 * s))
    if excess <= 1:
        return balanced
    shrink = Fraction(int(2**200 / excess), 2**200)
    return [(x, w * shrink) for x, w in balanced]


def integral_lb(question: Question, measure: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    """A lower bound on int f dmu."""
    function = BallFunction(question.expression)
    total = sum((as_fmpq(w) * function(arb(as_fmpq(x))) for x, w in measure), arb(0))
    if not total.is_finite():
        raise Undecided
    return Enclosure.of(total.lower()).lo


def _by_minimax(question: Question, degree: int, s: Fraction) -> Approximation:
    """If coefficients cost nothing, s = 0 or f constant: the reference of the minimax polynomial is the measure."""
    found = replace(minimax(question, degree), method="optimal")
    if found.lower is None:  # the function is a polynomial of this degree
        zero = Enclosure(Fraction(0), 4 * found.norm.hi)
        return replace(found, objective=Objective(s, question.radius, zero, Fraction(0), ()))
    points = found.lower.points
    with precision(max(found.precision, 512)):
        weights = [as_fraction(w) for w in barycentric_weights([as_fmpq(x) for x in points])]
        size = sum((abs(w) for w in weights), Fraction(0))
        scaled = [(x, 4 * w / size) for x, w in zip(points, weights, strict=True)]
        if integral_lb(question, scaled) < 0:
            scaled = [(x, -w) for x, w in scaled]
        return with_objective(found, Fraction(0), scaled)
