"""Required n, m and k with a private histogram, Corollary III.1.1 of bojkovic2024, in three editions."""

from __future__ import annotations

from typing import Any

from paper_figures._required import draw_required, required
from paper_figures.figure import Figure


def compute() -> dict[str, Any]:
    return required("bojkovic2024.histogram-uniform")


FIGURE = Figure(
    name="bojkovic2024-required-histogram",
    title="Sizes that suffice, private histogram",
    source="Corollary III.1.1 of bojkovic2024",
    caption="Uniform records, marginals of up to two of p attributes with two values. Parameters that do not vary: p = "
    "10, epsilon = 0.2, delta = 0.05; gamma = 0.05. The proof of the printed edition fails. Printed and corrected "
    "spend 2 epsilon and fail with 3 gamma (printed, plus a term left open) and 6 gamma; sharp spends "
    "epsilon, fails with 4 gamma and takes every point once. Lines are floating-point sweeps, marks certified "
    "answers; the dashed line is for the promise of the sharp edition.",
    compute=compute,
    draw=draw_required,
    size=(8.0, 6.4),
)
