"""What a report on a synthetic table says if the table was made from a log: measured tables, budget, the model."""

from __future__ import annotations

from typing import Any

from mechanisms.generators.outputs import GeneratedRows
from mechanisms.log_rows import LogFit
from mechanisms.rap.rows import RapRows
from mechanisms.synth.log_summary import summarise
from mechanisms.synth.private_table import PrivateTable
from release.data.tables import printable
from release.log.file import MarginalLog
from synthbounds.render.document import Table
from synthbounds.render.numbers import json_enclosure, up

_MOST_SHOWN = 12
"""Tables in a report; all of them are in the log."""


def log_answer(found: PrivateTable) -> list[tuple[str, str, str]]:
    """How well wider tables are kept, and how close the model is to what the log determines."""
    rows = []
    if found.known.tables:
        largest = up(max(found.known.tables.values()), 6)
        rows.append(("cells", largest, "is the largest error of a cell's share in a measured table: certified"))
    for place, error in found.known.queries.items():
        text = found.release.queries[place].text if isinstance(found.release, MarginalLog) else ""
        said = f"is the largest error of the measured answers (shares of records) to {text}: certified"
        rows.append(("queries", up(error, 6), said))
    certified = found.fit.certificate if isinstance(found.fit, LogFit) else None
    if certified is not None:
        said = "is the L1 distance, on every marginal, from the model to the one that the log determines: certified"
        rows.append(("model", up(certified.l1, 3), said))
    return rows


def log_facts(found: PrivateTable, log: MarginalLog) -> list[tuple[str, str]]:
    """What was measured, and where the budget went."""
    summary = summarise(log)
    wider = len({table.columns for table in log.tables if len(table.columns) > 1})
    asked = f"{summary.queries:,} queries with {summary.answers:,} answers; " if summary.queries else ""
    rows = [
        (
            "Measured",
            f"{summary.tables:,} tables with {summary.cells:,} cells, {wider:,} sets of several columns; {asked}"
            f"{summary.choices:,} choices of what to measure",
        ),
        ("Budget", ", ".join(f"{what} {float(part):.1%}" for what, part in summary.parts.items()) + " of rho"),
    ]
    if isinstance(found.fit, LogFit):
        fit, megabytes = found.fit, found.fit.model_bytes / 2**20
        gap = f"{fit.gap_est:.2g} nats (an estimate: certifying it would take minutes)"
        if fit.certificate is not None:
            gap = f"at most {up(fit.certificate.gap.hi, 3)} nats"
        rows.append(("Fit", f"duality gap {gap}; tables of {megabytes:.3g} MB"))
    elif isinstance(found.fit, GeneratedRows | RapRows):
        rows.append(
            ("Fit", f"{found.fit.residual_est:.2f} deviations of the noise from what was measured (an estimate)")
        )
    return rows


def log_tables(found: PrivateTable) -> list[Table]:
    """Those of the measured tables that are kept worst."""
    names, errors = found.schema.names, found.known.tables
    if not errors:
        return []
    worst = sorted(errors.items(), key=lambda item: (-item[1], item[0]))[:_MOST_SHOWN]
    rows = tuple((" x ".join(printable(names[u]) for u in columns), up(error, 4)) for columns, error in worst)
    title = "Measured tables" if len(errors) <= _MOST_SHOWN else f"Measured tables, {_MOST_SHOWN} of {len(errors)}"
    return [Table(title, ("columns", "largest error of a share"), rows, right=frozenset({1}))]


def log_payload(found: PrivateTable, log: MarginalLog) -> dict[str, Any]:
    """The same for machines."""
    summary, names = summarise(log), found.schema.names
    certified = found.fit.certificate if isinstance(found.fit, LogFit) else None
    return {
        "redrawn": found.is_redrawn,
        "settings": {
            name: ", ".join(value) if isinstance(value, tuple) else str(value) for name, value in log.settings.items()
        },
        "rounds": summary.choices,
        "measured_tables": summary.tables,
        "measured_cells": summary.cells,
        "measured_queries": summary.queries,
        "measured_answers": summary.answers,
        "rho": up(summary.rho, 25),
        "rho_spent": up(summary.spent, 25),
        "rho_parts": {what: up(part, 6) for what, part in summary.parts.items()},
        "dual_gap": None if certified is None else json_enclosure(certified.gap),
        "l1_to_optimum": None if certified is None else up(certified.l1, 25),
        "table_errors": [
            {"columns": [names[u] for u in columns], "largest_share_error": up(error, 25)}
            for columns, error in found.known.tables.items()
        ],
        "query_errors": [
            {"queries": log.queries[place].text, "largest_error": up(error, 25)}
            for place, error in found.known.queries.items()
        ],
    }
