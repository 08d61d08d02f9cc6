"""Theorems as they are explained, in the forms for an article: editions with symbols, hypotheses and formulas."""

from __future__ import annotations

import re

from bounds.latex_names import latex_name
from bounds.model import Edition, Route, Theorem
from bounds.quantities import SYMBOLS
from bounds.symbolic_form import names_in_use
from synthbounds.render.latex_prose import begun, prose
from synthbounds.render.stated import COMMENT, cited
from synthbounds.render.statements import derived_formulas, term_formulas

VALUE = "v"
"""The letter of the number that a statement with a value computes."""
_NAMES = "|".join(sorted(SYMBOLS, key=len, reverse=True))
_AS_SYMBOLS = re.compile(
    rf"\b(?P<base>{_NAMES})\^(?P<power>{_NAMES})\b|"
    rf"(?:^(?P<first>{_NAMES})(?= (?:is|lies|\+) )"
    rf"|(?:(?<=[+/] )|(?<=\bat least )|(?<=\bat most )|(?<=\bthan )|(?<=\bconstant ))(?P<compared>{_NAMES})\b"
    rf"|\b(?P<divided>{_NAMES})(?=/))"
)
"""A name is a symbol where it begins a sentence, is counted with or compared; elsewhere it may be an ordinary word."""
_TO_VALUE = (
    (r"\bepsilon the value\b", "epsilon = @"),
    (r"\bthe value\b", "@"),
    (r"\bthis much more risk\b", "@ more risk"),
    (r"\bat most this (excess risk|probability)\b", r"\1 at most @"),
    (r"\bthis many queries\b", "@ queries"),
    (r"\bthis far away\b", "@ away"),
    (r"\bof this standard deviation\b", "of standard deviation @"),
    (r"\b(more than|below|root of) this\b(?! [a-z])", r"\1 @"),
)
"""How a promise refers to the number above it; @ stands for its letter."""


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
    lines = [f"\\begin{{theorem}}[{{{prose(theorem.title)}; {edition.name} edition; {cite}{ours}}}]", *_let(route)]
    if route.hypotheses:
        lines += ["Suppose that", r"\begin{itemize}"]
        lines += [rf"  \item {begun(_hypothesis(hypothesis.text))}" for hypothesis in route.hypotheses]
        lines += [r"\end{itemize}"]
    if route.derived:
        lines.append("Let")
        formulas = derived_formulas(route)
        lines += [_shown(d.meaning, latex) for d, (_, _, latex) in zip(route.derived, formulas, strict=True)]
    states_sizes = any(term.quantity != "value" for term in route.terms)
    promise = _promise(theorem)
    named = f"${VALUE}$" in promise and not states_sizes
    lines.append(f"{prose(route.summary[:1].upper() + route.summary[1:])}: {'if' if states_sizes else 'the value is'}")
    for i, (name, _, latex) in enumerate(term_formulas(route)):
        lines.append(_shown(name, f"{VALUE} = {latex}" if named and not i else latex))
    lines.append(f"{'then: ' if states_sizes else 'and: '}{promise if named else prose(theorem.guarantee)}")
    return "\n".join([*lines, r"\end{theorem}"])


def _let(route: Route) -> list[str]:
    """What the symbols mean that formulas and hypotheses use and that are not computed below."""
    from bounds.arithmetic.symbolic import FUNCTIONS

    names, functions = names_in_use([route])
    letters = {SYMBOLS[name].latex for name in names if name in SYMBOLS}
    for hypothesis in route.hypotheses:
        found = {name for match in _AS_SYMBOLS.finditer(hypothesis.text) for name in match.groups() if name}
        found |= {name for name in re.findall(r"\w+_\w+", hypothesis.text) if name in SYMBOLS}
        names |= {name for name in found if SYMBOLS[name].latex not in letters}
    names -= {derived.name for derived in route.derived}
    said = [(f"${SYMBOLS[name].latex}$", SYMBOLS[name].meaning) for name in SYMBOLS if name in names]
    said += [_function(f.latex, f.meaning) for f in FUNCTIONS if f.name in functions]
    parts = [f"{symbol} {'be ' if not i else ''}{prose(_noun(meaning))}" for i, (symbol, meaning) in enumerate(said)]
    return [f"Let {'; '.join(parts)}."] if parts else []


def _function(latex: str, meaning: str) -> tuple[str, str]:
    """With its arguments, if they are named."""
    named = re.fullmatch(r"of (\([a-z, ]+\)): (.*)", meaning)
    return (f"${latex}{named[1]}$", named[2]) if named else (f"${latex}$", meaning)


def _noun(meaning: str) -> str:
    """With its article, and its explanation in brackets, for the list that semicolons divide."""
    head, sign, rest = meaning.partition("; ")
    text = f"{head} ({rest})" if sign else meaning
    return text if re.match(r"\||(?:the|how|what|half|a|an)\b", text) else f"the {text}"


def _hypothesis(text: str) -> str:
    """The sentence with symbols for the quantities that it compares."""
    parts, end = [], 0
    for match in _AS_SYMBOLS.finditer(text):
        found = match["first"] or match["compared"] or match["divided"]
        symbol = latex_name(found) if found else f"{latex_name(match['base'])}^{{{latex_name(match['power'])}}}"
        parts += [prose(text[end : match.start()]), f"${symbol}$"]
        end = match.end()
    return "".join([*parts, prose(text[end:])])


def _promise(theorem: Theorem) -> str:
    """With the letters of the value and of the failure probability."""
    text = theorem.guarantee
    for words, instead in _TO_VALUE:
        text = re.sub(words, instead, text)
    text = text.replace("xcept with the failure probability", "xcept with probability failure_probability")
    letter = SYMBOLS["failure"].latex
    said = prose(text).replace("@", f"${VALUE}$")
    return said.replace(prose("failure_probability"), f"${letter}$")


def _shown(name: str, latex: str) -> str:
    return rf"\[ {latex} \qquad \text{{({prose(name)})}} \]"
