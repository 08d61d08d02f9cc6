"""The public domain of records: attributes with finitely many codes, and the numbering of its points.

A record is a row of integer codes, one per attribute, from 0 to the attribute's size - 1. A real attribute is a
fine grid of codes: its value, scaled to [0, 1], is code / (size - 1). The schema says what the codes mean in a table;
everything behind it works on codes only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING

from bounds.errors import DataError, ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.integer]
    """Records or points: one row each, one column per attribute."""

MOST_CODES = 2**16
"""Codes of one attribute fit into 16 bits."""


@dataclass(frozen=True)
class Domain:
    """Attributes with their number of codes; point number i has the digits of i in mixed radix, first digit first."""

    sizes: tuple[int, ...]
    names: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if not self.sizes:
            raise ParameterError("attributes", 0, "at least 1")
        for size in self.sizes:
            if not 2 <= size <= MOST_CODES:
                raise ParameterError("levels of an attribute", size, f"between 2 and {MOST_CODES}")
        if not self.names:
            object.__setattr__(self, "names", tuple(f"x{j + 1}" for j in range(len(self.sizes))))

    @property
    def p(self) -> int:
        return len(self.sizes)

    @property
    def size(self) -> int:
        """|Omega|, exactly; it may be astronomically large."""
        return prod(self.sizes)

    @property
    def is_boolean(self) -> bool:
        return all(size == 2 for size in self.sizes)

    @property
    def code_type(self) -> type[np.integer]:
        """The narrowest unsigned integer that holds every code."""
        import numpy as np

        return np.uint8 if max(self.sizes) <= 2**8 else np.uint16

    def points(self, numbers: NDArray[np.int64]) -> Codes:
        """The codes of the points with these numbers, one row each."""
        import numpy as np

        rest = np.asarray(numbers, dtype=np.int64)
        codes = np.empty((rest.size, self.p), dtype=self.code_type)
        for j, size in enumerate(self.sizes):
            rest, codes[:, j] = np.divmod(rest, size)
        return codes

    def numbers(self, codes: Codes) -> NDArray[np.int64]:
        """The numbers of these points; the domain must have fewer than 2^62 of them."""
        import numpy as np

        if self.size >= 2**62:
            raise ParameterError("domain", f"{float(self.size):.3g} points", "below 2^62 points", "to number them")
        found = np.zeros(len(codes), dtype=np.int64)
        for j in reversed(range(self.p)):
            found *= self.sizes[j]
            found += codes[:, j]
        return found


def require_records(codes: Codes, domain: Domain) -> None:
    """Refuse records that are not rows of codes of the domain."""
    import numpy as np

    if not np.issubdtype(codes.dtype, np.integer):
        raise DataError(f"records are of type {codes.dtype}: codes are integers")
    if codes.ndim != 2 or codes.shape[1] != domain.p:
        raise DataError(f"records have shape {codes.shape}: {domain.p} columns are needed, one per attribute")
    if len(codes) and (codes.min() < 0 or np.any(codes.max(axis=0) >= np.array(domain.sizes))):
        raise DataError("a record has a code outside its attribute's range")
