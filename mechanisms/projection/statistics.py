"""Statistics of weighted points, to which weights are fitted: a protocol, and code common to all kinds.

A kind defines linear combinations of its statistics at every point, their weighted sums, and their values at some
points; the matrix of all statistics at all points is never stored.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]

_CHUNK = 2**19
"""Number of statistics in memory at once."""


class Statistics(ABC):
    """A number of functions of points."""

    @property
    @abstractmethod
    def points(self) -> int:
        """How many points there are."""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many statistics there are."""

    @abstractmethod
    def combined(self, theta: Floats) -> Floats:
        """theta . statistics at every point."""

    @abstractmethod
    def means(self, weights: Floats) -> Floats:
        """The weighted sum of every statistic."""

    @abstractmethod
    def values(self, places: Places) -> Floats:
        """All statistics at some points, a line for each statistic."""

    def gram(self, weights: Floats, *, left_out: float = 0.0, single: bool = False) -> Floats:
        """The weighted sum of all products of two statistics, accurate enough for a Newton step.

        Points whose weights together are `left_out` are left out.
        """
        found = np.zeros((self.count, self.count))
        order = np.argsort(weights)
        heavy = order[np.searchsorted(np.cumsum(weights[order]), left_out) :]
        roots = np.sqrt(weights)
        for part in self._parts(heavy):
            values = self.values(part) * roots[part]
            if single:
                narrow = values.astype(np.float32)
                found += narrow @ narrow.T
            else:
                found += values @ values.T
        return found

    def squares(self, weights: Floats) -> Floats:
        """The weighted sum of the square of every statistic."""
        found = np.zeros(self.count)
        for part in self._parts(np.arange(self.points)):
            found += self.values(part) ** 2 @ weights[part]
        return found

    def ranges(self) -> tuple[Floats, Floats]:
        """The least and the largest value of every statistic at any point."""
        least, most = np.full(self.count, np.inf), np.full(self.count, -np.inf)
        for part in self._parts(np.arange(self.points)):
            values = self.values(part)
            np.minimum(least, values.min(axis=1), out=least)
            np.maximum(most, values.max(axis=1), out=most)
        return least, most

    def _parts(self, places: Places) -> Iterator[Places]:
        rows = max(1, _CHUNK // max(1, self.count))
        for start in range(0, len(places), rows):
            yield places[start : start + rows]


@dataclass(frozen=True, eq=False)
class JoinedStatistics(Statistics):
    """Statistics of several kinds at the same points, one kind after the other."""

    kinds: Sequence[Statistics]

    @property
    def points(self) -> int:
        return self.kinds[0].points

    @property
    def count(self) -> int:
        return sum(kind.count for kind in self.kinds)

    @cached_property
    def _ends(self) -> Places:
        return np.cumsum([kind.count for kind in self.kinds])[:-1]

    def combined(self, theta: Floats) -> Floats:
        found = np.zeros(self.points)
        for kind, part in zip(self.kinds, np.split(theta, self._ends), strict=True):
            found += kind.combined(part)
        return found

    def means(self, weights: Floats) -> Floats:
        return np.concatenate([kind.means(weights) for kind in self.kinds])

    def squares(self, weights: Floats) -> Floats:
        return np.concatenate([kind.squares(weights) for kind in self.kinds])

    def ranges(self) -> tuple[Floats, Floats]:
        least, most = zip(*(kind.ranges() for kind in self.kinds), strict=True)
        return np.concatenate(least), np.concatenate(most)

    def values(self, places: Places) -> Floats:
        return np.concatenate([kind.values(places) for kind in self.kinds])


@dataclass(frozen=True, eq=False)
class ChosenStatistics(Statistics):
    """Some of the statistics of another kind."""

    whole: Statistics
    chosen: Places

    @property
    def points(self) -> int:
        return self.whole.points

    @property
    def count(self) -> int:
        return len(self.chosen)

    def combined(self, theta: Floats) -> Floats:
        spread = np.zeros(self.whole.count)
        spread[self.chosen] = theta
        return self.whole.combined(spread)

    def means(self, weights: Floats) -> Floats:
        return self.whole.means(weights)[self.chosen]

    def squares(self, weights: Floats) -> Floats:
        found: Floats = self.whole.squares(weights)[self.chosen]
        return found

    def values(self, places: Places) -> Floats:
        found: Floats = self.whole.values(places)[self.chosen]
        return found
