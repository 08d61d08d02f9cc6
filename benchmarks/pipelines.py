"""The ordinary scikit-learn pipeline of raw Adult as a model of public features: its norm, its scores, its certificate.

Numbers are scaled, nominal columns one-hot, and the classifier has its defaults. Scores are compared with the
pipeline's own, on the table with numbers replaced by the middles of their bins and on the original numbers.
Certificates come from one query for the excess over all models of the same norm, with half of a total epsilon of 1.1
(in mu^2), for the pipeline fitted on the table itself and for one fitted on a synthetic table made with the other half.
Medians over simulated answers.
"""

from __future__ import annotations

import csv
import statistics
import time
from fractions import Fraction
from typing import Any

import numpy as np

import synthbounds.data as sd
from benchmarks.measure import main
from benchmarks.tables import EXAMPLES
from bounds.privacy.gaussian import gaussian_epsilon
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import GaussianDP
from synthbounds import models
from synthbounds.api.tables import synthesize
from verify import real_tables

TABLE = real_tables.FOLDER / "raw" / "adult_raw.csv"
LABEL = "income"
EPSILON = Fraction(11, 10)


def run(*, quick: bool) -> dict[str, Any]:
    return {"adult_raw": _study(tables=1 if quick else 5) if TABLE.is_file() else real_tables.MISSING}


def _study(tables: int) -> dict[str, Any]:
    schema = sd.read_schema(EXAMPLES / "adult_raw.schema.json")
    codes = sd.read_codes(TABLE, schema)
    with TABLE.open(newline="", encoding="utf-8") as lines:
        header, *rows = ([cell.strip() for cell in row] for row in csv.reader(lines))
    names = [name for name in schema.names if name != LABEL]
    raw = np.array([[row[header.index(name)] for name in names] for row in rows], dtype=object)
    middles, numbers = raw.copy(), []
    for k, name in enumerate(names):
        place = schema.names.index(name)
        found = schema.columns[place].numbers
        if found is not None:
            numbers.append(k)
            raw[:, k] = raw[:, k].astype(float)
            middles[:, k] = np.array([float(value) for value in found])[codes[:, place]]
    fitted = _fitted(raw, [row[header.index(LABEL)] for row in rows], numbers)
    start = time.process_time()
    features = models.features_of_pipeline(fitted, schema, label=LABEL, columns=names)
    model = models.model_from_sklearn(fitted, features, columns=names)
    seconds = time.process_time() - start
    scores = features.features(codes) / features.one @ np.array([float(c) for c in model.coefficients])
    as_they_are = fitted.decision_function(raw)
    off = np.abs(scores - as_they_are)
    return {
        "features": features.size,
        "norm": round(float(model.norm_hi), 2),
        "largest_difference": float(np.abs(scores - fitted.decision_function(middles)).max()),
        "raw_median_difference": round(float(np.median(off)), 4),
        "raw_largest_difference": round(float(off.max()), 3),
        "raw_other_decision": round(float(np.mean((scores > 0) != (as_they_are > 0))), 5),
        "cpu_s": round(seconds, 3),
        "certified": _certified(codes, [model] * tables),
        "certified_from_private_tables": _certified(codes, [_private(schema, codes, run) for run in range(tables)]),
    }


def _fitted(columns: Any, labels: Any, numbers: list[int]) -> Any:
    """Numbers scaled, other columns one-hot, and the classifier with its defaults."""
    from sklearn.compose import ColumnTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    others = [k for k in range(columns.shape[1]) if k not in numbers]
    steps = ColumnTransformer([("n", StandardScaler(), numbers), ("c", OneHotEncoder(handle_unknown="ignore"), others)])
    return make_pipeline(steps, LogisticRegression(max_iter=1000)).fit(columns, labels)


def _private(schema: sd.Schema, codes: Any, run: int) -> models.Model:
    """The pipeline fitted on a synthetic table that the other half of the budget paid for, as a model."""
    budget = Ledger.in_mu_squared(epsilon=EPSILON, dp_delta=Fraction(1, len(codes) ** 2), adjacency="replace-one")
    half = GaussianDP(mu_squared=budget.total / 2, adjacency=budget.adjacency)
    epsilon = gaussian_epsilon(half, dp_delta=Fraction(1, len(codes) ** 2)).epsilon.lo
    made = synthesize(
        codes,
        schema,
        mode="simulate",
        method="moments",
        label=LABEL,
        epsilon=epsilon,
        dp_delta=Fraction(1, len(codes) ** 2),
        seed=run,
    )
    names = [name for name in schema.names if name != LABEL]
    columns, numbers = np.empty((len(made.rows), len(names)), dtype=object), []
    for k, name in enumerate(names):
        place = schema.names.index(name)
        found = schema.columns[place].numbers
        values = schema.columns[place].texts if found is None else [float(value) for value in found]
        numbers += [] if found is None else [k]
        columns[:, k] = np.array(values, dtype=object)[made.rows[:, place]]
    place = schema.names.index(LABEL)
    fitted = _fitted(columns, np.array(schema.columns[place].texts)[made.rows[:, place]], numbers)
    features = models.features_of_pipeline(fitted, schema, label=LABEL, columns=names)
    return models.model_from_sklearn(fitted, features, columns=names)


def _certified(codes: Any, fitted: list[models.Model]) -> dict[str, Any]:
    """One answer for each model."""
    bounds, words, norms, seconds = [], [], [], []
    for run, model in enumerate(fitted):
        features = models.build_feature_map(model.feature_map.schema, label=LABEL, one_hot=())
        release = models.make_release(
            codes,
            features,
            epsilon=EPSILON,
            dp_delta=Fraction(1, len(codes) ** 2),
            adjacency="replace-one",
            mode="simulate",
            reserve="1/2",
            seed=run,
        )
        start = time.process_time()
        asked = models.plan_excess(release, model, models.class_for(model), beta=Fraction(1, 20), seed=run).ask(codes)
        seconds.append(time.process_time() - start)
        bounds.append(float(asked.bound))
        words.append(asked.proved.verdict.word)
        norms.append(float(model.norm_hi))
    return {
        "models": len(fitted),
        "norm": round(statistics.median(norms), 2),
        "bound": round(statistics.median(bounds), 5),
        "largest_bound": round(max(bounds), 5),
        "informative": words.count("informative"),
        "cpu_s": round(statistics.median(seconds), 2),
    }


if __name__ == "__main__":
    raise SystemExit(main("pipelines", __doc__ or "", run))
