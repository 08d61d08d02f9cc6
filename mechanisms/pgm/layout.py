"""Factors of many scopes laid into the few largest ones, which a sweep runs over; and their marginals taken out again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pgm.plan import Plan, Scope
from mechanisms.pgm.sweep import Underflow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_LOWEST = -600.0
"""A potential so far below the largest of its factor is left to sweeps in logarithms."""


class Layout:
    """Every scope has a home: the first of the largest scopes that holds it."""

    def __init__(self, sizes: Sequence[int], scopes: Sequence[Scope]) -> None:
        self.sizes, self.scopes = tuple(sizes), tuple(scopes)
        sets = [frozenset(scope) for scope in scopes]
        self.homes = tuple(scope for scope, own in zip(scopes, sets, strict=True) if not any(own < o for o in sets))
        self.home_of = tuple(next(k for k, h in enumerate(self.homes) if own <= set(h)) for own in sets)

    @cached_property
    def plan(self) -> Plan:
        return Plan(self.sizes, self.homes)

    def values(self, factors: Sequence[Floats]) -> list[Floats]:
        """Tables of the homes: products of the factors in them."""
        return self._laid(factors, np.multiply)

    def logs(self, potentials: Sequence[Floats]) -> list[Floats]:
        """The same in logarithms: sums of the potentials."""
        return self._laid(potentials, np.add)

    def out(self, tables: Sequence[Floats]) -> list[Floats]:
        """Marginals of all scopes from those of the homes."""
        return [project(tables[k], self.homes[k], scope) for k, scope in zip(self.home_of, self.scopes, strict=True)]

    def _laid(self, parts: Sequence[Floats], join: np.ufunc) -> list[Floats]:
        found: list[Floats | None] = [None] * len(self.homes)
        largest_first = sorted(range(len(parts)), key=lambda i: (-len(self.scopes[i]), i))
        for i in largest_first:
            home = self.home_of[i]
            there = found[home]
            found[home] = parts[i] if there is None else join(there, spread(parts[i], self.scopes[i], self.homes[home]))
        return [table for table in found if table is not None]


def factors_of(potentials: Sequence[Floats]) -> list[Floats]:
    """Each factor scaled to the largest value 1: e to the power of its potentials, as floats.

    These floats, taken as exact numbers, are what the model is.
    """
    found = []
    for potential in potentials:
        down = potential - potential.max()
        if np.any((down < _LOWEST) & (down > -np.inf)):
            raise Underflow
        found.append(np.exp(down))
    return found


def spread(table: Floats, scope: Scope, target: Scope) -> Floats:
    """A table of some columns as one of more columns, with axes of length 1 for those it does not have."""
    return table.reshape([table.shape[scope.index(u)] if u in scope else 1 for u in target])


def project(table: Floats, scope: Scope, target: Scope) -> Floats:
    """The sums of a table over the columns that are not in the target."""
    summed = tuple(k for k, u in enumerate(scope) if u not in target)
    return np.asarray(table.sum(axis=summed)) if summed else table
