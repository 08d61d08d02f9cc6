"""Statements by the numbers in their papers: "Theorem 3.2", "zhou2024 cor. 3.6", "eq. (7)".

A place is what a user asks for; a locator is where a statement or a claim is found in its paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from bounds.papers import PAPERS

Found = TypeVar("Found")
_STATEMENTS = {
    "theorem": r"theorems?|thms?\.?",
    "corollary": r"corollary|corollaries|cors?\.?",
    "lemma": r"lemmas?|lem\.?",
    "proposition": r"propositions?|props?\.?",
    "definition": r"definitions?|defs?\.?|defn\.?",
    "claim": r"claims?",
    "remark": r"remarks?|rem\.?",
    "algorithm": r"algorithms?|algs?\.?|algo\.?",
}
_OTHERS = {
    "equation": r"equations?|eqs?\.?|eqns?\.?",
    "figure": r"figures?|figs?\.?",
    "table": r"tables?|tabs?\.?",
    "section": r"sections?|secs?\.?|§",
    "appendix": r"appendix|appendices|apps?\.?",
}
_KINDS = {**_STATEMENTS, **_OTHERS}
_PART = r"(?:[ivxlc]+|[a-z]|\d+)"
_NUMBER = rf"(?:{_PART}(?:[.-]{_PART})*(?:\s?\([a-z]\)|(?<=\d)[a-z])?(?![\w)])|\(\d+\))"
_WORDS = "|".join(f"(?P<{kind}>(?<!\\w)(?:{words})(?![a-z]))" for kind, words in _KINDS.items())
_NAMED = re.compile(
    rf"(?:{_WORDS})\s*(?P<numbers>{_NUMBER}(?:(?:\s*,\s*|\s+(?:and|to|or)\s+){_NUMBER})*)", re.IGNORECASE
)
_ONE = re.compile(rf"(?P<to>\bto\s+)?(?<!\w)(?P<number>{_NUMBER})", re.IGNORECASE)
_ALONE = re.compile(r"(?P<item>(?<![\w(])(?:item \()?(?:[a-z]|\d+)\))|(?P<equation>\(\d+\))", re.IGNORECASE)
_BARE = re.compile(rf"\s*({_NUMBER})\s*", re.IGNORECASE)
_FILLERS = re.compile(r"(?:[\s,;:.()]|\b(?:of|in|and|from|the|paper)\b)*", re.IGNORECASE)


@dataclass(frozen=True)
class Numbered:
    """One number of a paper; the kind is empty if it was not given."""

    kind: str
    number: str

    def covers(self, other: Numbered) -> bool:
        """Figure 1 has a part (a)."""
        is_part = self.number[-1].isdigit() and other.number[:-1] == self.number and other.number[-1].isalpha()
        return (is_part or self.number == other.number) and self.kind in ("", other.kind)


@dataclass(frozen=True)
class Place:
    """What was asked for: numbers that belong together, in one paper or in any."""

    text: str
    paper: str
    numbers: tuple[Numbered, ...]


def read_place(text: str) -> Place | None:
    """The place that a text names, or None if it is something else, such as an id.

    >>> read_place("zhou2024, Cor. 3.6").numbers
    (Numbered(kind='corollary', number='3.6'),)
    >>> read_place("zhou2024.logistic") is None
    True
    """
    if len(text) > 200:
        return None
    paper, rest = _paper_of(text)
    numbers = numbers_of(rest)
    if numbers:
        left = _ALONE.sub(" ", _NAMED.sub(" ", rest))
    else:
        bare = _BARE.fullmatch(rest.strip(" .,:;"))
        if bare is None or not (paper or any(c.isdigit() for c in bare[1])):
            return None
        number = bare[1]
        numbers, left = (Numbered("equation" if number.startswith("(") else "", _plain(number)),), ""
    return Place(text, paper, numbers) if _FILLERS.fullmatch(left) else None


@lru_cache(maxsize=4096)
def numbers_of(locator: str) -> tuple[Numbered, ...]:
    """The numbers that a locator names, in order.

    >>> [numbered.number for numbered in numbers_of("Algorithms 2 to 4; Appendix C-B, (6) and (9)")]
    ['2', '3', '4', 'c-b', '6', '9']
    """
    found: list[tuple[int, Numbered]] = []
    taken = [(0, 0)]
    for match in _NAMED.finditer(locator):
        kind = next(name for name in _KINDS if match[name])
        taken.append(match.span())
        for one in _ONE.finditer(match["numbers"]):
            number = _plain(one["number"])
            if one["to"] and number.isdigit() and found[-1][1].number.isdigit():
                between = range(int(found[-1][1].number) + 1, int(number))
                found += [(match.start(), Numbered(kind, str(n))) for n in between]
            found.append((match.start(), Numbered("equation" if one["number"][0] == "(" else kind, number)))
    for match in _ALONE.finditer(locator):
        if not any(start <= match.start() < end for start, end in taken):
            kind = "item" if match["item"] else "equation"
            found.append((match.start(), Numbered(kind, _plain(match[0].removeprefix("item ")))))
    return tuple(numbered for _, numbered in sorted(found, key=lambda one: one[0]))


def standing_at(place: Place, known: Iterable[tuple[str, str, Found]]) -> tuple[Found, ...]:
    """Those of (paper, locator, thing) whose locator names every number of the place."""
    chosen = [
        (locator, thing)
        for paper, locator, thing in known
        if place.paper in ("", paper)
        and all(any(asked.covers(number) for number in numbers_of(locator)) for asked in place.numbers)
    ]
    if any(not number.kind for number in place.numbers):  # 3.6 is a corollary rather than a section
        first = [one for one in chosen if any(_is_statement(asked, one[0]) for asked in place.numbers)]
        chosen = first or chosen
    return tuple(thing for _, thing in chosen)


def nearest_to(place: Place, known: Iterable[tuple[str, str, Found]]) -> tuple[Found, ...]:
    """The same, but only those that name this place and no other, if there are any; else those that name it first."""
    every = list(known)
    found = standing_at(place, every)
    locators = {id(thing): locator for _, locator, thing in every}
    alone = tuple(thing for thing in found if len(numbers_of(locators[id(thing)])) == len(place.numbers))
    exact = tuple(thing for thing in alone if _NAMED.sub("", locators[id(thing)]).strip(" ,()0123456789") == "")
    first = tuple(thing for thing in found if place.numbers[0].covers(numbers_of(locators[id(thing)])[0]))
    return exact or alone or first or found


def _is_statement(asked: Numbered, locator: str) -> bool:
    return any(asked.covers(number) and number.kind in _STATEMENTS for number in numbers_of(locator))


def _plain(number: str) -> str:
    return re.sub(r"[()\s]", "", number).casefold()


def _paper_of(text: str) -> tuple[str, str]:
    """The paper that is named by its key or its first author, and the text without it."""
    for key in PAPERS:
        name, year = key[:-4], key[-4:]
        if not year.isdigit():
            continue
        pattern = rf"(?<!\w){name}(?:\s+et\s+al\.?|\s+and\s+\w+)?(?:[\s,(]*{year}\)?)?(?=$|[\s,.:;)])[.,:;]?"
        match = re.search(pattern, text, re.IGNORECASE)
        if match:
            return key, f"{text[: match.start()]} {text[match.end() :]}"
    return "", text
