"""Where a partial correlation lies, from intervals of the coefficients of two columns in each other's regression.

With K the inverse of the matrix of moments these coefficients are -K_ij/K_ii and -K_ij/K_jj, and the correlation is
-K_ij over the root of K_ii K_jj: all three have one sign, and the square of the last is the product of the others.
Proof: docs/proofs/synthbounds.noisy-graph.md, (a).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.inference.eigenvalues import root_down, root_up

Ends = tuple[Fraction | None, Fraction | None]
"""Lower and upper; None if there is none."""
_ONE = Fraction(1)


@dataclass(frozen=True, kw_only=True)
class PartialCorrelation:
    """Ends from -1 to 1, and 1 or -1 if the sign is certain; an end may then be 0, which is not reached."""

    lo: Fraction
    hi: Fraction
    sign: int


def partial_correlation(first: Ends, second: Ends) -> PartialCorrelation:
    """From intervals that contain both.

    >>> found = partial_correlation((Fraction(1, 4), Fraction(1)), (Fraction(1, 9), Fraction(1, 4)))
    >>> found.lo <= Fraction(1, 6), found.hi >= Fraction(1, 2), found.sign
    (True, True, 1)
    """
    up, down = _is_above(first) or _is_above(second), _is_above(_turned(first)) or _is_above(_turned(second))
    sign = int(up) - int(down)
    # the coefficients share a sign, so if one has it and the other cannot, nothing is claimed
    if (up and down) or any(sign and not _may_be_above(ends if up else _turned(ends)) for ends in (first, second)):
        return PartialCorrelation(lo=-_ONE, hi=_ONE, sign=0)
    return PartialCorrelation(lo=-_most(_turned(first), _turned(second)), hi=_most(first, second), sign=sign)


def _most(first: Ends, second: Ends) -> Fraction:
    """The upper end."""
    if first[1] is None or second[1] is None:
        one = first[1] if second[1] is None else second[1]
        return _ONE if one is None or one > 0 else Fraction(0)
    if first[1] < 0 and second[1] < 0:
        return max(-root_down(first[1] * second[1]), -_ONE)
    if min(first[1], second[1]) <= 0:
        return Fraction(0)
    return min(root_up(first[1] * second[1]), _ONE)


def _is_above(ends: Ends) -> bool:
    return ends[0] is not None and ends[0] > 0


def _may_be_above(ends: Ends) -> bool:
    return ends[1] is None or ends[1] > 0


def _turned(ends: Ends) -> Ends:
    lo, hi = ends
    return None if hi is None else -hi, None if lo is None else -lo
