"""The document of a command as HTML: every block that the text on a terminal has."""

from __future__ import annotations

from collections.abc import Iterable

from synthbounds.render.document import (
    Answer,
    Block,
    Bullets,
    Code,
    Document,
    Facts,
    Formulas,
    Glossary,
    Stamp,
    Table,
    Title,
    Vacuous,
)
from synthbounds.report.markup import Markup, element


def draw_document(document: Document) -> list[Markup]:
    return [part for block in document for part in _block(block)]


def _block(block: Block) -> Iterable[Markup]:
    if isinstance(block, Title):
        yield from _heading(block.text)
        if block.subtitle:
            yield element("p", block.subtitle)
    elif isinstance(block, Answer):
        rows = tuple((symbol, value, meaning) for symbol, value, meaning in block.rows)
        yield _table(Table("", ("", "", ""), rows, right=frozenset({1})))
    elif isinstance(block, Vacuous):
        yield element("p", f"Vacuous: {block.text}", class_="stamp")
    elif isinstance(block, Stamp):
        yield element("p", block.text, class_="stamp")
    elif isinstance(block, Facts):
        yield from _heading(block.title)
        yield _terms(block.rows)
    elif isinstance(block, Table):
        yield from _heading(block.title)
        if block.legend:
            yield element("p", f"Bold: {block.legend}.")
        yield _table(block)
    elif isinstance(block, Bullets):
        yield from _heading(block.title)
        yield element("ul", *(element("li", item) for item in block.items))
    elif isinstance(block, Formulas | Glossary):
        yield from _heading(block.title)
        plain = isinstance(block, Glossary)
        yield _terms((first, third) if plain else (first, second) for first, second, third in block.rows)
    else:
        assert isinstance(block, Code)
        yield element("pre", "\n".join(block.lines))


def _heading(text: str) -> list[Markup]:
    return [element("h3", text)] if text else []


def _terms(rows: Iterable[tuple[str, str]]) -> Markup:
    return element("dl", *(part for label, text in rows for part in (element("dt", label), element("dd", text))))


def _table(block: Table) -> Markup:
    def side(place: int) -> str | None:
        return "right" if place in block.right else None

    def named(place: int, text: str) -> Markup:  # a head without words names nothing, and must not claim to
        return element("th", text, scope="col", class_=side(place)) if text else element("td")

    head = [named(i, text) for i, text in enumerate(block.columns)]
    body = [
        element(
            "tr",
            *(element("td", cell, class_=side(i)) for i, cell in enumerate(row)),
            class_="marked" if number in block.marked else None,
        )
        for number, row in enumerate(block.rows)
    ]
    inside = [element("thead", element("tr", *head))] if any(block.columns) else []
    table = element("table", *inside, element("tbody", *body))
    return element("div", table, class_="scroll", tabindex=0, role="region", aria_label=block.title or "numbers")
