"""Sums of queries over records, exactly: through marginals if those are small, else through products of features."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.queries import symmetric_sum
from release.data.counting import BLOCK_ROWS, MOST_MARGINALS, blocks, count_marginals
from release.data.source import as_source
from release.statistics.families import Family, ProductFamily

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from release.data.counting import Counts
    from release.data.domain import Codes
    from release.data.source import Records

_FAMILY_CELLS = 2**22
"""Queries are summed through marginals up to this many cells, through products of features above that."""


def family_sums(family: Family, records: Records) -> list[int]:
    """The sum of every query's integers over all records, exactly; divide by family.denominator for the sums."""
    batches = as_source(records, family.domain).batches()
    if isinstance(family, ProductFamily):
        sizes, order = family.domain.sizes, family.most_factors
        if symmetric_sum(sizes, order) <= _FAMILY_CELLS and comb(len(sizes), order) <= MOST_MARGINALS // 4:
            return _sums_by_marginals(family, count_marginals(batches, sizes, order))
        if order <= 2 and family.largest < 2**44:
            return _sums_by_products(family, batches)
    totals = [0] * family.count
    for block in blocks(batches, family.domain.p, BLOCK_ROWS):
        totals = [total + value for total, value in zip(totals, family.sums(block), strict=True)]
    return totals


def at_first_point(family: Family) -> list[int]:
    """The queries' integers at the first point of the domain, which is as public as any other."""
    first = np.zeros((1, family.domain.p), dtype=family.domain.code_type)
    return [int(value) for value in family.values(first)[:, 0]]


def _sums_by_marginals(family: ProductFamily, marginals: dict[tuple[int, ...], Counts]) -> list[int]:
    """Each marginal is multiplied along every axis with the tables of that attribute's features."""
    records = int(marginals[0,].sum())
    kind = np.int64 if records * family.largest < 2**62 else object
    tables: dict[int, list[tuple[int, ...]]] = {}
    place: list[int] = []
    for feature in family.features:
        known = tables.setdefault(feature.attribute, [])
        place.append(len(known))
        known.append(feature.table)
    stacked = {attribute: np.array(known, dtype=kind) for attribute, known in tables.items()}
    products: dict[tuple[int, ...], NDArray[Any]] = {}
    found = []
    for row, scale in zip(family.rows, family.row_scale, strict=True):
        factors = sorted(row, key=lambda a: family.features[a].attribute)
        attributes = tuple(family.features[a].attribute for a in factors)
        if attributes not in products:
            product: NDArray[Any] = marginals[attributes].astype(kind)
            for attribute in attributes:  # the axis in front is used up, the one for its features goes to the end
                product = np.tensordot(product, stacked[attribute], axes=([0], [1]))
            products[attributes] = product
        found.append(scale * int(products[attributes][tuple(place[a] for a in factors)]))
    return found


def _sums_by_products(family: ProductFamily, batches: Iterable[Codes]) -> list[int]:
    """Gram matrices of the features in floats, over so few records that every number stays below 2^53, hence exact."""
    paired = sorted({a for row in family.rows if len(row) == 2 for a in row})
    at = {a: i for i, a in enumerate(paired)}
    rows = min(BLOCK_ROWS, 2**52 // family.largest)
    ones = [0] * len(family.features)
    twos = np.zeros((len(paired), len(paired)), dtype=object)
    for block in blocks(batches, family.domain.p, rows):
        values = family.feature_values(block)
        ones = [total + int(value) for total, value in zip(ones, values.sum(axis=1), strict=True)]
        chosen = values[paired]
        twos += np.rint(chosen @ chosen.T).astype(np.int64)
    found = []
    for row, scale in zip(family.rows, family.row_scale, strict=True):
        total = ones[row[0]] if len(row) == 1 else twos[at[row[0]], at[row[1]]]
        found.append(scale * int(total))
    return found
