"""Reports on a release of marginals, and on a certificate made from one."""

from __future__ import annotations

from typing import Any

from bounds.exact import show_rational
from mechanisms.models.certify.from_marginals import MarginalCertificate
from mechanisms.models.certify.marginal_moments import MarginalMoments
from release.marginals.file import Marginals
from release.noise.kinds import NOT_A_RELEASE
from synthbounds.render.certification import answer_blocks, answer_payload, class_text, parts, routes
from synthbounds.render.document import Answer, Block, Code, Document, Facts, Stamp, Title
from synthbounds.render.numbers import json_integer, up

_MOST_LISTED = 6


def marginals_document(found: Marginals, written_to: str) -> Document:
    """Answer first, then what it rests on, then how to go on."""
    ways = [len(table.columns) for table in found.tables]
    cells = sum(len(table.counts) for table in found.tables)
    blocks: list[Block] = [
        Title("Private marginals", "for linear models"),
        Answer(
            (
                (
                    "tables",
                    f"{len(ways):,}",
                    f"{ways.count(1):,} of one column, {ways.count(2):,} of two; {cells:,} cells",
                ),
                (
                    "radius",
                    up(_radius(found)),
                    f"every cell is within this of its real share, except with probability {show_rational(found.beta)}",
                ),
            )
        ),
    ]
    if found.origin == "simulate":
        blocks.append(Stamp(NOT_A_RELEASE))
    rows = [
        ("Written", written_to),
        ("Privacy", _privacy(found)),
        ("Sensitivity", _sensitivity(found)),
        ("Noise", _noise(found)),
        ("Digest", found.to_json()["digest"]),
    ]
    if found.seed is not None:
        rows.append(("Seed", str(found.seed)))
    return (
        *blocks,
        Facts(tuple(rows)),
        Code(
            (
                f"synthbounds certify {written_to} model.json --label COLUMN",
                f"synthbounds infer {written_to} --proportion COLUMN=VALUE",
            ),
            "sh",
        ),
    )


def _radius(found: Marginals) -> Any:
    return max(table.radius for table in found.tables)


def _public(found: Marginals) -> str:
    return f"n = {found.size:,} is public" if found.n_is_public else f"n is private, at least {found.size:,}"


def _privacy(found: Marginals) -> str:
    if found.plan is None:
        promise = "as stated by whoever made the tables"
    else:
        delta = found.plan.dp_delta
        promise = f"epsilon = {show_rational(found.plan.epsilon)}"
        promise += ", pure" if delta is None else f", dp-delta = {show_rational(delta)}"
        if found.origin == "simulate":
            promise = f"none; a release would have {promise}"
    return f"{promise}; adjacency {found.adjacency.value}; {_public(found)}"


def _sensitivity(found: Marginals) -> str:
    plan = found.plan
    if plan is None:
        return "not stated"
    moved = plan.sensitivity
    size = f"sqrt({int(moved.amount):,})" if moved.norm == "L2" else f"{int(moved.amount):,}"
    return f"one record moves all cells together by at most {size} steps in {moved.norm}"


def _noise(found: Marginals) -> str:
    law = found.tables[0].noise
    mechanism = "made elsewhere" if found.plan is None else found.plan.mechanism
    if law is None or not found.has_laws:
        return f"{mechanism}; only the radius of the cells is used"
    return f"{mechanism}, standard deviation of a cell at most {up(law.sd)}; in sums of cells it partly cancels"


def marginals_payload(found: Marginals, written_to: str) -> dict[str, Any]:
    plan = found.plan
    return {
        "kind": "marginals",
        "mode": found.origin,
        "stamp": NOT_A_RELEASE if found.origin == "simulate" else None,
        "release": written_to,
        "digest": found.to_json()["digest"],
        **_size(found),
        "adjacency": found.adjacency.value,
        "epsilon": None if plan is None else show_rational(plan.epsilon),
        "dp_delta": None if plan is None or plan.dp_delta is None else show_rational(plan.dp_delta),
        "mechanism": None if plan is None else plan.mechanism,
        "sensitivity": None
        if plan is None
        else {"norm": plan.sensitivity.norm, "amount": str(plan.sensitivity.amount)},
        "beta": show_rational(found.beta),
        "radius": up(_radius(found), 25),
        "cells": sum(len(table.counts) for table in found.tables),
        "tables": [[found.schema.names[place] for place in table.columns] for table in found.tables],
        "seed": None if found.seed is None else json_integer(found.seed),
    }


def _size(found: Marginals) -> dict[str, Any]:
    return {
        "n": json_integer(found.size) if found.n_is_public else None,
        "least_size": None if found.n_is_public else json_integer(found.size),
        "n_is_public": found.n_is_public,
    }


def marginal_certification_document(found: MarginalCertificate) -> Document:
    """The sentence first; then the numbers around it; then where it comes from."""
    model, moments = found.model, found.moments
    features = model.feature_map
    radii = f"first moments within {up(moments.k1)}, second within {up(moments.k2)} (operator norm)"
    ways = {"law": "the distribution of the noise", "cells": "the radius of every cell"}
    facts = (
        (
            "Compared with",
            f"every {class_text(found.compared_with).rstrip(',')}; scores up to {up(found.problem.compared.reach)}",
        ),
        (
            "Model",
            f"{len(model.coefficients)} coefficients, norm {up(model.norm_hi)}; {model.made or 'made elsewhere'}",
        ),
        ("Label", features.label_text),
        ("Holds for", holds_for(moments)),
        ("Event", f"{radii}, by {ways[moments.route]}; fails with probability at most {show_rational(found.beta)}"),
        ("Marginals", f"{_privacy(found.marginals)}; certifying spends nothing"),
        ("Missing", missing_text(found.moments)),
        (
            "Proof",
            "docs/proofs/synthbounds.marginal-moments.md for the moments, "
            "docs/proofs/synthbounds.model-certificate.md for the bound",
        ),
    )
    blocks = answer_blocks(found, simulated=found.marginals.origin == "simulate")
    return (*blocks, parts(found), routes(found), Facts(facts))


def holds_for(moments: MarginalMoments) -> str:
    """The event is one for any number of models; by the distribution of the noise it is one for every feature map."""
    if moments.uniform_over_maps:
        return "any number of models, labels and encodings: all certificates of degree 2 hold on one event"
    return (
        "any number of models on these features: all hold on one event; other labels or encodings have events of "
        "their own, so divide --beta by their number if you try several"
    )


def missing_text(moments: MarginalMoments) -> str:
    """The pairs and columns that are in no table."""
    pairs = [f"{a}:{b}" for a, b in moments.missing_pairs]
    if not pairs:
        return "nothing: every pair of columns is in a table"
    listed = ", ".join(pairs[:_MOST_LISTED]) + (", ..." if len(pairs) > _MOST_LISTED else "")
    alone = moments.missing_columns
    more = f"; columns in no table: {', '.join(alone)}" if alone else ""
    return f"{len(pairs):,} pairs in no table, taken over all couplings: {listed}{more}"


def marginal_certification_payload(found: MarginalCertificate) -> dict[str, Any]:
    marginals, model, moments = found.marginals, found.model, found.moments
    plan = marginals.plan
    return {
        **answer_payload(found),
        "release": {
            "kind": "marginals",
            "digest": marginals.to_json()["digest"],
            "mode": marginals.origin,
            "stamp": NOT_A_RELEASE if marginals.origin == "simulate" else None,
            "epsilon": None if plan is None else show_rational(plan.epsilon),
            "dp_delta": None if plan is None or plan.dp_delta is None else show_rational(plan.dp_delta),
            "adjacency": marginals.adjacency.value,
            **_size(marginals),
            "feature_map_digest": model.feature_map.digest,
            "route": moments.route,
            "uniform_over_maps": moments.uniform_over_maps,
            "missing_pairs": [list(pair) for pair in moments.missing_pairs],
            "missing_columns": list(moments.missing_columns),
        },
        "model": {
            "features": list(model.feature_map.names),
            "norm": up(model.norm_hi, 25),
            "made": model.made,
            "release": model.release,
        },
        "improvements": None,
    }
