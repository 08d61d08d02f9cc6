"""Which columns of a schema are categories, relaxed to points of simplices, and which are numbers from 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mechanisms.rap.relaxed import Layout

if TYPE_CHECKING:
    from mechanisms.rap.products import Blocks
    from release.log.steps import Columns, Shape


@dataclass(frozen=True)
class Roles:
    """Roles of the columns of a log, with the codes of its wider tables."""

    shape: Shape
    numbers: tuple[int, ...]
    """Places in the schema; all other columns are categories."""

    @cached_property
    def categories(self) -> tuple[int, ...]:
        return tuple(place for place in range(len(self.shape.sizes)) if place not in self.numbers)

    @cached_property
    def layout(self) -> Layout:
        return Layout(tuple(self.shape.merged[place] for place in self.categories), len(self.numbers))

    @cached_property
    def tops(self) -> tuple[int, ...]:
        """For every number, the code that is mapped to 1."""
        return tuple(self.shape.sizes[place] - 1 for place in self.numbers)

    def blocks(self, columns: Columns) -> Blocks:
        """These places in the schema, as places among the categories."""
        return tuple(self._blocks[place] for place in columns)

    @cached_property
    def _blocks(self) -> dict[int, int]:
        return {place: block for block, place in enumerate(self.categories)}
