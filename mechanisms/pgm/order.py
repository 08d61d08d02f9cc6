"""The order in which columns are summed out of a product of factors: smallest clique first, ties by column number."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import prod


@dataclass(frozen=True)
class Elimination:
    """Columns in the order in which they are summed out, each with its clique at that time."""

    order: tuple[int, ...]
    cliques: tuple[tuple[int, ...], ...]


def elimination(sizes: Sequence[int], scopes: Iterable[Sequence[int]], *, keep: Collection[int] = ()) -> Elimination:
    """A greedy order of all columns but those to keep; the same for the same set of scopes in any order."""
    near: dict[int, set[int]] = {u: {u} for u in range(len(sizes))}
    for scope in scopes:
        for u in scope:
            near[u].update(scope)
    kept = set(keep)
    cost = {u: prod(sizes[v] for v in near[u]) for u in near if u not in kept}
    order, cliques = [], []
    while cost:
        u = min(cost, key=lambda v: (cost[v], v))
        del cost[u]
        clique = near.pop(u)
        order.append(u)
        cliques.append(tuple(sorted(clique)))
        clique.discard(u)
        for v in clique:
            around = near[v]
            around |= clique
            around.discard(u)
            if v in cost:
                cost[v] = prod(sizes[w] for w in around)
    return Elimination(tuple(order), tuple(cliques))


def tree_cells(sizes: Sequence[int], scopes: Iterable[Sequence[int]]) -> int:
    """Cells of the largest cliques of the triangulated graph: what a junction tree would hold in memory."""
    cliques = [frozenset(clique) for clique in elimination(sizes, scopes).cliques]
    # A clique that is inside another is inside one of a column summed out before it.
    largest = [c for i, c in enumerate(cliques) if not any(c <= earlier for earlier in cliques[:i])]
    return sum(prod(sizes[u] for u in clique) for clique in largest)
