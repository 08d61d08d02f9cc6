"""Figure 1(a) of zhou2024: the polynomial that is called minimax, and the true minimax polynomial."""

from __future__ import annotations

from typing import Any

from paper_figures import _logistic_curves as curves
from paper_figures import style
from paper_figures.figure import Figure
from verify.claims.zhou2024_figure1 import PRINTED, PRINTED_ERROR


def compute() -> dict[str, Any]:
    return {
        "x": curves.xs(),
        "loss": curves.loss(),
        "printed": curves.printed([float(PRINTED.get(k, 0)) for k in range(5)], float(PRINTED_ERROR)),
        "minimax": curves.found("minimax"),
    }


def draw(data: dict[str, Any], figure: Any) -> None:
    left, right = figure.subplots(1, 2)
    x, printed, best = data["x"], data["printed"], data["minimax"]
    left.plot(x, data["loss"], color=style.GREY, linewidth=3.5, alpha=0.5, label="log(1 + exp(-x))")
    left.plot(x, printed["values"], **(style.paper(line=True) | {"marker": ""}), label="printed as minimax")
    left.plot(x, best["values"], **style.series(0, marker=False), label="minimax")
    left.set(xlabel="margin x", ylabel="loss", title="Polynomials of degree 4")
    left.legend(loc="upper right")
    right.axhline(0, color=style.GREY, linewidth=0.8)
    labels = {
        "printed": f"printed: {printed['largest_difference_est']:.4f} (stated {printed['error']:.3f})",
        "minimax": f"minimax: {best['error']:.6f}",
    }
    looks = {"printed": style.paper(line=True) | {"marker": ""}, "minimax": style.series(0, marker=False)}
    for name, look in looks.items():
        right.plot(x, curves.difference(data[name], data), **look, label=labels[name])
    for sign in (-1, 1):
        right.axhline(sign * best["error"], color=style.BLUE, linewidth=0.6, linestyle=":")
    right.set(xlabel="margin x", ylabel="polynomial minus loss", title="Difference, and its largest size")
    right.set_ylim(-0.075, 0.11)
    right.legend(loc="upper center")


FIGURE = Figure(
    name="zhou2024-figure1a",
    title="The printed minimax polynomial of the logistic loss is not minimax",
    source="zhou2024, Figure 1(a)",
    caption=(
        "Black: the polynomial with the coefficients and the error that the paper prints. Blue: the minimax polynomial "
        "of the same degree; its error is certified and a third of the printed one."
    ),
    compute=compute,
    draw=draw,
    size=(8.0, 4.0),
)
