"""What is concluded, as pictures: intervals below each other, eigenvalues side by side, certain edges as a graph."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mechanisms.infer.findings import Interval
from synthbounds.report.sheet import Graph, GraphEdge, Part, WhiskerRow, Whiskers

if TYPE_CHECKING:
    from mechanisms.infer.regression.edges import EdgesAnswer
    from mechanisms.infer.spectrum_answer import Spectrum

MOST_ROWS = 60
"""Of a picture."""
_ODDS = "odds ratio of "
_SIGN = "the sign is certain"


def pictures(question: str, found: Any, conclusions: Sequence[Interval]) -> list[Part]:
    """Those that a question has."""
    if question == "pca":
        return [_scree(found)]
    if question == "edges":
        return [_graph(found)]
    if question == "ols":
        together = "all at once" if conclusions and conclusions[0].simultaneous else "each on its own"
        return _coefficients(found.coefficients or found.joint, f"Of the table, {together}.")
    if question == "signs":
        return _coefficients(conclusions, "Of the best model on the table, all at once.")
    return _shares(conclusions) if question == "proportion" else _effects(conclusions)


def row_of(found: Interval, *, name: str | None = None, is_marked: bool = False) -> WhiskerRow:
    return WhiskerRow(name or found.name, found.estimate, found.lo, found.hi, is_marked)


def _effects(conclusions: Sequence[Interval]) -> list[Part]:
    """How large the effect is, in the population and in the table; the statistic has another scale."""
    name = conclusions[0].name
    rows = tuple(row_of(one, name=f"in the {one.about}") for one in conclusions if one.name.startswith(name))
    return [Whiskers("The effect", rows, f"{name}: 0 means no effect", zero=0)]


def _shares(conclusions: Sequence[Interval]) -> list[Part]:
    """What was asked, in the table and in the population; below it what it is made of, which may lie far away.

    Ratios have another scale, and a picture of their own.
    """
    odds = [one for one in conclusions if one.name.startswith(_ODDS)]
    shown = [one for one in conclusions if one.is_bounded and one not in odds][:MOST_ROWS]
    asked = [one for one in shown if one.name == conclusions[0].name]
    parts = [one for one in shown if one.name != conclusions[0].name]
    found: list[Part] = []
    if asked:
        found.append(_scale(conclusions[0].name, asked, [f"in the {one.about}" for one in asked]))
    found += _ratios(odds)
    return found + ([_scale("What it is made of", parts, [one.name for one in parts])] if parts else [])


def _ratios(odds: Sequence[Interval]) -> list[Part]:
    """Against 1, where both groups have the same odds; what excludes nothing is not drawn."""
    rows = tuple(row_of(one, name=f"in the {one.about}") for one in odds if one.hi is not None)
    if not rows:
        return []
    return [Whiskers(_title(odds[0].name), rows, "ratio; at 1 the odds are the same", zero=1)]


def _title(name: str) -> str:
    return name[:1].upper() + name[1:]


def _scale(title: str, shown: Sequence[Interval], names: Sequence[str]) -> Whiskers:
    crosses = any(one.lo is not None and one.lo < 0 for one in shown)
    rows = tuple(row_of(one, name=name) for one, name in zip(shown, names, strict=True))
    return Whiskers(title, rows, "share" if not crosses else "difference", zero=0 if crosses else None)


def _coefficients(found: Sequence[Interval], note: str) -> list[Part]:
    """A missing end is one about which nothing was proved."""
    shown = [one for one in found if one.lo is not None or one.hi is not None][:MOST_ROWS]
    if not shown:
        return []
    rows = tuple(row_of(one, is_marked=one.sign != 0) for one in shown)
    more = f" {len(shown)} of {len(found)} are drawn." if len(found) > len(shown) else ""
    return [Whiskers("Coefficients", rows, "coefficient", note + more, zero=0, marked=_SIGN)]


def _scree(found: Spectrum) -> Whiskers:
    rows = tuple(
        row_of(one, name=str(place), is_marked=place <= found.rank) for place, one in enumerate(found.eigenvalues, 1)
    )
    note = (
        "Every line is where a real eigenvalue certainly lies, all of them at once; the squares are the noisy values."
    )
    marked = "the components asked for"
    return Whiskers("Eigenvalues", rows, "place of the eigenvalue", note, zero=0, upright=True, marked=marked)


def _graph(found: EdgesAnswer) -> Graph:
    places = {name: place for place, name in enumerate(found.nodes)}
    edges = tuple(
        GraphEdge((places[edge.first], places[edge.second]), edge.sign, _least_size(edge.correlation))
        for edge in found.certain
    )
    note = (
        "A line is a partial correlation whose sign is certain, all of them at once; it is thicker the larger the "
        "correlation is at least. Where there is no line, nothing is certain, or the correlation is small."
    )
    return Graph("Edges of certain sign", found.nodes, edges, note)


def _least_size(found: Interval) -> Fraction:
    """How large the number certainly is, whatever its sign."""
    if found.lo is not None and found.lo > 0:
        return found.lo
    return -found.hi if found.hi is not None and found.hi < 0 else Fraction(0)
