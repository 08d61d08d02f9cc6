"""Two ways from noisy tables to expectations of products of features, each with error bounds that hold at once.

`CellRoute` uses only how far a cell may be off: errors add up over cells, and intervals from several tables are
intersected. `LawRoute` uses the distribution of independent noise: several tables are averaged with the best weights,
and errors are quantiles from the exact standard deviation. Pairs that no table shows are handled elsewhere. Proof:
docs/proofs/synthbounds.marginal-moments.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq_mat

from bounds.arithmetic.ball import BALL
from bounds.enclosure import as_fmpq
from bounds.errors import DataError
from bounds.solve import enclose
from mechanisms.models.certify.frechet import CONTRADICTION
from mechanisms.models.certify.marginal_columns import (
    ColumnFeatures,
    Layout,
    as_plain,
    one_way_of,
    pair_key,
    table_matrix,
)
from mechanisms.models.certify.norm_bounds import log_above, root_above, rounded_above
from release.marginals.file import MarginalTable


@dataclass(frozen=True)
class Entry:
    """A number and how far the true one may be from it; `drift` is the part of the radius that is not random."""

    value: Fraction
    radius: Fraction
    drift: Fraction = Fraction(0)


class Route(ABC):
    """What tables say about expectations; None if no table shows the column or the pair."""

    def __init__(self, layout: Layout[Any]) -> None:
        self.layout = layout

    @abstractmethod
    def one_way(self, column: ColumnFeatures, g: Sequence[Fraction]) -> Entry | None:
        """E[g] for a function of one column, given by its value at every code."""

    @abstractmethod
    def products(self, a: ColumnFeatures, b: ColumnFeatures) -> list[list[Entry]] | None:
        """E[f_i f_j] for every feature i of one column and j of another."""


class CellRoute(Route):
    """Every cell is within the radius of its table.

    With `widths_only` noisy numbers do not matter: radii are those that public numbers promise; values are meaningless.
    """

    def __init__(self, layout: Layout[MarginalTable], *, widths_only: bool = False) -> None:
        super().__init__(layout)
        self._meet = promised if widths_only else intersected

    def one_way(self, column: ColumnFeatures, g: Sequence[Fraction]) -> Entry | None:
        tables = self.layout.ones.get(column.place, ())
        if not tables:
            return None
        # Shares add up to 1, so a constant is known: subtracting the median leaves the least for errors to act on.
        middle = sorted(g)[len(g) // 2]
        rest = [value - middle for value in g]
        weight = sum(map(abs, rest), Fraction(0))
        found = []
        for table in tables:
            shares, cells = one_way_of(table, column)
            value = middle + sum((r * as_plain(shares[a, 0]) for a, r in enumerate(rest) if r), Fraction(0))
            found.append((value, table.radius * cells * weight))
        return self._meet(found, min(g), max(g))

    def products(self, a: ColumnFeatures, b: ColumnFeatures) -> list[list[Entry]] | None:
        tables = self.layout.pairs.get(pair_key(a, b), ())
        if not tables:
            return None
        values = [a.by_code * table_matrix_of(table, a, b) * b.by_code.transpose() for table in tables]
        found = []
        for i in range(a.count):
            row = []
            for j in range(b.count):
                said = [
                    (as_plain(value[i, j]), table.radius * a.weights[i] * b.weights[j])
                    for value, table in zip(values, tables, strict=True)
                ]
                corners = [x * y for x in a.ends[i] for y in b.ends[j]]
                row.append(self._meet(said, min(corners), max(corners)))
            found.append(row)
        return found


@dataclass(frozen=True)
class Averaged:
    """Noisy shares averaged over tables: variance of every cell, and how far it may drift in addition."""

    shares: fmpq_mat
    variance: Fraction
    drift: Fraction


class LawRoute(Route):
    """Noise of known distribution on independent cells; `count` expectations hold at once except with `failure`."""

    def __init__(self, layout: Layout[MarginalTable], *, count: int, failure: Fraction, gaussian: bool) -> None:
        super().__init__(layout)
        self.quantile = _quantile(count, failure, gaussian=gaussian)
        self._columns: dict[int, Averaged | None] = {}
        self._pairs: dict[tuple[int, int], Averaged | None] = {}

    def column(self, column: ColumnFeatures) -> Averaged | None:
        """The column's shares, from all tables that have it."""
        if column.place not in self._columns:
            said = []
            for table in self.layout.ones.get(column.place, ()):
                assert table.noise is not None
                shares, cells = one_way_of(table, column)
                said.append(Averaged(shares, cells * table.noise.sd**2, cells * table.noise.rounding))
            self._columns[column.place] = _averaged(said)
        return self._columns[column.place]

    def pair(self, a: ColumnFeatures, b: ColumnFeatures) -> Averaged | None:
        """The pair's table with the codes of a in rows; only its interaction is used."""
        key = (a.place, b.place)
        if key not in self._pairs:
            said = []
            for table in self.layout.pairs.get(pair_key(a, b), ()):
                assert table.noise is not None
                shares = table_matrix_of(table, a, b)
                said.append(Averaged(shares, table.noise.sd**2, table.noise.rounding))
            self._pairs[key] = _averaged(said)
        return self._pairs[key]

    def one_way(self, column: ColumnFeatures, g: Sequence[Fraction]) -> Entry | None:
        found = self.column(column)
        if found is None:
            return None
        mean = sum(g, Fraction(0)) / len(g)
        rest = [value - mean for value in g]
        value = mean + sum((r * as_plain(found.shares[a, 0]) for a, r in enumerate(rest) if r), Fraction(0))
        variance = found.variance * sum((r * r for r in rest), Fraction(0))
        return self._entry(value, variance, found.drift * sum(map(abs, rest), Fraction(0)))

    def products(self, a: ColumnFeatures, b: ColumnFeatures) -> list[list[Entry]] | None:
        joint, left, right = self.pair(a, b), self.column(a), self.column(b)
        if joint is None:
            return None
        assert left is not None
        assert right is not None
        # Interaction from the pair alone; main effects of a column from every table that has it.
        values = (
            a.centred * joint.shares * b.centred.transpose()
            + a.centred * left.shares * b.means.transpose()
            + a.means * (b.centred * right.shares).transpose()
            + a.means * b.means.transpose()
        )
        found = []
        for i, (a_mean, a_one, a_two) in enumerate(a.spreads):
            row = []
            for j, (b_mean, b_one, b_two) in enumerate(b.spreads):
                variance = (
                    joint.variance * a_two * b_two
                    + left.variance * a_two * b_mean**2
                    + right.variance * b_two * a_mean**2
                )
                drift = (
                    joint.drift * a_one * b_one + left.drift * a_one * abs(b_mean) + right.drift * b_one * abs(a_mean)
                )
                row.append(self._entry(as_plain(values[i, j]), variance, drift))
            found.append(row)
        return found

    def _entry(self, value: Fraction, variance: Fraction, drift: Fraction) -> Entry:
        return Entry(value, rounded_above(root_above(variance) * self.quantile + drift), drift)


def intersected(said: Sequence[tuple[Fraction, Fraction]], least: Fraction, most: Fraction) -> Entry:
    """The middle of the intersection of all intervals and the range."""
    lo = max(least, *(value - radius for value, radius in said))
    hi = min(most, *(value + radius for value, radius in said))
    if lo > hi:
        raise DataError(CONTRADICTION)
    return Entry((lo + hi) / 2, (hi - lo) / 2, (hi - lo) / 2)


def promised(said: Sequence[tuple[Fraction, Fraction]], least: Fraction, most: Fraction) -> Entry:
    """A bound on the radius that `intersected` can have, whatever the noisy numbers are."""
    return Entry(Fraction(0), min((most - least) / 2, *(radius for _, radius in said)))


def table_matrix_of(table: MarginalTable, a: ColumnFeatures, b: ColumnFeatures) -> fmpq_mat:
    """A pair's table with the codes of a in rows."""
    if table.columns[0] == a.place:
        return table_matrix(table, a.codes)
    return table_matrix(table, b.codes).transpose()


def _averaged(said: Sequence[Averaged]) -> Averaged | None:
    """The average with the least variance; a table without noise is used alone."""
    if not said:
        return None
    exact = next((one for one in said if one.variance == 0), None)
    if exact is not None:
        return exact
    whole = sum((1 / one.variance for one in said), Fraction(0))
    weights = [1 / (one.variance * whole) for one in said]
    shares = said[0].shares * as_fmpq(weights[0])
    for one, weight in zip(said[1:], weights[1:], strict=True):
        shares += one.shares * as_fmpq(weight)
    drift = sum((one.drift * weight for one, weight in zip(said, weights, strict=True)), Fraction(0))
    return Averaged(shares, 1 / whole, drift)


def _quantile(count: int, failure: Fraction, *, gaussian: bool) -> Fraction:
    """A number of standard deviations that none of `count` errors exceeds, except with probability `failure`.

    Gaussian errors, however dependent, count as independent ones (Sidak); for others sqrt(2 ln(2 count/failure)).
    """
    if not gaussian:
        return root_above(2 * log_above(2 * count / failure))
    number, allowed = as_fmpq(count), as_fmpq(failure)
    return rounded_above(enclose(lambda: BALL.normal_max_quantile(number, allowed)).hi)
