"""From a density to rows: largest-remainder rounding, exact and the same on every machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import Protocol

from bounds.errors import ParameterError


class WeightedPoints(Protocol):
    """A certificate or a vertex: integer weights of the points of a support."""

    @property
    def weights(self) -> Iterable[int]: ...


def round_rows(density: WeightedPoints | Sequence[Fraction] | Sequence[int], k: int) -> list[int]:
    """How many of k rows each point gets: non-negative integers n_i that add up to k, with sum|n_i - k h_i| <= s/2.

    The density h is given by weights in proportion to it, of which s are positive. Every point gets floor(k h_i) rows,
    and the largest remainders get one more; among equal remainders the first ones.

    >>> round_rows([1, 1, 1], 4), round_rows([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], 3)
    ([2, 1, 1], [1, 1, 1])
    """
    if k < 0:
        raise ParameterError("k", k, "at least 0")
    given = density if isinstance(density, Iterable) else density.weights
    weights = [weight if isinstance(weight, Fraction) else int(weight) for weight in given]
    common = lcm(*{weight.denominator for weight in weights})
    shares = [weight.numerator * (common // weight.denominator) for weight in weights]
    total = sum(shares)
    if total <= 0 or min(shares) < 0:
        raise ParameterError("weights", "these", "at least 0, and not all 0")
    whole = [divmod(k * share, total) for share in shares]
    counts = [count for count, _ in whole]
    order = sorted(range(len(whole)), key=lambda i: (-whole[i][1], i))
    for i in order[: k - sum(counts)]:
        counts[i] += 1
    return counts
