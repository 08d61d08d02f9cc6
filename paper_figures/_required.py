"""Required n, m and k of a theorem over p, epsilon and delta in its three editions; shared by two figures.

Curves come from sweeps in floating point. In the middle of every axis the certified answer is also computed and drawn.
"""

from __future__ import annotations

from typing import Any

import synthbounds as sb
from paper_figures import style

DEGREE, P, EPSILON, DELTA, GAMMA = 2, 10, "0.2", "0.05", "0.05"
FEWEST = "no method needs fewer n"
EDITIONS = ("printed", "corrected", "sharp")
WIDTHS = {"printed": 1.4, "corrected": 3.0, "sharp": 1.8}
SIZES = {"n": "records n", "m": "reference points m", "k": "synthetic rows k"}
AXES = {"p": "attributes p", "epsilon": "epsilon", "delta": "delta (accuracy 8 delta)"}
DIMENSIONS = tuple(range(2, 21))
EPSILONS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
DELTAS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.06)


def required(theorem: str) -> dict[str, Any]:
    """{edition: {axis: {x, n_est, m_est, k_est}}}, and the certified sizes at the common point."""
    found: dict[str, Any] = {"theorem": theorem, "editions": {}, "certified": {}, "lower_bound": {}}
    for edition in EDITIONS:
        fixed: dict[str, Any] = {"theorem_id": theorem, "edition": edition, "degree": DEGREE, "gamma": float(GAMMA)}
        over_p = [sb.sweep_estimates(**fixed, p=p, epsilon=float(EPSILON), delta=float(DELTA)) for p in DIMENSIONS]
        over_epsilon = sb.sweep_estimates(**fixed, p=P, epsilon=list(EPSILONS), delta=float(DELTA))
        over_delta = sb.sweep_estimates(**fixed, p=P, epsilon=float(EPSILON), delta=list(DELTAS))
        found["editions"][edition] = {
            "p": {"x": list(DIMENSIONS)} | {f"{s}_est": [float(getattr(r, f"{s}_est")) for r in over_p] for s in SIZES},
            "epsilon": {"x": list(EPSILONS)} | {f"{s}_est": _listed(over_epsilon, s, EPSILONS) for s in SIZES},
            "delta": {"x": list(DELTAS)} | {f"{s}_est": _listed(over_delta, s, DELTAS) for s in SIZES},
        }
        sure = sb.require(
            theorem=theorem, edition=edition, p=P, degree=DEGREE, epsilon=EPSILON, delta=DELTA, gamma=GAMMA
        )
        promise = sure.guarantee
        found["certified"][edition] = {
            "n": sure.n, "m": sure.m or 0, "k": sure.k,
            "epsilon": float(promise.privacy.epsilon.hi), "failure": float(promise.failure_probability.hi),
        }  # fmt: skip
    failure = "0.2"  # 4 gamma
    least = {
        "p": [sb.lower_bound(p=p, epsilon=EPSILON, accuracy="0.4", failure=failure).n for p in DIMENSIONS],
        "epsilon": [sb.lower_bound(p=P, epsilon=str(e), accuracy="0.4", failure=failure).n for e in EPSILONS],
        "delta": [sb.lower_bound(p=P, epsilon=EPSILON, accuracy=f"{8 * d:.3f}", failure=failure).n for d in DELTAS],
    }
    found["lower_bound"] = least
    return found


def _listed(result: Any, size: str, xs: tuple[float, ...]) -> list[float]:
    import numpy as np

    values: list[float] = np.broadcast_to(getattr(result, f"{size}_est"), (len(xs),)).tolist()
    return values


def draw_required(data: dict[str, Any], figure: Any) -> None:
    """One row of panels per size, one column per parameter that varies."""
    grid = figure.subplots(len(SIZES), len(AXES), sharex="col", sharey="row")
    middle = {"p": P, "epsilon": float(EPSILON), "delta": float(DELTA)}
    for row, (size, size_text) in enumerate(SIZES.items()):
        for column, (axis, axis_text) in enumerate(AXES.items()):
            axes = grid[row][column]
            # printed last and thin, so that it shows where the corrected edition has the same sizes
            for place, edition in reversed(list(enumerate(EDITIONS))):
                one = data["editions"][edition][axis]
                look = style.series(place, marker=False) | {"linewidth": WIDTHS[edition]}
                axes.plot(one["x"], one[f"{size}_est"], **look, label=edition)
                axes.plot(middle[axis], data["certified"][edition][size], marker=style.series(place)["marker"],
                          color=look["color"], linestyle="none", markeredgecolor="white", markersize=6)  # fmt: skip
            if size == "n":
                xs = data["editions"]["sharp"][axis]["x"]
                axes.plot(xs, data["lower_bound"][axis], color=style.BLACK, linestyle=(0, (2, 2)), linewidth=1,
                          label=FEWEST)  # fmt: skip
            axes.set_yscale("log")
            if axis != "p":
                axes.set_xscale("log")
            if row == len(SIZES) - 1:
                axes.set_xlabel(axis_text)
            if column == 0:
                axes.set_ylabel(size_text)
    grid[0][0].set_xticks([2, 5, 10, 15, 20])
    for axes, ticks in ((grid[0][1], (0.02, 0.1, 0.5, 2)), (grid[0][2], (0.002, 0.005, 0.01, 0.02, 0.05))):
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_xticks([], minor=True)
    handles, labels = grid[0][0].get_legend_handles_labels()
    order = [labels.index(text) for text in (*EDITIONS, FEWEST)]
    # the one panel with room above its lines, whatever the theorem
    grid[2][1].legend([handles[i] for i in order], [labels[i] for i in order], loc="upper center")
