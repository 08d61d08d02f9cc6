"""Answers as a small table: columns of numbers and words, from JSON, for a frame of pandas, a dict or a picture."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bounds.errors import UsageError, how_to_install

_DECIMAL = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


@dataclass(frozen=True)
class Table:
    """Rows under names; missing values are None."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]]) -> Table:
        """Rows of JSON side by side: enclosures become two columns, decimals numbers; empty columns are dropped."""
        flat = [dict(_flat(row)) for row in rows]
        names = [
            name for name in dict.fromkeys(n for row in flat for n in row) if any(r.get(name) is not None for r in flat)
        ]
        columns = [_numbers([row.get(name) for row in flat]) for name in names]
        return cls(tuple(names), tuple(zip(*columns, strict=True)))

    def column(self, name: str) -> tuple[Any, ...]:
        if name not in self.columns:
            raise UsageError(f"{name[:60]!r} is not a column; these are: {', '.join(self.columns)}")
        place = self.columns.index(name)
        return tuple(row[place] for row in self.rows)

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name."""
        return {name: list(self.column(name)) for name in self.columns}

    def to_frame(self) -> Any:
        """A DataFrame, if pandas is installed."""
        try:
            import pandas as pd
        except ImportError:
            raise UsageError(f"a frame needs pandas: {how_to_install('frames')}; to_dict() needs nothing") from None
        return pd.DataFrame(self.to_dict(), columns=list(self.columns))


def rows_in(body: Mapping[str, Any], place: str) -> list[dict[str, Any]]:
    """The rows of an answer: a list of objects, an object by name, or several lists side by side."""
    names = place.split()
    found = [_at(body, name) for name in names]
    if isinstance(found[0], Mapping):
        return [{"name": name, "value": value} for name, value in found[0].items()]
    if len(names) == 1 and all(isinstance(item, Mapping) and not _is_enclosure(item) for item in found[0]):
        return [dict(item) for item in found[0]]
    return [dict(zip(names, items, strict=True)) for items in zip(*found, strict=True)]


def _at(body: Mapping[str, Any], place: str) -> Any:
    found: Any = body
    for name in place.split("."):
        found = found[name]
    return found


def scalars(body: Mapping[str, Any]) -> dict[str, Any]:
    """The entries at the top level of an answer that are not lists."""
    return {
        n: v for n, v in body.items() if not isinstance(v, list) and (not isinstance(v, Mapping) or _is_enclosure(v))
    }


def _is_enclosure(value: Any) -> bool:
    return isinstance(value, Mapping) and value.keys() == {"lo", "hi"}


def _flat(row: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for name, value in row.items():
        if _is_enclosure(value):
            yield f"{prefix}{name}_lo", _outward(value["lo"], up=False)
            yield f"{prefix}{name}_hi", _outward(value["hi"], up=True)
        elif isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        elif not isinstance(value, list):
            yield prefix + name, value
        elif not any(isinstance(item, Mapping | list) for item in value):
            yield prefix + name, ", ".join(map(str, value))


def _outward(text: str | float | None, *, up: bool) -> float | None:
    """The nearest float to an end with which the enclosure is still one."""
    if text is None:
        return None
    value, exact = float(text), Fraction(str(text))
    if not math.isfinite(value) or (Fraction(value) >= exact if up else Fraction(value) <= exact):
        return value
    return math.nextafter(value, math.inf if up else -math.inf)


def _numbers(column: Sequence[Any]) -> Sequence[Any]:
    """Decimals that JSON has as text become numbers; a column of words, or of whole numbers as text, stays."""
    texts = [value for value in column if value is not None]
    if not all(isinstance(text, str) and _DECIMAL.fullmatch(text) for text in texts):
        return column
    if not any("." in text or "e" in text for text in texts):
        return column
    return [None if text is None else float(text) for text in column]
