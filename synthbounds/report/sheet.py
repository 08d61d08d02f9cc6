"""What a report says, before it has a form: a title, a stamp, and parts in the order in which they are read.

Commands build sheets; `html` writes them. Nothing is computed from a table here, and no part contains anything of one
beyond what the answer itself states."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias

from synthbounds.render.document import Document

Number: TypeAlias = Fraction | int | float
"""Drawn or shown, never computed on: what is certified was certified before."""


@dataclass(frozen=True)
class Certified:
    """The one sentence that the page is about."""

    sentence: str
    verdict: str = ""
    """A word or two for the reader in a hurry: certified, weak, says nothing."""
    detail: str = ""
    """What the sentence rests on, in a line or two."""
    holds: bool = True
    """False if the sentence says that nothing is certified: it is shown as a warning."""
    is_neutral: bool = False
    """Whether the sentence only says what there is: it promises nothing, and needs no warning."""
    experts: str = ""
    """The same in the exact terms of the theory; folded."""


@dataclass(frozen=True)
class OnePerson:
    """What the privacy of the release means for one person."""

    sentences: tuple[str, ...]
    guess_at_most: Number
    """Of 100 even guesses, the share that is right at most; drawn as dots."""
    basis: str
    """The guarantee in its exact form, with its adjacency."""


@dataclass(frozen=True)
class SpendingRow:
    what: str
    amount: str
    share: Number | None = None
    """Of the total, between 0 and 1, for the bar."""


@dataclass(frozen=True)
class Spending:
    """What the run spent, and what is left of the account that it was paid from."""

    rows: tuple[SpendingRow, ...]
    total: str
    left: str | None = None
    note: str = ""
    experts: str = ""
    """The budget in its exact form; folded."""


@dataclass(frozen=True)
class BarColumn:
    """One column of the table: its values, and the share (or count) of each as released and as synthetic."""

    name: str
    labels: tuple[str, ...]
    released: tuple[Number, ...] | None = None
    synthetic: tuple[Number, ...] | None = None
    radius: tuple[Number, ...] | None = None
    """Half-widths of the certified intervals around the released values."""


@dataclass(frozen=True)
class Bars:
    title: str
    columns: tuple[BarColumn, ...]
    legend: str = ""
    note: str = ""
    experts: str = ""


@dataclass(frozen=True)
class CellError:
    """The error of one pair of columns: the number drawn as a shade, and its text."""

    value: Number
    text: str
    is_weak: bool = False
    """Whether it follows from the two single columns: how they go together was not measured."""


@dataclass(frozen=True)
class HeatMap:
    title: str
    names: tuple[str, ...]
    values: tuple[tuple[CellError | None, ...], ...]
    """Rows by `names`; None if nothing is known about the pair."""
    unit: str
    note: str = ""
    experts: str = ""
    certified: bool = True
    """False if the errors were measured on a table that may be shown."""


@dataclass(frozen=True)
class CurveLine:
    """Points by x; what is shown of a certified y is rounded to the side on which it stays true.

    A line of steps has the value of its next point (`from_right`) or of its last one between two of them; it is for
    bounds on what falls with x.
    """

    name: str
    points: tuple[tuple[Number, Number], ...]
    is_lower: bool = False
    """Whether the values are lower bounds, which are rounded down; upper ones are rounded up."""
    steps: Literal["", "from_left", "from_right"] = ""


@dataclass(frozen=True)
class Curve:
    title: str
    xlabel: str
    ylabel: str
    lines: tuple[CurveLine, ...]
    note: str = ""
    marked: Number | None = None
    """Where on the x axis the question itself stands."""


@dataclass(frozen=True)
class WhiskerRow:
    """A number with its interval; an end that is None is not on any picture."""

    name: str
    middle: Number | None
    lo: Number | None
    hi: Number | None
    is_marked: bool = False
    """What the picture is about: a sign that is certain, a component that was asked for."""


@dataclass(frozen=True)
class Whiskers:
    """Intervals, one below the other, or upright side by side if their order is what matters."""

    title: str
    rows: tuple[WhiskerRow, ...]
    axis: str
    note: str = ""
    zero: Number | None = None
    """Where a line is drawn that an interval may or may not cross."""
    upright: bool = False
    marked: str = ""
    """What being marked means."""


@dataclass(frozen=True)
class GraphEdge:
    ends: tuple[int, int]
    sign: int
    strength: Number
    """Between 0 and 1, for the width of the line."""


@dataclass(frozen=True)
class Graph:
    """Names on a circle, and the lines between them that are certain."""

    title: str
    names: tuple[str, ...]
    edges: tuple[GraphEdge, ...]
    note: str = ""


@dataclass(frozen=True)
class Cautions:
    """What must not be concluded."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Details:
    """The whole answer as the command line shows it, folded."""

    document: Document


Part: TypeAlias = Certified | OnePerson | Spending | Bars | HeatMap | Curve | Whiskers | Graph | Cautions | Details


@dataclass(frozen=True)
class Sheet:
    title: str
    subtitle: str
    parts: tuple[Part, ...]
    command: str = ""
    stamp: str | None = None
    """Written across the page, on paper as well."""
    inputs: dict[str, str] = field(default_factory=dict)
    purpose: str = ""
    """What it may be used for, and what not, as far as it is certified."""
