"""Required n, m and k with a uniform reference measure, Theorem B.1 of bojkovic2024, in three editions."""

from __future__ import annotations

from typing import Any

from paper_figures._required import draw_required, required
from paper_figures.figure import Figure


def compute() -> dict[str, Any]:
    return required("bojkovic2024.uniform")


FIGURE = Figure(
    name="bojkovic2024-required-uniform",
    title="Sizes that suffice, uniform reference points",
    source="Theorem B.1 of bojkovic2024",
    caption="Marginals of up to two of p attributes with two values. Parameters that do not vary: p = 10, epsilon = "
    "0.2, delta = 0.05; gamma = 0.05. Printed and corrected sizes are the same here. Lines are floating-point "
    "sweeps, marks certified answers. Below the thin dashed line no private mechanism keeps the promise.",
    compute=compute,
    draw=draw_required,
    size=(8.0, 6.4),
)
