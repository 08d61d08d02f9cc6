"""Texts of dates read inside an engine, by the declared format; only formats of separated whole numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from release.data.date_format import DateFormat

if TYPE_CHECKING:
    from sqlglot.expressions import Expression

    from release.lake.dialects import Dialect

_PATTERNS = {
    "Y": "[0-9]{4}",
    "m": "1[0-2]|0[1-9]|[1-9]",
    "d": "3[01]|[12][0-9]|0[1-9]|[1-9]",
    "H": "2[0-3]|[01][0-9]|[0-9]",
    "M": "[0-5][0-9]|[0-9]",
    "S": "[0-5][0-9]|[0-9]",
    "f": "[0-9]{1,6}",
}
"""As release.data.date_format has them; other directives are read only by Python."""


@dataclass(frozen=True)
class ReadDate:
    """Whether a text is a date, and which; the rest is meaningful only if it is."""

    is_valid: Expression
    day: Expression
    hour: Expression


def day_and_hour(written: DateFormat, text: Expression, dialect: Dialect) -> ReadDate | None:
    """The date of a text in this format, or None if an engine cannot read it."""
    from sqlglot import exp

    parts = re.split(r"%(.)", written.text, flags=re.DOTALL)
    letters = parts[1::2]
    apart = all(not re.match(r"[0-9]|\Z", between) for between in parts[2:-1:2])
    if not apart or "Y" not in letters or not all(letter in _PATTERNS for letter in letters):
        return None
    pattern = "".join(f"({_PATTERNS[part]})" if i % 2 else re.escape(part) for i, part in enumerate(parts))
    pattern = f"^{pattern}{dialect.end}"

    def shown(replacement: str) -> Expression:
        return exp.RegexpReplace(
            this=text.copy(), expression=exp.Literal.string(pattern), replacement=exp.Literal.string(replacement)
        )

    def group(letter: str, otherwise: str) -> str:
        return dialect.group.format(letters.index(letter) + 1) if letter in letters else otherwise

    def number(letter: str, otherwise: int) -> Expression:
        if letter not in letters:
            return exp.Literal.number(otherwise)
        return exp.cast(shown(group(letter, "")), "INT")

    year, month, day = number("Y", 0), number("m", 1), number("d", 1)
    is_written = exp.RegexpLike(this=text.copy(), expression=exp.Literal.string(pattern))
    is_day = exp.Case(
        ifs=[
            exp.If(this=year.copy().eq(0), true=exp.false()),
            exp.If(this=month.copy().isin(4, 6, 9, 11), true=day.copy() <= 30),
            exp.If(this=month.copy().neq(2), true=exp.true()),
            exp.If(this=day.copy() <= 28, true=exp.true()),
            exp.If(this=day.copy() > 29, true=exp.false()),
            exp.If(this=(year.copy() % 400).eq(0), true=exp.true()),
            exp.If(this=(year.copy() % 100).eq(0), true=exp.false()),
        ],
        default=(year.copy() % 4).eq(0),
    )
    is_valid = exp.Case(ifs=[exp.If(this=is_written, true=is_day)], default=exp.false())
    iso = shown(f"{group('Y', '')}-{group('m', '01')}-{group('d', '01')}")
    return ReadDate(is_valid=is_valid, day=exp.cast(iso, "DATE"), hour=number("H", 0))
