"""Rows of a model, column by column: within a group of rows that look alike, counts are rounded systematically.

A column depends only on the columns of its message, so rows with the same codes there form a group. A group's counts of
the new column's codes are the model's expectations, rounded along their cumulative sum from the group's own start. The
starts of consecutive groups are spread evenly (multiples of the golden ratio), so that errors cancel over neighbours
and sums over groups stay near their expectations, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mechanisms.pgm.sweep import Sweep
    from release.data.domain import Codes

_GOLDEN = (5**0.5 - 1) / 2


def draw(sweep: Sweep, k: int, stream: np.random.Generator) -> Codes:
    """k rows, in random order."""
    plan = sweep.plan
    rows = np.zeros((k, len(plan.sizes)), dtype=np.int64)
    for number, step in reversed(list(enumerate(plan.steps))):
        cells = np.zeros(k, dtype=np.int64)
        for u in step.out:
            cells = cells * plan.sizes[u] + rows[:, u]
        # A random order within each group: given the group, all else is independent of the column.
        order = np.lexsort((stream.permutation(k), cells))
        groups, sizes = np.unique(cells, return_counts=True)
        expected = np.cumsum(sweep.conditional(number, groups), axis=1) * sizes[:, None]
        starts = (stream.random() + _GOLDEN * np.arange(len(groups))) % 1
        reached = np.floor(expected + starts[:, None]).astype(np.int64)
        reached[:, -1] = sizes  # the start is below 1, so this is what exact sums would give
        counts = np.diff(np.minimum(reached, sizes[:, None]), axis=1, prepend=0)
        codes = np.tile(np.arange(plan.sizes[step.column]), len(groups))
        rows[order, step.column] = np.repeat(codes, counts.ravel())
    return np.asarray(rows[stream.permutation(k)])
