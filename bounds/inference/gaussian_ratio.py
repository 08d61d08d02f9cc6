"""Fieller's set: the ratios r in [0, 1] that a pair of Gaussian numbers does not exclude, solved exactly.

At the true ratio L(r) = X - r Y has a known Gaussian distribution; r is kept if L(r)^2 is at most its limit, a
quadratic in r. If Y is not surely different from 0, nothing or next to nothing is excluded: an answer, not an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.exact import root_at_least, root_at_most


@dataclass(frozen=True, kw_only=True)
class Quadratic:
    """c0 + c1 r + c2 r^2."""

    c0: Fraction
    c1: Fraction
    c2: Fraction

    def at(self, r: Fraction) -> Fraction:
        return self.c0 + r * (self.c1 + r * self.c2)

    def plus(self, other: Quadratic) -> Quadratic:
        return Quadratic(c0=self.c0 + other.c0, c1=self.c1 + other.c1, c2=self.c2 + other.c2)

    def times(self, factor: Fraction) -> Quadratic:
        return Quadratic(c0=self.c0 * factor, c1=self.c1 * factor, c2=self.c2 * factor)


def square_of(constant: Fraction, slope: Fraction) -> Quadratic:
    """(constant - slope r)^2."""
    return Quadratic(c0=constant**2, c1=-2 * constant * slope, c2=slope**2)


def where_at_most_zero(q: Quadratic) -> tuple[Fraction, Fraction] | None:
    """The hull of {r in [0, 1]: q(r) <= 0}, its ends rounded outwards; None if there is no such r."""
    if q.c2 == 0:
        return _of_a_line(q)
    discriminant = q.c1**2 - 4 * q.c2 * q.c0
    if discriminant < 0:
        return (Fraction(0), Fraction(1)) if q.c2 < 0 else None
    if q.c2 > 0:
        root = root_at_least(discriminant) if discriminant else Fraction(0)
        lo, hi = (-q.c1 - root) / (2 * q.c2), (-q.c1 + root) / (2 * q.c2)
        return (max(lo, Fraction(0)), min(hi, Fraction(1))) if lo <= 1 and hi >= 0 else None
    # Outside of the open interval between the roots; what is between may be made smaller.
    root = root_at_most(discriminant) if discriminant else Fraction(0)
    lo, hi = sorted(((-q.c1 - root) / (2 * q.c2), (-q.c1 + root) / (2 * q.c2)))
    if lo < 0 and hi > 1:
        return None
    left, right = Fraction(0) if lo >= 0 else max(hi, Fraction(0)), Fraction(1) if hi <= 1 else min(lo, Fraction(1))
    return left, right


def _of_a_line(q: Quadratic) -> tuple[Fraction, Fraction] | None:
    if q.c1 == 0:
        return (Fraction(0), Fraction(1)) if q.c0 <= 0 else None
    root = -q.c0 / q.c1
    if q.c1 > 0:
        return (Fraction(0), min(root, Fraction(1))) if root >= 0 else None
    return (max(root, Fraction(0)), Fraction(1)) if root <= 1 else None
