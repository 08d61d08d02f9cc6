"""Structural zeros: combinations of codes that no record can have, by public knowledge.

They are no part of what is private: whoever states them must know them without the table. A record that has one does
not fit what was declared, and its holder is told so before any noise is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.data.schema import Schema


@dataclass(frozen=True)
class Impossible:
    """Of some columns, the codes that cannot be together."""

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


def require_possible(records: Codes, impossible: Sequence[Impossible], schema: Schema) -> None:
    """Refuse records that cannot be; row and columns are told to the holder of the table, and no value."""
    for zeros in impossible:
        cells = zeros.cells(schema.domain.sizes)
        hit = cells[tuple(records[:, place].astype(np.intp) for place in zeros.columns)]
        if hit.any():
            row, names = int(np.argmax(hit)) + 1, ", ".join(schema.names[place] for place in zeros.columns)
            raise DataError(f"table: row {row}, columns {names}: holds values that were declared impossible together")
