"""Bringing a finished table near to a release: its rows get weights, and rows are taken in proportion to them.

This is the information projection of wang2023, for any table, whoever made it, and any release of the same records. It
reads only the table and the release, so it costs nothing more. Whether the table itself is private or public, the user
must know. Nothing here is certified, but `release distance` and `release accuracy` accept the result like any table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import DataError, NotApplicable
from mechanisms.improve.ask import Wish
from mechanisms.improve.correlation import correlation_of_cross_moments, correlation_of_marginals
from mechanisms.improve.cost import Cost
from mechanisms.improve.from_cross_moments import wanted_cross_moments
from mechanisms.improve.from_moments import wanted_moments
from mechanisms.improve.from_tables import wanted_log, wanted_marginals
from mechanisms.improve.improvement import Improvement, Residual, Source
from mechanisms.improve.parameters import CORRELATION
from mechanisms.improve.wanted import Wanted, reach_of
from mechanisms.improve.weights import Points, fit_points
from mechanisms.tilt.fit import systematic
from release.comparison.make import table_digest
from release.cross_moments.file import CrossMoments
from release.data.tables import printable
from release.log.file import MarginalLog
from release.marginals.file import Marginals
from release.moments.file import MomentRelease
from release.one_thread import one_thread
from release.statistics.distinct import distinct_places

if TYPE_CHECKING:
    from mechanisms.projection.statistics import Floats, Places
    from release.data.domain import Codes

Say = Callable[[str], None]


def improve_table(
    codes: Codes, release: Source, wish: Wish, cost: Cost, *, start: Floats | None = None, say: Say | None = None
) -> Improvement:
    """Weights for these rows (codes of the release's schema), starting from equal weights or from `start`."""
    schema, tell = release.schema, say or (lambda _: None)
    base = np.full(len(codes), 1 / len(codes))
    if start is not None:
        base = start / start.max()  # the sum of very large weights overflows
        base /= base.sum()
    used = np.flatnonzero(base > 0)
    _require_label(codes[used], release)
    first, which = distinct_places(codes[used], schema.domain.sizes, range(len(schema.names)))
    points = Points.of(which, base[used])
    with one_thread():
        wanted = wanted_of(release, codes[used[first]], wish)
        reach = reach_of(wanted)
        tell(f"{len(reach.fitted):,} statistics of {len(first):,} different rows")
        inside = wanted.chosen(reach.fitted)
        fitted = fit_points(inside, points, wish)
        # a statistic that never changes and is already right says nothing
        judged = wanted.chosen(np.sort(np.concatenate([reach.fitted, reach.out])))
        k = len(codes) if wish.k is None else wish.k
        spread = points.spread(fitted.weights)
        taken = _taken(spread, which, k, _stream(release, codes, k))
        weights = np.zeros(len(codes))
        weights[used] = spread
        return Improvement(
            release=release,
            wish=wish,
            cost=cost,
            weights=weights * len(codes),
            chosen=np.sort(used[taken]),
            codes=codes,
            fitted=fitted,
            points=len(first),
            statistics=len(reach.fitted),
            offered=len(wanted.targets),
            text=wanted.text,
            before=_largest(judged, points.base),
            after=_largest(judged, fitted.weights),
            of_rows=_largest(judged, np.bincount(which[taken], minlength=len(first)) / k),
            root_mean_square=_root_mean_square(inside, fitted.weights),
            effective_size=float(1 / (weights @ weights) / len(weights)),
            divergence=_divergence(fitted.weights, points.base),
            distance=float(np.abs(weights - base).sum()),
            out_of_reach=_furthest(wanted.chosen(reach.out), fitted.weights),
            constant=tuple(schema.names[u] for u in range(codes.shape[1]) if (codes[:, u] == codes[0, u]).all()),
        )


def wanted_of(release: Source, rows: Codes, wish: Wish) -> Wanted:
    """All that the release says, or the part that determines correlations, as statistics of these rows."""
    if wish.fit != CORRELATION:
        if isinstance(release, MomentRelease):
            return wanted_moments(release, rows, None)
        if isinstance(release, Marginals):
            return wanted_marginals(release, rows)
        return wanted_log(release, rows) if isinstance(release, MarginalLog) else wanted_cross_moments(release, rows)
    if isinstance(release, MomentRelease):
        return wanted_moments(release, rows, wish.features)
    if isinstance(release, Marginals):
        return correlation_of_marginals(release, rows, wish.features)
    if isinstance(release, CrossMoments):
        return correlation_of_cross_moments(release, rows, wish.features)
    raise NotApplicable(f"fit = {CORRELATION}: is for moments, marginals and cross moments; a log is fitted as it is")


def label_of(release: Source) -> str | None:
    """The column that the release singles out as its label, if there is one."""
    if isinstance(release, MomentRelease):
        return release.feature_map.label
    if isinstance(release, CrossMoments):
        return release.encoding.label
    label = release.settings.get("label") if isinstance(release, MarginalLog) else None
    return label if isinstance(label, str) else None


def _require_label(codes: Codes, release: Source) -> None:
    """Refuse a table whose label is always the same: no weights give it another value."""
    label = label_of(release)
    if label is None:
        return
    place = release.schema.names.index(label)
    if (codes[:, place] == codes[0, place]).all():
        said = printable(release.schema.columns[place].texts[int(codes[0, place])])
        raise DataError(
            f"synthetic: column {printable(label)}: all {len(codes):,} rows that count have the value {said}; the "
            "release needs another value of its label, too, and no weights can supply one"
        )


def _stream(release: Source, codes: Codes, k: int) -> np.random.Generator:
    """Randomness for taking rows: a function of the release, the table and the number of rows taken."""
    said = f"{release.digest} {table_digest(codes, release.schema)} {k}"
    key = int(hashlib.sha256(said.encode()).hexdigest()[:32], 16)
    return np.random.Generator(np.random.Philox(key=key))


def _taken(weights: Floats, which: Places, k: int, stream: np.random.Generator) -> Places:
    """k rows by systematic rounding along an order in which neighbours are alike: every stretch gets its share."""
    order = np.argsort(which, kind="stable")
    found: Places = order[systematic(weights[order], k, stream)]
    return found


def _residuals(wanted: Wanted, weights: Floats) -> tuple[Floats, Floats]:
    """Residuals of the weighted statistics, as they are and in deviations."""
    off = wanted.statistics.means(weights) - wanted.targets
    return off, off / wanted.widths


def _largest(wanted: Wanted, weights: Floats) -> Residual | None:
    found = _furthest(wanted, weights, most=1)
    return found[0] if found else None


def _furthest(wanted: Wanted, weights: Floats, *, most: int = 1000) -> tuple[Residual, ...]:
    """The statistics with the largest residuals in deviations, largest first."""
    off, deviations = _residuals(wanted, weights)
    places = np.argsort(-np.abs(deviations), kind="stable")[:most].tolist()
    return tuple(
        Residual(name=wanted.name(i), absolute=abs(float(off[i])), deviations=abs(float(deviations[i]))) for i in places
    )


def _root_mean_square(wanted: Wanted, weights: Floats) -> float:
    _, deviations = _residuals(wanted, weights)
    return float(np.sqrt(np.mean(deviations**2))) if len(deviations) else 0.0


def _divergence(weights: Floats, base: Floats) -> float:
    held = weights > 0
    return float(weights[held] @ np.log(weights[held] / base[held]))
