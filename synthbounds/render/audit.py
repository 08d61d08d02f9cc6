"""Audits as a document and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bounds.exact import show_rational
from synthbounds.render.document import Answer, Block, Document, Facts, Table, Title
from synthbounds.render.numbers import enclosure_text, json_enclosure
from verify.audit.exact import Verdict
from verify.audit.run import AuditResult
from verify.audit.subject import Subject

SILENCE = "no violation found: samples that show nothing are no evidence of privacy"

AUDITED = "the noisy answers; what is computed from them cannot reveal more and may reveal less"


def subjects_document(subjects: Sequence[Subject]) -> Document:
    rows = tuple(
        (s.name, show_rational(s.epsilon), "violates" if s.violates else "keeps it", f"{s.title} ({s.where})")
        for s in subjects
    )
    marked = frozenset(i for i, s in enumerate(subjects) if s.violates)
    return (
        Title("Mechanisms to audit", "`synthbounds audit NAME` audits one of them"),
        Table("", ("name", "epsilon", "claim", "what"), rows, marked=marked, legend="known to violate its claim"),
    )


def subjects_payload(subjects: Sequence[Subject]) -> dict[str, Any]:
    return {
        "subjects": [
            {
                "name": s.name,
                "where": s.where,
                "title": s.title,
                "inputs_compared": s.inputs,
                "epsilon": show_rational(s.epsilon),
                "known_violation": s.violates,
            }
            for s in subjects
        ]
    }


def audit_document(result: AuditResult) -> Document:
    blocks: list[Block] = [
        Title(result.subject.name, f"{result.subject.title}; {result.subject.where}"),
        Answer(_numbers(result)),
    ]
    rows = [
        ("Verdict", _verdict(result)),
        ("Layer", _layer(result)),
        ("Audited", AUDITED),
        ("Adjacency", result.adjacency.value),
        ("Inputs", result.subject.inputs),
    ]
    if result.loss is not None and result.loss.pair:
        rows.append(("Pair", result.loss.pair))
    if result.sampled is not None:
        found = result.sampled
        rows.append(("Event", found.event))
        often, rarely = f"{found.probability_lower_est:.6g}", f"{found.probability_upper_est:.6g}"
        rows.append(("Happens", f"with probability at least {often} for one input and at most {rarely} for the other"))
        rows.append(("Samples", f"{found.samples:,} of each input, half to choose the event and half to test it"))
    blocks.append(Facts(tuple(rows)))
    return tuple(blocks)


def _numbers(result: AuditResult) -> tuple[tuple[str, str, str], ...]:
    at = f" at delta = {show_rational(result.delta)}" if result.delta else ""
    rows = [("claimed", show_rational(result.epsilon), f"epsilon{at}")]
    if result.loss is not None:
        loss = result.loss
        shown = "infinity" if loss.epsilon is None else enclosure_text(loss.epsilon)
        rows.append(("exact", shown, f"the least epsilon{at} at the pair, certified"))
        if result.delta and loss.delta is not None:
            rows.append(("delta", enclosure_text(loss.delta), "the exact delta at the claimed epsilon"))
    if result.sampled is not None:
        confidence = show_rational(result.sampled.confidence)
        text = f"{max(0.0, result.sampled.epsilon_lower_est - 5e-5):.4f}"
        rows.append(("at least", text, f"epsilon{at}, with confidence {confidence}"))
    return tuple(rows)


def _verdict(result: AuditResult) -> str:
    if result.verdict is Verdict.VIOLATION:
        known = {True: ", as is known", False: ", contrary to what is known", None: ""}[result.known]
        return f"VIOLATION{known}: the claim does not hold"
    if result.verdict is Verdict.PRIVATE:
        return "private: the claim holds between these inputs"
    return SILENCE + (", and here a violation is known: ask `--layer exact`" if result.known else "")


def _layer(result: AuditResult) -> str:
    return {
        "exact": "exact: rationals and ball arithmetic",
        "ratio": f"ratio: events by the likelihood ratio, probabilities from samples, seed {result.seed}",
        "blackbox": f"blackbox: events and probabilities from samples only, seed {result.seed}",
    }[result.layer]


def audit_payload(result: AuditResult) -> dict[str, Any]:
    loss, sampled = result.loss, result.sampled
    return {
        "name": result.subject.name,
        "where": result.subject.where,
        "title": result.subject.title,
        "inputs_compared": result.subject.inputs,
        "audited": AUDITED,
        "layer": result.layer,
        "verdict": result.verdict.value,
        "known_violation": result.known,
        "epsilon": show_rational(result.epsilon),
        "dp_delta": show_rational(result.delta),
        "adjacency": result.adjacency.value,
        "exact": None
        if loss is None
        else {
            "epsilon": "infinity" if loss.epsilon is None else json_enclosure(loss.epsilon),
            "delta": json_enclosure(loss.delta),
            "pair": loss.pair or None,
        },
        "sampled": None
        if sampled is None
        else {
            "epsilon_lower_est": sampled.epsilon_lower_est,
            "confidence": show_rational(sampled.confidence),
            "event": sampled.event,
            "probability_lower_est": sampled.probability_lower_est,
            "probability_upper_est": sampled.probability_upper_est,
            "samples": sampled.samples,
            "seed": result.seed,
        },
    }


def audits_document(results: Sequence[AuditResult]) -> Document:
    rows = tuple((r.subject.name, show_rational(r.epsilon), _found(r), r.verdict.value, _known(r)) for r in results)
    marked = frozenset(i for i, result in enumerate(results) if not result.agrees)
    against = f"{len(marked)} contradict what is known" if marked else "none contradicts what is known"
    head = ("name", "claimed", "found", "verdict", "known")
    return (
        Title("Audits of every subject", f"{len(results)} audits; {against}"),
        Table("", head, rows, marked=marked, legend="contradicts what is known"),
    )


def _found(result: AuditResult) -> str:
    return next((value for name, value, _ in _numbers(result) if name in ("exact", "at least")), "")


def _known(result: AuditResult) -> str:
    return "violates" if result.known else "keeps it"


def audits_payload(results: Sequence[AuditResult]) -> dict[str, Any]:
    return {"audits": [audit_payload(result) | {"agrees": result.agrees} for result in results]}
