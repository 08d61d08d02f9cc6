"""What models of several norms reach on synthetic records of a release, as a table and as JSON: estimates."""

from __future__ import annotations

from math import isfinite
from typing import Any

from bounds.exact import show_rational
from mechanisms.models.train.over_tau import OverTau, Reached, TauChoice
from synthbounds.render.document import Table


def reach_tables(found: OverTau | None) -> tuple[Table, ...]:
    """Loss and accuracy over tau, the norm of the class marked; nothing if nothing is known."""
    if found is None:
        return ()
    rows = [(f"norm {show_rational(tau)}", *_shown(reached)) for tau, reached in found.rows]
    rows += [("this model", *_shown(found.model)), ("a constant", *_shown(found.constant))]
    marked = frozenset(i for i, (tau, _) in enumerate(found.rows) if tau == found.tau)
    return (
        Table(
            "The best model of each norm, on synthetic records (estimates)",
            ("", "mean loss", "accuracy"),
            tuple(rows),
            right=frozenset({1, 2}),
            marked=marked,
            legend="the norm of the class",
        ),
    )


def choice_tables(found: TauChoice | None) -> tuple[Table, ...]:
    """Which norm was chosen, and why; nothing if it was given."""
    if found is None:
        return ()
    rows = tuple(
        (show_rational(c.tau), f"{c.loss_est:.4f}", _short(c.certificate_est), _short(c.sum_est))
        for c in found.candidates
    )
    marked = frozenset(i for i, c in enumerate(found.candidates) if c.tau == found.tau)
    return (
        Table(
            f"Why tau = {show_rational(found.tau)}: mean loss plus expected certificate (estimates)",
            ("tau", "mean loss", "certificate", "sum"),
            rows,
            right=frozenset({0, 1, 2, 3}),
            marked=marked,
            legend="least",
        ),
    )


def _short(value: float) -> str:
    return f"{value:.4f}" if isfinite(value) else "-"


def _shown(reached: Reached) -> tuple[str, str]:
    return f"{reached.loss_est:.4f}", f"{reached.accuracy_est:.3f}"


def reach_payload(found: OverTau | None) -> dict[str, Any]:
    """The fields that every report on a model has; null if nothing is known."""
    return {
        "over_tau": None
        if found is None
        else [{"tau": show_rational(tau), **_payload(reached)} for tau, reached in found.rows],
        "model_est": None if found is None else _payload(found.model),
        "constant_est": None if found is None else _payload(found.constant),
    }


def _payload(reached: Reached) -> dict[str, float]:
    return {"loss_est": reached.loss_est, "accuracy_est": reached.accuracy_est}


def choice_payload(found: TauChoice | None) -> list[dict[str, Any]] | None:
    """What tau was chosen from; null if it was given."""
    if found is None:
        return None
    return [
        {
            "tau": show_rational(c.tau),
            "loss_est": c.loss_est,
            "certificate_est": c.certificate_est if isfinite(c.certificate_est) else None,
        }
        for c in found.candidates
    ]
