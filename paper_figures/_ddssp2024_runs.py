"""Recorded runs of the experiments of ddssp2024: means over sets, and the curves over epsilon that the figures draw."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any

from paper_figures import style
from paper_figures.figure import NotRun
from verify.experiments.recorded import runs_by
from verify.regression_tables import NAMES

EPSILONS = ("0.05", "0.1", "0.5", "1", "2", "10")
TITLES = {
    "adult": "Adult: income above 50K",
    "acs_income": "ACSincome: income in 20 bins",
    "acs_employment": "ACSemployment",
    "acs_mobility": "ACSmobility",
}
SCORES = {name: "mean squared error" if name == "acs_income" else "area under the curve" for name in NAMES}
SHOWN = {
    "dd-ssp": "DD-SSP (AIM)",
    "dd-ssp-mst": "DD-SSP (MST)",
    "dd-ssp-mixture": "DD-SSP (AIM, mixture)",
    "aim-synth": "AIM-Synth",
    "mst-synth": "MST-Synth",
    "adassp-printed": "AdaSSP, printed",
    "adassp": "AdaSSP, one budget",
    "objpert-printed": "ObjPert, printed",
    "objpert": "ObjPert, sharp (ours)",
    "dp-sgd": "DP-SGD, fixed settings",
    "ssp-edge": "SSP-edge (ours)",
    "ssp": "SSP, as it is",
}


def runs(method: str, table: str, epsilon: str | None) -> list[dict[str, Any]]:
    """The recorded runs of this kind, by the number of the set; there may be none."""
    return runs_by("ddssp2024", "method", "table", "epsilon").get((method, table, epsilon), [])


def real_score(table: str, key: str = "score") -> float:
    """The score without noise, mean over splits."""
    found = runs("real", table, None)
    if not found:
        raise NotRun(f"verify.experiments.ddssp2024 has recorded no run of real data on {table}: make it in a checkout")
    return statistics.fmean(line[key] for line in found)


def curve(method: str, table: str, key: str = "score") -> dict[str, Any]:
    """Means over sets with their standard errors, at every epsilon at which there are any."""
    points: dict[str, list[Any]] = {"epsilon": [], "mean_est": [], "standard_error_est": [], "sets": []}
    for epsilon in EPSILONS:
        values = [line[key] for line in runs(method, table, epsilon) if line.get(key) is not None]
        if not values:
            continue
        points["epsilon"].append(float(epsilon))
        points["mean_est"].append(statistics.fmean(values))
        spread = statistics.stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0
        points["standard_error_est"].append(spread)
        points["sets"].append(len(values))
    return points


def scores(methods: Iterable[str]) -> dict[str, Any]:
    """By table: the curves of these methods and the scores without noise."""
    found = {}
    for table in NAMES:
        curves = {method: curve(method, table) for method in methods}
        found[table] = {
            "score": SCORES[table],
            "least_squares_est": real_score(table),
            "likelihood_est": None if table == "acs_income" else real_score(table, "likelihood_score"),
            "methods": {method: points for method, points in curves.items() if points["epsilon"]},
        }
    return found


LINES = (
    (style.BLUE, "-", "o"),
    (style.RED, (0, (5, 2)), "s"),
    (style.GREEN, (0, (1, 1.2)), "^"),
    (style.PURPLE, (0, (5, 1.5, 1, 1.5)), "D"),
    (style.ORANGE, (0, (8, 2)), "v"),
    (style.SKY, (0, (3, 1, 1, 1, 1, 1)), "P"),
    (style.GREY, (0, (2, 1)), "X"),
    (style.BLACK, (0, (6, 2, 1, 2)), "*"),
    (style.YELLOW, "-", "h"),
)


def draw_scores(data: dict[str, Any], figure: Any, methods: Sequence[str]) -> None:
    """One panel per table, one line per method, the models without noise as dotted lines."""
    panels = figure.subplots(2, 2, sharex=True).ravel()
    handles: dict[str, Any] = {}
    for axes, (name, found) in zip(panels, data["tables"].items(), strict=True):
        for method, points in found["methods"].items():
            colour, line, marker = LINES[list(methods).index(method)]
            handles[SHOWN[method]] = axes.errorbar(
                points["epsilon"],
                points["mean_est"],
                yerr=points["standard_error_est"],
                capsize=2,
                color=colour,
                linestyle=line,
                marker=marker,
            )
        handles["least squares, no noise"] = axes.axhline(found["least_squares_est"], color=style.GREY, ls=":", lw=1)
        if found["likelihood_est"] is not None:
            likely = axes.axhline(found["likelihood_est"], color=style.BLACK, ls=":", lw=1)
            handles["logistic, no noise"] = likely
        axes.set(xscale="log", title=TITLES[name], ylabel=found["score"])
        axes.set_xticks([float(e) for e in EPSILONS], labels=EPSILONS)
        axes.set_xticks([], minor=True)
        _zoom(axes, found)
    for axes in panels[2:]:
        axes.set_xlabel("epsilon")
    figure.legend(list(handles.values()), list(handles), loc="outside upper center", ncols=4)


def _zoom(axes: Any, found: dict[str, Any]) -> None:
    """Show the differences: a method that is far off at small epsilon leaves the panel."""
    values = [value for points in found["methods"].values() for value in points["mean_est"]]
    best = found["likelihood_est"] or found["least_squares_est"]
    if found["score"].startswith("mean"):
        axes.set_ylim(best - 0.01, min(max(values), 2 * best) + 0.01)
    else:
        axes.set_ylim(max(min(values), best - 0.14) - 0.005, best + 0.008)
