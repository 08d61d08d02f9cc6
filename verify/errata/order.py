"""The order of entries: by severity, then by the place in the paper, as far as its name gives it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from verify.claim import Claim, Severity

_ROMAN = {"I": 1, "V": 5, "X": 10}
_FIRST = ("title", "abstract")
_COUNTED_APART = ("Algorithm", "Figure", "Table", "Equation", "Mechanism")
"""What papers number consecutively across sections."""
_NUMBER = re.compile(r"(?<![\w(])(?:\d+|[IVX]+|[A-Z])(?:[.-](?:\d+|[A-Z]\b))*(?!\w)")
_GRAVEST_FIRST = tuple(Severity)


def by_place(claims: Iterable[Claim]) -> list[Claim]:
    return sorted(claims, key=lambda claim: (place(claim.locator), claim.id))


def by_severity(claims: Iterable[Claim]) -> list[Claim]:
    return sorted(by_place(claims), key=lambda claim: _GRAVEST_FIRST.index(claim.severity))


def place(locator: str) -> tuple[int, tuple[int, ...], str]:
    """Order: abstract, sections with their theorems, items numbered across sections, appendices.

    >>> sorted(["Lemma A.1", "Table 2", "Theorem 10.1", "Abstract", "Section 2.3", "Theorem IV.1"], key=place)
    ['Abstract', 'Section 2.3', 'Theorem IV.1', 'Theorem 10.1', 'Table 2', 'Lemma A.1']
    """
    found = _NUMBER.search(locator)
    if locator.lower().startswith(_FIRST) or found is None:
        return (0, (), locator)
    parts = re.split("[.-]", found.group())
    numbers = tuple(_number(part) for part in parts)
    is_appendix = _roman(parts[0]) is None and not parts[0].isdigit()
    if is_appendix or locator.startswith("Appendix"):
        return (3, numbers, locator)
    return (2 if locator.startswith(_COUNTED_APART) else 1, numbers, locator)


def _number(part: str) -> int:
    if part.isdigit():
        return int(part)
    roman = _roman(part)
    return ord(part) if roman is None else roman


def _roman(part: str) -> int | None:
    """The value of a Roman number; None for a letter."""
    if not all(letter in _ROMAN for letter in part):
        return None
    values = [_ROMAN[letter] for letter in part]
    return sum(-a if a < b else a for a, b in pairwise([*values, 0]))
