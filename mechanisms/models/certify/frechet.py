"""What two one-way marginals say about a product: the range of E[XY] over all couplings, and of all laws near them.

X and Y take finitely many values; only intervals for their tails P(X >= v) need be known. With exact tails both ends
are attained, by the comonotone and the countermonotone coupling. Numbers are exact; nothing is estimated here, and
noise plays no part. Proof: docs/proofs/synthbounds.marginal-moments.md.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from bounds.errors import DataError, ParameterError

CONTRADICTION = (
    "marginals: the tables contradict each other by more than their stated errors; "
    "the noise exceeded its quantile, or a radius is too small"
)
_STEPS = 8
"""Base points tried for each end; each of them gives a bound."""
_GRID = 2**40


@dataclass(frozen=True)
class Levels:
    """Values in increasing order, and for each but the first an interval that contains P(X >= value)."""

    values: tuple[Fraction, ...]
    tail_lo: tuple[Fraction, ...]
    tail_hi: tuple[Fraction, ...]

    @classmethod
    def of(cls, values: Sequence[Fraction], tails: Sequence[tuple[Fraction, Fraction]]) -> Levels:
        """Intervals shortened by the fact that tails are decreasing probabilities."""
        if len(tails) != len(values) - 1 or any(a >= b for a, b in pairwise(values)):
            raise ParameterError("values", f"{len(values)} with {len(tails)} tails", "increasing, with a tail for each")
        hi = list(accumulate((min(Fraction(1), end) for _, end in tails), min))
        lo = list(accumulate((max(Fraction(0), end) for end, _ in reversed(tails)), max))[::-1]
        if any(a > b for a, b in zip(lo, hi, strict=True)):
            raise DataError(CONTRADICTION)
        return cls(tuple(values), tuple(lo), tuple(hi))

    @property
    def negated(self) -> Levels:
        """The same for -X: P(-X >= -v) = 1 - P(X > v)."""
        return Levels(
            tuple(-value for value in reversed(self.values)),
            tuple(1 - end for end in reversed(self.tail_hi)),
            tuple(1 - end for end in reversed(self.tail_lo)),
        )


def product_range(x: Levels, y: Levels) -> tuple[Fraction, Fraction]:
    """An interval that contains E[XY] for every coupling of laws with these tails; the shortest if they are exact.

    >>> half = Levels.of([Fraction(0), Fraction(1)], [(Fraction(1, 2), Fraction(1, 2))])
    >>> [str(end) for end in product_range(half, half)]
    ['0', '1/2']
    """
    if len(x.values) == len(y.values) == 2 and x.values[0] == y.values[0] == 0:  # indicators: both ends at once
        most, least = min(x.tail_hi[0], y.tail_hi[0]), max(Fraction(0), x.tail_lo[0] + y.tail_lo[0] - 1)
        return x.values[1] * y.values[1] * least, x.values[1] * y.values[1] * most
    corners = [a * b for a in (x.values[0], x.values[-1]) for b in (y.values[0], y.values[-1])]
    return max(min(corners), -_largest(x, y.negated)), min(max(corners), _largest(x, y))


def _largest(x: Levels, y: Levels) -> Fraction:
    """An upper bound on E[XY], the least one over some base points.

    With steps d_a, e_b of the values, E[XY] is at most x0 y0 + x0 sum e_b T_b + y0 sum d_a S_a + sum d_a e_b min(S_a,
    T_b), which is concave in the tails S, T: the slopes at any base point bound it on the whole box.
    """
    x_step, y_step = _steps(x.values), _steps(y.values)
    s = [(lo + hi) / 2 for lo, hi in zip(x.tail_lo, x.tail_hi, strict=True)]
    t = [(lo + hi) / 2 for lo, hi in zip(y.tail_lo, y.tail_hi, strict=True)]
    best: Fraction | None = None
    for k in range(_STEPS):
        # min(S, T) has the slope 1 in S where S <= T, and in T where T < S.
        x_slope = _slopes(s, x_step, t, y_step, y.values[0], ties=True)
        y_slope = _slopes(t, y_step, s, x_step, x.values[0], ties=False)
        x_best = [hi if slope > 0 else lo for slope, lo, hi in zip(x_slope, x.tail_lo, x.tail_hi, strict=True)]
        y_best = [hi if slope > 0 else lo for slope, lo, hi in zip(y_slope, y.tail_lo, y.tail_hi, strict=True)]
        bound = x.values[0] * y.values[0] + _dot(x_slope, x_best) + _dot(y_slope, y_best)
        best = bound if best is None else min(best, bound)
        if k == 0 and x.tail_lo == x.tail_hi and y.tail_lo == y.tail_hi:
            break  # the box is a point: the bound is the value
        s, t = _towards(s, x_best, k), _towards(t, y_best, k)
    assert best is not None
    return best


def _steps(values: tuple[Fraction, ...]) -> list[Fraction]:
    return [after - before for before, after in pairwise(values)]


def _slopes(
    own: list[Fraction],
    own_step: list[Fraction],
    other: list[Fraction],
    other_step: list[Fraction],
    other_first: Fraction,
    *,
    ties: bool,
) -> list[Fraction]:
    """Step times (first value of the other + its steps with tails above one's own); `ties` includes equal tails."""
    order = sorted(zip(other, other_step, strict=True))
    tails = [tail for tail, _ in order]
    below = [Fraction(0), *accumulate(step for _, step in order)]
    place = bisect_left if ties else bisect_right
    return [
        step * (other_first + below[-1] - below[place(tails, tail)]) for tail, step in zip(own, own_step, strict=True)
    ]


def _towards(base: list[Fraction], goal: list[Fraction], k: int) -> list[Fraction]:
    """A Frank-Wolfe step, on a grid: base points need not be exact."""
    share = Fraction(2, k + 2)
    return [Fraction(round((a + share * (b - a)) * _GRID), _GRID) for a, b in zip(base, goal, strict=True)]


def _dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))
