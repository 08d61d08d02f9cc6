"""Rows of a log of RAP or RAP++: points moved towards everything in the log, and rounded; a function of the log alone.

The shares of a category are divided among the rows of a point. A number gets a code by its rank, so that codes have the
shares on which the one-way table and the points agree best.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pgm.from_log import rows_of_log
from mechanisms.rap.columns import codes_by_rank, shares_of_number
from mechanisms.rap.fit import WHOLE, fit
from mechanisms.rap.roles import Roles
from mechanisms.rap.scores import number_codes
from mechanisms.rap.start import start
from mechanisms.rap.targets import Targets
from release.one_thread import one_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.rap.relaxed import Floats
    from release.data.domain import Codes
    from release.log.file import MarginalLog

Say = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class RapRows:
    """Rows, and the points from which they were rounded."""

    codes: Codes
    points: Floats
    residual_est: float
    """Root mean square of the residuals between points and log, in deviations of the noise."""


def rows_of_rap(log: MarginalLog, k: int, *, seed: int | None = None, say: Say | None = None) -> RapRows:
    """k rows: those that were made with the log or, with a seed, others."""
    with one_thread():
        relaxed = relaxed_rows(log)
        if say is not None:
            points, residual = relaxed.points.shape[1], relaxed.residual_est
            say(f"{points:,} relaxed rows, {residual:.2f} deviations of the noise from what was measured")
        return RapRows(rows_of_log(log, relaxed, k, seed=seed), relaxed.points, relaxed.residual_est)


@dataclass(frozen=True, eq=False)
class RelaxedRows:
    """Fitted points as a distribution: a row is a point, with a code drawn from each of its simplices."""

    roles: Roles
    points: Floats
    shares: Mapping[int, NDArray[np.float64]]
    """Shares of the codes of every number."""
    residual_est: float

    def rows(self, k: int, stream: np.random.Generator) -> Codes:
        """Each point is taken as often as any other, or once more; codes are divided systematically among its rows."""
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
        for place, line in zip(self.roles.numbers, numbers, strict=True):
            found[:, place] = codes_by_rank(line[of_point].astype(np.float64), self.shares[place], stream)
        return found[stream.permutation(k)]


def relaxed_rows(log: MarginalLog) -> RelaxedRows:
    """Points moved towards everything in a log, from a start given by its one-way tables."""
    numbers = log.queries[0].numbers if log.queries else ()  # type: ignore[attr-defined]
    roles, count = Roles(log.shape, numbers), log.settings["points"]
    assert isinstance(count, int)
    targets = Targets(roles, log.queries, log.total_est)
    targets.add(log.steps)
    points = start(roles, targets.one_way, count)
    value = fit(roles.layout, points, targets.twins(), WHOLE)
    return RelaxedRows(roles, points, _shares_of_numbers(log, roles, points), targets.residual_est(value))


def _shares_of_numbers(log: MarginalLog, roles: Roles, points: Floats) -> dict[int, NDArray[np.float64]]:
    """Shares from each one-way table and from the points, which count as being as accurate as their targets."""
    total, found = log.total_est, {}
    answers = min((float(s.sd) / log.queries[s.workload].denominator for s in log.answers), default=np.inf) / total
    for place, codes in zip(roles.numbers, number_codes(roles, points), strict=True):
        table = log.tables[place]
        noisy = np.array(table.counts, dtype=np.float64) / total
        made = np.bincount(codes, minlength=len(noisy)) / len(codes)
        found[place] = shares_of_number(noisy, made, noise=float(table.sd) / total, threshold_noise=answers)
    return found


def _shared_out(shares: NDArray[np.float64], copies: NDArray[np.intp], stream: np.random.Generator) -> NDArray[np.intp]:
    """For each point and its line of shares, a code for each copy: in proportion, rounded with a random start."""
    whole = np.cumsum(shares, axis=1)
    whole *= (copies / whole[:, -1])[:, None]
    reached = np.floor(whole + stream.random(len(copies))[:, None]).astype(np.int64)
    reached[:, -1] = copies  # the start is below 1, so this is what exact sums would give
    counts = np.diff(reached, axis=1, prepend=0)
    codes = np.broadcast_to(np.arange(shares.shape[1]), shares.shape)
    return np.repeat(codes.ravel(), counts.ravel())
