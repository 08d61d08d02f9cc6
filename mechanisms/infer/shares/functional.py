"""The quantity asked about a table: the mean over its records of a public function of one column, or of two.

The function is constant on classes of codes. Noisy tables show its grand mean over all cells, its two main effects and
its interaction separately, each with separate noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechanisms.infer.shares.event import Event

Codes = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Functional:
    """`values[i][j]` on records whose first column is in class i and second in class j; one column has one class j."""

    columns: tuple[int, ...]
    """Places in the schema: one, or two in increasing order."""
    classes: tuple[tuple[Codes, ...], tuple[Codes, ...]]
    """The classes of each column, which together have all its codes; ((0,),) if there is no second column."""
    values: tuple[tuple[Fraction, ...], ...]

    def effects(self) -> tuple[Fraction, list[Fraction], list[Fraction], list[list[Fraction]]]:
        """The grand mean, the main effects of both columns and the interaction, which add up to the values."""
        first, second = (tuple(len(codes) for codes in classes) for classes in self.classes)
        rows = [_mean(row, second) for row in self.values]
        columns = [_mean([row[j] for row in self.values], first) for j in range(len(second))]
        grand = _mean(rows, first)
        interaction = [
            [self.values[i][j] - rows[i] - columns[j] + grand for j in range(len(second))] for i in range(len(first))
        ]
        return grand, [row - grand for row in rows], [column - grand for column in columns], interaction


def _mean(values: Sequence[Fraction], sizes: Sequence[int]) -> Fraction:
    return sum((value * size for value, size in zip(values, sizes, strict=True)), Fraction(0)) / sum(sizes)


def share_of(*events: Event) -> Functional:
    """The share of records in an event, or in two of different columns at once."""
    return weighted([(Fraction(1), events)])


def weighted(terms: Sequence[tuple[Fraction, tuple[Event, ...]]]) -> Functional:
    """A sum of weights times shares; all events are of the same one or two columns."""
    columns = tuple(sorted({event.column for _, events in terms for event in events}))
    classes = tuple(_classes(column, terms) for column in columns)
    first, second = classes[0], classes[1] if len(columns) == 2 else ((0,),)

    def value(i: Codes, j: Codes) -> Fraction:
        here = dict(zip(columns, (i[0], j[0]), strict=False))
        met = (weight for weight, events in terms if all(here[event.column] in event.codes for event in events))
        return sum(met, Fraction(0))

    return Functional(
        columns=columns,
        classes=(first, second),
        values=tuple(tuple(value(i, j) for j in second) for i in first),
    )


def _classes(column: int, terms: Sequence[tuple[Fraction, tuple[Event, ...]]]) -> tuple[Codes, ...]:
    """Classes of codes of a column that no event tells apart."""
    told = [event for _, events in terms for event in events if event.column == column]
    found: dict[tuple[bool, ...], list[int]] = {}
    for code in range(told[0].size):
        found.setdefault(tuple(code in event.codes for event in told), []).append(code)
    return tuple(tuple(codes) for codes in found.values())
