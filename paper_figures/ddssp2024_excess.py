"""The true and the certified excess risk of the methods of ddssp2024 and of ours, which its scores do not show."""

from __future__ import annotations

from typing import Any

from paper_figures._ddssp2024_runs import EPSILONS, LINES, SHOWN, TITLES, curve
from paper_figures.figure import Figure
from verify.regression_tables import NAMES

METHODS = ("dd-ssp", "aim-synth", "adassp", "objpert", "dp-sgd", "ssp-edge")
CERTIFIED = ("ssp-edge", "adassp", "dd-ssp")


def compute() -> dict[str, Any]:
    found = {}
    for table in NAMES:
        true = {method: curve(method, table, "excess") for method in METHODS}
        certified = {method: curve(method, table, "certified") for method in CERTIFIED}
        found[table] = {
            "true_est": {method: points for method, points in true.items() if points["epsilon"]},
            "certified": {method: points for method, points in certified.items() if points["epsilon"]},
        }
    return {"tables": found}


def draw(data: dict[str, Any], figure: Any) -> None:
    panels = figure.subplots(2, 2, sharex=True).ravel()
    handles: dict[str, Any] = {}
    for axes, (name, found) in zip(panels, data["tables"].items(), strict=True):
        for kind, label in (("true_est", "true"), ("certified", "certified")):
            for method, points in found[kind].items():
                colour, line, marker = LINES[METHODS.index(method)]
                (drawn,) = axes.plot(
                    points["epsilon"],
                    [max(value, 1e-5) for value in points["mean_est"]],
                    color=colour,
                    linestyle=line if kind == "true_est" else "none",
                    marker=marker,
                    markerfacecolor=colour if kind == "true_est" else "white",
                    markersize=4.5 if kind == "true_est" else 7,
                )
                handles[f"{SHOWN[method]}, {label}"] = drawn
        axes.set(xscale="log", yscale="log", title=TITLES[name], ylabel="excess risk")
        axes.set_xticks([float(e) for e in EPSILONS], labels=EPSILONS)
        axes.set_xticks([], minor=True)
    for axes in panels[2:]:
        axes.set_xlabel("epsilon")
    figure.legend(list(handles.values()), list(handles), loc="outside upper center", ncols=4)


FIGURE = Figure(
    name="ddssp2024-excess",
    title="True and certified excess risk of private regression",
    source="ours, for the methods of ddssp2024; recorded runs of verify.experiments.ddssp2024",
    caption=(
        "Excess over the best model of the same norm on the training records: logistic loss, and half the squared "
        "error on ACSincome. Lines: true, an estimate, means over 5 runs. Open marks: certified from the release with "
        "confidence 95 %, of one to three runs; DD-SSP by its log only at epsilon 1. A model of a surrogate stays "
        "away from the best one however small the noise is, which no area under the curve shows."
    ),
    compute=compute,
    draw=draw,
    size=(9.0, 7.6),
)
