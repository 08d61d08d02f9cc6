"""The largest and the mean error of one table's answers against another's, in whole steps of a public grid.

An error is |sum of q over the real records - N mean of q over the synthetic rows|, in records. A step is 1/RECORD_STEPS
of a record for the largest; for the mean it is smaller in proportion to how much less one record moves the mean. Both
are rounded up, exactly, and the sensitivity includes the one step that rounding may add between neighbours. If n is
private, the constant query, whose error is |n - N|, is among those of which the largest is taken. Proof:
docs/proofs/synthbounds.table-accuracy.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

from bounds.privacy.adjacency import Adjacency
from release.statistics.statistic import RECORD_STEPS

if TYPE_CHECKING:
    from numpy.typing import NDArray


def error_steps(
    real: Sequence[NDArray[Any]],
    synthetic: Sequence[NDArray[Any]],
    *,
    denominator: int,
    n: int,
    rows: int,
    size: int,
    mean_moved: Fraction,
    adjacency: Adjacency,
) -> tuple[int, int]:
    """Largest and mean error in steps, from the sums of all queries over n real records and over synthetic rows."""
    import numpy as np

    largest = total = count = 0
    for theirs, ours in zip(real, synthetic, strict=True):
        # Answers are at most n and `rows` denominators in size: what fits into 64 bits in the worst case is exact.
        kind = np.int64 if len(ours) * denominator * rows * (n + size) < 2**62 else object
        errors = np.abs(theirs.astype(kind) * rows - ours.astype(kind) * size)
        largest, total, count = max(largest, int(errors.max())), total + int(errors.sum()), count + len(errors)
    if adjacency is Adjacency.ADD_REMOVE:
        largest = max(largest, rows * denominator * abs(n - size))
    unit = rows * denominator
    return ceil(Fraction(largest * RECORD_STEPS, unit)), ceil(Fraction(total * RECORD_STEPS, unit * count) / mean_moved)


def error_sensitivity() -> tuple[Fraction, Fraction]:
    """How far one record moves both numbers together, in steps: in L1, and the square in L2, rounding included.

    >>> error_sensitivity()
    (Fraction(8194, 1), Fraction(33570818, 1))
    """
    each = RECORD_STEPS + 1
    return Fraction(2 * each), Fraction(2 * each**2)
