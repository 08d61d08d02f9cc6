"""The report on a model that a query's answer corrected, as a document and as JSON."""

from __future__ import annotations

import shlex
from typing import Any

from bounds.exact import show_rational
from mechanisms.models.confirm.correct import ReleaseCorrection
from mechanisms.models.model import terminating_decimal
from mechanisms.models.train.objective import constraint_text
from release.noise.kinds import NOT_A_RELEASE
from synthbounds.render.document import Answer, Block, Code, Document, Facts, Stamp, Table, Title
from synthbounds.render.numbers import json_integer, nearest_text, up
from synthbounds.render.training import ESTIMATE


def correction_document(found: ReleaseCorrection, release_file: str, query_file: str, model_file: str) -> Document:
    """Answer first, then how it came about, then how to go on."""
    model, points = found.model, found.points
    blocks: list[Block] = [
        Title("Linear model", "corrected by the answer to a query"),
        Answer(
            (
                ("kept", f"{found.corrected.kept:.4g}", f"share of the observed difference taken as real, {ESTIMATE}"),
                ("norm", up(model.norm_hi, 8), "of the model, intercept included, features scaled to the unit ball"),
            )
        ),
    ]
    if found.release.is_simulated:
        blocks.append(Stamp(NOT_A_RELEASE))
    facts = (
        ("Written", model_file),
        ("Model", f"{model.loss} loss; {constraint_text(model)}"),
        (
            "Risk",
            f"{found.risk_est:.6g} on synthetic records, {found.old_risk_est:.6g} before; {ESTIMATE}",
        ),
        ("Records", f"{len(points.weights):,} synthetic ones, weighted"),
        ("Privacy", "made from the release and the published answer: nothing more is spent"),
        ("Seed", str(points.seed)),
    )
    rows = tuple(
        (name, nearest_text(c, 8) if c else "0")
        for name, c in zip(model.feature_map.names, model.coefficients, strict=True)
    )
    table = Table("Coefficients", ("feature", "coefficient"), rows, right=frozenset({1}))
    return (*blocks, Facts(facts), table, Code(_next(found, release_file, query_file, model_file), "sh"))


def _next(found: ReleaseCorrection, release_file: str, query_file: str, model_file: str) -> tuple[str, ...]:
    release, query, model = (shlex.quote(name) for name in (release_file, query_file, model_file))
    lines = [f"synthbounds certify {release} {model}"]
    if found.query.left_state == "open":
        lines.append(f"synthbounds confirm TABLE {release} {model} --previous {query} --output query2.json")
    return tuple(lines)


def correction_payload(found: ReleaseCorrection, model_file: str) -> dict[str, Any]:
    model = found.model
    return {
        "mode": found.release.mode,
        "stamp": NOT_A_RELEASE if found.release.is_simulated else None,
        "model": model_file,
        "release_digest": found.release.digest,
        "query_digest": found.query.digest,
        "feature_map_digest": model.feature_map.digest,
        "features": list(model.feature_map.names),
        "coefficients": [terminating_decimal(c) for c in model.coefficients],
        "loss": model.loss,
        "tau": None if model.tau is None else show_rational(model.tau),
        "ridge": None if model.ridge is None else show_rational(model.ridge),
        "intercept": model.intercept,
        "norm": up(model.norm_hi, 25),
        "risk_est": found.risk_est,
        "old_risk_est": found.old_risk_est,
        "kept_est": found.corrected.kept,
        "points": len(found.points.weights),
        "seed": json_integer(found.points.seed),
    }
