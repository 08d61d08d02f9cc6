"""Figure 3 of ddssp2024: DD-SSP, AIM-Synth and their baselines over epsilon. The paper prints no numbers."""

from __future__ import annotations

from typing import Any

from paper_figures._ddssp2024_runs import draw_scores, scores
from paper_figures.figure import Figure

METHODS = (
    "dd-ssp",
    "aim-synth",
    "adassp-printed",
    "adassp",
    "objpert-printed",
    "objpert",
    "dp-sgd",
    "ssp-edge",
)


def compute() -> dict[str, Any]:
    return {"tables": scores(METHODS)}


def draw(data: dict[str, Any], figure: Any) -> None:
    draw_scores(data, figure, METHODS)


FIGURE = Figure(
    name="ddssp2024-figure3",
    title="Private regression over epsilon",
    source="ddssp2024, Figure 3, which prints no numbers; recorded runs of verify.experiments.ddssp2024",
    caption=(
        "Means over 20 runs, at most 5 with AIM, with their standard errors; add-remove, delta 1e-5. Adult in "
        "five splits, the ACS tables as the authors split them. SSP-edge and sharp objective perturbation are "
        "ours; AIM measures ordered columns of more than 16 codes in 16 public parts. Values far off are cut off."
    ),
    compute=compute,
    draw=draw,
    size=(9.0, 7.6),
)
