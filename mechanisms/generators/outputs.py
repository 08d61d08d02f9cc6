"""What the outputs of a generator stand for, and the rows drawn from its distributions of independent columns.

An output stands for a code, or for several neighbouring codes of an ordered column of many; these are then chosen among
by their shares in the one-way tables. A row comes from one latent point, and all points give equally many rows, up to
one. Among the rows of a point a code occurs as often as its share says, rounded up or down.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable
from mechanisms.generators.settings import MOST_OUTPUTS
from mechanisms.pgm.base import base_shares
from mechanisms.pgm.from_log import measured_table, stream_of_log, unmerged
from release.log.steps import Groups, Shape, TableStep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.data.schema import Schema
    from release.log.file import MarginalLog
    from release.log.impossible import Impossible

    Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class GeneratedRows:
    """Rows of a fitted generator, and how well it fits."""

    codes: Codes
    residual_est: float
    """Root mean square of the residuals between generator and log, in deviations of the noise."""


@dataclass(frozen=True, eq=False)
class Outputs:
    """The output of every code of every column, and the shares of codes in the one-way tables, none of them 0."""

    groups: Groups
    shares: tuple[Floats, ...]

    @classmethod
    def of_tables(cls, tables: Sequence[TableStep], *, total: float, groups: Groups | None) -> Outputs:
        """From the one-way tables of all columns; without groups every code has its own output."""
        shape = Shape(tuple(len(table.counts) for table in tables))
        shares = [base_shares(measured_table(t, shape), len(t.counts), total) for t in tables]
        return cls(groups or tuple(tuple(range(size)) for size in shape.sizes), tuple(shares))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(max(group) + 1 for group in self.groups)

    @cached_property
    def merged(self) -> tuple[Floats, ...]:
        """Shares of the outputs in the one-way tables."""
        return tuple(
            np.asarray(np.bincount(group, share), dtype=np.float64)
            for group, share in zip(self.groups, self.shares, strict=True)
        )

    def within(self, u: int) -> Floats:
        """The share of every code within its output."""
        found: Floats = self.shares[u] / self.merged[u][list(self.groups[u])]
        return found


@dataclass(frozen=True, eq=False)
class Mixture:
    """A distribution for each latent point, all equally likely: shares of outputs, a line a point, a block a column."""

    outputs: Outputs
    shares: NDArray[np.float32]

    def rows(self, k: int, stream: np.random.Generator) -> Codes:
        """k records, in random order."""
        points = len(self.shares)
        counts = np.full(points, k // points)
        counts[stream.permutation(points)[: k % points]] += 1
        owner = np.repeat(np.arange(points), counts)
        firsts = np.repeat(np.cumsum(counts) - counts, counts)
        found = np.empty((k, len(self.outputs.sizes)), dtype=np.intp)
        ends = np.cumsum(self.outputs.sizes)
        for u, (end, size) in enumerate(zip(ends, self.outputs.sizes, strict=True)):
            reached = np.cumsum(self.shares[:, end - size : end], axis=1, dtype=np.float64)
            reached /= reached[:, -1:]
            # the rows of a point, in random order, at even distances from a random start
            order = np.lexsort((stream.random(k), owner))
            place = np.empty(k)
            place[order] = np.arange(k) - firsts
            level = (place + stream.random(points)[owner]) / counts[owner]
            # points one after the other on one line: all of them are looked up at once
            line = (reached + np.arange(points)[:, None]).ravel()
            found[:, u] = np.minimum(np.searchsorted(line, level + owner, side="right") - owner * size, size - 1)
        rows = found[stream.permutation(k)]
        return unmerged(rows, self.outputs.groups, self.outputs.shares, stream)


def require_outputs(schema: Schema, groups: Groups | None, method: str) -> None:
    """Refuse, before anything is spent, more outputs than a network of this size is made for."""
    sizes = Shape(schema.domain.sizes, groups).merged
    if sum(sizes) > MOST_OUTPUTS:
        merged = "" if groups is None else " after merging neighbours in ordered columns of many codes"
        raise NotApplicable(
            f"{method}: the columns have {sum(sizes):,} codes{merged}; it takes at most {MOST_OUTPUTS:,}"
        )


def refuse_impossible(impossible: Sequence[Impossible], method: str) -> None:
    """Refuse facts about impossible records: a softmax gives every combination of codes a positive share."""
    if impossible:
        raise NotApplicable(f"impossible: {method} cannot exclude combinations of codes; aim, mst and tree can")


def network_stream(log: MarginalLog) -> np.random.Generator:
    """Randomness for the network of a log: a function of the log alone, separate from that of its rows."""
    return np.random.Generator(stream_of_log(log, None).bit_generator.jumped())  # type: ignore[attr-defined]
