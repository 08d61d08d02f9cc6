"""Noisy tables that an estimate is made from; several tables of the same columns are worth one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredTable:
    """Noisy counts of some columns (increasing numbers), the shape of their sizes, and the deviation of the noise."""

    columns: tuple[int, ...]
    counts: Floats
    sd: float

    def __post_init__(self) -> None:
        if not self.columns or list(self.columns) != sorted(set(self.columns)):
            raise ParameterError("columns", self.columns, "different column numbers in increasing order")
        if not (self.sd > 0 and isfinite(self.sd)):
            raise ParameterError("sd", self.sd, "a finite number above 0")
        if not np.isfinite(self.counts).all():
            raise ParameterError("counts", "not finite", "finite numbers")

    @property
    def precision(self) -> float:
        return self.sd**-2


def pool(tables: Sequence[MeasuredTable]) -> MeasuredTable:
    """The one table that says as much as several of the same columns: their mean by precision."""
    if len(tables) == 1:
        return tables[0]
    precision = sum(table.precision for table in tables)
    counts = sum((table.precision / precision) * table.counts for table in tables)
    return MeasuredTable(columns=tables[0].columns, counts=np.asarray(counts), sd=precision**-0.5)
