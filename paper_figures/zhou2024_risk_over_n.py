"""Excess risk of logistic regression over n: the bound of zhou2024 and ours, for 10, 50 and 100 features."""

from __future__ import annotations

from typing import Any

import synthbounds as sb
from paper_figures import style
from paper_figures.figure import Figure

FEATURES = (10, 50, 100)
QUESTION: dict[str, Any] = {"radius": 1, "epsilon": 1, "dp_delta": "1e-6", "failure": "1/1048576"}
CURVES = {
    "printed": ("zhou2024.logistic-private", "printed"),
    "corrected": ("zhou2024.logistic-private", "corrected"),
    "sharp": ("zhou2024.logistic-private", "sharp"),
    "moments": ("synthbounds.noisy-moments", "sharp"),
}


def compute(features: tuple[int, ...] = FEATURES, exponents: tuple[float, ...] = ()) -> dict[str, Any]:
    """Upper ends of the certified bounds; from n = 100 to 10^12."""
    sizes = [round(10**e) for e in exponents or [2 + i / 2 for i in range(21)]]
    found: dict[str, dict[str, list[float | None]]] = {}
    for m in features:
        rows = [_by_theorem(sb.compare_risk(features=m, n=n, **QUESTION)) for n in sizes]
        found[str(m)] = {name: [row.get(key) for row in rows] for name, key in CURVES.items()}
    return {"n": sizes, "trivial": 1.0, "bounds": found}


def _by_theorem(rows: Any) -> dict[tuple[str, str], float]:
    return {(row.theorem, row.edition): float(row.answer.bound.hi) for row in rows if row.answer is not None}


def draw(data: dict[str, Any], figure: Any) -> None:
    panels = figure.subplots(1, len(data["bounds"]), sharey=True, squeeze=False)[0]
    looks = {
        "printed": (style.paper(line=True) | {"markersize": 5}, "zhou2024, as printed"),
        "corrected": (style.series(1), "zhou2024, corrected"),
        "sharp": (style.series(0), "sharp, from marginals"),
        "moments": (style.series(2), "from noisy moments"),
    }
    for axes, (m, curves) in zip(panels, data["bounds"].items(), strict=True):
        for name, (look, label) in looks.items():
            points = [(n, y) for n, y in zip(data["n"], curves[name], strict=True) if y is not None]
            axes.plot(*zip(*points, strict=True), **look, markevery=2, label=label)
        axes.axhline(data["trivial"], color=style.GREY, linewidth=1, label="trivial bound")
        axes.set(xscale="log", yscale="log", xlabel="records n", title=f"{m} features")
        axes.set_xticks([10**e for e in (2, 4, 6, 8, 10, 12)])
    panels[0].set(ylabel="excess risk")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=5)


FIGURE = Figure(
    name="zhou2024-risk-over-n",
    title="How many records a bound on excess risk needs",
    source="zhou2024, Corollary 3.6; the constants are those of its proof",
    caption=(
        "Logistic loss, R = 1, epsilon = 1, delta = 1e-6, failure probability 2^-20, binary features; each bound with "
        "the order of marginals that is best for it. As printed it rests on a step that fails; corrected, it stays "
        "above the trivial bound for all n shown."
    ),
    compute=compute,
    draw=draw,
    size=(9.0, 4.2),
)
