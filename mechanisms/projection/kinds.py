"""Kinds of statistics: moments of features, cells of tables, answers of queries with yes-no conditions, any matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.projection.statistics import Statistics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.projection.statistics import Floats, Places


@dataclass(frozen=True, eq=False)
class MomentStatistics(Statistics):
    """The functions y f_i, for the listed i, and f_i f_j, for the listed pairs, at given points."""

    features: Floats
    labels: Floats
    singles: Places
    pairs: tuple[Places, Places]

    @property
    def points(self) -> int:
        return len(self.labels)

    @property
    def count(self) -> int:
        return len(self.singles) + len(self.pairs[0])

    def combined(self, theta: Floats) -> Floats:
        p = self.features.shape[1]
        linear, quadratic = np.zeros(p), np.zeros((p, p))
        linear[self.singles] = theta[: len(self.singles)]
        quadratic[self.pairs] = theta[len(self.singles) :]
        found: Floats = self.labels * (self.features @ linear)
        found += ((self.features @ quadratic) * self.features).sum(axis=1)
        return found

    def means(self, weights: Floats) -> Floats:
        weighted = self.features * weights[:, None]
        return np.concatenate([(self.labels @ weighted)[self.singles], (weighted.T @ self.features)[self.pairs]])

    def squares(self, weights: Floats) -> Floats:
        squared = self.features**2
        weighted = squared * weights[:, None]
        singles = (self.labels**2 @ weighted)[self.singles]
        return np.concatenate([singles, (weighted.T @ squared)[self.pairs]])

    def values(self, places: Places) -> Floats:
        f = np.ascontiguousarray(self.features[places].T)
        return np.concatenate([f[self.singles] * self.labels[places], f[self.pairs[0]] * f[self.pairs[1]]])


class Indicators(Statistics):
    """Statistics that are 0 or 1 at every point."""

    def squares(self, weights: Floats) -> Floats:
        return self.means(weights)

    def ranges(self) -> tuple[Floats, Floats]:
        held = self.means(np.ones(self.points))
        return (held >= self.points).astype(float), (held > 0).astype(float)


@dataclass(frozen=True, eq=False)
class CellStatistics(Indicators):
    """Indicators of the cells of tables: every point is in one cell of each table."""

    cells: NDArray[np.int32]
    """For every table the cell of every point; cells are numbered consecutively over all tables."""
    size: int
    """Number of cells of all tables together."""

    @property
    def points(self) -> int:
        return int(self.cells.shape[1])

    @property
    def count(self) -> int:
        return self.size

    def combined(self, theta: Floats) -> Floats:
        found = np.zeros(self.points)
        for line in self.cells:
            found += theta[line]
        return found

    def means(self, weights: Floats) -> Floats:
        found = np.zeros(self.count)
        for line in self.cells:
            found += np.bincount(line, weights=weights, minlength=self.count)
        return found

    def values(self, places: Places) -> Floats:
        found = np.zeros((self.count, len(places)))
        for line in self.cells:
            found[line[places], np.arange(len(places))] = 1
        return found


@dataclass(frozen=True, eq=False)
class AnswerStatistics(Indicators):
    """Answers of queries whose condition a point meets or not, separately for each value of some column."""

    met: NDArray[np.bool_]
    """A line for each query, a column for each point."""
    codes: NDArray[np.integer]
    """For every query and point the value of that column; one line serves all queries that share it."""
    line: Places
    """For every query its line of `codes`."""
    starts: Places
    """Where the answers of each query begin, and finally their number."""

    @property
    def points(self) -> int:
        return int(self.met.shape[1])

    @property
    def count(self) -> int:
        return int(self.starts[-1])

    def combined(self, theta: Floats) -> Floats:
        found = np.zeros(self.points)
        for queries, points, value in self._groups:
            found[points] += theta[self.starts[queries] + value] @ self.met[np.ix_(queries, points)]
        return found

    def means(self, weights: Floats) -> Floats:
        found = np.zeros(self.count)
        for queries, points, value in self._groups:
            found[self.starts[queries] + value] = self.met[np.ix_(queries, points)] @ weights[points]
        return found

    def values(self, places: Places) -> Floats:
        found = np.zeros((self.count, len(places)))
        for query, line in enumerate(self.line):
            held = np.flatnonzero(self.met[query, places])
            found[self.starts[query] + self.codes[line, places[held]], held] = 1
        return found

    @cached_property
    def _groups(self) -> list[tuple[Places, Places, int]]:
        """Queries that share a line, and points that share a value on it; each such block is a matrix."""
        return list(self._made_groups())

    def _made_groups(self) -> Iterator[tuple[Places, Places, int]]:
        for line, codes in enumerate(self.codes):
            queries = np.flatnonzero(self.line == line)
            for value in np.unique(codes).tolist() if len(queries) else ():
                yield queries, np.flatnonzero(codes == value), int(value)


@dataclass(frozen=True, eq=False)
class MatrixStatistics(Statistics):
    """Arbitrary functions, written out with a line for each point."""

    matrix: Floats

    @property
    def points(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def count(self) -> int:
        return int(self.matrix.shape[1])

    def combined(self, theta: Floats) -> Floats:
        found: Floats = self.matrix @ theta
        return found

    def means(self, weights: Floats) -> Floats:
        found: Floats = weights @ self.matrix
        return found

    def values(self, places: Places) -> Floats:
        found: Floats = self.matrix[places].T
        return found


def cells_of(columns: Sequence[NDArray[np.integer]], sizes: Sequence[int]) -> NDArray[np.int32]:
    """The cell of every point in the table of these columns, the last one fastest."""
    found = np.zeros(len(columns[0]), dtype=np.int64)
    for column, size in zip(columns, sizes, strict=True):
        found = found * size + column
    return found.astype(np.int32)
