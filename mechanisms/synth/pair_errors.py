"""Certified distances of the two-column cells of a finished table from the real ones, for every pair.

All hold on the event of `known`, so together with what is known about single columns. A measured pair has a bound from
its own table; pairs of columns with indicators or with two codes have one from their products; a pair in a wider
measured table has one as a sum of its cells; and every pair has one from its single columns, which may be weak. The
least is used. Proof: docs/proofs/synthbounds.pair-errors.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.synth.known import Known, largest_error, moments_event
from release.cross_moments.file import CrossMoments
from release.log.file import MarginalLog
from release.statistics.blocks import LINEAR, ONE_HOT
from release.statistics.cross_moments import BITS, cross_sums
from release.statistics.pair_bounds import frechet_errors

if TYPE_CHECKING:
    from mechanisms.synth.private_table import PrivateTable
    from release.data.domain import Codes

TABLE, WIDER, PRODUCTS, COLUMNS = "its own table", "a wider table", "its products", "its columns alone"
"""The source of the error of a pair."""


@dataclass(frozen=True)
class PairError:
    """The largest error of a share of a cell of two columns, and its source."""

    error: Fraction
    by: str


def pair_errors(found: PrivateTable, columns: Sequence[int]) -> dict[tuple[int, int], PairError]:
    """The errors for every two of these columns."""
    release, known, rows = found.release, found.known, found.rows
    weakest = frechet_errors(rows, found.schema.domain.sizes, known.one_way, columns)
    best = {pair: PairError(error, COLUMNS) for pair, error in weakest.items()}
    for pair, offered in _measured(release, known, rows):
        if pair in best and offered.error < best[pair].error:
            best[pair] = offered
    return best


def _measured(release: object, known: Known, rows: Codes) -> Iterator[tuple[tuple[int, int], PairError]]:
    if isinstance(release, MarginalLog):
        yield from _of_log(release, known, rows)
    elif isinstance(release, CrossMoments) and release.has_cross_moments:
        yield from _of_products(release, known, rows)


def _of_log(log: MarginalLog, known: Known, rows: Codes) -> Iterator[tuple[tuple[int, int], PairError]]:
    """Errors from measured tables: a cell of a pair is a sum of cells of a wider table, or inside a merged cell."""
    for columns, error in known.tables.items():
        for u, v in combinations(columns, 2):
            terms = prod(log.shape.merged[place] for place in columns if place not in (u, v))
            inside = _largest_merged(log, rows, u, v)
            yield (u, v), PairError(min(terms * error + inside, Fraction(1)), TABLE if len(columns) == 2 else WIDER)


def _largest_merged(log: MarginalLog, rows: Codes, u: int, v: int) -> Fraction:
    """The largest share of the rows in a cell of merged codes that holds several cells of the schema's codes."""
    if log.groups is None:
        return Fraction(0)
    groups = [np.array(log.groups[place], dtype=np.int64) for place in (u, v)]
    several = np.multiply.outer(*(np.bincount(group) for group in groups)) > 1
    numbers = groups[0][rows[:, u]] * several.shape[1] + groups[1][rows[:, v]]
    counted = np.bincount(numbers, minlength=several.size).reshape(several.shape)
    return Fraction(int(counted[several].max(initial=0)), len(rows))


def _of_products(release: CrossMoments, known: Known, rows: Codes) -> Iterator[tuple[tuple[int, int], PairError]]:
    """Errors from products, for columns with an indicator for each code, or with two codes, which are -1 and 1."""
    encoding, event = release.encoding, moments_event(release, known.beta)
    made, owners = cross_sums(rows, encoding), np.array(encoding.owners)
    noisy, own = np.array(release.cross_sums, dtype=object), np.array(made.cross, dtype=object)
    left, right = (owners[side] for side in encoding.pairs)
    order = np.lexsort((right, left))
    starts = np.flatnonzero(np.diff(left[order] * len(owners) + right[order], prepend=-1))
    for at in np.split(order, starts[1:]):
        u, v = int(left[at[0]]), int(right[at[0]])
        signs = [_is_sign(release, place) for place in (u, v)]
        if None in signs:
            continue
        error = largest_error(noisy[at], own[at], made.n, event.cross_radius, event.sizes) / 4**BITS
        if all(signs):  # 4 p = 1 +- (2 p_u - 1) +- (2 p_v - 1) +- E[z_u z_v]
            error = (2 * known.one_way[u] + 2 * known.one_way[v] + error) / 4
        elif any(signs):  # 2 p = p_a +- E[1_a z]
            error = (known.one_way[v if signs[0] else u] + error) / 2
        yield (u, v), PairError(min(error, Fraction(1)), PRODUCTS)


def _is_sign(release: CrossMoments, place: int) -> bool | None:
    """Whether a column's feature is -1 or 1; False if it has indicators, None if it has other features."""
    encoding = release.encoding.encodings[place]
    if encoding == LINEAR and release.schema.columns[place].size == 2:
        return True
    return False if encoding == ONE_HOT else None
