"""Structural zeros: combinations of codes that no record can have, by public knowledge.

They are not private: they must be known without the table. A record with one of them contradicts the declaration, and
the steward is told so before any noise is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.errors import DataError
from release.data.source import Source
from release.files.strict_json import is_text, parse_json, read_json_file, require_object, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.columns import Column
    from release.data.domain import Codes
    from release.data.schema import Schema

MOST_CELLS = 2**22
"""Combinations of values of the columns of one structural zero."""


@dataclass(frozen=True)
class Impossible:
    """Codes of some columns that cannot occur together."""

    columns: tuple[int, ...]
    """Places in the schema, increasing."""
    codes: tuple[tuple[int, ...], ...]

    def cells(self, sizes: Sequence[int]) -> NDArray[np.bool_]:
        """A table of these columns, True where no record can be."""
        found = np.zeros([sizes[place] for place in self.columns], dtype=bool)
        found[tuple(np.array(self.codes, dtype=np.intp).T)] = True
        return found

    def to_json(self, schema: Schema) -> dict[str, Any]:
        """Columns by name, and codes as a table shows them."""
        texts = [schema.columns[place].texts for place in self.columns]
        return {
            "columns": [schema.names[place] for place in self.columns],
            "values": [[texts[i][code] for i, code in enumerate(row)] for row in self.codes],
        }


def read_impossible(path: str | Path, schema: Schema) -> tuple[Impossible, ...]:
    """The structural zeros in a file: {"impossible": [{"columns": [...], "values": [[...], ...]}, ...]}."""
    text, where = read_json_file(path, "impossible")
    return impossible_of(require_object(parse_json(text, where), where, {"impossible"})["impossible"], schema, where)


def impossible_of(body: object, schema: Schema, where: str) -> tuple[Impossible, ...]:
    """The structural zeros in a list that parse_json has read; each set of columns occurs once."""
    if not isinstance(body, list):
        raise DataError(f"{where}: impossible: must be a list of objects with columns and values")
    found = tuple(_zeros(item, schema, f"{where}: impossible[{i}]") for i, item in enumerate(body))
    for i, zeros in enumerate(found):
        if any(zeros.columns == other.columns for other in found[:i]):
            raise DataError(f"{where}: impossible[{i}]: columns: given twice; list all values together")
    return found


def _zeros(body: object, schema: Schema, where: str) -> Impossible:
    fields = require_object(body, where, {"columns", "values"})
    names, rows = fields["columns"], fields["values"]
    if not isinstance(names, list) or not all(is_text(name) and name in schema.places for name in names):
        raise DataError(f"{where}: columns = {shown(names)}: must be a list of columns of the schema")
    if not names or len(set(names)) < len(names):
        raise DataError(f"{where}: columns = {shown(names)}: must be different columns, at least one")
    given = [schema.places[name] for name in names]
    order = sorted(range(len(given)), key=lambda i: given[i])
    columns = tuple(given[i] for i in order)
    cells = prod(schema.columns[place].size for place in columns)
    if cells > MOST_CELLS:
        raise DataError(f"{where}: columns: have {cells} combinations of values: must be at most {MOST_CELLS}")
    if not isinstance(rows, list) or not rows:
        raise DataError(f"{where}: values: must be a list of at least one list of values")
    codes = set()
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != len(names):
            raise DataError(f"{where}: values[{i}]: must be a list of {len(names)} values, one for each column")
        coded = [
            _code(cell, schema.columns[place], f"{where}: values[{i}]") for cell, place in zip(row, given, strict=True)
        ]
        codes.add(tuple(coded[j] for j in order))
    if len(codes) == cells:
        raise DataError(f"{where}: values: nothing is left that a record may have")
    return Impossible(columns, tuple(sorted(codes)))


def _code(cell: object, column: Column, where: str) -> int:
    """The code that a table shows as this text."""
    if not is_text(cell) or cell not in column.texts:
        raise DataError(f"{where}: {shown(column.name)} = {shown(cell)}: must be a value as a synthetic table shows it")
    return column.texts.index(str(cell))


def require_possible(records: Codes | Source, impossible: Sequence[Impossible], schema: Schema) -> None:
    """Refuse impossible records; the steward is told the row, if there is one, and the columns, but no value."""
    for zeros in impossible:
        cells, names = zeros.cells(schema.domain.sizes), ", ".join(schema.names[place] for place in zeros.columns)
        if isinstance(records, Source):
            if records.counts([zeros.columns])[zeros.columns][cells].any():
                raise DataError(f"table: columns {names}: hold values that were declared impossible together")
            continue
        hit = cells[tuple(records[:, place].astype(np.intp) for place in zeros.columns)]
        if hit.any():
            row = int(np.argmax(hit)) + 1
            raise DataError(f"table: row {row}, columns {names}: holds values that were declared impossible together")
