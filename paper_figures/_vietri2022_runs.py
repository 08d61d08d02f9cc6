"""The recorded runs of verify.experiments.vietri2022: means over sets, and on how many tables one method is better."""

from __future__ import annotations

import statistics
from math import sqrt
from typing import Any

from paper_figures.figure import NotRun
from verify.experiments.recorded import runs_by

TITLES = {
    "adult": "Adult",
    "law": "Law",
    "acs_employment": "ACSemployment",
    "acs_income": "ACSincome",
    "acs_mobility": "ACSmobility",
}
SHOWN = {
    "rap++": "RAP++",
    "rap++-printed": "RAP++, paper's rounds",
    "rap": "RAP",
    "rap-printed": "RAP, paper's rounds",
    "aim": "AIM (pairs)",
    "mst": "MST",
    "gem": "GEM",
    "merf": "DP-MERF",
}
EPSILONS = ("0.1", "1")
GAINS = ("macro_f1", "auc")
"""Scores of which more is better; of all others less is."""


def runs(method: str, table: str, epsilon: str | None) -> list[dict[str, Any]]:
    """The recorded runs of this kind, by the number of the set; there may be none."""
    return runs_by("vietri2022", "method", "table", "epsilon").get((method, table, epsilon), [])


def mean(method: str, table: str, epsilon: str | None, score: str) -> float:
    """The mean of a score over sets."""
    found = runs(method, table, epsilon)
    if not found:
        raise NotRun(f"verify.experiments.vietri2022 has recorded no run of {method} on {table}: make it in a checkout")
    return statistics.fmean(line[score] for line in found)


def standard_error(method: str, table: str, epsilon: str | None, score: str) -> float:
    values = [line[score] for line in runs(method, table, epsilon)]
    return statistics.stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0


def better_on(method: str, other: str, epsilon: str, score: str) -> tuple[int, int]:
    """On how many tables a method is better than another in every set, and on how many worse; splits are the same."""
    better = worse = 0
    sign = 1 if score in GAINS else -1
    for table in TITLES:
        pairs = zip(runs(method, table, epsilon), runs(other, table, epsilon), strict=True)
        gains = [sign * (one[score] - two[score]) for one, two in pairs]
        better, worse = better + (min(gains) > 0), worse + (max(gains) < 0)
    return better, worse


def best_on(method: str, epsilon: str, score: str) -> int:
    """On how many tables its mean is the best of all methods."""
    return sum(best(epsilon, table, score) == method for table in TITLES)


def best(epsilon: str, table: str, score: str) -> str:
    """The method with the best mean, of those that were run on all splits."""
    splits = len(runs("real", table, None))
    among = [name for name in SHOWN if len(runs(name, table, epsilon)) == splits]
    choose = max if score in GAINS else min
    return choose(among, key=lambda name: mean(name, table, epsilon, score))
