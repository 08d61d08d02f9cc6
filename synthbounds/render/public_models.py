"""The report on a model trained on a finished table or from marginals."""

from __future__ import annotations

import shlex
from typing import Any

from mechanisms.models.losses import find_training_loss
from mechanisms.models.train.from_public import PublicTraining
from mechanisms.models.train.objective import constraint_text
from release.noise.kinds import NOT_A_RELEASE
from synthbounds.render.document import Answer, Block, Code, Document, Facts, Stamp, Title
from synthbounds.render.numbers import up
from synthbounds.render.training import ESTIMATE, coefficient_table, trained_payload


def public_training_document(found: PublicTraining, given: str, model_file: str, asked: str) -> Document:
    """Answer first, then how it came about, then how to go on; `asked` are the options that chose the features."""
    model, trained = found.model, found.trained
    loss, features = find_training_loss(model.loss), model.feature_map
    blocks: list[Block] = [
        Title("Linear model", "trained on synthetic records"),
        Answer(
            (
                ("risk", f"{trained.risk_est:.6g}", f"mean {model.loss} loss on synthetic records, {ESTIMATE}"),
                ("norm", up(model.norm_hi, 8), "of the model, intercept included, features scaled to the unit ball"),
            )
        ),
    ]
    if _is_simulated(found):
        blocks.append(Stamp(NOT_A_RELEASE))
    reached = f"gradient off by {trained.kkt_est:.1e}"
    if trained.gap_est is not None:
        reached += f", so at most {trained.gap_est:.1e} above the least risk on these records"
    records = f"{found.records:,} of a finished table, which is taken to be public: a private one must not be given"
    if found.release is not None:
        records = f"{found.records:,} synthetic ones, weighted so that they have the moments of the marginals"
    if found.missing_pairs:
        records += f"; {len(found.missing_pairs):,} pairs of columns in no table are left out"
    facts = (
        ("Written", model_file),
        ("Model", f"{loss.name} loss {loss.text} of the margin; {constraint_text(model)}"),
        ("Label", features.label_text),
        ("Features", f"{features.size:,} with the intercept; squared norm at most {features.squared_norm}"),
        ("Records", records),
        ("Minimum", reached),
        ("Without", f"the zero model has mean loss {found.constant_risk_est:.6g} on the same records"),
        ("Privacy", "nothing more is spent"),
    )
    name = shlex.quote(model_file)
    lines = [f"synthbounds certify {shlex.quote(given)} {name}{asked}"]
    if found.release is None:
        more = f"--schema SCHEMA{asked} --epsilon 1 --mode release --adjacency replace-one"
        lines = [
            f"synthbounds release distance REAL {shlex.quote(given)} {more} --output distance.json",
            f"synthbounds certify distance.json {name}",
        ]
    return (*blocks, Facts(facts), coefficient_table(model), Code(tuple(lines), "sh"))


def public_training_payload(found: PublicTraining, model_file: str) -> dict[str, Any]:
    model, release = found.model, found.release
    return {
        "kind": found.kind,
        "mode": None if release is None else release.origin,
        "stamp": NOT_A_RELEASE if _is_simulated(found) else None,
        "model": model_file,
        "release_digest": None if release is None else release.digest,
        "feature_map_digest": model.feature_map.digest,
        "label": model.feature_map.label,
        "positive": model.feature_map.positive,
        **trained_payload(model, found.trained, found.constant_risk_est),
        "points": found.records,
        "missing_pairs": [list(pair) for pair in found.missing_pairs],
    }


def _is_simulated(found: PublicTraining) -> bool:
    return found.release is not None and found.release.is_simulated
