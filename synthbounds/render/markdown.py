"""Documents as Markdown, for issues, notes and pages."""

from __future__ import annotations

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


def render_markdown(document: Document) -> str:
    return "\n\n".join(_block(block) for block in document) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Title):
        return f"## {_escape(block.text)}" + (f"\n\n{_escape(block.subtitle)}" if block.subtitle else "")
    if isinstance(block, Answer):
        rows = tuple((f"**{_escape(s)}**", f"**{value}**", _escape(meaning)) for s, value, meaning in block.rows)
        return _table(("", "", ""), rows, frozenset({1}))
    if isinstance(block, Vacuous):
        return f"> **Vacuous:** {_escape(block.text)}"
    if isinstance(block, Stamp):
        return f"> **{_escape(block.text)}**"
    if isinstance(block, Facts):
        heading = f"### {block.title}\n\n" if block.title else ""
        return heading + "\n".join(f"- **{label}**: {_escape(text)}" for label, text in block.rows)
    if isinstance(block, Table):
        cells = tuple(
            tuple(f"**{_escape(c)}**" if i in block.marked and c else _escape(c) for c in row)
            for i, row in enumerate(block.rows)
        )
        heading = f"### {block.title}\n\n" if block.title else ""
        heading += f"Bold: {block.legend}.\n\n" if block.legend else ""
        return heading + _table(tuple(_escape(c) for c in block.columns), cells, block.right)
    if isinstance(block, Bullets):
        heading = f"### {block.title}\n\n" if block.title else ""
        return heading + "\n".join(f"- {_escape(item)}" for item in block.items)
    if isinstance(block, Formulas):
        heading = f"### {block.title}\n\n" if block.title else ""
        return heading + "\n\n".join(f"{_escape(name)}\n\n$${latex}$$" for name, _, latex in block.rows)
    if isinstance(block, Glossary):
        return f"### {block.title}\n\n" + "\n".join(f"- ${latex}$: {_escape(m)}" for _, latex, m in block.rows)
    if isinstance(block, Code):
        return f"```{block.language}\n" + "\n".join(block.lines) + "\n```"
    raise TypeError(type(block).__name__)


def _table(columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...], right: frozenset[int]) -> str:
    rule = "|".join("---:" if i in right else "---" for i in range(len(columns)))
    lines = ["| " + " | ".join(columns) + " |", f"|{rule}|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _escape(text: str) -> str:
    for character in "\\|*_<>`":
        text = text.replace(character, "\\" + character)
    return text
