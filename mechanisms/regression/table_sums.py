"""Sums of f f' and of y f from tables of counts of one and two columns: each entry is a sum over cells of one table.

A column's features are a public matrix, with a row for each code, so the sum of f f' over records is A' T B for the
table T of two columns, and A' diag(t) A for one. The intercept is a column of one code. Integers and fractions in
tables (of dtype object) give exact sums over 2^(2 bits); floats give floats, exact while integral and below 2^53.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from mechanisms.regression.sums import Sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.statistics.features import FeatureMap

Columns = tuple[int, ...]
TableOf = Callable[[Columns], "NDArray[Any]"]
"""Counts of one column or of two (places in the schema, increasing), in the shape of their sizes; for () the total."""


def pairs_needed(features: FeatureMap) -> list[Columns]:
    """The pairs of columns that sums of these features rest on, the label's included."""
    places = _places(features)
    return [(u, v) for i, u in enumerate(places) for v in places[i + 1 :]]


def sums_of_tables(features: FeatureMap, table_of: TableOf, *, gram_sd: float = 0.0, cross_sd: float = 0.0) -> Sums:
    """The sums, and the stated deviations of their noise."""
    one, label_one = float(features.one), float(features.label_one)
    whole = moment_matrix(features, table_of).astype(np.float64)
    return Sums(
        feature_map=features,
        gram=whole[:-1, :-1] / one**2,
        cross=whole[:-1, -1] / (one * label_one),
        count=float(table_of(())),
        gram_sd=gram_sd,
        cross_sd=cross_sd,
    )


def moment_matrix(features: FeatureMap, table_of: TableOf) -> NDArray[Any]:
    """Sums of products of all integer features and, last, the label, in the arithmetic of the tables.

    Products of a column with itself and with the intercept come from its own table, others from the pair's.
    """
    kind = table_of((_places(features)[0],)).dtype
    blocks = _blocks(features)
    starts = np.cumsum([0, *(block.shape[1] for _, block in blocks)])
    found = np.zeros((starts[-1], starts[-1]), dtype=kind)
    for i, (u, left) in enumerate(blocks):
        rows = slice(starts[i], starts[i + 1])
        for j, (v, right) in enumerate(blocks[: i + 1]):
            across = slice(starts[j], starts[j + 1])
            table = _joint(table_of, u, v)
            found[rows, across] = left.astype(kind).T @ table @ right.astype(kind)
            found[across, rows] = found[rows, across].T
    return found


def row_norms(features: FeatureMap) -> list[tuple[int | None, float]]:
    """For each feature and, last, the label: its column, and the norm of its values over the codes of that column."""
    found = []
    for place, block in _blocks(features):
        one = features.label_one if place == _label(features) else features.one
        found += [(place, float(norm)) for norm in np.linalg.norm(block / one, axis=0)]
    return found


def _label(features: FeatureMap) -> int:
    return features.schema.names.index(features.label)


def _blocks(features: FeatureMap) -> list[tuple[int | None, NDArray[np.int64]]]:
    """Columns with features, the intercept (no column) and the label, each with its integers by code."""
    found: list[tuple[int | None, NDArray[np.int64]]] = [
        (place, np.array(block, dtype=np.int64))
        for place, block in zip(features.places, features.blocks, strict=True)
        if block[0]
    ]
    values = np.array(features.label_values, dtype=np.int64)[:, None]
    return [*found, (None, np.array([[features.one]])), (_label(features), values)]


def _places(features: FeatureMap) -> list[int]:
    return sorted(place for place, _ in _blocks(features) if place is not None)


def _joint(table_of: TableOf, u: int | None, v: int | None) -> NDArray[Any]:
    """Counts with the codes of u as rows and those of v as columns; None stands for a column of one code."""
    if u == v:
        return np.asarray(table_of(())).reshape(1, 1) if u is None else np.diag(table_of((u,)))
    if u is None or v is None:
        alone = table_of((u if v is None else v,))  # type: ignore[arg-type]
        return alone.reshape(-1, 1) if v is None else alone.reshape(1, -1)
    return table_of((u, v)) if u < v else table_of((v, u)).T
