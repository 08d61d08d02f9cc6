"""What two noisy numbers say about AIM's tables of Adult: certificates of models, and the tables' largest error.

AIM runs at epsilon 1, dp_delta = 1/n^2, with the settings of zhou2024 (tables of up to four columns), and spends all of
it. A further tenth of its rho pays for the distance of the finished table's moments (add-remove, as in the paper), and
a model of norm 5 trained on the table is certified by it. A further twentieth of its rho pays for the largest error of
the table over the cells of all pairs of columns (replace-one). Every draw has fresh, simulated noise.
"""

from __future__ import annotations

import statistics
import time
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.measure import main
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import GaussianDP
from mechanisms.evaluate.tables import half_l1
from mechanisms.mechanism import Public
from mechanisms.models.certify.from_distance import certify_from_distance
from mechanisms.models.certify.from_moments import class_for
from mechanisms.models.train.from_public import train_from_table
from mechanisms.pgm.from_log import estimate_log, rows_of_log
from mechanisms.select.aim import run_aim
from mechanisms.select.aim_plan import plan_aim
from release.accuracy.make import measure_accuracy
from release.accuracy.workload import read_workload
from release.data.counting import count_marginals
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.data.source import as_source
from release.distance.make import measure_distance
from release.noise.randomness import read_randomness
from release.parameters import DEFAULT_BETA
from release.statistics.features import choose_features
from verify import real_tables

TAU = 5
FIRST_SEED = 5000
DISTANCE_SHARE, ERROR_SHARE = Fraction(1, 10), Fraction(1, 20)
"""Parts of the rho that AIM spent, in addition to it."""
ASKED_AGAIN = 25
"""Draws of the noise of the largest error for every table, so that misses can be counted."""


def run(*, quick: bool) -> dict[str, Any]:
    if not real_tables.is_here("adult"):
        return {"adult": real_tables.MISSING}
    draws = 2 if quick else 20
    start = time.process_time()
    certified = [_certified(FIRST_SEED + draw) for draw in range(draws)]
    errors = [_largest_error(FIRST_SEED + 100 + draw) for draw in range(draws)]
    bounds = [found["bound"] for found in certified]
    beyond = [gap for found in errors for gap in found["beyond_truth"]]
    return {
        "draws": draws,
        "median_certificate": statistics.median(bounds),
        "largest_certificate": max(bounds),
        "certificates": bounds,
        "mean_pair_distance": round(statistics.fmean(found["pairs_tv"] for found in certified), 5),
        "queries": errors[0]["queries"],
        "mean_largest_error": round(statistics.fmean(found["truth"] for found in errors), 5),
        "mean_beyond_truth": round(statistics.fmean(beyond), 6),
        "asked": len(beyond),
        "misses": sum(gap < 0 for gap in beyond),
        "beta": str(DEFAULT_BETA),
        "cpu_s": round(time.process_time() - start, 1),
    }


def _table(adjacency: Adjacency, seed: int) -> tuple[Any, Any, Any, Any]:
    """Schema, records, log and rows of one run of AIM."""
    names, sizes = real_tables.columns("adult"), real_tables.domain("adult")
    schema = schema_of_domain(Domain(tuple(sizes[column] for column in names), names))
    records = real_tables.codes("adult")
    n = len(records)
    public = Public(schema=schema, adjacency=adjacency, size=n if adjacency is Adjacency.REPLACE_ONE else 40_000)
    plan = plan_aim(public, epsilon=Fraction(1), dp_delta=Fraction(1, n**2), mode="simulate", degree=4)
    log = run_aim(records, plan, read_randomness("simulate", seed=seed))
    return schema, records, log, rows_of_log(log, estimate_log(log), n)


def _certified(seed: int) -> dict[str, float]:
    schema, records, log, rows = _table(Adjacency.ADD_REMOVE, seed)
    features = choose_features(schema, label=schema.names[-1], linear=["all"])
    price = GaussianDP(mu_squared=2 * DISTANCE_SHARE * log.ledger.total, adjacency=log.adjacency)
    distance, _ = measure_distance(
        records,
        rows,
        features,
        Ledger.of(price),
        price,
        read_randomness("simulate", seed=seed, run=1),
        least_size=round(log.total_est),
    )
    model = train_from_table(as_source(rows, schema.domain), features, tau=TAU).model
    found = certify_from_distance(distance, model, class_for(model, tau=Fraction(TAU)))
    ours, theirs = (count_marginals(codes, schema.domain.sizes, 2) for codes in (records, rows))
    pairs = [half_l1(ours[pair], theirs[pair]) for pair in ours if len(pair) == 2]
    return {"bound": round(float(found.bound), 5), "pairs_tv": statistics.fmean(pairs)}


def _largest_error(seed: int) -> dict[str, Any]:
    schema, records, log, rows = _table(Adjacency.REPLACE_ONE, seed)
    workload = read_workload("pairs", schema)
    price = GaussianDP(mu_squared=2 * ERROR_SHARE * log.ledger.total, adjacency=log.adjacency)
    ours, theirs = (count_marginals(codes, schema.domain.sizes, 2) for codes in (records, rows))
    pairs = [pair for pair in ours if len(pair) == 2]
    truth = max(float(np.abs(ours[pair] - theirs[pair]).max()) for pair in pairs) / len(records)
    beyond = []
    for again in range(ASKED_AGAIN):
        found, _ = measure_accuracy(
            records, rows, workload, Ledger.of(price), price, read_randomness("simulate", seed=seed, run=1 + again)
        )
        beyond.append(float(found.errors(DEFAULT_BETA).largest) - truth)
    return {"queries": workload.count, "truth": truth, "beyond_truth": beyond}


if __name__ == "__main__":
    raise SystemExit(main("finished_tables", __doc__ or "", run))
