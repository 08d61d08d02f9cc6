"""Theorems as documents: the list, the explanation with formulas, citations."""

from __future__ import annotations

from typing import Any

from bounds.model import Edition, Route, Theorem
from bounds.papers import Paper
from bounds.quantities import SYMBOLS
from bounds.symbolic_form import latex_text, names_in_use, plain_text, symbolic_derived, symbolic_term
from bounds.values import ValueResult
from synthbounds.render.document import Block, Bullets, Code, Document, Facts, Formulas, Glossary, Table, Title
from synthbounds.render.numbers import enclosure_text, integer_text, json_enclosure, json_integer

DIRECTIONS = {"sufficient": "sizes that suffice", "necessary": "sizes no mechanism can go below", "value": "helper"}
_HEADINGS = {
    "sufficient": "Sizes that suffice",
    "necessary": "Sizes no mechanism can go below",
    "value": "Helpers: statements with a value",
}
EDITIONS_IN_WORDS = {
    "printed": "What the paper prints; if it prints no formula, our reading of its words.",
    "corrected": "The same route with its errors repaired.",
    "sharp": "The best that is proved here.",
}


def list_document(theorems: tuple[Theorem, ...]) -> Document:
    """A table for every kind of statement."""
    by_kind = {kind: [t for t in theorems if t.direction == kind] for kind in _HEADINGS}
    return tuple(
        Table(
            _HEADINGS[kind],
            ("id", "where", "editions", "title"),
            tuple((t.id, t.citation.locator, ", ".join(e.name for e in t.editions), t.title) for t in found),
        )
        for kind, found in by_kind.items()
        if found
    )


def list_payload(theorems: tuple[Theorem, ...]) -> dict[str, Any]:
    return {
        "theorems": [
            {
                "id": t.id,
                "title": t.title,
                "paper": t.citation.paper,
                "locator": t.citation.locator,
                "editions": [e.name for e in t.editions],
                "direction": t.direction,
                "measure": t.measure or None,
                "inputs": list(t.inputs),
            }
            for t in theorems
        ]
    }


def explain_document(theorem: Theorem, values: tuple[ValueResult, ...] = ()) -> Document:
    blocks: list[Block] = [
        Title(f"{theorem.id}: {theorem.title}", f"{theorem.citation.locator} of {theorem.citation.paper}"),
        Facts((("Promise", theorem.guarantee), ("Kind", DIRECTIONS[theorem.direction]))),
    ]
    if values:
        blocks.append(_values_table(values))
        violated = tuple(f"{v.edition}: {text}" for v in values for text in v.violated)
        if violated:
            blocks.append(Bullets("Hypotheses that are violated here", violated))
    for edition in theorem.editions:
        blocks += _edition_blocks(edition)
        if edition.name == "printed":
            blocks += _against(theorem)
    blocks.append(Glossary("Symbols", symbols_of(theorem)))
    if theorem.see_also:
        blocks.append(Facts((("See also", ", ".join(theorem.see_also)),)))
    return tuple(blocks)


def explain_payload(theorem: Theorem, values: tuple[ValueResult, ...] = ()) -> dict[str, Any]:
    return {
        "theorem": theorem.id,
        "title": theorem.title,
        "guarantee": theorem.guarantee,
        "citation": {"paper": theorem.citation.paper, "locator": theorem.citation.locator},
        "direction": theorem.direction,
        "needs": {name: SYMBOLS[name].meaning for name in theorem.inputs},
        "editions": [_edition_payload(edition) for edition in theorem.editions],
        "values": [
            {
                "edition": v.edition,
                "route": v.route,
                "name": v.name,
                "value": json_enclosure(v.value),
                "integer": json_integer(v.integer),
                "reason": v.reason,
                "violated": list(v.violated),
            }
            for v in values
        ],
    }


def cite_document(papers: tuple[Paper, ...]) -> Document:
    blocks: list[Block] = []
    for paper in papers:
        blocks += [Title(paper.key, paper.reference), Code(paper.bibtex(), "bibtex")]
    return tuple(blocks)


def cite_bibtex(papers: tuple[Paper, ...]) -> str:
    """Only the entries, for a .bib file."""
    return "\n\n".join("\n".join(paper.bibtex()) for paper in papers) + "\n"


def cite_payload(papers: tuple[Paper, ...]) -> dict[str, Any]:
    return {"papers": [{"key": p.key, "reference": p.reference, "bibtex": "\n".join(p.bibtex())} for p in papers]}


def _against(theorem: Theorem) -> tuple[Block, ...]:
    from synthbounds.render.claims import against_printed  # the ledger is read only here

    return against_printed(theorem.id)


def _edition_blocks(edition: Edition) -> list[Block]:
    proof = f"docs/proofs/{edition.proof}.md" if edition.proof else "the paper's own"
    blocks: list[Block] = [Title(f"{edition.name} edition", f"Proof: {proof}")]
    if edition.changes:
        blocks.append(Bullets("Choices and notes" if edition.name == "printed" else "What changed", edition.changes))
    for route in edition.routes:
        blocks.append(Formulas(f"{route.name}: {route.summary}", term_formulas(route)))
        if route.derived:
            blocks.append(Formulas("where", derived_formulas(route)))
        if route.hypotheses:
            blocks.append(Bullets("provided that", tuple(h.text for h in route.hypotheses)))
    return blocks


def term_formulas(route: Route) -> tuple[tuple[str, str, str], ...]:
    rows = []
    for term in route.terms:
        expression = symbolic_term(term, route)
        plain, latex = plain_text(expression), latex_text(expression)
        if term.kind == "condition":
            row = (f"{term.quantity}: {term.name}", f"{plain} >= 0", rf"{latex} \ge 0")
        elif term.quantity == "value":
            row = (term.name, plain, latex)
        else:
            row = (f"{term.quantity}: {term.name}", f"{term.quantity} >= {plain}", rf"{term.quantity} \ge {latex}")
        rows.append(row)
    return tuple(rows)


def derived_formulas(route: Route) -> tuple[tuple[str, str, str], ...]:
    rows = []
    for derived in route.derived:
        expression = symbolic_derived(derived.name, route)
        name = latex_text(_symbol(derived.name))
        rows.append(
            (
                f"{derived.name}, {derived.meaning}",
                f"{derived.name} = {plain_text(expression)}",
                f"{name} = {latex_text(expression)}",
            )
        )
    return tuple(rows)


def _symbol(name: str) -> Any:
    import sympy

    return sympy.Symbol(name, positive=True)


def _edition_payload(edition: Edition) -> dict[str, Any]:
    return {
        "edition": edition.name,
        "changes": list(edition.changes),
        "proof": edition.proof or None,
        "routes": [
            {
                "route": route.name,
                "summary": route.summary,
                "terms": [
                    {"name": name, "formula": plain, "latex": latex} for name, plain, latex in term_formulas(route)
                ],
                "where": [
                    {"name": name, "formula": plain, "latex": latex} for name, plain, latex in derived_formulas(route)
                ],
                "hypotheses": [h.text for h in route.hypotheses],
            }
            for route in edition.routes
        ],
    }


def _values_table(values: tuple[ValueResult, ...]) -> Table:
    return Table(
        "At the given numbers",
        ("edition", "route", "", "value", "so"),
        tuple(
            (
                v.edition,
                v.route,
                v.name,
                v.reason if v.value is None else enclosure_text(v.value, 12),
                "" if v.integer is None else integer_text(v.integer),
            )
            for v in values
        ),
        right=frozenset({3, 4}),
    )


def symbols_of(theorem: Theorem) -> tuple[tuple[str, str, str], ...]:
    """Name, LaTeX and meaning of the symbols and named functions that the formulas of the theorem use."""
    from bounds.arithmetic.symbolic import FUNCTIONS

    names, functions = names_in_use(route for edition in theorem.editions for route in edition.routes)
    rows = [(name, SYMBOLS[name].latex, SYMBOLS[name].meaning) for name in SYMBOLS if name in names]
    return (*rows, *((f.name, f.latex, f.meaning) for f in FUNCTIONS if f.name in functions))
