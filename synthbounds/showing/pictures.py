"""Rows of an answer drawn with matplotlib: bars, lines, intervals, and a polynomial with its function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bounds.errors import UsageError, how_to_install

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

    from synthbounds.showing.table import Table

_WIDE = 50


def axes(ax: Axes | None) -> Axes:
    """The given axes, or new ones."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise UsageError(f"a picture needs matplotlib: {how_to_install('figures')}") from None
    made: Axes = plt.figure().add_subplot()
    return made


def draw(answer: Any, table: Table, how: str, *, ax: Axes | None = None, **columns: str) -> Axes:
    """Draw what the form of the answer says: the kind of picture, then its columns, which can be replaced by others."""
    kind, *usual = how.split()
    if kind == "polynomial":
        return polynomial(answer, ax=ax)
    takes = {"bars": ("name", "value"), "lines": ("x", "y", "by"), "intervals": ("name", "lo", "hi", "middle")}[kind]
    for name in columns:
        if name not in takes:
            raise UsageError(f"plot: {name[:40]} is not taken here; these are: {', '.join((*takes, 'ax'))}")
    pictures: dict[str, Callable[..., Axes]] = {"bars": bars, "lines": lines, "intervals": intervals}
    return pictures[kind](table, ax=ax, **{**dict(zip(takes, usual, strict=False)), **columns})


def bars(table: Table, name: str, value: str, *, ax: Axes | None = None) -> Axes:
    """A bar for each row that has the value; several columns of names are joined."""
    drawn, words = axes(ax), zip(*map(table.column, name.split(",")), strict=True)
    labels = [" ".join(map(str, each)) for each in words]
    found = [(label, float(size)) for label, size in zip(labels, table.column(value), strict=True) if size is not None]
    drawn.barh(range(len(found)), [size for _, size in found])
    if _is_wide([size for _, size in found]):
        drawn.set_xscale("log")
    drawn.set_yticks(range(len(found)), [label for label, _ in found])
    drawn.invert_yaxis()
    drawn.set_xlabel(value)
    return drawn


def lines(table: Table, x: str, y: str, by: str = "", *, ax: Axes | None = None, link: str = " ") -> Axes:
    """y over x, a line for each combination of the columns in `by`; `link` joins the name of a column to its value."""
    drawn, grouped = axes(ax), [name for name in by.split(",") if name in table.columns]
    keys = list(zip(*map(table.column, grouped), strict=True)) if grouped else [()] * len(table.rows)
    for key in dict.fromkeys(keys):
        rows = zip(keys, table.column(x), table.column(y), strict=True)
        points = sorted((float(a), float(b)) for k, a, b in rows if k == key and a is not None and b is not None)
        if points:
            said = zip(grouped, key, strict=True)
            label = ", ".join(f"{name}{link}{word}" for name, word in said if word is not None)
            drawn.plot(*zip(*points, strict=True), marker=".", label=label)
    drawn.set_xlabel(x)
    drawn.set_ylabel(y)
    seen = [(float(a), float(b)) for a, b in zip(table.column(x), table.column(y), strict=True) if None not in (a, b)]
    for values, scale in zip(zip(*seen, strict=True), (drawn.set_xscale, drawn.set_yscale), strict=False):
        if _is_wide(values):
            scale("log")
    if grouped:
        drawn.legend()
    return drawn


def intervals(table: Table, name: str, lo: str, hi: str, middle: str = "", *, ax: Axes | None = None) -> Axes:
    """From lo to hi on a line for each row; an interval without an end goes to the edge."""
    drawn, names = axes(ax), [str(text) for text in table.column(name)]
    lows, highs = (table.column(end) if end in table.columns else (None,) * len(names) for end in (lo, hi))
    known = [float(end) for end in (*lows, *highs) if end is not None]
    if not known:
        raise UsageError("plot: no row has an end to draw")
    room = 0.1 * (max(known) - min(known)) or 1.0
    least, most = min(known) - room, max(known) + room
    for place, (low, high) in enumerate(zip(lows, highs, strict=True)):
        ends = [least if low is None else float(low), most if high is None else float(high)]
        drawn.plot(ends, [place, place], marker="|", color="C0")
    if middle in table.columns:
        seen = [(float(value), place) for place, value in enumerate(table.column(middle)) if value is not None]
        drawn.plot([value for value, _ in seen], [place for _, place in seen], ".", color="C1")
    drawn.set_yticks(range(len(names)), names)
    drawn.invert_yaxis()
    return drawn


def _is_wide(values: Sequence[float]) -> bool:
    """Whether small values could not be seen next to large ones."""
    return bool(values) and min(values) > 0 and max(values) > _WIDE * min(values)


def polynomial(answer: Any, *, ax: Axes | None = None) -> Axes:
    """The function and its polynomial on the interval, in floats."""
    import numpy as np
    from flint import arb

    from bounds.approximation.balls import BallFunction

    drawn, question = axes(ax), answer.question
    function = BallFunction(question.function.expression)
    x = np.linspace(float(question.left), float(question.right), 401)
    drawn.plot(x, [float(function(arb(float(value))).mid()) for value in x], label=question.function.name)
    powers = [float(coefficient) for coefficient in reversed(answer.polynomial)]
    drawn.plot(x, np.polyval(powers, x), "--", label=f"degree {answer.degree}")
    drawn.legend()
    return drawn
