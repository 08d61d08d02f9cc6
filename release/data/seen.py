"""What has been seen of one column of a table: gaps, distinct texts, numbers, dates; conclusions are drawn elsewhere.

A draft of a schema looks at all cells once, in batches. Only a limited number of distinct texts is kept; numbers are
kept as their range. Date formats are tried on every text, and those that fit all remain.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from release.data.coding import decoded, is_text
from release.data.date_format import DateFormat
from release.data.decimals import parse_decimal
from release.data.spelling import stripped

SPELLINGS = ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", ".")
"""Texts that are taken for missing cells. Whether `NA` is a gap or a country, a person must say."""
_TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f")
_ISO_TIMES = ("T%H:%M", "T%H:%M:%S", "T%H:%M:%S.%f", "T%H:%M:%SZ", "T%H:%M:%S.%fZ")
_DAYS = ("%Y/%m/%d", "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m/%d/%y", "%d/%m/%y", "%d.%m.%y")
_NAMED = ("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y", "%b %Y", "%B %Y", "%Y-%m", "%Y/%m")
FORMATS = tuple(
    DateFormat(text)
    for text in (
        *(f"%Y-%m-%d{time}" for time in (*_TIMES, *_ISO_TIMES)),
        *(f"{day}{time}" for day in _DAYS for time in (*_TIMES, " %I:%M %p", " %I:%M:%S %p")),
        *_NAMED,
    )
)
"""Formats of dates that a draft recognises, the likelier ones first."""
_LONGEST_DATE = 40
_INTEGER = r"^[+-]?[0-9]+$"
_PADDED = r"^[+-]?0[0-9]"
"""A text such as 00501 is the code of something, not a number: written as one it would lose its zeros."""


def is_a_value(text: str) -> bool:
    """Whether a text is a number or a date, as cells often are and names of columns seldom."""
    if parse_decimal(text) is not None:
        return True
    return len(text) <= _LONGEST_DATE and any(written.read(text) is not None for written in FORMATS)


class Seen:
    """What has been seen of one column; `most_kept` distinct texts are remembered."""

    def __init__(self, most_kept: int) -> None:
        self._most = most_kept
        self.rows = 0
        self.gaps: dict[str | None, int] = {}
        """How often each spelling of a missing cell occurs; None is a null."""
        self.has_blanks = False
        self.texts: set[str] | None = set()
        """Distinct values, while they are few enough."""
        self.kept_at = 0
        """How many rows with a value there were when the texts became too many."""
        self.is_labelled = True
        """Whether the type can be read as levels."""
        self.is_numeric, self.is_whole = True, True
        self.lo: Fraction | None = None
        self.hi: Fraction | None = None
        self.formats: dict[DateFormat, tuple[int, int]] | None = None
        """Formats that fit every value, with the first and the last day; None before any text was tried."""
        self.is_dated = True
        """Whether every value is a date of some format."""
        self.problem = ""
        """Why no schema can describe the column."""

    @property
    def missing(self) -> int:
        """How many cells are missing."""
        return sum(self.gaps.values())

    @property
    def spellings(self) -> tuple[str, ...]:
        """How missing cells are spelled, the most frequent first; a null counts as an empty cell."""
        found: dict[str, int] = {}
        for text, count in self.gaps.items():
            found[text or ""] = found.get(text or "", 0) + count
        return tuple(sorted(found, key=lambda text: -found[text]))

    @property
    def values(self) -> int:
        """How many cells are not missing."""
        return self.rows - self.missing

    def has(self, text: str) -> bool:
        """Whether a cell is known to have this text."""
        return text in self.gaps or (self.texts is not None and text in self.texts)

    def look_at(self, cells: Any) -> None:
        """One batch, an Arrow array."""
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.types as t

        before, self.rows = self.rows, self.rows + len(cells)
        if self.problem:
            return
        if cells.null_count:
            self._miss(None, cells.null_count)
        kind = cells.type.value_type if t.is_dictionary(cells.type) else cells.type
        if t.is_null(kind):
            return
        known = (is_text, t.is_floating, t.is_date, t.is_timestamp, t.is_integer, t.is_boolean, t.is_decimal)
        if not any(check(kind) for check in known):
            self.problem = f"has the type {kind}, which no schema can describe"
            return
        if t.is_string_view(kind):
            cells = cells.cast(pa.large_string())
        counted = pc.value_counts(cells)
        distinct, counts = counted.field(0), counted.field(1)
        if t.is_dictionary(distinct.type):
            distinct = distinct.dictionary_decode()
        kept = pc.is_valid(distinct)
        distinct, counts = distinct.filter(kept), counts.filter(kept)
        if is_text(kind):
            self._look_at_texts(distinct, counts, cells, before)
        elif t.is_floating(kind):
            self._look_at_floats(distinct, counts)
        elif t.is_date(kind) or t.is_timestamp(kind):
            self._look_at_dates(distinct)
        else:
            self.is_labelled = not t.is_decimal(kind)
            self._look_at_values(distinct.cast(pa.string()), may_be_number=not t.is_boolean(kind))

    def _miss(self, spelling: str | None, count: int) -> None:
        self.gaps[spelling] = self.gaps.get(spelling, 0) + count

    def _look_at_texts(self, distinct: Any, counts: Any, cells: Any, before: int) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        raw = distinct.cast(pa.large_binary())
        short = stripped(raw)
        self.has_blanks = self.has_blanks or not short.equals(raw)
        try:
            texts = short.cast(pa.large_string())
        except pa.ArrowInvalid:
            self.problem = f"row {before + _first_not_utf8(cells)} is not UTF-8 text"
            return
        gone = pc.is_in(texts, value_set=pa.array(SPELLINGS, pa.large_string()))
        for text, count in zip(texts.filter(gone).to_pylist(), counts.filter(gone).to_pylist(), strict=True):
            self._miss(text, count)
        self._look_at_values(texts.filter(pc.invert(gone)), may_be_number=True)

    def _look_at_values(self, texts: Any, *, may_be_number: bool) -> None:
        if not len(texts):
            return
        if self.texts is not None:
            self.texts.update(texts.to_pylist())
            if len(self.texts) > self._most:
                self.kept_at, self.texts = self.values, None
        self.is_numeric = self.is_numeric and may_be_number and self._numbers(texts)
        if self.is_numeric or not (self.is_dated or self.formats):
            self.is_dated = self.is_dated and not self.is_numeric
            return
        self._try_formats(texts.to_pylist())

    def _look_at_floats(self, distinct: Any, counts: Any) -> None:
        import numpy as np
        import pyarrow.compute as pc

        self.is_labelled, self.is_dated = False, False
        nan = pc.is_nan(distinct)
        for count in counts.filter(nan).to_pylist():
            self._miss("NaN", count)
        floats = distinct.filter(pc.invert(nan)).to_numpy(zero_copy_only=False).astype(np.float64)
        if not np.all(np.isfinite(floats)):
            self.problem = "contains infinite numbers"
        elif len(floats):
            self.texts = None
            self.is_whole = self.is_whole and bool(np.all(floats == np.floor(floats)))
            self._widen([Fraction(float(floats.min())), Fraction(float(floats.max()))])

    def _look_at_dates(self, distinct: Any) -> None:
        import pyarrow.types as t

        from release.data.date_coding import EPOCH, hours_since_epoch

        self.is_numeric, self.is_labelled, self.texts = False, False, None
        if len(distinct):
            hours = hours_since_epoch(distinct)
            format_ = DateFormat("%Y-%m-%d" if t.is_date(distinct.type) else "%Y-%m-%d %H:%M:%S")
            days = (int(hours.min()) // 24 + EPOCH, int(hours.max()) // 24 + EPOCH)
            old = (self.formats or {}).get(format_, days)
            self.formats = {format_: (min(old[0], days[0]), max(old[1], days[1]))}

    def _numbers(self, texts: Any) -> bool:
        """Whether all are decimal numbers; widens the range. Only the extreme ones are read as fractions."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        if pc.any(pc.match_substring_regex(texts, _PADDED)).as_py():
            return False
        try:
            floats = texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            return False
        if not np.all(np.isfinite(floats)):
            return False
        extreme = np.flatnonzero((floats == floats.min()) | (floats == floats.max()))
        numbers = [parse_decimal(texts[int(i)].as_py()) for i in extreme]
        if any(number is None for number in numbers):
            return False
        self._widen([number for number in numbers if number is not None])
        self.is_whole = self.is_whole and bool(pc.all(pc.match_substring_regex(texts, _INTEGER)).as_py())
        return True

    def _widen(self, numbers: list[Fraction]) -> None:
        self.lo = min(numbers if self.lo is None else [self.lo, *numbers])
        self.hi = max(numbers if self.hi is None else [self.hi, *numbers])

    def _try_formats(self, texts: list[str]) -> None:
        """Keep the formats that fit; the first time all, later those that fitted before."""
        for text in texts:
            fitting = {}
            for written in FORMATS if self.formats is None else self.formats:
                read = written.read(text) if len(text) <= _LONGEST_DATE else None
                if read is not None:
                    first, last = (self.formats or {}).get(written, (read[0], read[0]))
                    fitting[written] = (min(first, read[0]), max(last, read[0]))
            self.formats = fitting
            if not fitting:
                self.is_dated = self.is_dated and any(written.read(text) for written in FORMATS)
                if not self.is_dated:
                    return

    @property
    def share_distinct(self) -> Fraction:
        """Distinct values among all; if they were too many to keep, among those seen until then."""
        if self.texts is not None:
            return Fraction(len(self.texts), max(self.values, 1))
        return Fraction(self._most, max(self.kept_at, 1))


def _first_not_utf8(cells: Any) -> int:
    """The row, from 1, of the first cell that is not UTF-8; each text of a dictionary is looked at once."""
    import pyarrow as pa

    is_dictionary = pa.types.is_dictionary(cells.type)
    places = cells.indices.to_pylist() if is_dictionary else range(len(cells))
    texts = (cells.dictionary if is_dictionary else cells).cast(pa.large_binary()).to_pylist()
    wrong = {place for place, text in enumerate(texts) if text is not None and decoded(text) is None}
    return next(row for row, place in enumerate(places, start=1) if place in wrong)
