"""A small public schema with every kind of column, a table of it, and releases of its cross moments: for many tests."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np

from bounds.privacy.ledger import Ledger
from release.cross_moments.file import CrossMoments
from release.cross_moments.make import release_cross_moments
from release.cross_moments.planned import CrossMomentPlan
from release.data.schema import Schema, parse_schema
from release.noise.randomness import read_randomness
from release.statistics.cross_moments import TableEncoding, encode_table

COLUMNS: list[dict[str, Any]] = [
    {"name": "age", "range": ["0", "70"], "bins": 7},
    {"name": "town", "levels": ["north", "south", "west"]},
    {"name": "pays", "levels": ["no", "yes"]},
    {"name": "owns", "levels": ["no", "yes"]},
    {"name": "size", "range": ["0", "8"], "bins": 4, "missing": True},
]


def schema_of(columns: list[dict[str, Any]]) -> Schema:
    return parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns}))


SCHEMA = schema_of(COLUMNS)


def table(n: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Records with dependent columns; `pays` depends on all of them."""
    generator = np.random.default_rng(seed)
    age = generator.binomial(6, 0.4, n)
    town = np.where(generator.random(n) < 0.6, 0, generator.integers(0, 3, n))
    owns = (generator.random(n) < 0.2 + 0.1 * age).astype(int)
    size = np.where(generator.random(n) < 0.2, 4, np.minimum(3, generator.poisson(0.5 + owns)))
    score = 0.6 * (age - 2.4) + 1.2 * owns - (town == 2) - 0.3 * size
    pays = (generator.random(n) < 1 / (1 + np.exp(-score))).astype(int)
    return np.column_stack([age, town, pays, owns, size]).astype(np.uint8)


def plan(
    encoding: TableEncoding | None = None,
    *,
    epsilon: object = 1,
    adjacency: str = "replace-one",
    size: int = 2000,
    label: str | None = "pays",
    smooth: bool = True,
    mode: Any = "simulate",
    reserve: Fraction = Fraction(0),
) -> CrossMomentPlan:
    ledger = Ledger.in_mu_squared(epsilon=str(epsilon), dp_delta="1e-6", adjacency=adjacency)
    if reserve:
        ledger = ledger.reserve_share(reserve, "later questions")
    chosen = encode_table(SCHEMA, smooth=smooth, label=label) if encoding is None else encoding
    return CrossMomentPlan(encoding=chosen, mode=mode, ledger=ledger, stated_size=size)


def made(records: np.ndarray[Any, Any] | None = None, *, run: int = 0, seed: int = 5, **asked: Any) -> CrossMoments:
    """A release of a table, simulated unless `mode` says otherwise."""
    rows = table(2000) if records is None else records
    found = plan(**{"size": len(rows), **asked})
    source = read_randomness("simulate", seed=seed, run=run) if found.is_simulated else read_randomness("release")
    return release_cross_moments(rows, found, source)
