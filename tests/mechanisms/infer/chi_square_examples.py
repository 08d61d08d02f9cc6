"""Schemas, releases and designs for tests of chi-square."""

from __future__ import annotations

from typing import Any

import numpy as np

from bounds.privacy.adjacency import Adjacency
from mechanisms.infer.chi_square.power import planned_tables
from mechanisms.infer.chi_square.shown import ShownPair
from release.data.domain import Domain
from release.data.schema import Schema, schema_of_domain
from release.marginals.file import Marginals
from release.marginals.make import choose_tables, release_marginals


def schema_with(*sizes: int) -> Schema:
    return schema_of_domain(Domain(sizes, tuple("abcdefghij"[: len(sizes)])))


def records_with(schema: Schema, n: int, *, seed: int, together: float = 0.0) -> Any:
    """Codes of independent columns; in some records the second column follows the first."""
    source = np.random.default_rng(seed)
    codes = np.column_stack([source.integers(0, size, n) for size in schema.domain.sizes])
    follows = source.random(n) < together
    codes[follows, 1] = codes[follows, 0] % schema.domain.sizes[1]
    return codes


def simulated(schema: Schema, codes: Any, **more: Any) -> Marginals:
    asked = {"epsilon": "1", "dp_delta": "1e-6", "adjacency": "replace-one", "mode": "simulate", "seed": 1} | more
    return release_marginals(codes, schema, **asked)


def design(schema: Schema, names: tuple[str, str], n: int, *, pairs: Any = None, **more: Any) -> ShownPair:
    """What a release of these tables shows of two columns."""
    sets = choose_tables(schema, pairs=pairs, one_way=more.pop("one_way", []))
    asked = {"epsilon": "1", "dp_delta": "1e-6", "adjacency": Adjacency.REPLACE_ONE} | more
    return planned_tables(schema, names, sets, n, **asked)
