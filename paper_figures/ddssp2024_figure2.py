"""Figure 2 of ddssp2024: quadratics for phi(s) = -log(1 + e^-s) on [-6, 6], with the best one added."""

from __future__ import annotations

from math import ceil, exp, log1p
from typing import Any

import synthbounds as sb
from paper_figures import style
from paper_figures.figure import Figure

RANGE = 6
METHODS = {
    "interpolation": "Chebyshev nodes",
    "chebyshev": "Chebyshev series",
    "minimax": "minimax (none is closer)",
}
PLACES = 241


def phi(s: float) -> float:
    return -log1p(exp(-s)) if s > 0 else s - log1p(exp(s))


def quadratic(method: str, interval: int = RANGE) -> dict[str, Any]:
    """b_0, b_1 and b_2 for phi, which is minus the logistic loss, and the certified largest error, rounded up."""
    found = sb.approximate("logistic", interval=(-interval, interval), degree=2, method=method)
    middle = [-float((c.lo + c.hi) / 2) for c in found.coefficients]
    return {"b": middle, "error": float(found.error.decimal(9)[1])}


def compute(interval: int = RANGE) -> dict[str, Any]:
    places = [interval * (2 * i / (PLACES - 1) - 1) for i in range(PLACES)]
    data: dict[str, Any] = {"range": interval, "s": places, "phi": [phi(s) for s in places], "methods": {}}
    for method in METHODS:
        found = quadratic(method, interval)
        b0, b1, b2 = found["b"]
        data["methods"][method] = found | {"values": [b0 + b1 * s + b2 * s * s for s in places]}
    return data


def draw_figure(data: dict[str, Any], figure: Any) -> None:
    left, right = figure.subplots(1, 2)
    left.plot(data["s"], data["phi"], color=style.BLACK, linewidth=2.2, label="phi(s) = -log(1 + exp(-s))")
    for place, (method, text) in enumerate(METHODS.items()):
        found = data["methods"][method]
        look = style.series(place, marker=False)
        left.plot(data["s"], found["values"], **look, label=text)
        off = [value - true for value, true in zip(found["values"], data["phi"], strict=True)]
        right.plot(
            data["s"], off, **look, label=f"{text.split(' (')[0]}: at most {ceil(1e4 * found['error']) / 1e4:.4f}"
        )
    least = data["methods"]["minimax"]["error"]
    for level in (-least, least):
        right.axhline(level, color=style.GREY, linewidth=0.8, linestyle=(0, (2, 2)))
    left.axvspan(-4, 4, color="#eeeeee", zorder=0)
    right.axvspan(-4, 4, color="#eeeeee", zorder=0)
    left.text(0, -6.2, "most inner products are\nsaid to be here", ha="center", fontsize=7.5, color=style.GREY)
    left.set_ylabel("log-likelihood of one record")
    right.set_ylabel("quadratic minus phi")
    for axes in (left, right):
        axes.set_xlabel("s = y (x . theta)")
        axes.set_xticks([-6, -4, -2, 0, 2, 4, 6])
    left.legend(loc="upper left")
    left.set_ylim(-6.5, 2.6)
    right.set_ylim(-0.31, 0.42)
    right.legend(loc="upper center")


FIGURE = Figure(
    name="ddssp2024-figure2",
    title="Quadratics for the logistic log-likelihood on [-6, 6]",
    source="after Figure 2 of ddssp2024, whose text gives no numbers and does not say which Chebyshev quadratic it is",
    caption="Errors are certified and rounded up. No quadratic is closer than the minimax one, whose error is reached "
    "at -6, 0 and 6 on one side and between them on the other. All three have the linear coefficient 1/2 and "
    "fall before s = 6, although phi grows.",
    compute=compute,
    draw=draw_figure,
    size=(8.6, 4.6),
)
