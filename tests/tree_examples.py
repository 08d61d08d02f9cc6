"""Logs of trees and of all tables, from a small chain of columns. For many tests, and for processes of their own."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any

import numpy as np

from bounds.privacy.adjacency import Adjacency
from mechanisms.mechanism import Public
from mechanisms.pgm.from_log import estimate_log, rows_of_log
from mechanisms.select.gen import is_tilted, plan_gen, run_gen, tilted_rows
from mechanisms.select.mst import plan_mst, run_mst
from mechanisms.select.tree import plan_tree, run_tree
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.log.file import MarginalLog
from release.noise.randomness import Randomness

SIZES = (2, 5, 3, 40, 4)
REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE
BUDGET: dict[str, Any] = {"epsilon": Fraction(1), "dp_delta": Fraction(1, 10**6), "mode": "simulate"}
METHODS = {"mst": (plan_mst, run_mst), "tree": (plan_tree, run_tree), "gen": (plan_gen, run_gen)}


def budget(epsilon: int) -> dict[str, Any]:
    return BUDGET | {"epsilon": Fraction(epsilon)}


def table(n: int = 400, sizes: tuple[int, ...] = SIZES, seed: int = 5) -> np.ndarray[Any, Any]:
    """A chain: each column follows the one before it, so that neighbours are the farthest from independent."""
    stream = np.random.default_rng(seed)
    rows = np.empty((n, len(sizes)), dtype=np.uint8)
    level = stream.random(n)
    for u, size in enumerate(sizes):
        rows[:, u] = np.minimum(level**2 * size, size - 1)
        level = np.where(stream.random(n) < 0.8, level, stream.random(n))
    return rows


def public(adjacency: Adjacency, n: int = 400, sizes: tuple[int, ...] = SIZES) -> Public:
    return Public(schema=schema_of_domain(Domain(sizes)), adjacency=adjacency, size=n)


def made(
    method: str,
    adjacency: Adjacency = REPLACE,
    *,
    n: int = 400,
    sizes: tuple[int, ...] = SIZES,
    seed: int = 1,
    **settings: Any,
) -> MarginalLog:
    plan, run = METHODS[method]
    planned = plan(public(adjacency, n, sizes), **BUDGET | settings)  # type: ignore[operator]
    found: MarginalLog = run(table(n, sizes), planned, Randomness(mode="simulate", seed=seed))  # type: ignore[operator]
    return found


def rows_of(log: MarginalLog, k: int) -> np.ndarray[Any, Any]:
    return tilted_rows(log, k).codes if is_tilted(log) else rows_of_log(log, estimate_log(log), k)


def digests() -> list[str]:
    """Of logs and rows of every method."""
    logs = [made("mst"), made("tree", label="x3"), made("gen")]
    return [text for log in logs for text in (log.digest, hashlib.sha256(rows_of(log, 300).tobytes()).hexdigest())]
