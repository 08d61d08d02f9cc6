"""Where points begin: columns that are independent, as one-way tables say, from public randomness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.rap.relaxed import Floats
    from mechanisms.rap.roles import Roles

_KEY = 0x5241_5000
"""Any number will do; it is the same for all, so points are a function of what was published."""


def start(roles: Roles, one_way: Mapping[int, NDArray[np.float64]], count: int) -> Floats:
    """So many points: codes of categories have random parts of a simplex, numbers are spread as their tables say."""
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
