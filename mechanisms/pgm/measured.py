"""Noisy tables from which an estimate is made; several tables of the same columns are combined into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredTable:
    """Noisy counts of some columns (increasing numbers), in the shape of their sizes, and the deviation of the noise.

    A single deviation applies to every cell; a table of deviations has the shape of the counts.
    """

    columns: tuple[int, ...]
    counts: Floats
    sd: float | Floats

    def __post_init__(self) -> None:
        if not self.columns or list(self.columns) != sorted(set(self.columns)):
            raise ParameterError("columns", self.columns, "different column numbers in increasing order")
        object.__setattr__(self, "counts", np.asarray(self.counts, dtype=np.float64))
        object.__setattr__(self, "sd", np.broadcast_to(np.asarray(self.sd, dtype=np.float64), self.counts.shape))
        if not (np.isfinite(self.sd).all() and np.min(self.sd) > 0):
            raise ParameterError("sd", float(np.min(self.sd)), "finite numbers above 0")
        if not np.isfinite(self.counts).all():
            raise ParameterError("counts", "not finite", "finite numbers")

    @property
    def deviations(self) -> Floats:
        """The deviation of every cell."""
        return np.asarray(self.sd)


def pool(tables: Sequence[MeasuredTable]) -> MeasuredTable:
    """The table equivalent to several of the same columns: their mean weighted by precision."""
    if len(tables) == 1:
        return tables[0]
    precision = sum(table.deviations**-2 for table in tables)
    counts = sum(table.deviations**-2 / precision * table.counts for table in tables)
    return MeasuredTable(columns=tables[0].columns, counts=np.asarray(counts), sd=np.asarray(precision**-0.5))
