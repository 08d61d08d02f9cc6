"""Documents as LaTeX fragments that stand in an article without further packages than amsmath and booktabs."""

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

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def render_latex(document: Document) -> str:
    return "% needs \\usepackage{amsmath,booktabs}\n" + "\n\n".join(_block(block) for block in document) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Title):
        subtitle = f"\n{_escape(block.subtitle)}" if block.subtitle else r"\leavevmode\par"
        return rf"\paragraph{{{_escape(block.text)}}}{subtitle}"
    if isinstance(block, Answer):
        rows = tuple((_symbol(symbol), _escape(value), _escape(meaning)) for symbol, value, meaning in block.rows)
        return _tabular("lrl", (), rows)
    if isinstance(block, Vacuous):
        return rf"\textbf{{Vacuous:}} {_escape(block.text)}"
    if isinstance(block, Stamp):
        return rf"\textbf{{{_escape(block.text)}}}"
    if isinstance(block, Facts):
        items = "\n".join(rf"  \item[{_escape(label)}] {_escape(text)}" for label, text in block.rows)
        heading = _heading(block.title)
        return heading + "\\begin{description}\n" + items + "\n\\end{description}"
    if isinstance(block, Table):
        shape = "".join("r" if i in block.right else "l" for i in range(len(block.columns)))
        cells = tuple(
            tuple(rf"\textbf{{{_escape(c)}}}" if i in block.marked and c else _escape(c) for c in row)
            for i, row in enumerate(block.rows)
        )
        legend = f" Bold: {block.legend}." if block.legend else ""
        heading = _heading(block.title, legend)
        return heading + _tabular(shape, tuple(_escape(c) for c in block.columns), cells)
    if isinstance(block, Bullets):
        heading = _heading(block.title)
        items = "\n".join(rf"  \item {_escape(item)}" for item in block.items)
        return heading + "\\begin{itemize}\n" + items + "\n\\end{itemize}"
    if isinstance(block, Formulas):
        heading = _heading(block.title)
        return heading + "\n".join(rf"{_escape(name)}:" + "\n\\[ " + latex + " \\]" for name, _, latex in block.rows)
    if isinstance(block, Glossary):
        items = "\n".join(rf"  \item[${latex}$] {_escape(meaning)}" for _, latex, meaning in block.rows)
        return f"{_heading(block.title)}\\begin{{description}}\n{items}\n\\end{{description}}"
    if isinstance(block, Code):
        return "\\begin{verbatim}\n" + "\n".join(block.lines) + "\n\\end{verbatim}"
    raise TypeError(type(block).__name__)


def _tabular(shape: str, columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> str:
    lines = [rf"\noindent\begin{{tabular}}{{{shape}}}", r"\toprule"]
    if columns:
        lines += [" & ".join(columns) + r" \\", r"\midrule"]
    lines += [" & ".join(row) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _heading(title: str, remark: str = "") -> str:
    if not title and not remark:
        return ""
    return rf"\medskip\noindent\textbf{{{_escape(title)}}}{_escape(remark)}\par\smallskip" + "\n"


def _symbol(name: str) -> str:
    greek = {"kappa", "epsilon", "delta", "gamma"}
    return f"$\\{name}$" if name in greek else f"${name}$" if len(name) == 1 else _escape(name)


def _escape(text: str) -> str:
    escaped = "".join(_SPECIAL.get(character, character) for character in text)
    return escaped.replace("--", "-{}-")
