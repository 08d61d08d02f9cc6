"""A small table with three columns, and releases of it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from bounds.privacy.adjacency import Adjacency
from release.data.domain import Domain
from release.data.schema import Schema, schema_of_domain
from release.marginals.file import Marginals, MarginalTable, NoiseLaw
from release.marginals.make import release_marginals

LEVEL = Fraction(19, 20)


def schema() -> Schema:
    return schema_of_domain(Domain((2, 3, 4), ("ill", "town", "job")))


def records(n: int = 3000, seed: int = 1) -> Any:
    source = np.random.default_rng(seed)
    town, job = source.choice(3, n, p=[0.6, 0.3, 0.1]), source.choice(4, n, p=[0.4, 0.3, 0.25, 0.05])
    ill = source.random(n) < 0.1 + 0.2 * (town == 1) + 0.1 * (job == 2)
    return np.column_stack([ill, town, job]).astype(schema().domain.code_type)


def released(codes: Any = None, **more: Any) -> Marginals:
    asked = {"epsilon": "1", "dp_delta": "1e-6", "adjacency": "replace-one", "mode": "simulate"} | more
    if asked["mode"] == "simulate":
        asked.setdefault("seed", 1)
    return release_marginals(records() if codes is None else codes, schema(), **asked)


def share(codes: Any, column: int, *values: int) -> float:
    return float(np.isin(codes[:, column], values).mean())


def elsewhere(noise: NoiseLaw | None, *, beta: Fraction = Fraction(1, 100)) -> Marginals:
    """Made by somebody else: 600 of 3000 are ill."""
    table = MarginalTable(columns=(0,), counts=(2400, 600), denominator=3000, radius=Fraction(1, 100), noise=noise)
    return Marginals(
        schema=schema(), adjacency=Adjacency.REPLACE_ONE, size=3000, origin="elsewhere", beta=beta, tables=(table,)
    )
