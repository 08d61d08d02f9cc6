"""The best private mechanism for a handful of records, by linear programming, which no lower limit on n may contradict.

An answer matters only through the data sets for which it is accurate. Accurate answers for one data set are a box, and
boxes that meet in pairs meet in a point, so the only answers needed are the largest sets of data sets whose true
answers are pairwise within twice the accuracy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import exp
from typing import TYPE_CHECKING, TypeAlias

from release.data.domain import Domain
from release.statistics.families import build_family

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Counts: TypeAlias = tuple[int, ...]
"""A data set: the number of records at every point of the domain, in the order of `points`."""


@dataclass(frozen=True)
class SmallQuestion:
    """What a mechanism must promise for every data set of n records (for add/remove, of larger sizes, too)."""

    family: str
    levels: tuple[int, ...]
    degree: int
    n: int
    epsilon: Fraction
    accuracy: Fraction
    dp_delta: Fraction = Fraction(0)
    adjacency: str = "replace-one"

    @property
    def points(self) -> list[tuple[int, ...]]:
        return list(product(*(range(size) for size in self.levels)))


def least_failure(asked: SmallQuestion, data: Iterable[Counts]) -> float:
    """The smallest failure probability of any mechanism that is private on these data sets.

    Accuracy is required if there are at least n records. The variables are the probabilities of every answer at every
    data set, then for every ordered pair of neighbours the excess over e^epsilon times, and the failure probability.
    """
    import numpy as np
    from scipy.optimize import linprog

    data = list(data)
    served = _answers(asked, data)
    place = {(i, a): i * len(served) + a for i in range(len(data)) for a in range(len(served))}
    factor, pairs = exp(asked.epsilon), list(_adjacent(data, asked.adjacency))
    excess = len(place)
    last = excess + (len(place) and asked.dp_delta > 0) * len(pairs) * len(served)
    rows: list[dict[int, float]] = []
    limits: list[float] = []
    for i, counts in enumerate(data):
        if sum(counts) >= asked.n:
            rows.append({last: -1.0} | {place[i, a]: -1.0 for a, own in enumerate(served) if i in own})
            limits.append(-1.0)
    for number, (one, two) in enumerate(pairs):
        first = excess + number * len(served)
        for a in range(len(served)):
            slack = {first + a: -1.0} if asked.dp_delta else {}
            rows.append({place[one, a]: 1.0, place[two, a]: -factor} | slack)
            limits.append(0.0)
        if asked.dp_delta:
            rows.append(dict.fromkeys(range(first, first + len(served)), 1.0))
            limits.append(float(asked.dp_delta))
    whole = [{place[i, a]: 1.0 for a in range(len(served))} for i in range(len(data))]
    found = linprog(
        np.eye(1, last + 1, last)[0],
        A_ub=_sparse(rows, last + 1),
        b_ub=limits,
        A_eq=_sparse(whole, last + 1),
        b_eq=np.ones(len(data)),
        method="highs",
    )
    if found.status != 0:
        raise AssertionError(f"the linear programme was not solved: {found.message}")
    return float(found.fun)


def all_data(asked: SmallQuestion, sizes: Iterable[int]) -> list[Counts]:
    """Every data set of these sizes."""
    return [counts for size in sizes for counts in _compositions(size, len(asked.points))]


def _compositions(total: int, parts: int) -> Iterator[Counts]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in _compositions(total - first, parts - 1))


def _answers(asked: SmallQuestion, data: Sequence[Counts]) -> list[set[int]]:
    """The largest sets of data sets that one answer can serve."""
    import numpy as np

    family = build_family(asked.family, Domain(asked.levels), asked.degree)
    values = [[int(v) for v in row] for row in family.values(np.array(asked.points))]
    bound = [i for i, counts in enumerate(data) if sum(counts) >= asked.n]
    means = {
        i: [Fraction(sum(c * v for c, v in zip(data[i], row, strict=True)), sum(data[i])) for row in values]
        for i in bound
    }
    width = 2 * asked.accuracy * family.denominator
    near = {
        i: {j for j in bound if j != i and all(abs(a - b) <= width for a, b in zip(means[i], means[j], strict=True))}
        for i in bound
    }
    return list(_maximal_cliques(set(), set(bound), set(), near))


def _maximal_cliques(
    clique: set[int], candidates: set[int], done: set[int], near: dict[int, set[int]]
) -> Iterator[set[int]]:
    """Bron and Kerbosch, with a pivot."""
    if not candidates and not done:
        yield set(clique)
        return
    pivot = max(candidates | done, key=lambda i: len(near[i] & candidates))
    for i in sorted(candidates - near[pivot]):
        yield from _maximal_cliques(clique | {i}, candidates & near[i], done & near[i], near)
        candidates, done = candidates - {i}, done | {i}


def _adjacent(data: Sequence[Counts], adjacency: str) -> Iterator[tuple[int, int]]:
    """Places of adjacent pairs, in both orders."""
    place = {counts: i for i, counts in enumerate(data)}
    for counts, i in place.items():
        for new in range(len(counts)):
            more = tuple(c + (k == new) for k, c in enumerate(counts))
            if adjacency == "add-remove":
                others = [more]
            else:
                others = [tuple(c - (k == old) for k, c in enumerate(more)) for old in range(new) if counts[old]]
            for other in others:
                if other in place:
                    yield from ((i, place[other]), (place[other], i))


def _sparse(rows: list[dict[int, float]], columns: int) -> csr_matrix:
    from scipy.sparse import csr_matrix

    entries = [(i, j, value) for i, row in enumerate(rows) for j, value in row.items()]
    at, of, values = zip(*entries, strict=True)
    return csr_matrix((values, (at, of)), shape=(len(rows), columns))
