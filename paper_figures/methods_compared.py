"""Every method that makes tables, over epsilon: how close pairs of columns are, and what models lose on them."""

from __future__ import annotations

import statistics
from functools import cache
from typing import Any

from paper_figures import style
from paper_figures._recorded import recorded_runs
from paper_figures.figure import Figure

TABLES = ("adult-raw", "compas-raw", "adult", "dutch", "law", "churn", "compas", "heart")
METHODS = ("moments", "aim", "tree", "mst", "gen", "independent")
EPSILONS = ("0.25", "0.5", "1", "2", "4")
LEAST_LOSS = 0.001
AUCS = ("logistic_auc", "trees_auc")

Means = dict[tuple[str, str, bool, str | None], dict[str, float]]


@cache
def means() -> Means:
    """Means over draws by table, method, whether it was told the label, and epsilon; refused runs are left out."""
    lines = [line for line in recorded_runs("tables") if "refused" not in line]
    real = {(line["table"], line["draw"]): line for line in lines if line["method"] == "real"}
    runs: dict[tuple[str, str, bool, str | None], list[dict[str, Any]]] = {}
    for line in lines:
        best = real[line["table"], line["draw"]]
        lost = statistics.fmean(best[name] - line[name] for name in AUCS)
        key = (line["table"], line["method"], line["label"], line["epsilon"])
        runs.setdefault(key, []).append(line | {"auc_lost": lost})
    return {key: _mean(found) for key, found in runs.items()}


@cache
def refused() -> dict[tuple[str, str, str], str]:
    """Why a method made no table, by table, method and epsilon."""
    lines = recorded_runs("tables")
    return {(line["table"], line["method"], line["epsilon"]): line["refused"] for line in lines if "refused" in line}


@cache
def versions() -> tuple[str, ...]:
    """Of the other projects that were run."""
    return tuple(sorted({line["versions"] for line in recorded_runs("tables") if "versions" in line}))


def _mean(lines: list[dict[str, Any]]) -> dict[str, float]:
    """`auc_lost` is the area that models of the same split have more on real rows, mean over both learners."""
    names = [name for name, value in lines[0].items() if type(value) in (int, float) and name != "draw"]
    return {name: statistics.fmean(line[name] for line in lines) for name in names} | {"draws": len(lines)}


def compute() -> dict[str, Any]:
    known, tables = means(), {}
    for table in TABLES:
        curves = {}
        for method in METHODS:
            points = [(e, known[table, method, True, e]) for e in EPSILONS if (table, method, True, e) in known]
            if points:
                curves[method] = {
                    "epsilon": [float(epsilon) for epsilon, _ in points],
                    "pairs": [float(f"{found['pairs']:.4g}") for _, found in points],
                    "auc_lost": [round(found["auc_lost"], 4) for _, found in points],
                }
        real = known[table, "real", True, None]
        tables[table] = {"n": int(real["n"]), "columns": int(real["columns"]), "methods": curves}
    return {"epsilon": [float(e) for e in EPSILONS], "tables": tables}


def draw(data: dict[str, Any], figure: Any) -> None:
    panels = figure.subplots(4, 4, sharex=True)
    for place, (name, table) in enumerate(data["tables"].items()):
        row, column = divmod(place, 4)
        for axes, what in ((panels[row, column], "pairs"), (panels[row + 2, column], "auc_lost")):
            for number, method in enumerate(METHODS):
                if method in table["methods"]:
                    curve = table["methods"][method]
                    values = [max(value, LEAST_LOSS) if what == "auc_lost" else value for value in curve[what]]
                    axes.plot(curve["epsilon"], values, **style.series(number), label=method)
            axes.set(xscale="log", yscale="log", title=f"{name.replace('-', ', ').capitalize()}, n = {table['n']:,}")
            axes.set_xticks(data["epsilon"], labels=[f"{e:g}" for e in data["epsilon"]])
            axes.set_xticks([], minor=True)
            style.plain_ticks(axes.yaxis)
    for row, words in enumerate(("distance of pairs", "distance of pairs", "area lost", "area lost")):
        panels[row, 0].set_ylabel(words)
    for axes in panels[-1]:
        axes.set_xlabel("epsilon")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(METHODS))


FIGURE = Figure(
    name="methods-compared",
    title="Private tables by every method",
    source="ours; the tables are those of zhou2024's experiments, two of them also raw",
    caption=(
        "Above: total variation distance of pairs of columns to the training records, mean over pairs. Below: loss of "
        "area under the curve on test records when models are trained on the synthetic table, mean of logistic "
        f"regression and boosted trees; values below {LEAST_LOSS} are drawn there. Replace-one, delta = 1/n^2, "
        "simulated noise, means over draws; `moments` and `tree` know the label."
    ),
    compute=compute,
    draw=draw,
    size=(11.0, 9.5),
)
