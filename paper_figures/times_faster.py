"""How many times less CPU time synthbounds takes than common tools, as recorded by the benchmarks."""

from __future__ import annotations

from typing import Any

from paper_figures import style
from paper_figures._recorded import recorded
from paper_figures.figure import Figure

RECORDED = (
    ("lp", "p7_ratio_vs_paper", "a density, p = 7: the paper's own formulation in PuLP"),
    ("lp", "p8_ratio_vs_collapsed_pulp", "a density, p = 8: PuLP without duplicate points"),
    ("pgm", "adult_ratio_vs_mbi_process", "a graphical model of a log, Adult: mbi"),
    ("pgm", "compas_ratio_vs_mbi_process", "a graphical model of a log, Compas: mbi"),
    ("approximation", "ratio_to_sollya", "a minimax polynomial of degree 20: Sollya"),
    ("regression", "sgd_ratio_vs_opacus", "private gradient descent, Adult: Opacus"),
    ("marginals", "ratio_vs_bincount", "all pairs of 15 columns, 10 million records: numpy.bincount"),
    ("rap", "ratio_vs_jax_50", "a step of RAP, 50 rows: JAX"),
)
"""The benchmark, the key of the ratio, and the comparison; `ratio_to_` is our share of the other's time."""


def compute() -> dict[str, Any]:
    ratios = []
    for name, key, text in RECORDED:
        found = recorded(name)
        value = float((found if key in found else found["step"])[key])
        ratios.append({"what": text, "times": float(f"{1 / value if '_to_' in key else value:.3g}")})
    return {"ratios": sorted(ratios, key=lambda one: one["times"])}


def draw(data: dict[str, Any], figure: Any) -> None:
    axes = figure.subplots()
    names, times = [one["what"] for one in data["ratios"]], [one["times"] for one in data["ratios"]]
    axes.barh(range(len(names)), times, color=style.BLUE, height=0.6)
    for place, value in enumerate(times):
        axes.text(value * 1.12, place, f"{value:,.3g}" if value < 1000 else f"{value:,.0f}", va="center", fontsize=8)
    axes.set(xscale="log", xlim=(1, 4 * max(times)), xlabel="times less CPU time", yticks=range(len(names)))
    axes.set_yticklabels(names)
    axes.grid(visible=False, axis="y")
    powers = (1, 10, 100, 1000, 10_000)
    axes.set_xticks(powers, labels=[f"{power:,}" for power in powers])
    axes.set_xticks([], minor=True)


FIGURE = Figure(
    name="times-faster",
    title="CPU time compared with common tools",
    source="ours",
    caption=(
        "Every ratio is of CPU seconds of one run, in which both got the same question. Ours comes with a certificate, "
        "except for counts and for steps of RAP and gradient descent."
    ),
    compute=compute,
    draw=draw,
    size=(8.2, 3.4),
)
