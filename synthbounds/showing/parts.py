"""Parts of answers that are shown on their own: a model, a schema, how well other norms do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bounds.exact import show_rational
from synthbounds.render.document import Document, Table, Title

if TYPE_CHECKING:
    from bounds.sizes.sweep import SweepResult
    from mechanisms.models.model import Model
    from mechanisms.models.train.over_tau import OverTau
    from release.data.schema import Schema


def model_document(model: Model) -> Document:
    from synthbounds.render.numbers import up
    from synthbounds.render.training import coefficient_table

    what = f"{model.loss} loss, norm at most {up(model.norm_hi)}, {len(model.coefficients)} features"
    return Title("Linear model", what), coefficient_table(model)


def model_payload(model: Model) -> dict[str, Any]:
    found: dict[str, Any] = model.to_json()
    return found


def reach_document(found: OverTau) -> Document:
    from synthbounds.render.reach import reach_tables

    norms = ", ".join(show_rational(tau) for tau, _ in found.rows)
    return Title("The best model of each norm", f"norms {norms}; estimates"), *reach_tables(found)


def reach_payload(found: OverTau) -> dict[str, Any]:
    from synthbounds.render.reach import reach_payload as payload

    return payload(found)


def estimates_document(found: SweepResult) -> Document:
    return (Title("Estimates", f"{found.n_est.size:,} points, in floating point: nothing is certified"),)


def estimates_payload(found: SweepResult) -> dict[str, Any]:
    """Sizes at every point; the last parameter varies fastest."""
    return {name: getattr(found, name).ravel().tolist() for name in ("n_est", "m_est", "k_est")}


def schema_document(schema: Schema) -> Document:
    rows = tuple((name, f"{levels:,}") for name, levels in zip(schema.names, schema.domain.sizes, strict=True))
    what = f"{len(rows):,} columns, {schema.domain.size:,} points; source {schema.source}"
    return Title("Schema", what), Table("", ("column", "levels"), rows, right=frozenset({1}))


def schema_payload(schema: Schema) -> dict[str, Any]:
    return schema.to_json()
