"""How many roundings are behind the marginals of a sweep in linear space, and a sweep that proves nothing underflowed.

Sums, products and quotients of non-negative floats keep a relative error: a number with k roundings behind it is the
exact one times a factor between (1 - u)^k and (1 - u)^-k, u = 2^-53, in whatever order a library sums. The counts
follow the same plan as the sweep. Proof: docs/proofs/synthbounds.graphical-estimate.md.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pgm.algebra import Linear, Underflow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.pgm.layout import Layout
    from mechanisms.pgm.plan import Group, Plan

    Floats = NDArray[np.float64]

UNIT = Fraction(1, 2**53)
_SAFE = 2.0**-1000
"""Far above the least normal float: a number that is not below this in floats is exactly not below that."""


def relative_error(roundings: int) -> Fraction:
    """(1 - u)^-k - 1 is at most this."""
    return roundings * UNIT / (1 - roundings * UNIT)


def roundings(layout: Layout) -> list[int]:
    """For every scope of a layout, the roundings behind each of its shares."""
    homes = _home_roundings(layout.plan, [layout.home_of.count(k) - 1 for k in range(len(layout.homes))])
    home_cells = [prod(layout.sizes[u] for u in home) for home in layout.homes]
    pairs = zip(layout.home_of, layout.lengths, strict=True)
    return [homes[k] + home_cells[k] // length - 1 for k, length in pairs]


def _home_roundings(plan: Plan, given: list[int]) -> list[int]:
    values, tables = list(given), []
    for step in plan.steps:
        left, right = _table(step.left, values), _table(step.right, values) if step.right else 0
        summed = step.left.folded[2]
        values.append(left + right + summed if step.right else left + summed - 1)
        tables.append((left, right))
    found = [0] * len(given)
    slopes = {i: values[i] + 1 for i in plan.rest}
    for step, (left, right) in reversed(list(zip(plan.steps, tables, strict=True))):
        slope = slopes.pop(step.made)
        if step.right is None:
            _spread(step.left, slope, left, values, slopes, found)
        else:
            _spread(step.left, slope + right + step.folded[2], left, values, slopes, found)
            _spread(step.right, slope + left + step.folded[1], right, values, slopes, found)
    return found


def _table(group: Group, values: list[int]) -> int:
    return sum(values[part.number] for part in group.parts) + len(group.parts) - 1


def _spread(group: Group, slope: int, table: int, values: list[int], slopes: dict[int, int], found: list[int]) -> None:
    given = len(found)
    if len(group.parts) == 1 and group.parts[0].number >= given:
        slopes[group.parts[0].number] = slope
        return
    belief = slope + table + 1
    for part in group.parts:
        marginal = belief + prod(group.full[k] for k in part.summed) - 1
        if part.number < given:
            found[part.number] = 2 * marginal + prod(part.shape)
        else:
            slopes[part.number] = marginal + values[part.number] + 1


class Checked(Linear):
    """Linear space that refuses any operation in which a positive number could underflow or overflow."""

    def times(self, first: Floats, second: Floats) -> Floats:  # type: ignore[override]
        require_safe(least(first) * least(second))
        return _finite(np.multiply(first, second))

    def over(self, table: Floats, by: Floats) -> Floats:
        require_safe(least(table) / float(by.max()))
        return _finite(super().over(table, by))

    def products(self, first: Floats, second: Floats) -> Floats:
        require_safe(least(first) * least(second))
        return _finite(super().products(first, second))

    def settled(self, message: Floats) -> tuple[Floats, float, float]:
        found = super().settled(message)
        require_safe(least(message) * found[1])
        return found

    def shares(self, table: Floats) -> Floats:
        require_safe(least(table) / float(table.sum(axis=-1).max()))
        return _finite(super().shares(table))


def least(table: Floats) -> float:
    """The least positive entry."""
    return float(np.min(table, where=np.asarray(table) > 0, initial=np.inf))


def require_safe(bound: float) -> None:
    """Refuse numbers if one of them may be below the normal floats."""
    if not bound >= _SAFE:
        raise Underflow


def _finite(table: Floats) -> Floats:
    if not np.isfinite(table).all():
        raise Underflow
    return table
