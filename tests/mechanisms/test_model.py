"""Model files: read back exactly, refused in one line; models of scikit-learn, composed exactly."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

from bounds.errors import DataError, ParameterError, UsageError
from mechanisms.models.model import Model, model_text, parse_model, read_model, rounded_decimal
from mechanisms.models.sklearn_models import DIGITS, exact_coefficients, model_from_sklearn
from release.statistics.features import build_feature_map
from tests.moment_examples import SCHEMA, feature_map, table

MAP = feature_map()
CODES = table(300)
F = MAP.features(CODES) / MAP.one
Y = MAP.labels(CODES).astype(int)


def model(**changes: Any) -> Model:
    coefficients = tuple(Fraction(i - 3, 7 * 10**0) for i in range(7))
    given: dict[str, Any] = {"coefficients": tuple(rounded_decimal(c, 12) for c in coefficients), "tau": Fraction(5)}
    return Model(feature_map=MAP, **{**given, **changes})


def test_a_file_reads_back_as_the_same_model(tmp_path: Path) -> None:
    for written in (
        model(),
        model(tau=None, ridge=Fraction(1, 3), loss="squared", made="by hand", release="ab" * 32),
        model(intercept="free", loss="hinge"),
        model(coefficients=(Fraction(0),) * 7),
        model(coefficients=(Fraction(1, 10**30),) + (Fraction(0),) * 6),
    ):
        (tmp_path / "model.json").write_text(model_text(written))
        assert read_model(tmp_path / "model.json", MAP) == written
        assert model_text(read_model(tmp_path / "model.json", MAP)) == model_text(written)


def test_what_a_hand_written_file_may_leave_out() -> None:
    body = {
        "synthbounds_model": 1,
        "feature_map": MAP.digest,
        "names": list(MAP.names),
        "coefficients": [0.5, "-1/4", "1e-3", 0, 0, 0, "2"],
        "loss": "logistic",
    }
    found = parse_model(json.dumps(body), MAP)
    assert found.coefficients[:3] == (Fraction(1, 2), Fraction(-1, 4), Fraction(1, 1000))
    assert (found.tau, found.ridge, found.intercept) == (None, None, "inside")
    assert found.norm_squared == 5 * (Fraction(1, 4) + Fraction(1, 16) + Fraction(1, 10**6) + 4)


def test_norms() -> None:
    found = model(intercept="free", tau=None)
    squares = [c * c for c in found.coefficients]
    assert found.norm_squared == MAP.squared_norm * sum(squares)
    assert found.counted_norm_squared == MAP.squared_norm * sum(squares[:-1])
    assert found.norm_squared <= found.norm_hi**2 <= found.norm_squared * (1 + Fraction(1, 10**9))
    Model(feature_map=MAP, coefficients=(Fraction(0),) * 6 + (Fraction(9),), intercept="free", tau=Fraction(1))


def _other_names(body: dict[str, Any]) -> None:
    body["names"][0] = "height"


def _swapped_names(body: dict[str, Any]) -> None:
    body["names"][:2] = reversed(body["names"][:2])


BAD: list[tuple[Any, str]] = [
    (lambda b: b["coefficients"].pop(), "coefficients: 6 of them; the release has 7 features"),
    (lambda b: b.update(coefficients="0"), "coefficients"),
    (
        lambda b: b["coefficients"].__setitem__(2, "NaN"),
        r"coefficients\[2\] = \"NaN\": must be a finite decimal number",
    ),
    (lambda b: b["coefficients"].__setitem__(2, "1e400000000"), r"coefficients\[2\]"),
    (lambda b: b["coefficients"].__setitem__(0, None), r"coefficients\[0\] = null"),
    (lambda b: b["coefficients"].__setitem__(0, True), r"coefficients\[0\] = true"),
    (lambda b: b["coefficients"].__setitem__(0, "1e13"), "at most 1000000000000 in size"),
    (lambda b: b["coefficients"].__setitem__(0, "4"), r"norm = 9\.\d+: must be at most tau = 5"),
    (_other_names, r"names\[0\] = \"height\": feature 0 of the release is \"age\""),
    (_swapped_names, r"names\[0\]"),
    (lambda b: b["names"].append("more"), "names: 8 of them"),
    (lambda b: b.update(feature_map="0" * 64), "was made for other features"),
    (lambda b: b.update(feature_map=3), "feature_map = 3: must be the digest"),
    (lambda b: b.update(synthbounds_model=2), "synthbounds_model = 2: must be 1"),
    (lambda b: b.update(loss="zero-one"), "loss = zero-one: must be one of"),
    (lambda b: b.update(intercept="outside"), "intercept = outside: must be inside or free"),
    (lambda b: b.update(tau="-5"), "tau = -5: must be greater than 0"),
    (lambda b: b.update(ridge="0"), "ridge = 0: must be greater than 0"),
    (lambda b: b.update(tau=[5]), "tau = "),
    (lambda b: b.update(norm="1"), r"norm = \"1\": these coefficients have norm"),
    (lambda b: b.update(release=7), "release = 7"),
    (lambda b: b.update(extra=1), '"extra" is not a field'),
    (lambda b: b.pop("loss"), "loss is missing"),
]


@pytest.mark.parametrize(("spoil", "complaint"), BAD, ids=[complaint[:40] for _, complaint in BAD])
def test_a_file_that_does_not_add_up_is_refused(spoil: Any, complaint: str, tmp_path: Path) -> None:
    body = json.loads(model_text(model()))
    spoil(body)
    (tmp_path / "model.json").write_text(json.dumps(body))
    with pytest.raises(DataError, match=complaint) as caught:
        read_model(tmp_path / "model.json", MAP)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith('model "model.json"')


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    for text in (
        "",
        "[]",
        "{",
        '{"synthbounds_model": NaN}',
        "[" * 100_000,
        model_text(model()).replace('"tau"', '"loss"'),
    ):
        (tmp_path / "model.json").write_text(text)
        with pytest.raises(DataError):
            read_model(tmp_path / "model.json", MAP)
    with pytest.raises(DataError, match="cannot be read"):
        read_model(tmp_path / "none.json", MAP)


def test_a_model_of_another_map_is_refused() -> None:
    other = build_feature_map(SCHEMA, label="pays", positive="no", one_hot=("town",))
    assert other.names == MAP.names
    with pytest.raises(DataError, match="other features"):
        parse_model(model_text(model()), other)
    with pytest.raises(ParameterError, match="2 of them: must be 7"):
        Model(feature_map=MAP, coefficients=(Fraction(1),) * 2)


def scores(found: Model, f: np.ndarray) -> np.ndarray:
    return f @ np.array([float(c) for c in found.coefficients])


PIPELINES = {
    "plain": lambda: LogisticRegression(),
    "standard": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "centred": lambda: make_pipeline(StandardScaler(with_std=False), LogisticRegression()),
    "range": lambda: make_pipeline(MinMaxScaler((-3, 2)), LogisticRegression(C=0.1)),
    "several": lambda: make_pipeline(
        MaxAbsScaler(), "passthrough", RobustScaler(), StandardScaler(), LogisticRegression()
    ),
    "nothing": lambda: make_pipeline(FunctionTransformer(), None, LogisticRegression()),
    "columns": lambda: make_pipeline(
        ColumnTransformer(
            [("a", StandardScaler(), [4, 0]), ("b", make_pipeline(MinMaxScaler(), StandardScaler()), slice(1, 3))],
            remainder="passthrough",
        ),
        LogisticRegression(),
    ),
    "dropped": lambda: make_pipeline(
        ColumnTransformer([("a", "drop", [0]), ("b", "passthrough", [3, -1])]), LogisticRegression()
    ),
    "search": lambda: GridSearchCV(
        make_pipeline(StandardScaler(), LogisticRegression()), {"logisticregression__C": [1, 2]}
    ),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_models_of_scikit_learn_score_alike(name: str) -> None:
    fitted = PIPELINES[name]().fit(F[:, :-1], Y)
    found = model_from_sklearn(fitted, MAP)
    np.testing.assert_allclose(scores(found, F), fitted.decision_function(F[:, :-1]), atol=1e-10)
    assert found.intercept == "free"
    assert "LogisticRegression" in found.made
    assert parse_model(model_text(found), MAP) == found
    exact, _ = exact_coefficients(fitted, MAP)
    for rounded, c in zip(found.coefficients, exact, strict=True):
        assert abs(rounded) <= abs(c)
        assert abs(rounded - c) <= abs(c) / 10 ** (DIGITS - 1)


def test_the_intercept_may_be_a_column() -> None:
    fitted = LogisticRegression(fit_intercept=False).fit(F, Y)
    found = model_from_sklearn(fitted, MAP)
    np.testing.assert_allclose(scores(found, F), fitted.decision_function(F), atol=1e-10)
    assert found.intercept == "inside"


def test_labels_by_their_texts_and_the_other_way_round() -> None:
    texts = np.array(["no", "yes"])[CODES[:, 2]]
    wanted = model_from_sklearn(LogisticRegression().fit(F[:, :-1], Y), MAP)
    same = model_from_sklearn(LogisticRegression().fit(F[:, :-1], texts), MAP)
    assert same.coefficients == wanted.coefficients
    other = build_feature_map(SCHEMA, label="pays", positive="no", one_hot=("town",))
    turned = model_from_sklearn(LogisticRegression().fit(F[:, :-1], texts), other)
    assert turned.coefficients == tuple(-c for c in same.coefficients)


class _Named:
    """A stand-in with exactly the attributes that are read."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


def stand_in(**changes: Any) -> Any:
    given = {"coef_": [[1.5] + [0.0] * 5], "intercept_": [0.25], "classes_": [-1, 1], "n_features_in_": 6}
    return _Named(**{**given, **changes})


def test_scalers_are_composed_exactly() -> None:
    """0.1 and 0.3 are the floats that they are; no float operation comes between."""
    scaler = _Named(mean_=[0.1] + [0.0] * 5, scale_=[0.3] + [1.0] * 5, n_features_in_=6)
    ranged = _Named(min_=[0.7] + [0.0] * 5, scale_=[1.1] + [1.0] * 5, clip=False)
    pipeline = SimpleNamespace(steps=[("s", scaler), ("m", ranged), ("c", stand_in())])
    found, inside = exact_coefficients(pipeline, MAP)
    slope = Fraction(1.5) * Fraction(1.1) / Fraction(0.3)
    assert found[0] == slope
    assert found[-1] == Fraction(0.25) + Fraction(1.5) * Fraction(0.7) - slope * Fraction(0.1)
    assert found[1:-1] == (0,) * 5
    assert not inside


def test_names_are_those_of_the_features() -> None:
    good = stand_in(feature_names_in_=list(MAP.names[:-1]))
    assert exact_coefficients(good, MAP)[0][0] == Fraction(3, 2)
    with pytest.raises(UsageError, match="column 0 was 'AGE'; feature 0 of the release is 'age'"):
        exact_coefficients(stand_in(feature_names_in_=["AGE", *MAP.names[1:-1]]), MAP)


def _pipeline(step: Any, **changes: Any) -> Any:
    return SimpleNamespace(steps=[("first", step), ("last", stand_in(**changes))])


@pytest.mark.parametrize(
    ("estimator", "complaint"),
    [
        (LogisticRegression(), "the estimator is not fitted"),
        (stand_in(n_features_in_=4), "was fitted on 4 columns"),
        (stand_in(coef_=[[1.0] * 6] * 3, classes_=[0, 1, 2]), "18 coefficients for 6 columns and 3 classes"),
        (stand_in(coef_=[[float("nan")] + [0.0] * 5]), "coef_: nan is not a finite number"),
        (stand_in(classes_=["a", "b"]), "classes_ = a and b: must be no and yes"),
        (stand_in(classes_=[1, 2]), "classes_ = 1 and 2"),
        (_pipeline(PolynomialFeatures(2).fit(F[:, :-1])), "is not a fitted scaler"),
        (_pipeline(StandardScaler()), "is not a fitted scaler"),
        (_pipeline(MinMaxScaler(clip=True).fit(F[:, :-1])), "clips its values"),
        (_pipeline(_Named(mean_=[0.0], scale_=[1.0])), "mean_ has 1 values for 6 columns"),
        (_pipeline(_Named(mean_=None, scale_=[0.0] * 6)), "a scale is zero"),
        (_pipeline(_Named(transformers_=[("a", "passthrough", ["weight"])])), "'weight' is not one of its 6 columns"),
    ],
)
def test_what_is_no_linear_model_of_the_features_is_refused(estimator: Any, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        model_from_sklearn(estimator, MAP)


def test_zero_and_one_are_refused_where_they_can_mean_two_things() -> None:
    from release.data.columns import LevelColumn
    from release.data.schema import Schema

    schema = Schema((LevelColumn("a", ("0", "1")), LevelColumn("y", ("0", "1"))), "public")
    fitted = _Named(coef_=[[2.0]], intercept_=[0.0], classes_=[0, 1], n_features_in_=1)
    assert exact_coefficients(fitted, build_feature_map(schema, label="y"))[0] == (2, 0)
    turned = build_feature_map(schema, label="y", positive="0")
    with pytest.raises(UsageError, match="1 could be \\+1 or the other value of y"):
        exact_coefficients(fitted, turned)
    fitted.classes_ = ["0", "1"]
    assert exact_coefficients(fitted, turned)[0] == (-2, 0)


def test_scikit_learn_is_not_imported() -> None:
    modules = "mechanisms.models.sklearn_models, mechanisms.models.train.from_release"
    code = f"import sys, {modules}; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
