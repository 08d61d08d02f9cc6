"""Figure 1 of vietri2022: annealing and fixed temperatures. The paper prints no numbers."""

from __future__ import annotations

import statistics
from math import sqrt
from typing import Any

from paper_figures import style
from paper_figures.figure import Figure
from verify.experiments.recorded import runs_by

TITLES = {"adult": "Adult", "acs_mobility": "ACSmobility"}
ERRORS = {"max": "largest error", "mean": "mean error"}
ANNEALED = {"once": "annealing, as in Algorithm 1", "passes": "annealing, four passes (ours)"}


def errors(table: str, error: str) -> dict[str, tuple[float, float]]:
    """By schedule: the mean over sets, and its standard error."""
    found = {}
    for (name, schedule), lines in runs_by("vietri2022_annealing", "table", "schedule").items():
        if name == table:
            values = [line[error] for line in lines]
            found[schedule] = (statistics.fmean(values), statistics.stdev(values) / sqrt(len(values)))
    return found


def fixed(table: str, error: str) -> dict[float, tuple[float, float]]:
    """The schedules of one fixed sharpness, by that sharpness."""
    found = errors(table, error)
    return {float(name): found[name] for name in sorted(found.keys() - ANNEALED.keys(), key=float)}


def best_fixed(table: str, error: str) -> float:
    """The sharpness with the least error."""
    found = fixed(table, error)
    return min(found, key=lambda sharpness: found[sharpness][0])


def compute() -> dict[str, Any]:
    tables: dict[str, Any] = {}
    for table in TITLES:
        tables[table] = {}
        for error in ERRORS:
            at, annealed = fixed(table, error), errors(table, error)
            tables[table][error] = {
                "sharpness": list(at),
                "fixed_est": [mean for mean, _ in at.values()],
                "fixed_standard_error_est": [deviation for _, deviation in at.values()],
                **{f"{name}_est": annealed[name][0] for name in ANNEALED},
                **{f"{name}_standard_error_est": annealed[name][1] for name in ANNEALED},
            }
    return {"tables": tables}


def draw(data: dict[str, Any], figure: Any) -> None:
    panels = figure.subplots(2, 2, sharex=True, sharey="col")
    for row, (table, found) in zip(panels, data["tables"].items(), strict=True):
        for axes, (error, words) in zip(row, ERRORS.items(), strict=True):
            curve = found[error]
            axes.errorbar(
                curve["sharpness"],
                curve["fixed_est"],
                yerr=curve["fixed_standard_error_est"],
                capsize=2,
                **style.series(0),
                label="one temperature throughout",
            )
            for place, (name, text) in enumerate(ANNEALED.items(), 1):
                look = style.series(place, marker=False)
                axes.axhline(curve[f"{name}_est"], **look, label=text)
                spread = curve[f"{name}_standard_error_est"]
                axes.axhspan(
                    curve[f"{name}_est"] - spread, curve[f"{name}_est"] + spread, color=look["color"], alpha=0.15, lw=0
                )
            axes.set(xscale="log", yscale="log", title=f"{TITLES[table]}: {words}")
            axes.set_xticks(curve["sharpness"], labels=[f"{s:g}" for s in curve["sharpness"]])
            axes.set_xticks([], minor=True)
        row[0].set_ylabel("error of shares")
    for axes in panels[-1]:
        axes.set_xlabel("inverse temperature sigma")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)


FIGURE = Figure(
    name="vietri2022-figure1",
    title="Annealing and fixed temperatures",
    source="vietri2022, Figure 1, which prints no numbers; recorded runs of verify.experiments.vietri2022_annealing",
    caption=(
        "1,000 random mixed marginals of two numbers and the label, exact answers, 1,000 relaxed rows; means over five "
        "draws of the queries, with standard errors. Every schedule has 440 steps of the same rate, while "
        "Algorithm 1 continues until a gradient is small. On ACSmobility annealing has less error than every fixed "
        "sigma; on Adult sigma = 256 has the lower mean error. The paper uses another table."
    ),
    compute=compute,
    draw=draw,
    size=(8.6, 6.6),
)
