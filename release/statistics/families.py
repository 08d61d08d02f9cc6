"""Query families on a domain: the functions evaluated on a table, as exact integers, and how far one record moves them.

Almost every family is built from features, functions of one attribute: a query is a product of features of distinct
attributes. That shape is what makes pricing and Gram matrices fast (see lp.programme.matrices). Values are integers
over a common denominator, so that sums over records and certificates are exact. The constant query is left out: it is
public.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import lcm, prod
from typing import TYPE_CHECKING

from bounds.errors import ParameterError
from bounds.queries import QueryFamily, family_of_levels
from release.data.domain import Domain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from release.data.domain import Codes

MOST_QUERIES = 20_000
"""The LP has a dense matrix of this order squared."""
MOST_CELLS = 2**17
"""For cells it goes without one (lp.programme.proportional)."""
_MOST_ENTRIES = 2**26
"""Each level of a column may be a feature, and each feature has an entry for every level of its column."""
_BLOCK_CELLS = 2**22
"""Values are made in blocks of about this many numbers, so that memory does not grow with the table."""


class Family(ABC):
    """Non-constant queries f_1, ..., f_F on a domain, with values integer / denominator."""

    name: str
    domain: Domain
    denominator: int
    largest: int
    """The largest |integer| among the values."""
    facts: QueryFamily
    """Counts and sensitivities, exact."""

    @property
    @abstractmethod
    def count(self) -> int:
        """F', the number of non-constant queries."""

    @abstractmethod
    def values(self, codes: Codes) -> NDArray[np.float64]:
        """The integers of every query at every point: queries in rows, points in columns. Exact below 2^53."""

    @abstractmethod
    def label(self, query: int) -> str:
        """The query in words."""

    def sums(self, codes: Codes) -> list[int]:
        """The sum of every query's integers over the records, exactly."""
        import numpy as np

        totals = [0] * self.count
        step = max(1, min(_BLOCK_CELLS // self.count, 2**52 // self.largest))
        for start in range(0, len(codes), step):
            block = self.values(codes[start : start + step]).sum(axis=1)
            totals = [total + int(value) for total, value in zip(totals, np.asarray(block), strict=True)]
        return totals


@dataclass(frozen=True)
class Feature:
    """A function of one attribute: an integer for every code, over a denominator."""

    attribute: int
    degree: int
    table: tuple[int, ...]
    denominator: int
    label: str


class ProductFamily(Family):
    """Queries that are products of features of distinct attributes.

    `rows[i]` names the features of query i; `row_scale[i]` brings its product to the common denominator.
    """

    def __init__(
        self,
        name: str,
        domain: Domain,
        features: Sequence[Feature],
        rows: Sequence[tuple[int, ...]],
        facts: QueryFamily,
    ) -> None:
        self.name, self.domain, self.facts = name, domain, facts
        self.features, self.rows = tuple(features), tuple(rows)
        denominators = [prod(features[a].denominator for a in row) for row in self.rows]
        self.denominator = lcm(*denominators)
        self.row_scale = tuple(self.denominator // d for d in denominators)
        largest = [max(max(feature.table), -min(feature.table)) for feature in features]
        self.largest = max(
            scale * prod(largest[a] for a in row) for scale, row in zip(self.row_scale, self.rows, strict=True)
        )
        if self.largest >= 2**52:
            raise ParameterError("degree", "these levels", "such that query values have below 52 bits")

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def most_factors(self) -> int:
        return max(len(row) for row in self.rows)

    def label(self, query: int) -> str:
        return " * ".join(self.features[a].label for a in self.rows[query])

    @cached_property
    def _tables(self) -> list[tuple[int, NDArray[np.float64]]]:
        import numpy as np

        return [(f.attribute, np.array(f.table, dtype=np.float64)) for f in self.features]

    def feature_values(self, codes: Codes) -> NDArray[np.float64]:
        """The integers of every feature at every point: features in rows, points in columns."""
        import numpy as np

        found = np.empty((len(self.features), len(codes)))
        for row, (attribute, table) in zip(found, self._tables, strict=True):
            np.take(table, codes[:, attribute], out=row)
        return found

    def values(self, codes: Codes) -> NDArray[np.float64]:
        import numpy as np

        features = self.feature_values(codes)
        found = np.empty((self.count, len(codes)))
        for out, row, scale in zip(found, self.rows, self.row_scale, strict=True):
            out[:] = features[row[0]]
            for a in row[1:]:
                out *= features[a]
            if scale != 1:
                out *= scale
        return found


def monomials(domain: Domain, degree: int) -> ProductFamily:
    """Products of at most `degree` distinct attributes, each scaled to [0, 1]."""
    features = [_identity(domain, j, 1) for j in range(domain.p)]
    return _products("monomials", domain, features, degree)


def moments(domain: Domain, degree: int) -> ProductFamily:
    """All products of powers of attributes scaled to [0, 1], of total degree at most `degree`."""
    features = [_identity(domain, j, power) for j in range(domain.p) for power in range(1, degree + 1)]
    return _products("moments", domain, features, degree)


def parities(domain: Domain, degree: int) -> ProductFamily:
    """Products of at most `degree` signs (-1)^code; for Boolean domains."""
    _require_boolean(domain)
    features = [Feature(j, 1, (1, -1), 1, f"(-1)^{name}") for j, name in enumerate(domain.names)]
    return _products("parities", domain, features, degree)


def cells(domain: Domain, degree: int) -> ProductFamily:
    """Indicators of every cell of every marginal of at most `degree` attributes."""
    features = [
        Feature(j, 1, (0,) * v + (1,) + (0,) * (size - v - 1), 1, f"[{domain.names[j]}={v}]")
        for j, size in enumerate(domain.sizes)
        for v in range(size)
    ]
    return _products("cells", domain, features, degree)


def thresholds(domain: Domain, degree: int) -> ProductFamily:
    """Products of at most `degree` indicators of distinct attributes being at least a code."""
    features = [
        Feature(j, 1, (0,) * v + (1,) * (size - v), 1, f"[{domain.names[j]}>={v}]")
        for j, size in enumerate(domain.sizes)
        for v in range(1, size)
    ]
    return _products("thresholds", domain, features, degree)


FAMILIES = {
    "monomials": monomials,
    "parities": parities,
    "cells": cells,
    "moments": moments,
    "thresholds": thresholds,
}


def build_family(name: str, domain: Domain, degree: int) -> ProductFamily:
    """The named family, refused before anything large is made."""
    if name not in FAMILIES:
        raise ParameterError("family", name, "one of " + ", ".join(FAMILIES))
    if not 1 <= degree <= domain.p and name != "moments":
        raise ParameterError("degree", degree, f"between 1 and the number of attributes, {domain.p}")
    if name == "parities":
        _require_boolean(domain)
    count = family_of_levels(name, domain.sizes, degree).varying
    most = MOST_CELLS if name == "cells" else MOST_QUERIES
    if count > most:
        raise ParameterError("degree", degree, f"such that there are at most {most} queries", f"here {count}")
    if name in ("cells", "thresholds"):
        _require_few_levels(name, domain)
    return FAMILIES[name](domain, degree)


def _require_few_levels(name: str, domain: Domain) -> None:
    entries = sum(size * size for size in domain.sizes)
    if entries > _MOST_ENTRIES:
        most, column = max(zip(domain.sizes, domain.names, strict=True))
        reason = f"for {name} the squares of all columns' levels add up to at most {_MOST_ENTRIES:,}, here {entries:,}"
        raise ParameterError(f"levels of {column}", most, "fewer", reason)


def _require_boolean(domain: Domain) -> None:
    if not domain.is_boolean:
        reason = "an attribute has more than two levels"
        raise ParameterError("family", "parities", "monomials, cells, thresholds or moments here", reason)


def _identity(domain: Domain, attribute: int, power: int) -> Feature:
    size, name = domain.sizes[attribute], domain.names[attribute]
    label = name if power == 1 else f"{name}^{power}"
    return Feature(attribute, power, tuple(code**power for code in range(size)), (size - 1) ** power, label)


def _products(name: str, domain: Domain, features: Sequence[Feature], degree: int) -> ProductFamily:
    facts = family_of_levels(name, domain.sizes, degree)
    by_attribute: list[list[int]] = [[] for _ in domain.sizes]
    for a, feature in enumerate(features):
        by_attribute[feature.attribute].append(a)
    rows = [
        row
        for factors in range(1, min(degree, domain.p) + 1)
        for subset in combinations(range(domain.p), factors)
        for row in product(*(by_attribute[j] for j in subset))
        if sum(features[a].degree for a in row) <= degree
    ]
    assert len(rows) == facts.varying
    return ProductFamily(name, domain, features, rows, facts)
