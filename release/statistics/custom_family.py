"""Queries that the user supplies as functions of codes, with declared ranges and integer values over a denominator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.errors import DataError, ParameterError
from bounds.queries import QueryFamily
from release.data.domain import Domain
from release.statistics.families import Family

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from release.data.domain import Codes


MOST_ENUMERATED = 4096
"""On domains up to this size every function is a table, made before any record is seen."""


class CustomFamily(Family):
    """Functions of one record that the user supplies, with values in [-1, 1].

    On a small domain they are evaluated at every point beforehand: a value outside its declared range is refused,
    records are looked up, and sensitivities are exact. On a larger domain a record is assumed to move every answer by
    its whole declared range at once, and values are clipped to the range, because a refusal would reveal something
    about a record. There each function is trusted to look at each row separately.
    """

    def __init__(
        self,
        domain: Domain,
        functions: Sequence[tuple[str, Callable[[Codes], NDArray[np.integer]]]],
        *,
        denominator: int,
        ranges: Sequence[tuple[int, int]],
    ) -> None:
        if len(ranges) != len(functions) or not functions:
            raise ParameterError("ranges", len(ranges), f"{len(functions)}, one per function")
        for (label, _), (low, high) in zip(functions, ranges, strict=True):
            if not 0 < denominator < 2**20 or not -denominator <= low < high <= denominator:
                raise ParameterError(f"range of {label}", f"{low}..{high}", f"within {-denominator}..{denominator}")
        self.name, self.domain, self.denominator = "custom", domain, denominator
        self._functions, self._ranges = tuple(functions), tuple(ranges)
        self.largest = max(max(-low, high) for low, high in ranges)
        self.facts = _custom_facts([Fraction(high - low, denominator) for low, high in ranges])
        self._table: NDArray[np.float64] | None = None
        if domain.size <= MOST_ENUMERATED:
            self._table = self._tabulated()
            self.facts = self._exact_facts(self._table)

    def _tabulated(self) -> NDArray[np.float64]:
        import numpy as np

        points = self.domain.points(np.arange(self.domain.size))
        found = np.empty((self.count, self.domain.size))
        for out, (label, function), (low, high) in zip(found, self._functions, self._ranges, strict=True):
            out[:] = function(points)
            if not (low <= out.min() and out.max() <= high and np.all(out == np.rint(out))):
                raise DataError(f"query {label}: a value is not an integer within its declared range {low}..{high}")
        return found

    def _exact_facts(self, table: NDArray[np.float64]) -> QueryFamily:
        """The sensitivities over all pairs of records."""
        import numpy as np

        widest = l1 = squared = 0
        for column in table.T:
            moved = np.abs(table - column[:, None])
            widest = max(widest, int(moved.max()))
            l1 = max(l1, int(moved.sum(axis=0).max()))
            squared = max(squared, int((moved * moved).sum(axis=0).max()))
        if widest == 0:
            raise ParameterError("functions", "constant", "such that one of them is not")
        below = self.denominator
        return replace(
            self.facts,
            range_width=Fraction(widest, below),
            l1_sensitivity=Fraction(l1, below),
            l2_sensitivity_squared=Fraction(squared, below**2),
            trivial_accuracy=Fraction(widest, below) * Fraction(self.count, self.count + 1),
        )

    @property
    def count(self) -> int:
        return len(self._functions)

    def label(self, query: int) -> str:
        return self._functions[query][0]

    def values(self, codes: Codes) -> NDArray[np.float64]:
        import numpy as np

        if self._table is not None:
            return self._table[:, self.domain.numbers(codes)]
        found = np.empty((self.count, len(codes)))
        for out, (_, function), (low, high) in zip(found, self._functions, self._ranges, strict=True):
            out[:] = np.clip(np.rint(np.nan_to_num(function(codes))), low, high)
        return found


def _custom_facts(widths: Sequence[Fraction]) -> QueryFamily:
    count, widest = len(widths), max(widths)
    return QueryFamily(
        name="custom",
        total=count,
        varying=count,
        range_width=widest,
        l1_sensitivity=sum(widths, Fraction(0)),
        l2_sensitivity_squared=sum((w * w for w in widths), Fraction(0)),
        dimension=count,
        trivial_accuracy=widest * Fraction(count, count + 1),  # the centre of a convex body, by Minkowski
        packing=None,
    )
