"""Equal records, taken once with their number: tables of codes have many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

_LARGEST_KEY = 2**62


def distinct_records(codes: Codes, sizes: Sequence[int], places: Sequence[int]) -> tuple[Codes, NDArray[np.int64]]:
    """One record for each combination of codes at those places, and how many records have it."""
    _, first, counts = np.unique(_keys(codes, sizes, places), return_index=True, return_counts=True)
    return codes[first], counts.astype(np.int64)


def distinct_places(
    codes: Codes, sizes: Sequence[int], places: Sequence[int]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first record of each combination of codes at those places, and for every record its combination."""
    _, first, which = np.unique(_keys(codes, sizes, places), return_index=True, return_inverse=True)
    return first, which


def _keys(codes: Codes, sizes: Sequence[int], places: Sequence[int]) -> NDArray[np.int64]:
    """A number for every record: equal if the codes at those places are, and in their order."""
    keys, span = np.zeros(len(codes), dtype=np.int64), 1
    for place in places:
        if span * sizes[place] > _LARGEST_KEY:
            found, keys = np.unique(keys, return_inverse=True)
            span = len(found)
        keys = keys * sizes[place] + codes[:, place]
        span *= sizes[place]
    return keys
