"""Whether the error of Figure 2 of zhou2024 explains the risk of Figure 3: by set, across budgets and within one."""

from __future__ import annotations

from typing import Any

from paper_figures import style
from paper_figures._zhou2024_runs import PAPER, by_epsilon
from paper_figures.figure import Figure
from verify.real_tables import NAMES

ENOUGH = 5
"""The fewest tables of one budget from which a correlation within it is computed."""


def compute() -> dict[str, Any]:
    import numpy as np

    found: dict[str, Any] = {}
    for name in NAMES:
        chosen = by_epsilon(name, PAPER)
        points = {e: [[run["error"], run["loss"]] for run in of] for e, of in chosen.items()}
        within = [np.array(p) for p in points.values() if len(p) >= ENOUGH]
        apart = np.vstack([(p - p.mean(axis=0)) / p.std(axis=0) for p in within])
        found[name] = {
            "points": points,
            "correlation_est": float(np.corrcoef(np.vstack(list(points.values())).T)[0, 1]),
            "correlation_within_est": float(np.corrcoef(apart.T)[0, 1]),
        }
    return {"tables": found}


def draw(data: dict[str, Any], figure: Any) -> None:
    panels = figure.subplots(2, 3)
    for axes, (name, found) in zip(panels.flat, data["tables"].items(), strict=True):
        for place, (epsilon, points) in enumerate(found["points"].items()):
            look = style.series(place) | {"linestyle": "none"}
            axes.plot(*zip(*points, strict=True), **look, label=f"epsilon {float(epsilon):g}")
        axes.set_title(
            f"{name.capitalize()}: r = {found['correlation_est']:.2f}, "
            f"within a budget {found['correlation_within_est']:.2f}"
        )
    for axes in panels[-1]:
        axes.set_xlabel("mean error of 4-way tables")
    for axes in panels[:, 0]:
        axes.set_ylabel("empirical risk")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4)


FIGURE = Figure(
    name="zhou2024-error-risk",
    title="The error of tables by AIM, and the risk of models trained on them",
    source="zhou2024, Figures 2 and 3; recorded runs of verify.experiments.zhou2024",
    caption=(
        "Each point is one synthetic table by AIM, in the paper's protocol. The correlation r over all of them comes "
        "largely from the budget, which moves both numbers. Within a budget: the same correlation after error and risk "
        f"are scaled to mean 0 and deviation 1 for each epsilon that has at least {ENOUGH} tables."
    ),
    compute=compute,
    draw=draw,
    size=(9.4, 6.0),
)
