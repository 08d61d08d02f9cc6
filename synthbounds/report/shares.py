"""Bars of columns from shares: labels for people, the largest values of long columns, and what is said about them.

Which values of a column are shown is decided only by what is drawn, which is public.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from release.data.columns import GRID, Column, NumberColumn
from release.data.decimals import exact_decimal
from release.data.tables import printable
from release.statistics.measured_shares import MeasuredShares
from synthbounds.report.sheet import BarColumn, Number

if TYPE_CHECKING:
    from release.data.schema import Schema

MOST_VALUES = 12
"""Of a column; the others are drawn together."""
MOST_COLUMNS = 60
"""With bars; a page with more is too large to be mailed."""
_MISSING = "(missing)"

Shares = tuple[Fraction, ...]


def synthetic_shares(rows: Any, schema: Schema) -> tuple[Shares, ...]:
    """Of every column of a finished table, exactly."""
    import numpy as np

    k = len(rows)
    counted = (np.bincount(rows[:, u], minlength=c.size).tolist() for u, c in enumerate(schema.columns))
    return tuple(tuple(Fraction(count, k) for count in column) for column in counted)


def bar_columns(
    schema: Schema,
    *,
    measured: Mapping[int, MeasuredShares],
    synthetic: Sequence[Shares] | None = None,
    within: Sequence[Fraction] | None = None,
) -> tuple[BarColumn, ...]:
    """A column for every one of the schema that has something to show, up to MOST_COLUMNS.

    If nothing was measured about a column, `within` says how far the real shares are from the synthetic ones.
    """
    found = []
    for place, column in enumerate(schema.columns):
        own, made = measured.get(place), None if synthetic is None else synthetic[place]
        shown = made if made is not None else own.shares if own is not None else None
        if shown is None:
            continue
        kept, rest = largest(column, shown)

        def told(values: Sequence[Number], kept: list[int] = kept, rest: list[int] = rest) -> tuple[Number, ...]:
            others = (sum(values[i] for i in rest),) if rest else ()
            return (*(values[i] for i in kept), *others)

        others = (f"{len(rest)} others",) if rest else ()
        radius = None if own is None else _enough(told(own.shares), told(own.radius))
        if own is None and made is not None and within is not None and within[place] < 1:
            radius = _enough(told(made), told((within[place],) * column.size))
        found.append(
            BarColumn(
                printable(column.name),
                (*(label(column, i) for i in kept), *others),
                released=None if own is None else told(own.shares),
                synthetic=None if made is None else told(made),
                radius=radius,
            )
        )
        if len(found) == MOST_COLUMNS:
            break
    return tuple(found)


def _enough(shares: Sequence[Number], radius: Sequence[Number]) -> tuple[Number, ...]:
    """No wider than what reaches 0 and 1 from a share, which may be far from both: noise is not bounded by 1."""
    return tuple(min(width, max(share, 1 - share)) for share, width in zip(shares, radius, strict=True))


def largest(column: Column, shares: Sequence[Number]) -> tuple[list[int], list[int]]:
    """The codes that are shown one by one, in order or the largest first, and those that are shown together."""
    ranked = sorted(range(len(shares)), key=lambda code: (-shares[code], code))
    kept = ranked if len(ranked) <= MOST_VALUES + 1 else ranked[:MOST_VALUES]
    rest = ranked[len(kept) :]
    return (sorted(kept) if column.is_ordered else kept), rest


def label(column: Column, code: int) -> str:
    """What a code stands for; a bin by its ends rather than by its middle."""
    if code == column.missing_code:
        return _MISSING
    if isinstance(column, NumberColumn) and column.kind != GRID:
        return _bin(column, code)
    return printable(column.value_texts[code])


def _bin(column: NumberColumn, code: int) -> str:
    if column.whole:
        first, last = column.whole_numbers(code)
        return str(first) if first == last else f"{first} to {last}"
    left, right = (_end(end) for end in column.bounds[code])
    return f"{left} to {right}"


def _end(end: Fraction) -> str:
    return exact_decimal(end, most_digits=7) or f"{float(end):.4g}"


def said_of_columns(schema: Schema, shown: Iterable[BarColumn]) -> str:
    """What is left out, in a sentence or none."""
    drawn = len(tuple(shown))
    said = []
    if any(column.size > MOST_VALUES + 1 for column in schema.columns):
        said.append(f"Columns with many values show the {MOST_VALUES} most frequent, and the others together.")
    if drawn == MOST_COLUMNS < len(schema.columns):
        said.append(f"These are the first {drawn} of {len(schema.columns):,} columns.")
    return " ".join(said)
