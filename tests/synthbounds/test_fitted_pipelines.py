"""Fitted scikit-learn pipelines, given wherever a function takes a model, or converted at the front door."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import synthbounds as sb
from bounds.errors import SynthboundsError
from tests.paths import ROOT

TABLE, SCHEMA = (str(ROOT / "docs" / "examples" / f"survey{end}") for end in (".csv", ".schema.json"))
with open(TABLE, newline="") as file:
    NAMES, *ROWS = csv.reader(file)
RECORDS = np.array(ROWS[:400], dtype=object)
LABELS = RECORDS[:, NAMES.index("insured")]


def pipeline(*names: str, last: Any = None) -> Any:
    numbers = [NAMES.index(name) for name in names if name == "age"]
    labels = [NAMES.index(name) for name in names if name != "age"]
    steps = ColumnTransformer(
        [("scale", StandardScaler(), numbers), ("encode", OneHotEncoder(handle_unknown="ignore"), labels)]
    )
    fitted = make_pipeline(steps, LogisticRegression() if last is None else last).fit(RECORDS, LABELS)
    steps = fitted.steps[0][1]
    steps.feature_names_in_ = np.array(NAMES, dtype=object)  # as after a data frame
    return fitted


@pytest.fixture(scope="module")
def release() -> Any:
    asked: dict[str, Any] = {"mode": "simulate", "epsilon": 1, "dp_delta": "1e-6", "reserve": "1/2", "seed": 1}
    return sb.release_moments(TABLE, SCHEMA, label="insured", by_value=["age"], **asked)


def test_a_pipeline_is_a_model(release: Any) -> None:
    fitted = pipeline("age", "smoker", "exercise")
    model = sb.model_from_sklearn(fitted, SCHEMA, label="insured")
    assert "raw columns" in model.made
    by_hand, direct = (sb.confirm(TABLE, release, one, ask="excess", seed=1) for one in (model, fitted))
    assert by_hand.to_dict()["excess_upper"] == direct.to_dict()["excess_upper"]
    assert sb.certify(release, fitted, tau=5).model.feature_map == release.feature_map


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (lambda: make_pipeline(StandardScaler(), LogisticRegression()), "the pipeline is not fitted"),
        (lambda: pipeline("smoker", last=RandomForestClassifier(2)), "for other models: `sb.confirm_predictions`"),
    ],
)
def test_what_is_no_model_says_why(release: Any, estimator: Any, words: str) -> None:
    for call in (
        lambda given: sb.certify(release, given),
        lambda given: sb.confirm(TABLE, release, given),
        lambda given: sb.model_from_sklearn(given, SCHEMA, label="insured"),
    ):
        with pytest.raises(SynthboundsError, match=words):
            call(estimator())
