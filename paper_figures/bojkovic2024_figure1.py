"""Figure 1 of bojkovic2024: time of the linear programme over p, by the paper's formulation and by ours."""

from __future__ import annotations

from typing import Any

from paper_figures import style
from paper_figures._recorded import recorded
from paper_figures.figure import Figure
from verify.experiments.bojkovic2024 import MEASURES, cpu_seconds, draw, experiment

DIMENSIONS = tuple(range(2, 11))
PAPER_UP_TO = {"uniform": 6, "histogram": 10}
"""The largest p at which the paper's model is built here; with uniform sampling p = 7 takes a quarter of a minute."""
LARGE = (20, 24, 26)


def compute(dimensions: tuple[int, ...] = DIMENSIONS) -> dict[str, Any]:
    small = experiment(2, "uniform")
    cpu_seconds(small, draw(small, run=0), with_paper=True)  # imports are not measured
    found: dict[str, Any] = {}
    for measure in MEASURES:
        rows = []
        for p in dimensions:
            asked = experiment(p, measure)
            seconds = cpu_seconds(asked, draw(asked, run=0), with_paper=p <= PAPER_UP_TO[measure])
            rows.append({"p": p, "n": asked.n, "m": asked.m, "queries": asked.queries, **seconds})
        found[measure] = rows
    known = recorded("lp")
    found["recorded"] = {
        "paper": [[7, known["p7_paper_cpu_s"]]],
        "ours": [[7, known["p7_cpu_s"]], [8, known["p8_cpu_s"]], *([p, known[f"p{p}_cpu_s"]] for p in LARGE)],
        "ratio_at_p7": known["p7_ratio_vs_paper"],
        "ratio_at_p7_from_samples": known["p7_ratio_vs_paper_from_its_samples"],
    }
    return found


def points(rows: list[dict[str, Any]], name: str) -> tuple[list[int], list[float]]:
    """p and seconds, for every p that was measured."""
    kept = [row for row in rows if row[name] is not None]
    return [row["p"] for row in kept], [row[name] for row in kept]


def draw_figure(data: dict[str, Any], figure: Any) -> None:
    axes = figure.subplots()
    labels = {
        ("uniform", "paper"): "uniform sampling, the paper's model (PuLP, CBC)",
        ("histogram", "paper"): "private histogram, the paper's model (PuLP, CBC)",
        ("uniform", "ours"): "every point once, ours with certificate",
        ("histogram", "ours"): "histogram's distinct points, ours with certificate",
    }
    for place, (measure, name) in enumerate(labels):
        axes.plot(*points(data[measure], name), **style.series(place), label=labels[measure, name])
    known = data["recorded"]
    hollow = {"linestyle": "none", "markerfacecolor": "white", "markersize": 7, "markeredgewidth": 1.3, "zorder": 6}
    axes.plot(
        *zip(*known["paper"], strict=True), **style.series(0) | hollow, label="the paper's model, uniform, recorded"
    )
    axes.plot(*zip(*known["ours"], strict=True), **style.series(2) | hollow, label="ours, every point once, recorded")
    ratios = f"{known['ratio_at_p7']:,} times\n({known['ratio_at_p7_from_samples']:,} from its own samples)"
    axes.text(7.2, 0.9, ratios, fontsize=8)
    axes.annotate(
        "", xy=(7, known["ours"][0][1] * 1.6), xytext=(7, known["paper"][0][1] / 1.6),
        arrowprops={"arrowstyle": "<->", "color": style.GREY, "linewidth": 0.8},
    )  # fmt: skip
    axes.set_yscale("log")
    axes.set_xlabel("attributes p (two values each; 2^p points of the domain)")
    axes.set_ylabel("CPU time [s]")
    axes.set_xticks([2, 4, 6, 8, 10, 15, 20, 24, 26])
    axes.set_ylim(top=3000)
    axes.legend(loc="upper right", ncols=1)


FIGURE = Figure(
    name="bojkovic2024-figure1",
    title="Time of the linear programme",
    source="after Figure 1 of bojkovic2024, whose text gives no numbers",
    caption="Marginals of up to two attributes of uniform records, epsilon = 0.2, delta = 0.5, gamma = 0.25, n and m "
    "as printed. The paper's model has one variable for every sampled point, duplicates included; with uniform "
    "points it was built up to p = 6 here. Its optimum and ours agree. Hollow marks were recorded by "
    "benchmarks.lp; p = 20 to 26 are the slowest of three kinds of data.",
    compute=compute,
    draw=draw_figure,
    size=(7.2, 5.0),
)
