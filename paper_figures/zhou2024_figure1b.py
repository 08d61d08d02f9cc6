"""Figure 1(b) of zhou2024: iterated Bernstein polynomials, with the minimax one, and the error over iterations."""

from __future__ import annotations

from typing import Any

import synthbounds as sb
from paper_figures import _logistic_curves as curves
from paper_figures import style
from paper_figures.figure import Figure
from verify.claims.zhou2024_figure1_iterated import PRINTED

MOST_ITERATIONS = 40


def compute(most: int = MOST_ITERATIONS) -> dict[str, Any]:
    return {
        "x": curves.xs(),
        "loss": curves.loss(),
        "iterated": {str(h): curves.found(f"iterated:{h}") for h in PRINTED},
        "printed": {str(h): {name: float(text) for name, text in row.items()} for h, row in PRINTED.items()},
        "minimax": curves.found("minimax"),
        "iterations": list(range(1, most + 1)),
        "errors": [_error(f"iterated:{h}") for h in range(1, most + 1)],
        "limit": _error("iterated:inf"),
    }


def _error(method: str) -> float:
    return float(sb.approximate("logistic", interval=(-curves.RADIUS, curves.RADIUS), degree=4, method=method).error.hi)


def draw(data: dict[str, Any], figure: Any) -> None:
    left, right = figure.subplots(1, 2)
    for place, (name, entry) in enumerate(data["iterated"].items(), start=1):
        times = "1 iteration (Bernstein)" if name == "1" else f"{name} iterations"
        left.plot(data["x"], curves.difference(entry, data), **style.series(place, marker=False), label=times)
    left.plot(data["x"], curves.difference(data["minimax"], data), **style.series(0, marker=False), label="minimax")
    left.axhline(0, color=style.GREY, linewidth=0.8)
    at_zero = [row["c0"] - data["loss"][len(data["x"]) // 2] for row in data["printed"].values()]
    left.plot([0] * len(at_zero), at_zero, **style.paper(), label="printed, at x = 0")
    left.set(xlabel="margin x", ylabel="polynomial minus loss", title="Polynomials of degree 4")
    left.set_ylim(-0.13, 0.92)
    left.legend(loc="upper right", ncols=2)
    right.plot(data["iterations"], data["errors"], **style.series(1), label="iterated Bernstein")
    printed = {int(name): row["error"] for name, row in data["printed"].items()}
    right.plot(list(printed), list(printed.values()), **style.paper(), label="printed")
    right.axhline(data["limit"], color=style.ORANGE, linestyle=(0, (8, 2)), label=f"limit: {data['limit']:.4f}")
    least = data["minimax"]["error"]
    right.axhline(least, color=style.BLUE, label=f"minimax: {least:.4f}")
    best = min(range(len(data["errors"])), key=data["errors"].__getitem__)
    right.annotate(
        f"best: {data['errors'][best]:.4f}\nafter {data['iterations'][best]} iterations",
        (data["iterations"][best], data["errors"][best]),
        (data["iterations"][best] - 4, 0.13),
        arrowprops={"arrowstyle": "->", "color": style.GREY},
        fontsize=8,
    )
    right.set_yscale("log")
    right.set_yticks([0.02, 0.05, 0.1, 0.2, 0.5], labels=["0.02", "0.05", "0.1", "0.2", "0.5"])
    right.set_yticks([], minor=True)
    right.set(xlabel="iterations", ylabel="largest error on [-5, 5]", title="More iterations help up to a point")
    right.legend(loc="upper right")


FIGURE = Figure(
    name="zhou2024-figure1b",
    title="Iterated Bernstein polynomials never reach the minimax error",
    source="zhou2024, Figure 1(b)",
    caption=(
        "Crosses: the printed values, all of which are reproduced: constant coefficients left, errors right. "
        "Lines: the same polynomials and the minimax one, with certified errors."
    ),
    compute=compute,
    draw=draw,
    size=(8.6, 4.2),
)
