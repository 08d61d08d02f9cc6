"""Potentials can be moved between tables that share columns: the distribution stays the same, their cost changes.

Along such moves the dual is a plain quadratic, flat if noise is small, and a quasi-Newton method gets lost in it. So
it is minimised over all moves at once: a part of the potentials that depends only on some shared columns (purely: its
means over any one of them are 0) is divided among the tables that have them in proportion to 1 over price and cells;
an offset compensates for differences in what the tables say about these columns. Constants are dropped.
Proof: docs/proofs/synthbounds.graphical-estimate.md (d).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.pgm.layout import Layout
    from mechanisms.pgm.plan import Scope

    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]


class Gauge:
    """The linear map that redistributes shared parts. Tables without a price are left alone."""

    def __init__(self, layout: Layout, prices: Sequence[float | None]) -> None:
        self._layout = layout
        self._members = _members({i: scope for i, scope in enumerate(layout.scopes) if prices[i] is not None})
        self._weights = {
            shared: _division([1 / (float(prices[i] or 0) * layout.lengths[i]) for i in tables]) * bool(shared)
            for shared, tables in self._members.items()
        }
        self._mixes = [self._mix(shared) for shared in self._members]
        self._sizes = [prod(layout.sizes[u] for u in shared) for shared in self._members]
        self._rows, self._columns, self._shares = self._entries()

    def __call__(self, potentials: Floats) -> Floats:
        """Potentials of the same distribution at the least cost, except for the offset."""
        if not self._members:
            return potentials
        start, moved = 0, []
        means = np.bincount(self._rows, weights=self._shares * potentials[self._columns])
        for mix, size in zip(self._mixes, self._sizes, strict=True):
            end = start + len(mix) * size
            moved.append((mix @ means[start:end].reshape(len(mix), size)).ravel())
            start = end
        back = np.concatenate(moved)[self._rows]
        return np.asarray(potentials + np.bincount(self._columns, weights=back, minlength=len(potentials)))

    def _mix(self, part: Scope) -> Floats:
        """How means over all columns but these move between tables.

        A pure part is an alternating sum of means over fewer and fewer columns; here all pure parts that contain these
        means are added up.
        """
        tables = self._members[part]
        found = np.zeros((len(tables), len(tables)))
        for shared, sharing in self._members.items():
            if set(part) <= set(shared):
                places = [tables.index(i) for i in sharing]
                sign = (-1) ** (len(shared) - len(part))
                found[np.ix_(places, places)] += sign * (self._weights[shared][:, None] - np.eye(len(places)))
        return found

    def _entries(self) -> tuple[Places, Places, Floats]:
        """Means of every table over all but some shared columns, one block after the other: a sparse matrix.

        It is stored as entries summed by bincount: importing a library for it would take longer than most fits.
        """
        layout, rows, columns, shares, start = self._layout, [], [], [], 0
        for (shared, tables), size in zip(self._members.items(), self._sizes, strict=True):
            for i in tables:
                scope = layout.scopes[i]
                lengths = [layout.sizes[u] for u in scope]
                numbers = np.arange(size).reshape([layout.sizes[u] if u in shared else 1 for u in scope])
                rows.append(start + np.broadcast_to(numbers, lengths).ravel())
                columns.append(np.arange(layout.starts[i], layout.starts[i] + layout.lengths[i]))
                shares.append(np.full(layout.lengths[i], size / layout.lengths[i]))
                start += size
        none = np.empty(0, np.intp)
        return np.concatenate([none, *rows]), np.concatenate([none, *columns]), np.concatenate([[], *shares])


def _division(parts: list[float]) -> Floats:
    return np.array(parts) / sum(parts)


def _members(scopes: dict[int, Scope]) -> dict[Scope, list[int]]:
    """All sets of columns shared by at least two tables, including the empty set, with the tables that have them."""
    shared = {
        part
        for one, other in combinations(scopes.values(), 2)
        for both in [[u for u in one if u in other]]
        for width in range(len(both) + 1)
        for part in combinations(both, width)
    }
    ordered = sorted(shared, key=lambda part: (len(part), part))
    return {part: [i for i, scope in scopes.items() if set(part) <= set(scope)] for part in ordered}
