"""Class-conditional linear thresholds: how many records of every class lie beyond a hyperplane of the numbers.

Hyperplanes are drawn for a public box: every number, from 0 to 1 over the codes of its column, is taken to have mean
1/2 and deviation 1/4, so that planes fall where records may be, whatever the table. Weights of codes and levels are
whole numbers, small enough that floating point adds them up exactly. Proof:
docs/proofs/synthbounds.threshold-queries.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from bounds.exact import require_range
from release.data.schema import Schema
from release.files.fields import read_counter, read_whole, within
from release.files.strict_json import require_object
from release.statistics.conditional_counts import ConditionalCounts
from release.statistics.public_queries import LARGEST, bell_numbers, read_names, rounded_ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.statistics.public_queries import Integers

THRESHOLDS = "thresholds"
MOST_NUMBERS = 200
_NARROW_CODES = 2**12
"""Columns of more codes need more bits than single precision has."""
_NARROW, _WIDE = 2**23, 2**40
"""What sums of weights times codes stay below: whole numbers that are exact in single and in double precision."""
_ROOT_BITS = 16


@dataclass(frozen=True)
class Thresholds(ConditionalCounts):
    """`count` hyperplanes of the columns `numbers`; labels take turns, a plane each."""

    KIND: ClassVar[str] = THRESHOLDS

    schema: Schema
    numbers: tuple[int, ...]
    by: tuple[int, ...]
    count: int
    seed: int = 0

    def __post_init__(self) -> None:
        self.require_columns(MOST_NUMBERS)
        require_range("seed", self.seed, self.seed, least=0, below=2**64)

    @property
    def text(self) -> str:
        labels = ", ".join(self.schema.names[place] for place in self.by)
        return f"{self.count:,} linear thresholds of {len(self.numbers)} numbers, by {labels}"

    @cached_property
    def conditioned(self) -> NDArray[np.intp]:
        return np.arange(self.count) % len(self.by)

    @cached_property
    def _is_narrow(self) -> bool:
        return all(self.schema.columns[place].size <= _NARROW_CODES for place in self.numbers)

    @cached_property
    def planes(self) -> tuple[Integers, Integers]:
        """Weights of the codes, a line a number, and levels: a record is beyond if its weighted sum is above."""
        r, count = len(self.numbers), self.count
        drawn = bell_numbers(self.seed, 1, (r + 1) * count).reshape(r + 1, count)
        slopes, offset = drawn[:r], drawn[r]
        most, unit = (_NARROW if self._is_narrow else _WIDE), 2 * LARGEST * r
        sizes = np.array([self.schema.columns[place].size - 1 for place in self.numbers], dtype=np.int64)
        weights = np.array([rounded_ratio(slopes[j] * most, unit * int(sizes[j])) for j in range(r)])
        # sum of slope_j (4 x_j - 2) > offset sqrt(r), for x_j = code/(size - 1), times most/(4 unit)
        root = isqrt(r << (2 * _ROOT_BITS))
        whole = offset.astype(object) * root + (2 * slopes.sum(axis=0)).astype(object) * 2**_ROOT_BITS
        levels = rounded_ratio(whole * most, 4 * unit * 2**_ROOT_BITS).astype(np.int64)
        return weights, levels

    @cached_property
    def unit_planes(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The same for numbers from 0 to 1 in floating point: weights, a line a number, and levels, in deviations."""
        weights, levels = self.planes
        sizes = np.array([[self.schema.columns[place].size - 1] for place in self.numbers])
        found, above = weights * sizes, levels + 0.5
        # one deviation of the weighted sum over the box is 1
        scale = np.maximum(np.sqrt((found.astype(float) ** 2).sum(axis=0)) / 4, 1e-9)
        return (found / scale).astype(np.float32), (above / scale).astype(np.float32)

    def prepared(self, codes: Codes) -> NDArray[np.number]:
        kind = np.float32 if self._is_narrow else np.float64
        return np.ascontiguousarray(codes[:, list(self.numbers)].T, dtype=kind)

    def met(self, numbers: NDArray[np.number], start: int, end: int) -> NDArray[np.bool_]:
        weights, levels = self.planes
        kind = numbers.dtype
        found: NDArray[np.bool_] = weights[:, start:end].T.astype(kind) @ numbers > levels[start:end, None].astype(kind)
        return found

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.KIND, **self.by_json(), "count": self.count, "seed": str(self.seed)}

    @classmethod
    def from_json(cls, body: object, schema: Schema, where: str) -> Self:
        return within(lambda: cls(schema, *_fields(body, schema, where)), where)


def _fields(body: object, schema: Schema, where: str) -> tuple[tuple[int, ...], tuple[int, ...], int, int]:
    fields = require_object(body, where, {"kind", "numbers", "by", "count", "seed"})
    numbers, by = (
        tuple(schema.names.index(name) for name in read_names(fields[key], schema, f"{where}: {key}"))
        for key in ("numbers", "by")
    )
    return numbers, by, read_whole(fields["count"], f"{where}: count"), read_counter(fields["seed"], f"{where}: seed")
