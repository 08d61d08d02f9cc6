"""Factors of many scopes combined into the few largest ones, for a sweep, and marginals taken out again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from mechanisms.pgm.algebra import Underflow
from mechanisms.pgm.plan import Plan, Scope

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Scalar = TypeVar("Scalar", bound=np.generic)

_LOWEST = -600.0
"""A potential this far below the largest of its factor is left to sweeps in logarithms."""


class Layout:
    """Every scope has a home: the first of the largest scopes that contains it. All tables together are one vector."""

    def __init__(self, sizes: Sequence[int], scopes: Sequence[Scope]) -> None:
        self.sizes, self.scopes = tuple(sizes), tuple(scopes)
        sets = [frozenset(scope) for scope in scopes]
        self.homes = tuple(scope for scope, own in zip(scopes, sets, strict=True) if not any(own < o for o in sets))
        self.home_of = tuple(next(k for k, h in enumerate(self.homes) if own <= set(h)) for own in sets)
        self._shapes = [tuple(self.sizes[u] for u in scope) for scope in self.scopes]
        self.lengths = [prod(shape) for shape in self._shapes]
        self.starts = [0, *accumulate(self.lengths)][:-1]
        self._largest_first = sorted(range(len(scopes)), key=lambda i: (-len(scopes[i]), i))

    @cached_property
    def plan(self) -> Plan:
        return Plan(self.sizes, self.homes)

    def tables(self, vector: Floats) -> list[Floats]:
        """The vector as one table for each scope."""
        parts = zip(self.starts, self.lengths, self._shapes, strict=True)
        return [vector[start : start + length].reshape(shape) for start, length, shape in parts]

    def factors(self, potentials: Floats) -> list[Floats]:
        """The factors, e to the power of their potentials, as floats, each scaled to the largest value 1.

        A model in linear space is defined by these floats, taken as exact numbers.
        """
        down = potentials - np.repeat(self.tops(potentials), self.lengths)
        if ((down < _LOWEST) & (down > -np.inf)).any():
            raise Underflow
        return self.tables(np.exp(down))

    def tops(self, potentials: Floats) -> Floats:
        """The largest potential of every factor."""
        return np.maximum.reduceat(potentials, self.starts)

    def products(self, factors: Sequence[Floats]) -> list[Floats]:
        """Tables of the homes: products of the factors in them."""
        return self._laid(factors, np.multiply)

    def sums(self, potentials: Floats) -> list[Floats]:
        """The same in logarithms: sums of the potentials."""
        return self._laid(self.tables(potentials), np.add)

    def out(self, tables: Sequence[Floats]) -> Floats:
        """Marginals of all scopes, as one vector, from those of the homes."""
        homes = zip(self.home_of, self.scopes, strict=True)
        return np.concatenate([project(tables[k], self.homes[k], scope).ravel() for k, scope in homes])

    def _laid(self, parts: Sequence[Floats], join: np.ufunc) -> list[Floats]:
        found: dict[int, Floats] = {}
        for i in self._largest_first:
            home = self.home_of[i]
            if home in found:
                found[home] = join(found[home], spread(parts[i], self.scopes[i], self.homes[home]))
            else:
                found[home] = parts[i]
        return [found[home] for home in range(len(self.homes))]


def spread(table: NDArray[Scalar], scope: Scope, target: Scope) -> NDArray[Scalar]:
    """A table with axes of length 1 inserted for columns that it does not have."""
    return table.reshape([table.shape[scope.index(u)] if u in scope else 1 for u in target])


def project(table: Floats, scope: Scope, target: Scope) -> Floats:
    """The sums of a table over the columns that are not in the target."""
    summed = tuple(k for k, u in enumerate(scope) if u not in target)
    return np.asarray(table.sum(axis=summed)) if summed else table
