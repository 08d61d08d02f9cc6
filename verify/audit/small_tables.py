"""All tables of a small domain, and all pairs of neighbours among them."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, product
from typing import TYPE_CHECKING

import numpy as np

from bounds.privacy.adjacency import Adjacency
from release.data.domain import Domain
from release.data.schema import schema_of_domain

if TYPE_CHECKING:
    from release.data.domain import Codes

COLUMNS = 3
SCHEMA = schema_of_domain(Domain((2,) * COLUMNS))
RECORDS = 2
"""Number of records under replace-one; the largest number under add-remove."""


def all_tables(adjacency: Adjacency, levels: tuple[int, ...] = SCHEMA.domain.sizes) -> list[Codes]:
    """Tables of this many records, in any order; under add-remove also of fewer."""
    sizes = [RECORDS] if adjacency is Adjacency.REPLACE_ONE else range(RECORDS + 1)
    cells = list(product(*map(range, levels)))
    return [
        np.array(rows, dtype=np.uint8).reshape(-1, len(levels))
        for size in sizes
        for rows in combinations_with_replacement(cells, size)
    ]


def all_neighbours(tables: list[Codes], adjacency: Adjacency) -> list[tuple[int, int]]:
    """Places of tables of which one is the other with one record replaced, or with one record more."""
    rows = [[tuple(row) for row in table.tolist()] for table in tables]
    apart = 2 if adjacency is Adjacency.REPLACE_ONE else 1
    return [(i, j) for i, j in combinations(range(len(tables)), 2) if _differences(rows[i], rows[j]) == apart]


def _differences(one: list[tuple[int, ...]], other: list[tuple[int, ...]]) -> int:
    """Number of records that are in only one of them, with repetitions."""
    rest = list(other)
    alone = 0
    for row in one:
        if row in rest:
            rest.remove(row)
        else:
            alone += 1
    return alone + len(rest)
