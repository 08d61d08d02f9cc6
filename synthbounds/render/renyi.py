"""A Rényi condition number, its bounds and its simulation as a document and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from bounds.enclosure import Enclosure
from bounds.renyi import InfiniteKappa, RenyiReport
from synthbounds.render.document import Answer, Block, Document, Facts, Table, Title
from synthbounds.render.numbers import enclosure_text, json_enclosure

if TYPE_CHECKING:
    from lp.study.perturbed_histogram import KappaSimulation


def renyi_document(
    report: RenyiReport | None,
    infinite: InfiniteKappa | None,
    simulation: KappaSimulation | None,
    settings: str,
) -> Document:
    blocks: list[Block] = []
    if report is not None:
        blocks += [Title("Rényi condition number kappa(nu||mu)"), *_exact_blocks(report)]
    if infinite is not None:
        probability = enclosure_text(infinite.lower, 10)
        if not infinite.exact:
            probability = f"between {infinite.lower.decimal(10)[0]} and {infinite.upper.decimal(10)[1]}"
        blocks.append(Title("kappa(nu||perturbed histogram)", settings))
        blocks.append(Facts((("P(kappa infinite)", f"{probability} (plain variant), certified: {infinite.method}"),)))
    if simulation is not None:
        blocks.append(_simulation_table(simulation))
    return tuple(blocks)


def _exact_blocks(report: RenyiReport) -> list[Block]:
    if report.kappa is None:
        where = f"mu vanishes at point {report.infinite_at}, where nu does not"
        return [Answer((("kappa", "infinite", where),))]
    kappa = enclosure_text(Enclosure.of(report.kappa), 15)
    rows = [
        ("TV(nu, mu)", enclosure_text(Enclosure.of(report.total_variation), 12)),
        ("beta = min mu/nu", enclosure_text(Enclosure.of(report.least_ratio), 12)),
        ("1 + TV/beta", _bound(report.direct_bound)),
        ("1/beta", _bound(report.ratio_bound)),
    ]
    if report.through_bound is not None:
        rows.append(("equation (10), corrected", enclosure_text(report.through_bound, 12)))
    return [
        Answer((("kappa", kappa, f"exact rational, {report.points} points"),)),
        Table("Bounds on it", ("", "value"), tuple(rows), right=frozenset({1})),
    ]


def _bound(value: Fraction | None) -> str:
    return "infinite" if value is None else enclosure_text(Enclosure.of(value), 12)


def _simulation_table(simulation: KappaSimulation) -> Table:
    share = simulation.infinite / simulation.runs
    return Table(
        f"Simulation: {simulation.runs} runs, seed {simulation.seed}, variant {simulation.variant} (estimates)",
        ("", "value"),
        (
            ("runs with kappa infinite", f"{simulation.infinite} ({share:.4%})"),
            (
                "95% interval for P(kappa infinite)",
                f"[{simulation.infinite_low_est:.6g}, {simulation.infinite_high_est:.6g}]",
            ),
            ("median of kappa", f"{simulation.median_est:.7g}"),
            ("95% quantile of kappa", f"{simulation.q95_est:.7g}"),
            ("largest finite kappa", f"{simulation.largest_finite_est:.7g}"),
        ),
        right=frozenset({1}),
    )


def renyi_payload(
    report: RenyiReport | None, infinite: InfiniteKappa | None, simulation: KappaSimulation | None
) -> dict[str, Any]:
    body: dict[str, Any] = {}
    if report is not None:
        body["kappa"] = "infinity" if report.kappa is None else _exact(report.kappa)
        body["points"] = report.points
        body["total_variation"] = _exact(report.total_variation)
        body["least_ratio"] = _exact(report.least_ratio)
        body["bounds"] = {
            "direct": _exact(report.direct_bound),
            "ratio": _exact(report.ratio_bound),
            "through": json_enclosure(report.through_bound),
        }
        body["infinite_at"] = report.infinite_at
    if infinite is not None:
        body["probability_infinite"] = {
            "lower": json_enclosure(infinite.lower),
            "upper": json_enclosure(infinite.upper),
            "exact": infinite.exact,
            "method": infinite.method,
        }
    if simulation is not None:
        body["simulation"] = {
            name: (str(value) if value == float("inf") else value) for name, value in asdict(simulation).items()
        }
    return body


def _exact(value: Fraction | None) -> dict[str, str] | None:
    return None if value is None else json_enclosure(Enclosure.of(value))
