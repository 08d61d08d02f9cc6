"""The two queries: one looks for cells without a code, by column and kind, and one counts tables of codes.

Every table has its own range of numbers for its cells, so that an answer is a column of cells and a column of counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.expressions import Expression

    from release.lake.dialects import Dialect
    from release.lake.expressions import Coding

_VALUES, _CODES, _CELLS = "used", "codes", "cells"


def check_query(table: Expression, codings: Sequence[Coding], dialect: Dialect) -> Expression:
    """The number of rows, and how often each mark of each column occurs."""
    from sqlglot import exp

    sums: list[Expression] = [exp.Count(this=exp.Star())]
    for place, coding in enumerate(codings):
        for mark in coding.marks:
            is_marked = exp.column(f"c{place}").eq(exp.Neg(this=exp.Literal.number(-mark)))
            one = exp.Case(ifs=[exp.If(this=is_marked, true=exp.Literal.number(1))], default=exp.Literal.number(0))
            sums.append(exp.Coalesce(this=exp.Sum(this=one), expressions=[exp.Literal.number(0)]))
    return exp.select(*sums).from_(_codes(table, codings, range(len(codings)), dialect).subquery(_CODES))


def count_query(
    table: Expression,
    codings: Sequence[Coding],
    sets: Sequence[Sequence[int]],
    sizes: Sequence[int],
    starts: Sequence[int],
    dialect: Dialect,
) -> Expression:
    """The cells of all tables that are not empty, each numbered from where its table starts, with their counts.

    A row with a cell that has no code has no number.
    """
    from sqlglot import exp

    used = sorted({place for columns in sets for place in columns})
    numbers = [_number_of_cell(columns, sizes, start) for columns, start in zip(sets, starts, strict=False)]
    keys = [exp.column(f"t{i}") for i in range(len(sets))]
    named = [number.as_(f"t{i}") for i, number in enumerate(numbers)]
    codes = _codes(table, codings, used, dialect).subquery(_CODES)
    inner = _computed_once(exp.select(*named).from_(codes), dialect).subquery(_CELLS)
    cell = exp.func("COALESCE", *keys) if len(keys) > 1 else keys[0]
    count = exp.Count(this=exp.Star())
    if len(keys) == 1:
        return exp.select(cell, count).from_(inner).group_by(keys[0])
    sets_of_keys = exp.GroupingSets(expressions=[exp.Tuple(expressions=[key.copy()]) for key in keys])
    return exp.select(cell, count).from_(inner).group_by(exp.Group(grouping_sets=[sets_of_keys]))


def _codes(table: Expression, codings: Sequence[Coding], places: Sequence[int], dialect: Dialect) -> exp.Select:
    """A column of codes for each place, built on values that are used more than once."""
    from sqlglot import exp

    named = [codings[place].code.copy().as_(f"c{place}") for place in places]
    values = [value.copy().as_(name) for place in places for name, value in codings[place].values]
    cells = _computed_once(exp.select(*values).from_(table.copy()), dialect).subquery(_VALUES)
    return _computed_once(exp.select(*named).from_(cells), dialect)


def _computed_once(query: exp.Select, dialect: Dialect) -> exp.Select:
    """A query that is not merged into the one around it."""
    return query.offset(0) if dialect.repeats else query


def _number_of_cell(columns: Sequence[int], sizes: Sequence[int], start: int) -> Expression:
    """The number of the cell in which a row is counted, in mixed radix, as a big integer of the engine."""
    from sqlglot import exp

    found: Expression | None = None
    for place in columns:
        code = exp.cast(exp.column(f"c{place}"), "BIGINT")
        found = code if found is None else exp.paren(found) * exp.Literal.number(sizes[place]) + code
    assert found is not None
    bad = exp.or_(*(exp.column(f"c{place}") < 0 for place in columns))
    return exp.Case(ifs=[exp.If(this=bad, true=exp.Null())], default=exp.paren(found) + exp.Literal.number(start))
