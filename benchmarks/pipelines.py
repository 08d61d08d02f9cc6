"""The ordinary scikit-learn pipeline of raw Adult as a model of public features: its norm, and how near scores are.

Numbers are scaled, labels one-hot, the classifier has its defaults. Scores are compared with the pipeline's own, on the
table whose numbers are the middles of their bins and on the numbers as they are.
"""

from __future__ import annotations

import csv
import time
from typing import Any

import numpy as np

import synthbounds.data as sd
from benchmarks.measure import main
from benchmarks.tables import EXAMPLES
from synthbounds import models
from verify import real_tables

TABLE = real_tables.FOLDER / "raw" / "adult_raw.csv"
LABEL = "income"


def run(*, quick: bool) -> dict[str, Any]:
    return {"adult_raw": _study() if TABLE.is_file() else real_tables.MISSING}


def _study() -> dict[str, float]:
    from sklearn.compose import ColumnTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

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
    labels = [k for k in range(len(names)) if k not in numbers]
    encoder = OneHotEncoder(handle_unknown="ignore")
    steps = ColumnTransformer([("n", StandardScaler(), numbers), ("c", encoder, labels)])
    fitted = make_pipeline(steps, LogisticRegression(max_iter=1000))
    fitted.fit(raw, [row[header.index(LABEL)] for row in rows])
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
    }


if __name__ == "__main__":
    raise SystemExit(main("pipelines", __doc__ or "", run))
