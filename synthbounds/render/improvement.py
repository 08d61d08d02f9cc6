"""The report on a table that was brought close to a release, as a document and as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

from bounds.exact import show_rational
from bounds.privacy.statements import DP
from mechanisms.improve.cost import Cost
from mechanisms.improve.improvement import Improvement, Residual
from mechanisms.improve.parameters import BOX
from release.moments.file import MomentRelease
from release.noise.kinds import NOT_A_RELEASE
from synthbounds.render.document import Answer, Block, Bullets, Code, Document, Facts, Stamp, Table, Title
from synthbounds.render.numbers import json_integer

ASSERTED = (
    "you say that the table is private or public by itself: made from a private mechanism of its own, or without the "
    "records. Weighted rows of the records themselves would protect nobody"
)
UNKNOWN = "unknown (say it with --table-spent and --table-adjacency)"
_MOST_SHOWN = 5


@dataclass(frozen=True)
class Files:
    """Where the table and the release are, and what is written."""

    table: str
    release: str
    weights: str | None
    synthetic: str | None


def improvement_document(found: Improvement, files: Files) -> Document:
    """How close and at what price first, then what was fitted, what it cost, and how to go on."""
    blocks: list[Block] = [
        Title("Improvement", "a finished table, weighted to agree with a release"),
        Answer(tuple(_answer(found))),
    ]
    if found.is_simulated:
        blocks.append(Stamp(NOT_A_RELEASE))
    blocks.append(Facts(tuple(_facts(found, files))))
    if found.out_of_reach:
        rows = tuple(
            (one.name, f"{one.absolute:.4g}", f"{one.deviations:,.1f}") for one in found.out_of_reach[:_MOST_SHOWN]
        )
        title = f"Out of reach of these rows: {len(found.out_of_reach):,}, the furthest first"
        blocks.append(Table(title, ("statistic", "off by", "deviations"), rows, right=frozenset({1, 2})))
    blocks.append(Facts(tuple(_cost_facts(found.cost)), title="What it cost"))
    if found.warnings:
        blocks.append(Bullets("Warnings", found.warnings))
    return (*blocks, *((Code(lines, "sh"),) if (lines := _next_lines(found, files)) else ()))


def improvement_payload(found: Improvement, files: Files) -> dict[str, Any]:
    """The same as JSON."""
    fitted, strength = found.fitted, found.fitted.strength
    return {
        "mode": "simulate" if found.is_simulated else "release",
        "stamp": NOT_A_RELEASE if found.is_simulated else None,
        "release": found.release.KIND,
        "release_digest": found.release.digest,
        "weights": files.weights,
        "synthetic": files.synthetic,
        "rows": len(found.weights),
        "different_rows": found.points,
        "k": json_integer(len(found.chosen)),
        "fit": found.wish.fit,
        "features": None if found.wish.features is None else list(found.wish.features),
        "statistics": found.statistics,
        "price": found.wish.price,
        "weights_by": fitted.price,
        "strength": None if strength is None or strength == inf else strength,
        "gamma": found.wish.gamma,
        "denoised": fitted.denoised_sd,
        "settled": fitted.settled,
        "effective_size": found.effective_size,
        "largest_residual": None if found.after is None else found.after.deviations,
        "residuals": {
            "before": _residual_payload(found.before),
            "weighted": _residual_payload(found.after),
            "rows": _residual_payload(found.of_rows),
            "root_mean_square": found.root_mean_square,
        },
        "error_est": fitted.error_est,
        "divergence": found.divergence,
        "l1_distance": found.distance,
        "out_of_reach": [_residual_payload(one) for one in found.out_of_reach[:_MOST_SHOWN]],
        "out_of_reach_count": len(found.out_of_reach),
        "constant_columns": list(found.constant),
        "cost": {
            "adjacency": found.cost.adjacency.value,
            "table": _statement_payload(found.cost.table),
            "release": _statement_payload(found.cost.release),
            "total": _statement_payload(found.cost.total),
            "asserted": ASSERTED,
        },
        "warnings": list(found.warnings),
    }


def _answer(found: Improvement) -> Iterator[tuple[str, str, str]]:
    if found.after is not None and found.before is not None:
        was = f"before, {found.before.deviations:,.1f} for {found.before.name}"
        yield (
            "residual",
            f"{found.after.deviations:,.2f}",
            f"deviations of the noise at most, for {found.after.name} (off by {found.after.absolute:.3g}); {was}",
        )
    rows = f"{found.effective_size * len(found.weights):,.0f} of {len(found.weights):,}"
    yield (
        "size",
        f"{found.effective_size:.3f}",
        f"is the effective share of rows: the weights are worth {rows} equal ones",
    )


def _facts(found: Improvement, files: Files) -> Iterator[tuple[str, str]]:
    fitted = found.fitted
    if files.weights is not None:
        yield "Weights", f"{files.weights}: one for each row, in the same order; they add up to {len(found.weights):,}"
    if files.synthetic is not None:
        off = "" if found.of_rows is None else f"; largest residual {found.of_rows.deviations:,.2f} deviations"
        yield "Table", f"{files.synthetic}: {len(found.chosen):,} rows, drawn systematically by the weights{off}"
    if files.weights is None and files.synthetic is None:
        yield "Written", "nothing (--weights W.csv, --synthetic OUT)"
    share = f"{found.statistics:,} of {found.offered:,} statistics ({found.text})"
    yield "Fitted", f"{share}, on {found.points:,} different rows"
    yield "Price", _price_text(found)
    yield "Left", f"{found.root_mean_square:.3g} deviations, the root mean square over what was fitted"
    if fitted.error_est is not None:
        error = "less than the noise can show"
        if fitted.error_est > 0:
            error = f"about {fitted.error_est**0.5:.3g} deviations from the real statistics, root mean square"
        yield "Error", f"{error} (Stein's estimate, for a table that was not made from this release)"
    moved = (
        f"{found.divergence:.4g} nats (Kullback-Leibler) and {found.distance:.4g} in L1 from the weights at the start"
    )
    yield "Moved", moved
    yield "Certified", "nothing: `release distance` and `release accuracy` accept the new table like any other"


def _price_text(found: Improvement) -> str:
    fitted = found.fitted
    if fitted.price == BOX:
        moved = fitted.denoised_sd
        first = "" if moved is None else f", of targets that were moved by {moved:.3g} deviations to be within reach"
        return f"box: every statistic within {found.wish.gamma:g}{first}"
    if fitted.strength == inf:
        return "soft: the table is as close as the noise can show, so the weights were left as they were"
    if found.wish.strength is not None and not fitted.raised:
        return f"soft, strength {fitted.strength:g} as asked for"
    how = "raised until enough rows count" if fitted.raised else "with the least estimated error"
    return f"soft, strength {fitted.strength:g}, {how}"


def _cost_facts(cost: Cost) -> Iterator[tuple[str, str]]:
    start = ", and of the weights at the start" if cost.is_started else ""
    yield "This", f"nothing more: weights are a function of the table and the release{start}"
    yield "Release", UNKNOWN_RELEASE if cost.release is None else _statement_text(cost.release)
    told = "as you say; it must include what the weights at the start cost" if cost.is_started else "as you say"
    yield "Table", UNKNOWN if cost.table is None else f"{_statement_text(cost.table)}, {told}"
    total = "unknown" if cost.total is None else f"{_statement_text(cost.total)}, by adaptive composition"
    yield "Together", total
    yield "Asserted", ASSERTED


UNKNOWN_RELEASE = "unknown: its file states no budget as an epsilon"


def _statement_text(statement: DP) -> str:
    return statement.text()


def _statement_payload(statement: DP | None) -> dict[str, str] | None:
    if statement is None:
        return None
    return {"epsilon": show_rational(statement.epsilon.hi), "dp_delta": show_rational(statement.delta.hi)}


def _residual_payload(residual: Residual | None) -> dict[str, Any] | None:
    if residual is None:
        return None
    return {"statistic": residual.name, "absolute": residual.absolute, "deviations": residual.deviations}


def _next_lines(found: Improvement, files: Files) -> tuple[str, ...]:
    """How the holder of the real table measures how close the new one is."""
    if files.synthetic is None:
        return ()
    asked = f"--schema SCHEMA.json --epsilon E --mode release --adjacency {found.cost.adjacency.value}"
    both = f"REAL {shlex.quote(files.synthetic)}"
    if isinstance(found.release, MomentRelease):
        label = shlex.quote(found.release.feature_map.label)
        return (f"synthbounds release distance {both} --label {label} {asked} --output distance.json",)
    return (f"synthbounds release accuracy {both} --workload pairs {asked} --output accuracy.json",)
