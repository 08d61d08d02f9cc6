"""Rows of a fitted law: twice as many points as rows are moved, tilted once more, and every second one taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from mechanisms.tilt.fit import Say, Stage, fit_law, systematic
from mechanisms.tilt.law import Features
from mechanisms.tilt.targets import Targets

if TYPE_CHECKING:
    from release.cross_moments.file import CrossMoments
    from release.data.domain import Codes

_LAST_STEPS = 15
_LAST_SWEEPS = 3
_POINTS_A_ROW = 2


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Records of equal weight from a fitted law, and how the fit went."""

    codes: Codes
    stages: tuple[Stage, ...]
    """The last one is the tilt of the points that the rows were taken from."""

    @property
    def effective(self) -> float:
        """Share of the last points that their weights are worth."""
        return self.stages[-1].effective


def draw_rows(release: CrossMoments, k: int, *, say: Say | None = None) -> DrawnRows:
    """k records from the law that the release determines: a function of the release, so nothing more is spent."""
    stream = np.random.Generator(np.random.Philox(key=int(release.digest[:32], 16)))
    features = Features.of(release.encoding)
    # Threads of the linear algebra wait for each other more than they help at these sizes.
    with threadpool_limits(limits=1, user_api="blas"):
        fitter, stages = fit_law(Targets.of(release), features, stream, say=say)
        count = _POINTS_A_ROW * k
        pool = stream.permutation(np.resize(stream.permutation(len(fitter.points)), count))
        fitter.points = fitter.points.take(pool)
        fitter.move(_LAST_SWEEPS)
        last, weights = fitter.stage(_LAST_STEPS)
        codes = fitter.points.codes
        order = np.lexsort(codes.T[::-1])  # neighbours differ little, so every stretch gets its share
        taken = order[systematic(weights[order], k, stream)]
    domain = release.schema.domain
    rows = codes[stream.permutation(taken)].astype(domain.code_type)
    return DrawnRows(rows, (*stages, last))
