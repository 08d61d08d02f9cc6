"""Formulas as people write them, `y ~ a + b`: the name to be explained, and the names that explain it.

A dot stands for all names, `- a` takes one away again, and `1` and `0` mean with and without intercept; it is included
unless it is taken away. A known name is read as a whole, with blanks and signs; others end at a sign. Quotes of any
kind may enclose any name. What a name means is decided in design; this module only records what was written.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NoReturn

from bounds.errors import UsageError
from bounds.nearest import nearest

DOT = "."
_QUOTES = "\"'`"
_SIGNS = "+-"
_MEANT_ELSEWHERE = {":": "interactions", "*": "interactions", "(": "functions", "^": "powers", "|": "groups"}
_MOST_SHOWN = 40


@dataclass(frozen=True, kw_only=True)
class Formula:
    """A formula as written: the response, the names added or taken away, in order, and the intercept."""

    response: str
    terms: tuple[tuple[int, str], ...]
    """Each a sign, 1 or -1, and a name; the dot is `.`."""
    intercept: bool


def parse_formula(text: str, names: Collection[str]) -> Formula:
    """The formula in a text, given the known names; errors name their position."""
    return _Reader(text, names).formula()


class _Reader:
    def __init__(self, text: str, names: Collection[str]) -> None:
        self.text, self.names, self.at = text, sorted(names, key=len, reverse=True), 0

    def formula(self) -> Formula:
        if not self.text.strip():
            raise UsageError("formula: it is empty; write it as in 'y ~ a + b'")
        response, quoted = self.name("the name to be explained")
        if not quoted and response in (DOT, "0", "1") and response not in self.names:
            self.refuse(f"{response} cannot be explained; name a column", back=len(response))
        if self.next() != "~":
            self.refuse("~ must follow here, as in 'y ~ a + b'")
        self.at += 1
        terms, intercept, sign = [], True, 1
        if self.next() == "-":
            sign, self.at = -1, self.at + 1
        while True:
            self.next()
            begin = self.at
            name, quoted = self.name("a name")
            if not quoted and name in ("0", "1") and name not in self.names:
                intercept = (sign > 0) == (name == "1")
            elif not quoted and name == DOT:
                if sign < 0:
                    self.refuse("the dot cannot be taken away", place=begin)
                terms.append((1, DOT))
            else:
                terms.append((sign, name))
            found = self.next()
            if not found:
                return Formula(response=response, terms=tuple(terms), intercept=intercept)
            if found not in _SIGNS:
                self.refuse("+ or - must follow here" if found != "~" else "there is a second ~")
            sign, self.at = (1 if found == "+" else -1), self.at + 1

    def next(self) -> str:
        """The next character that is not blank, to which reading moves on; empty at the end."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.text[self.at : self.at + 1]

    def name(self, what: str) -> tuple[str, bool]:
        """The name that begins here, and whether it was in quotes."""
        first = self.next()
        if not first:
            self.refuse(f"{what} is missing at the end")
        if first in _QUOTES:
            end = self.text.find(first, self.at + 1)
            if end < 0:
                self.refuse("this quote is not closed")
            found = self.text[self.at + 1 : end]
            if not found:
                self.refuse("there is nothing between these quotes")
            self._require_known(found)
            self.at = end + 1
            return found, True
        for known in self.names:
            if self.text.startswith(known, self.at) and self._ends(self.at + len(known)):
                self.at += len(known)
                return known, False
        if first in _SIGNS or first == "~":
            self.refuse(f"{what} must come here, not {first}")
        end = self.at
        while end < len(self.text) and self.text[end] not in f"{_SIGNS}~{_QUOTES}":
            end += 1
        found = self.text[self.at : end].rstrip()
        if found not in (DOT, "0", "1"):
            self._require_known(found)
        self.at += len(found)
        return found, False

    def _ends(self, place: int) -> bool:
        rest = self.text[place:].lstrip()
        return not rest or rest[0] in f"{_SIGNS}~"

    def _require_known(self, name: str) -> None:
        if name in self.names:
            return
        for sign, meant in _MEANT_ELSEWHERE.items():
            if sign in name:
                self.refuse(f"{_short(name)} is not a column: {meant} are not among the moments that a release has")
        near = nearest(name, self.names)
        more = f"; {near[0]} is" if near else f"; it has {_listed(self.names)}"
        self.refuse(f"{_short(name)} is not a column or feature of the release{more}")

    def refuse(self, why: str, *, place: int | None = None, back: int = 0) -> NoReturn:
        at = (self.at - back if place is None else place) + 1
        raise UsageError(f"formula: position {at}: {why}")


def _short(name: str) -> str:
    shown = "".join(c if c.isprintable() else "?" for c in name)
    return shown if len(shown) <= _MOST_SHOWN else f"{shown[: _MOST_SHOWN - 3]}..."


def _listed(names: Collection[str]) -> str:
    ordered = sorted(names)
    shown = ", ".join(_short(name) for name in ordered[:8])
    return shown if len(ordered) <= 8 else f"{shown} and {len(ordered) - 8} more"
