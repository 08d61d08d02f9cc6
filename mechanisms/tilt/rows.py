"""Rows of a fitted distribution: twice as many points as rows are moved, tilted once more, and taken by weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.tilt.fit import Fitter, Say, Stage, fit_law, public_stream, systematic
from mechanisms.tilt.law import Features, Points
from mechanisms.tilt.targets import Targets
from release.data.domain import Domain
from release.one_thread import one_thread

if TYPE_CHECKING:
    from mechanisms.tilt.law import Places
    from release.cross_moments.file import CrossMoments
    from release.data.domain import Codes

_LAST_STEPS = 10
_LAST_SWEEPS = 3
_POINTS_A_ROW = 2
_MOST_AT_ONCE = 200_000
"""Number of rows made together, with which memory grows."""


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Records of equal weight from a fitted distribution, and how the fit went."""

    codes: Codes
    stages: tuple[Stage, ...]
    """The stages; the last one is the tilt of the points from which the rows were taken."""

    @property
    def effective(self) -> float:
        """Effective size of the last weights, as a share of the points."""
        return self.stages[-1].effective


def draw_rows(release: CrossMoments, k: int, *, say: Say | None = None) -> DrawnRows:
    """k records from the distribution that the release determines: a function of it, so nothing more is spent."""
    targets, features = Targets.of(release), Features.of(release.encoding)
    return rows_of(targets, features, public_stream(release), k, say=say)


def rows_of(
    targets: Targets, features: Features, stream: np.random.Generator, k: int, *, say: Say | None = None
) -> DrawnRows:
    """k records from the distribution of these targets, with that randomness."""
    domain = Domain(tuple(len(share) for share in targets.shares))
    rows = np.empty((k, domain.p), dtype=domain.code_type)
    # Threads of the linear algebra wait for each other more than they help at these sizes.
    with one_thread():
        fitter, stages = fit_law(targets, features, stream, points=_POINTS_A_ROW * k, say=say)
        start, seeds = 0, fitter.points
        while start < k:
            count = min(k - start, _MOST_AT_ONCE)
            last, rows[start : start + count] = _some_rows(fitter, seeds, count, stream)
            start += count
            if say is not None:
                say(f"{start:,} of {k:,} rows")
    return DrawnRows(rows[stream.permutation(k)], (*stages, last))


def _some_rows(fitter: Fitter, seeds: Points, k: int, stream: np.random.Generator) -> tuple[Stage, Places]:
    """Rows from points that start at the seeds and are moved, tilted and taken by weight."""
    pool = np.resize(stream.permutation(len(seeds)), _POINTS_A_ROW * k)
    fitter.points = seeds.take(stream.permutation(pool))
    fitter.move(_LAST_SWEEPS)
    terms = fitter.terms
    last, weights = fitter.stage(_LAST_STEPS)
    fitter.terms = terms  # the tilt is for these points; others are moved by the same distribution
    codes = fitter.points.codes
    order = np.lexsort(codes.T[::-1])  # neighbours differ little, so every stretch gets its share
    return last, codes[order[systematic(weights[order], k, stream)]]
