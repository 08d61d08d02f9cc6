"""Marginals of a table and sums of queries over its records, exactly, one pass over batches of codes.

Counting is by joint tables: a few sets of columns are chosen so that every marginal asked for lies inside one of them;
the joint codes of each set are counted, and marginals are sums of its cells. One joint table of four columns answers
six pairs, and it stays in cache. Codes are trusted to be below their sizes; lp.tables makes only such.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice
from math import comb, log, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.errors import ParameterError
from lp.families import Family, ProductFamily, symmetric_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lp.domain import Codes

    Counts = NDArray[np.int64]

MOST_CELLS = 2**26
"""All marginals together have at most this many cells: 512 MiB."""
MOST_MARGINALS = 200_000
_JOINT_CELLS = 2**15
"""Joint tables of several marginals are kept this small: their counters stay in cache."""
_BLOCK_ROWS = 2**16
_MOST_STARTS = 16
_MOST_LOOKED_AT = 100
"""So many sets are looked at to choose a further column of a joint table; more would plan better, but slowly."""
_FAMILY_CELLS = 2**22
"""Queries are summed through marginals up to this many cells, through products of features above."""


@dataclass(frozen=True)
class Joint:
    """A set of columns whose joint codes are counted, and the marginals that are read off it."""

    columns: tuple[int, ...]
    marginals: tuple[tuple[int, ...], ...]


def count_marginals(
    batches: Codes | Iterable[Codes], sizes: Sequence[int], order: int
) -> dict[tuple[int, ...], Counts]:
    """All marginals of 1 to `order` attributes: their counts, an axis an attribute.

    >>> table = np.array([[0, 1], [1, 1], [1, 2]], dtype=np.uint8)
    >>> count_marginals(table, (2, 3), 2)[0, 1].tolist()
    [[0, 1, 0], [0, 1, 1]]
    """
    if not 1 <= order <= len(sizes):
        raise ParameterError("order", order, f"between 1 and the number of attributes, {len(sizes)}")
    cells = count = 0
    for subset in (s for k in range(1, order + 1) for s in combinations(range(len(sizes)), k)):
        cells, count = cells + prod(sizes[j] for j in subset), count + 1
        if cells > MOST_CELLS or count > MOST_MARGINALS:
            raise ParameterError(
                "order", order, f"such that all marginals have at most {MOST_CELLS} cells and are {MOST_MARGINALS}"
            )
    plan = cover(tuple(sizes), order)
    tables = [np.zeros(prod(sizes[j] for j in part.columns), dtype=np.int64) for part in plan]
    for block in _blocks(batches, len(sizes), _BLOCK_ROWS):
        _count_block(block, sizes, plan, tables)
    found: dict[tuple[int, ...], Counts] = {}
    for part, counts in zip(plan, tables, strict=True):
        table = counts.reshape([sizes[j] for j in part.columns])
        for subset in part.marginals:
            gone = tuple(axis for axis, j in enumerate(part.columns) if j not in subset)
            found[subset] = table.sum(axis=gone) if gone else table
    for k in range(order - 1, 0, -1):
        for subset in combinations(range(len(sizes)), k):
            larger = next(s for s in _one_more(subset, len(sizes)) if s in found)
            found[subset] = found[larger].sum(axis=next(i for i, j in enumerate(larger) if j not in subset))
    return {s: found[s] for k in range(1, order + 1) for s in combinations(range(len(sizes)), k)}


def _one_more(subset: tuple[int, ...], p: int) -> Iterator[tuple[int, ...]]:
    return (tuple(sorted((*subset, j))) for j in range(p) if j not in subset)


@lru_cache(maxsize=64)
def cover(sizes: tuple[int, ...], order: int) -> tuple[Joint, ...]:
    """Sets of columns with small joint tables that contain every set of `order` columns: few, but not the fewest.

    Greedy choices depend on where they start, so several starts are tried. A set whose own table is larger than a joint
    table may be is counted by itself.
    """
    sets = list(combinations(range(len(sizes)), order))
    plans = [_greedy(sorted(sets, key=lambda s: -prod(sizes[j] for j in s)), sizes)]
    for start in range(min(_MOST_STARTS, 2000 // len(sets))):
        shuffled = np.random.Generator(np.random.Philox(key=start)).permutation(len(sets))
        plans.append(_greedy([sets[i] for i in shuffled], sizes))
    return min(plans, key=len)


def _greedy(sets: Sequence[tuple[int, ...]], sizes: Sequence[int]) -> tuple[Joint, ...]:
    missing = set(sets)
    plan = []
    for wanted in sets:
        if wanted in missing:
            chosen = _grown(wanted, sizes, missing)
            inside = tuple(s for s in combinations(chosen, len(wanted)) if s in missing)
            missing.difference_update(inside)
            plan.append(Joint(chosen, inside))
    return tuple(plan)


def _grown(wanted: tuple[int, ...], sizes: Sequence[int], missing: set[tuple[int, ...]]) -> tuple[int, ...]:
    """Columns added one by one, each answering the most sets for the room it takes, while the table stays small."""
    columns = set(wanted)
    while True:
        room = _JOINT_CELLS // prod(sizes[j] for j in columns)
        others = list(islice(combinations(sorted(columns), len(wanted) - 1), _MOST_LOOKED_AT))
        gains = {
            j: sum(tuple(sorted((j, *rest))) in missing for rest in others) / log(sizes[j])
            for j in range(len(sizes))
            if j not in columns and sizes[j] <= room
        }
        best = max(gains, key=lambda j: gains[j], default=None)
        if best is None or not gains[best]:
            return tuple(sorted(columns))
        columns.add(best)


def _blocks(batches: Codes | Iterable[Codes], p: int, rows: int) -> Iterator[Codes]:
    """Blocks of rows that are small enough for the cache."""
    for batch in [batches] if isinstance(batches, np.ndarray) else batches:
        if batch.ndim != 2 or batch.shape[1] != p:
            raise ParameterError("codes", f"array of shape {batch.shape}", f"with {p} columns")
        for start in range(0, len(batch), rows):
            yield batch[start : start + rows]


def _count_block(block: Codes, sizes: Sequence[int], plan: Sequence[Joint], tables: Sequence[Counts]) -> None:
    columns = np.asarray(block.T, dtype=np.uint16, order="C")
    narrow = np.empty(len(block), dtype=np.uint16)
    wide = np.empty(len(block), dtype=np.intp)
    for part, counts in zip(plan, tables, strict=True):
        index: NDArray[np.integer] = narrow if counts.size <= 2**16 else wide
        first, *rest = part.columns
        index[:] = columns[first]
        for j in rest:
            index *= index.dtype.type(sizes[j])
            index += columns[j]
        if counts.size <= 4 * len(block):
            counts += np.bincount(index, minlength=counts.size)
        else:  # a table with more cells than there are records here: touch only the cells that are met
            np.add.at(counts, index, 1)


def family_sums(family: Family, batches: Codes | Iterable[Codes]) -> list[int]:
    """The sum of every query's integers over all records, exactly; divide by family.denominator for the sums."""
    if isinstance(family, ProductFamily):
        sizes, order = family.domain.sizes, family.most_factors
        if symmetric_sum(sizes, order) <= _FAMILY_CELLS and comb(len(sizes), order) <= MOST_MARGINALS // 4:
            return _sums_by_marginals(family, count_marginals(batches, sizes, order))
        if order <= 2 and family.largest < 2**44:
            return _sums_by_products(family, batches)
    totals = [0] * family.count
    for block in _blocks(batches, family.domain.p, _BLOCK_ROWS):
        totals = [total + value for total, value in zip(totals, family.sums(block), strict=True)]
    return totals


def _sums_by_marginals(family: ProductFamily, marginals: dict[tuple[int, ...], Counts]) -> list[int]:
    """Each marginal is multiplied along every axis with the tables of that attribute's features."""
    records = int(marginals[0,].sum())
    kind = np.int64 if records * family.largest < 2**62 else object
    tables: dict[int, list[tuple[int, ...]]] = {}
    place: list[int] = []
    for feature in family.features:
        known = tables.setdefault(feature.attribute, [])
        place.append(len(known))
        known.append(feature.table)
    stacked = {attribute: np.array(known, dtype=kind) for attribute, known in tables.items()}
    products: dict[tuple[int, ...], NDArray[Any]] = {}
    found = []
    for row, scale in zip(family.rows, family.row_scale, strict=True):
        factors = sorted(row, key=lambda a: family.features[a].attribute)
        attributes = tuple(family.features[a].attribute for a in factors)
        if attributes not in products:
            product: NDArray[Any] = marginals[attributes].astype(kind)
            for attribute in attributes:  # the axis in front is used up, the one for its features goes to the end
                product = np.tensordot(product, stacked[attribute], axes=([0], [1]))
            products[attributes] = product
        found.append(scale * int(products[attributes][tuple(place[a] for a in factors)]))
    return found


def _sums_by_products(family: ProductFamily, batches: Codes | Iterable[Codes]) -> list[int]:
    """Gram matrices of the features in floats, over so few records that every number stays below 2^53, hence exact."""
    paired = sorted({a for row in family.rows if len(row) == 2 for a in row})
    at = {a: i for i, a in enumerate(paired)}
    rows = min(_BLOCK_ROWS, 2**52 // family.largest)
    ones = [0] * len(family.features)
    twos = np.zeros((len(paired), len(paired)), dtype=object)
    for block in _blocks(batches, family.domain.p, rows):
        values = family.feature_values(block)
        ones = [total + int(value) for total, value in zip(ones, values.sum(axis=1), strict=True)]
        chosen = values[paired]
        twos += np.rint(chosen @ chosen.T).astype(np.int64)
    found = []
    for row, scale in zip(family.rows, family.row_scale, strict=True):
        total = ones[row[0]] if len(row) == 1 else twos[at[row[0]], at[row[1]]]
        found.append(scale * int(total))
    return found
