"""The report on a model trained from a release, as a document and as JSON."""

from __future__ import annotations

import shlex
from typing import Any

from bounds.exact import show_rational
from mechanisms.models.losses import find_training_loss
from mechanisms.models.model import Model, terminating_decimal
from mechanisms.models.train.from_release import ReleaseTraining
from mechanisms.models.train.newton import Trained
from mechanisms.models.train.objective import constraint_text
from mechanisms.models.train.over_tau import OverTau
from release.noise.kinds import NOT_A_RELEASE
from synthbounds.render.document import Answer, Block, Code, Document, Facts, Stamp, Table, Title
from synthbounds.render.numbers import json_integer, nearest_text, up
from synthbounds.render.reach import choice_payload, choice_tables, reach_payload, reach_tables

ESTIMATE = "an estimate: nothing here is certified"


def training_document(
    found: ReleaseTraining,
    release_file: str,
    model_file: str,
    synthetic: str | None,
    reached: OverTau | None = None,
) -> Document:
    """Answer first, then how it came about, then how to go on."""
    blocks: list[Block] = [Title("Linear model", "trained on synthetic records"), Answer(_answer(found))]
    if found.release.is_simulated:
        blocks.append(Stamp(NOT_A_RELEASE))
    files = f"{shlex.quote(release_file)} {shlex.quote(model_file)}"
    return (
        *blocks,
        Facts(_facts(found, model_file, synthetic)),
        *choice_tables(found.choice),
        *reach_tables(reached),
        coefficient_table(found.model),
        Code((f"synthbounds certify {files}",), "sh"),
    )


def _answer(found: ReleaseTraining) -> tuple[tuple[str, str, str], ...]:
    return (
        ("risk", f"{found.trained.risk_est:.6g}", f"mean {found.model.loss} loss on synthetic records, {ESTIMATE}"),
        ("norm", up(found.model.norm_hi, 8), "of the model, intercept included, features scaled to the unit ball"),
    )


def _facts(found: ReleaseTraining, model_file: str, synthetic: str | None) -> tuple[tuple[str, str], ...]:
    loss, tilt, trained = find_training_loss(found.model.loss), found.points.tilt, found.trained
    features = found.release.feature_map
    reached = f"gradient off by {trained.kkt_est:.1e}"
    if trained.gap_est is not None:
        reached += f", so at most {trained.gap_est:.1e} above the least risk on these records"
    rows = [
        ("Written", model_file),
        ("Model", f"{loss.name} loss {loss.text} of the margin; {constraint_text(found.model)}"),
        ("Label", features.label_text),
        (
            "Records",
            f"{len(found.points.weights):,} synthetic ones, weighted; they count like {tilt.effective_size:,.0f} "
            "of equal weight",
        ),
        (
            "Moments",
            f"within {tilt.largest_residual_sd:.2f} standard deviations (of the noise) of the {tilt.theta.size:,} "
            "moments of the release" + ("" if tilt.settled else "; the weights had not settled"),
        ),
        ("Minimum", reached),
        ("Without", f"the zero model has mean loss {found.constant_risk_est:.6g} on the same records"),
        ("Privacy", "made from the release alone: nothing more is spent"),
        ("Seed", str(found.points.seed)),
    ]
    if found.rows is not None and synthetic is not None:
        rows.insert(
            1,
            (
                "Table",
                f"{synthetic}: {len(found.rows.codes):,} synthetic rows, moments within "
                f"{found.rows.largest_residual_sd:.2f} standard deviations",
            ),
        )
    return tuple(rows)


def coefficient_table(model: Model) -> Table:
    """Every feature with its coefficient."""
    names = model.feature_map.names
    rows = tuple((name, nearest_text(c, 8) if c else "0") for name, c in zip(names, model.coefficients, strict=True))
    return Table("Coefficients", ("feature", "coefficient"), rows, right=frozenset({1}))


def trained_payload(model: Model, trained: Trained, zero_risk_est: float) -> dict[str, Any]:
    """What is said about every trained model, wherever its records come from."""
    return {
        "features": list(model.feature_map.names),
        "coefficients": [terminating_decimal(c) for c in model.coefficients],
        "loss": model.loss,
        "tau": None if model.tau is None else show_rational(model.tau),
        "ridge": None if model.ridge is None else show_rational(model.ridge),
        "intercept": model.intercept,
        "norm": up(model.norm_hi, 25),
        "risk_est": trained.risk_est,
        "zero_risk_est": zero_risk_est,
        "gap_est": trained.gap_est,
        "gradient_est": trained.kkt_est,
    }


def training_payload(
    found: ReleaseTraining, model_file: str, synthetic: str | None, reached: OverTau | None = None
) -> dict[str, Any]:
    model, tilt, rows = found.model, found.points.tilt, found.rows
    return {
        "mode": found.release.mode,
        "stamp": NOT_A_RELEASE if found.release.is_simulated else None,
        "model": model_file,
        "release_digest": found.release.digest,
        "feature_map_digest": model.feature_map.digest,
        **trained_payload(model, found.trained, found.constant_risk_est),
        "points": len(found.points.weights),
        "effective_size_est": tilt.effective_size,
        "statistics": int(tilt.theta.size),
        "largest_residual_sd_est": tilt.largest_residual_sd,
        "settled": tilt.settled,
        "tau_from": choice_payload(found.choice),
        **reach_payload(reached),
        "synthetic": None
        if rows is None
        else {
            "file": synthetic,
            "k": json_integer(len(rows.codes)),
            "distinct_points": rows.distinct,
            "largest_residual_sd_est": rows.largest_residual_sd,
        },
        "seed": json_integer(found.points.seed),
    }
