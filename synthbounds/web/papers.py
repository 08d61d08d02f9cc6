"""What the page's browser of errata and theorems shows: every claim of the ledger and every theorem, ready to read.

Formulas are MathML and stand once in a list that theorems refer to by number. Making them needs sympy, so the page
without a server has the text as a file, made when it is built. Verdicts are those that the ledger declares and that
`synthbounds verify` reaches again; nothing is checked here.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from bounds.model import Theorem
from bounds.papers import PAPERS, find_paper
from bounds.registry import all_theorems
from bounds.risk.evaluate import FAMILIES
from bounds.risk.moments import MOMENTS_ID
from synthbounds.render.mathml import mathml
from synthbounds.render.statements import DIRECTIONS, EDITIONS_IN_WORDS, cite_payload, explain_payload, symbols_of
from verify.claim import AGAINST, Claim, Severity, Verdict
from verify.counts import papers_of, summary
from verify.export import claim_json
from verify.ledger import all_claims


@cache
def papers_text() -> str:
    """The whole as JSON text; the first call takes a few seconds, nearly all of them sympy's."""
    return json.dumps(papers(), ensure_ascii=False, separators=(",", ":"))


def papers() -> dict[str, Any]:
    """Sources, claims and theorems; fields without a value are left out."""
    formulas: dict[str, int] = {}
    theorems = [_theorem(theorem, formulas) for theorem in all_theorems().values()]
    return {
        "sources": cite_payload(tuple(PAPERS.values()))["papers"],
        "verdicts": [v.value for v in sorted(Verdict, key=lambda v: (v not in AGAINST, v is Verdict.CONFIRMED))],
        "severities": [severity.value for severity in Severity if severity is not Severity.NONE],
        "versions": {paper: find_paper(paper).version for paper in papers_of(all_claims())},
        "editions": EDITIONS_IN_WORDS,
        "note": summary(all_claims()),
        "claims": [_claim(claim) for claim in all_claims()],
        "theorems": [_present(theorem) for theorem in theorems],
        "formulas": list(formulas),
    }


def _claim(claim: Claim) -> dict[str, Any]:
    """What the page shows of it; what goes without saying, or stands once for the paper, is left out."""
    said = claim_json(claim)
    for name in ("scope", "kind", "routes"):
        del said[name]
    if claim.severity is Severity.NONE:
        del said["severity"]
    return _present({**said, "against": claim.expected in AGAINST, "twice": claim.again is not None})


def _theorem(theorem: Theorem, formulas: dict[str, int]) -> dict[str, Any]:
    """As `synthbounds explain` says it, with numbers of formulas for their LaTeX, and what the page adds."""

    def number(latex: str, *, display: bool = True) -> int:
        return formulas.setdefault(mathml(latex, display=display), len(formulas))

    said = explain_payload(theorem)
    for edition in said["editions"]:
        for route in edition["routes"]:
            for rows in (route["terms"], route["where"]):
                rows[:] = [{"name": row["name"], "formula": number(row["latex"])} for row in rows]
        edition["routes"] = [_present(route) for route in edition["routes"]]
    del said["values"]
    return said | {
        "kind": DIRECTIONS[theorem.direction],
        "editions": [_present(edition) for edition in said["editions"]],
        "symbols": [
            {"name": name, "formula": number(latex, display=False), "meaning": meaning}
            for name, latex, meaning in symbols_of(theorem)
        ],
        "see_also": list(theorem.see_also),
        "ask": _question(theorem),
    }


def _question(theorem: Theorem) -> dict[str, str] | None:
    """The part of the page's address that asks with this theorem, if a view can."""
    if theorem.direction != "value":
        return {"view": "sizes", "theorem": theorem.id}
    if theorem.id.removesuffix("-private") in FAMILIES:
        return {"view": "risk", "theorem": theorem.id}
    return {"view": "risk", "release": "moments"} if theorem.id == MOMENTS_ID else None


def _present(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value}
