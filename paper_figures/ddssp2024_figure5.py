"""Figure 5 of ddssp2024: tables by MST instead of AIM. The paper prints no numbers."""

from __future__ import annotations

from typing import Any

from paper_figures._ddssp2024_runs import draw_scores, scores
from paper_figures.figure import Figure

METHODS = ("dd-ssp", "dd-ssp-mst", "aim-synth", "mst-synth")


def compute() -> dict[str, Any]:
    return {"tables": scores(METHODS)}


def draw(data: dict[str, Any], figure: Any) -> None:
    draw_scores(data, figure, METHODS)


FIGURE = Figure(
    name="ddssp2024-figure5",
    title="Marginals by AIM or MST",
    source="ddssp2024, Figure 5, which prints no numbers; recorded runs of verify.experiments.ddssp2024",
    caption=(
        "Means over at most 5 runs with their standard errors; add-remove, delta 1e-5. AIM measures ordered columns of "
        "more than 16 codes in 16 public parts; MST merges codes that are rare in its own noisy tables."
    ),
    compute=compute,
    draw=draw,
    size=(9.0, 7.2),
)
