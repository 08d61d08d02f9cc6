"""What a Parquet file and its pages say about themselves, read before any of them is unpacked.

The footer may say anything, and so may the header of a page: a library allocates as much as they say, and pyarrow ends
the process at some contradictions in a footer. Both are structures of Thrift's compact protocol; the few fields that
count are read here, and all others are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO

_TRUE, _FALSE, _BYTE, _I16, _I64, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 4, 6, 7, 8, 9, 10, 12
_ROWS, _GROUPS = 3, 4
_COLUMNS, _ROWS_OF_GROUP = 1, 3
_META, _VALUES, _PACKED_SIZE, _FIRST_PAGE, _DICTIONARY = 3, 5, 7, 9, 11
_UNPACKED, _PACKED, _DATA, _DICTIONARY_PAGE, _DATA_2 = 2, 3, 5, 7, 8
_BEGINNING, _MOST_HEADER = 2**10, 2**24
_MOST_FIELDS = 200
"""Of the header of a page: ten times the usual size."""
_MOST_DEPTH = 16


@dataclass(frozen=True)
class Page:
    """What its header says: bytes in the file and unpacked, and how many values of which column it has."""

    packed: int
    unpacked: int
    values: int
    is_dictionary: bool
    column: int


@dataclass
class Footer:
    """What the end of the file says: how many rows, and where the pages of each column begin."""

    rows: int = 0
    columns: list[tuple[int, dict[int, int]]] = field(default_factory=list)
    """The place of the column in its group of rows, and numbers that describe its pages."""


def footer(stream: BinaryIO) -> Footer:
    """Read from the end; ValueError if there is none."""
    end = stream.seek(0, 2) - 8
    stream.seek(max(end, 0))
    length = int.from_bytes(stream.read(4), "little")
    if not 0 <= length <= end:
        raise ValueError("no footer")
    stream.seek(end - length)
    reader, found = _Reader(stream.read(length)), Footer()
    of_groups = 0
    for number, kind in reader.fields():
        if number == _GROUPS:
            for _ in reader.items(kind, _STRUCT):
                of_groups += _group(reader, found)
        elif number == _ROWS:
            found.rows = reader.whole(kind)
        else:
            reader.skip(kind)
    found.rows = max(found.rows, of_groups)
    return found


def _group(reader: _Reader, found: Footer) -> int:
    """The rows of a group; its columns are added."""
    rows = 0
    for number, kind in reader.fields():
        if number == _COLUMNS:
            for place, _ in enumerate(reader.items(kind, _STRUCT)):
                found.columns.append((place, _column(reader)))
        elif number == _ROWS_OF_GROUP:
            rows = reader.whole(kind)
        else:
            reader.skip(kind)
    return rows


def _column(reader: _Reader) -> dict[int, int]:
    said: dict[int, int] = {}
    for number, kind in reader.fields():
        if number != _META or kind != _STRUCT:
            reader.skip(kind)
            continue
        for inner, inner_kind in reader.fields():
            if inner in (_VALUES, _PACKED_SIZE, _FIRST_PAGE, _DICTIONARY):
                said[inner] = reader.whole(inner_kind)
            else:
                reader.skip(inner_kind)
    return said


def pages(stream: BinaryIO, found: Footer) -> Iterator[Page]:
    """The pages of all columns, as they will be read; ValueError if a header is not one."""
    size = stream.seek(0, 2)
    for number, said in found.columns:
        place, first = said.get(_FIRST_PAGE, 0), said.get(_DICTIONARY, 0)
        place = first if 0 < first < place else place
        end, left = place + said.get(_PACKED_SIZE, 0), said.get(_VALUES, 0)
        while left > 0 and 0 < place < end:
            page, length = _header(stream, place, number)
            place += length + page.packed
            if place > size:
                raise ValueError("a page that ends after the file")
            yield page
            left -= 0 if page.is_dictionary else page.values


def _header(stream: BinaryIO, place: int, column: int) -> tuple[Page, int]:
    """The page whose header begins there, and the length of the header."""
    size = _BEGINNING
    while True:
        stream.seek(place)
        data = stream.read(size)
        try:
            return _page(_Reader(data, most=_MOST_FIELDS), column)
        except EOFError:
            if len(data) < size or size >= _MOST_HEADER:
                raise ValueError("a page has no header") from None
            size *= 8


def _page(reader: _Reader, column: int) -> tuple[Page, int]:
    sizes, values, is_dictionary = {_PACKED: -1, _UNPACKED: -1}, 0, False
    for number, kind in reader.fields():
        if number in sizes:
            sizes[number] = reader.whole(kind)
        elif number in (_DATA, _DICTIONARY_PAGE, _DATA_2) and kind == _STRUCT:
            is_dictionary = number == _DICTIONARY_PAGE
            for inner, inner_kind in reader.fields():
                if inner == 1:
                    values = reader.whole(inner_kind)
                else:
                    reader.skip(inner_kind)
        else:
            reader.skip(kind)
    if min(values, *sizes.values()) < 0:
        raise ValueError("a page has no sizes")
    return Page(sizes[_PACKED], sizes[_UNPACKED], values, is_dictionary, column), reader.at


class _Reader:
    """The compact protocol, forwards: the caller of `fields` reads each value or skips it."""

    def __init__(self, data: bytes, *, most: int | None = None) -> None:
        self._data, self.at = data, 0
        self._left = len(data) if most is None else most

    def fields(self) -> Iterator[tuple[int, int]]:
        """Number and kind of every field of a structure."""
        last = 0
        while head := self._byte():
            self._count()
            last = last + (head >> 4) if head >> 4 else self.whole(_I16)
            yield last, head & 15

    def items(self, kind: int, wanted: int = 0) -> Iterator[int]:
        """The kind of every item of a list."""
        if kind not in (_LIST, _SET):
            raise ValueError("no list")
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._number()
        if wanted and count and head & 15 != wanted:
            raise ValueError("a list of other things")
        for _ in range(count):
            self._count()
            yield head & 15

    def whole(self, kind: int) -> int:
        if not _I16 <= kind <= _I64:
            raise ValueError("no whole number")
        number = self._number()
        return (number >> 1) ^ -(number & 1)

    def skip(self, kind: int, depth: int = 0) -> None:
        if depth > _MOST_DEPTH:
            raise ValueError("too deep")
        if _I16 <= kind <= _I64:
            self._number()
        elif kind in (_BYTE, _DOUBLE, _BINARY):
            self._pass({_BYTE: 1, _DOUBLE: 8}.get(kind) or self._number())
        elif kind == _STRUCT:
            for _, inner in self.fields():
                self.skip(inner, depth + 1)
        elif kind not in (_TRUE, _FALSE):
            for inner in self.items(kind):  # where a truth value has a byte of its own
                self.skip(_BYTE if inner in (_TRUE, _FALSE) else inner, depth + 1)

    def _byte(self) -> int:
        self._pass(1)
        return self._data[self.at - 1]

    def _number(self) -> int:
        found = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
        raise ValueError("a number of too many bytes")

    def _pass(self, count: int) -> None:
        if count > len(self._data) - self.at:
            raise EOFError
        self.at += count

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise ValueError("too many fields")
