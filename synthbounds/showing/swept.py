"""A sweep as one table: a row for each setting, with the entries at the top level of each answer."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from numbers import Number
from textwrap import fill
from typing import TYPE_CHECKING, Any

from bounds.shown import Shown
from synthbounds.api.sweeping import Sweep, SweepPoint
from synthbounds.render.document import Answer, Document, Title
from synthbounds.render.document import Table as Block
from synthbounds.showing.forms import form_of
from synthbounds.showing.table import Table, scalars

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DECADE, _TITLE_WIDTH = 10, 60
_FIRST = ("n", "required_n", "excess_upper", "bound_hi", "excess_est", "epsilon", "k")
"""What is drawn by default: the first of these that varies."""


def sentence(answer: Sweep) -> str:
    refused = sum(bool(point.refused) for point in answer.points)
    less = f", {refused:,} of them refused" if refused else ""
    return f"{answer.function} over {', '.join(answer.over)}, {len(answer.points):,} points{less}"


def document(answer: Sweep) -> Document:
    """Settings next to the numbers that every answer puts first."""
    found = [_numbers(point.answer) for point in answer.points]
    symbols = tuple(dict.fromkeys(symbol for numbers in found for symbol in numbers if symbol not in answer.over))
    refused = ("refused",) if any(point.refused for point in answer.points) else ()
    rows = tuple(
        (
            *(str(point.setting[name]) for name in answer.over),
            *(numbers.get(symbol, "-") for symbol in symbols),
            *((point.refused,) if refused else ()),
        )
        for point, numbers in zip(answer.points, found, strict=True)
    )
    right = frozenset(range(len(answer.over) + len(symbols)))
    return (Title(sentence(answer)), Block("", (*answer.over, *symbols, *refused), rows, right))


def _numbers(answer: Any) -> dict[str, str]:
    form = form_of(answer) if isinstance(answer, Shown) else None
    if form is None:
        return {}
    blocks = form.blocks(answer, answer._asked)
    return {symbol: value for block in blocks if isinstance(block, Answer) for symbol, value, _ in block.rows}


def table(answer: Sweep) -> Table:
    return Table.of(_row(point) for point in answer.points)


def _row(point: SweepPoint) -> Mapping[str, Any]:
    setting = {name: _plain(value) for name, value in point.setting.items()}
    form = form_of(point.answer) if isinstance(point.answer, Shown) else None
    body = {} if form is None else scalars(form.body(point.answer, point.answer._asked, whole=False))
    return {**setting, **{n: v for n, v in body.items() if n not in setting}, "refused": point.refused or None}


def _plain(value: Any) -> Any:
    """A setting as a Python number, or as text."""
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, Fraction) or hasattr(value, "__float__"):
        return float(str(value)) if not isinstance(value, Fraction) else float(value)
    return repr(value) if isinstance(value, Shown) else str(value)


def to_dict(answer: Sweep) -> dict[str, Any]:
    """Every answer as its command has it in JSON, with its setting."""
    return {
        "sweep": answer.function,
        "over": list(answer.over),
        "points": [
            {
                "setting": {name: str(value) for name, value in point.setting.items()},
                "answer": point.answer.to_dict() if isinstance(point.answer, Shown) else None,
                "refused": point.refused or None,
            }
            for point in answer.points
        ],
    }


def plot(answer: Sweep, *, x: str | None = None, y: str | None = None, ax: Axes | None = None) -> Axes:
    """One number against the first swept parameter, with a line for each setting of the others."""
    from synthbounds.showing.pictures import lines

    found, over = table(answer), x or answer.over[0]
    varying = (name for name in _FIRST if name in found.columns and name not in answer.over)
    upward = y or next((name for name in varying if len(set(found.column(name))) > 1), "n")
    others = ",".join(name for name in answer.over if name != over)
    drawn = lines(found, over, upward, others, ax=ax, link=" = ")
    seen = [float(a) for a, b in zip(found.column(over), found.column(upward), strict=True) if None not in (a, b)]
    if seen and min(seen) > 0 and max(seen) >= _DECADE * min(seen):
        drawn.set_xscale("log")
    if not drawn.get_title():
        drawn.set_title(fill(_title(answer), _TITLE_WIDTH), fontsize="medium")
    return drawn


def _title(answer: Sweep) -> str:
    """What was asked, with the settings that a line of text can show."""
    shown = [f"{name} = {value}" for name, value in answer.fixed.items() if isinstance(value, str | Number)]
    return f"{answer.function}: {', '.join(shown)}" if shown else answer.function
