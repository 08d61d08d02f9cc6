"""Weights of the rows of a public table: a file with one per row, in the order of the table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import DataError
from release.data.decimals import is_decimal
from release.data.number_lines import number_lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

HEADER = "weight"
DIGITS = 10
"""Significant ones, as a weight is written."""


def weights_text(weights: NDArray[np.float64]) -> str:
    """The file."""
    return "\n".join([HEADER, *(f"{weight:.{DIGITS}g}" for weight in weights.tolist()), ""])


def read_weights(path: str | Path, rows: int) -> list[float]:
    """The weights in a file, as many as the table has rows."""
    where = f"weights {Path(path).name}"
    found = []
    for row, text in enumerate(number_lines(path, where), start=1):
        if not is_decimal(text):  # Python's float takes 1_0 and digits of other scripts, too
            raise DataError(f"{where}: row {row} is not a decimal number")
        found.append(float(text))
    weights_of(found, rows, where)
    return found


def weights_of(values: Sequence[float], rows: int, where: str = "weights") -> NDArray[np.float64]:
    """Numbers of at least 0, not all of them 0, one for each row."""
    found = np.asarray(values, dtype=np.float64)
    if found.shape != (rows,):
        raise DataError(f"{where}: has {len(found)} rows; the table has {rows}")
    wrong = np.flatnonzero(~(np.isfinite(found) & (found >= 0)))
    if len(wrong):
        raise DataError(f"{where}: row {wrong[0] + 1} is not a finite number of at least 0")
    if not found.any():
        raise DataError(f"{where}: every weight is 0")
    return found
