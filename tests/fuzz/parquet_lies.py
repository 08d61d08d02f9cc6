"""Parquet files that lie about themselves: other numbers in the footer or in the header of a page.

Both are structures of Thrift's compact protocol, read here without knowing what a field means, so any statement about
rows, sizes, offsets, encodings or statistics can be changed. If the header of a page changes length, the page moves to
the end of the file, with its column, and the footer says so.
"""

from __future__ import annotations

import io
import random
from dataclasses import dataclass
from typing import Any

MAGIC = b"PAR1"
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, _MAP, STRUCT = range(1, 13)
_WHOLE = (I16, I32, I64)
NUMBERS = (
    *(0, 1, -1, 2, 7, 60, 255, 2**15, 2**16, 2**24, 2**28, 2**31 - 1, -(2**31), 2**32, 2**40, 2**53, 2**63 - 1),
    -(2**63),
)
_ROW_GROUPS, _COLUMNS, _META = 4, 1, 3
_ROWS = 3
_PAGES = (11, 9)
"""Of what a footer says of a column: where its dictionary begins, where its first page of data does."""
_COMPRESSED = 7


@dataclass
class Field:
    """A value with its type; of a structure the fields by number, of a list the values."""

    kind: int
    value: Any
    of: int = 0
    """What a list holds."""


def lying(data: bytes, draws: random.Random) -> bytes:
    """The file with one to three other numbers, or texts, in its footer or in the header of a page."""
    end = len(data) - 8
    start = end - int.from_bytes(data[end : end + 4], "little")
    footer, body = read(io.BytesIO(data[start:end]), STRUCT), data[:start]
    if draws.randrange(2) and footer.value[_ROWS].value:  # without rows there are no pages
        body = _with_page(body, footer, draws)
    else:
        for _ in range(draws.choice((1, 1, 2, 3))):
            _change(footer, draws)
    written = io.BytesIO()
    write(written, footer)
    said = written.getvalue()
    return body + said + len(said).to_bytes(4, "little") + MAGIC


def _with_page(body: bytes, footer: Field, draws: random.Random) -> bytes:
    """A column of which the first page has another header, at the end of the file."""
    group = draws.choice(footer.value[_ROW_GROUPS].value)
    column = draws.choice(group.value[_COLUMNS].value).value[_META].value
    begins = min(column[place].value for place in _PAGES if place in column)
    chunk = body[begins : begins + column[_COMPRESSED].value]
    places = [column[place].value - begins for place in _PAGES if place in column]
    stream = io.BytesIO(chunk)
    stream.seek(draws.choice(places))
    before = stream.tell()
    header = read(stream, STRUCT)
    after = stream.tell()
    for _ in range(draws.choice((1, 1, 2))):
        _change(header, draws)
    written = io.BytesIO()
    write(written, header)
    longer = len(written.getvalue()) - (after - before)
    for place in _PAGES:
        if place in column:
            offset = column[place].value - begins
            column[place].value = len(body) + offset + (longer if offset > before else 0)
    column[_COMPRESSED].value += longer
    return body + chunk[:before] + written.getvalue() + chunk[after:]


def _change(whole: Field, draws: random.Random) -> None:
    found = draws.choice(_leaves(whole))
    if found.kind == BINARY:
        found.value = draws.choice((b"", b"\xff" * 8, b"\x00" * 8, found.value * 2, b"x" * 3000, b"\xff\xfe"))
    elif found.kind == DOUBLE:
        found.value = draws.choice((b"\xff" * 8, b"\x00" * 8))
    else:
        found.value = draws.choice((*NUMBERS, found.value + 1, found.value - 1, found.value * 1000))


def _leaves(found: Field) -> list[Field]:
    if found.kind == STRUCT:
        return [leaf for field in found.value.values() for leaf in _leaves(field)]
    if found.kind in (LIST, SET):
        return [leaf for field in found.value for leaf in _leaves(field)]
    return [] if found.kind in (TRUE, FALSE, BYTE) else [found]


def read(stream: io.BytesIO, kind: int) -> Field:
    """A value of the compact protocol."""
    if kind in (TRUE, FALSE):
        return Field(kind, None)
    if kind == BYTE:
        return Field(kind, stream.read(1))
    if kind in _WHOLE:
        number = _varint(stream)
        return Field(kind, (number >> 1) ^ -(number & 1))
    if kind == DOUBLE:
        return Field(kind, stream.read(8))
    if kind == BINARY:
        return Field(kind, stream.read(_varint(stream)))
    if kind in (LIST, SET):
        head = stream.read(1)[0]
        count, inner = head >> 4, head & 15
        count = _varint(stream) if count == 15 else count
        return Field(kind, [_of_list(stream, inner) for _ in range(count)], inner)
    assert kind == STRUCT, kind
    fields: dict[int, Field] = {}
    last = 0
    while head := stream.read(1)[0]:
        step, inner = head >> 4, head & 15
        number = _varint(stream) if not step else None
        last = last + step if number is None else (number >> 1) ^ -(number & 1)
        fields[last] = read(stream, inner)
    return Field(STRUCT, fields)


def _of_list(stream: io.BytesIO, kind: int) -> Field:
    """A truth value has a byte of its own in a list."""
    return Field(kind, stream.read(1)) if kind in (TRUE, FALSE) else read(stream, kind)


def write(stream: io.BytesIO, found: Field) -> None:
    kind, value = found.kind, found.value
    if kind in (TRUE, FALSE):
        stream.write(value or b"")
    elif kind in (BYTE, DOUBLE):
        stream.write(value)
    elif kind in _WHOLE:
        bounded = max(-(2**63), min(2**63 - 1, value))
        stream.write(_bytes((bounded << 1) ^ (bounded >> 63)))
    elif kind == BINARY:
        stream.write(_bytes(len(value)) + value)
    elif kind in (LIST, SET):
        stream.write(bytes([min(len(value), 15) << 4 | found.of]) + (_bytes(len(value)) if len(value) >= 15 else b""))
        for item in value:
            write(stream, item)
    else:
        last = 0
        for number, field in value.items():
            step = number - last
            stream.write(bytes([step << 4 | field.kind]) if 0 < step < 16 else bytes([field.kind]) + _bytes(2 * number))
            write(stream, field)
            last = number
        stream.write(b"\0")


def _varint(stream: io.BytesIO) -> int:
    found = shift = 0
    while True:
        byte = stream.read(1)[0]
        found |= (byte & 127) << shift
        if byte < 128:
            return found
        shift += 7


def _bytes(number: int) -> bytes:
    number &= 2**64 - 1
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])
