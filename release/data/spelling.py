"""How cells are spelled, before their values are read: spaces that do not count, and texts that mean a missing cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from release.data.coding import MISSING, Coder, is_text, through_dictionary
from release.data.column_reading import BLANKS
from release.data.columns import Column
from release.data.decimals import parse_decimal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.coding import Marked


class SpelledCoder(Coder):
    """Strips spaces if they do not count, and finds missing cells; another coder does the rest.

    A null is missing if missing cells are declared, a text only if it is one of the declared spellings.
    """

    def __init__(self, column: Column, inner: Coder, *, strips: bool) -> None:
        self._inner, self._strips, self._spellings = inner, strips, column.missing
        self._code = MISSING if column.missing_code is None else column.missing_code

    def marked(self, cells: Any) -> Marked:
        return through_dictionary(cells, self._plain, null=self._code)

    def _plain(self, cells: Any) -> Marked:
        import pyarrow as pa
        import pyarrow.compute as pc

        if is_text(cells.type):
            cells = stripped(cells) if self._strips else cells.cast(pa.large_binary())
        gone = self._is_missing(cells)
        found: Marked = np.full(len(cells), self._code, dtype=np.int64)
        if not gone.all():
            found[~gone] = self._inner.marked(pc.filter(cells, pa.array(~gone)))
        return found

    def _is_missing(self, cells: Any) -> NDArray[np.bool_]:
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.types as t

        gone = pc.is_null(cells).to_numpy(zero_copy_only=False).copy()
        if is_text(cells.type):
            texts = cells.cast(pa.large_binary())
            listed = pa.array([text.encode() for text in self._spellings], pa.large_binary())
            gone |= pc.is_in(texts, value_set=listed).to_numpy(zero_copy_only=False)
        elif t.is_integer(cells.type):
            listed = pa.array(self._spellings, pa.string())
            gone |= pc.is_in(cells.cast(pa.string()), value_set=listed).to_numpy(zero_copy_only=False)
        elif t.is_floating(cells.type):
            floats = cells.to_numpy(zero_copy_only=False)
            for text in self._spellings:
                if text.lower() == "nan":
                    gone |= np.isnan(floats)
                elif parse_decimal(text) is not None:
                    gone |= floats == float(text)
        return np.asarray(gone, dtype=np.bool_)


def stripped(texts: Any) -> Any:
    """Texts without spaces and tabs at their ends; bytes that are not UTF-8 stay unchanged."""
    import pyarrow as pa
    import pyarrow.compute as pc

    loose = pc.CastOptions(target_type=pa.large_string(), allow_invalid_utf8=True)
    return pc.ascii_trim(pc.cast(texts, options=loose), characters=BLANKS).cast(pa.large_binary())
