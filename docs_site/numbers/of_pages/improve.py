"""Improving a finished table: what was recorded of it."""

from __future__ import annotations

from typing import Any

from docs_site.numbers.names import pick, run
from paper_figures._wang2023_runs import NAMES, improvements, runs

_TABLES = ("adult", "compas", "dutch")


def excess() -> list[Any]:
    """Excess risk and cost, a table a row."""
    keys = ("excess_epsilon_1", "excess_epsilon_2", "excess_improved", "effective_size", "projection_cpu_s")
    return [(name, pick(run("improve")[name], *keys)) for name in _TABLES]


def correlations() -> list[Any]:
    """Mean improvement by table in percent, and how many draws improve."""
    found = [(title, improvements(runs("mst", name, 2), "soft")) for name, title in NAMES.items()]
    return [(title, 100 * sum(v) / len(v), sum(value > 0 for value in v)) for title, v in found]


def draws() -> int:
    (found,) = {run("improve")[name]["draws"] for name in _TABLES} | {len(runs("mst", name, 2)) for name in NAMES}
    return int(found)
