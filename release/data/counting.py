"""Marginals of a table, exactly, in one pass over batches of codes.

Counting is by joint tables: a few sets of columns are chosen so that every requested marginal lies inside one of them;
the joint codes of each set are counted, and marginals are sums of its cells. One joint table of four columns answers
six pairs, and it stays in cache. Codes are trusted to be below their sizes, as those from release.data.tables are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice
from math import log, prod
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from bounds.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

    Counts = NDArray[np.int64]

Part = TypeVar("Part")
MOST_CELLS = 2**26
"""All marginals together have at most this many cells: 512 MiB."""
MOST_MARGINALS = 200_000
_JOINT_CELLS = 2**15
"""Joint tables of several marginals are kept this small: their counters stay in cache."""
BLOCK_ROWS = 2**16
_MOST_STARTS = 16
_MOST_LOOKED_AT = 100
"""This many sets are considered when choosing a further column of a joint table; more would plan better, but slowly."""


@dataclass(frozen=True)
class Joint:
    """A set of columns whose joint codes are counted, and the marginals that are read off it."""

    columns: tuple[int, ...]
    marginals: tuple[tuple[int, ...], ...]


def count_marginals(
    batches: Codes | Iterable[Codes], sizes: Sequence[int], order: int
) -> dict[tuple[int, ...], Counts]:
    """All marginals of 1 to `order` attributes: their counts, one axis per attribute.

    >>> table = np.array([[0, 1], [1, 1], [1, 2]], dtype=np.uint8)
    >>> count_marginals(table, (2, 3), 2)[0, 1].tolist()
    [[0, 1, 0], [0, 1, 1]]
    """
    if not 1 <= order <= len(sizes):
        raise ParameterError("order", order, f"between 1 and the number of attributes, {len(sizes)}")
    cells = 0
    sets = []
    for subset in (s for k in range(1, order + 1) for s in combinations(range(len(sizes)), k)):
        cells += prod(sizes[j] for j in subset)
        sets.append(subset)
        if cells > MOST_CELLS or len(sets) > MOST_MARGINALS:
            raise ParameterError(
                "order", order, f"such that all marginals have at most {MOST_CELLS} cells and are {MOST_MARGINALS}"
            )
    return counts(batches, sizes, sets)


def counts(
    batches: Codes | Iterable[Codes], sizes: Sequence[int], sets: Iterable[Sequence[int]]
) -> dict[tuple[int, ...], Counts]:
    """Only the marginals of the given sets of columns, in the order of the sets; columns increase within a set.

    >>> table = np.array([[0, 1, 0], [1, 1, 0], [1, 2, 0]], dtype=np.uint8)
    >>> {columns: found.tolist() for columns, found in counts(table, (2, 3, 1000), [(0, 1), (1,)]).items()}
    {(0, 1): [[0, 1, 0], [0, 1, 1]], (1,): [0, 2, 1]}
    """
    asked = require_sets(sizes, sets)
    plan = joint_plan(sizes, asked)
    tables = [np.zeros(prod(sizes[j] for j in part.columns), dtype=np.int64) for part in plan]
    for block in blocks(batches, len(sizes), BLOCK_ROWS):
        _count_block(block, sizes, plan, tables)
    return marginals_of(sizes, asked, plan, tables)


def joint_plan(sizes: Sequence[int], asked: Sequence[tuple[int, ...]]) -> tuple[Joint, ...]:
    """The joint tables to count, so that every requested set lies inside one."""
    parents = _parents(sizes, asked)
    return cover(tuple(sizes), tuple(s for s in asked if s not in parents))


def marginals_of(
    sizes: Sequence[int], asked: Sequence[tuple[int, ...]], plan: Sequence[Joint], tables: Sequence[Counts]
) -> dict[tuple[int, ...], Counts]:
    """The requested sets, from the tables of the plan, one row of cells each."""
    parents = _parents(sizes, asked)
    found: dict[tuple[int, ...], Counts] = {}
    for part, counted in zip(plan, tables, strict=True):
        table = counted.reshape([sizes[j] for j in part.columns])
        found |= {subset: _summed(table, part.columns, subset) for subset in part.marginals}
    for subset in sorted(parents, key=len, reverse=True):
        found[subset] = _summed(found[parents[subset]], parents[subset], subset)
    return {subset: found[subset] for subset in asked}


def require_sets(sizes: Sequence[int], sets: Iterable[Sequence[int]]) -> list[tuple[int, ...]]:
    """The sets without repetitions, if they are sets of columns and their tables fit into memory."""
    asked: dict[tuple[int, ...], None] = {}
    cells = 0
    for given in sets:
        subset = tuple(given)
        if not subset or list(subset) != sorted(set(subset)) or not 0 <= subset[0] <= subset[-1] < len(sizes):
            raise ParameterError("columns", subset, f"increasing places from 0 to {len(sizes) - 1}, at least one")
        if subset not in asked:
            asked[subset] = None
            cells += prod(sizes[j] for j in subset)
        if cells > MOST_CELLS or len(asked) > MOST_MARGINALS:
            raise ParameterError(
                "tables", f"{len(asked)} or more", f"at most {MOST_MARGINALS}, with at most {MOST_CELLS} cells in all"
            )
    if not asked:
        raise ParameterError("tables", "none", "at least one set of columns")
    return list(asked)


def _parents(sizes: Sequence[int], asked: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], tuple[int, ...]]:
    """For each set inside others, the one of those with the fewest cells: its table need only be summed."""
    orders = sorted({len(subset) for subset in asked})
    wanted = set(asked)
    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    for larger in sorted(asked, key=lambda s: -prod(sizes[j] for j in s)):
        for order in orders[: orders.index(len(larger))]:
            found |= {inner: larger for inner in combinations(larger, order) if inner in wanted}
    return found


def _summed(table: Counts, columns: Sequence[int], kept: tuple[int, ...]) -> Counts:
    gone = tuple(axis for axis, j in enumerate(columns) if j not in kept)
    return table.sum(axis=gone) if gone else table


@lru_cache(maxsize=64)
def cover(sizes: tuple[int, ...], sets: tuple[tuple[int, ...], ...]) -> tuple[Joint, ...]:
    """Sets of columns with small joint tables that contain every given set: few, but not the fewest.

    Greedy choices depend on where they start, so several starts are tried. A set whose own table is larger than a joint
    table may be is counted on its own.
    """
    plans = [_greedy(sorted(sets, key=lambda s: -prod(sizes[j] for j in s)), sizes)]
    for start in range(min(_MOST_STARTS, 2000 // len(sets))):
        shuffled = np.random.Generator(np.random.Philox(key=start)).permutation(len(sets))
        plans.append(_greedy([sets[i] for i in shuffled], sizes))
    return min(plans, key=len)


def _greedy(sets: Sequence[tuple[int, ...]], sizes: Sequence[int]) -> tuple[Joint, ...]:
    missing, completing = set(sets), defaultdict[tuple[int, ...], set[int]](set)
    for subset in missing:
        for rest, j in _parts(subset):
            completing[rest].add(j)
    orders = {len(subset) for subset in sets}
    plan = []
    for wanted in sets:
        if wanted in missing:
            chosen = _grown(wanted, sizes, completing)
            inside = tuple(s for order in sorted(orders) for s in combinations(chosen, order) if s in missing)
            missing.difference_update(inside)
            for subset in inside:
                for rest, j in _parts(subset):
                    completing[rest].discard(j)
            plan.append(Joint(chosen, inside))
    return tuple(plan)


def _parts(subset: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Each of its columns, after the others."""
    return ((subset[:i] + subset[i + 1 :], j) for i, j in enumerate(subset))


def _grown(
    wanted: tuple[int, ...], sizes: Sequence[int], completing: Mapping[tuple[int, ...], set[int]]
) -> tuple[int, ...]:
    """Columns added one by one, each answering the most sets for the space it takes, while the table stays small.

    `completing` maps columns to the further ones that complete a set that is still missing.
    """
    columns = set(wanted)
    while True:
        room = _JOINT_CELLS // prod(sizes[j] for j in columns)
        others = list(islice(combinations(sorted(columns), len(wanted) - 1), _MOST_LOOKED_AT))
        answered = Counter(j for rest in others for j in completing.get(rest, ()))
        gains = {j: n / log(sizes[j]) for j, n in answered.items() if j not in columns and sizes[j] <= room}
        if not gains:
            return tuple(sorted(columns))
        columns.add(min(gains, key=lambda j: (-gains[j], j)))


def in_batches(parts: Sequence[Part], cells: Sequence[int], *, at_once: int) -> Iterator[list[Part]]:
    """The parts in order, as many at once as have tables of at most `at_once` cells; a larger one is on its own.

    >>> list(in_batches("abcd", [2, 1, 9, 1], at_once=3))
    [['a', 'b'], ['c'], ['d']]
    """
    batch: list[Part] = []
    room = at_once
    for part, size in zip(parts, cells, strict=True):
        if batch and size > room:
            yield batch
            batch, room = [], at_once
        batch.append(part)
        room -= size
    if batch:
        yield batch


def blocks(batches: Codes | Iterable[Codes], p: int, rows: int) -> Iterator[Codes]:
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
        else:  # a table with more cells than there are records here: touch only the occupied cells
            np.add.at(counts, index, 1)
