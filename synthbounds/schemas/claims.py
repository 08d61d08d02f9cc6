"""Schemas of the ledger of claims: its file, what falls with a claim, and the fields of a claim that others use."""

from __future__ import annotations

from synthbounds.schemas.parts import (
    COUNT,
    DIGEST,
    NULL,
    TEXT,
    TEXTS,
    THEOREM,
    Fields,
    Schema,
    choice,
    const,
    many,
    matching,
    maybe,
    obj,
    output,
    part,
    text,
    when,
)
from verify.claim import Kind, Method, Scope, Severity, Verdict
from verify.export import CLAIM_ID as _PATTERN
from verify.export import KIND, VERSION

CLAIM_ID = part("claim_id", matching(_PATTERN), "The name of a claim, which never stands for another.")
_SOME = text(1)
VERDICTS = [verdict.value for verdict in Verdict]
DECLARED: Fields = {
    "id": CLAIM_ID,
    "paper": _SOME,
    "locator": (_SOME, "the place in the paper"),
    "quote": (maybe(_SOME), "the paper's words; null if they are lost, or not given"),
    "quote_lost": (maybe(_SOME), "why there is no quotation"),
    "statement": (_SOME, "the claim in our words"),
    "formula": maybe(_SOME),
    "hypotheses": (TEXTS, "under which the paper makes the claim"),
    "expected": (choice(VERDICTS), "the verdict that the check must reach"),
    "severity": (choice(severity.value for severity in Severity), "its effect on the results of the paper"),
    "scope": (choice(scope.value for scope in Scope), "how much of the statement the check decides"),
    "kind": choice(kind.value for kind in Kind),
    "method": choice(method.value for method in Method),
    "routes": (choice((1, 2)), "independent ways to the verdict"),
    "corrected": (maybe(_SOME), "what holds instead, or in addition"),
    "theorems": many(THEOREM),
    "depends_on": (many(CLAIM_ID), "claims that the paper's argument for this one uses"),
    "root": (maybe(CLAIM_ID), "the claim that this one repeats, under which it is counted"),
    "lemma": (maybe(_SOME), "of verify/formal, which proves the verdict"),
}
"""A claim as it is declared."""
COUNTS = part(
    "counts_of_findings",
    obj(
        {
            "claims": COUNT,
            "findings": (COUNT, "against the paper, each mistake counted once"),
            "of_substance": COUNT,
            "slips": COUNT,
            "readings": (COUNT, "depend on how the sentence is read"),
            "repeats": (COUNT, "entries that repeat a finding: not counted"),
            "open": COUNT,
        }
    ),
    "Findings in papers; our own statements are not counted.",
)
_CLAIM = obj(DECLARED, rules=[when("quote", None, {}, {"properties": {"quote_lost": NULL}})])
_SOURCE = obj(
    {
        "key": _SOME,
        "reference": _SOME,
        "version": (_SOME, "which text was read"),
        "text_digest": (maybe(DIGEST), "of that text; null for our own pages"),
    }
)
_WITHDRAWN = obj({"id": CLAIM_ID, "reason": _SOME, "see": maybe(CLAIM_ID)})
_FILE = obj(
    {
        KIND: const(VERSION),
        "papers": many(_SOURCE),
        "claims": many(_CLAIM),
        "withdrawn": (many(_WITHDRAWN), "ids that are never used again"),
        "digest": DIGEST,
    }
)
_FALLS: Fields = {
    "claim": obj({**DECLARED, "version": _SOME}),
    "repeats": (many(CLAIM_ID), "the same mistake in other places"),
    "falls": (
        many(
            obj(
                {
                    "id": CLAIM_ID,
                    "locator": _SOME,
                    "expected": DECLARED["expected"],
                    "severity": DECLARED["severity"],
                    "depends_on": many(CLAIM_ID),
                }
            )
        ),
        "what uses it or a place that repeats it, directly or not",
    ),
    "theorems": (many(THEOREM), "that these claims are about"),
}
_EXPORT: Fields = {"file": TEXT, "digest": DIGEST, "counts": COUNTS, "withdrawn": COUNT}

CLAIM_FILES: dict[str, tuple[str, str, Schema]] = {
    "claims": ("The ledger of claims", "Everything that is declared, without the checks.", _FILE),
    "output-verify-falls": ("verify --falls", "What falls with a claim.", output("verify", _FALLS)),
    "output-verify-export": ("verify --export", "The ledger as a file.", output("verify", _EXPORT)),
}
