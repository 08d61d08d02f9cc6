"""Pipelines that were fitted on raw columns: their scores are those of the model, for every record of the domain."""

from __future__ import annotations

import csv
import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, RobustScaler, StandardScaler
from sklearn.svm import LinearSVC

from bounds.errors import DataError, SynthboundsError, UsageError
from mechanisms.models.certify.from_moments import class_for
from mechanisms.models.model import model_text, read_model, read_model_for
from mechanisms.models.sklearn_columns import scores_of_columns
from mechanisms.models.sklearn_features import features_of_pipeline, largest_difference
from mechanisms.models.sklearn_models import model_from_sklearn
from release.data.schema import parse_schema, read_schema
from release.statistics.features import build_feature_map
from verify import real_tables

SCHEMA = parse_schema(
    """{"synthbounds_schema": 1, "source": "public", "spaces": "strip", "columns": [
    {"name": "town", "levels": ["a", "b", "c"], "missing": ["?", "NA"]},
    {"name": "gain", "edges": ["0", "1", "10", "1000"], "whole": true},
    {"name": "unused", "levels": ["p", "q", "r"]},
    {"name": "pays", "levels": ["no", "yes"]},
    {"name": "age", "range": ["0", "80"], "bins": 4, "missing": true},
    {"name": "rooms", "levels": ["1", "2", "7"]},
    {"name": "owns", "levels": ["no", "yes"]}]}"""
)
ADULT = real_tables.FOLDER / "raw" / "adult_raw.csv"
NAMES = ["owns", "age", "gain", "town", "rooms", "other"]
"""As the pipelines below know them: another order, one that they drop and one that is not in the schema."""
NUMBERS = {"age": [10.0, 30.0, 50.0, 70.0, np.nan], "gain": [0.0, 5.0, 505.0]}
CELLS: dict[str, list[Any]] = {
    **NUMBERS, "owns": ["no", "yes"], "town": ["a", "b ", "c", "?"], "rooms": [1, 2, 7], "other": [0.0]
}  # fmt: skip
DOMAIN = np.array(list(itertools.product(*(CELLS[name] for name in NAMES))), dtype=object)


def codes_of_domain() -> np.ndarray:  # type: ignore[type-arg]
    places = np.array(list(itertools.product(*(range(len(CELLS[name])) for name in NAMES))))
    found = np.zeros((len(places), len(SCHEMA.columns)), dtype=np.int64)
    for k, name in enumerate(NAMES[:-1]):
        found[:, SCHEMA.names.index(name)] = places[:, k]
    return found


CODES = codes_of_domain()
LABELS = np.where(np.random.default_rng(3).random(len(DOMAIN)) < 0.3 + 0.1 * CODES[:, 0], "yes", "no")
IMPUTED = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
HOT = OneHotEncoder()


def pipeline(*parts: tuple[Any, list[str]], last: Any = None, remainder: str = "drop") -> Any:
    chosen = [(str(k), part, [NAMES.index(name) for name in names]) for k, (part, names) in enumerate(parts)]
    steps = (ColumnTransformer(chosen, remainder=remainder), LogisticRegression(C=10) if last is None else last)
    return make_pipeline(*steps).fit(DOMAIN, LABELS)


PIPELINES = {
    "usual": pipeline((IMPUTED, ["age", "gain"]), (HOT, ["town", "owns", "rooms"])),
    "first dropped": pipeline((IMPUTED, ["age", "gain"]), (OneHotEncoder(drop="first"), ["town", "owns"])),
    "binary dropped": pipeline((HOT, ["town"]), (OneHotEncoder(drop="if_binary"), ["owns", "rooms"])),
    "named ones dropped": pipeline((OneHotEncoder(drop=["c", "no"]), ["town", "owns"]), last=LinearSVC()),
    "known categories": pipeline((OneHotEncoder(categories=[["z", "?", "b ", "a", "c"]]), ["town"])),
    "numbers as labels": pipeline((HOT, ["gain"]), (MinMaxScaler(), ["rooms"]), last=RidgeClassifier()),
    "imputed labels": pipeline(
        (make_pipeline(SimpleImputer(missing_values="?", strategy="constant", fill_value="a"), HOT), ["town"])
    ),
    "passing through": pipeline(
        (HOT, ["town", "owns"]), (SimpleImputer(), ["age"]), (RobustScaler(), ["gain"]), remainder="passthrough"
    ),
    "a label that was not seen": make_pipeline(
        ColumnTransformer([("h", OneHotEncoder(handle_unknown="ignore"), [3])]), SGDClassifier(random_state=0)
    ).fit(DOMAIN[CODES[:, 0] != 1], LABELS[CODES[:, 0] != 1]),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_scores_are_those_of_the_pipeline(name: str) -> None:
    fitted = PIPELINES[name]
    features = features_of_pipeline(fitted, SCHEMA, label="pays", columns=NAMES)
    model = model_from_sklearn(fitted, features, columns=NAMES)
    scores = (features.features(CODES) / features.one) @ np.array([float(c) for c in model.coefficients])
    off = largest_difference(scores_of_columns(fitted, SCHEMA, label="pays", positive="yes", columns=NAMES), model)
    assert off < Fraction(1, 10**4)
    assert np.abs(scores - fitted.decision_function(DOMAIN)).max() <= float(off) + 1e-9
    turned = features_of_pipeline(fitted, SCHEMA, label="pays", positive="no", columns=NAMES)
    assert model_from_sklearn(fitted, turned, columns=NAMES).coefficients == tuple(-c for c in model.coefficients)
    # No other constants of the one-hot blocks have a smaller norm: every direction that changes no score is tried.
    vector, start, flat = np.array([float(c) for c in model.coefficients]), 0, []
    for block, encoding in zip(features.blocks, features.encodings, strict=True):
        if encoding == "one-hot":
            flat.append(np.zeros(features.size))
            flat[-1][start : start + len(block[0])], flat[-1][-1] = 1, -1
        start += len(block[0])
    assert all(abs(direction @ vector) < 1e-9 * (1 + np.abs(vector).max()) for direction in flat)
    assert class_for(model).tau == model.norm_hi


def test_features_are_as_few_as_it_needs() -> None:
    found = features_of_pipeline(PIPELINES["usual"], SCHEMA, label="pays", columns=NAMES)
    expected = {"town": "one-hot", "gain": "value", "unused": "none", "age": "linear", "rooms": "one-hot"}
    assert dict(zip(found.columns, found.encodings, strict=True)) == {**expected, "owns": "linear"}
    scaled = features_of_pipeline(PIPELINES["numbers as labels"], SCHEMA, label="pays", columns=NAMES)
    assert dict(zip(scaled.columns, scaled.encodings, strict=True))["rooms"] == "value"


def test_other_features_serve_as_well() -> None:
    fitted = PIPELINES["usual"]
    own = model_from_sklearn(fitted, features_of_pipeline(fitted, SCHEMA, label="pays", columns=NAMES), columns=NAMES)
    wide = build_feature_map(SCHEMA, label="pays", one_hot=["town", "gain", "rooms", "age", "unused"])
    fewer = build_feature_map(SCHEMA, label="pays", one_hot=["town", "age"], reduced=["gain", "rooms", "owns"])
    a, b, c = (
        m.feature_map.features(CODES) / m.feature_map.one @ np.array([float(c) for c in m.coefficients])
        for m in (own, *(model_from_sklearn(fitted, features, columns=NAMES) for features in (wide, fewer)))
    )
    assert max(np.abs(a - b).max(), np.abs(a - c).max()) < 1e-4
    with pytest.raises(UsageError, match="label = rooms with 3 values: must be a column with exactly two values"):
        features_of_pipeline(fitted, SCHEMA, label="rooms", columns=NAMES)
    with pytest.raises(SynthboundsError, match=r"column 'gain': .* which are linear; it needs value"):
        model_from_sklearn(fitted, build_feature_map(SCHEMA, label="pays"), columns=NAMES)


class Frame:
    """As much of a data frame as an estimator remembers: the names of its columns."""

    def __init__(self, fitted: Any, names: list[str]) -> None:
        self.steps = fitted.steps
        self.steps[0][1].feature_names_in_ = np.array(names, dtype=object)


def test_names_tell_raw_columns_from_features() -> None:
    fitted = Frame(pipeline((IMPUTED, ["age", "gain"]), (HOT, ["town"])), NAMES)
    features = features_of_pipeline(fitted, SCHEMA, label="pays")
    model = model_from_sklearn(fitted, features)
    assert "raw columns" in model.made
    schema = parse_schema(
        """{"synthbounds_schema": 1, "source": "public", "columns": [
        {"name": "x", "range": ["0", "4"], "grid": 3}, {"name": "y", "levels": ["no", "yes"]}]}"""
    )
    line = make_pipeline(StandardScaler(), LogisticRegression()).fit([[0.0], [2.0], [4.0]], ["no", "no", "yes"])
    both = Frame(line, ["x"])
    with pytest.raises(SynthboundsError, match="names of features and of raw columns alike"):
        model_from_sklearn(both, build_feature_map(schema, label="y"))
    assert model_from_sklearn(both, build_feature_map(schema, label="y"), columns=["x"]).coefficients[0] > 0


@pytest.mark.parametrize(
    ("fitted", "words"),
    [
        (
            pipeline((HOT, ["owns"]), (HOT, ["other"])),
            "the pipeline uses 'other', which the schema leaves out; fit without it",
        ),
        (pipeline((OrdinalEncoder(), ["town"])), r"OrdinalEncoder\): is not supported"),
        (pipeline((OneHotEncoder(min_frequency=2), ["town"])), "min_frequency and max_categories are not supported"),
        (pipeline((SimpleImputer(add_indicator=True), ["age"])), "indicators of missing cells"),
        (pipeline((HOT, ["owns"]), last=LogisticRegression()).steps[-1][1], "columns = 6 of them: must be 2"),
        (
            make_pipeline(ColumnTransformer([("h", HOT, [3])]), LogisticRegression()).fit(
                DOMAIN[CODES[:, 0] != 1], LABELS[CODES[:, 0] != 1]
            ),
            "column 'town': 'b' is not a category that it was fitted on",
        ),
        (
            make_pipeline(ColumnTransformer([("s", StandardScaler(), [1])]), LogisticRegression()).fit(
                DOMAIN[CODES[:, 4] != 4], LABELS[CODES[:, 4] != 4]
            ),
            "column 'age': a missing cell is not a number for the classifier; impute it",
        ),
    ],
)
def test_what_cannot_be_computed_is_refused(fitted: Any, words: str) -> None:
    with pytest.raises(SynthboundsError, match=words):
        features_of_pipeline(fitted, SCHEMA, label="pays", columns=NAMES)


def test_a_model_brings_its_features(tmp_path: Path) -> None:
    features = features_of_pipeline(PIPELINES["usual"], SCHEMA, label="pays", columns=NAMES)
    model = model_from_sklearn(PIPELINES["usual"], features, columns=NAMES)
    whole, named = tmp_path / "whole.json", tmp_path / "named.json"
    whole.write_text(model_text(model, with_features=True))
    named.write_text(model_text(model))
    assert read_model_for(whole, SCHEMA) == read_model(whole, features) == read_model(named, features) == model
    assert read_model_for(named, SCHEMA, features) == model
    with pytest.raises(UsageError, match=r"label is missing: .* only by digest"):
        read_model_for(named, SCHEMA)
    with pytest.raises(DataError, match=r"brings its own features, .* `synthbounds confirm`"):
        read_model(whole, build_feature_map(SCHEMA, label="pays"))
    whole.write_text(whole.read_text().replace('"gain": "value"', '"gain": "linear"'))
    with pytest.raises(DataError, match="digest"):
        read_model_for(whole, SCHEMA)


@pytest.mark.skipif(not ADULT.is_file(), reason="not run: the raw table is not here")
def test_the_ordinary_model_of_raw_adult() -> None:
    schema = read_schema("docs/examples/adult_raw.schema.json")
    with ADULT.open() as stream:
        rows = list(itertools.islice(csv.reader(stream), 4001))
    names = [name.strip() for name in rows[0]]
    numbers = [k for k, name in enumerate(names) if name in {"age", "capital-gain", "capital-loss", "hours-per-week"}]
    drawn = np.array([[cell.strip() for cell in row] for row in rows[1:]], dtype=object)
    columns = dict(zip(schema.names, schema.columns, strict=True))
    codes = np.zeros((len(drawn), len(columns)), dtype=np.int64)
    for place, (name, column) in enumerate(columns.items()):
        cells = drawn[:, names.index(name)]
        if names.index(name) in numbers:
            known = [column.code_of(Fraction(cell)) for cell in cells]  # type: ignore[attr-defined]
            drawn[:, names.index(name)] = [float(column.numbers[code]) for code in known]  # type: ignore[index]
        else:
            known = [(*column.value_texts, *column.missing).index(cell) for cell in cells]
        codes[:, place] = known
    labels = [k for k, name in enumerate(names) if name in columns and name != "income" and k not in numbers]
    encoder = OneHotEncoder(handle_unknown="ignore", drop="first")
    steps = ColumnTransformer([("n", StandardScaler(), numbers), ("c", encoder, labels)])
    fitted = make_pipeline(steps, LogisticRegression(max_iter=300)).fit(drawn, drawn[:, names.index("income")])
    features = features_of_pipeline(fitted, schema, label="income", columns=names)
    model = model_from_sklearn(fitted, features, columns=names)
    scores = features.features(codes) / features.one @ np.array([float(c) for c in model.coefficients])
    assert np.abs(scores - fitted.decision_function(drawn)).max() < 1e-4
    assert 20 < model.norm_hi < 100
