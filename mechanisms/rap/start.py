"""The start of the points: independent columns as in the one-way tables, drawn with public randomness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.rap.relaxed import Floats
    from mechanisms.rap.roles import Roles

_KEY = 0x5241_5000
"""An arbitrary number, always the same, so that points are a function of published numbers."""


def start(roles: Roles, one_way: Mapping[int, NDArray[np.float64]], count: int) -> Floats:
    """This many points: categories get random points of a simplex, numbers are distributed as in their tables."""
    stream = np.random.Generator(np.random.Philox(key=_KEY))
    layout = roles.layout
    points = np.empty((layout.height, count), dtype=np.float32)
    for block, place in enumerate(roles.categories):
        shares = one_way[place][:, None] * stream.random((layout.blocks[block], count))
        layout.block(points, block)[:] = shares / shares.sum(axis=0)
    for line, place, top in zip(layout.numbers_of(points), roles.numbers, roles.tops, strict=True):
        even = (stream.permutation(count) + 0.5) / count
        line[:] = np.minimum(np.searchsorted(np.cumsum(one_way[place]), even), top) / top
    return points
