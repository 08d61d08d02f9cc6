"""A small table of numbers, categories and labels, and logs of RAP and RAP++ of it. For many tests."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from bounds.privacy.adjacency import Adjacency
from mechanisms.mechanism import Public
from mechanisms.rap.plan import RapPlan, plan_rap
from mechanisms.rap.run import run_rap
from release.log.file import MarginalLog
from release.noise.randomness import Randomness, read_randomness
from tests.cross_examples import schema_of

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE
SCHEMA = schema_of(
    [
        {"name": "age", "range": ["0", "40"], "bins": 40},
        {"name": "trade", "levels": ["a", "b", "c", "d"]},
        {"name": "pay", "range": ["0", "1"], "bins": 25},
        {"name": "visits", "range": ["0", "60"], "bins": 60, "missing": True},
        {"name": "owns", "levels": ["no", "yes"]},
        {"name": "grade", "levels": ["low", "mid", "high"]},
    ]
)
"""age and pay are numbers; visits has gaps, so it is a category, of merged codes."""
SMALL: dict[str, Any] = {"rounds": 4, "top": 3, "points": 80}
MIXED: dict[str, Any] = SMALL | {"thresholds": 150, "table_rounds": 2, "labels": ("owns", "grade")}
N = 1500


@cache
def table(n: int = N, seed: int = 3) -> np.ndarray[Any, Any]:
    """Numbers that rise together, labels that follow them, a heap at one age, gaps in visits."""
    stream = np.random.default_rng(seed)
    level = stream.random(n)
    age = np.where(stream.random(n) < 0.2, 30, np.minimum(39, 40 * (0.6 * level + 0.4 * stream.random(n)))).astype(int)
    pay = np.minimum(24, 25 * level**2).astype(int)
    trade = np.where(stream.random(n) < level, 0, stream.integers(1, 4, n))
    visits = np.where(stream.random(n) < 0.1, 60, np.minimum(59, stream.poisson(5 + 30 * level)))
    owns = (stream.random(n) < level).astype(int)
    grade = np.minimum(2, 3 * level * stream.random(n) ** 0.3).astype(int)
    rows = np.column_stack([age, trade, pay, visits, owns, grade]).astype(np.uint8)
    rows.flags.writeable = False
    return rows


def public(adjacency: Adjacency = REPLACE) -> Public:
    return Public(schema=SCHEMA, adjacency=adjacency, size=N if adjacency is REPLACE else N - 300)


def planned(
    method: str = "rap++", adjacency: Adjacency = REPLACE, *, epsilon: int = 2, mode: Any = "simulate", **settings: Any
) -> RapPlan:
    asked = (MIXED if method == "rap++" else SMALL) | settings
    delta = Fraction(1, 10**6)
    return plan_rap(public(adjacency), method=method, epsilon=Fraction(epsilon), dp_delta=delta, mode=mode, **asked)


@cache
def made(
    method: str = "rap++", adjacency: Adjacency = REPLACE, epsilon: int = 2, mode: Any = "simulate"
) -> MarginalLog:
    return run_rap(table(), planned(method, adjacency, epsilon=epsilon, mode=mode), randomness(mode))


def randomness(mode: str = "simulate", seed: int = 4) -> Randomness:
    return read_randomness("simulate", seed=seed) if mode == "simulate" else read_randomness("release")
