"""Reference points from the noisy answers themselves: a tree of pairs of attributes, sampled as often as wanted.

Shares of one and of two attributes are read off the answers, the tree joins the attributes whose shares differ most
from independent ones (Chow and Liu), and points are drawn along it. Some of their entries are redrawn from shares of
one attribute, so that points lie between the branches, too, and a cell whose noisy answer is large gets a point even if
none was drawn. All of it is computed from released numbers: it costs no privacy. No theorem says beforehand how near
such points come; the quality of a programme on them is measured after the fact.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import ParameterError
from lp.measures import ReferencePoints
from lp.measures.draws import draw_generator, require_mode, require_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes, Domain
    from release.statistics.families import Family

    Floats = NDArray[np.float64]

REDRAWN = 0.1
"""Share of the entries that are redrawn, from one attribute only."""
REDRAWN_BITS = 0.03
"""The same if all attributes have two levels: a pair has four cells, which few points cover, and half of the redrawn
entries do not change."""
_LEAST_SHARE = 1e-6
"""No level is left out of the margins: its noisy share may be negative, its true share is not."""
_MOST_ROUNDS = 12
_SURPLUS = 1.2
"""Points drawn per round for each one wanted: some are equal."""
_MOST_PASSES, _MOST_ADDED = 4, 8
"""This often points are replaced for the sake of cells without points, at most one in this many each time: a point that
goes may have been the only one in a cell."""


def may_be_tree(family: Family) -> bool:
    """Whether the answers determine the shares of pairs of attributes: cells, thresholds, and two levels."""
    boolean = family.name in ("monomials", "parities") and family.domain.is_boolean
    return boolean or family.name in ("cells", "thresholds")


@dataclass(frozen=True, eq=False)
class NoisyShares:
    """Shares of the levels of each attribute and of pairs of them, by the noisy answers."""

    ones: list[Floats]
    """About 1 in sum; entries may be negative."""
    twos: dict[tuple[int, int], Floats]
    """Levels of the first attribute in rows, of the second in columns."""


def noisy_shares(family: Family, answers: Floats) -> NoisyShares:
    """What the answers of a family say about one and two attributes."""
    if not may_be_tree(family):
        raise ParameterError(
            "measure", "tree", "another one here", f"{family.name} of these levels do not tell shares of pairs"
        )
    sizes = family.domain.sizes
    is_cells = family.name == "cells"
    widths = sizes if is_cells else tuple(size - 1 for size in sizes)
    ends = np.cumsum((0, *widths))
    ones = [answers[start:stop] for start, stop in pairwise(ends)]
    at = int(ends[-1])
    twos = {}
    for i, j in combinations(range(len(sizes)), 2):
        if at == family.count:
            break  # single attributes only
        twos[i, j] = answers[at : at + widths[i] * widths[j]].reshape(widths[i], widths[j])
        at += widths[i] * widths[j]
    if is_cells:
        return NoisyShares(ones, twos)
    if family.name == "parities":  # a sign is 1 - 2 x
        twos = {(i, j): (1 - ones[i][:, None] - ones[j] + table) / 4 for (i, j), table in twos.items()}
        ones = [(1 - one) / 2 for one in ones]
    reached = {(i, j): np.block([[np.ones((1, 1)), ones[j]], [ones[i][:, None], t]]) for (i, j), t in twos.items()}
    return NoisyShares(
        [_between(np.append(1.0, one)) for one in ones],
        {pair: _between(_between(table).T).T for pair, table in reached.items()},
    )


def _between(reached: Floats) -> Floats:
    """Shares at a level from shares at it or above, along the first axis."""
    return np.asarray(reached - np.concatenate([reached[1:], np.zeros_like(reached[:1])]))


@dataclass(frozen=True, eq=False)
class TreeMeasure:
    """A distribution in which every attribute depends on at most one other."""

    domain: Domain
    root: int
    margins: list[Floats]
    branches: list[tuple[int, int, Floats]]
    """Parent, child, and the distribution of the child for every level of the parent; parents come first."""
    redrawn: float

    def draw(self, count: int, generator: np.random.Generator) -> Codes:
        """Points, one row each, with repetitions."""
        codes = np.empty((count, self.domain.p), dtype=self.domain.code_type)
        codes[:, self.root] = _drawn(self.margins[self.root][None, :], 0, generator.random(count))
        for parent, child, law in self.branches:
            codes[:, child] = _drawn(law, codes[:, parent], generator.random(count))
        for j, margin in enumerate(self.margins):
            anew = np.flatnonzero(generator.random(count) < self.redrawn)
            codes[anew, j] = _drawn(margin[None, :], 0, generator.random(anew.size))
        return codes


def _drawn(law: Floats, rows: Codes | int, uniform: Floats) -> NDArray[np.int64]:
    """A level for each uniform number, by the distribution in its row."""
    levels = law.shape[1]
    reached = np.cumsum(law, axis=1)
    reached /= reached[:, -1:]
    reached += np.arange(len(law))[:, None]
    rows = np.asarray(rows, dtype=np.int64)
    found = np.searchsorted(reached.ravel(), rows + uniform, side="right") - rows * levels
    return np.asarray(np.clip(found, 0, levels - 1))


def tree_measure(domain: Domain, shares: NoisyShares, *, redrawn: float | None = None) -> TreeMeasure:
    """The tree whose pairs differ most from independent attributes, with distributions made from the noisy shares."""
    margins = [_margin(j, shares) for j in range(domain.p)]
    strength = {pair: _dependence(table, margins[pair[0]], margins[pair[1]]) for pair, table in shares.twos.items()}
    branches, root = [], 0
    waiting, inside = set(range(1, domain.p)), [root]
    while waiting:
        parent, child = max(
            ((u, v) for u in inside for v in sorted(waiting)), key=lambda e: strength.get((min(e), max(e)), 0.0)
        )
        table = shares.twos.get((min(parent, child), max(parent, child)))
        if table is None:  # single attributes only: each on its own
            law = np.tile(margins[child], (domain.sizes[parent], 1))
        else:
            joint = nearest_law(table if parent < child else table.T)
            law = joint + _LEAST_SHARE * margins[child]
        branches.append((parent, child, law))
        waiting.remove(child)
        inside.append(child)
    if redrawn is None:
        redrawn = REDRAWN_BITS if domain.is_boolean else REDRAWN
    return TreeMeasure(domain, root, margins, branches, redrawn)


def _margin(j: int, shares: NoisyShares) -> Floats:
    """The mean of all estimates for one attribute, each weighted by how many noisy numbers it adds up."""
    found, weight = shares.ones[j].copy(), 1.0
    for (first, second), table in shares.twos.items():
        if j in (first, second):
            axis = 1 if j == first else 0
            found += table.sum(axis=axis) / table.shape[axis]
            weight += 1 / table.shape[axis]
    found = np.maximum(found / weight, _LEAST_SHARE)
    return np.asarray(found / found.sum())


def _dependence(table: Floats, first: Floats, second: Floats) -> float:
    """The L1 distance from independent attributes, without what noise adds to it.

    In a cell that is empty noise adds its absolute value, on average twice its negative part.
    """
    apart = float(np.abs(table - np.multiply.outer(first, second)).sum())
    return apart + 2 * float(np.minimum(table, 0).sum())


def nearest_law(values: Floats) -> Floats:
    """The nonnegative numbers of sum 1 that are nearest in least squares: all are lowered alike, and clipped at 0."""
    falling = np.sort(values, axis=None)[::-1]
    surplus = (np.cumsum(falling) - 1) / np.arange(1, falling.size + 1)
    last = int(np.flatnonzero(falling > surplus)[-1])
    return np.asarray(np.maximum(values - surplus[last], 0.0))


def tree_points(
    family: Family,
    answers: Floats,
    *,
    m: int,
    mode: str,
    generator: np.random.Generator | None = None,
    redrawn: float | None = None,
) -> ReferencePoints:
    """m distinct points, or as many as are found, from a tree of the noisy answers of a family."""
    require_points(m)
    stream = draw_generator(simulated=require_mode(mode), generator=generator)
    shares = noisy_shares(family, np.asarray(answers, dtype=np.float64))
    measure = tree_measure(family.domain, shares, redrawn=redrawn)
    codes = np.empty((0, family.domain.p), dtype=family.domain.code_type)
    for _ in range(_MOST_ROUNDS):
        more = int(max(_SURPLUS * (m - len(codes)), m / _SURPLUS)) + 1
        codes = _distinct(np.concatenate([codes, measure.draw(more, stream)]))[:m]
        if len(codes) == m:
            break
    for _ in range(_MOST_PASSES):
        codes = _covering(codes, shares, stream)
    codes = np.ascontiguousarray(codes[np.lexsort(codes.T)])
    said = f"{len(codes)} points from a tree of the noisy answers"
    return ReferencePoints(codes=codes, multiplicity=None, drawn=len(codes), paid=None, description=said)


def _distinct(codes: Codes) -> Codes:
    """Each point once, in the order in which they first came."""
    wide = np.ascontiguousarray(codes)
    _, first = np.unique(wide.view(np.dtype((np.void, wide.dtype.itemsize * wide.shape[1]))), return_index=True)
    return wide[np.sort(first)]


def _covering(codes: Codes, shares: NoisyShares, stream: np.random.Generator) -> Codes:
    """The points, some of them replaced so that every cell with a large noisy share has one.

    A cell without points is answered by 0. That costs nothing as long as its noisy share is at most the size of the
    most negative one, since no density comes nearer to that one either.
    """
    bar = max([0.0, *(-float(table.min()) for table in (*shares.ones, *shares.twos.values()))])
    added = []
    for (i, j), table in shares.twos.items():
        place = codes[:, i].astype(np.int64) * table.shape[1] + codes[:, j]
        missing = (np.bincount(place, minlength=table.size) == 0) & (table.ravel() > bar)
        for cell in np.flatnonzero(missing):
            point = codes[stream.integers(len(codes))].copy()
            point[i], point[j] = divmod(int(cell), table.shape[1])
            added.append(point)
    if not added:
        return codes
    most = max(1, len(codes) // _MOST_ADDED)
    new = np.stack(added)[stream.permutation(len(added))[:most]]
    return _distinct(np.concatenate([new, codes]))[: len(codes)]
