"""How far apart two tables of records are on all tables of one to d columns, and which sets of columns are counted.

The error of a set of columns is the total variation distance of its shares: half the sum of their absolute differences,
from 0 to 1. Counts are exact. If there are too many sets to count, a sample of them is counted, the same for every pair
of tables of a schema; sets with very many cells are left out. Both are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mechanisms.evaluate.summary import Errors, Tally
from release.data.counting import counts, in_batches

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

    Counts = NDArray[np.int64]
    Look: TypeAlias = Callable[[tuple[int, ...], Counts, Counts], None]

MOST_SETS = 5000
"""Most sets of one number of columns; of more, a sample is counted."""
MOST_CELLS = 10**6
"""Most cells of one table; larger ones are left out."""
_MOST_WORK = 2**27
"""Most cells of all tables of one number of columns together."""
_AT_ONCE = 2**22
"""Cells in memory at a time."""
_SAMPLE_SEED = 17
_WORST = 5


@dataclass(frozen=True, kw_only=True)
class Sets:
    """The sets of one number of columns that are counted."""

    ways: int
    there_are: int
    chosen: tuple[tuple[int, ...], ...]
    too_large: int | None
    """Sets with too many cells; None if not all sets were looked at."""


@dataclass(frozen=True, kw_only=True)
class TableErrors:
    """Errors of the tables of one number of columns."""

    sets: Sets
    errors: Errors
    worst: tuple[tuple[tuple[int, ...], float], ...]
    """The sets with the largest errors, largest first."""


def choose_sets(sizes: Sequence[int], ways: int) -> Sets:
    """All sets of this many columns whose tables can be counted, or a sample of them."""
    there_are = comb(len(sizes), ways)
    stream = np.random.Generator(np.random.Philox(key=_SAMPLE_SEED + ways))
    too_large = None
    if there_are <= 4 * MOST_SETS or ways == 1:
        every = list(combinations(range(len(sizes)), ways))
        fitting = [one for one in every if prod(sizes[u] for u in one) <= MOST_CELLS]
        too_large = len(every) - len(fitting)
        drawn: Iterator[tuple[int, ...]] = (fitting[i] for i in stream.permutation(len(fitting)).tolist())
    else:
        drawn = _drawn(stream, sizes, ways)
    work = 0
    chosen: list[tuple[int, ...]] = []
    for one in drawn:
        work += prod(sizes[u] for u in one)
        if ways > 1 and (work > _MOST_WORK or len(chosen) == MOST_SETS):
            break
        chosen.append(one)
    return Sets(ways=ways, there_are=there_are, chosen=tuple(sorted(chosen)), too_large=too_large)


def _drawn(stream: np.random.Generator, sizes: Sequence[int], ways: int) -> Iterator[tuple[int, ...]]:
    """Random sets whose tables can be counted, none twice; they end when hardly any is new."""
    seen: set[tuple[int, ...]] = set()
    for _ in range(4 * MOST_SETS):
        one = tuple(sorted(stream.choice(len(sizes), ways, replace=False).tolist()))
        if one not in seen and prod(sizes[u] for u in one) <= MOST_CELLS:
            seen.add(one)
            yield one


def compare(
    real: Codes,
    synthetic: Codes,
    sizes: Sequence[int],
    names: Sequence[str],
    ways: int,
    *,
    look: Look | None = None,
) -> tuple[TableErrors, dict[tuple[int, ...], float]]:
    """The errors of all sets of this many columns, in sum and by set; `look` sees every pair of tables of counts."""
    sets, tally, by_set = choose_sets(sizes, ways), Tally(), {}
    cells = [prod(sizes[u] for u in one) for one in sets.chosen]
    for part in in_batches(sets.chosen, cells, at_once=_AT_ONCE):
        ours, theirs = (counts(rows, sizes, part) for rows in (real, synthetic))
        for one in part:
            by_set[one] = half_l1(ours[one], theirs[one])
            tally.add(by_set[one], " x ".join(names[u] for u in one))
            if look is not None:
                look(one, ours[one], theirs[one])
    worst = sorted(by_set.items(), key=lambda item: (-item[1], item[0]))[:_WORST]
    return TableErrors(sets=sets, errors=tally.found, worst=tuple(worst)), by_set


def half_l1(real: Counts, synthetic: Counts) -> float:
    """Half the sum of absolute differences of shares, computed in whole numbers and rounded once.

    >>> half_l1(np.array([1, 1]), np.array([3, 0]))
    0.5
    """
    n, k = int(real.sum()), int(synthetic.sum())
    return int(np.abs(real * k - synthetic * n).sum()) / (2 * n * k)
