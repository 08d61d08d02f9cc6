"""The Renyi condition number of the perturbed histogram of bojkovic2024 over n: how large, and how often infinite."""

from __future__ import annotations

from fractions import Fraction
from math import isinf, log, sqrt
from typing import Any

import synthbounds as sb
from paper_figures import style
from paper_figures._recorded import recorded
from paper_figures.figure import Figure

DISTRIBUTIONS = ("uniform:32", "zipf:32")
RECORDS = (300, 500, 800, 1000, 1200, 2000, 3000, 5000, 8000, 10000, 12000, 20000, 50000, 100000, 200000, 400000)
RUNS = 600
EPSILON = Fraction(1, 5)
SEED = 7
PRINTED: dict[str, Any] = {"p": 5, "degree": 2, "epsilon": "0.2", "delta": "0.5", "gamma": "0.25"}
"""The setting of the paper's figures on 32 points, for its bound K on kappa."""
C1, C2 = 57 / 16, 57 / 8
"""The constants that the proof of Theorem III.1 implies; the paper does not give them."""


def printed_bound(n: float) -> float:
    """K of Theorem III.1 for uniform nu on 32 points and 16 queries, in the setting of the figures."""
    points, queries, delta, gamma = 32, 16, 0.5, 0.25
    first = 1 + C1 * (sqrt(2 * log(1 / gamma) / n) + sqrt(points / n))
    second = 1 + C2 * delta * points * 2 * log(points) / (gamma * n * log(queries / delta))
    return sqrt(first * second)


def compute(records: tuple[int, ...] = RECORDS, runs: int = RUNS) -> dict[str, Any]:
    """Infinite values are null, since JSON has no infinity."""
    from lp.study.distributions import distribution
    from lp.study.perturbed_histogram import simulate_kappa

    found: dict[str, Any] = {"runs": runs, "recorded": {}}
    known = recorded("kappa")
    least = sb.require(theorem="bojkovic2024.histogram-uniform", edition="printed", **PRINTED).n
    found["printed"] = {"least_n": least, "at_least_n_est": printed_bound(least),
                        "x": list(records), "K_est": [printed_bound(n) for n in records]}  # fmt: skip
    for name in DISTRIBUTIONS:
        nu = distribution(name, "nu").probabilities
        rows = []
        for n in records:
            plain, mixed = (
                simulate_kappa(nu, n=n, epsilon=EPSILON, runs=runs, seed=SEED, variant=variant)
                for variant in ("plain", "mixed")
            )
            rows.append({
                "n": n, "median_est": _finite(plain.median_est), "q95_est": _finite(plain.q95_est),
                "mixed_est": _finite(mixed.median_est), "infinite_est": plain.infinite / runs,
                "infinite_low_est": plain.infinite_low_est, "infinite_high_est": plain.infinite_high_est,
            })  # fmt: skip
        found[name] = rows
        marks = {key.split("n=")[1]: value for key, value in known.items() if key.startswith(f"{name} n=")}
        found["recorded"][name] = [
            {"n": int(n), "median_est": None if value["median"] == "inf" else value["median"],
             "infinite": value["infinite_certified"][1]}
            for n, value in marks.items()
        ]  # fmt: skip
    return found


def _finite(value: float) -> float | None:
    return None if isinf(value) else value


def draw_figure(data: dict[str, Any], figure: Any) -> None:
    left, right = figure.subplots(1, 2)
    kinds = {
        "median_est": "histogram, median",
        "q95_est": "histogram, 95 % quantile",
        "mixed_est": "half uniform, median",
    }
    for i, name in enumerate(DISTRIBUTIONS):
        shape = name.split(":")[0]
        rows = data[name]
        for j, (key, text) in enumerate(kinds.items()):
            look = style.series(i + (0, 2, 4)[j], marker=True) | {"markersize": 3.5}
            kept = [row for row in rows if row[key] is not None]
            left.plot([r["n"] for r in kept], [r[key] - 1 for r in kept], **look, label=f"{shape}: {text}")
        shares = [row for row in rows if row["infinite_est"] > 0]
        look = style.series(i)
        right.plot([r["n"] for r in shares], [r["infinite_est"] for r in shares], **look, label=f"{shape}: simulated")
        right.fill_between(
            [r["n"] for r in shares], [max(r["infinite_low_est"], 1e-5) for r in shares],
            [r["infinite_high_est"] for r in shares], color=look["color"], alpha=0.15, linewidth=0,
        )  # fmt: skip
        sure = [mark for mark in data["recorded"][name] if mark["infinite"] > 1e-5]
        right.plot(
            [m["n"] for m in sure], [m["infinite"] for m in sure], marker=style.series(i)["marker"], markersize=9,
            markerfacecolor="none", markeredgecolor=style.BLACK, linestyle="none", label=f"{shape}: certified",
        )  # fmt: skip
    printed = data["printed"]
    left.plot(printed["x"], [value - 1 for value in printed["K_est"]], **style.paper(line=True) | {"marker": None},
              label="uniform: the paper's bound K")  # fmt: skip
    left.plot(printed["least_n"], printed["at_least_n_est"] - 1, **style.paper(), label="the least n that it requires")
    left.set_title("where it is finite", loc="left")
    right.set_title("how often it is infinite", loc="left")
    left.set_ylabel("kappa - 1")
    right.set_ylabel("probability that kappa is infinite")
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("records n")
        axes.set_xlim(250, 5e5)
    left.set_ylim(top=2e4)
    left.legend(loc="upper right")
    right.set_ylim(5e-4, 3)
    right.legend(loc="upper right")


FIGURE = Figure(
    name="bojkovic2024-kappa",
    title="Condition number of the perturbed histogram",
    source="Algorithm 2 and Theorem III.1 of bojkovic2024",
    caption=f"kappa(nu || mu) on 32 points, epsilon = 0.2, {RUNS} runs for each n. Without mixing it is infinite as "
    "soon as one noisy count is clipped to zero; lines begin where fewer than half (median) or 5 per cent "
    "of the runs are infinite. Bands are 95 per cent intervals; large open marks are certified probabilities "
    "recorded by benchmarks.kappa. K is that of Theorem III.1 with the constants its proof implies (delta = "
    "0.5, gamma = 0.25, 16 queries), stated from the cross on. With uniform points for uniform records kappa "
    "is 1 and costs no privacy.",
    compute=compute,
    draw=draw_figure,
    size=(8.6, 4.8),
)
