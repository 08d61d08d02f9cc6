"""Information projection of wang2023 on a small example: the tilt of Theorem 1, its dual, and where there is none."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from paper_figures import style
from paper_figures.figure import Figure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CELLS = tuple(product((0, 1), repeat=3))
REAL = (0.28, 0.10, 0.06, 0.12, 0.05, 0.06, 0.09, 0.24)
SYNTHETIC = (0.16, 0.14, 0.12, 0.10, 0.13, 0.11, 0.09, 0.15)
PAIRS = ((0, 1), (0, 2), (1, 2))
"""The utility measures are the shares of records that have a 1 in both features."""
GAMMAS = (0.0, 0.005, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.12)
SHOWN = 0.02


def queries() -> Floats:
    return np.array([[cell[i] * cell[j] for cell in CELLS] for i, j in PAIRS], dtype=float)


def tilt(base: Floats, values: Floats, answers: Floats, parameters: Floats) -> Floats:
    """(4): the base with weights exp(-sum_k lambda_k (q_k - a_k)), normalised."""
    raw = base * np.exp(-parameters @ (values - answers[:, None]))
    return np.asarray(raw / raw.sum())


def dual(base: Floats, values: Floats, answers: Floats, gamma: float, parameters: Floats) -> float:
    """(5), to be minimised."""
    total = base @ np.exp(-parameters @ (values - answers[:, None]))
    return float(np.log(total) + gamma * np.abs(parameters).sum())


def projected(base: Floats, values: Floats, answers: Floats, gamma: float) -> tuple[Floats, Floats]:
    """Parameters and tilt: proximal gradient on (5) with step sizes that are safe for queries in [0, 1]."""
    parameters = np.zeros(len(answers))
    step = 1.0 / (0.25 * len(answers))  # the Hessian is a covariance of that many numbers in [0, 1]
    for _ in range(20_000):
        residual = values @ tilt(base, values, answers, parameters) - answers
        moved = parameters + step * residual
        new = np.sign(moved) * np.maximum(np.abs(moved) - step * gamma, 0)
        if np.abs(new - parameters).max() < 1e-14:
            break
        parameters = new
    return parameters, tilt(base, values, answers, parameters)


def divergence(p: Floats, base: Floats) -> float:
    return float(np.sum(p * np.log(p / base)))


def compute() -> dict[str, Any]:
    base, real, values = np.array(SYNTHETIC), np.array(REAL), queries()
    answers = values @ real
    path = []
    for gamma in GAMMAS:
        parameters, post = projected(base, values, answers, gamma)
        path.append({
            "gamma": gamma, "lambda": parameters.tolist(), "tilt": post.tolist(),
            "residual": (values @ post - answers).tolist(), "divergence": divergence(post, base),
            "dual": -dual(base, values, answers, gamma, parameters),
        })  # fmt: skip
    # two points, answer a for the second: (5) is log((e^(lambda a) + e^(-lambda (1-a)))/2)
    places = np.linspace(-8, 2, 101)
    half, second = np.array([0.5, 0.5]), np.array([[0.0, 1.0]])
    boundary = {
        str(a): [dual(half, second, np.array([a]), 0.0, np.array([place])) for place in places] for a in (0.7, 0.9, 1.0)
    }
    return {
        "real": list(REAL), "synthetic": list(SYNTHETIC), "answers": answers.tolist(),
        "before": (values @ base - answers).tolist(), "path": path,
        "boundary": {"lambda": places.tolist(), **boundary},
    }  # fmt: skip


def draw_figure(data: dict[str, Any], figure: Any) -> None:
    left, middle, right = figure.subplots(1, 3, width_ratios=(1.25, 1, 1))
    chosen = next(one for one in data["path"] if one["gamma"] == SHOWN)
    names = ["".join(map(str, cell)) for cell in CELLS]
    bars = (
        ("synthetic", data["synthetic"], {"color": style.SKY}),
        ("tilted", chosen["tilt"], {"color": style.BLUE}),
        ("real", data["real"], {"color": "white", "edgecolor": style.BLACK, "hatch": "////"}),
    )
    for place, (text, shares, look) in enumerate(bars):
        left.bar(np.arange(len(CELLS)) + (place - 1) * 0.27, shares, 0.25, label=text, **look)
    left.set_xticks(range(len(CELLS)), names)
    left.set_xlabel("record (three features)")
    left.set_ylabel("share of records")
    left.set_title(f"the tilt at gamma = {SHOWN}", loc="left")
    left.grid(axis="x", visible=False)
    left.set_ylim(0, 0.33)
    left.legend(loc="upper center", ncols=3, handlelength=1.6)

    xs = [one["gamma"] for one in data["path"]]
    for k, (i, j) in enumerate(PAIRS):
        middle.plot(
            xs, [one["lambda"][k] for one in data["path"]], **style.series(k), label=f"features {i + 1} and {j + 1}"
        )
    middle.axhline(0, color=style.GREY, linewidth=0.8)
    middle.set_xlabel("tolerance gamma")
    middle.set_ylabel("lambda")
    middle.set_title("parameters of the tilt", loc="left")
    middle.legend(loc="lower right")

    for place, (a, curve) in enumerate((a, c) for a, c in data["boundary"].items() if a != "lambda"):
        look = style.series(place, marker=False)
        right.plot(data["boundary"]["lambda"], curve, **look, label=f"a = {float(a):g}")
        if float(a) < 1:
            best = int(np.argmin(curve))
            right.plot(
                data["boundary"]["lambda"][best], curve[best], marker=style.series(place)["marker"], color=look["color"]
            )
    right.axhline(-np.log(2), color=style.GREY, linewidth=0.8, linestyle=(0, (2, 2)))
    right.text(2, -np.log(2) - 0.13, "-log 2, never reached", ha="right", fontsize=7.5, color=style.GREY)
    right.set_xlabel("lambda")
    right.set_ylabel("dual objective (5)")
    right.set_title("two points, gamma = 0", loc="left")
    right.set_ylim(-0.9, 1.9)
    right.legend(loc="upper center")


FIGURE = Figure(
    name="wang2023-tilting",
    title="Projecting synthetic data onto given answers",
    source="Theorem 1 of wang2023; the examples are ours",
    caption="Left: synthetic rows get weights so that the shares with a 1 in both of two features come within "
    "gamma of the real ones; nothing else is required, and 000 moves away. Middle: a larger tolerance tilts "
    "less. Right: the answer a = 1 is feasible, but only at the edge: the dual falls forever, and no finite "
    "tilt is the projection. Theorem 1 needs a feasible point that is positive on all synthetic rows.",
    compute=compute,
    draw=draw_figure,
    size=(11.0, 4.4),
)
