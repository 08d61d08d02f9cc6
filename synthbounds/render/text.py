"""Documents as plain text for a terminal: aligned, wrapped, coloured only where colour is wanted."""

from __future__ import annotations

import textwrap

from synthbounds.render.document import (
    Answer,
    Block,
    Bullets,
    Document,
    Facts,
    Formulas,
    Glossary,
    Stamp,
    Table,
    Title,
    Vacuous,
)

WIDTH = 100
_STYLES = {"bold": "1", "dim": "2", "warning": "1;33", "answer": "1;36"}


class TextRenderer:
    """One document to one string; `colour` only for a terminal."""

    def __init__(self, *, colour: bool = False, width: int = WIDTH) -> None:
        self.colour = colour
        self.width = width

    def render(self, document: Document) -> str:
        return "\n\n".join(self._block(block) for block in document) + "\n"

    def _style(self, text: str, style: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.colour else text

    def _wrap(self, text: str, first: str = "", rest: str = "") -> str:
        return textwrap.fill(
            text,
            self.width,
            initial_indent=first,
            subsequent_indent=rest,
            break_on_hyphens=False,
            break_long_words=False,
        )

    def _block(self, block: Block) -> str:
        if isinstance(block, Title):
            return self._style(block.text, "bold") + (f"\n{self._wrap(block.subtitle)}" if block.subtitle else "")
        if isinstance(block, Answer):
            return self._answer(block)
        if isinstance(block, Vacuous):
            return self._style(self._wrap(block.text, "!! VACUOUS: ", "   "), "warning")
        if isinstance(block, Stamp):
            return self._style(self._wrap(block.text, "!! ", "   "), "warning")
        if isinstance(block, Facts):
            return self._facts(block)
        if isinstance(block, Table):
            return self._table(block)
        if isinstance(block, Bullets):
            lines = [self._style(block.title, "bold")] if block.title else []
            return "\n".join([*lines, *(self._wrap(item, "  - ", "    ") for item in block.items)])
        if isinstance(block, Formulas):
            lines = [self._style(block.title, "bold")] if block.title else []
            for name, plain, _ in block.rows:
                lines.append(self._wrap(name, "  ", "  "))
                lines.append(self._wrap(plain, "      ", "        "))
            return "\n".join(lines)
        if isinstance(block, Glossary):
            return self._facts(Facts(tuple((plain, meaning) for plain, _, meaning in block.rows), block.title))
        return "\n".join(f"  {line}" if line else "" for line in block.lines)

    def _answer(self, block: Answer) -> str:
        names = max(len(symbol) for symbol, _, _ in block.rows)
        widest = max(len(value) for _, value, _ in block.rows)
        return "\n".join(
            f"  {self._style(f'{symbol.ljust(names)}  {value.rjust(widest)}', 'answer')}  {meaning}".rstrip()
            for symbol, value, meaning in block.rows
        )

    def _facts(self, block: Facts) -> str:
        margin = "  " if block.title else ""
        widest = max(len(label) for label, _ in block.rows) + 2 + len(margin)
        lines = [self._style(block.title, "bold")] if block.title else []
        for label, text in block.rows:
            wrapped = self._wrap(text, " " * widest, " " * widest)
            lines.append(self._style((margin + label).ljust(widest), "dim") + wrapped[widest:])
        return "\n".join(lines)

    def _table(self, block: Table) -> str:
        widths = [max([len(column), *(len(row[i]) for row in block.rows)]) for i, column in enumerate(block.columns)]

        def line(cells: tuple[str, ...]) -> str:
            parts = [
                cell.rjust(widths[i]) if i in block.right else cell.ljust(widths[i]) for i, cell in enumerate(cells)
            ]
            return "  ".join(parts).rstrip()

        legend = f"  > {block.legend}" if block.legend else ""
        lines = [self._style(block.title, "bold") + legend] if block.title or legend else []
        if any(block.columns):
            lines.append("    " + self._style(line(block.columns), "dim"))
        for number, row in enumerate(block.rows):
            mark = "  > " if number in block.marked else "    "
            lines.append(self._style(mark + line(row), "bold") if number in block.marked else mark + line(row))
        return "\n".join(lines)
