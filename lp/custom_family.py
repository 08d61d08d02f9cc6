"""Queries that the user supplies as functions of codes, with declared ranges that are checked wherever they are used.

What one record can move is bounded by the declared ranges alone, so a wrong declaration is refused, never believed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.errors import DataError, ParameterError
from bounds.queries import QueryFamily
from lp.domain import Domain
from lp.families import Family

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lp.domain import Codes


class CustomFamily(Family):
    """Functions that the user supplies, with values in [-1, 1] on every code.

    One record can move the sum of all answers by at most the sum of their ranges, which is what is used; the ranges are
    declared with the functions and checked on every point that is evaluated.
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
            raise ParameterError("ranges", len(ranges), f"{len(functions)}, one a function")
        for (label, _), (low, high) in zip(functions, ranges, strict=True):
            if not -denominator <= low < high <= denominator:
                raise ParameterError(f"range of {label}", f"{low}..{high}", f"within {-denominator}..{denominator}")
        self.name, self.domain, self.denominator = "custom", domain, denominator
        self._functions, self._ranges = tuple(functions), tuple(ranges)
        self.largest = max(max(-low, high) for low, high in ranges)
        widths = [high - low for low, high in ranges]
        self.facts = _custom_facts([Fraction(w, denominator) for w in widths])

    @property
    def count(self) -> int:
        return len(self._functions)

    def label(self, query: int) -> str:
        return self._functions[query][0]

    def values(self, codes: Codes) -> NDArray[np.float64]:
        import numpy as np

        found = np.empty((self.count, len(codes)))
        for out, (label, function), (low, high) in zip(found, self._functions, self._ranges, strict=True):
            out[:] = function(codes)
            if out.size and not (low <= out.min() and out.max() <= high and np.all(out == np.rint(out))):
                raise DataError(f"query {label}: a value is not an integer within its declared range {low}..{high}")
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
