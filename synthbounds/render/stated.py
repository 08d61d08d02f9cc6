"""What an answer states in an article: one line, one row of a table, or a theorem with its hypotheses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from synthbounds.render.latex_prose import begun, escaped, prose

NONE = "-"
COMMENT = (
    "% needs \\usepackage[T1]{fontenc}, \\usepackage{amsmath,amsthm} and \\newtheorem{theorem}{Theorem};\n"
    "% the keys of \\cite are those of `synthbounds cite`"
)


@dataclass(frozen=True)
class Stated:
    """One statement; the numbers are LaTeX that stands between dollar signs."""

    theorem: str
    title: str
    paper: str
    locator: str
    edition: str
    given: tuple[tuple[str, str], ...]
    """Symbol or words, and value."""
    found: tuple[tuple[str, str], ...]
    """The same for what was asked for; a number that does not exist is left out of a line."""
    hypotheses: tuple[str, ...]
    """Sentences in plain text, as for everybody."""
    conclusion: str
    """LaTeX: what holds then."""
    remark: str = ""
    """What must not be missed: that the answer says nothing, say."""


def in_form(form: str, stated: Sequence[Stated]) -> str:
    """The statements in one of the forms."""
    if form == "latex-row":
        lines = [f"% {heading_of(stated[0])}", *(row_of(one) for one in stated)]
    elif form == "latex-line":
        lines = [line_of(one) for one in stated]
    else:
        lines = [COMMENT, *(theorem_of(one) for one in stated)]
    return "\n".join(lines) + "\n"


def line_of(stated: Stated) -> str:
    """The numbers found, for what they were asked, and by which theorem."""
    found = ", ".join(_equation(pair) for pair in stated.found if pair[1] != NONE)
    given = f" for {', '.join(_equation(pair) for pair in stated.given)}" if stated.given else ""
    remark = f" {prose(stated.remark)}" if stated.remark else ""
    return f"{found or prose(stated.title)}{given} ({_source(stated)}).{remark}"


def row_of(stated: Stated) -> str:
    """Cells of a table: theorem, edition, what was given, what was found."""
    numbers = [value if value == NONE else f"${value}$" for _, value in (*stated.given, *stated.found)]
    cells = [_cite(stated), stated.edition, *numbers]
    return " & ".join(cells) + r" \\"


def heading_of(stated: Stated) -> str:
    """The row that names the columns of `row_of`."""
    return " & ".join(["theorem", "edition", *(name for name, _ in (*stated.given, *stated.found))]) + r" \\"


def theorem_of(stated: Stated) -> str:
    """A theorem in the words of an article."""
    suppose = ""
    if stated.hypotheses:
        comma = "," if stated.conclusion.startswith(("from ", "at ")) else ""
        items = "\n".join(rf"  \item {begun(prose(text))}" for text in stated.hypotheses)
        suppose = f"Suppose that\n\\begin{{itemize}}\n{items}\n\\end{{itemize}}\nThen{comma} "
    conclusion = stated.conclusion if suppose else stated.conclusion[:1].upper() + stated.conclusion[1:]
    remark = f"\n\\emph{{{prose(stated.remark)}}}" if stated.remark else ""
    title = f"{prose(stated.title)}; {_source(stated)}"
    return f"\\begin{{theorem}}[{{{title}}}]\n{suppose}{conclusion}\n\\end{{theorem}}{remark}"


def _equation(pair: tuple[str, str]) -> str:
    name, value = pair
    if name.startswith("$"):
        return f"${name.strip('$')} = {value}$"
    return f"{name} ${value}$"


def _source(stated: Stated) -> str:
    """Who states it: an edition that is not the printed one is ours."""
    if stated.paper == "synthbounds":
        return _cite(stated)
    if stated.edition == "printed":
        return f"{_cite(stated)}, as printed"
    verb = "repairing" if stated.edition == "corrected" else "improving on"
    return rf"\cite{{synthbounds}}, {verb} {_cite(stated)}"


def _cite(stated: Stated) -> str:
    return cited(stated.paper, stated.theorem, stated.locator)


def cited(paper: str, theorem: str, locator: str) -> str:
    """The place in the paper; of what is proved here, the id."""
    place = escaped(theorem) if paper == "synthbounds" else prose(locator).replace(" ", "~")
    return rf"\cite[{{{place}}}]{{{paper}}}"
