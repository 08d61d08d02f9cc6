"""Marks in pages: comments that nobody sees, which say where the numbers before them come from.

    more than 0.0079<!-- = run("finished_tables")["median_certificate"] --> above
    within 0.4, at epsilon 0.2<!-- given 0.4, 0.2: the question -->

A mark speaks of the numbers that stand before it, as many as it has values: an expression may give several, nested as
it likes, and a text gives those that stand in it. A text without numbers, as the name of a row, has to stand before the
next number, and True asserts something. Code, targets of links and comments have no numbers. A formula and a table have
their mark behind them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docs_site.numbers.forms import Token, tokens, written
from docs_site.numbers.names import value_of

_MARK = re.compile(r"<!--\s*(=|given)\s(.*?)\s*-->", re.DOTALL)
_SILENT = re.compile(
    r"^( *)(```+|~~~+).*?^\1\2 *$|<!--.*?-->|(?<!`)(`+)(?!`).+?(?<!`)\3(?!`)|(?<=\])\([^)\s]*\)"
    r"|\\(?:ge|le|log|approx|cdot(?!10\^))(?=\d)",
    re.MULTILINE | re.DOTALL,
)
_HARMLESS = re.compile(
    r"\b(?:Theorem|Lemma|Corollary|Proposition|Definition|Section|Appendix|Figure|Table|Algorithm|Equation|Remark)s?"
    r"[ ~]\d+(?:\.\d+)*(?:(?:,| and| or| to)\ \d+(?:\.\d+)*)*"
    r"|\b(?:19|20)\d\d\b(?![,.]\d)"  # years
    r"|\b(?:SHA-|RFC |ISO |UTF-|[Ii]ssue |pull request |arXiv )\d+(?:\.\d+)?"
    r"|(?<![\d.,])0\d+(?![\d.,])"  # 01
    r"|^ *\d+\. ",
    re.MULTILINE,
)


class Word(str):
    """Text that has to stand before the next number."""


@dataclass(frozen=True)
class Difference:
    """A number, or a mark, that is not as it should be."""

    start: int
    end: int
    shown: str
    wanted: str | None
    """What has to stand there; None where nobody but an author can tell."""
    why: str


@dataclass(frozen=True)
class Reading:
    """What the marks of a page say of its numbers."""

    differences: tuple[Difference, ...]
    tied: frozenset[int]
    """Where the numbers begin that a mark speaks of."""


def silenced(text: str) -> str:
    """The text with blanks for what shows no numbers, as long as before."""
    return _SILENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def read(text: str) -> Reading:
    """Every mark of a page, held to the numbers before it."""
    every, differences, tied, begin = tokens(silenced(text)), list[Difference](), set[int](), 0
    for mark in _MARK.finditer(text):
        before = [one for one in every if begin <= one.start and one.end <= mark.start()]
        begin_of_mark, begin = begin, mark.end()
        try:
            values = list(_values(mark))
        except Exception as error:
            differences.append(Difference(*mark.span(), mark.group(), None, f"{type(error).__name__}: {error}"))
            continue
        wanted = [value for value in values if not isinstance(value, bool | Word)]
        if not all(value for value in values if isinstance(value, bool)) or len(wanted) > len(before):
            why = f"only {len(before)} numbers before it" if len(wanted) > len(before) else "does not hold"
            differences.append(Difference(*mark.span(), mark.group(), None, why))
            continue
        paired = before[len(before) - len(wanted) :]
        for one, value in zip(paired, wanted, strict=True):
            tied.add(one.start)
            differences += _difference(one, value, mark)
        differences += _missing_words(text, begin_of_mark, paired, values, mark)
    return Reading(tuple(differences), frozenset(tied))


def _missing_words(
    text: str, begin: int, paired: Sequence[Token], values: Iterable[Any], mark: re.Match[str]
) -> Iterator[Difference]:
    """Words that do not stand between the numbers beside them."""
    ends = [begin, *(one.end for one in paired)]
    starts = [*(one.start for one in paired), mark.start()]
    place = 0
    for value in values:
        if isinstance(value, Word):
            if value.casefold() not in text[ends[place] : starts[place]].casefold():
                yield Difference(starts[place], starts[place], value, None, "does not stand before this")
        elif not isinstance(value, bool):
            place += 1


def _values(mark: re.Match[str]) -> Iterator[Any]:
    if mark[1] == "given":
        return (one.text for one in tokens(mark[2].partition(":")[0]))
    return _flat(value_of(" ".join(mark[2].split())))


def _flat(value: Any) -> Iterator[Any]:
    """Numbers one by one; text gives those that stand in it."""
    if isinstance(value, str):
        found = tokens(silenced(value))
        yield from (one.text for one in found) if found else (Word(value.strip("`")),)
    elif isinstance(value, Mapping):
        yield from _flat(value.values())
    elif isinstance(value, Iterable):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _difference(one: Token, value: Any, mark: re.Match[str]) -> Iterator[Difference]:
    try:
        wanted = written(value, one.text)
    except (ValueError, TypeError, OverflowError) as error:
        yield Difference(one.start, one.end, one.text, None, str(error))
        return
    if wanted != one.text:
        given = mark[1] == "given"
        why = f"given as {wanted}" if given else f"{wanted} by {' '.join(mark[2].split())}"
        yield Difference(one.start, one.end, one.text, None if given else wanted, why)


def rewritten(text: str, differences: Iterable[Difference]) -> str:
    """The text with what the marks say."""
    for one in sorted(differences, key=lambda one: -one.start):
        if one.wanted is not None:
            text = text[: one.start] + one.wanted + text[one.end :]
    return text


def untied(text: str, tied: frozenset[int], spans: Iterable[tuple[int, int]]) -> list[Token]:
    """Numbers in these parts of a page of which no mark speaks, and that are of no harmless kind."""
    bare = silenced(text)
    harmless = [match.span() for match in _HARMLESS.finditer(bare)]
    inside = [(first, last) for first, last in spans]
    return [
        one
        for one in tokens(bare)
        if one.counts
        and one.start not in tied
        and any(first <= one.start < last for first, last in inside)
        and not any(first <= one.start and one.end <= last for first, last in harmless)
    ]
