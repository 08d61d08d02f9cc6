"""The claims ledger: one page per claim at a permanent address, and one per paper that lists its claims.

Everything is as declared; `synthbounds verify` runs the claims. Claims are in no menu: lists lead to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bounds.papers import find_paper
from docs_site.text import plain, table
from verify.claim import AGAINST, Claim, Lost, Severity, Verdict, Withdrawn
from verify.counts import HEAD, OURS, by_paper, papers_of, summary
from verify.errata.entry import how, quotation
from verify.errata.markdown import formula, sentence
from verify.graph import Graph

CLAIMS = "ledger/claims"
"""The folder of the pages of claims."""


def address(name: str) -> str:
    """The page of a claim, which stays the same even after the claim has left the ledger."""
    return f"{CLAIMS}/{name}.md"


def ledger_index(claims: tuple[Claim, ...]) -> str:
    """The contents of the ledger, counted."""
    rows = [(f"[{paper}]({paper}.md)", *counts.cells()) for paper, counts in by_paper(claims).items()]
    head = ("paper", *HEAD)
    return "\n\n".join(
        (
            "# The claims ledger",
            "A claim is a checkable sentence of a paper in our words, with a verdict that anyone can reproduce: "
            "`synthbounds verify --id ID` runs its check. Every claim has a page at a permanent address. The "
            "[errata](../errata/index.md) list what is wrong in print, gravest first, with counterexamples and what is "
            "true instead; `synthbounds verify --export FILE` writes the ledger as one file.",
            plain(summary(claims)),
            table(head, rows, frozenset(range(1, len(head)))),
            "A verdict against a paper is reached by two independent routes. [How to add a claim](../adding.md).",
        )
    )


def papers(claims: tuple[Claim, ...]) -> tuple[str, ...]:
    return papers_of(claims)


def ledger_page(paper: str, claims: tuple[Claim, ...], withdrawn: tuple[Withdrawn, ...]) -> str:
    """All claims of a paper, in the order of their verdicts."""
    ours = [claim for claim in claims if claim.paper == paper]
    source = find_paper(paper)
    parts = [f"# Claims of {paper}", f"{plain(source.reference)}. Version read: {plain(source.version)}."]
    parts.append(f"The findings in full: [errata](../errata/{paper}.md).")
    for verdict in (*AGAINST, *(v for v in Verdict if v not in AGAINST)):
        chosen = [claim for claim in ours if claim.expected is verdict]
        if chosen:
            parts.append(f"## {verdict.value.capitalize().replace('-', ' ')}")
            parts.append(table(("claim", "where", "what it says"), [_row(claim) for claim in chosen]))
    stones = [stone for stone in withdrawn if stone.id.startswith(f"{paper}.")]
    if stones:
        parts.append("## Withdrawn")
        parts.append(table(("claim", "why"), [(_link(stone.id), plain(stone.reason)) for stone in stones]))
    return "\n\n".join(parts) + "\n"


def _row(claim: Claim) -> tuple[str, str, str]:
    """With the anchor of addresses that were once on this page."""
    mark = f"<br>{claim.severity.value}{', repeated' if claim.root else ''}" if claim.is_against else ""
    return f'<a id="{claim.id}"></a>{_link(claim.id)}{mark}', plain(claim.locator), plain(claim.statement)


def _link(name: str, folder: str = "claims/") -> str:
    return f"[{name.partition('.')[2]}]({folder}{name}.md)"


def claim_page(claim: Claim, graph: Graph, theorems: frozenset[str]) -> str:
    """One claim, with links to what it uses and what uses it."""
    fallen = graph.what_falls(claim.id)
    known = [name for name in claim.theorems if name in theorems]
    verdict = claim.expected.value
    if claim.severity is not Severity.NONE:
        verdict += f"; severity: {claim.severity.value}"
    facts = {
        "Verdict": f"**{verdict}**, {how(claim)}",
        "Scope": f"{claim.scope.value}, {claim.kind.value}",
        "Under": plain("; ".join(claim.hypotheses)),
        "In symbols": formula(claim.formula) if claim.formula else "",
        "Note" if claim.expected is Verdict.CONFIRMED_WITH_CONDITIONS else "Instead": plain(claim.corrected),
        "Theorems": ", ".join(f"[{name}](../../theorems/{name}.md)" for name in known),
        "Uses": _claims(claim.depends_on, graph),
        "Used by": _claims(graph.users[claim.id], graph),
        "Falls with it": _claims((c.id for c in fallen.claims), graph) if claim.is_against else "",
        "Repeats": _claims((claim.root,), graph) if claim.root else "",
        "Repeated in": _claims((c.id for c in fallen.repeats), graph),
        "Formal proof": f"lemma `{claim.lemma}` of `verify/formal`, checked by Coq" if claim.lemma else "",
        "Run it": f"`synthbounds verify --id {claim.id}`",
    }
    said = _words(claim) if claim.paper != OURS or claim.quote else ""
    parts = [
        f"# {claim.id}",
        f"{plain(claim.locator)} of [{claim.paper}](../{claim.paper}.md): {plain(find_paper(claim.paper).reference)}.",
        said,
        sentence(plain(claim.statement)),
        "\n".join(f"- {name}: {text}" for name, text in facts.items() if text),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _words(claim: Claim) -> str:
    return quotation(claim) if claim.quote or isinstance(claim.quote, Lost) else ""


def _claims(names: Iterable[str], graph: Graph) -> str:
    """Links to those that are in the ledger."""
    return ", ".join(_link(name, "") if name in graph.claims else f"`{name}`" for name in names)


def tombstone_page(stone: Withdrawn, known: Mapping[str, Claim]) -> str:
    """The page that remains at the address of a withdrawn claim."""
    paper = stone.id.partition(".")[0]
    see = f" What remains of it: {_link(stone.see, '')}." if stone.see in known else ""
    return (
        f"# {stone.id}\n\nThis claim of [{paper}](../{paper}.md) was withdrawn: {sentence(plain(stone.reason))}{see} "
        "Its id is never used again.\n"
    )
