"""Results as JSON objects. The contract: docs/json.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bounds.enclosure import Enclosure
from bounds.exact import show_rational
from bounds.sizes.require import ComparisonRow
from bounds.sizes.requirement import Guarantee, HypothesisResult, LowerBound, Requirement, TermResult
from bounds.sizes.solve_for import Inversion
from bounds.solve import IntegerCertificate
from synthbounds.render.numbers import json_enclosure, json_integer
from synthbounds.render.shared import ByTheorem


def requirement_payload(answer: Requirement) -> dict[str, Any]:
    return {
        "theorem": answer.theorem,
        "edition": answer.edition,
        "route": answer.route,
        "measure": answer.measure,
        "n": json_integer(answer.n),
        "m": json_integer(answer.m),
        "k": json_integer(answer.k),
        "queries": json_integer(answer.queries),
        "family": answer.family,
        "queries_in_words": answer.queries_in_words,
        "domain_size": json_integer(answer.domain_size),
        "renyi_bound": json_enclosure(answer.renyi_bound),
        "terms": [_term(term) for term in answer.terms],
        "quantities": {d.name: json_enclosure(d.enclosure) for d in answer.derived},
        "guarantee": _guarantee(answer.guarantee),
        "hypotheses": hypotheses_payload(answer.hypotheses),
        "alternatives": [
            {
                "route": a.route,
                "n": json_integer(a.n),
                "m": json_integer(a.m),
                "k": json_integer(a.k),
                "reason": a.reason,
            }
            for a in answer.alternatives
        ],
        "lower_bound": _lower_bound(answer.lower_bound),
        "unbiased_limit": json_enclosure(answer.unbiased_limit),
        **source_payload(answer),
    }


def hypotheses_payload(results: Sequence[HypothesisResult]) -> list[dict[str, Any]]:
    return [{"text": h.text, "kind": h.kind, "holds": h.holds, **({"why": h.why} if h.why else {})} for h in results]


def source_payload(answer: ByTheorem) -> dict[str, Any]:
    """Where an answer by a theorem comes from."""
    return {
        "notes": list(answer.notes),
        "citation": {
            "paper": answer.paper,
            "locator": answer.locator,
            "edition_by": answer.paper if answer.edition == "printed" else "synthbounds",
        },
        "proof": answer.proof or None,
    }


def inversion_payload(answer: Inversion) -> dict[str, Any]:
    return {
        "solved": {
            "parameter": answer.parameter,
            "value": show_rational(answer.value),
            "records": json_integer(answer.n),
            "neighbour": None if answer.neighbour is None else show_rational(answer.neighbour),
            "neighbour_n": json_integer(answer.neighbour_n),
        },
        **requirement_payload(answer.requirement),
    }


def comparison_payload(rows: tuple[ComparisonRow, ...]) -> dict[str, Any]:
    return {
        "rows": [
            {
                "theorem": row.theorem,
                "edition": row.edition,
                "applies": row.requirement is not None,
                "reason": row.reason,
                "misses": list(row.misses),
                **({} if row.requirement is None else _summary(row.requirement)),
            }
            for row in rows
        ]
    }


def _summary(answer: Requirement) -> dict[str, Any]:
    return {
        "route": answer.route,
        "n": json_integer(answer.n),
        "m": json_integer(answer.m),
        "k": json_integer(answer.k),
        "guarantee": _guarantee(answer.guarantee),
    }


def _term(term: TermResult) -> dict[str, Any]:
    return {
        "quantity": term.quantity,
        "name": term.name,
        "enclosure": json_enclosure(term.threshold),
        "binding": term.binding,
        "required": json_integer(term.required),
        "certificate": certificate_payload(term.certificate),
    }


def certificate_payload(certificate: IntegerCertificate) -> dict[str, Any]:
    return {
        "value": json_integer(certificate.value),
        "margin_at_value": json_enclosure(certificate.margin_at_value),
        "margin_below": json_enclosure(certificate.margin_below),
        "precision": certificate.precision,
    }


def _guarantee(guarantee: Guarantee) -> dict[str, Any]:
    privacy = guarantee.privacy
    return {
        "epsilon": json_enclosure(privacy.epsilon),
        "dp_delta": json_enclosure(privacy.dp_delta),
        "adjacency": privacy.adjacency.value,
        "n_is_public": privacy.least_public_size is None,
        "least_public_size": json_integer(privacy.least_public_size),
        "mechanism": privacy.mechanism,
        "sensitivity": privacy.sensitivity,
        "accuracy": json_enclosure(guarantee.accuracy),
        "failure_probability": json_enclosure(guarantee.failure_probability),
        "any_data": guarantee.any_data,
        "vacuous": guarantee.vacuous,
        "reason": guarantee.reason,
    }


def _lower_bound(bound: LowerBound | None) -> dict[str, Any] | None:
    if bound is None:
        return None
    return {
        "n": json_integer(bound.n),
        "k": json_integer(bound.k),
        "ratio": json_enclosure(Enclosure.of(bound.ratio)),
        "theorem": "synthbounds.lower-bound",
        "text": bound.text,
        "certificate_n": certificate_payload(bound.certificate_n),
        "certificate_k": certificate_payload(bound.certificate_k),
    }
