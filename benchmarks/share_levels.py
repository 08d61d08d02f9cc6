"""Code shared by coverage studies of shares: planned tables, levels, and the usual interval without noise."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtri

from bounds.clopper_pearson import interval
from bounds.privacy.adjacency import Adjacency
from mechanisms.infer.shares.plan import planned_tables
from mechanisms.infer.shares.shown import ShownTables
from release.data.domain import Domain
from release.data.schema import Schema, schema_of_domain
from release.marginals.make import choose_tables
from release.noise.kinds import Mode
from verify import real_tables

LEVEL, ALPHA = Fraction(19, 20), Fraction(1, 20)
Z = float(ndtri(0.975))


def schema_of(name: str) -> Schema:
    names, sizes = real_tables.columns(name), real_tables.domain(name)
    return schema_of_domain(Domain(tuple(sizes[one] for one in names), names))


def planned(
    schema: Schema, columns: tuple[int, ...], way: str, n: int, adjacency: Adjacency, mode: Mode = "release"
) -> ShownTables:
    sets = choose_tables(schema) if way == "pairs" else (columns,)
    delta = None if way == "laplace" else Fraction(1, 10**6)
    mechanism = "laplace" if way == "laplace" else None
    return planned_tables(schema, sets, n, 1, delta, adjacency, mechanism=mechanism, mode=mode)


def level_of(hits: Any) -> dict[str, Any]:
    runs, covered = len(hits), int(np.sum(hits))
    lo, hi = interval(covered, runs, 0.999)
    level = float(LEVEL)
    return {"covers": round(covered / runs, 4), "compatible": lo <= level <= hi, "often_enough": hi >= level}


def length(ends: tuple[Fraction, Fraction]) -> Fraction:
    return ends[1] - ends[0]


def usual_ends(counts: Any, n: int) -> tuple[Any, Any]:
    """The usual interval for a probability, Clopper-Pearson's."""
    counts = np.clip(np.rint(counts), 0, n)
    lo = np.where(counts == 0, 0.0, betaincinv(np.maximum(counts, 1), n - counts + 1, 0.025))
    hi = np.where(counts == n, 1.0, betaincinv(counts + 1, np.maximum(n - counts, 1), 0.975))
    return lo, hi


def usual_width(counts: Any, n: int) -> float:
    lo, hi = usual_ends(counts, n)
    return float(np.mean(hi - lo))
