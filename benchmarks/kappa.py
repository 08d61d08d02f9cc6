"""The distribution of kappa of the perturbed histogram, compared with figures from an independent simulation.

epsilon = 1/5, replace-one. Each simulated quantile is listed with the figure it is compared with and the certified
probability that kappa is infinite; for the mixture with the uniform measure kappa is always finite.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from benchmarks.measure import main, synthbounds_command

SETTINGS: tuple[tuple[str, int, float, float, float, float], ...] = (
    # nu, n, bound on P(kappa infinite), median, 95 percent quantile, mean of the mixture: 4000 runs each
    ("uniform:8", 1_000, 2.541e-5, 1.015910, 1.047537, 1.004732),
    ("uniform:32", 1_000, 0.561605, float("inf"), float("inf"), 1.058392),
    ("uniform:32", 10_000, 1.9e-12, 1.004988, 1.007876, 1.001275),
    ("uniform:256", 10_000, 0.956162, float("inf"), float("inf"), 1.041189),
    ("uniform:256", 100_000, 0.0, 1.003884, 1.004545, 1.000966),
    ("zipf:32", 10_000, 0.001316, 1.007208, 1.015256, 1.226545),
    ("zipf:256", 100_000, 0.037512, 1.007501, 1.035282, 1.362557),
)


def ask(nu: str, n: int, runs: int, variant: str) -> dict[str, Any]:
    command = synthbounds_command(
        "renyi", "--nu", nu, "--n", str(n), "--epsilon", "0.2", "--simulate", str(runs), "--variant", variant
    )
    done = subprocess.run([*command, "--seed", "7", "--format", "json"], check=True, capture_output=True, text=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def shown(kappa: float | str) -> float | str:
    """Six decimals; infinity as text, since JSON has no number for it."""
    value = float(kappa)
    return round(value, 6) if value < float("inf") else "inf"


def run(*, quick: bool) -> dict[str, Any]:
    runs = 1000 if quick else 4000
    found: dict[str, Any] = {"runs": runs}
    for nu, n, infinite, median, q95, mixed in SETTINGS:
        plain, mixture = ask(nu, n, runs, "plain"), ask(nu, n, runs, "mixed")
        simulation, certified = plain["simulation"], plain["probability_infinite"]
        found[f"{nu} n={n}"] = {
            "infinite": simulation["infinite"] / runs,
            "infinite_certified": [float(certified["lower"]["lo"]), float(certified["upper"]["hi"])],
            "infinite_figure": infinite,
            "median": shown(simulation["median_est"]),
            "median_figure": shown(median),
            "q95": shown(simulation["q95_est"]),
            "q95_figure": shown(q95),
            "mixture_median": shown(mixture["simulation"]["median_est"]),
            "mixture_mean_figure": mixed,
        }
    return found


if __name__ == "__main__":
    sys.exit(main("kappa", __doc__ or "", run))
