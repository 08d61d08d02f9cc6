"""Numbers in prose, tied to where they come from: what a quote is, and which numbers of a page are tied to nothing.

A page has *quotes*, phrases that are built from a value (a run, a recorded benchmark, a formula, a limit that code
enforces) and must stand in the page, and *given* phrases, whose numbers are no result: the setting of a question, a
name, a definition. Whitespace does not matter. A number with one digit alone is not asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tests.paths import ROOT

SETTING, NAME, DEFINITION = "setting", "name", "definition"
"""Why a number is given: what was asked; theorems, standards, years; a format, a formula, a model of the data."""
REASONS = (SETTING, NAME, DEFINITION)

CODE = "\N{WHITE BULLET}"
"""What prose has in place of code and of targets."""
_FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
_CODE_OR_TARGET = re.compile(r"`[^`]*`|(?<=\])\([^)]*\)")
_NUMBER = re.compile(r"(?<![\w.])(?=\.?\d)(?:\d+(?:,\d{3})*)?(?:\.\d+)?(?:e-?\d+)?(?: ?%| percent)?")


@dataclass(frozen=True)
class Page:
    """What is known about the numbers of a page; `quotes` computes, so it is called when a test runs."""

    quotes: Callable[[], Iterable[str]] = tuple
    given: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def given_phrases(self) -> list[str]:
        assert set(self.given) <= set(REASONS)
        return [phrase for phrases in self.given.values() for phrase in phrases]


def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def recorded(name: str) -> dict[str, Any]:
    """The recorded result of a benchmark."""
    found: dict[str, Any] = json.loads(text_of(f"benchmarks/results/{name}.json"))
    return found


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def prose(text: str) -> str:
    """In one line, without code and without the targets of links."""
    return in_one_line(_CODE_OR_TARGET.sub(CODE, in_one_line(_FENCE.sub(" ", text))))


def is_shown(text: str, phrase: str) -> bool:
    """Whether a phrase stands in a page, not as a part of a longer number."""
    return _places(in_one_line(text), in_one_line(phrase)) != []


def untied(text: str, phrases: Iterable[str]) -> list[str]:
    """Numbers of the prose that are in none of the phrases, each with the words around it."""
    bare = prose(text)
    tied = [place for phrase in phrases for place in _places(bare, prose(phrase))]
    return [
        bare[max(0, start - 30) : end + 30]
        for start, end in numbers(bare)
        if not any(first <= start and end <= last for first, last in tied)
    ]


def numbers(bare: str) -> list[tuple[int, int]]:
    """Where prose has numbers that must be tied to something."""
    return [match.span() for match in _NUMBER.finditer(bare) if _counts(match.group())]


def check_page(text: str, page: Page) -> None:
    """Fail where a quote is not shown, a number is tied to nothing, or a given phrase is not needed."""
    quotes, given = list(page.quotes()), page.given_phrases
    assert [phrase for phrase in quotes if not is_shown(text, phrase)] == [], "the page shows something else"
    assert untied(text, [*quotes, *given]) == [], "numbers that are tied to nothing"
    for phrase in given:
        assert is_shown(text, phrase), phrase
        assert untied(text, [*quotes, *(other for other in given if other != phrase)]), f"not needed: {phrase}"


def _places(text: str, phrase: str) -> list[tuple[int, int]]:
    before = r"(?<![\w.])" if phrase[:1].isdigit() or phrase.startswith(".") else ""
    after = r"(?!\w|[.,]\d)" if phrase[-1:].isdigit() else ""
    return [match.span() for match in re.finditer(before + re.escape(phrase) + after, text)]


def _counts(number: str) -> bool:
    """One digit alone does not: "two rounds", "norm 2"."""
    return not re.fullmatch(r"\d", number)


def thousands(number: int) -> str:
    return f"{number:,}"


def decimal(value: float, places: int) -> str:
    """Rounded, without a zero before the point: .97."""
    return f"{value:.{places}f}".removeprefix("0")


def power_of_two(number: int) -> str:
    """As 2^k; it must be one."""
    assert number == 1 << (number.bit_length() - 1), number
    return f"2^{number.bit_length() - 1}"


def exponential(value: float, digits: int) -> str:
    """As 2.265e-5: that many digits after the point, none where they are zero."""
    mantissa, power = f"{value:.{digits}e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{int(power)}"
