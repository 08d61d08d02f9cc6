"""A limit for every unbiased private mechanism: the noise coefficient of the best one on symmetric families.

Proof: docs/proofs/synthbounds.unbiased-limit.md. Parities, and cells if all attributes have the same number of levels.
Numbers are exact, and square roots are rounded down, so that a bound remains a bound.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb, isqrt

MOST_ATTRIBUTES = 400
_SCALE = 10**15


@lru_cache(maxsize=256)
def unbiased_factor(family: str, p: int, t: int, degree: int) -> Fraction | None:
    """A number not above the nuclear norm of the page; None for other families.

    >>> unbiased_factor("parities", 3, 2, 1) ** 2 <= 12 < unbiased_factor("parities", 3, 2, 1) ** 2 + Fraction(1, 10**9)
    True
    """
    if p > MOST_ATTRIBUTES or family not in ("parities", "cells"):
        return None
    return max(_at(family, p, t, degree, changed) for changed in range(1, p + 1))


def _at(family: str, p: int, t: int, degree: int, changed: int) -> Fraction:
    """Where records change in this many attributes, all sets and other levels being equally likely."""
    orders = range(1, degree + 1)
    moved = {s: 2 * (1 - _kept(p, t, s, changed)) for s in orders}
    if family == "parities":
        return _root(sum((comb(p, s) * moved[s] for s in orders), Fraction(0)))
    roots = ((t - 1) ** s * _root(comb(p, s) * comb(degree, s) * moved[s]) for s in orders)
    cells: int = t**degree
    return sum(roots, Fraction(0)) / cells


def _kept(p: int, t: int, s: int, changed: int) -> Fraction:
    """The correlation of a contrast of s attributes before and after the change."""
    ways = (comb(s, i) * comb(p - s, changed - i) * Fraction(-1, t - 1) ** i for i in range(min(s, changed) + 1))
    return sum(ways, Fraction(0)) / comb(p, changed)


def _root(value: Fraction) -> Fraction:
    return Fraction(isqrt(value.numerator * _SCALE**2 // value.denominator), _SCALE)


def records_for_all_contrasts(p: int, t: int, degree: int) -> int:
    """Records of a data set on which products of two contrasts of this order average as on the whole domain.

    >>> records_for_all_contrasts(20, 2, 2)
    1024
    """
    whole: int = t**p
    return min(whole, 1 << degree * p.bit_length()) if t == 2 else whole
