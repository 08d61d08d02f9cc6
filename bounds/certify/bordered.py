"""A certified radius for a symmetric Gaussian matrix with a border: one more row of which only the length is bounded.

W is as in bounds.certify.goe, b any vector that is independent of W and not longer than a given number. A short border
hardly adds to the norm: W has no favourite direction, so b meets all of its eigenvalues alike, and not only the
largest. A search in floats finds where to apply the bound; what it finds is proved in balls. Proof:
docs/proofs/synthbounds.cross-moments.md.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from flint import arb

from bounds.certify.goe import goe_radius
from bounds.certify.inputs import exact_number, positive_dimension, probability, rounded_up
from bounds.enclosure import as_fmpq, decimal_text, precision
from bounds.exact import require_range, root_at_least

_BITS = 80
_SHARES = (Fraction(1, 20), Fraction(1, 5))
"""Of the failure, for the norm of W itself."""
_TOUCHING = (Fraction(-1, 10), Fraction(-1, 4))
"""Where the parabola touches, in units of the radius of W."""
_SHIFTS = 24
_BISECTIONS = 16
_SLACK = Fraction(1, 10**6)


def bordered_radius(order: int, border: Fraction, failure: Fraction) -> Fraction:
    """An r with P(||[[W, b], [b', 0]]|| > r) <= failure, W of that order and |b| <= border; rounded up.

    >>> round(float(bordered_radius(50, Fraction(5), Fraction(1, 20)) / goe_radius(50, Fraction(1, 20))), 2)
    1.13
    """
    length = exact_number("border", border)
    require_range("border", length, border, least=0, reason="a length")
    return _bordered_cached(positive_dimension(order), rounded_up(length), probability("failure", failure))


@lru_cache(maxsize=1024)
def _bordered_cached(order: int, border: Fraction, failure: Fraction) -> Fraction:
    alone = goe_radius(order, failure)
    if border == 0:
        return alone
    least = rounded_up(alone / 2 + root_at_least(alone**2 / 4 + border**2))  # whatever the direction of b
    for share in _SHARES:
        block = goe_radius(order, failure * share)
        for touching in _TOUCHING:
            found = _found(order, border, block, touching * block, failure * (1 - share) / 2, least)
            least = min(least, found)
    return least


def _found(
    order: int, border: Fraction, block: Fraction, touching: Fraction, goal: Fraction, known: Fraction
) -> Fraction:
    """The least radius that the search finds and balls prove, or `known`."""
    target, square = math.log(float(goal)), float(border) ** 2
    c, at = float(block), float(touching)

    def best_shift(r: float) -> tuple[float, float]:
        most = min(r - c, square / r)
        tried = [most * (k + 0.5) / _SHIFTS for k in range(_SHIFTS)]
        return min((_log_tail_est(order, square, c, at, r, shift), shift) for shift in tried)

    low, high = c * (1 + 1e-9), float(known)
    if low >= high or best_shift(high)[0] > target:
        return known
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if best_shift(middle)[0] <= target else (middle, high)
    radius = Fraction(decimal_text(Fraction(high) * (1 + _SLACK), 12, up=True))
    shift = Fraction(best_shift(float(radius))[1])
    return radius if radius < known and _is_proved(order, border, block, touching, goal, radius, shift) else known


def _log_tail_est(order: int, square: float, c: float, at: float, r: float, shift: float) -> float:
    """What `_is_proved` compares, in floats; infinite where the bound does not apply."""
    far, near, width = r - at, r - shift - at, c - at
    value, slope = math.log(far / near) / 2, (1 / near - 1 / far) / 2
    a2 = (math.log((far - width) / (near - width)) / 2 - value - slope * width) / width**2
    kept = 1 - 2 * a2
    if not kept > 0:
        return math.inf
    a1, a0 = slope - 2 * a2 * at, value - slope * at + a2 * at**2
    squares = -math.log(kept) * order * (order + 1) / 4 + a1**2 * order / (2 * kept)
    return order * (math.log1p(-shift * r / square) / 2 + a0) + squares


def _is_proved(
    order: int, border: Fraction, block: Fraction, touching: Fraction, goal: Fraction, radius: Fraction, shift: Fraction
) -> bool:
    """P(largest eigenvalue > r, ||W|| <= c) <= (1 - s r/|b|^2)^(m/2) E exp(m a0 + a1 tr W + a2 tr W^2) <= goal.

    The parabola a0 + a1 l + a2 l^2 lies above (log(r - l) - log(r - s - l))/2 for l <= c: it touches and meets at c.
    """
    if not (0 < shift < radius - block and shift * radius < border**2):
        return False
    with precision(_BITS):
        r, s, c, at = (arb(as_fmpq(x)) for x in (radius, shift, block, touching))
        far, near, width = r - at, r - s - at, c - at
        value, slope = (far / near).log() / 2, (1 / near - 1 / far) / 2
        a2 = (((far - width) / (near - width)).log() / 2 - value - slope * width) / width**2
        kept = 1 - 2 * a2
        if not kept > 0:
            return False
        a1, a0 = slope - 2 * a2 * at, value - slope * at + a2 * at**2
        squares = -kept.log() * (order * (order + 1)) / 4 + a1**2 * order / (2 * kept)
        spread = (1 - s * r / as_fmpq(border**2)).log() / 2
        return bool(order * (spread + a0) + squares <= arb(as_fmpq(goal)).log())
