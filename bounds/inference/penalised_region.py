"""Certified bounds around the minimiser of b'A b/2 - c'b + h(b), h convex, when A and c are known only with noise.

The penalty may be any convex function, including that of a constraint; it is never seen here. Needed are a point b0 and
a subgradient g0 of h there, exactly: best where G b0 - m + g0 is small, but any will do. Then every difference d of the
true minimiser from b0 has d'G d <= d'(noise - that), and the noise is bounded as in linear_region. All coefficients and
linear functions of them are covered at once. Proof: docs/proofs/synthbounds.noisy-regression.md, (f).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, arb_mat

from bounds.certify.inputs import RADIUS_DIGITS
from bounds.enclosure import Enclosure, Undecided, decimal_text, precision
from bounds.inference.balls import (
    ball,
    ball_matrix,
    column,
    diagonal,
    floats,
    form,
    inverse,
    is_positive_definite,
    largest_ratio,
)
from bounds.inference.linear_pivot import LinearPivot, Vector
from bounds.inference.linear_region import BITS
from bounds.inference.scales import scalings

MOST_ROUNDS = 40
_SETTLED = 0.999
_MARGIN = 1e-6
_SCALES = tuple(10 ** (k / 4) for k in range(-6, 7))
"""Multiples of its first guess at which a multiplier is tried."""
_NONE = (Fraction(0),)


@dataclass(frozen=True, kw_only=True)
class PenalisedRegion:
    """With the probability of the radius the true minimiser is within `widths` of the point, and moves each equation
    by at most `images`: |d_j| and |(G d)_j|, and the noise of each equation by at most `noise`."""

    point: Vector
    widths: Vector
    images: Vector
    noise: Vector


def penalised_region(
    pivot: LinearPivot, radius: Fraction, *, point: Sequence[Fraction], subgradient: Sequence[Fraction]
) -> PenalisedRegion | None:
    """None if the noisy G is not surely definite, or too weak for a bound."""
    with precision(BITS):
        try:
            found = [_Region(pivot, radius, scales, tuple(point), tuple(subgradient)) for scales in scalings(pivot)]
        except Undecided:
            return None
        best = min(found, key=lambda region: float(region.noise.trace()))
        p = pivot.size
        if best.reach == 0:
            return PenalisedRegion(point=tuple(point), widths=_NONE * p, images=_NONE * p, noise=_NONE * p)
        units = [column([arb(int(i == j)) for i in range(p)]) for j in range(p)]
        try:
            around = best.ellipsoids()
            widths = tuple(_up(_width(around, unit)) for unit in units)
            images = tuple(_up(_width(around, best.matrix * unit)) for unit in units)
        except Undecided:
            return None
        noise = tuple(_up((best.squared * best.noise[j, j]).sqrt()) for j in range(p))
    return PenalisedRegion(point=tuple(point), widths=widths, images=images, noise=noise)


class _Region:
    """Differences d with d'G d <= r (d'C d)^(1/2) - e'd, where C is above the covariance at every point of the set."""

    def __init__(
        self, pivot: LinearPivot, radius: Fraction, scales: Vector, point: Vector, subgradient: Vector
    ) -> None:
        p = pivot.size
        self.pivot, self.p, self.squared = pivot, p, ball(radius) ** 2
        self.matrix = ball_matrix(pivot.matrix)
        self.point = column([ball(x) for x in point])
        residual = pivot.residual(point)
        self.left = column([ball(x + g) for x, g in zip(residual, subgradient, strict=True)])
        self.alpha = diagonal([ball(x) for x in scales])
        rights = max(v / x for v, x in zip(pivot.right_variances, scales, strict=True))
        if not is_positive_definite(self.matrix):
            raise Undecided
        self.base = ball_matrix(pivot.covariance(point))
        # the largest d'a d, with a the scales: first from the least eigenvalue, then from ever smaller C
        self.reach = self._first(scales, ball(rights), radius)
        self.noise = self._noise()
        for _ in range(MOST_ROUNDS):
            before = self.reach
            if before == 0:
                break
            self.reach = _smaller(before, self._reach())
            self.noise = self._noise()
            if float(self.reach) > _SETTLED * float(before):
                break

    def _first(self, scales: Vector, rights: arb, radius: Fraction) -> arb:
        """With l the least eigenvalue of G against a: l D <= r (s^(1/2) + |b0| + D) + |e|, all in their norms."""
        roots = np.array([float(x) for x in scales]) ** 0.5
        least = float(np.linalg.eigvalsh(floats(self.matrix) / np.outer(roots, roots)).min()) * (1 - _MARGIN)
        if not least > float(radius):
            raise Undecided
        bound = ball(Fraction(least))
        if not is_positive_definite(self.matrix - bound * self.alpha):
            raise Undecided
        away = form(inverse(self.alpha), self.left).sqrt()
        size = rights.sqrt() + form(self.alpha, self.point).sqrt()
        return _upper((((ball(radius) * size) + away) / (bound - ball(radius))) ** 2)

    def _noise(self) -> arb_mat:
        """C(b0 + d) <= (1 + t) C(b0) + (1 + 1/t) D^2 a over all d with d'a d <= D^2."""
        extra = self.reach * self.alpha
        size = float(self.base.trace())
        if not size > 0:  # a point without noise: C(b0 + d) is that of d only
            return _symmetric(self.base + extra)
        ratio = float(extra.trace()) / size
        t = ball(Fraction(ratio**0.5)) if ratio > 0 else arb(1)
        return _symmetric((1 + t) * self.base + (1 + 1 / t) * extra)

    def _reach(self) -> arb:
        """The largest d'a d over the set as it is bounded now."""
        return min((self._largest_alpha(share) for share in self._multipliers()), key=float)

    def _multipliers(self) -> list[Fraction]:
        """k in r (d'C d)^(1/2) <= r (d'C d/k + k)/2: around the size that d'C d may have."""
        guess = float(self.squared) ** 0.5 * float(largest_ratio(self.noise, self.matrix))
        return [Fraction(guess * scale) for scale in _SCALES]

    def _quadric(self, k: Fraction) -> tuple[arb_mat, arb_mat, arb] | None:
        """d'Q d + e'd <= r k/2 with Q = G - r C/(2 k), if that is definite; with its center."""
        root = self.squared.sqrt()
        curved = _symmetric(self.matrix - root / (2 * ball(k)) * self.noise)
        if not is_positive_definite(curved):
            return None
        center = -1 * (inverse(curved) * self.left) / 2
        return curved, center, _upper(root * ball(k) / 2 + form(curved, center))

    def _largest_alpha(self, k: Fraction) -> arb:
        found = self._quadric(k)
        if found is None:
            return arb("inf")
        curved, center, size = found
        spread = (size * largest_ratio(self.alpha, curved)).sqrt()
        return _upper((spread + form(self.alpha, center).sqrt()) ** 2)

    def ellipsoids(self) -> list[tuple[arb_mat, arb_mat, arb]]:
        """The set lies in each of them: inverse of the form, center, squared radius."""
        found = [self._quadric(k) for k in self._multipliers()]
        return [(inverse(curved), center, size) for curved, center, size in filter(None, found)]


def _width(ellipsoids: list[tuple[arb_mat, arb_mat, arb]], u: arb_mat) -> arb:
    """Upper bound on |u'd| over the points that lie in all of them."""
    best = arb("inf")
    for spread, center, size in ellipsoids:
        best = _smaller(best, (size * form(spread, u)).sqrt() + abs((u.transpose() * center)[0, 0]))
    if not best.is_finite():
        raise Undecided
    return best


def _symmetric(matrix: arb_mat) -> arb_mat:
    return (matrix + matrix.transpose()) / 2


def _upper(x: arb) -> arb:
    return arb(x.upper()).max(arb(0))


def _smaller(x: arb, y: arb) -> arb:
    return arb(x.upper()).min(arb(y.upper()))


def _up(x: arb) -> Fraction:
    return Fraction(decimal_text(Enclosure.of(x).hi, RADIUS_DIGITS, up=True))
