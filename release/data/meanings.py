"""What a synthetic table shows for the codes of a column: texts for CSV, typed values for Parquet.

Missing cells are the first declared spelling, and nulls in Parquet. Labels are dictionary-encoded text in Parquet,
dates are dates or timestamps, numbers are integers or floats if those read back as their codes, else decimal text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from release.data.columns import Column, LevelColumn, NumberColumn
from release.data.dates import DateColumn
from release.data.inside import Draws, MomentsInside, NumbersInside, arrow_moments, first_moments, has_inside
from release.data.schema import Schema

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Meaning(Protocol):
    """Turns codes of one column into cells."""

    type: Any
    """Of the cells, as Arrow knows it."""

    def cells(self, codes: NDArray[np.integer]) -> Any:
        """An Arrow array with a cell for every code."""


def meanings_of(schema: Schema, seed: int | None, *, as_text: bool) -> list[Meaning]:
    """One for each column; without a seed a bin is always shown by the same value."""
    return [
        Lookup(column, as_text=as_text)
        if seed is None or not has_inside(column)
        else Inside(column, Draws(seed, place), as_text=as_text)
        for place, column in enumerate(schema.columns)
    ]


def csv_cell(text: str) -> str:
    """A cell of RFC 4180. A cell that a reader could take for the byte order mark of the file is quoted, too."""
    if any(c in text for c in ',"\r\n') or text.startswith("\ufeff"):
        return '"' + text.replace('"', '""') + '"'
    return text


class Lookup:
    """Every code has one value: its label, the middle of its bin, its grid point, the first moment of its bin."""

    def __init__(self, column: Column, *, as_text: bool) -> None:
        import pyarrow as pa

        self._dictionary = isinstance(column, LevelColumn) and not as_text
        if as_text:
            self._values = pa.array([csv_cell(text) for text in column.texts], pa.large_string())
        else:
            values = _typed(column)
            self._values = pa.concat_arrays([values, pa.nulls(column.size - len(values), values.type)])
        self.type = pa.dictionary(pa.int32(), self._values.type) if self._dictionary else self._values.type
        self._missing = column.missing_code

    def cells(self, codes: NDArray[np.integer]) -> Any:
        import pyarrow as pa

        if not self._dictionary:
            return self._values.take(pa.array(codes))
        gone = None if self._missing is None else codes == self._missing
        labels = self._values if self._missing is None else self._values[: self._missing]
        return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32), mask=gone), labels)


class Inside:
    """A value drawn inside the bin of each code."""

    def __init__(self, column: Column, draws: Draws, *, as_text: bool) -> None:
        import pyarrow as pa

        self._column, self._draws = column, draws
        self._gap = column.missing[0] if as_text and column.missing else None
        self._numbers = NumbersInside(column) if isinstance(column, NumberColumn) else None
        self._moments = MomentsInside(column) if isinstance(column, DateColumn) else None
        self._as_text = as_text
        if as_text:
            self.type = pa.large_string()
        elif isinstance(column, DateColumn):
            self.type = arrow_moments(column, []).type
        else:
            assert isinstance(column, NumberColumn)
            assert self._numbers is not None
            twice = np.repeat(np.arange(column.cells), 2)
            self.type = _number_array(column, self._numbers.extremes, twice).type

    def cells(self, codes: NDArray[np.integer]) -> Any:
        import pyarrow as pa

        present = codes < self._column.value_count
        found: list[Any] = [self._gap] * len(codes)
        places = np.flatnonzero(present).tolist()
        for place, value in zip(places, self._drawn(codes[present]), strict=True):
            found[place] = value
        if self._as_text:
            return pa.array([csv_cell(text) for text in found], self.type)
        if isinstance(self._column, DateColumn):
            return arrow_moments(self._column, found)
        if pa.types.is_string(self.type):
            return pa.array(found, self.type)
        number = int if pa.types.is_integer(self.type) else float
        return pa.array([None if text is None else number(text) for text in found], self.type)

    def _drawn(self, codes: NDArray[np.integer]) -> list[Any]:
        if self._numbers is not None:
            return self._numbers.texts(codes, self._draws)
        assert self._moments is not None
        assert isinstance(self._column, DateColumn)
        moments = self._moments.moments(codes, self._draws)
        if not self._as_text:
            return moments
        first, spelled = self._column.value_texts, self._column.missing
        texts = (self._column.format.write(*moment) for moment in moments)
        return [first[code] if text in spelled else text for code, text in zip(codes.tolist(), texts, strict=True)]


def _typed(column: Column) -> Any:
    """The Parquet value of each code except the missing one."""
    import pyarrow as pa

    if isinstance(column, LevelColumn):
        return pa.array(column.levels, pa.string())
    if isinstance(column, DateColumn):
        return arrow_moments(column, first_moments(column))
    assert isinstance(column, NumberColumn)
    return _number_array(column, column.value_texts, np.arange(column.cells))


def _number_array(column: NumberColumn, texts: Any, codes: NDArray[np.integer]) -> Any:
    """Numbers as integers or floats if those read back as the codes, else as decimal text."""
    import pyarrow as pa

    from release.data.coding import NumberCoder

    candidates = []
    if all("." not in text and abs(int(text)) < 2**63 for text in texts):
        candidates.append(pa.array([int(text) for text in texts], pa.int64()))
    candidates.append(pa.array([float(text) for text in texts], pa.float64()))
    coder = NumberCoder(column)  # no number that is written spells a missing cell
    for values in candidates:
        if np.array_equal(coder.marked(values), codes):
            return values
    return pa.array(texts, pa.string())
