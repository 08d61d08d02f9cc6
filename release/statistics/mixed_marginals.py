"""Mixed marginals: how many records of every class have two numbers that are both at most a threshold.

Pairs of numbers and thresholds are drawn by a seed; a threshold is a code, all but the last equally likely, so that no
condition is met by every record whatever the table. Codes are compared as whole numbers. Definition 3 of vietri2022,
with all values of the label at once. Proof: docs/proofs/synthbounds.threshold-queries.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from release.statistics.conditional_counts import ConditionalCounts
from release.statistics.public_queries import uniform_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.statistics.public_queries import Integers

MIXED = "mixed"


@dataclass(frozen=True)
class MixedMarginals(ConditionalCounts):
    """`count` pairs of the columns `numbers`, each with two thresholds; labels take turns, one pair each."""

    KIND: ClassVar[str] = MIXED
    LEAST_NUMBERS: ClassVar[int] = 2

    @property
    def text(self) -> str:
        return f"{self.count:,} mixed marginals of 2 of {self.numbers_text}, by {self.labels_text}"

    @cached_property
    def pairs(self) -> NDArray[np.intp]:
        """For every query the two numbers, by their places among `numbers`, which rise."""
        r = len(self.numbers)
        one, other = (uniform_numbers(self.seed, stream, self.count, r - stream) for stream in (0, 1))
        other += other >= one
        return np.sort(np.stack([one, other], axis=1), axis=1)

    @cached_property
    def most(self) -> Integers:
        """For every query the two codes that its numbers may have at most, in the order of `pairs`."""
        tops = np.array([self.schema.columns[place].size - 1 for place in self.numbers], dtype=np.int64)
        drawn = [uniform_numbers(self.seed, 2 + side, self.count, tops[self.pairs[:, side]]) for side in (0, 1)]
        return np.stack(drawn, axis=1)

    @cached_property
    def unit_most(self) -> NDArray[np.float32]:
        """The same for numbers from 0 to 1: halfway between the last code that meets the condition and the next."""
        tops = np.array([self.schema.columns[place].size - 1 for place in self.numbers])
        found: NDArray[np.float32] = ((self.most + 0.5) / tops[self.pairs]).astype(np.float32)
        return found

    def prepared(self, codes: Codes) -> NDArray[np.number]:
        return np.ascontiguousarray(codes[:, list(self.numbers)].T, dtype=np.uint16)  # a domain has no larger codes

    def met(self, numbers: NDArray[np.number], queries: NDArray[np.intp]) -> NDArray[np.bool_]:
        pairs, most = self.pairs[queries], self.most[queries].astype(np.uint16)
        found: NDArray[np.bool_] = numbers[pairs[:, 0]] <= most[:, :1]
        found &= numbers[pairs[:, 1]] <= most[:, 1:]
        return found
