"""How two columns are related, compared between two tables: thresholds, moments, correlation, association.

Columns with an order, or with two values, are numbers: those that their codes stand for, or else their places, scaled
so that the least is 0 and the largest 1. Rows without a value in a column are left out of its moments and correlations,
and are below no threshold. Pairs with any other column have Cramer's V, with a missing cell as one more value.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.evaluate.learners import is_nominal
from mechanisms.evaluate.summary import Tally
from release.data.columns import GRID, NumberColumn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.columns import Column

    Counts = NDArray[np.int64]

THRESHOLDS, PAIRS = "thresholds", "pairs of thresholds"
MEANS, PRODUCTS = "means", "second moments"
CORRELATIONS, ASSOCIATIONS = "correlations", "Cramer's V"
KINDS = {
    THRESHOLDS: "share of rows with a value of at most t, for every t of every ordered column",
    PAIRS: "share of rows with at most s in one ordered column and at most t in another",
    MEANS: "mean of every column that is a number, scaled to 0..1",
    PRODUCTS: "mean of the square of such a column, and of the product of two",
    CORRELATIONS: "correlation of two such columns",
    ASSOCIATIONS: "association of two columns of which one has neither order nor two values",
}
"""What is compared; each error is an absolute difference."""


class Relations:
    """All of these errors of two tables, from their counts of one column and of two."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._scaled = [_scaled(column) for column in columns]
        self.tallies = {kind: Tally() for kind in KINDS}

    def look_at_one(self, one: tuple[int, ...], real: Counts, synthetic: Counts) -> None:
        """A single column."""
        (u,) = one
        column, values = self._columns[u], self._scaled[u]
        if column.is_ordered:
            off = np.abs(_below(real, (column,)) - _below(synthetic, (column,)))
            place = int(off.argmax())
            self._add(THRESHOLDS, off, _threshold(column, place))
        if values is not None:
            for kind, power in ((MEANS, 1), (PRODUCTS, 2)):
                name = column.name + (" squared" if power == 2 else "")
                self._compare(kind, _mean(real, values**power), _mean(synthetic, values**power), name)

    def look_at_two(self, two: tuple[int, ...], real: Counts, synthetic: Counts) -> None:
        """Two columns."""
        first, second = (self._columns[u] for u in two)
        name = f"{first.name} x {second.name}"
        if first.is_ordered and second.is_ordered:
            off = np.abs(_below(real, (first, second)) - _below(synthetic, (first, second)))
            at = np.unravel_index(int(off.argmax()), off.shape)
            texts = (_threshold(c, int(i)) for c, i in zip((first, second), at, strict=True))
            self._add(PAIRS, off, " and ".join(texts))
        x, y = (self._scaled[u] for u in two)
        if x is None or y is None:
            self._compare(ASSOCIATIONS, association(real), association(synthetic), name)
            return
        self._compare(PRODUCTS, _mean(real, np.outer(x, y)), _mean(synthetic, np.outer(x, y)), name)
        self._compare(CORRELATIONS, correlation(real, x, y), correlation(synthetic, x, y), name)

    def _add(self, kind: str, off: NDArray[np.float64], where: str) -> None:
        self.tallies[kind].add(float(off.max()), where, total=float(off.sum()), count=off.size)

    def _compare(self, kind: str, real: float | None, synthetic: float | None, where: str) -> None:
        error = None if real is None or synthetic is None else abs(real - synthetic)
        self.tallies[kind].add(error, where)


def _scaled(column: Column) -> NDArray[np.float64] | None:
    """The numbers of the codes that are not missing, from 0 to 1; None for a nominal column."""
    if is_nominal(column) or column.value_count < 2:
        return None
    numbers = column.numbers if column.is_ordered and column.numbers is not None else range(column.value_count)
    low, high = min(numbers), max(numbers)
    return np.array([float((number - low) / (high - low)) for number in numbers])


def _threshold(column: Column, code: int) -> str:
    """Which values have at most this code: a range is named by its end, not by its middle."""
    if not isinstance(column, NumberColumn) or column.kind == GRID:
        return f"{column.name} <= {column.value_texts[code]}"
    sign = "<=" if code == column.cells - 1 else "<"
    return f"{column.name} {sign} {column.end_texts[code]}"


def _below(table: Counts, columns: Sequence[Column]) -> NDArray[np.float64]:
    """The share of rows at or below each threshold of all columns, except thresholds that no row exceeds."""
    found, n = table, int(table.sum())
    for axis, column in enumerate(columns):
        last = column.value_count if column.missing else column.value_count - 1
        found = np.cumsum(np.take(found, range(last), axis=axis), axis=axis)
    return found / n


def _mean(table: Counts, values: NDArray[np.float64]) -> float | None:
    """The mean over rows that have a value; None if there are none."""
    present = table[tuple(slice(size) for size in values.shape)]
    n = int(present.sum())
    return float((present * values).sum() / n) if n else None


def correlation(table: Counts, x: NDArray[np.float64], y: NDArray[np.float64]) -> float | None:
    """The correlation over rows that have both values; None if one of them never changes.

    >>> correlation(np.array([[3, 0], [0, 5]]), np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    1.0
    """
    present = table[: len(x), : len(y)]
    rows, columns = (present.sum(axis=axis) for axis in (1, 0))
    if min(np.count_nonzero(rows), np.count_nonzero(columns)) < 2:
        return None
    n = int(present.sum())
    x, y = x - rows @ x / n, y - columns @ y / n
    return float(x @ present @ y / sqrt((rows @ x**2) * (columns @ y**2)))


def association(table: Counts) -> float | None:
    """Cramer's V, without correction, over values that occur; None if a column has only one.

    >>> association(np.array([[2, 0, 0], [0, 2, 2]]))
    1.0
    """
    kept = table[np.ix_(table.sum(axis=1) > 0, table.sum(axis=0) > 0)]
    if min(kept.shape) < 2:
        return None
    rows, columns = kept.sum(axis=1), kept.sum(axis=0)
    spread = float((kept / rows[:, None] * (kept / columns)).sum()) - 1  # chi squared over n
    return sqrt(max(spread, 0.0) / (min(kept.shape) - 1))
