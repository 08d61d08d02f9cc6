"""Sums of products of 4, 6, ... features over records, as symmetric arrays: what a surrogate of that degree needs.

They come from a model's tables of as many columns, from rows with weights, or from a release of fourth moments. The
degree limits the number of features, before anything is spent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable
from mechanisms.regression.table_sources import HasMarginals, require_columns, tables_of_model
from release.statistics.moments import MOST_FOURTH_FEATURES, fourth_indices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.log.file import MarginalLog
    from release.moments.file import MomentRelease
    from release.statistics.features import FeatureMap

    Floats = NDArray[np.float64]

MOST_ENTRIES = MOST_FOURTH_FEATURES**4
MOST_CELLS = 10**6
"""Most cells of a table with as many columns as the degree."""
_BLOCK = 2**22


@dataclass(frozen=True, kw_only=True, eq=False)
class EvenMoments:
    """Sums of products of `order` features, for each even order from 4 on: arrays with an axis for each factor."""

    sums: dict[int, Floats]

    def power(self, order: int, v: Floats, left: int = 0) -> Floats:
        """The sum of (v.f)^(order - left) times `left` more factors f, with an axis for each of these."""
        found = self.sums[order]
        for _ in range(order - left):
            found = found @ v
        return np.asarray(found)


def require_moments(features: FeatureMap, degree: int, *, of_tables: bool) -> None:
    """Refuse a degree with too many products or too large tables."""
    if features.size**degree > MOST_ENTRIES:
        most = next(p for p in range(MOST_FOURTH_FEATURES, 0, -1) if p**degree <= MOST_ENTRIES)
        raise NotApplicable(f"degree = {degree}: {features.size} features have too many products: at most {most}")
    largest = max((prod(_sizes(features, s)) for s in column_sets(features, degree)), default=0) if of_tables else 0
    if largest > MOST_CELLS:
        raise NotApplicable(
            f"degree = {degree}: a table of {degree} columns has {largest:,} cells: at most {MOST_CELLS:,}"
        )


def column_sets(features: FeatureMap, degree: int) -> list[tuple[int, ...]]:
    """The sets of `degree` columns with features, or the single set of all of them."""
    places = [place for place, block in zip(features.places, features.blocks, strict=True) if block[0]]
    return list(combinations(places, min(degree, len(places))))


def moments_of_rows(values: Floats, weights: Floats, degree: int) -> EvenMoments:
    """Moments of features on their own scale, a row for each record, counted as often as its weight says."""
    return EvenMoments(sums={order: _tensor(values, weights, order) for order in range(4, degree + 1, 2)})


def moments_of_model(log: MarginalLog, model: HasMarginals, features: FeatureMap, degree: int) -> EvenMoments:
    """Moments of the model of a log, from its tables of `degree` columns, whose cells are rows with weights."""
    require_columns(features, log)
    require_moments(features, degree, of_tables=True)
    p = features.size
    found = {order: np.zeros((p,) * order) for order in range(4, degree + 1, 2)}
    sets = column_sets(features, degree)
    table_of = tables_of_model(log, model, sets)
    for columns in sets:
        table = table_of(columns)
        codes = np.zeros((table.size, len(features.schema.names)), dtype=np.int64)
        codes[:, columns] = np.indices(table.shape).reshape(len(columns), -1).T
        shown = [i for i, place in enumerate(_places_of_features(features)) if place is None or place in columns]
        values = features.features(codes)[:, shown] / float(features.one)
        for order, whole in found.items():
            whole[np.ix_(*[shown] * order)] = _tensor(values, table.ravel(), order)
    return EvenMoments(sums=found)


def moments_of_release(release: MomentRelease, degree: int = 4) -> EvenMoments:
    """The noisy fourth sums of a release that has them; it has none of higher degree."""
    if release.fourth_sums is None or degree > 4:
        has = "no fourth moments" if release.fourth_sums is None else "fourth moments and no higher ones"
        raise NotApplicable(f"degree = {degree}: the release has {has}")
    p, unit = release.feature_map.size, float(release.feature_map.one) ** 4
    whole = np.zeros((p,) * 4)
    for index, value in zip(fourth_indices(p), release.fourth_sums, strict=True):
        for order in set(permutations(index)):
            whole[order] = float(value) / unit
    return EvenMoments(sums={4: whole})


def _tensor(values: Floats, weights: Floats, order: int) -> Floats:
    """Sums over rows of products of `order` features, as inner products of products of half as many."""
    p, half = values.shape[1], order // 2
    found = np.zeros((p**half, p**half))
    for rows in _blocks_of(len(values), p**half):
        products = values[rows]
        for _ in range(half - 1):
            products = (products[:, :, None] * values[rows][:, None, :]).reshape(len(products), -1)
        found += (products * weights[rows, None]).T @ products
    return found.reshape((p,) * order)


def _blocks_of(count: int, width: int) -> Iterator[slice]:
    step = max(1, _BLOCK // width)
    yield from (slice(start, start + step) for start in range(0, count, step))


def _places_of_features(features: FeatureMap) -> list[int | None]:
    """The column of each feature; None for the intercept."""
    found: list[int | None] = []
    for place, block in zip(features.places, features.blocks, strict=True):
        found += [place] * len(block[0])
    return [*found, None]


def _sizes(features: FeatureMap, columns: tuple[int, ...]) -> list[int]:
    return [features.schema.domain.sizes[u] for u in columns]
