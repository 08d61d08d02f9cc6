"""Gram matrices of Boolean product queries through moments of given columns, for any degree.

The product of two queries is again a product over a set of attributes (see lp.programme.matrix_moments). A set of more
than `degree` attributes splits in one way into its lowest `degree` attributes, one query, and the rest, another query
whose attributes all come later. One matrix product for each highest attribute of the first part therefore gives every
moment once, whereas the full product of all queries with all queries gives each many times.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from lp.programme.matrix_moments import boolean_masks, product_index

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.statistics.families import ProductFamily

    Vector = NDArray[np.float64]

_MULTIPLY_COST, _GATHER_COST, _CELL_COST = 1e-10, 4e-9, 2e-9
"""CPU seconds of one multiply-add, one entry of the Gram matrix, one cell of the columns."""
_MOST_MOMENTS = 2**23


@lru_cache(maxsize=4)
def split_moments(family: ProductFamily) -> SplitMoments | None:
    """The method by split sets, if it applies; cached, because every part of a matrix asks for it again."""
    masks = boolean_masks(family)
    if masks is None or family.facts.varying != len(set(masks)):
        return None
    found = SplitMoments(family.domain.p, family.most_factors, masks, parity=family.name == "parities")
    return found if found.size <= _MOST_MOMENTS else None


class SplitMoments:
    """Gram matrices of all products of at most `degree` of p Boolean attributes."""

    def __init__(self, p: int, degree: int, masks: list[int], *, parity: bool) -> None:
        lowest = [(m & -m).bit_length() - 1 for m in masks]
        self._order = np.argsort([-low for low in lowest], kind="stable")
        ordered = [masks[i] for i in self._order]
        later = np.searchsorted([-lowest[i] for i in self._order], np.arange(p) * -1, side="left")
        # later[t]: how many queries have all attributes after t
        self._steps: list[tuple[NDArray[np.int64], int, int]] = []
        names = list(masks)
        for t in range(p):
            count = int(later[t])
            first = [i for i, m in enumerate(masks) if m.bit_count() == degree and m.bit_length() - 1 == t]
            if first and count:
                self._steps.append((np.array(first), count, 1 + len(names)))
                names.extend(masks[i] | other for i in first for other in ordered[:count])
        self.size = 1 + len(names)
        self._rows = len(masks)
        self._masks, self._parity = masks, parity
        self._names = names

    @cached_property
    def _index(self) -> NDArray[np.int32]:
        """Which moment is the product of two queries."""
        places = {name: place for place, name in enumerate(self._names, start=1)}
        places[0] = 0
        return product_index(self._masks, places, symmetric_difference=self._parity)

    def seconds_est(self, count: int) -> float:
        """The expected cost of a Gram matrix of this many columns."""
        return (
            count * (self.size * _MULTIPLY_COST + self._rows * 2 * _CELL_COST) + self._rows * self._rows * _GATHER_COST
        )

    def arrange(self, columns: Vector) -> Vector:
        """The columns, with a copy in the order of queries that `add` needs."""
        return columns[self._order]

    def add(self, moments: Vector, columns: Vector, arranged: Vector, d: Vector) -> None:
        """Add the moments of these weighted columns."""
        moments[0] += d.sum()
        moments[1 : 1 + self._rows] += columns @ d
        for first, count, start in self._steps:
            part = (columns[first] * d) @ arranged[:count].T
            moments[start : start + part.size] += part.ravel()

    def gram(self, moments: Vector) -> Vector:
        """The Gram matrix from its moments."""
        return np.asarray(np.take(moments, self._index))
