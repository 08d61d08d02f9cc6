"""Documents as plain text for a terminal: aligned, wrapped, coloured only if colour is wanted."""

from __future__ import annotations

import re
import textwrap

from bounds.errors import printable
from synthbounds.render.columns import layout
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

WIDTH, NARROWEST, WIDEST = 80, 40, 100
"""Characters of a line: as usual, and the least and most that a terminal may ask for."""
_STYLES = {"bold": "1", "dim": "2", "warning": "1;33", "answer": "1;36"}
_LONGEST_LABEL = 32
"""A label that is longer stands on a line of its own."""
_BESIDE = 24
"""Text next to something has at least this much room, or goes below."""
_MARGIN = "    "
_SHELL_WORD = re.compile(r"(?:\"[^\"]*\"|'[^']*'|[^\s\"'])+")


class _FormulaWrapper(textwrap.TextWrapper):
    """A formula may be broken after a product sign or a comma, too."""

    wordsep_re = re.compile(r"(\s+|(?<=[*,])(?=[^\s*]))")


class TextRenderer:
    """One document to one string; `colour` only for a terminal."""

    def __init__(self, *, colour: bool = False, width: int = WIDTH) -> None:
        self.colour = colour
        self.width = width

    def render(self, document: Document) -> str:
        return "\n\n".join(self._block(block) for block in document) + "\n"

    def _style(self, text: str, style: str) -> str:
        """The only escapes of an answer: what others wrote into names and files is shown, never obeyed."""
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.colour else text

    def _wrap(self, text: str, first: str = "", rest: str = "") -> str:
        return textwrap.fill(
            printable(text.replace("\n", " ")),
            self.width,
            initial_indent=first,
            subsequent_indent=rest,
            break_on_hyphens=False,
            break_long_words=False,
        )

    def _formula(self, text: str) -> str:
        first, rest = " " * 6, " " * 8
        wrapper = _FormulaWrapper(self.width, initial_indent=first, subsequent_indent=rest, break_long_words=False)
        return wrapper.fill(printable(text))

    def _block(self, block: Block) -> str:
        if isinstance(block, Title):
            return self._title(block.text) + (f"\n{self._wrap(block.subtitle)}" if block.subtitle else "")
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
            lines = [self._title(block.title)] if block.title else []
            return "\n".join([*lines, *(self._wrap(item, "  - ", "    ") for item in block.items)])
        if isinstance(block, Formulas):
            lines = [self._title(block.title)] if block.title else []
            for name, plain, _ in block.rows:
                lines += [self._wrap(name, "  ", "  "), self._formula(plain)]
            return "\n".join(lines)
        if isinstance(block, Glossary):
            return self._facts(Facts(tuple((plain, meaning) for plain, _, meaning in block.rows), block.title))
        lines = [part for line in block.lines for part in (self._command(line) if block.language == "sh" else [line])]
        return "\n".join(f"  {printable(line)}" if line else "" for line in lines)

    def _command(self, line: str) -> list[str]:
        """A command in lines that a shell takes for one; what stands in quotes is not broken."""
        parts = [""]
        for word in _SHELL_WORD.findall(line):
            if parts[-1] and len(f"  {parts[-1]} {word} \\") > self.width:
                parts.append("  ")
            parts[-1] += word if not parts[-1].strip() else f" {word}"
        return [*(f"{part} \\" for part in parts[:-1]), parts[-1]]

    def _title(self, text: str) -> str:
        return self._style(self._wrap(text), "bold")

    def _answer(self, block: Answer) -> str:
        names = max(len(symbol) for symbol, _, _ in block.rows)
        widest = max(len(value) for _, value, _ in block.rows)
        lines = []
        for symbol, value, meaning in block.rows:
            said = f"  {symbol.ljust(names)}  {value.rjust(widest)}"
            lines.append(self._style(printable(said), "answer"))
            indent = " " * (len(said) + 2)
            if len(indent) + _BESIDE <= self.width:
                lines[-1] = f"{lines[-1]}  {self._wrap(meaning, indent, indent).lstrip()}".rstrip()
            elif meaning:
                lines.append(self._wrap(meaning, 2 * _MARGIN, 2 * _MARGIN))
        return "\n".join(lines)

    def _facts(self, block: Facts) -> str:
        margin = "  " if block.title else ""
        short = [len(label) for label, _ in block.rows if len(label) <= _LONGEST_LABEL]
        widest = max(short, default=2) + 2 + len(margin)
        lines = [self._title(block.title)] if block.title else []
        for label, text in block.rows:
            wrapped = self._wrap(text, " " * widest, " " * widest)
            if len(label) > _LONGEST_LABEL:
                lines += [self._style(self._wrap(label, margin, margin), "dim"), wrapped]
            else:
                lines.append(self._style((margin + label).ljust(widest), "dim") + wrapped[widest:])
        return "\n".join(lines)

    def _table(self, block: Table) -> str:
        legend = f"  > {block.legend}" if block.legend else ""
        lines = []
        if block.title or legend:
            title = self._wrap(block.title)
            together = len(title) + len(legend) <= self.width
            below = f"\n{self._wrap(block.legend, '  > ', _MARGIN)}"
            lines = [self._style(title, "bold") + (legend if together else below)]
        rows = [tuple(printable(cell) for cell in row) for row in (block.columns, *block.rows)]
        set_out = layout(rows, block.right, self.width - len(_MARGIN))
        for number, row in enumerate(rows, start=-1):
            if number < 0 and not any(row):
                continue
            mark = "  > " if number in block.marked else _MARGIN
            first, *rest = set_out.row(row)
            said = "\n".join([mark + first, *(_MARGIN + line for line in rest)])
            style = "dim" if number < 0 else "bold" if number in block.marked else ""
            lines.append(self._style(said, style) if style else said)
        return "\n".join(lines)
