"""Table 2 of zhou2024, the column "Real data": printed means and ours over more random splits."""

from __future__ import annotations

import statistics
from math import sqrt
from typing import Any

from paper_figures import style
from paper_figures.figure import Figure
from verify.claims.zhou2024_table2 import PRINTED_SPLITS, WORDS, real, splits
from verify.experiments.statistics import standard_errors
from verify.experiments.zhou2024_real import SPLITS
from verify.random_splits import METRICS
from verify.real_tables import NAMES


def compute() -> dict[str, Any]:
    rows = []
    for name in NAMES:
        for metric in METRICS:
            values, printed = splits(name, metric), float(real(name, metric))
            rows.append(
                {
                    "table": name.capitalize(),
                    "metric": metric,
                    "printed": printed,
                    "mean_est": statistics.fmean(values),
                    "splits": len(values),
                    "standard_error_est": statistics.stdev(values) * sqrt(1 / PRINTED_SPLITS + 1 / len(values)),
                    "standard_errors_away": standard_errors(printed, values, of=PRINTED_SPLITS),
                }
            )
    return {"rows": rows}


def draw(data: dict[str, Any], figure: Any) -> None:
    panels = figure.subplots(1, len(METRICS), sharey=True)
    names = list(dict.fromkeys(row["table"] for row in data["rows"]))
    for axes, metric in zip(panels, METRICS, strict=True):
        mine = [row for row in data["rows"] if row["metric"] == metric]
        places = [names.index(row["table"]) for row in mine]
        axes.errorbar(
            [row["mean_est"] for row in mine],
            places,
            xerr=[3 * row["standard_error_est"] for row in mine],
            color=style.BLUE,
            linestyle="none",
            marker="o",
            capsize=3,
            label="ours, with 3 standard errors",
        )
        axes.plot([row["printed"] for row in mine], places, **style.paper(), label="printed")
        for row, place in zip(mine, places, strict=True):
            text = f"{row['printed']:.3f} / {row['mean_est']:.3f}"
            axes.annotate(text, (row["mean_est"], place), (0, 8), textcoords="offset points", ha="center", fontsize=7.5)
        axes.set(xlabel=f"mean test {WORDS[metric]}")
        axes.margins(x=0.28)
    panels[0].set_yticks(range(len(names)), labels=names)
    panels[0].set_ylim(len(names) - 0.5, -0.75)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=2)


FIGURE = Figure(
    name="zhou2024-table2",
    title="Logistic regression on the real tables",
    source='zhou2024, Table 2, column "Real data"',
    caption=(
        "Numbers: printed / ours. Crosses: means over ten random splits, as printed. Dots: our means over "
        f"{min(SPLITS.values())} to {max(SPLITS.values())} splits; the bars are "
        "three standard errors of the difference of the two means. They contain every printed "
        "value."
    ),
    compute=compute,
    draw=draw,
    size=(8.6, 4.4),
)
