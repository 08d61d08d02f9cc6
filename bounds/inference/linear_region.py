"""Certified outer bounds on the confidence set of noisy linear equations, in ball arithmetic.

The set is {b: (G b - m)' C(b)^-1 (G b - m) <= r^2}, not convex and without closed form. A quadric surrounds it if every
singular value of G is above the noise; inside it C(b) is bounded, so an ellipsoid around the solution surrounds the
set, too, and then a smaller one. All coefficients then have an interval at once. If the set goes to infinity, the
answer is a direction. Proof: docs/proofs/synthbounds.noisy-regression.md, (b) and (c).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb, arb_mat

from bounds.certify.inputs import RADIUS_DIGITS
from bounds.enclosure import Enclosure, Undecided, decimal_text, precision
from bounds.inference.balls import (
    ball,
    ball_matrix,
    column,
    diagonal,
    form,
    inverse,
    is_positive_definite,
    largest_over_ellipsoid,
    largest_ratio,
    square,
)
from bounds.inference.linear_pivot import LinearPivot, Vector
from bounds.inference.scales import scalings, weakest_direction

BITS = 128
MOST_ROUNDS = 60
_SETTLED = 0.999
LARGEST_SHARPENED = 40
"""Above this many coefficients each has the interval of the ellipsoid, without a further bound of its own."""
_DIRECTION_DIGITS = 6
_LEAST_SHARE, _TINY = 1e-12, 1e-300


@dataclass(frozen=True, kw_only=True)
class Bounded:
    """All b of the confidence set lie between these, coefficient by coefficient."""

    lo: Vector
    hi: Vector
    center: tuple[float, ...]
    """The solution of the noisy equations, an estimate."""


@dataclass(frozen=True, kw_only=True)
class Unbounded:
    """No bounds: the set goes to infinity along a direction, or could not be shown not to."""

    direction: tuple[float, ...]
    """Of Euclidean norm 1: the combination about which the equations say least, an estimate."""
    is_proved: bool
    """Whether the set surely goes to infinity along it."""


@dataclass(frozen=True)
class Scaling:
    """Scales a of the coefficients, and an upper bound on the sum of a_j d_j^2 over differences d from the solution."""

    alpha: arb_mat
    offset: arb


class Surrounded:
    """An ellipsoid around the solution that has the whole confidence set; balls at the precision in force.

    Raises Undecided if no quadric surrounds the set.
    """

    def __init__(self, pivot: LinearPivot, radius: Fraction) -> None:
        self.pivot, self.p = pivot, pivot.size
        self.squared = ball(radius) ** 2
        self.matrix = ball_matrix(pivot.matrix)
        self.inverse = inverse(self.matrix)
        self.right = column([ball(x) for x in pivot.right])
        self.center = self.inverse * self.right
        self.variances = ball_matrix(pivot.variances)
        self.widths = [arb("inf")] * self.p
        """How far each coefficient is from the solution at most."""
        self.shape = arb_mat(self.p, self.p)
        """S: all differences d from the solution have d' S^-1 d <= r^2."""
        quadrics = [found for scales in scalings(pivot) if (found := self._quadric(scales)) is not None]
        if not quadrics:
            raise Undecided
        self._shrink([Scaling(diagonal(weights), offset) for weights, offset in quadrics])
        self._sharpen()

    def _quadric(self, scales: Vector) -> tuple[list[arb], arb] | None:
        """b' (G a^-1 G - r^2 a) b - 2 m' a^-1 G b + m' a^-1 m - r^2 s <= 0 at every b of the set: the scales as balls
        and an upper bound on the sum of scale times squared difference; None if the quadric is not bounded."""
        weights = [ball(x) for x in scales]
        alpha, inverted = diagonal(weights), diagonal([1 / x for x in weights])
        most = max(v / x for v, x in zip(self.pivot.right_variances, scales, strict=True))
        curved = _curvature(self.matrix, weights, self.squared)
        if not is_positive_definite(curved):
            return None
        away = inverse(curved) * (self.matrix * inverted * self.right) - self.center
        # at b = center + d the quadric is d' X d - 2 away' X d - r^2 (s + center' a center) <= 0
        size = _upper(form(curved, away) + self.squared * (ball(most) + form(alpha, self.center)))
        widest = inverse(curved)
        for j in range(self.p):
            self._narrow(j, (size * widest[j, j]).sqrt() + abs(away[j, 0]))
        reach = largest_over_ellipsoid(
            curved=alpha, linear=alpha * away, constant=form(alpha, away), shape=curved, squared_radius=size
        )
        return weights, _upper(reach)

    def _shrink(self, known: list[Scaling]) -> None:
        """Ever smaller ellipsoids: a bound on C(b) over one gives the next."""
        base = self.inverse * _covariance(self, self.center) * self.inverse
        flat = None
        best = arb("inf")
        for _ in range(MOST_ROUNDS):
            # C(b) <= (1 + t) C(center) + (1 + 1/t) spread(d), and spread(d) <= (|d|^2 a + a d d' a)/2
            candidates = []
            for one in known:
                along = one.offset * one.alpha if flat is None else self.squared * (one.alpha * flat * one.alpha)
                extra = self.inverse * (one.offset * one.alpha + along) * self.inverse / 2
                ratio = float((known[0].alpha * extra).trace()) / float((known[0].alpha * base).trace())
                t = ball(Fraction(ratio**0.5)) if ratio > 0 else arb(1)
                candidates.append((ratio, _symmetric((1 + t) * base + (1 + 1 / t) * extra)))
            self.shape = flat = min(candidates, key=lambda pair: pair[0])[1]
            for j in range(self.p):
                self._narrow(j, (self.squared * flat[j, j]).sqrt())
            known = [self._nearer(one) for one in known]
            before, best = best, min((one.offset for one in known), key=float)
            if float(best) > _SETTLED * float(before):
                break
        self.scalings = known

    def _nearer(self, known: Scaling) -> Scaling:
        """With the offset that the last ellipsoid and the widths give."""
        alpha = known.alpha
        reach = self.squared * largest_ratio(_symmetric(alpha * self.shape * alpha), alpha)
        boxed = sum((alpha[j, j] * width**2 for j, width in enumerate(self.widths)), arb(0))
        return Scaling(alpha, _least(_least(known.offset, reach), boxed))

    def _sharpen(self) -> None:
        """|u' (G b - m)| <= r (u' C(b) u)^(1/2) for each row u of the inverse, with C(b) over the last ellipsoid."""
        if self.p > LARGEST_SHARPENED:
            return
        for j in range(self.p):
            u = column([self.inverse[j, i] for i in range(self.p)])
            most = self.noise(u)
            self._narrow(j, (self.squared * _upper(most)).sqrt())

    def noise(self, u: arb_mat) -> arb:
        """Upper bound on u' C(b) u over the set."""
        curved = _spread(self, u)
        constant = sum(
            (ball(v) * square(u[i, 0]) for i, v in enumerate(self.pivot.right_variances)), form(curved, self.center)
        )
        return self.largest(curved, curved * self.center, constant)

    def spread_bound(self) -> arb_mat:
        """A matrix that no spread(b) of the set exceeds."""
        base = _spread(self, self.center)
        bounds = []
        for one in self.scalings:
            extra = (one.offset * one.alpha + self.squared * (one.alpha * self.shape * one.alpha)) / 2
            ratio = float(extra.trace()) / max(float(base.trace()), float(extra.trace()) * _LEAST_SHARE, _TINY)
            t = ball(Fraction(ratio**0.5)) if ratio > 0 else arb(1)
            bounds.append(_symmetric((1 + t) * base + (1 + 1 / t) * extra))
        return min(bounds, key=lambda found: float(found.trace()))

    def largest(self, curved: arb_mat, linear: arb_mat, constant: arb) -> arb:
        """Upper bound on d' K d + 2 l' d + c over all differences d of the set from the solution."""
        # d = S y with y in the ellipsoid y' S y <= r^2 of the shape S itself: no inverse is taken
        return largest_over_ellipsoid(
            curved=_symmetric(self.shape * curved * self.shape),
            linear=self.shape * linear,
            constant=constant,
            shape=self.shape,
            squared_radius=self.squared,
        )

    def _narrow(self, j: int, width: arb) -> None:
        self.widths[j] = _least(self.widths[j], width)


def surround(pivot: LinearPivot, radius: Fraction) -> Bounded | Unbounded:
    """Bounds for all coefficients of every b in the confidence set of that radius, or why there are none."""
    with precision(BITS):
        if not any((*pivot.right, *pivot.right_variances)):
            return _around_zero(pivot, radius)
        try:
            found = Surrounded(pivot, radius)
            ends = [
                (_down(found.center[j, 0] - width), _up(found.center[j, 0] + width))
                for j, width in enumerate(found.widths)
            ]
        except Undecided:
            return _receding(pivot, radius)
        return Bounded(
            lo=tuple(lo for lo, _ in ends),
            hi=tuple(hi for _, hi in ends),
            center=tuple(float(found.center[j, 0]) for j in range(pivot.size)),
        )


def _around_zero(pivot: LinearPivot, radius: Fraction) -> Bounded | Unbounded:
    """If all right sides are zeros without noise the quadric is b'X b <= 0: for a definite X it contains only 0."""
    matrix, squared, zero = ball_matrix(pivot.matrix), ball(radius) ** 2, (Fraction(0),) * pivot.size
    curved = (_curvature(matrix, [ball(x) for x in scales], squared) for scales in scalings(pivot))
    if any(map(is_positive_definite, curved)):
        return Bounded(lo=zero, hi=zero, center=(0.0,) * pivot.size)
    return _receding(pivot, radius)


def _curvature(matrix: arb_mat, weights: list[arb], squared_radius: arb) -> arb_mat:
    """G a^-1 G - r^2 a of the scales a."""
    return _symmetric(matrix * diagonal([1 / x for x in weights]) * matrix) - squared_radius * diagonal(weights)


def _receding(pivot: LinearPivot, radius: Fraction) -> Unbounded:
    weakest = weakest_direction(pivot)
    exact = tuple(Fraction(round(x * 10**_DIRECTION_DIGITS), 10**_DIRECTION_DIGITS) for x in weakest)
    return Unbounded(direction=weakest, is_proved=pivot.recedes(exact, radius))


def _covariance(found: Surrounded, b: arb_mat) -> arb_mat:
    return _spread(found, b) + diagonal([ball(x) for x in found.pivot.right_variances])


def _spread(found: Surrounded, b: arb_mat) -> arb_mat:
    """Of LinearPivot, in balls."""
    p, v = found.p, found.variances
    x = [b[i, 0] for i in range(p)]
    total = [sum((v[i, k] * square(x[k]) for k in range(p)), arb(0)) for i in range(p)]
    return arb_mat([[total[i] if i == k else v[i, k] * x[i] * x[k] for k in range(p)] for i in range(p)])


def _symmetric(matrix: arb_mat) -> arb_mat:
    """Both halves enclose the same entries: their mean does, too."""
    return (matrix + matrix.transpose()) / 2


def _upper(x: arb) -> arb:
    """The upper end of a ball as a number, not below 0."""
    return arb(x.upper()).max(arb(0))


def _least(x: arb, y: arb) -> arb:
    """An upper bound that is the smaller of two."""
    return arb(x.upper()).min(arb(y.upper()))


def _down(x: arb) -> Fraction:
    return Fraction(decimal_text(Enclosure.of(x).lo, RADIUS_DIGITS, up=False))


def _up(x: arb) -> Fraction:
    return Fraction(decimal_text(Enclosure.of(x).hi, RADIUS_DIGITS, up=True))
