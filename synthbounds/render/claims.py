"""What the ledger declares, as a document and as JSON: one claim, what falls with it, and the file of all of them."""

from __future__ import annotations

from typing import Any

from bounds.papers import find_paper
from synthbounds.render.document import Answer, Block, Bullets, Document, Facts, Table, Title
from verify.claim import SUBSTANCE, Claim, Lost
from verify.counts import Counts, counts_of, of_papers
from verify.export import Export, claim_json
from verify.graph import Fallen, graph_of
from verify.ledger import all_claims


def claim_payload(claim: Claim) -> dict[str, Any]:
    """A claim as it is declared; `expected` is the verdict that its check has to reach."""
    return {**claim_json(claim), "version": claim.version}


def quote_facts(claim: Claim) -> list[tuple[str, str]]:
    """The paper's words, and the text they are from."""
    said = f"(none: {claim.quote.reason})" if isinstance(claim.quote, Lost) else claim.quote
    return [*([("Quotation", said)] if said else []), ("Version read", claim.version)]


def place_facts(claim: Claim) -> list[tuple[str, str]]:
    """Where a claim stands among the others: how serious it is, what it uses, what it repeats."""
    facts = [("Severity", claim.severity.value)] if claim.is_against else []
    facts.append(("Scope", f"{claim.scope.value}, {claim.kind.value}"))
    if claim.depends_on:
        facts.append(("Uses", ", ".join(claim.depends_on)))
    if fallen := graph_of(all_claims()).refuted_below(claim):
        facts.append(("Rests on", ", ".join(f"{c.id} ({_fate(c)})" for c in fallen)))
    if claim.root:
        facts.append(("Repeats", claim.root))
    if claim.lemma:
        facts.append(("Formal proof", f"lemma {claim.lemma} of verify/formal"))
    return facts


def _fate(claim: Claim) -> str:
    """Its verdict and, against a paper, how grave it is."""
    return f"{claim.expected.value}, {claim.severity.value}" if claim.is_against else claim.expected.value


def against_printed(theorem: str) -> tuple[Block, ...]:
    """What the ledger has against the printed edition of a theorem, slips aside, and where to read more."""
    graph = graph_of(all_claims())
    items = []
    for claim in (claim for claim in all_claims() if theorem in claim.theorems):
        if claim.severity in SUBSTANCE:
            items.append(f"{claim.id} ({claim.locator}): {_fate(claim)}")
        elif not claim.is_against and any(c.severity in SUBSTANCE for c in graph.refuted_below(claim)):
            items.append(f"{claim.id} ({claim.locator}): {_fate(claim)}, but rests on refuted claims")
    if not items:
        return ()
    more = "`synthbounds verify --id ID` has the evidence, `synthbounds verify --falls ID` what falls with a claim"
    return (Bullets("Claims against the printed edition", tuple(items)), Facts((("More", more),)))


def counts_payload(counts: Counts) -> dict[str, int]:
    return {
        "claims": counts.claims,
        "findings": counts.findings,
        "of_substance": counts.substance,
        "slips": counts.slips,
        "readings": counts.readings,
        "repeats": counts.repeats,
        "open": counts.open,
    }


def falls_document(fallen: Fallen) -> Document:
    claim = fallen.claim
    blocks: list[Any] = [
        Title(f"What falls with {claim.id}", f"{claim.locator} of {find_paper(claim.paper).reference}"),
        Answer((("claims", f"{len(fallen.claims):,}", "use it, or a place that repeats it, directly or not"),)),
        Facts((("Claim", claim.statement), ("Verdict", claim.expected.value), *place_facts(claim))),
    ]
    if fallen.repeats:
        blocks.append(Bullets("The same in other places", tuple(f"{c.id}: {c.locator}" for c in fallen.repeats)))
    if fallen.claims:
        rows = tuple((c.id, c.expected.value, ", ".join(c.depends_on), c.locator) for c in fallen.claims)
        blocks.append(Table("Falls, as argued in the paper", ("claim", "verdict", "uses", "where"), rows))
    if fallen.theorems:
        shown = tuple(f"{name}: see `synthbounds explain {name}`" for name in fallen.theorems)
        blocks.append(Bullets("Theorems that these claims are about", shown))
    blocks.append(Facts((("Note", "a claim that falls this way may still be true by another proof"),)))
    return tuple(blocks)


def falls_payload(fallen: Fallen) -> dict[str, Any]:
    return {
        "claim": claim_payload(fallen.claim),
        "repeats": [claim.id for claim in fallen.repeats],
        "falls": [
            {
                "id": claim.id,
                "locator": claim.locator,
                "expected": claim.expected.value,
                "severity": claim.severity.value,
                "depends_on": list(claim.depends_on),
            }
            for claim in fallen.claims
        ],
        "theorems": list(fallen.theorems),
    }


def export_document(found: Export, file: str) -> Document:
    rows = (
        ("claims", f"{len(found.claims):,}", "as declared; their checks were not run"),
        ("withdrawn", f"{len(found.withdrawn):,}", "with the reason"),
    )
    return (Title("The ledger as a file", file), Answer(rows), Facts((("Digest", found.to_json()["digest"]),)))


def export_payload(found: Export, file: str) -> dict[str, Any]:
    return {
        "file": file,
        "digest": found.to_json()["digest"],
        "counts": counts_payload(counts_of(of_papers(found.claims))),
        "withdrawn": len(found.withdrawn),
    }
