"""The bound that a dominating polynomial gives, in ball arithmetic, for all compared models and the whole event.

The mean of q is linear in the moments. Its noise is at most a quadratic form: radius times the form `absolute`, which
is above the polynomial's form and above its negative. So the bound is the largest value of a quadratic function over
the compared models, and Lagrange multipliers of the balls bound that. Every choice of the numbers here that passes the
checks is valid. Proof: docs/proofs/synthbounds.model-certificate.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import arb, fmpq

from bounds.certify.problem import Matrix, Problem, Vector, dot
from bounds.certify.shape import DIRECTION, ONE, OTHER, SCORE, Shape
from bounds.enclosure import Enclosure, Undecided, as_fmpq, precision

BITS = 128


@dataclass(frozen=True)
class Multipliers:
    """What turns noise and classes into a quadratic function.

    absolute: for every matrix of moments a form H with H - G and H + G positive semidefinite, G the polynomial's form.
    label_scale: s > 0 in ||a|| <= (||a||^2/s + s)/2. balls: a multiplier for every ball. half: that of the half-space,
    where models of one are compared.
    """

    absolute: tuple[Matrix, ...]
    label_scale: Fraction
    balls: Vector
    half: Fraction = Fraction(0)


@dataclass(frozen=True)
class Bound:
    """The objective of no compared model is smaller by more than `value`; `parts` add up to it."""

    value: Enclosure
    parts: tuple[tuple[str, Enclosure], ...]


def is_symmetric(matrix: Matrix) -> bool:
    return all(matrix[i][j] == matrix[j][i] for i in range(len(matrix)) for j in range(i))


def is_positive_semidefinite(matrix: Matrix) -> bool:
    """Exactly, for a symmetric matrix, by elimination; a zero pivot needs a zero row."""
    rows = [[as_fmpq(x) for x in row] for row in matrix]
    for k in range(len(rows)):
        pivot = rows[k][k]
        if pivot < 0 or (pivot == 0 and any(x != 0 for x in rows[k][k:])):
            return False
        if pivot == 0:
            continue
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / pivot
            if factor != 0:
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return True


def admissible(shape: Shape, multipliers: Multipliers) -> bool:
    """Whether the forms are symmetric and dominate the polynomial's on both sides, and multipliers have their sign."""
    for form, absolute in zip(shape.forms(), multipliers.absolute, strict=True):
        if not (is_symmetric(form) and is_symmetric(absolute)):
            return False
        for sign in (1, -1):
            rows = zip(absolute, form, strict=True)
            if not is_positive_semidefinite(
                tuple(tuple(h + sign * g for h, g in zip(*row, strict=True)) for row in rows)
            ):
                return False
    return multipliers.label_scale > 0 and all(mu >= 0 for mu in (*multipliers.balls, multipliers.half))


def bound(problem: Problem, shape: Shape, multipliers: Multipliers, excess: Fraction) -> Bound:
    """Certified, for a polynomial that phi(y S) - phi(y V) exceeds by at most `excess`; raises Undecided where the
    quadratic function is not proved to be bounded."""
    if not admissible(shape, multipliers):
        raise Undecided
    if problem.known.size_is_exact:
        return _bound(problem, shape, multipliers, excess)
    # The sums were divided by a number near n, so moments are E[1] times too large. For every model the bound is linear
    # in 1/E[1]: it is largest at one end, at the larger E[1] where it is negative.
    lo, hi = problem.known.mass()
    if lo <= 0:
        raise Undecided
    ends = [_bound(_divided(problem, mass), shape, multipliers, excess) for mass in (lo, hi)]
    return max(ends, key=lambda end: end.value.hi)


def _divided(problem: Problem, mass: Fraction) -> Problem:
    """The same question if E[1] were this number: moments and radii divided by it are those of the table."""
    known = problem.known

    def matrix(rows: Matrix) -> Matrix:
        return tuple(tuple(x / mass for x in row) for row in rows)

    exact = replace(
        known,
        first=tuple(x / mass for x in known.first),
        second=matrix(known.second),
        first_radius=known.first_radius / mass,
        second_radius=known.second_radius / mass,
        weighted=None if known.weighted is None else matrix(known.weighted),
        weighted_radius=known.weighted_radius / mass,
        size_is_exact=True,
    )
    return replace(problem, known=exact)


def _bound(problem: Problem, shape: Shape, multipliers: Multipliers, excess: Fraction) -> Bound:
    with precision(BITS):
        quadratic = _Quadratic(problem, shape, multipliers)
        total = quadratic.largest() + quadratic.constant
        at_model, at_model_noise = quadratic.at_model()
        slack = _arb(excess)
        value = total + slack
        if not value.is_finite():
            raise Undecided
        parts = (
            ("approximation of the loss, at the model", Enclosure.of(at_model + slack)),
            ("noise, at the model", Enclosure.of(at_model_noise)),
            ("other models", Enclosure.of(total - at_model - at_model_noise)),
        )
        return Bound(Enclosure.of(value), parts)


class _Quadratic:
    """constant + 2 linear.v - v' curvature v + noise, for all v: balls at the precision in force."""

    def __init__(self, problem: Problem, shape: Shape, multipliers: Multipliers) -> None:
        self.problem, self.shape, self.multipliers = problem, shape, multipliers
        known, p = problem.known, problem.known.dimension
        self.p = p
        places = [ONE, SCORE, DIRECTION][: len(problem.basis())]
        self.fixed = list(zip(places, problem.basis(), strict=True))
        first = [_arb(x) for x in known.first]
        label = [_arb(x) for x in shape.label]
        scale = _arb(multipliers.label_scale)
        self.matrices = [[[_arb(x) for x in row] for row in matrix] for matrix, _ in problem.forms()]
        radii = [_arb(radius) for _, radius in problem.forms()]

        # the label's part: its mean, and the noise on the first moments
        fixed_label = [_sum(label[i] * _arb(b[j]) for i, b in self.fixed) for j in range(p)]
        noise = _arb(known.first_radius) / 2
        self.clean = _arb(shape.constant) + _sum(x * m for x, m in zip(fixed_label, first, strict=True))
        self.noisy = noise * (_sum(x * x for x in fixed_label) / scale + scale)
        linear = [
            label[OTHER] * m / 2 + noise * label[OTHER] * x / scale for m, x in zip(first, fixed_label, strict=True)
        ]
        uniform = noise * label[OTHER] ** 2 / scale  # multiplies v'v
        curved = [[arb(0)] * p for _ in range(p)]

        for rows, radius, form, absolute in zip(self.matrices, radii, shape.forms(), multipliers.absolute, strict=True):
            g, h = _ball_matrix(form), _ball_matrix(absolute)
            images = {i: _times(rows, b) for i, b in self.fixed}
            for i, b in self.fixed:
                for j, c in self.fixed:
                    self.clean += g[i][j] * _sum(_arb(x) * y for x, y in zip(c, images[i], strict=True))
                    self.noisy += radius * h[i][j] * _arb(dot(b, c))
                for k in range(p):
                    linear[k] += g[i][OTHER] * images[i][k] + radius * h[i][OTHER] * _arb(b[k])
            uniform += radius * h[OTHER][OTHER]
            bend = g[OTHER][OTHER]
            for k in range(p):
                curved[k] = [old - bend * x for old, x in zip(curved[k], rows[k], strict=True)]
        for k in range(p):
            curved[k][k] -= uniform
        self._add_ridge(curved)
        self.free_linear, self.free_curved = list(linear), [list(row) for row in curved]
        self.constant = self.clean + self.noisy
        self.linear, self.curved = linear, curved
        self._add_balls()
        self._add_half()

    def _add_ridge(self, curved: list[list[arb]]) -> None:
        compared, model = self.problem.compared, self.problem.model
        if compared.ridge == 0:
            return
        half = _arb(compared.ridge) / 2
        for k in range(self.p):
            if compared.ridge_part == "all" or (compared.ridge_part == "intercept") == (k == self.p - 1):
                curved[k][k] += half
                self.clean += half * _arb(model[k]) ** 2

    def _add_balls(self) -> None:
        for ball, mu in zip(self.problem.compared.balls, self.multipliers.balls, strict=True):
            multiplier, centre = _arb(mu), self.problem.centre(ball)
            self.constant += multiplier * _arb(ball.squared_radius)
            for k in range(self.p):
                if ball.holds(k, self.p):
                    self.curved[k][k] += multiplier
                    self.linear[k] += multiplier * _arb(centre[k])
                    self.constant -= multiplier * _arb(centre[k]) ** 2

    def _add_half(self) -> None:
        """multiplier * sign (threshold - v_feature), which is not negative on the half; nothing is curved by it."""
        half = self.problem.compared.half
        if half is not None:
            multiplier = _arb(self.multipliers.half * half.sign)
            self.constant += multiplier * _arb(half.threshold)
            self.linear[half.feature] -= multiplier / 2

    def largest(self) -> arb:
        """linear' curvature^-1 linear, by elimination; every pivot must be positive."""
        rows = [[*row, x] for row, x in zip(self.curved, self.linear, strict=True)]
        total = arb(0)
        for k in range(self.p):
            pivot = rows[k][k]
            if not pivot > 0:
                raise Undecided
            total += rows[k][self.p] * rows[k][self.p] / pivot  # a power of a ball around 0 would be nan
            for i in range(k + 1, self.p):  # symmetric: the upper triangle is enough
                factor = rows[k][i] / pivot
                for j in range(i, self.p + 1):
                    rows[i][j] -= factor * rows[k][j]
        return total

    def at_model(self) -> tuple[arb, arb]:
        """The value at v = w without and with noise: what the polynomial costs where it should cost nothing."""
        model = self.problem.model
        w = [_arb(x) for x in model]
        whole = self.clean + self.noisy + 2 * _sum(a * b for a, b in zip(self.free_linear, w, strict=True))
        for k in range(self.p):
            whole -= w[k] * _sum(a * b for a, b in zip(self.free_curved[k], w, strict=True))
        noise = self._noise_at_model()
        return whole - noise, noise

    def _noise_at_model(self) -> arb:
        multipliers, known = self.multipliers, self.problem.known
        vectors = [*self.fixed, (OTHER, self.problem.model)]
        label = [sum((self.shape.label[i] * b[k] for i, b in vectors), Fraction(0)) for k in range(self.p)]
        found = (
            _arb(known.first_radius)
            / 2
            * (_arb(dot(label, label) / multipliers.label_scale) + _arb(multipliers.label_scale))
        )
        for (_, radius), absolute in zip(self.problem.forms(), multipliers.absolute, strict=True):
            size = sum((absolute[i][j] * dot(b, c) for i, b in vectors for j, c in vectors), Fraction(0))
            found += _arb(radius * size)
        return found


def _arb(x: Fraction | int) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def _ball_matrix(matrix: Matrix) -> list[list[arb]]:
    return [[_arb(x) for x in row] for row in matrix]


def _sum(terms: Iterable[arb]) -> arb:
    total = arb(0)
    for term in terms:
        total += term
    return total


def _times(rows: list[list[arb]], vector: Vector) -> list[arb]:
    balls = [_arb(x) for x in vector]
    return [_sum(a * b for a, b in zip(row, balls, strict=True)) for row in rows]
