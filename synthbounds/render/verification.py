"""The ledger's verdicts as a document and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from bounds.papers import find_paper
from synthbounds.render.claims import claim_payload, counts_payload, place_facts, quote_facts
from synthbounds.render.document import Answer, Block, Bullets, Document, Facts, Table, Title
from verify.claim import Verdict
from verify.counts import counts_of, headline, of_papers
from verify.guarantee import CONFIDENCE, Frequency
from verify.run import ClaimResult

NOT_RUN = "not run"
_ORDER = [verdict.value for verdict in Verdict]


def found_verdict(result: ClaimResult) -> str:
    return NOT_RUN if result.evidence.verdict is None else result.evidence.verdict.value


def verification_document(results: Sequence[ClaimResult], *, one: bool) -> Document:
    """A count of verdicts and a table; one claim is shown in full."""
    if one and len(results) == 1:
        return _one(results[0])
    wrong = [r for r in results if r.agrees is False]
    blocks: list[Block] = [
        Title("Claims of the papers", "every verdict was just reached again"),
        Answer(_counts(results)),
        _findings(results),
    ]
    if wrong:
        items = tuple(f"{r.claim.id}: expected {r.claim.expected.value}, found {found_verdict(r)}" for r in wrong)
        blocks.append(Bullets("NOT THE EXPECTED VERDICT", items))
    for paper in sorted({r.claim.paper for r in results}):
        mine = [r for r in results if r.claim.paper == paper]
        rows = tuple((r.claim.id, found_verdict(r), _severity(r), r.claim.locator) for r in mine)
        marked = frozenset(i for i, r in enumerate(mine) if r.agrees is False)
        blocks.append(
            Table(find_paper(paper).reference, ("claim", "verdict", "severity", "where"), rows, marked=marked)
        )
    return tuple(blocks)


def _counts(results: Sequence[ClaimResult]) -> tuple[tuple[str, str, str], ...]:
    counts = Counter(found_verdict(r) for r in results)
    certain = sum(r.certain for r in results)
    agree = sum(r.agrees is True for r in results)
    rows = [
        ("claims", f"{len(results):,}", f"of which {certain:,} are decided by proof, exact or ball arithmetic"),
        ("agree", f"{agree:,}", "have the verdict that we state"),
    ]
    rows += [(name, f"{counts[name]:,}", "") for name in (*_ORDER, NOT_RUN) if counts[name]]
    return tuple(rows)


def _findings(results: Sequence[ClaimResult]) -> Facts:
    """Findings rather than verdicts: each mistake counted once, slips separately."""
    return Facts((("Of these", f"{headline(r.claim for r in results)}; repetitions and readings are not counted"),))


def _severity(result: ClaimResult) -> str:
    claim = result.claim
    return f"{claim.severity.value}, repeated" if claim.root else claim.severity.value if claim.is_against else ""


def _one(result: ClaimResult) -> Document:
    claim = result.claim
    verdict = found_verdict(result)
    if result.agrees is False:
        verdict += f" (expected {claim.expected.value})"
    rows = [*quote_facts(claim), ("Claim", claim.statement)]
    if claim.formula:
        rows.append(("Formula", claim.formula))
    rows += [("Provided", text) for text in claim.hypotheses]
    rows += [
        ("Verdict", verdict),
        *place_facts(claim),
        ("Method", claim.method.value),
        ("Evidence", result.evidence.text),
    ]
    if result.again is not None:
        rows.append(("Again", result.again.text))
    if claim.corrected:
        rows.append(("Instead" if claim.is_against else "Note", claim.corrected))
    if claim.theorems:
        rows.append(("See", ", ".join(f"`synthbounds explain {name}`" for name in claim.theorems)))
    return (Title(claim.id, f"{claim.locator} of {find_paper(claim.paper).reference}"), Facts(tuple(rows)))


def verification_payload(results: Sequence[ClaimResult]) -> dict[str, Any]:
    return {
        "claims": [
            {
                **claim_payload(r.claim),
                "verdict": found_verdict(r),
                "agrees": r.agrees,
                "evidence": r.evidence.text,
                "again": None if r.again is None else r.again.text,
                "seconds": round(r.seconds, 4),
            }
            for r in results
        ],
        "totals": dict(sorted(Counter(found_verdict(r) for r in results).items())),
        "counts": counts_payload(counts_of(of_papers(r.claim for r in results))),
        "certain": sum(r.certain for r in results),
    }


def guarantees_document(found: Sequence[Frequency]) -> Document:
    rows = tuple(
        (
            f.guarantee.id,
            f.guarantee.text,
            f"{f.runs:,}",
            f"{f.failures:,}",
            f"{f.interval[0]:.4f} to {f.interval[1]:.4f}",
            f"{float(f.guarantee.promised):.4g}",
            "REJECTED" if f.rejected else "not rejected",
        )
        for f in found
    )
    columns = ("guarantee", "sizes", "runs", "missed", "probability, estimated", "promised", "")
    marked = frozenset(i for i, f in enumerate(found) if f.rejected)
    note = f"intervals have confidence {CONFIDENCE}; a simulation can reject a promise, never prove it"
    return (
        Title("Guarantees against runs of the algorithm", "estimates, not certificates"),
        Table("", columns, rows, right=frozenset({2, 3, 5}), marked=marked),
        Facts((("Note", note),)),
    )


def guarantees_payload(found: Sequence[Frequency]) -> dict[str, Any]:
    return {
        "guarantees": [
            {
                "id": f.guarantee.id,
                "theorem": f.guarantee.theorem,
                "edition": f.guarantee.edition,
                "sizes": f.guarantee.text,
                "runs": f.runs,
                "failures": f.failures,
                "probability_low_est": f.interval[0],
                "probability_high_est": f.interval[1],
                "confidence": CONFIDENCE,
                "promised": float(f.guarantee.promised),
                "rejected": f.rejected,
            }
            for f in found
        ]
    }
