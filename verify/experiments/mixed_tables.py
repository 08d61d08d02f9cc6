"""Tables of categories and numbers for the experiments of vietri2022: stand-ins for those of Folktables, newly split.

Numbers are the ordered columns with at least ten values, the default of `synth`; the label is the last column. For
acs_income, whose label has 20 bins, the label is the upper ten. Each set has its own split: 80 % of the records for
training, the others for testing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from release.data.columns import LevelColumn
from release.data.schema import PUBLIC, Schema
from release.statistics.public_queries import number_places
from verify import real_tables, regression_tables
from verify.random_splits import split, stream

if TYPE_CHECKING:
    from release.data.domain import Codes

NAMES = ("adult", "law", "acs_employment", "acs_income", "acs_mobility")
TABLE_FILES = ("adult", "law", *(f"{name}_{part}" for name in NAMES[2:] for part in ("train", "test")))


@dataclass(frozen=True, eq=False)
class MixedTable:
    """Records with a label in the last column."""

    schema: Schema
    train: Codes
    test: Codes

    @property
    def label(self) -> str:
        return self.schema.names[-1]

    @property
    def numbers(self) -> tuple[int, ...]:
        return number_places(self.schema, besides=(len(self.schema.names) - 1,))

    @property
    def categories(self) -> tuple[int, ...]:
        """Columns without the label."""
        return tuple(place for place in range(len(self.schema.names) - 1) if place not in self.numbers)


def is_here(name: str) -> bool:
    return real_tables.is_here(name) if name == "law" else regression_tables.is_here(name)


@cache
def mixed_table(name: str, number: int) -> MixedTable:
    """The table with the split of that number."""
    names, sizes, rows = _records(name)
    nominal = regression_tables.NOMINAL.get(name, ())
    levels = [tuple(map(str, range(size))) for size in sizes]
    columns = (LevelColumn(*pair, ordered=pair[0] not in nominal) for pair in zip(names, levels, strict=True))
    train, test = split(rows, stream(number))
    return MixedTable(Schema(tuple(columns), PUBLIC), train, test)


@cache
def _records(name: str) -> tuple[tuple[str, ...], list[int], Codes]:
    if name == "law":
        names, sizes = real_tables.columns(name), real_tables.domain(name)
        found: Codes = real_tables.codes(name).astype(np.uint16)
        return names, [sizes[column] for column in names], found
    table = regression_tables.regression_table(name)
    domain, rows = table.features.schema.domain, np.concatenate([table.train, table.test]).astype(np.uint16)
    sizes_of = list(domain.sizes)
    if sizes_of[-1] > 2:
        rows[:, -1] = 2 * rows[:, -1] >= sizes_of[-1]
        sizes_of[-1] = 2
    return domain.names, sizes_of, rows
