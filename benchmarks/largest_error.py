"""How closely two noisy numbers bound the errors of a finished table over 20,000 thresholds, and how often they miss.

MST makes a table of Compas and of Adult at epsilon 1, dp_delta = 1/n^2; a further twentieth of its rho pays for the two
numbers, the largest and the mean error of the table over all answers of the thresholds. Exact errors are computed once,
the noise is drawn a thousand times. A draw misses if one of its bounds is below the true error. All is simulated.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.measure import main
from bounds.clopper_pearson import interval
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import GaussianDP
from mechanisms.mechanism import Public
from mechanisms.pgm.from_log import estimate_log, rows_of_log
from mechanisms.select.mst import plan_mst, run_mst
from release.accuracy.make import measure_accuracy
from release.accuracy.query_workload import QueryWorkload
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.data.source import as_source
from release.noise.draw import draw
from release.noise.randomness import read_randomness
from release.parameters import DEFAULT_BETA
from release.statistics.public_queries import number_places
from release.statistics.table_errors import error_steps
from release.statistics.thresholds import Thresholds
from verify import real_tables

TABLES = ("compas", "adult")
THRESHOLDS, DRAWS = 20_000, 1000
SHARE = Fraction(1, 20)
"""Part of the rho that MST spent, in addition to it."""
CONFIDENCE = 0.999


def run(*, quick: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"draws": DRAWS, "beta": str(DEFAULT_BETA), "confidence": CONFIDENCE}
    for name in TABLES[: 1 if quick else None]:
        if not real_tables.is_here(name):
            return {name: real_tables.MISSING}
        for adjacency in Adjacency:
            found[f"{name}, {adjacency.value}"] = _misses(name, adjacency)
    return found


def _misses(name: str, adjacency: Adjacency) -> dict[str, Any]:
    start = time.process_time()
    names, sizes = real_tables.columns(name), real_tables.domain(name)
    schema = schema_of_domain(Domain(tuple(sizes[column] for column in names), names))
    records = real_tables.codes(name)
    n, label = len(records), len(names) - 1
    public = Public(schema=schema, adjacency=adjacency, size=n if adjacency is Adjacency.REPLACE_ONE else n // 2)
    plan = plan_mst(public, epsilon=Fraction(1), dp_delta=Fraction(1, n**2), mode="simulate")
    log = run_mst(records, plan, read_randomness("simulate", seed=7))
    size = n if adjacency is Adjacency.REPLACE_ONE else round(log.total_est)
    rows = rows_of_log(log, estimate_log(log), size)
    workload = QueryWorkload(Thresholds(schema, number_places(schema, besides=[label]), (label,), THRESHOLDS))
    price = GaussianDP(mu_squared=2 * SHARE * log.ledger.total, adjacency=adjacency)
    asked = {"least_size": None if adjacency is Adjacency.REPLACE_ONE else size}
    first, _ = measure_accuracy(
        records, rows, workload, Ledger.of(price), price, read_randomness("simulate", seed=8), **asked
    )
    (theirs,), (ours,) = (workload.sums(as_source(codes, schema.domain)) for codes in (records, rows))
    exact = error_steps(
        [theirs],
        [ours],
        denominator=1,
        n=n,
        rows=len(rows),
        size=first.stated_size,
        mean_moved=first.mean_moved,
        adjacency=adjacency,
    )
    errors = np.abs(theirs / n - ours / len(rows))
    truth, drawn = (float(errors.max()), float(errors.mean())), []
    for again in range(DRAWS):
        numbers = tuple(round(v) for v in draw(first.noise, exact, read_randomness("simulate", seed=9, run=again)))
        bound = replace(first, numbers=numbers).errors(DEFAULT_BETA)
        drawn.append((float(bound.largest), float(bound.mean)))
    misses = sum(bound[0] < truth[0] or bound[1] < truth[1] for bound in drawn)
    return {
        "n": n,
        "answers": workload.count,
        "largest": round(truth[0], 5),
        "largest_bound": round(statistics.fmean(bound[0] for bound in drawn), 5),
        "mean": round(truth[1], 5),
        "mean_bound": round(statistics.fmean(bound[1] for bound in drawn), 5),
        "misses": misses,
        "rate": [round(end, 5) for end in interval(misses, DRAWS, CONFIDENCE)],
        "cpu_s": round(time.process_time() - start, 1),
    }


if __name__ == "__main__":
    raise SystemExit(main("largest_error", __doc__ or "", run))
