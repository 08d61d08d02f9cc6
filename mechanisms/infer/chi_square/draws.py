"""Simulated tables of a population, with fresh records and noise, with which a statistic is compared.

Streams are Philox generators, keyed by the seed and counted by block, so that neither order nor the number of workers
matters. They never meet the stream of a simulated release with the same seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.infer.chi_square.shown import ShownColumn, ShownPair
from release.noise.randomness import Randomness
from release.noise.simulated import stream_of

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats

FIRST_STEP = 2**40
"""Simulated releases draw at step 0, so no test repeats the noise of one."""
FIT, INDEPENDENCE, STUDY, PLAN = (FIRST_STEP + place for place in range(4))
_MOST_IN_BLOCK, _MOST_NUMBERS = 250, 2**22


@dataclass(frozen=True, eq=False)
class DrawnPairs:
    """Exact tables, and what a release would show of them."""

    exact: Floats
    combined: Floats


def stream(*, seed: int, step: int, block: int) -> np.random.Generator:
    return stream_of(Randomness(mode="simulate", seed=seed, step=step, run=block))


def blocks(count: int, *, numbers: int) -> Iterator[tuple[int, int]]:
    """The number and the size of every block, if a table needs room for this many numbers."""
    size = max(1, min(_MOST_IN_BLOCK, _MOST_NUMBERS // numbers))
    for block in range(-(-count // size)):
        yield block, min(size, count - block * size)


def drawn_pairs(shown: ShownPair, shares: Floats, count: int, source: np.random.Generator) -> DrawnPairs:
    """This many tables whose records are drawn independently with these shares, r x c."""
    exact = _records(shown.size, shares.ravel(), count, source).reshape(count, *shown.levels)
    cells = exact + shown.cell.sums(1, exact.shape, source)
    rows, columns = (
        [true + margin.noise.sums(margin.cells, true.shape, source) for margin in column.margins[1:]]
        for column, true in ((shown.rows, exact.sum(-1)), (shown.columns, exact.sum(-2)))
    )
    return DrawnPairs(exact, shown.combined(cells, rows, columns))


def drawn_columns(shown: ShownColumn, shares: Floats, count: int, source: np.random.Generator) -> Floats:
    """The same for one column: only its combined counts."""
    exact = _records(shown.size, shares, count, source)
    return shown.combined([exact + m.noise.sums(m.cells, exact.shape, source) for m in shown.margins])


def _records(size: int, shares: Floats, count: int, source: np.random.Generator) -> Floats:
    return source.multinomial(size, shares / shares.sum(), count).astype(np.float64)
