"""Events: records with certain values of one column, read from COLUMN=VALUE or COLUMN=V1|V2.

Values are the texts of the schema, which is public. A text that is itself a value is taken as that value, even if it
contains | or =. A number stands for the range of numbers that are counted with it, and the event names that range.
Events of several columns are joined by " & ".
"""

from __future__ import annotations

from dataclasses import dataclass

from bounds.errors import ParameterError
from bounds.exact import parse_rational
from bounds.listing import listed
from release.data.columns import Column, NumberColumn
from release.data.schema import Schema

_AND = " & "
_MOST_SHOWN = 12
SHAPE = "COLUMN=VALUE or COLUMN=V1|V2"


@dataclass(frozen=True, kw_only=True)
class Event:
    """Records with one of these codes in a column of `size` codes; at least one code, but not all."""

    column: int
    name: str
    codes: tuple[int, ...]
    size: int
    texts: tuple[str, ...]
    """The texts of these codes."""

    @property
    def text(self) -> str:
        return f"{self.name}={'|'.join(self.texts)}"


def read_events(text: str, schema: Schema) -> tuple[Event, ...]:
    """One event, or two of different columns joined by " & "."""
    try:
        return (read_event(text, schema),)
    except ParameterError:
        parts = text.split(_AND)
        if len(parts) == 1:
            raise
    events = tuple(read_event(part, schema) for part in parts)
    if len(events) > 2 or events[0].column == events[1].column:
        raise ParameterError(
            "proportion", text, "of one column, or of two different ones", "tables show at most two columns"
        )
    return events


def read_groups(text: str, schema: Schema) -> tuple[Event, Event]:
    """COLUMN of two values, or COLUMN=V1,V2: the first group is what the second is taken from."""
    option = "difference"
    for place, column in enumerate(schema.columns):
        if column.name == text:
            if column.size != 2:
                raise ParameterError(option, text, "a column of two values, or COLUMN=V1,V2", f"it has {column.size}")
            return _of(place, (1,), schema), _of(place, (0,), schema)
    name, equals, values = text.partition("=")
    for cut in _places(values, ","):
        sides = values[:cut], values[cut + 1 :]
        if equals and name in schema.names:
            first, second = (read_event(f"{name}={side}", schema, option=option) for side in sides)
            if set(first.codes) & set(second.codes):
                raise ParameterError(option, text, "two groups without a value in common")
            return first, second
    _require_column(name, schema, option, text)
    raise ParameterError(option, text, "COLUMN or COLUMN=V1,V2")


def read_event(text: str, schema: Schema, *, option: str = "proportion") -> Event:
    """The event that a text names; error messages begin with `option`."""
    best: tuple[str, str] | None = None
    for cut in _places(text, "="):
        name, values = text[:cut], text[cut + 1 :]
        if name in schema.names:
            place = schema.names.index(name)
            codes = _codes(values, schema.columns[place])
            if codes is not None:
                return _of(place, codes, schema, option=option)
            best = best or (name, values)
    if best is None:
        _require_column(text.partition("=")[0], schema, option, text)
        raise ParameterError(option, text, SHAPE)
    name, values = best
    column = schema.columns[schema.names.index(name)]
    known = column.cell_texts
    unknown = next((value for value in values.split("|") if _code(value, column) is None), values)
    why = f"{unknown[:40] or 'nothing'} is not a value of it"
    raise ParameterError(option, text, f"{name}= one of {listed(known, _MOST_SHOWN)}", why)


def _require_column(name: str, schema: Schema, option: str, text: str) -> None:
    if name not in schema.names:
        raise ParameterError(option, text, SHAPE, f"{name[:40] or 'nothing'} is not a column of the schema")


def _codes(values: str, column: Column) -> tuple[int, ...] | None:
    """The codes of one value or of several; None if one is unknown."""
    alone = _code(values, column)
    if alone is not None:
        return (alone,)
    several = [_code(value, column) for value in values.split("|")]
    found = {code for code in several if code is not None}
    return None if None in several else tuple(sorted(found))


def _code(value: str, column: Column) -> int | None:
    """The code of a text of the schema, or of a range of numbers, which any number in it may name."""
    for texts in (column.texts, column.cell_texts):
        if value in texts:
            return texts.index(value)
    if not isinstance(column, NumberColumn):
        return None
    try:
        return column.code_of(parse_rational(value, column.name))
    except ParameterError:
        return None


def _of(place: int, codes: tuple[int, ...], schema: Schema, *, option: str = "proportion") -> Event:
    column = schema.columns[place]
    if len(codes) == column.size:
        raise ParameterError(option, column.name, "some values of the column, and not all", "the share of all is 1")
    texts = tuple(column.cell_texts[code] for code in codes)
    return Event(column=place, name=column.name, codes=codes, size=column.size, texts=texts)


def _places(text: str, sign: str) -> list[int]:
    return [i for i, letter in enumerate(text) if letter == sign]
