"""Class-conditional linear thresholds: how many records of every class lie beyond a hyperplane of the numbers.

Hyperplanes are drawn for a public box: every number, from 0 to 1 over the codes of its column, is taken to have mean
1/2 and deviation 1/4, so that planes fall where records may be, whatever the table. Weights of codes and levels are
whole numbers, small enough that floating point adds them up exactly, in any order. Proof:
docs/proofs/synthbounds.threshold-queries.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from release.statistics.conditional_counts import ConditionalCounts
from release.statistics.public_queries import LARGEST, bell_numbers, rounded_ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.statistics.public_queries import Integers

THRESHOLDS = "thresholds"
_NARROW_CODES = 2**14
"""This many codes of the widest column, times the number of columns, leave weights of single precision enough bits."""
_NARROW, _WIDE = 2**23, 2**40
"""A bound on sums of weights times codes: whole numbers that are exact in single and in double precision."""
_ROOT_BITS = 16


@dataclass(frozen=True)
class Thresholds(ConditionalCounts):
    """`count` hyperplanes of the columns `numbers`; labels take turns, one plane each."""

    KIND: ClassVar[str] = THRESHOLDS

    @property
    def text(self) -> str:
        return f"{self.count:,} linear thresholds of {self.numbers_text}, by {self.labels_text}"

    @cached_property
    def _tops(self) -> Integers:
        """The last code of every number."""
        return np.array([self.schema.columns[place].size - 1 for place in self.numbers], dtype=np.int64)

    @cached_property
    def is_narrow(self) -> bool:
        """Whether weighted sums of codes are taken in single precision."""
        return len(self.numbers) * (int(self._tops.max()) + 1) <= _NARROW_CODES

    @cached_property
    def planes(self) -> tuple[Integers, Integers]:
        """Weights of the codes, one line per number, and levels: a record is beyond if its weighted sum is above."""
        r = len(self.numbers)
        most, unit = (_NARROW if self.is_narrow else _WIDE), 2 * LARGEST * r
        offset, *slopes = (bell_numbers(self.seed, stream, self.count) for stream in range(r + 1))
        weights = np.stack(
            [rounded_ratio(slope * most, unit * top) for slope, top in zip(slopes, self._tops.tolist(), strict=True)]
        )
        # sum of slope_j (4 x_j - 2) > offset sqrt(r), for x_j = code/top, times most/(4 unit)
        root = isqrt(r << (2 * _ROOT_BITS))
        whole = offset.astype(object) * root + np.sum(slopes, axis=0).astype(object) * 2 ** (1 + _ROOT_BITS)
        levels = rounded_ratio(whole * most, 4 * unit * 2**_ROOT_BITS).astype(np.int64)
        return weights, levels

    @cached_property
    def unit_planes(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The same for numbers from 0 to 1 in floats: weights, one line per number, and levels, in deviations."""
        weights, levels = self.planes
        found, above = weights * self._tops[:, None], levels + 0.5
        # one deviation of the weighted sum over the box is 1
        scale = np.maximum(np.sqrt((found.astype(float) ** 2).sum(axis=0)) / 4, 1e-9)
        return (found / scale).astype(np.float32), (above / scale).astype(np.float32)

    @cached_property
    def _float_planes(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Weights, one line per query, and levels, in the precision in which their sums are exact."""
        weights, levels = self.planes
        return np.ascontiguousarray(weights.T, dtype=self._kind), levels.astype(self._kind)[:, None]

    @property
    def _kind(self) -> type[np.float32] | type[np.float64]:
        return np.float32 if self.is_narrow else np.float64

    def prepared(self, codes: Codes) -> NDArray[np.number]:
        return np.ascontiguousarray(codes[:, list(self.numbers)].T, dtype=self._kind)

    def met(self, numbers: NDArray[np.number], queries: NDArray[np.intp]) -> NDArray[np.bool_]:
        weights, levels = self._float_planes
        found: NDArray[np.bool_] = weights[queries] @ numbers > levels[queries]
        return found
