"""How far apart the first and second moments of two tables are, in whole steps of a public grid, never too low.

The real table's sums are compared with N times the synthetic table's means, features scaled to the unit ball: a is the
Euclidean norm for label times feature, b the operator norm for products of two features, both in records. One step is
1/RECORD_STEPS of a record. a is rounded up exactly, b is at most two steps too high; the sensitivity includes what
rounding may add to the difference of two neighbours. Proof: docs/proofs/synthbounds.table-distance.md.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from bounds.exact import root_at_least, root_on_grid
from bounds.operator_norm import operator_norm
from bounds.privacy.adjacency import Adjacency
from release.statistics.features import FeatureMap
from release.statistics.moments import MomentSums
from release.statistics.statistic import RECORD_STEPS

_FIRST_ROUNDING, _SECOND_ROUNDING = 1, 2
"""Steps by which a and b may come out too high."""


def distance_steps(real: MomentSums, synthetic: MomentSums, features: FeatureMap, size: int) -> tuple[int, int]:
    """a and b in steps; the synthetic means are multiplied by the public number N, `size`."""
    rows, norm = synthetic.n, features.squared_norm
    first = [rows * x - size * y for x, y in zip(real.first, synthetic.first, strict=True)]
    square = Fraction(sum(x * x for x in first), rows**2 * features.one**2 * norm)
    a = root_on_grid(square, Fraction(1, RECORD_STEPS)) * RECORD_STEPS if square else Fraction(0)
    upper = [
        [rows * x - size * y for x, y in zip(left, right, strict=True)]
        for left, right in zip(real.second, synthetic.second, strict=True)
    ]
    p = features.size
    matrix = [[upper[min(i, j)][abs(i - j)] for j in range(p)] for i in range(p)]
    step = Fraction(rows * features.one**2 * norm, RECORD_STEPS)
    return int(a), ceil(operator_norm(matrix, step).hi / step)


def distance_sensitivity(adjacency: Adjacency) -> tuple[Fraction, Fraction]:
    """How far one record moves both numbers together, in steps: in L1, and the square in L2, rounding included.

    >>> l1, l2_squared = distance_sensitivity(Adjacency.REPLACE_ONE)
    >>> float(l1) / RECORD_STEPS, round(float(l2_squared) ** 0.5 / RECORD_STEPS, 4)
    (2.598876953125, 2.0005)
    """
    rounding = _FIRST_ROUNDING + _SECOND_ROUNDING, root_at_least(Fraction(_FIRST_ROUNDING**2 + _SECOND_ROUNDING**2))
    if adjacency is Adjacency.REPLACE_ONE:
        l1, l2 = root_at_least(Fraction(27, 4)), Fraction(2)
    else:
        l1, l2 = Fraction(2), root_at_least(Fraction(2))
    return Fraction(ceil(l1 * RECORD_STEPS + rounding[0])), (l2 * RECORD_STEPS + rounding[1]) ** 2
