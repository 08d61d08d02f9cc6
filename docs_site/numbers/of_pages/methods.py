"""The methods compared: means of recorded runs, and the rule of thumb that they give."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any

from docs_site.numbers.names import pick, run
from mechanisms.synth.choose import LITTLE_NOISE
from paper_figures.methods_compared import EPSILONS, METHODS, TABLES, means

RULED = ("moments", "tree", "aim")
_RAW = ("adult-raw", "compas-raw")
CLOSE, MIDDLE = 0.002, 0.004
_SCORES = ("one_way", "pairs", "four_way", "logistic_accuracy", "logistic_auc", "trees_accuracy", "trees_auc")


def rows() -> Iterator[Any]:
    """All methods at epsilon 1, and real rows, whose CPU time and certificate are empty cells."""
    for table in TABLES:
        for method in ("real", *METHODS):
            for label in (True, False) if table in _RAW else (True,):
                found = means().get((table, method, label, None if method == "real" else "1"))
                if found is not None:
                    named = [table.replace("-", ", "), "real rows" if method == "real" else f"`{method}`"]
                    known = (found.get(key) for key in ("cpu_s", *_SCORES, "certified_one_way"))
                    yield named, [value for value in known if value is not None]


Setting = tuple[str, str]


def settings() -> dict[Setting, list[dict[str, float]]]:
    """Table and epsilon, with the means of the three methods."""
    every = {(t, e): [means().get((t, m, True, e)) for m in RULED] for t in TABLES for e in EPSILONS}
    return {key: [one for one in found if one] for key, found in every.items() if all(found)}


def by_noise() -> list[Any]:
    """Three methods on every table at every budget, by the public noise."""
    found = [(one[0]["noise_est"], key, one) for key, one in settings().items()]
    found.sort(key=lambda row: row[:2])
    whats = ("auc_lost", "four_way")
    return [
        (noise, table.replace("-", ", "), epsilon, [[one[what] for one in three] for what in whats])
        for noise, (table, epsilon), three in found
    ]


def noisy(level: int) -> list[Setting]:
    """The settings with little noise, with more, and with most: 0, 1, 2."""
    noise = {key: found[0]["noise_est"] for key, found in settings().items()}
    return [key for key, s in noise.items() if (s > LITTLE_NOISE) + (s > MIDDLE) == level]


def best(method: str, level: int) -> list[int]:
    """In how many of them a method is bold: for models, and for tables of four columns."""
    return [sum(_is_close(what, method, key) for key in noisy(level)) for what in ("auc_lost", "four_way")]


def _is_close(what: str, method: str, key: Setting) -> bool:
    values = [one[what] for one in settings()[key]]
    return values[RULED.index(method)] <= min(values) + CLOSE


def seconds() -> list[float]:
    return [statistics.median(one[place]["cpu_s"] for one in settings().values()) for place in range(len(RULED))]


def without_label(method: str) -> float:
    """Area that is lost by not telling the label, mean over raw tables and budgets."""
    kept = [(table, epsilon) for table, epsilon in settings() if table in _RAW]
    told, untold = ([means()[t, method, label, e]["auc_lost"] for t, e in kept] for label in (True, False))
    return statistics.fmean(untold) - statistics.fmean(told)


def fewest_draws(epsilon: str) -> int:
    """Of the methods that were run everywhere."""
    everywhere = set(METHODS) - {"gen"}
    return int(min(one["draws"] for (_, m, _, at), one in means().items() if at == epsilon and m in everywhere))


def estimates() -> list[Any]:
    """One estimate of the same log, ours and mbi's."""
    keys = "ratio_vs_mbi_process", "ratio_vs_mbi_fit", "process_cpu_s", "mbi_process_cpu_s", "loss", "mbi_loss", "l1"
    return [(table, pick(run("pgm"), *(f"{table}_{key}" for key in keys))) for table in ("adult", "compas")]


def aim() -> list[Any]:
    """All of AIM, from the command line."""
    return [
        (
            table,
            pick(used, "simulate_cpu_s", "release_cpu_s"),
            max(used["simulate_mb"], used["release_mb"]),
            pick(used, "rounds", "cells"),
        )
        for table, used in run("pgm")["aim"].items()
    ]
