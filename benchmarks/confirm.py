"""How small the certificate of a planned gradient query is on real tables, at total epsilon 1.1 and confidence 0.95.

Replace-one, dp_delta = 1/n^2. Each draw makes a release, trains on synthetic points, asks for the gradient at the model
and certifies it; medians are over draws, and the true gain of the best model beside them. A share of 1/6 leaves the
release the budget of epsilon 1. CPU seconds are of one draw with one query. Nothing is measured without the tables.
"""

from __future__ import annotations

import statistics
import sys
import time
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.measure import main
from lp.columns import LevelColumn
from lp.moments.confirmation import confirm
from lp.moments.feature_map import FeatureMap, build_feature_map
from lp.moments.making import make_release
from lp.moments.query import ask_gradient
from lp.moments.second_round import corrected_model
from lp.moments.synthetic import TiltedPoints, tilted_points
from lp.moments.targets import release_targets
from lp.moments.training import mean_loss, train, train_on_table
from lp.schema import PUBLIC, Schema
from verify import real_tables

TABLES = ("adult", "dutch")
EPSILON, FAILURE = Fraction(11, 10), Fraction(1, 20)
TARGETS = {("adult", 5): 0.001, ("adult", 10): 0.011, ("dutch", 5): 0.0006}
FIRST_PART = Fraction(3, 10)
"""Of the reservation, for the first of two rounds."""


def run(*, quick: bool) -> dict[str, Any]:
    draws, shares = (3, (Fraction(1, 6),)) if quick else (20, (Fraction(1, 6), Fraction(2, 5)))
    found: dict[str, Any] = {"draws": draws, "epsilon": float(EPSILON), "failure": float(FAILURE)}
    for name in TABLES:
        if not real_tables.is_here(name):
            found[name] = real_tables.MISSING
            continue
        for share in shares:
            found[f"{name}, share {share}"] = _measure(name, share, draws)
    return found


def feature_map_of(name: str) -> FeatureMap:
    """All columns linear, the last one is the label."""
    names, sizes = real_tables.columns(name), real_tables.domain(name)
    columns = tuple(LevelColumn(column, tuple(str(i) for i in range(sizes[column]))) for column in names)
    return build_feature_map(Schema(columns, PUBLIC), label=names[-1])


def _measure(name: str, share: Fraction, draws: int) -> dict[str, Any]:
    feature_map, codes = feature_map_of(name), real_tables.codes(name)
    n = len(codes)
    table = (feature_map.features(codes) / float(feature_map.one), feature_map.labels(codes))
    equal = np.full(n, 1 / n)
    found: dict[str, Any] = {}
    for tau in (5, 10):
        best = train_on_table(codes, feature_map, tau=tau).risk_est
        bounds: dict[str, list[float]] = {"one": [], "two": []}
        gains: dict[str, list[float]] = {"one": [], "two": []}
        seconds = []
        for draw in range(draws):
            start = time.process_time()
            release = make_release(
                codes,
                feature_map,
                epsilon=EPSILON,
                dp_delta=Fraction(1, n * n),
                adjacency="replace-one",
                mode="simulate",
                reserve=share,
                seed=1,
                run=draw,
            )
            points = tilted_points(release_targets(release), seed=draw)
            model = train(
                points.features, points.labels, points.weights, squared_norm=feature_map.squared_norm, tau=tau
            )
            asked = ask_gradient(codes, release, model.coefficients, seed=1, run=draw)
            bounds["one"].append(float(confirm(asked.query, asked.release, failure=FAILURE, tau=Fraction(tau)).bound))
            seconds.append(time.process_time() - start)
            gains["one"].append(mean_loss(model.coefficients, *table, equal, loss="logistic") - best)
            bound, coefficients = _two_rounds(codes, release, points, model.coefficients, tau, draw)
            bounds["two"].append(bound)
            gains["two"].append(mean_loss(coefficients, *table, equal, loss="logistic") - best)
        target = TARGETS.get((name, tau))
        found[f"tau {tau}"] = {
            "median": round(statistics.median(bounds["one"]), 6),
            "worst": round(max(bounds["one"]), 6),
            "true_gain": round(statistics.median(gains["one"]), 6),
            "two_rounds_median": round(statistics.median(bounds["two"]), 6),
            "two_rounds_true_gain": round(statistics.median(gains["two"]), 6),
            "violations": sum(g > b for kind in bounds for g, b in zip(gains[kind], bounds[kind], strict=True)),
            "largest_ratio": round(
                max(g / b for kind in bounds for g, b in zip(gains[kind], bounds[kind], strict=True)), 3
            ),
            "target": target,
            "meets_target": None if target is None else statistics.median(bounds["one"]) <= target,
            "cpu_seconds": round(statistics.median(seconds), 2),
        }
    return found


def _two_rounds(
    codes: Any, release: Any, points: TiltedPoints, coefficients: Any, tau: int, draw: int
) -> tuple[float, tuple[Fraction, ...]]:
    """The same budget in two queries: the first moves the model, the second certifies it."""
    first = ask_gradient(codes, release, coefficients, part=FIRST_PART, seed=1, run=draw)
    seen = confirm(first.query, first.release, failure=FAILURE, tau=Fraction(tau))
    moved = corrected_model(
        points.features,
        points.labels,
        points.weights,
        squared_norm=release.feature_map.squared_norm,
        loss="logistic",
        coefficients=coefficients,
        gradient=seen.gradient,
        deviation=seen.certificate.errors.deviation,
        tau=Fraction(tau),
    )
    second = ask_gradient(codes, first.release, moved.coefficients, previous=first.query, seed=1, run=draw)
    bound = confirm(second.query, second.release, failure=FAILURE, tau=Fraction(tau)).bound
    return float(bound), moved.coefficients


if __name__ == "__main__":
    sys.exit(main("confirm", __doc__ or "", run))
