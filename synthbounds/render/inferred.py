"""What every answer of `infer` has: its conclusions in one form, as a table and as JSON, and the words for their kinds.

What belongs to only one question is in a module of its own, `inferred_shares`, `inferred_tests` and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bounds.enclosure import decimal_text
from bounds.exact import show_rational
from mechanisms.infer.findings import About, Interval, Kind
from release.noise.kinds import NOT_A_RELEASE
from release.private_release import Release
from synthbounds.render.document import Answer, Block, Document, Stamp, Table

_DIGITS, _SHOWN = 12, 4
KINDS: dict[Kind, str] = {
    "exact": "exact: at least this level for every table and every number of records",
    "asymptotic": "asymptotic: the level is a limit of many records",
    "simulated": "simulated: the level is known from simulations, and not proved",
}
ABOUT: dict[About, str] = {
    "table": "the records of the table themselves",
    "population": "the population that the records were drawn from, independently",
}
SPENT = "nothing: you may ask a release as often as you like"


@dataclass(frozen=True, kw_only=True)
class Said:
    """An answer, or a plan, in every form that the front door shows."""

    question: str
    blocks: tuple[Block, ...]
    details: dict[str, Any]
    """What belongs to the question, as JSON."""
    conclusions: tuple[Interval, ...] = ()
    """The most important first; a plan has none."""

    def document(self, release: Release | None = None) -> Document:
        """The blocks, with the stamp of a simulation after the answer."""
        if release is None or not release.is_simulated:
            return self.blocks
        place = next((i for i, block in enumerate(self.blocks) if isinstance(block, Answer)), 0) + 1
        return (*self.blocks[:place], Stamp(NOT_A_RELEASE), *self.blocks[place:])

    def payload(self, release: Release) -> dict[str, Any]:
        return conclusions_payload(self.question, self.conclusions, release, self.details)

    def plan_payload(self) -> dict[str, Any]:
        return {"question": self.question, "plan": self.details}


def interval_payload(found: Interval) -> dict[str, Any]:
    """A conclusion as JSON; certified ends are rounded outwards, and null if there is none."""
    return {
        "name": found.name,
        "about": found.about,
        "kind": found.kind,
        "level": show_rational(found.level),
        "estimate": found.estimate,
        "interval": {"lo": _end(found.lo, up=False), "hi": _end(found.hi, up=True)},
        "certified": found.is_certified,
        "simultaneous": found.simultaneous,
        "width_without_privacy": found.width_without_privacy,
        "note": found.note,
    }


def conclusions_payload(
    question: str, conclusions: Sequence[Interval], release: Release, details: dict[str, Any]
) -> dict[str, Any]:
    """The whole answer: its first conclusion at the top, all of them in a list, and what belongs to the question."""
    first = interval_payload(conclusions[0]) if conclusions else {}
    return {
        "question": question,
        "mode": getattr(release, "origin", "simulate" if release.is_simulated else "release"),
        "stamp": NOT_A_RELEASE if release.is_simulated else None,
        "release": release.KIND,
        "release_digest": release.digest,
        **{key: first.get(key) for key in ("about", "kind", "level", "estimate", "interval")},
        "conclusions": [interval_payload(found) for found in conclusions],
        "details": details,
    }


def conclusions_table(conclusions: Sequence[Interval], title: str = "Conclusions") -> Table:
    """One line each: its name, its ends, what it is about and in which sense it holds."""
    rows = tuple(
        (
            found.name,
            "-" if found.estimate is None else f"{found.estimate:.{_SHOWN}g}",
            end_text(found.lo, up=False),
            end_text(found.hi, up=True),
            found.about,
            found.kind + ("" if found.is_certified else ", ends est."),
        )
        for found in conclusions
    )
    return Table(title, ("", "estimate", "from", "to", "about", "level"), rows, right=frozenset({1, 2, 3}))


def end_text(end: Fraction | None, *, up: bool) -> str:
    """An end for people, rounded outwards; without one the interval goes on."""
    return ("no end" if end is None else decimal_text(end, _SHOWN, up=up)) or "0"


def _end(end: Fraction | None, *, up: bool) -> str | None:
    return None if end is None else decimal_text(end, _DIGITS, up=up)
