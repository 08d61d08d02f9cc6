"""The tables that AIM should preserve, by public facts alone: all of a given number of columns that are not too large.

A candidate is a set of columns inside a table of the workload. Its weight is the number of columns that it shares with
the tables of the workload, summed over them, so that sets that help many tables are measured first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

from bounds.errors import ParameterError

Columns = tuple[int, ...]
MOST_TABLES = 100_000
"""Most tables of a workload, since all are looked at in every round."""
MOST_CELLS = 2**24
"""Most cells of one table, whatever the options."""


@dataclass(frozen=True, kw_only=True)
class Workload:
    """The tables of a workload, and the sets of columns that may be measured for them, by length, then by columns."""

    sizes: tuple[int, ...]
    tables: tuple[Columns, ...]
    candidates: tuple[Columns, ...]
    weights: tuple[int, ...]
    """Weights of the candidates."""
    cells: tuple[int, ...]
    """Cells of the candidates."""


def all_tables(sizes: Sequence[int], *, degree: int, most_cells: int) -> Workload:
    """All tables of `degree` columns with at most `most_cells` cells, and every set of columns inside one of them.

    >>> found = all_tables((2, 3, 50), degree=2, most_cells=100)
    >>> found.tables, found.candidates, found.weights
    (((0, 1), (0, 2)), ((0,), (1,), (2,), (0, 1), (0, 2)), (2, 1, 1, 3, 3))
    """
    p = len(sizes)
    if not 1 <= degree <= p:
        raise ParameterError("degree", degree, f"between 1 and the number of columns, {p}")
    if comb(p, degree) > MOST_TABLES:
        asked = f"{comb(p, degree)} tables of {degree} of the {p} columns are too many to choose from"
        raise ParameterError("degree", degree, f"such that there are at most {MOST_TABLES} tables", asked)
    tables = [table for table in combinations(range(p), degree) if prod(sizes[j] for j in table) <= most_cells]
    if not tables:
        least = prod(sorted(sizes)[:degree])
        if least > MOST_CELLS:
            asked = f"the smallest table of {degree} columns has {least} cells; take a smaller --degree"
            raise ParameterError("degree", degree, f"such that a table has at most {MOST_CELLS} cells", asked)
        raise ParameterError("most_cells", most_cells, f"at least {least}, as the smallest table of {degree} columns")
    inside = {part for table in tables for k in range(1, degree + 1) for part in combinations(table, k)}
    candidates = sorted(inside, key=lambda part: (len(part), part))
    met = [0] * p
    for table in tables:
        for j in table:
            met[j] += 1
    return Workload(
        sizes=tuple(sizes),
        tables=tuple(tables),
        candidates=tuple(candidates),
        weights=tuple(sum(met[j] for j in part) for part in candidates),
        cells=tuple(prod(sizes[j] for j in part) for part in candidates),
    )
