"""The report on a certificate made from the log of a mechanism, as a document and as JSON."""

from __future__ import annotations

from typing import Any

from bounds.exact import show_rational
from mechanisms.models.certify.from_log import LogCertificate
from release.log.file import MarginalLog
from release.noise.kinds import NOT_A_RELEASE
from synthbounds.render.certification import answer_blocks, answer_payload, class_text, parts, routes
from synthbounds.render.document import Document, Facts
from synthbounds.render.marginals import holds_for, missing_text
from synthbounds.render.numbers import json_integer, up

_OTHER_FEATURES = "the log contains none for the features of this model"


def log_certification_document(found: LogCertificate) -> Document:
    """The sentence first; then the numbers around it; then where it comes from."""
    log, model, known = found.log, found.model, found.problem.known
    features = model.feature_map
    radii = f"first moments within {up(known.first_radius)}, second within {up(known.second_radius)} (operator norm)"
    both = found.distance_bound is not None
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
        (
            "By",
            f"the {found.by} of the log"
            + ("; half of the failure probability goes to each of the two" if both else ""),
        ),
        ("Tables", f"{len(log.tables):,} of the log, each on its own: excess at most {up(found.tables_bound)}"),
        (
            "Distance",
            f"of the finished table: excess at most {up(found.distance_bound)}"
            if found.distance_bound is not None
            else _OTHER_FEATURES,
        ),
        ("Missing", missing_text(found.moments)),
        ("Holds for", holds_for(found.moments)),
        ("Event", f"{radii}; fails with probability at most {show_rational(found.moments_beta)}"),
        ("Log", f"{log.method}; {_privacy(log)}; certifying spends nothing"),
        (
            "Proof",
            f"docs/proofs/synthbounds.{'table-distance' if found.by == 'distance' else 'marginal-moments'}.md for the "
            "moments, docs/proofs/synthbounds.model-certificate.md for the bound; `check` does not accept it",
        ),
    )
    blocks = answer_blocks(found, simulated=log.is_simulated)
    return (*blocks, parts(found), routes(found), Facts(facts))


def _privacy(log: MarginalLog) -> str:
    size = f"n = {log.stated_size:,} is public" if log.size_is_exact else "n is private"
    promise = f"rho = {up(log.ledger.total)}"
    target = log.ledger.target
    if target is not None:
        promise += f", which is {target.text()}"
    begins = f"none; a release would spend {promise}" if log.is_simulated else promise
    return f"privacy: {begins}; adjacency {log.adjacency.value}; {size}"


def log_certification_payload(found: LogCertificate) -> dict[str, Any]:
    log, model, moments = found.log, found.model, found.moments
    target = log.ledger.target
    return {
        **answer_payload(found),
        "release": {
            "kind": log.KIND,
            "digest": log.digest,
            "mode": log.mode,
            "stamp": NOT_A_RELEASE if log.is_simulated else None,
            "epsilon": None if target is None else show_rational(target.epsilon.lo),
            "dp_delta": None if target is None else show_rational(target.delta.lo),
            "adjacency": log.adjacency.value,
            "n": json_integer(log.stated_size) if log.size_is_exact else None,
            "least_size": None if log.size_is_exact else json_integer(log.stated_size),
            "n_is_public": log.size_is_exact,
            "feature_map_digest": model.feature_map.digest,
            "method": log.method,
            "by": found.by,
            "tables_bound": up(found.tables_bound, 25),
            "distance_bound": None if found.distance_bound is None else up(found.distance_bound, 25),
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
