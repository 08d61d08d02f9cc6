"""A pairwise law over codes: a base for every column, tilted by one-way and pairwise terms; and how points move.

law(x) is proportional to prod_u base_u(x_u) exp(a_u(x_u)) exp(sum over u < v of z_u(x_u)' T_uv z_v(x_v)), where z_u are
the features of a column. A sweep redraws every column of every point given the others, which leaves the law invariant.
Ordered columns of many codes are moved by a proposal over groups of neighbouring codes that is accepted or rejected, so
that the cost of a move depends on the number of groups. Floating point throughout: nothing here is certified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from release.statistics.blocks import LINEAR, SMOOTH
from release.statistics.cross_moments import TableEncoding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Singles = NDArray[np.float32]
    Places = NDArray[np.int32]

MOST_DIRECT_CODES = 64
"""Ordered columns of more codes are moved in this many groups."""


@dataclass(frozen=True, eq=False)
class Features:
    """The features of every code as single-precision numbers, and the places of each column's features."""

    tables: tuple[Singles, ...]
    starts: tuple[int, ...]
    ordered: tuple[bool, ...]
    """Whether neighbouring codes have neighbouring features."""

    @classmethod
    def of(cls, encoding: TableEncoding) -> Features:
        tables = tuple((table / encoding.one).astype(np.float32) for table in encoding.arrays)
        return cls(tables, encoding.starts, tuple(e in (LINEAR, SMOOTH) for e in encoding.encodings))

    @property
    def size(self) -> int:
        return self.starts[-1]

    def place(self, column: int) -> slice:
        return slice(self.starts[column], self.starts[column + 1])


@dataclass(eq=False)
class Points:
    """Records being moved: their codes, and the features of these."""

    codes: Places
    values: Singles

    @classmethod
    def of(cls, codes: Places, features: Features) -> Points:
        return cls(codes, np.hstack([table[codes[:, u]] for u, table in enumerate(features.tables)]))

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, places: NDArray[np.intp]) -> Points:
        return Points(self.codes[places], self.values[places])


@dataclass(frozen=True, eq=False)
class PairwiseLaw:
    """Logarithms of base and one-way terms, a table for each column, and the symmetric matrix of pairwise terms."""

    features: Features
    logs: tuple[Floats, ...]
    pairwise: Singles

    def sweep(self, points: Points, stream: np.random.Generator) -> None:
        """Move every point: all columns, in random order, each given the others."""
        for u in stream.permutation(len(self.logs)):
            column = int(u)
            if self.features.ordered[column] and len(self.logs[column]) > MOST_DIRECT_CODES:
                self._move_in_groups(points, column, stream)
            else:
                self._redraw(points, column, stream)

    def _pull(self, points: Points, column: int) -> Singles:
        """The effect of the other columns of each point on the features of this one."""
        found: Singles = points.values @ self.pairwise[:, self.features.place(column)]
        return found

    def _redraw(self, points: Points, column: int, stream: np.random.Generator) -> None:
        table = self.features.tables[column]
        scores = self._pull(points, column) @ table.T + self.logs[column].astype(np.float32)
        self._set(points, slice(None), column, _draw(scores, stream))

    def _move_in_groups(self, points: Points, column: int, stream: np.random.Generator) -> None:
        """Propose a group by its mass under the mean features and a code in it by the base; accept by the true ratio.

        The proposal does not depend on the present code, so its density over the law's, at both codes, decides.
        """
        table, logs = self.features.tables[column], self.logs[column]
        groups = _groups(len(logs))
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        shifted = np.exp(logs - logs.max())
        masses = np.add.reduceat(shifted, starts)
        means = np.add.reduceat(shifted[:, None] * table, starts) / masses[:, None]
        pull = self._pull(points, column)
        by_group = (pull @ means.T.astype(np.float32)) + np.log(masses).astype(np.float32)
        drawn = _draw(by_group, stream)
        reached = np.cumsum(shifted)
        begins = np.concatenate([[0.0], reached])[starts]
        wanted = begins[drawn] + stream.random(len(points)) * masses[drawn]
        last = np.append(starts[1:], len(logs))[drawn] - 1
        proposed = np.clip(np.searchsorted(reached, wanted, side="right"), starts[drawn], last)
        here = points.codes[:, column]
        wrong = _dots(pull, table - means[groups].astype(np.float32))
        accepted = np.log(stream.random(len(points)) + 1e-300) < wrong(proposed) - wrong(here)
        places = np.flatnonzero(accepted)
        self._set(points, places, column, proposed[places])

    def _set(self, points: Points, places: slice | NDArray[np.intp], column: int, codes: NDArray[np.integer]) -> None:
        points.codes[places, column] = codes
        points.values[places, self.features.place(column)] = self.features.tables[column][codes]


def _dots(pull: Singles, table: Singles):  # type: ignore[no-untyped-def]
    """For every point, the product of its pull with the row of a code."""
    return lambda codes: np.einsum("ij,ij->i", pull, table[codes])


def _groups(codes: int) -> NDArray[np.int64]:
    """The group of every code: neighbours together, in groups as equal as possible."""
    return np.arange(codes) * MOST_DIRECT_CODES // codes


def _draw(scores: Singles, stream: np.random.Generator) -> NDArray[np.intp]:
    """A random place for every row, with probabilities proportional to exp of its scores, which are overwritten."""
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    np.cumsum(scores, axis=1, out=scores)
    level = stream.random(len(scores), dtype=np.float32) * scores[:, -1]
    found: NDArray[np.intp] = np.minimum((scores < level[:, None]).sum(axis=1), scores.shape[1] - 1)
    return found


def independent_points(shares: Sequence[Floats], count: int, features: Features, stream: np.random.Generator) -> Points:
    """Points of independent columns with these shares."""
    codes = np.empty((count, len(shares)), dtype=np.int32)
    for u, share in enumerate(shares):
        reached = np.cumsum(share)[:-1]
        codes[:, u] = np.searchsorted(reached, stream.random(count), side="right")
    return Points.of(codes, features)
