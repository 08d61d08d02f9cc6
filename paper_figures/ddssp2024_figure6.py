"""Figure 6 of ddssp2024: a mixture of products instead of the graphical model. The paper prints no numbers."""

from __future__ import annotations

from typing import Any

from paper_figures._ddssp2024_runs import draw_scores, scores
from paper_figures.figure import Figure

METHODS = ("dd-ssp", "dd-ssp-mixture")


def compute() -> dict[str, Any]:
    return {"tables": scores(METHODS)}


def draw(data: dict[str, Any], figure: Any) -> None:
    draw_scores(data, figure, METHODS)


FIGURE = Figure(
    name="ddssp2024-figure6",
    title="A log of AIM, fitted by a graphical model or a mixture",
    source="ddssp2024, Figure 6, which prints no numbers; recorded runs of verify.experiments.ddssp2024",
    caption=(
        "The same logs of AIM, fitted by the graphical model and by a mixture of 300 products. Means over at most 5 "
        "runs with their standard errors; add-remove, delta 1e-5."
    ),
    compute=compute,
    draw=draw,
    size=(9.0, 7.0),
)
