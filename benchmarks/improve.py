"""A table of MST at epsilon 1, improved by moments at epsilon 1, compared with a table of MST at epsilon 2.

Excess is the mean loss on the real rows of a logistic model trained on the (weighted) rows, minus that of the best one;
with almost no ridge, and features linear in codes. Everything is private under replace-one, dp_delta is 1/n^2 for each
release, noise is simulated. `projection_cpu_s` is the whole computation from rows and release to weights, without
imports. The correlations of the same improved tables are in verify.experiments.wang2023.
"""

from __future__ import annotations

import statistics
import sys
import time
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

import synthbounds as sb
from benchmarks.measure import main
from mechanisms.models.train.newton import train
from verify import real_tables
from verify.experiments.wang2023 import budget, data, synthetic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.statistics.features import FeatureMap

    Floats = NDArray[np.float64]

TABLES = ("adult", "compas", "dutch")
DRAWS = 10
RIDGE = Fraction(1, 10**6)


def run(*, quick: bool) -> dict[str, Any]:
    if not all(real_tables.is_here(name) for name in TABLES):
        return {"not_run": real_tables.MISSING}
    _table(TABLES[1], 1)  # imports
    return {name: _table(name, 2 if quick else DRAWS) for name in TABLES}


def _table(name: str, draws: int) -> dict[str, Any]:
    schema, real, _ = data(name)
    lines = []
    for number in range(draws):
        part, whole = (synthetic(name, "mst", epsilon, number) for epsilon in (1, 2))
        release = sb.release_moments(
            real, schema, label=schema.names[-1], linear=("all",), **budget(name, 1, number, "moments")
        )
        start = time.process_time()
        found = sb.improve(part, release)
        seconds = time.process_time() - start
        features = release.feature_map
        equal = np.full(len(part), 1 / len(part))
        best = _risk(real, features, _model(real, features, np.full(len(real), 1 / len(real))))
        weighted = found.weights / len(part)
        risks = [
            _risk(real, features, _model(rows, features, weights))
            for rows, weights in ((part, equal), (whole, np.full(len(whole), 1 / len(whole))), (part, weighted))
        ]
        taken = _risk(real, features, _model(found.rows, features, equal))
        lines.append([*(risk - best for risk in (*risks, taken)), found.effective_size, seconds])
    names = ("excess_epsilon_1", "excess_epsilon_2", "excess_improved", "excess_rows", "effective_size")
    columns = list(zip(*lines, strict=True))
    means = {key: round(statistics.fmean(values), 5) for key, values in zip(names, columns, strict=False)}
    largest = {"largest_excess_improved": round(max(columns[2]), 5), "projection_cpu_s": round(max(columns[5]), 3)}
    return {"draws": draws, "statistics": found.statistics, **means, **largest}


def _model(rows: Codes, features: FeatureMap, weights: Floats) -> Floats:
    values = features.features(rows) / float(features.one)
    found = train(values, features.labels(rows), weights, squared_norm=features.squared_norm, ridge=RIDGE)
    return np.array([float(c) for c in found.coefficients])


def _risk(rows: Codes, features: FeatureMap, model: Floats) -> float:
    margins = features.labels(rows) * (features.features(rows) / float(features.one) @ model)
    return float(np.mean(np.logaddexp(0, -margins)))


if __name__ == "__main__":
    sys.exit(main("improve", __doc__ or "", run))
