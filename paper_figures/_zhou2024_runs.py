"""Recorded runs of the experiments of zhou2024 next to Table 2: means, standard deviations, and how far they are apart.

A printed value is a mean over ten synthetic sets. Its standard deviation is not printed and is taken to be that of our
runs. `paper` is the protocol of the published program, in which AIM has seen the records on which models are tested;
in `held-out` it has not.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from math import sqrt
from typing import Any

from paper_figures.figure import NotRun
from verify.claims.zhou2024_table2 import EPSILONS as PRINTED_EPSILONS
from verify.claims.zhou2024_table2 import PRINTED_SPLITS as PRINTED_SETS
from verify.claims.zhou2024_table2 import WORDS, row
from verify.experiments.recorded import runs_by
from verify.random_splits import METRICS
from verify.real_tables import NAMES

PAPER, HELD_OUT = "paper", "held-out"
EPSILONS = ("0.25", "0.5", "1", "2")
TEXT = {PAPER: "ours, the paper's protocol", HELD_OUT: "ours, test records held out"}
MOST_ERRORS, FAR_ERRORS, MOST_FAR = 3, 2.5, 1
"""Table 2 is reproduced if no difference exceeds MOST_ERRORS standard errors and at most MOST_FAR exceed FAR_ERRORS."""


@dataclass(frozen=True)
class Sets:
    """Mean and standard deviation over synthetic sets."""

    mean: float
    deviation: float
    count: int

    @property
    def standard_error(self) -> float:
        return self.deviation / sqrt(self.count)


def runs(method: str, table: str, *, epsilon: str | None, protocol: str = HELD_OUT) -> list[dict[str, Any]]:
    """All recorded runs of this kind, by the number of the set; without any the figure cannot be drawn."""
    found = _all_runs().get((method, table, epsilon, protocol))
    if not found:
        asked = f"{method} on {table} at epsilon {epsilon}, {protocol}"
        raise NotRun(f"verify.experiments.zhou2024 has recorded no run of {asked}: make it in a checkout")
    return found


def _all_runs() -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    found = runs_by("zhou2024", "method", "table", "epsilon", "protocol")
    if not found:
        raise NotRun("verify.experiments.zhou2024 has recorded no runs: make them in a checkout")
    return found


def over_sets(values: list[float]) -> Sets:
    return Sets(statistics.fmean(values), statistics.stdev(values), len(values))


def metric_of(metric: str, *asked: str, epsilon: str | None, protocol: str = HELD_OUT) -> Sets:
    return over_sets([run[metric] for run in runs(*asked, epsilon=epsilon, protocol=protocol)])


def by_epsilon(table: str, protocol: str) -> dict[str, list[dict[str, Any]]]:
    """AIM's runs at every epsilon for which there are at least two."""
    found = {e: _all_runs().get(("aim", table, e, protocol), []) for e in EPSILONS}
    return {e: of for e, of in found.items() if len(of) > 1}


def over_epsilon(metric: str, table: str, protocol: str) -> dict[str, Any]:
    """A curve of AIM's runs."""
    found = by_epsilon(table, protocol)
    sets = {float(e): over_sets([run[metric] for run in of]) for e, of in found.items()}
    return {
        "epsilon": list(sets),
        "mean_est": [s.mean for s in sets.values()],
        "deviation_est": [s.deviation for s in sets.values()],
        "standard_error_est": [s.standard_error for s in sets.values()],
        "sets": [s.count for s in sets.values()],
    }


def printed(table: str, metric: str, epsilon: str | None) -> float:
    """A value of Table 2; the column of real data has no epsilon."""
    place = 8 if epsilon is None else [float(text) for text in PRINTED_EPSILONS].index(float(epsilon))
    return float(row(table, metric)[place])


def differences(epsilon: str = "1") -> list[dict[str, Any]]:
    """The 18 values of one column of Table 2 next to ours, with the standard error of the difference."""
    rows = []
    for table in NAMES:
        for metric in METRICS:
            ours = metric_of(metric, "aim", table, epsilon=epsilon, protocol=PAPER)
            unseen = metric_of(metric, "aim", table, epsilon=epsilon)
            error = ours.deviation * sqrt(1 / PRINTED_SETS + 1 / ours.count)
            theirs = printed(table, metric, epsilon)
            rows.append(
                {
                    "table": table.capitalize(),
                    "metric": WORDS[metric],
                    "printed": theirs,
                    "mean_est": ours.mean,
                    "deviation_est": ours.deviation,
                    "sets": ours.count,
                    "standard_error_est": error,
                    "standard_errors_away": (ours.mean - theirs) / error,
                    "held_out_est": unseen.mean,
                    "held_out_error_est": unseen.standard_error,
                    "held_out_sets": unseen.count,
                }
            )
    return rows


def verdict(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Whether the printed column is reproduced, and by how much."""
    away = [abs(row["standard_errors_away"]) for row in rows]
    far = sum(value > FAR_ERRORS for value in away)
    return {
        "differences": len(away),
        "largest_est": max(away),
        "beyond_est": far,
        "holds": max(away) <= MOST_ERRORS and far <= MOST_FAR,
    }
