"""How far a product of exact one-way tables can be from the truth: constants of docs/proofs/synthbounds.product.md.

They are exact where they are rational, and otherwise rounded up in their twelfth digit.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from flint import arb

from bounds.enclosure import as_fmpq
from bounds.solve import ceiling, enclose

_DIGITS = 10**12
MOST_CENTRED = 7
"""Degree from which on a centred product may be off by 1/2, as a table chosen without data is."""


@lru_cache(maxsize=256)
def plain_product(degree: int) -> Fraction:
    """(1 - 1/d) d^(-1/(d-1)): the largest of a - a^d on [0, 1], for columns that are left as they are.

    >>> plain_product(1), plain_product(2), float(plain_product(3))
    (Fraction(0, 1), Fraction(1, 4), 0.38490017946)
    """
    if degree <= 2:
        return Fraction(degree - 1, 4)
    return Fraction(degree - 1, degree) * _power_up(Fraction(1, degree), Fraction(1, degree - 1))


@lru_cache(maxsize=256)
def centred_product(degree: int) -> Fraction:
    """max over s <= d of (1 - 1/s + max_y(y^(s/d) - y))/2, for columns moved towards the middle of the possible values.

    >>> centred_product(2), centred_product(3), float(centred_product(4))
    (Fraction(1, 4), Fraction(1, 3), 0.3860677083334583)
    """
    bounds = [Fraction(degree - 1, 2 * degree)]
    for s in range(1, degree):
        share = Fraction(s, degree)
        peak = (1 - share) * _power_up(share, Fraction(s, degree - s))
        bounds.append((1 - Fraction(1, s) + peak) / 2)
    return max(bounds)


def _power_up(base: Fraction, exponent: Fraction) -> Fraction:
    """base^exponent, rounded up."""
    power = enclose(lambda: (arb(as_fmpq(exponent)) * arb(as_fmpq(base)).log()).exp())
    return Fraction(ceiling(power.hi * _DIGITS), _DIGITS)
