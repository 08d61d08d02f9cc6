"""Access to the cells of a table: its columns by name, and their cells in batches, wherever they are stored.

release.data.coding decides what cells mean, and release.data.tables whether a table fits its schema.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any


class Rows(ABC):
    """A table that has been looked at."""

    where: str
    """The name used in error messages."""
    columns: list[tuple[str, Any]]
    """Names, as they are written, with Arrow types; None if all cells are text."""
    are_in_order: bool = True
    """Whether the number of a row identifies it."""

    @abstractmethod
    def batches(self, names: Sequence[str]) -> Iterator[list[Any]]:
        """The named columns as Arrow arrays of equal length, some rows at a time."""
