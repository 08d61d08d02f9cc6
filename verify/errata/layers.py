"""Places for the nodes of a directed graph: in layers from left to right, with few crossings, each node near its
neighbours.

An edge that skips layers goes through points of its own, one per layer. Edges that follow from others are left out. The
same graph always gets the same places.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise

Edge = tuple[str, str]
_SWEEPS = 24


@dataclass(frozen=True)
class Layout:
    """The layout of one connected graph: places in units of layers and rows, and the points each edge goes through."""

    places: dict[str, tuple[int, float]]
    paths: dict[Edge, tuple[tuple[int, float], ...]]

    @property
    def layers(self) -> int:
        return 1 + max(layer for layer, _ in self.places.values())

    @property
    def rows(self) -> float:
        return 1 + max(row for path in (self.places.values(), *self.paths.values()) for _, row in path)


def layout(nodes: Sequence[str], edges: Iterable[Edge]) -> Layout:
    """Layout of the nodes of one component; an edge leads from a premise to what uses it."""
    kept = without_shortcuts(edges)
    layer_of = _layers(nodes, kept)
    chains = {edge: _chain(edge, layer_of) for edge in kept}
    layers: list[list[str]] = [[] for _ in range(1 + max(layer_of.values()))]
    level = dict(layer_of)
    for chain in chains.values():
        level |= {name: layer_of[chain[0]] + i for i, name in enumerate(chain)}
    for name in sorted(level):
        layers[level[name]].append(name)
    left: dict[str, list[str]] = {name: [] for name in level}
    right: dict[str, list[str]] = {name: [] for name in level}
    for chain in chains.values():
        for one, other in pairwise(chain):
            right[one].append(other)
            left[other].append(one)
    rows = _rows(_ordered(layers, left, right), left, right)
    return Layout(
        {name: (level[name], rows[name]) for name in nodes},
        {edge: tuple((level[name], rows[name]) for name in chain) for edge, chain in chains.items()},
    )


def components(nodes: Iterable[str], edges: Iterable[Edge]) -> list[list[str]]:
    """The largest first."""
    group = {name: {name} for name in nodes}
    for one, other in edges:
        if group[one] is not group[other]:
            merged = group[one] | group[other]
            for name in merged:
                group[name] = merged
    found = {min(members): sorted(members) for members in group.values()}
    return sorted(found.values(), key=lambda members: (-len(members), members[0]))


def without_shortcuts(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """Without the edges between nodes that a longer path connects."""
    given = sorted(set(edges))
    after: dict[str, list[str]] = {}
    for one, other in given:
        after.setdefault(one, []).append(other)

    def reached(name: str, found: set[str]) -> set[str]:
        for other in after.get(name, ()):
            if other not in found:
                found.add(other)
                reached(other, found)
        return found

    beyond = {name: reached(name, set()) for name in after}
    return tuple(
        (one, other)
        for one, other in given
        if not any(other in beyond.get(via, ()) for via in after[one] if via != other)
    )


def _layers(nodes: Sequence[str], edges: Sequence[Edge]) -> dict[str, int]:
    """As far left as premises allow; then premises move right, next to what uses them."""
    before: dict[str, list[str]] = {name: [] for name in nodes}
    after: dict[str, list[str]] = {name: [] for name in nodes}
    for one, other in edges:
        before[other].append(one)
        after[one].append(other)
    order = tuple(TopologicalSorter({name: sorted(before[name]) for name in sorted(nodes)}).static_order())
    found: dict[str, int] = {}
    for name in order:
        found[name] = 1 + max((found[other] for other in before[name]), default=-1)
    for name in reversed(order):
        found[name] = min((found[other] for other in after[name]), default=found[name] + 1) - 1
    return found


def _chain(edge: Edge, layer_of: Mapping[str, int]) -> tuple[str, ...]:
    one, other = edge
    between = range(layer_of[one] + 1, layer_of[other])
    return (one, *(f"{one}\t{other}\t{layer}" for layer in between), other)


def _ordered(layers: list[list[str]], left: Mapping[str, list[str]], right: Mapping[str, list[str]]) -> list[list[str]]:
    """Each node to the middle of its neighbours, back and forth; the order with the fewest crossings is kept."""
    best, fewest = [list(layer) for layer in layers], _crossings(layers, right)
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        neighbours = left if forward else right
        for i in range(1, len(layers)) if forward else range(len(layers) - 2, -1, -1):
            fixed = {name: row for row, name in enumerate(layers[i - 1 if forward else i + 1])}
            own = {name: row for row, name in enumerate(layers[i])}
            layers[i].sort(key=lambda name, fixed=fixed, own=own: _middle(neighbours[name], fixed, own[name]))  # type: ignore[misc]
        crossings = _crossings(layers, right)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    return best


def _middle(neighbours: Sequence[str], fixed: Mapping[str, int], own: int) -> float:
    return sum(fixed[name] for name in neighbours) / len(neighbours) if neighbours else own


def _crossings(layers: Sequence[Sequence[str]], right: Mapping[str, list[str]]) -> int:
    total = 0
    for one, other in pairwise(layers):
        row = {name: i for i, name in enumerate(other)}
        ends = [sorted(row[name] for name in right[node]) for node in one]
        for i, mine in enumerate(ends):
            total += sum(a > b for theirs in ends[i + 1 :] for a in mine for b in theirs)
    return total


def _rows(
    layers: Sequence[Sequence[str]], left: Mapping[str, list[str]], right: Mapping[str, list[str]]
) -> dict[str, float]:
    """Rows in this order, at least one apart, each as near to the mean of its neighbours as that allows."""
    rows = {name: float(i) for layer in layers for i, name in enumerate(layer)}
    for _ in range(_SWEEPS):
        for direction in (layers, layers[::-1]):
            for layer in direction:
                wanted = []
                for name in layer:
                    near = [rows[other] for other in (*left[name], *right[name])]
                    wanted.append(sum(near) / len(near) if near else rows[name])
                rows |= dict(zip(layer, _apart(wanted), strict=True))
    lowest = min(rows.values())
    return {name: round(row - lowest, 3) for name, row in rows.items()}


def _apart(wanted: Sequence[float]) -> list[float]:
    """The nearest rows, in least squares, that are at least one apart: rows in conflict share their mean."""
    blocks: list[tuple[float, int]] = []
    for i, row in enumerate(wanted):
        mean, size = row - i, 1
        while blocks and blocks[-1][0] > mean:
            before, count = blocks.pop()
            mean, size = (before * count + mean * size) / (count + size), count + size
        blocks.append((mean, size))
    flat = [mean for mean, size in blocks for _ in range(size)]
    return [mean + i for i, mean in enumerate(flat)]
