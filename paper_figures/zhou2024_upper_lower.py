"""Theorem 4.1 of zhou2024: the upper and the lower half over ln n, in all editions."""

from __future__ import annotations

from math import ceil
from typing import Any

import synthbounds as sb
from paper_figures import style
from paper_figures.figure import Figure

QUERY_CONSTANT = 1
"""The constant c of Theorem B.3, which is not known; the corrected edition says nothing for c below 1."""
EDITIONS = ("printed", "corrected", "sharp")
TRIVIAL = 2
"""The most that a loss with slope 2 on [-1, 1] allows, without the terms in gamma."""


def compute(steps: int = 31) -> dict[str, Any]:
    """From ln n = 10 to 10^7, evenly in the logarithm."""
    places = [ceil(10 ** (1 + 6 * i / (steps - 1))) for i in range(steps)]
    reports = [sb.query_lower_bound(log_n=x, query_constant=QUERY_CONSTANT) for x in places]
    report = sb.query_lower_bound(query_constant=QUERY_CONSTANT)
    return {
        "log_n": places,
        "upper": {edition: [_least(r.upper, edition) for r in reports] for edition in EDITIONS},
        "lower": {edition: [_largest(r.lower, edition) for r in reports] for edition in EDITIONS},
        "thresholds": {
            joint.edition: None if joint.threshold is None else float(joint.threshold.hi) for joint in report.joint
        },
    }


def _values(rows: Any, edition: str) -> list[Any]:
    return [row.value for row in rows if row.edition == edition and row.value is not None]


def _least(rows: Any, edition: str) -> float | None:
    return min((float(value.hi) for value in _values(rows, edition)), default=None)


def _largest(rows: Any, edition: str) -> float | None:
    return max((float(value.lo) for value in _values(rows, edition)), default=None)


def draw(data: dict[str, Any], figure: Any) -> None:
    axes = figure.subplots()
    looks = {"printed": style.paper(line=True) | {"marker": "x", "markersize": 5}, "corrected": style.series(1)}
    looks["sharp"] = style.series(0)
    for half in ("upper", "lower"):
        for edition in EDITIONS:
            values = data[half][edition]
            points = [(x, y) for x, y in zip(data["log_n"], values, strict=True) if y is not None]
            same = half == "upper" and edition == "corrected" and values == data[half]["printed"]
            if not points or same:
                continue
            also = " and corrected" if edition == "printed" and data[half]["corrected"] == values else ""
            axes.plot(*zip(*points, strict=True), **looks[edition], markevery=2, label=f"{half} half, {edition}{also}")
    axes.axhline(TRIVIAL, color=style.GREY, linewidth=1, linestyle=":")
    axes.text(data["log_n"][0] * 1.15, TRIVIAL * 1.9, "trivial: 2", fontsize=8, color=style.GREY)
    axes.axvspan(data["log_n"][0] * 0.85, 50, color="#eeeeee", zorder=0)
    axes.text(11.5, 1e-22, "grey: fewer than\n$5\\times10^{21}$ records", fontsize=8, color=style.GREY)
    axes.set(xscale="log", yscale="log", xlabel="ln n, for n records", ylabel="excess risk")
    axes.set_xlim(data["log_n"][0] * 0.85, data["log_n"][-1] * 1.2)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))


FIGURE = Figure(
    name="zhou2024-upper-lower",
    title="Upper and lower bounds on excess risk stay far apart",
    source="zhou2024, Theorem 4.1",
    caption=(
        "The loss is that of the lower bound, the order of the marginals that of Definition B.1, c = 1. Crosses: the "
        "explicit constants that the paper's proofs give, whether or not their conditions hold; the other curves begin "
        "where the conditions do."
    ),
    compute=compute,
    draw=draw,
    size=(8.2, 4.4),
)
