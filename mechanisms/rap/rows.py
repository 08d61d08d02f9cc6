"""Rows of a log of RAP or RAP++: points moved towards all that it says, and rounded; a function of the log alone.

A category is shared out among the rows of a point. A number gets the code that its rank has in the one-way table, if
that is not far from where the point has it, so that heaps at single codes are kept; else the nearest code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pgm.from_log import rows_of_log
from mechanisms.rap.fit import WHOLE, fit
from mechanisms.rap.roles import Roles
from mechanisms.rap.start import start
from mechanisms.rap.targets import Targets
from release.one_thread import one_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.rap.relaxed import Floats
    from release.data.domain import Codes
    from release.log.file import MarginalLog

Say = Callable[[str], None]
_NEAR = 0.05
"""How far, from 0 to 1, a one-way table may move a number; one code in any case."""


@dataclass(frozen=True, eq=False)
class RapRows:
    """Rows, and the points that they are roundings of."""

    codes: Codes
    points: Floats
    residual_est: float
    """Root mean square of what is between the points and the log, in deviations of the noise."""


def rows_of_rap(log: MarginalLog, k: int, *, seed: int | None = None, say: Say | None = None) -> RapRows:
    """k rows: those that were made with the log, or with a seed others."""
    with one_thread():
        relaxed = relaxed_rows(log)
        if say is not None:
            points, residual = relaxed.points.shape[1], relaxed.residual_est
            say(f"{points:,} relaxed rows, {residual:.2f} deviations of the noise from what was measured")
        return RapRows(rows_of_log(log, relaxed, k, seed=seed), relaxed.points, relaxed.residual_est)


@dataclass(frozen=True, eq=False)
class RelaxedRows:
    """Points that have been moved, as a law: a row is a point, with a code drawn from each of its simplices."""

    roles: Roles
    points: Floats
    one_way: Mapping[int, NDArray[np.float64]]
    """Shares of the codes of every column."""
    residual_est: float

    def rows(self, k: int, stream: np.random.Generator) -> Codes:
        """Each point is taken as often as any other, or once more; its rows share its codes out systematically."""
        count = self.points.shape[1]
        copies = np.full(count, k // count)
        copies[stream.permutation(count)[: k % count]] += 1
        found = np.empty((k, len(self.roles.shape.sizes)), dtype=np.int64)
        of_point = np.repeat(np.arange(count), copies)
        for block, place in enumerate(self.roles.categories):
            shares = self.roles.layout.block(self.points, block).T.astype(np.float64)
            within = np.lexsort((stream.random(k), of_point))
            found[within, place] = _shared_out(shares, copies, stream)
        numbers = self.roles.layout.numbers_of(self.points)
        for place, top, line in zip(self.roles.numbers, self.roles.tops, numbers, strict=True):
            wanted = line[of_point].astype(np.float64) * top
            found[:, place] = _heaped(wanted, self.one_way[place], stream)
        return found[stream.permutation(k)]


def relaxed_rows(log: MarginalLog) -> RelaxedRows:
    """Points moved towards all that a log says, from where its one-way tables let them begin."""
    numbers = log.queries[0].numbers if log.queries else ()  # type: ignore[attr-defined]
    roles, count = Roles(log.shape, numbers), log.settings["points"]
    assert isinstance(count, int)
    targets = Targets(roles, log.queries, log.total_est)
    targets.add(log.steps)
    points = start(roles, targets.one_way, count)
    value = fit(roles.layout, points, targets.twins(), WHOLE)
    return RelaxedRows(roles, points, targets.one_way, targets.residual_est(value))


def _heaped(wanted: NDArray[np.float64], shares: NDArray[np.float64], stream: np.random.Generator) -> NDArray[np.intp]:
    """Codes near what is wanted, from 0 to the last one: by rank, as shares say, or the nearest."""
    count, top = len(wanted), len(shares) - 1
    found = np.rint(wanted).astype(np.intp)
    by_rank = np.searchsorted(np.cumsum(shares), (np.arange(count) + 0.5) / count).clip(max=top)
    ranked = np.empty_like(found)
    ranked[np.lexsort((stream.random(count), wanted))] = by_rank
    is_near = np.abs(ranked - wanted) <= max(1.0, _NEAR * top)
    found[is_near] = ranked[is_near]
    return found


def _shared_out(shares: NDArray[np.float64], copies: NDArray[np.intp], stream: np.random.Generator) -> NDArray[np.intp]:
    """For each point, a line of shares, as many codes as it has copies: in proportion, rounded with a random start."""
    whole = np.cumsum(shares, axis=1)
    whole *= (copies / whole[:, -1])[:, None]
    reached = np.floor(whole + stream.random(len(copies))[:, None]).astype(np.int64)
    reached[:, -1] = copies  # the start is below 1, so this is what exact sums would give
    counts = np.diff(reached, axis=1, prepend=0)
    codes = np.broadcast_to(np.arange(shares.shape[1]), shares.shape)
    return np.repeat(codes.ravel(), counts.ravel())
