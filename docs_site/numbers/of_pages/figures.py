"""The figures of the papers made again: printed means beside ours, and verdicts on experiments."""

from __future__ import annotations

import statistics
from math import log, sqrt
from typing import Any

from paper_figures import _zhou2024_runs, zhou2024_figure4
from paper_figures._vietri2022_runs import EPSILONS, SHOWN, TITLES, best_on, better_on, mean, runs
from paper_figures.vietri2022_figure1 import best_fixed, errors
from verify.claims.vietri2022_runs import CLAIMS
from verify.claims.zhou2024_runs_table2 import LEAST_RUNS, is_inside
from verify.claims.zhou2024_runs_table2 import runs as table2_runs
from verify.claims.zhou2024_table2 import EPSILONS as TABLE2_EPSILONS
from verify.claims.zhou2024_table2 import PRINTED
from verify.experiments import vietri2022_annealing

_SCORES = ("mixed_mean", "thresholds_mean", "tables_l1", "macro_f1", "auc", "cpu_s")


def standard_errors(epsilon: str) -> float:
    """How far the farthest printed mean of AIM is from ours."""
    return max(float(abs(row["standard_errors_away"])) for row in _zhou2024_runs.differences(epsilon))


def far_off(epsilon: str) -> list[int]:
    rows = _zhou2024_runs.differences(epsilon)
    return [sum(abs(row["standard_errors_away"]) > 3 for row in rows), len(rows)]


def means(epsilon: str, table: str, metric: str) -> list[float]:
    """Ours, and the printed one."""
    rows = _zhou2024_runs.differences(epsilon)
    (row,) = (row for row in rows if (row["table"], row["metric"]) == (table, metric))
    return [row["mean_est"], row["printed"]]


def descent_ahead() -> list[float]:
    """By how much gradient descent is more accurate than AIM, where that is beyond three standard errors."""
    rows = zhou2024_figure4.compute()["tables"].values()
    ahead = [(row["descent_ahead_est"], row["descent_ahead_error_est"]) for row in rows]
    return [difference for difference, error in ahead if difference > 3 * error]


def pate_noise(labels: int) -> float:
    """Scale of the noise with which the program of zhou2024 publishes so many labels at epsilon 1."""
    delta = 1e-5
    middle = sqrt(2 * labels * log(1 / delta))  # 4 T g^2 + 2 g sqrt(2 T ln(1/delta)) = epsilon
    return 4 * labels / (sqrt(middle**2 + 4 * labels) - middle)


def table2() -> list[Any]:
    """Printed means of Table 2, and how many have enough runs of ours; all of these are inside."""
    cells = [(name, metric, epsilon) for name, metric in PRINTED for epsilon in TABLE2_EPSILONS]
    judged = [cell for cell in cells if len(table2_runs(*cell)) >= LEAST_RUNS]
    return [all(is_inside(*cell) for cell in judged), len(cells), len(judged)]


def vietri2022() -> list[list[float]]:
    """Means over tables, a method a row: a cell has those at both budgets, where all tables have runs."""
    return [
        [
            statistics.fmean(mean(method, name, epsilon, score) for name in TITLES)
            for score in _SCORES
            for epsilon in EPSILONS
            if all(runs(method, name, epsilon) for name in TITLES)
        ]
        for method in SHOWN
    ]


def annealing() -> list[float]:
    """Figure 1: the mean error of annealing, that of the best fixed temperature, and which that is."""
    found = []
    for name in vietri2022_annealing.TABLES:
        at = best_fixed(name, "mean")
        found += [errors(name, "mean")["once"][0], errors(name, "mean")[f"{at:g}"][0], at]
    return found


def annealing_wins() -> list[bool]:
    once, least = annealing()[::3], annealing()[1::3]
    return [ours < theirs for ours, theirs in zip(once, least, strict=True)]


def verdict(claim: str, method: str, other: str, score: str, more: str = "more") -> list[str]:
    """What the claim says at both budgets, and on how many tables it is so and on how many the other way round."""
    less = {"more": "less", "less": "more"}[more]
    said = {one.id: one.expected.value.replace("-", " ") for one in CLAIMS}
    found, before = [], ""
    for epsilon in EPSILONS:
        better, worse = (_COUNTS[count] for count in better_on(method, other, epsilon, score))
        found += [f"{before}{said[f'vietri2022.runs.{claim}-at-{epsilon}']} here at", epsilon]
        before = f": {more} on {better}, {less} on {worse}"
        found += [before]
        before = ""
    return found


_COUNTS = ("no", "one", "two", "three", "four", "five")


def times_aim(epsilon: str) -> list[float]:
    """CPU seconds of RAP++ over those of AIM, the least and the largest."""
    found = [mean("rap++", name, epsilon, "cpu_s") / mean("aim", name, epsilon, "cpu_s") for name in TITLES]
    return [min(found), max(found)]


def highest() -> list[str]:
    """On how many tables RAP++ has the highest mean F1."""
    return [part for e in EPSILONS for part in (f"{_COUNTS[best_on('rap++', e, 'macro_f1')]} at", e)]
