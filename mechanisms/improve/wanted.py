"""What a release says of records, as statistics of given rows with noisy targets: what weights are fitted to."""

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
"""In deviations of the noise: no weights are the reason that a statistic is further off than that, or all are."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """Statistics of rows, their noisy values in the release, and the deviation of the noise of each."""

    statistics: Statistics
    targets: Floats
    sds: Floats
    name: Callable[[int], str]
    """A statistic in words, by its place."""
    text: str
    """All of them in words."""
    repeated: NDArray[np.bool_] | None = None
    """Statistics that say on these rows what others say, since a factor of theirs never changes."""

    @property
    def widths(self) -> Floats:
        """The deviations, none of them too small to divide by."""
        return np.maximum(self.sds, LEAST_SD)

    def chosen(self, places: Places) -> Wanted:
        """Some of them."""
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
    """By the least and the largest value that each statistic has at any row.

    What never changes is left alone. What lies far outside that range is left out: to pull at it would ruin the rest.
    """
    least, most = wanted.statistics.ranges()
    off = np.maximum(least - wanted.targets, wanted.targets - most) / wanted.widths
    beyond = off > OUT_OF_REACH
    changes = most > least
    if wanted.repeated is not None:
        changes &= ~wanted.repeated
    return Reach(np.flatnonzero(changes & ~beyond), np.flatnonzero(beyond))
