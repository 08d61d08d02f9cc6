"""The optimal certificate of excess risk and those of other polynomials, over the degree and over R."""

from __future__ import annotations

from typing import Any

import synthbounds as sb
from bounds.exact import Exact
from paper_figures import style
from paper_figures.figure import Figure

METHODS = {
    "bernstein": "Bernstein (zhou2024)",
    "iterated:9": "Bernstein, 9 iterations",
    "chebyshev": "Chebyshev",
    "minimax": "minimax",
    "optimal": "optimal",
}
FEATURES = 20
MARGINAL_ERROR = "0.01"
RADII = (1, 5, 20)
DEGREES = (2, 4, 6, 8, 10, 12, 14, 16)
OVER_RADIUS = ("0.5", "1", "2", "3", "5", "7", "10", "14", "20", "28", "40")
DEGREE_OVER_RADIUS = 8


def compute(
    radii: tuple[int, ...] = RADII,
    degrees: tuple[int, ...] = DEGREES,
    over_radius: tuple[str, ...] = OVER_RADIUS,
) -> dict[str, Any]:
    return {
        "marginal_error": float(MARGINAL_ERROR),
        "degrees": list(degrees),
        "over_degree": {str(r): {name: [_bound(r, d, name) for d in degrees] for name in METHODS} for r in radii},
        "degree": DEGREE_OVER_RADIUS,
        "radii": [float(r) for r in over_radius],
        "over_radius": {name: [_bound(r, DEGREE_OVER_RADIUS, name) for r in over_radius] for name in METHODS},
    }


def _bound(radius: Exact, degree: int, method: str) -> float:
    """With marginals of even order the degree is the order."""
    found = sb.risk(
        features=FEATURES, radius=radius, marginals=degree, marginal_error=MARGINAL_ERROR, approximation=method
    )
    return float(found.bound.hi)


_LOOKS = {"bernstein": 4, "iterated:9": 3, "chebyshev": 2, "minimax": 1, "optimal": 0}


def draw(data: dict[str, Any], figure: Any) -> None:
    panels = figure.subplots(1, len(data["over_degree"]) + 1)
    for axes, (radius, curves) in zip(panels, data["over_degree"].items(), strict=False):
        for name, label in METHODS.items():
            axes.plot(data["degrees"], curves[name], **style.series(_LOOKS[name]), label=label)
        axes.axhline(float(radius), color=style.GREY, linewidth=1)
        axes.set(yscale="log", xlabel="degree", title=f"R = {radius}")
        style.plain_ticks(axes.yaxis)
        axes.set_xticks(data["degrees"][1::2])
    last = panels[-1]
    for name in METHODS:
        last.plot(data["radii"], data["over_radius"][name], **style.series(_LOOKS[name]))
    last.plot(data["radii"], data["radii"], color=style.GREY, linewidth=1, label="trivial bound R")
    last.set(xscale="log", yscale="log", xlabel="R", title=f"degree {data['degree']}")
    style.plain_ticks(last.xaxis)
    panels[0].set_ylabel("bound on excess risk")
    handles, labels = panels[0].get_legend_handles_labels()
    more = last.get_legend_handles_labels()
    figure.legend(handles + more[0], labels + more[1], loc="outside upper center", ncols=6)


FIGURE = Figure(
    name="zhou2024-optimal-certificate",
    title="The polynomial that is best for the bound is not the one of least error",
    source="the route of zhou2024, Theorem 3.2, with other polynomials",
    caption=(
        "Bound 2 osc(P - phi) + 2 s S(P) for the logistic loss, marginals within s = 0.01. The optimal polynomial "
        "minimises the whole bound, so it never gets worse with the degree; minimax and Chebyshev do if R is large. "
        "No curve is drawn above the trivial bound."
    ),
    compute=compute,
    draw=draw,
    size=(10.5, 3.9),
)
