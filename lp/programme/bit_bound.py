"""A lower bound of the density programme for parities and monomials of two levels, with the dual that proves it.

The answers of every density fix its table on any d attributes, whose cells are not negative, and are 0 where no point
lies. The same is true of every sum of cells of one table, a combination of its queries: residuals must make up what
such a sum of the noisy answers lacks (docs/proofs/synthbounds.bit-bound.md). All sums of one table are a closed form;
cells of several tables together are a small linear programme to which violated cells are added for a few rounds. The
dual has a few nonzero weights, and lp.programme.density_certificate evaluates what it proves, exactly.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from lp.programme.matrix_moments import boolean_masks
from lp.programme.table_bound import Bound

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lp.programme.matrix_bits import BitsMatrix
    from release.statistics.families import ProductFamily

    Vector = NDArray[np.float64]
    Integers = NDArray[np.int64]

_ROUNDS, _CUTS = 5, 300
"""The programme of cells grows by this many of them in a round; more rounds have not moved the bound."""
_LEAST = 1e-9
"""Cells that lack less than this are left alone."""
_STEP = 2**12
"""Tables that are looked at together."""


class BitTables:
    """The tables of all choices of d attributes: their queries, and every cell as a combination of them."""

    def __init__(self, family: ProductFamily) -> None:
        masks = boolean_masks(family)
        assert masks is not None
        degree = family.most_factors
        place = {mask: i for i, mask in enumerate(masks)}
        subsets = range(1, 1 << degree)
        self.queries = np.array(
            [
                [place[sum(1 << j for i, j in enumerate(chosen) if s >> i & 1)] for s in subsets]
                for chosen in combinations(range(family.domain.p), degree)
            ]
        )
        cells, sets = np.arange(1 << degree)[:, None], np.arange(1 << degree)
        sign = 1.0 - 2.0 * (np.bitwise_count(cells & sets if family.name == "parities" else sets & ~cells) & 1)
        # a monomial is a sum over the cells above it, so a cell is an alternating sum of the monomials above it
        combined = sign if family.name == "parities" else sign * ((cells & sets) == cells)
        self.constant, self.cells = combined[:, 0], combined[:, 1:]


def bit_bound(matrix: BitsMatrix, target: Vector) -> Bound:
    """The best bound found without a density."""
    tables = BitTables(matrix.family)
    counts = matrix.apply(np.ones(matrix.columns))
    best = _one_table(tables, target, counts, matrix.columns)
    dual = _more_tables(tables, target, counts, matrix.columns)
    if dual is None:
        return best
    value = float(matrix.price(dual).min() - target @ dual)
    return Bound(value, dual, "all tables") if value > best.value_est else best


def _one_table(tables: BitTables, target: Vector, counts: Vector, points: int) -> Bound:
    """What the sums of cells of any one table prove."""
    size = len(tables.cells)
    chosen = (np.arange(1, (1 << size) - 1)[:, None] >> np.arange(size)) & 1
    constant, sums = chosen @ tables.constant, chosen @ tables.cells
    norm = np.abs(sums).sum(axis=1)
    best, dual = 0.0, np.zeros(target.size)
    for start in range(0, len(tables.queries), _STEP):
        queries = tables.queries[start : start + _STEP]
        lack = -(constant + target[queries] @ sums.T) / norm
        empty = points * constant + counts[queries] @ sums.T == 0  # integers: no point lies in any of the cells
        score = np.where(empty, np.abs(lack), lack)
        table, which = np.unravel_index(int(np.argmax(score)), score.shape)
        if score[table, which] > best:
            best, dual = float(score[table, which]), np.zeros(target.size)
            dual[queries[table]] = np.copysign(sums[which] / norm[which], lack[table, which] * sums[which])
    return Bound(best, dual, "one table")


def _more_tables(tables: BitTables, target: Vector, counts: Vector, points: int) -> Vector | None:
    """Dual weights of: min V, |mu - target| <= V, where the cells that were added so far are as they must be."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, eye_array, hstack, vstack

    norm = np.abs(tables.cells).sum(axis=1)
    empty = points * tables.constant + counts[tables.queries] @ tables.cells.T == 0
    used, dual = np.zeros(empty.shape, dtype=bool), None
    move = np.zeros(target.size)
    for _ in range(_ROUNDS):
        lack = -(tables.constant + (target + move)[tables.queries] @ tables.cells.T) / norm
        score = np.where(used, 0.0, np.where(empty, np.abs(lack), lack)).ravel()
        worst = np.argpartition(-score, min(_CUTS, score.size - 1))[:_CUTS]
        worst = worst[score[worst] > _LEAST]
        if not worst.size:
            break
        used.flat[worst] = True
        table, cell = np.nonzero(used)
        queries, where = np.unique(tables.queries[table], return_inverse=True)
        entries = tables.cells[cell]
        cuts = csr_array(
            (entries.ravel(), where.ravel(), np.arange(len(cell) + 1) * entries.shape[1]),
            shape=(len(cell), len(queries)),
        )
        both = vstack([cuts, -cuts[empty[used]]])
        lacks = -(tables.constant[cell] + (entries * target[tables.queries[table]]).sum(axis=1))
        least = np.concatenate([lacks, -lacks[empty[used]]])
        size, one = len(queries), np.ones((len(queries), 1))
        identity = eye_array(size)
        system = vstack(
            [hstack([-both, csr_array((both.shape[0], 1))]), hstack([identity, -one]), hstack([-identity, -one])]
        )
        found = linprog(
            np.append(np.zeros(size), 1.0),
            A_ub=system.tocsr(),
            b_ub=np.concatenate([-least, np.zeros(2 * size)]),
            bounds=[(None, None)] * size + [(0, None)],
            method="highs-ds",
        )
        if found.status != 0:
            break
        prices = found.ineqlin.marginals[len(least) :]
        weights = prices[size:] - prices[:size]
        total = float(np.abs(weights).sum())
        if total > 0:
            dual = np.zeros(target.size)
            dual[queries] = weights / total
        move = np.zeros(target.size)
        move[queries] = found.x[:size]
    return dual
