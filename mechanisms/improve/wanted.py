"""What a release says about records, as statistics of given rows with noisy targets, to which weights are fitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.projection.statistics import ChosenStatistics, Statistics
from mechanisms.projection.tilting import LEAST_SD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.projection.statistics import Floats, Places

OUT_OF_REACH = 4.0
"""In deviations of the noise: a statistic farther than this from all values at the rows cannot be fitted by weights."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """Statistics of rows, their noisy values in the release, and the deviation of the noise of each."""

    statistics: Statistics
    targets: Floats
    sds: Floats
    name: Callable[[int], str]
    """A statistic in words, by its place."""
    text: str
    """All statistics in words."""
    repeated: NDArray[np.bool_] | None = None
    """Statistics that repeat others on these rows, because one of their factors never changes."""

    @property
    def widths(self) -> Floats:
        """The deviations, bounded away from 0 so that one can divide by them."""
        return np.maximum(self.sds, LEAST_SD)

    def chosen(self, places: Places) -> Wanted:
        """A selection of the statistics."""
        names = places.tolist()
        return Wanted(
            ChosenStatistics(self.statistics, places),
            self.targets[places],
            self.sds[places],
            lambda place: self.name(names[place]),
            self.text,
        )


@dataclass(frozen=True, eq=False)
class Reach:
    """Which statistics weights can be fitted to, and which no weights of these rows bring near to their targets."""

    fitted: Places
    out: Places


def reach_of(wanted: Wanted) -> Reach:
    """The reach of the weights, from the least and the largest value of each statistic at any row.

    Statistics that never change are left alone. Targets far outside the range are left out: pulling at them would ruin
    the rest.
    """
    least, most = wanted.statistics.ranges()
    off = np.maximum(least - wanted.targets, wanted.targets - most) / wanted.widths
    beyond = off > OUT_OF_REACH
    changes = most > least
    if wanted.repeated is not None:
        changes &= ~wanted.repeated
    return Reach(np.flatnonzero(changes & ~beyond), np.flatnonzero(beyond))
