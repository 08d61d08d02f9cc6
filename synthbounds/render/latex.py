"""Documents as LaTeX fragments that stand in an article with only fontenc, amsmath and booktabs."""

from __future__ import annotations

from bounds.errors import printable
from bounds.latex_names import latex_name
from bounds.quantities import SYMBOLS
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
from synthbounds.render.latex_prose import begun, has_letter, prose

NEEDS = "% needs \\usepackage[T1]{fontenc} and \\usepackage{amsmath,booktabs}"


def render_latex(document: Document) -> str:
    return f"{NEEDS}\n" + "\n\n".join(_block(block) for block in document) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Title):
        subtitle = f"\n{prose(block.subtitle)}" if block.subtitle else r"\leavevmode\par"
        return rf"\paragraph{{{prose(block.text)}}}{subtitle}"
    if isinstance(block, Answer):
        rows = tuple((_name(name), prose(value), prose(meaning)) for name, value, meaning in block.rows)
        return _tabular("lrl", (), rows)
    if isinstance(block, Vacuous):
        return rf"\textbf{{Vacuous:}} {prose(block.text)}"
    if isinstance(block, Stamp):
        return rf"\textbf{{{prose(block.text)}}}"
    if isinstance(block, Facts):
        items = "\n".join(rf"  \item[{{{prose(label)}}}] {begun(prose(text))}" for label, text in block.rows)
        heading = _heading(block.title)
        return heading + "\\begin{description}\n" + items + "\n\\end{description}"
    if isinstance(block, Table):
        shape = "".join("r" if i in block.right else "l" for i in range(len(block.columns)))
        cells = tuple(
            tuple(rf"\textbf{{{prose(c)}}}" if i in block.marked and c else prose(c) for c in row)
            for i, row in enumerate(block.rows)
        )
        legend = f" Bold: {block.legend}." if block.legend else ""
        heading = _heading(block.title, legend)
        return heading + _tabular(shape, tuple(prose(c) for c in block.columns), cells)
    if isinstance(block, Bullets):
        heading = _heading(block.title)
        items = "\n".join(rf"  \item {begun(prose(item))}" for item in block.items)
        return heading + "\\begin{itemize}\n" + items + "\n\\end{itemize}"
    if isinstance(block, Formulas):
        heading = _heading(block.title)
        return heading + "\n".join(rf"{prose(name)}:" + "\n\\[ " + latex + " \\]" for name, _, latex in block.rows)
    if isinstance(block, Glossary):
        items = "\n".join(rf"  \item[${latex}$] {prose(meaning)}" for _, latex, meaning in block.rows)
        return f"{_heading(block.title)}\\begin{{description}}\n{items}\n\\end{{description}}"
    if isinstance(block, Code):
        shown = ["".join(c if has_letter(c) else "?" for c in printable(line)) for line in block.lines]
        lines = [line.replace("\\end{verbatim}", "\\end {verbatim}") for line in shown]
        return "\\begin{verbatim}\n" + "\n".join(lines) + "\n\\end{verbatim}"
    raise TypeError(type(block).__name__)


def _tabular(shape: str, columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> str:
    lines = [rf"\noindent\begin{{tabular}}{{{shape}}}", r"\toprule"]
    if columns:
        lines += [" & ".join(columns) + r" \\", r"\midrule"]
    lines += [begun(" & ".join(row)) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _name(name: str) -> str:
    letter = len(name) == 1 and name.isascii() and name.isalpha()
    return f"${latex_name(name)}$" if letter or name in SYMBOLS else prose(name)


def _heading(title: str, remark: str = "") -> str:
    if not title and not remark:
        return ""
    return rf"\medskip\noindent\textbf{{{prose(title)}}}{prose(remark)}\par\smallskip" + "\n"
