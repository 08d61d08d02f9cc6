"""Potentials can be moved from one table to another that shares columns with it: the law stays, their cost changes.

Along such moves the dual is a plain quadratic, flat where noise is small, and a quasi-Newton method gets lost in it. So
its least value over all moves is taken at once: a part of potentials that depends on some shared columns alone
(purely: its means over any one of them are 0) is divided among the tables that have them in proportion to 1 over
price and cells; an offset makes up for what the tables say differently about these columns. Constants are dropped.
Proof: docs/proofs/synthbounds.graphical-estimate.md (d).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.pgm.layout import Layout
    from mechanisms.pgm.plan import Scope

    Floats = NDArray[np.float64]


class Gauge:
    """The linear map that divides shared parts anew. Tables without a price are left alone."""

    def __init__(self, layout: Layout, prices: Sequence[float | None]) -> None:
        self._layout = layout
        self._members = _members({i: scope for i, scope in enumerate(layout.scopes) if prices[i] is not None})
        self._weights = {
            shared: _division([1 / (float(prices[i] or 0) * layout.lengths[i]) for i in tables]) * bool(shared)
            for shared, tables in self._members.items()
        }
        self._mixes = [self._mix(shared) for shared in self._members]
        self._sizes = [prod(layout.sizes[u] for u in shared) for shared in self._members]
        self._means, self._lift = self._operators()

    def __call__(self, potentials: Floats) -> Floats:
        """The same law at the least cost, but for the offset."""
        if not self._members:
            return potentials
        means, start, moved = self._means @ potentials, 0, []
        for mix, size in zip(self._mixes, self._sizes, strict=True):
            end = start + len(mix) * size
            moved.append((mix @ means[start:end].reshape(len(mix), size)).ravel())
            start = end
        return np.asarray(potentials + self._lift @ np.concatenate(moved))

    def _mix(self, part: Scope) -> Floats:
        """How means over all columns but these move between tables.

        A pure part is an alternating sum of means over fewer and fewer columns; here all pure parts that have these
        means in them are added up.
        """
        tables = self._members[part]
        found = np.zeros((len(tables), len(tables)))
        for shared, sharing in self._members.items():
            if set(part) <= set(shared):
                places = [tables.index(i) for i in sharing]
                sign = (-1) ** (len(shared) - len(part))
                found[np.ix_(places, places)] += sign * (self._weights[shared][:, None] - np.eye(len(places)))
        return found

    def _operators(self) -> tuple[csr_array, csr_array]:
        """Means of every table over all but some shared columns, one block after the other; and their way back."""
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
        if not rows:
            return csr_array((0, 0)), csr_array((0, 0))
        row, column, share = (np.concatenate(parts) for parts in (rows, columns, shares))
        shape = (start, sum(layout.lengths))
        return csr_array((share, (row, column)), shape=shape), csr_array(
            (np.ones(len(row)), (column, row)), shape=shape[::-1]
        )


def _division(parts: list[float]) -> Floats:
    return np.array(parts) / sum(parts)


def _members(scopes: dict[int, Scope]) -> dict[Scope, list[int]]:
    """All sets of columns that two tables or more share, that of none among them, with the tables that have them."""
    shared = {
        part
        for one, other in combinations(scopes.values(), 2)
        for both in [[u for u in one if u in other]]
        for width in range(len(both) + 1)
        for part in combinations(both, width)
    }
    ordered = sorted(shared, key=lambda part: (len(part), part))
    return {part: [i for i, scope in scopes.items() if set(part) <= set(scope)] for part in ordered}
