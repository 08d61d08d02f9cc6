"""The comparison of Figures 2 to 4 of vietri2022, on other tables and by our implementation: errors, scores, time."""

from __future__ import annotations

from typing import Any

from paper_figures import style
from paper_figures._vietri2022_runs import EPSILONS, SHOWN, TITLES, mean, runs, standard_error
from paper_figures.figure import Figure

SCORES = {
    "mixed_mean": "mixed marginals:\nmean error",
    "thresholds_mean": "thresholds:\nmean error",
    "tables_l1": "tables of two categories\nand the label: L1",
    "macro_f1": "macro F1 of\nlogistic regression",
    "auc": "area under the curve of\nlogistic regression",
    "cpu_s": "CPU seconds",
}
OF_MODELS = ("macro_f1", "auc")
_LOOKS = {"0.1": (style.RED, "s", 0.17), "1": (style.BLUE, "o", -0.17)}


def compute() -> dict[str, Any]:
    tables = {}
    for table in TITLES:
        real = {score: mean("real", table, None, score) for score in OF_MODELS}
        methods = {
            name: {epsilon: _point(name, table, epsilon) for epsilon in EPSILONS if runs(name, table, epsilon)}
            for name in SHOWN
        }
        tables[table] = {"n": runs("real", table, None)[0]["n"], "real_est": real, "methods": methods}
    return {"tables": tables}


def _point(name: str, table: str, epsilon: str) -> dict[str, Any]:
    means = {f"{score}_est": mean(name, table, epsilon, score) for score in SCORES}
    spread = {f"{score}_standard_error_est": standard_error(name, table, epsilon, score) for score in SCORES}
    return {"sets": len(runs(name, table, epsilon))} | means | spread


def draw(data: dict[str, Any], figure: Any) -> None:
    panels = figure.subplots(len(SCORES), len(TITLES), sharex="row", sharey=True)
    for column, (table, found) in enumerate(data["tables"].items()):
        panels[0, column].set_title(f"{TITLES[table]}, n = {found['n']:,}")
        for axes, score in zip(panels[:, column], SCORES, strict=True):
            _panel(axes, found, score)
    for axes, words in zip(panels[:, 0], SCORES.values(), strict=True):
        axes.set_ylabel(words)
    handles, labels = panels[3, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))


def _panel(axes: Any, found: dict[str, Any], score: str) -> None:
    """One line per method, one marker for each epsilon."""
    for epsilon, (colour, marker, shift) in _LOOKS.items():
        there = [(place, of[epsilon]) for place, of in enumerate(found["methods"].values()) if epsilon in of]
        axes.errorbar(
            [point[f"{score}_est"] for _, point in there],
            [place - shift for place, _ in there],
            xerr=[point[f"{score}_standard_error_est"] for _, point in there],
            color=colour,
            marker=marker,
            linestyle="none",
            label=f"epsilon = {epsilon}",
        )
    if score in OF_MODELS:
        axes.axvline(found["real_est"][score], color=style.BLACK, linestyle=":", linewidth=1.2, label="real rows")
    else:
        axes.set_xscale("log")
        style.plain_ticks(axes.xaxis)
    axes.set_yticks(range(len(SHOWN)), labels=list(SHOWN.values()))
    axes.set_ylim(len(SHOWN) - 0.5, -0.5)


FIGURE = Figure(
    name="vietri2022-comparison",
    title="RAP++ and other private tables",
    source="comparison of vietri2022, Figures 2 to 4, on other tables; recorded runs of verify.experiments",
    caption=(
        "Replace-one, delta = 1/n^2, simulated noise, all methods by our implementation; means over three splits, one "
        "for RAP++ with the paper's rounds, with standard errors. Errors of shares, over 2,000 mixed marginals of two "
        "numbers and 2,000 thresholds, each by the label, which no method measured; L1 distances, mean over tables. "
        "Models are trained on the synthetic rows and tested on real records. At epsilon 1 RAP and RAP++ always have "
        "the paper's rounds. The tables replace those of Folktables."
    ),
    compute=compute,
    draw=draw,
    size=(13.0, 12.5),
)
