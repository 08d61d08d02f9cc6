"""What the tables of a log say about moments of features: each table separately, since later tables were chosen.

A log's later tables are chosen in view of earlier noise, so tables may not be averaged as if they had been fixed; but
whatever came before, the noise of each is fresh. Every table gets a part of the failure probability in proportion to
its cost, which is known before it is drawn; intervals from several tables are intersected. Tables of many columns are
summed to pairs. Under add-remove the number of records is known up to the noise of the one-way tables that come first.
Proof: docs/proofs/synthbounds.marginal-moments.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import TypeVar

import numpy as np
from flint import fmpq_mat, fmpz_mat

from bounds.enclosure import as_fmpq
from bounds.errors import NotApplicable, UsageError
from mechanisms.models.certify.marginal_columns import ColumnFeatures, Layout, as_plain, columns_of, ones, pair_key
from mechanisms.models.certify.marginal_moments import MarginalMoments, assembled, by_radii
from mechanisms.models.certify.marginal_routes import Entry, Route, intersected
from mechanisms.models.certify.norm_bounds import log_above, root_above, rounded_above
from release.log.file import MarginalLog
from release.log.steps import TableStep
from release.statistics.features import FeatureMap

Key = TypeVar("Key")
TABLES_SHARE, SIZE_SHARE = Fraction(89, 100), Fraction(1, 10)
"""Parts of beta for all tables and for the number of records; the rest covers the ends of the sampler's 64 bits."""
_ROUNDED = Fraction(1, 2)
"""A simulation rounds its noise, which adds at most this to the root of its proxy variance."""


@dataclass(frozen=True)
class Size:
    """The number of records that shares refer to, and how far the true one may be from it, as a share of it."""

    records: int
    unsure: Fraction


@dataclass(frozen=True)
class Summed:
    """A table of a log summed to one column or two: noisy shares, the first column in rows.

    The sum of g times the shares is off by at most `radius` times the Euclidean norm of g, for every g that is asked.
    """

    columns: tuple[int, ...]
    shares: fmpq_mat
    radius: Fraction


class TablesRoute(Route):
    """Each table separately, and what remains possible under all of them."""

    def __init__(self, layout: Layout[Summed], unsure: Fraction) -> None:
        super().__init__(layout)
        self._unsure = unsure

    def one_way(self, column: ColumnFeatures, g: Sequence[Fraction]) -> Entry | None:
        tables: tuple[Summed, ...] = self.layout.ones.get(column.place, ())
        if not tables:
            return None
        mean = sum(g, Fraction(0)) / len(g)
        rest = [value - mean for value in g]
        spread = root_above(sum((r * r for r in rest), Fraction(0)))
        drift = self._unsure * max(map(abs, rest))
        said = []
        for table in tables:
            value = mean + sum((r * as_plain(table.shares[a, 0]) for a, r in enumerate(rest) if r), Fraction(0))
            said.append((value, rounded_above(table.radius * spread + drift)))
        return intersected(said, min(g), max(g))

    def products(self, a: ColumnFeatures, b: ColumnFeatures) -> list[list[Entry]] | None:
        tables: tuple[Summed, ...] = self.layout.pairs.get(pair_key(a, b), ())
        if not tables:
            return None
        values = []
        for table in tables:
            shares = table.shares if table.columns[0] == a.place else table.shares.transpose()
            missing = 1 - (ones(a.codes).transpose() * shares * ones(b.codes))[0, 0]
            # Shares add up to 1, so the mean of a product over the cells is known; only deviations are measured.
            values.append(a.by_code * shares * b.by_code.transpose() + a.means * b.means.transpose() * missing)
        found = []
        for i, (a_mean, _, a_two) in enumerate(a.spreads):
            row = []
            for j, (b_mean, _, b_two) in enumerate(b.spreads):
                spread = a_two * b_two + a_two * b.codes * b_mean**2 + b_two * a.codes * a_mean**2
                corners = [x * y for x in a.ends[i] for y in b.ends[j]]
                drift = self._unsure * max(abs(corner - a_mean * b_mean) for corner in corners)
                said = [
                    (as_plain(value[i, j]), rounded_above(table.radius * root_above(spread) + drift))
                    for value, table in zip(values, tables, strict=True)
                ]
                row.append(intersected(said, min(corners), max(corners)))
            found.append(row)
        return found


def moments_of_log(log: MarginalLog, feature_map: FeatureMap, beta: Fraction) -> MarginalMoments:
    """The moments that the tables of a log determine; `beta` is the probability with which a radius may fail.

    The features must have been chosen without regard to the noise, as for marginals.
    """
    if feature_map.schema.columns != log.schema.columns:
        raise UsageError("feature_map: its schema has other columns than the release")
    columns, label = columns_of(feature_map)
    by_place = {column.place: column for column in (*columns, label)}
    size = records_of(log, beta * SIZE_SHARE)
    ones_of: dict[int, list[Summed]] = {}
    pairs_of: dict[tuple[int, int], list[Summed]] = {}
    for step in log.tables:
        shown = [place for place in step.columns if place in by_place and _is_whole(log, step, place)]
        failure = beta * TABLES_SHARE * step.rho / log.rho
        quantile = _quantile(_asked([by_place[place] for place in shown]), failure) if shown else Fraction(0)
        for place in shown:
            ones_of.setdefault(place, []).append(_summed(log, step, (place,), size, quantile))
        for pair in combinations(shown, 2):
            pairs_of.setdefault(pair, []).append(_summed(log, step, pair, size, quantile))
    layout = Layout(columns=columns, label=label, last=label.start - 1, ones=_frozen(ones_of), pairs=_frozen(pairs_of))
    return assembled(by_radii(TablesRoute(layout, size.unsure)), feature_map, "tables", beta)


def records_of(log: MarginalLog, failure: Fraction) -> Size:
    """n if it is public, else an estimate from the one-way tables that begin a log, which were fixed in advance."""
    if log.size_is_exact:
        return Size(log.stated_size, Fraction(0))
    planned: dict[tuple[int, ...], TableStep] = {}
    for step in log.steps:
        if not isinstance(step, TableStep) or len(step.columns) > 1 or step.columns in planned:
            break
        planned[step.columns] = step
    if not planned:
        raise NotApplicable("release: the log does not begin with one-way tables; nothing else says how many records")
    precisions = [1 / (len(step.counts) * _deviation(log, step) ** 2) for step in planned.values()]
    whole = sum(precisions, Fraction(0))
    totals = [sum(step.counts) for step in planned.values()]
    mean = sum((p * total for p, total in zip(precisions, totals, strict=True)), Fraction(0)) / whole
    records = round(mean)
    off = root_above(1 / whole) * _quantile(1, failure) + abs(mean - records)
    if records <= off:
        raise NotApplicable(
            f"release: the number of records is not known well enough: {records} up to {float(off):.0f}"
        )
    return Size(records, rounded_above(off / records))


def _deviation(log: MarginalLog, step: TableStep) -> Fraction:
    """The root of the proxy variance of a cell."""
    return step.sd + (_ROUNDED if log.is_simulated else 0)


def _is_whole(log: MarginalLog, step: TableStep, place: int) -> bool:
    """Whether a table has all codes of a column: merged codes say nothing exact about features."""
    size = log.schema.domain.sizes[place]
    return len(step.columns) == 1 or log.groups is None or log.groups[place] == tuple(range(size))


def _asked(columns: Sequence[ColumnFeatures]) -> int:
    """The number of sums that may be read off one table: means, products and tails of features of columns and pairs."""
    alone = sum(c.count + c.count * (c.count + 1) // 2 + c.count * (c.codes - 1) for c in columns)
    return alone + sum(a.count * b.count for a, b in combinations(columns, 2))


def _quantile(count: int, failure: Fraction) -> Fraction:
    """A number of deviations that none of `count` sub-Gaussian sums exceeds, except with that probability."""
    return root_above(2 * log_above(2 * count / failure))


def _summed(log: MarginalLog, step: TableStep, columns: tuple[int, ...], size: Size, quantile: Fraction) -> Summed:
    shape = log.shape.of(step.columns)
    small = max(map(abs, step.counts)) * len(step.counts) < 2**62
    counts = np.array(step.counts, dtype=np.int64 if small else object).reshape(shape)
    kept = counts.sum(axis=tuple(axis for axis, place in enumerate(step.columns) if place not in columns))
    sizes = [n for n, place in zip(shape, step.columns, strict=True) if place in columns]
    rows = sizes[0]
    width = prod(sizes) // rows
    shares = fmpq_mat(fmpz_mat(rows, width, [int(value) for value in kept.ravel()])) / as_fmpq(size.records)
    added = len(step.counts) // prod(sizes)  # cells that add up to one
    deviation = _deviation(log, step) * root_above(Fraction(added)) / size.records
    return Summed(columns, shares, quantile * deviation)


def _frozen(found: Mapping[Key, list[Summed]]) -> dict[Key, tuple[Summed, ...]]:
    return {key: tuple(tables) for key, tables in found.items()}
