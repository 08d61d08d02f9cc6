"""Synthetic tables: recorded runs on Adult and Compas."""

from __future__ import annotations

from itertools import product
from typing import Any

from docs_site.numbers.names import pick, run


def ties() -> list[Any]:
    """The farthest and the mean distance by most entropy and by least squares; the table and its levels before them."""
    found = run("large_tables")["densities"]
    named = (("Adult", 3, "adult_3_gaussian"), ("Adult", 3, "adult_3_laplace"), ("Compas", 5, "compas_5_gaussian"))
    return [
        (
            table,
            levels,
            name.rpartition("_")[2],
            [pick(found[name][kind], "sup", "rms") for kind in ("entropy", "squares")],
        )
        for table, levels, name in named
    ]


def rows() -> list[Any]:
    """Different rows, the area that trees reach, and CPU seconds, by levels and by how rows are made."""
    return [
        (levels, how, pick(run("rows")[f"{levels} levels, {how}, pure"], "distinct", "trees", "cpu_s"))
        for levels, how in product((2, 3), ("sampling", "rounding"))
    ]
