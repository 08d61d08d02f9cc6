"""Large tables: the recorded benchmark, and what a hundred billion rows would take."""

from __future__ import annotations

from typing import Any

from docs_site.numbers.names import pick, run

ROWS = 10**11
_CPU_HOUR, _GIGABYTE = 0.05, 0.005
"""Prices in dollars, which the page says are assumed."""


def measured() -> list[Any]:
    found = run("lake")
    rows = ("files", "folder_of_ten_times_as_many", "duckdb", "duckdb_by_hand")
    return [pick(found[key], "cpu_s", "mb") for key in rows]


def terabytes() -> float:
    return float(run("lake")["bytes_per_row"] * ROWS / 10**12)


def hours() -> float:
    return float(run("lake")["cpu_s_per_million_more_rows"] * ROWS / 10**6 / 3600)


def dollars() -> list[float]:
    """For counting, and for reading."""
    return [hours() * _CPU_HOUR, terabytes() * 1000 * _GIGABYTE]


def spreading() -> list[Any]:
    """Starts, runs and from where it pays, of one process, two, and a cluster."""
    rows = pick(run("spreading"), "one_process", "two_processes", "cluster_of_two")
    return [(row["start_cpu_s"], row["runs_cpu_s"], row.get("pays_from_cpu_s", [])) for row in rows]
