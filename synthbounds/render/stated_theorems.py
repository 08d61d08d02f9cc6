"""Theorems as they are explained, in the forms for an article: every edition with its hypotheses and formulas."""

from __future__ import annotations

from bounds.model import Edition, Route, Theorem
from synthbounds.render.latex_prose import begun, prose
from synthbounds.render.stated import COMMENT, cited
from synthbounds.render.statements import derived_formulas, term_formulas


def explained_in_form(form: str, theorem: Theorem) -> str:
    if form == "latex-theorem":
        routes = [(edition, route) for edition in theorem.editions for route in edition.routes]
        return "\n\n".join([COMMENT, *(_theorem(theorem, edition, route) for edition, route in routes)]) + "\n"
    cite = cited(theorem.citation.paper, theorem.id, theorem.citation.locator)
    if form == "latex-row":
        return f"% theorem & title & promise \\\\\n{cite} & {prose(theorem.title)} & {prose(theorem.guarantee)} \\\\\n"
    return f"{prose(theorem.title)} ({cite}): {prose(theorem.guarantee)}\n"


def _theorem(theorem: Theorem, edition: Edition, route: Route) -> str:
    cite = cited(theorem.citation.paper, theorem.id, theorem.citation.locator)
    ours = "" if edition.name == "printed" or theorem.citation.paper == "synthbounds" else r" and \cite{synthbounds}"
    lines = [f"\\begin{{theorem}}[{{{prose(theorem.title)}; {edition.name} edition; {cite}{ours}}}]"]
    if route.hypotheses:
        lines += ["Suppose that", r"\begin{itemize}"]
        lines += [rf"  \item {begun(prose(hypothesis.text))}" for hypothesis in route.hypotheses]
        lines += [r"\end{itemize}"]
    if route.derived:
        lines += ["Let", *(_shown(name, latex) for name, _, latex in derived_formulas(route))]
    states_sizes = any(term.quantity != "value" for term in route.terms)
    lines.append(f"{prose(route.summary[:1].upper() + route.summary[1:])}: {'if' if states_sizes else 'the value is'}")
    lines += [_shown(name, latex) for name, _, latex in term_formulas(route)]
    lines.append(f"{'then: ' if states_sizes else 'and: '}{prose(theorem.guarantee)}")
    return "\n".join([*lines, r"\end{theorem}"])


def _shown(name: str, latex: str) -> str:
    return rf"\[ {latex} \qquad \text{{({prose(name)})}} \]"
