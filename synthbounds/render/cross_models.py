"""Reports on models from a release of cross moments: how one was trained, and what is certified about it."""

from __future__ import annotations

import shlex
from typing import Any

from bounds.exact import show_rational
from mechanisms.models.certify.from_cross_moments import CrossCertificate
from mechanisms.models.cross_event import LabelledMoments
from mechanisms.models.losses import find_training_loss
from mechanisms.models.train.from_cross_moments import CrossTraining
from mechanisms.models.train.objective import constraint_text
from mechanisms.models.train.over_tau import OverTau
from release.cross_moments.file import CROSS_MOMENTS, CrossMoments
from release.noise.kinds import NOT_A_RELEASE
from synthbounds.render.certification import answer_blocks, answer_payload, class_text, parts, routes
from synthbounds.render.document import Answer, Block, Code, Document, Facts, Stamp, Title
from synthbounds.render.numbers import json_integer, up
from synthbounds.render.reach import choice_payload, choice_tables, reach_payload, reach_tables
from synthbounds.render.training import ESTIMATE, coefficient_table, trained_payload


def cross_training_document(
    found: CrossTraining, release_file: str, model_file: str, reached: OverTau | None = None
) -> Document:
    """Answer first, then how it came about, then how to go on."""
    model, trained, rows = found.model, found.trained, found.rows
    loss = find_training_loss(model.loss)
    blocks: list[Block] = [
        Title("Linear model", "trained on synthetic records"),
        Answer(
            (
                ("risk", f"{trained.risk_est:.6g}", f"mean {model.loss} loss on synthetic records, {ESTIMATE}"),
                ("norm", up(model.norm_hi, 8), "of the model, intercept included, features scaled to the unit ball"),
            )
        ),
    ]
    if found.moments.release.is_simulated:
        blocks.append(Stamp(NOT_A_RELEASE))
    ended = f"gradient off by {trained.kkt_est:.1e}"
    if trained.gap_est is not None:
        ended += f", so at most {trained.gap_est:.1e} above the least risk on these records"
    facts = (
        ("Written", model_file),
        ("Model", f"{loss.name} loss {loss.text} of the margin; {constraint_text(model)}"),
        ("Label", _label(found.moments)),
        (
            "Records",
            f"{len(rows.codes):,} synthetic ones, from the distribution that the release determines; fitted in "
            f"{len(rows.stages)} stages, residual before the last one {rows.stages[-1].residual:.2f} deviations",
        ),
        ("Minimum", ended),
        ("Without", f"the zero model has mean loss {found.constant_risk_est:.6g} on the same records"),
        ("Privacy", "made from the release alone: nothing more is spent"),
    )
    files = f"{shlex.quote(release_file)} {shlex.quote(model_file)}"
    asked = "" if _is_named(found.moments) else f" --label {shlex.quote(found.moments.feature_map.label)}"
    how = Code((f"synthbounds certify {files}{asked}",), "sh")
    tables = (*choice_tables(found.choice), *reach_tables(reached), coefficient_table(model))
    return (*blocks, Facts(facts), *tables, how)


def cross_training_payload(found: CrossTraining, model_file: str, reached: OverTau | None = None) -> dict[str, Any]:
    model, release = found.model, found.moments.release
    return {
        "kind": CROSS_MOMENTS,
        "mode": release.mode,
        "stamp": NOT_A_RELEASE if release.is_simulated else None,
        "model": model_file,
        "release_digest": release.digest,
        "feature_map_digest": model.feature_map.digest,
        "label": model.feature_map.label,
        "positive": model.feature_map.positive,
        **trained_payload(model, found.trained, found.constant_risk_est),
        "points": len(found.rows.codes),
        "stages": len(found.rows.stages),
        "residual_sd_est": found.rows.stages[-1].residual,
        "tau_from": choice_payload(found.choice),
        **reach_payload(reached),
    }


def cross_certification_document(found: CrossCertificate, reached: OverTau | None = None) -> Document:
    """The sentence first; then the numbers around it; then where it comes from."""
    model, known, release = found.model, found.problem.known, found.moments.release
    radii = f"first moments within {up(known.first_radius)}, second within {up(known.second_radius)} (operator norm)"
    facts = (
        (
            "Compared with",
            f"every {class_text(found.compared_with).rstrip(',')}; scores up to {up(found.problem.compared.reach)}",
        ),
        (
            "Model",
            f"{len(model.coefficients)} coefficients, norm {up(model.norm_hi)}; {model.made or 'made elsewhere'}",
        ),
        ("Label", _label(found.moments)),
        (
            "Holds for",
            "any number of models for this label, however they were made: all certificates hold on one event",
        ),
        ("Event", f"{radii}; fails with probability at most {show_rational(found.beta)}"),
        ("Release", f"{_privacy(release)}; certifying spends nothing"),
        (
            "Proof",
            "docs/proofs/synthbounds.cross-moments.md for the moments, "
            "docs/proofs/synthbounds.model-certificate.md for the bound",
        ),
    )
    blocks = answer_blocks(found, simulated=release.is_simulated)
    return (*blocks, *reach_tables(reached), parts(found), routes(found), Facts(facts))


def cross_certification_payload(found: CrossCertificate, reached: OverTau | None = None) -> dict[str, Any]:
    release, model = found.moments.release, found.model
    target = release.ledger.target
    return {
        **answer_payload(found, reached),
        "release": {
            "kind": CROSS_MOMENTS,
            "digest": release.digest,
            "mode": release.mode,
            "stamp": NOT_A_RELEASE if release.is_simulated else None,
            "epsilon": None if target is None else show_rational(target.epsilon.lo),
            "dp_delta": None if target is None else show_rational(target.delta.lo),
            "adjacency": release.adjacency.value,
            "n": json_integer(release.stated_size) if release.size_is_exact else None,
            "least_size": None if release.size_is_exact else json_integer(release.stated_size),
            "n_is_public": release.size_is_exact,
            "label": model.feature_map.label,
            "positive": model.feature_map.positive,
            "feature_map_digest": model.feature_map.digest,
        },
        "model": {
            "features": list(model.feature_map.names),
            "norm": up(model.norm_hi, 25),
            "made": model.made,
            "release": model.release,
        },
        "improvements": None,
    }


def _is_named(moments: LabelledMoments) -> bool:
    return moments.feature_map.label == moments.release.encoding.label


def _label(moments: LabelledMoments) -> str:
    features = moments.feature_map
    named = moments.release.encoding.label
    more = (
        ""
        if named in (None, features.label)
        else f"; the release names {named}, so products with this label have more noise"
    )
    return f"{features.label_text}{more}"


def _privacy(release: CrossMoments) -> str:
    target = release.ledger.target
    total = f"mu^2 = {up(release.ledger.total)}"
    if target is not None:
        total = f"epsilon = {show_rational(target.epsilon.lo)}, dp-delta = {show_rational(target.delta.lo)}"
    public = f"n = {release.stated_size:,} is public"
    if not release.size_is_exact:
        public = f"n is private, at least {release.stated_size:,}"
    return f"{total}, adjacency {release.adjacency.value}, {public}"
