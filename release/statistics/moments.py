"""Exact sums over records of labels times features, of products of two features, and of products of four.

All are integers: over 2^bits, or 4^bits if the label is a number, 4^bits and 16^bits. Matrix products run in
doubles, on blocks in which every partial sum is an integer below 2^53, so they are exact; blocks are added up as Python
integers, which do not overflow. Nothing here is private.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import ParameterError
from release.data.source import Source, as_source
from release.one_thread import one_thread
from release.statistics.features import FeatureMap
from release.statistics.statistic import Counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.source import Records

MOST_FOURTH_FEATURES = 40
"""With this many features there are 123,410 products of four."""
_BLOCK_BYTES = 2**24
_EXACT_BITS = 53


@dataclass(frozen=True, kw_only=True)
class MomentSums:
    """Sums over n records, as integers; for the steward only."""

    n: int
    first: tuple[int, ...]
    """Of y f_j, over 2^bits, or 4^bits if y is a number."""
    second: tuple[tuple[int, ...], ...]
    """Of f_j f_k for k >= j, over 4^bits: row j begins on the diagonal."""
    fourth: tuple[int, ...] | None
    """Of f_i f_j f_k f_l for i <= j <= k <= l, over 16^bits, in the order of `fourth_indices`."""

    @property
    def counted(self) -> Counted:
        """All sums in one row: first, second (row by row of the upper triangle), fourth."""
        second = (value for row in self.second for value in row)
        return Counted(n=self.n, values=(*self.first, *second, *(self.fourth or ())))


def fourth_indices(size: int) -> Iterator[tuple[int, int, int, int]]:
    """Every i <= j <= k <= l below size, in the order of the sums."""
    yield from combinations_with_replacement(range(size), 4)


def moment_sums(records: Records, features: FeatureMap, *, fourth: bool = False) -> MomentSums:
    """One pass over records, given as codes of the schema: an array, batches, or a source."""
    with one_thread():  # at these sizes threads wait more than they help
        return _add_up(as_source(records, features.schema.domain), features, fourth=fourth)


def _add_up(source: Source, features: FeatureMap, *, fourth: bool) -> MomentSums:
    if fourth:
        require_fourth(features)
    p = features.size
    pairs = p * (p + 1) // 2 if fourth else p
    # Entries are at most 2^(2 bits) in size, so this many of them add up to at most 2^53.
    most_rows = min(2 ** (_EXACT_BITS - 2 * features.bits), max(1, _BLOCK_BYTES // (8 * pairs)))
    first, second = _zeros(p), _zeros(p, p)
    products = _zeros(pairs, pairs) if fourth else None
    for batch in source.batches():
        for start in range(0, len(batch), most_rows):
            block = batch[start : start + most_rows]
            values = features.features(block)
            doubles = values.astype(np.float64)
            first += _whole(features.labels(block).astype(np.float64) @ doubles)
            second += _whole(doubles.T @ doubles)
            if products is not None:
                products += _pair_products(values, features.bits)
    return MomentSums(
        n=source.n,
        first=tuple(first.tolist()),
        second=tuple(tuple(second[j, j:].tolist()) for j in range(p)),
        fourth=None if products is None else _unique(products, p),
    )


def statistic_text(features: FeatureMap, *, fourth: bool) -> str:
    """The integers of a release, in one sentence."""
    bits = features.bits
    of_label = 2 * bits if features.label_is_number else bits
    more = f", of products of four features over 2^{4 * bits} (indices in increasing order)" if fourth else ""
    return (
        f"sums over all records of label times feature over 2^{of_label}, of products of two features over "
        f"2^{2 * bits} (upper triangle){more}; each with noise"
    )


def moment_count(size: int, *, fourth: bool) -> int:
    """How many sums there are for this many features."""
    return size + comb(size + 1, 2) + (comb(size + 3, 4) if fourth else 0)


def require_fourth(features: FeatureMap) -> None:
    """Refuse products of four features if there are too many of them."""
    if features.size > MOST_FOURTH_FEATURES:
        raise ParameterError("features", features.size, f"at most {MOST_FOURTH_FEATURES}", "for fourth moments")


def _pair_products(values: NDArray[np.int64], bits: int) -> NDArray[np.object_]:
    """Sums of products of two pairs; a pair is split into 2^bits high + low, so that all products are exact."""
    left, right = np.triu_indices(values.shape[1])
    pairs = values[:, left] * values[:, right]
    high = (pairs >> bits).astype(np.float64)  # at most 2^bits in size
    low = (pairs & ((1 << bits) - 1)).astype(np.float64)  # from 0 to 2^bits - 1
    both = _whole(high.T @ low)
    found: NDArray[np.object_] = (_whole(high.T @ high) << 2 * bits) + ((both + both.T) << bits)
    found += _whole(low.T @ low)
    return found


def _unique(products: NDArray[np.object_], size: int) -> tuple[int, ...]:
    place = np.zeros((size, size), dtype=np.int64)
    place[np.triu_indices(size)] = np.arange(len(products))
    return tuple(int(products[place[i, j], place[k, m]]) for i, j, k, m in fourth_indices(size))


def _zeros(*shape: int) -> NDArray[np.object_]:
    return np.zeros(shape, dtype=np.int64).astype(object)


def _whole(doubles: NDArray[np.float64]) -> NDArray[np.object_]:
    return doubles.astype(np.int64).astype(object)
