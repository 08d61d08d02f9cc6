"""One-way tables and cross moments, as `synth --method moments` releases them, as statistics of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mechanisms.improve.from_moments import moment_wanted
from mechanisms.improve.from_tables import cells_part
from mechanisms.improve.wanted import Wanted
from mechanisms.pgm.measured import MeasuredTable
from mechanisms.projection.kinds import MomentStatistics
from mechanisms.projection.statistics import JoinedStatistics
from release.statistics.blocks import block_names
from release.statistics.cross_moments import BITS

if TYPE_CHECKING:
    from mechanisms.projection.statistics import Floats
    from release.cross_moments.file import CrossMoments
    from release.data.domain import Codes


def wanted_cross_moments(release: CrossMoments, rows: Codes) -> Wanted:
    """The cells of every column, as shares, and the means of all products of features of two columns."""
    encoding = release.encoding
    cells = cells_part(release.schema, one_way_tables(release), rows)
    means, sds = cross_means(release)
    nothing = np.empty(0, dtype=np.intp)
    values = encoding.features(rows) / float(encoding.one)
    moments = moment_wanted(
        MomentStatistics(values, np.ones(len(rows)), nothing, encoding.pairs),
        means,
        sds,
        feature_names(release),
        text="",
    )
    size = cells.statistics.count
    assert moments.repeated is not None
    return Wanted(
        JoinedStatistics([cells.statistics, moments.statistics]),
        np.concatenate([cells.targets, means]),
        np.concatenate([cells.sds, sds]),
        lambda place: cells.name(place) if place < size else moments.name(place - size),
        f"{size:,} cells of {len(encoding.encodings)} columns and {len(means):,} cross moments",
        np.concatenate([np.zeros(size, dtype=bool), moments.repeated]),
    )


def one_way_tables(release: CrossMoments) -> list[MeasuredTable]:
    """Tables of shares."""
    size = float(release.size)
    sd = float(release.one_way_deviation) / size
    return [
        MeasuredTable(columns=(u,), counts=np.array(table, dtype=np.float64) / size, sd=sd)
        for u, table in enumerate(release.one_way)
    ]


def cross_means(release: CrossMoments) -> tuple[Floats, Floats]:
    """Means of all products, in the order of the encoding, and the deviations of their noise."""
    by_weight = {weight: float(sd) / 4**BITS / release.size for weight, sd in release.cross_deviations.items()}
    sds = np.array([by_weight[int(weight)] for weight in release.encoding.pair_weights])
    return release.means()[release.encoding.pairs], sds


def feature_names(release: CrossMoments) -> tuple[str, ...]:
    encoding = release.encoding
    pairs = zip(release.schema.columns, encoding.encodings, strict=True)
    return tuple(name for column, kind in pairs for name in block_names(column, kind))
