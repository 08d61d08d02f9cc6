"""What engines express differently, so that all of them make the same codes: text as bytes, days, ends.

Everything else of a query is standard SQL and is written by sqlglot. An engine that is not listed here never makes
codes: its rows are streamed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from release.data.column_reading import BLANKS
from release.lake.address import DUCKDB, POSTGRES, SPARK

if TYPE_CHECKING:
    from sqlglot.expressions import Expression


@dataclass(frozen=True)
class Dialect:
    """The SQL of one engine; texts are given to these functions as its plain text type."""

    name: str
    """The name sqlglot uses."""
    to_bytes: Callable[[Expression], Expression]
    """The UTF-8 bytes of a text, which no collation affects."""
    bytes_of: Callable[[str], Expression]
    """A constant of bytes, from hexadecimal digits: no text of a schema is ever in a query."""
    plain: Callable[[Expression], Expression]
    """A text that is compared by its bytes, for regular expressions."""
    trimmed: Callable[[Expression], Expression]
    """A text without spaces and tabs at its ends."""
    weekday: Callable[[Expression], Expression]
    """The day of the week, Monday being 0."""
    end: str
    """What matches only at the very end of a text."""
    group: str
    """How a replacement names a group."""
    endless: Callable[[Expression], Expression] | None
    """Whether a day is before or after all days, if the engine has such values."""
    repeats: bool = False
    """Whether its planner merges a subquery into the one around it, where its expressions would be computed often."""


def dialect_of(kind: str) -> Dialect | None:
    """The dialect of an engine that makes codes."""
    from sqlglot import exp

    def call(name: str, *given: Expression | str) -> Expression:
        return exp.Anonymous(this=name, expressions=[exp.Literal.string(g) if isinstance(g, str) else g for g in given])

    def itself(text: Expression) -> Expression:
        return text

    def infinite(day: Expression) -> Expression:
        return exp.Not(this=call("ISFINITE", day))

    if kind == DUCKDB:
        return Dialect(
            "duckdb",
            to_bytes=lambda text: call("ENCODE", text),
            bytes_of=lambda digits: call("UNHEX", digits),
            plain=itself,
            trimmed=lambda text: call("TRIM", text, BLANKS),
            weekday=lambda day: call("ISODOW", day) - 1,
            end="$",
            group="\\{}",
            endless=infinite,
        )
    if kind == POSTGRES:
        return Dialect(
            "postgres",
            to_bytes=lambda text: call("CONVERT_TO", text, "UTF8"),
            bytes_of=lambda digits: call("DECODE", digits, "hex"),
            plain=lambda text: exp.Collate(this=text, expression=exp.to_identifier("C", quoted=True)),
            trimmed=lambda text: call("BTRIM", text, BLANKS),
            weekday=lambda day: exp.cast(exp.Extract(this=exp.var("ISODOW"), expression=day), "INT") - 1,
            end="$",
            group="\\{}",
            endless=infinite,
            repeats=True,
        )
    if kind == SPARK:
        return Dialect(
            "spark",
            to_bytes=lambda text: call("ENCODE", text, "UTF-8"),
            bytes_of=lambda digits: call("UNHEX", digits),
            plain=itself,
            trimmed=lambda text: call("BTRIM", text, BLANKS),
            weekday=lambda day: call("WEEKDAY", day),
            end="\\z",
            group="${}",
            endless=None,
        )
    return None
