"""A small schema, tables of it, and all pairs of records: shared by the tests of distance and accuracy."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np

from bounds.clopper_pearson import interval
from release.data.schema import parse_schema
from release.statistics.features import build_feature_map

COLUMNS = [
    {"name": "a", "levels": ["0", "1"]},
    {"name": "b", "levels": ["0", "1"]},
    {"name": "c", "range": ["0", "1"], "bins": 3},
    {"name": "y", "levels": ["no", "yes"]},
]
SCHEMA = parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": COLUMNS}))
FEATURES = build_feature_map(SCHEMA, label="y")
ONE_HOT = build_feature_map(SCHEMA, label="y", one_hot=["c"])
DOMAIN = np.array(list(itertools.product(range(2), range(2), range(3), range(2))), dtype=np.uint8)
BUDGETS: list[dict[str, Any]] = [
    {"adjacency": adjacency, "least_size": least, "dp_delta": delta}
    for adjacency, least in (("replace-one", None), ("add-remove", 50))
    for delta in ("1e-6", None)
]
CONFIDENCE = 0.999


def table(n: int, seed: int) -> np.ndarray:
    """Records that are not uniform."""
    rng = np.random.default_rng(seed)
    return DOMAIN[np.minimum(rng.integers(0, len(DOMAIN), n), rng.integers(0, len(DOMAIN), n))]


def miss_rates(misses: int, runs: int) -> tuple[float, float]:
    """Between which numbers the probability of a miss is, by Clopper and Pearson."""
    return interval(misses, runs, CONFIDENCE)


def name_of(budget: dict[str, Any]) -> str:
    """Of a budget, for the names of tests."""
    return f"{budget['adjacency']}-{'laplace' if budget['dp_delta'] is None else 'gaussian'}"
