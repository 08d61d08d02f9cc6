"""Certain signs from releases: right on the real table, proved again by the checker, rejected after any change."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from bounds.certify.classes import FREE, ModelClass
from bounds.certify.excess import certified
from bounds.certify.model_certificate import exact_text, half_statement, model_certificate
from bounds.certify.problem import HalfSpace
from bounds.errors import NotCertified, ParameterError, UsageError
from mechanisms.infer.signs import SignsAnswer, infer_signs
from mechanisms.models.certify.evidence import evidence_of
from mechanisms.models.certify.from_moments import class_for
from mechanisms.models.model import Model, model_text
from mechanisms.models.train.from_release import train_from_release
from mechanisms.models.train.newton import train_on_table
from release.data.schema import parse_schema
from release.moments.file import release_text
from release.moments.make import make_release
from release.statistics.features import build_feature_map
from synthbounds.api.proofs import check_text
from synthbounds.render.inferred_signs import signs_blocks, signs_details
from tests.mechanisms.test_model_certificate import scaled
from tests.moment_examples import feature_map, table
from verify import real_tables
from verify.checkers import Rejected
from verify.checkers.given import compare
from verify.checkers.model import check, statement

N = 20_000
CASES: dict[str, dict[str, Any]] = {
    "norm": {"tau": 2},
    "free": {"tau": 2, "intercept": "free"},
    "ridge": {"ridge": "0.05"},
    "free ridge": {"ridge": "0.05", "intercept": "free"},
    "hinge": {"tau": 1, "loss": "hinge"},
    "squared": {"tau": 2, "loss": "squared"},
    "private size": {"tau": 2, "adjacency": "add-remove"},
    "private size, ridge": {"ridge": "0.05", "adjacency": "add-remove"},
    "one-hot": {"tau": 2, "one_hot": True},
}
QUICK = ("norm", "hinge", "private size, ridge")
"""The others ask for the same code in other combinations, and so does tests/bounds/inference/test_coefficients.py."""
ASKED = [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in CASES]
ALL_COEFFICIENTS, FEW = ("norm",), ("age", "intercept")
"""Where all are asked about; else these, which saves time."""


@cache
def answered(name: str, *, seed: int = 3, intervals: bool = True) -> SignsAnswer:
    asked = dict(CASES[name])
    features = feature_map(one_hot=asked.pop("one_hot", False))
    adjacency = asked.pop("adjacency", "replace-one")
    release = make_release(
        table(N),
        features,
        epsilon=1,
        dp_delta=Fraction(1, N * N),
        adjacency=adjacency,
        mode="simulate",
        n0=N - 500 if adjacency == "add-remove" else None,
        seed=seed,
    )
    model = train_from_release(release, points=2000, **asked).model
    chosen = None if name in ALL_COEFFICIENTS else FEW
    return infer_signs(release, model, class_for(model), features=chosen, intervals=intervals)


def real_minimiser(answer: SignsAnswer, codes: np.ndarray) -> np.ndarray:
    """Of the objective on the records themselves, by a general method on the distinct ones."""
    features, compared = answer.release.feature_map, answer.compared_with
    rows, weights = np.unique(codes, axis=0, return_counts=True)
    f, y = features.features(rows) / features.one, features.labels(rows) / float(features.label_one)
    ridge = float(compared.ridge or 0) * features.squared_norm
    last = len(f[0]) - (compared.intercept == "free")

    def objective(v: np.ndarray) -> float:
        s = f @ v
        losses = {
            "logistic": lambda: np.logaddexp(0, -y * s),
            "hinge": lambda: np.maximum(0, 1 - y * s),
            "squared": lambda: (y - s) ** 2 / 2,
        }[compared.loss]()
        return float(weights @ losses / len(codes) + ridge / 2 * v[:last] @ v[:last])

    limits = []
    if compared.tau is not None:
        most = float(compared.tau) ** 2 / features.squared_norm
        limits = [{"type": "ineq", "fun": lambda v: most - v[:last] @ v[:last]}]
    start = np.array([float(x) for x in answer.model.coefficients])
    found = minimize(objective, start, method="SLSQP", constraints=limits, tol=1e-13, options={"maxiter": 500})
    return np.asarray(found.x)


def require_true(answer: SignsAnswer, codes: np.ndarray) -> None:
    best = real_minimiser(answer, codes)
    for one in answer.coefficients:
        assert one.sign * best[one.feature] >= 0, one.name
        assert one.lo is None or float(one.lo) < best[one.feature] + 1e-6, one.name
        assert one.hi is None or best[one.feature] - 1e-6 < float(one.hi), one.name


def claims(name: str, coefficient: str = "age", claim: Any = "sign") -> dict[str, Any]:
    return dict(json.loads(json.dumps(answered(name).certificate(coefficient, claim))))


def accepted(body: dict[str, Any]) -> bool:
    return check_text(json.dumps(body)).valid


# what is said is true


@pytest.mark.share(3)
@pytest.mark.parametrize("name", ASKED)
def test_signs_and_ends_are_those_of_the_real_minimiser(name: str) -> None:
    answer = answered(name)
    require_true(answer, table(N))
    assert answer.of("age").sign == 1
    for one in answer.coefficients:
        assert one.lo is not None
        assert one.hi is not None
        assert one.lo < one.trained < one.hi
        assert (one.sign != 0) == (one.lo >= 0 or one.hi <= 0)
        assert (one.sign != 0) == (one.bound is not None and one.bound < 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [10, 11])
def test_no_seed_gives_a_wrong_sign(seed: int) -> None:
    require_true(answered("norm", seed=seed, intervals=False), table(N))


@pytest.mark.slow
def test_signs_alone_are_the_same_as_with_ends() -> None:
    both, alone = answered("norm"), answered("norm", intervals=False)
    assert [one.sign for one in both.coefficients] == [one.sign for one in alone.coefficients]
    for one, other in zip(alone.coefficients, both.coefficients, strict=True):
        assert (one.lower is None) == (one.trained < 0)
        assert (one.upper is None) == (one.trained > 0)
        assert one.lo in (None, other.lo)
        assert one.hi in (None, other.hi)


def test_what_is_asked_together_changes_nothing() -> None:
    """An answer must not depend on which other coefficients were asked for, or in which order."""
    whole = answered("norm")
    some = infer_signs(whole.release, whole.model, whole.compared_with, features=["size", "age"], intervals=False)
    assert [one.name for one in some.coefficients] == ["age", "size"]
    assert (some.of("age").lo, some.of("size").hi) == (whole.of("age").lo, whole.of("size").hi)


# certificates


@pytest.mark.share(3)
@pytest.mark.parametrize("name", ASKED)
def test_every_claim_is_proved_again(name: str) -> None:
    answer = answered(name)
    checked = 0
    for one in answer.coefficients:
        for claim in ("sign", "lower", "upper"):
            end = one.lower if claim == "lower" else one.upper
            proved = one.sign if claim == "sign" else end is not None and end.found is not None
            if proved and checked < 3:
                body = answer.certificate(one.name, claim)  # type: ignore[arg-type]
                check(json.dumps(body))
                checked += 1
    assert checked >= 3


def test_the_file_says_what_is_claimed() -> None:
    lower = answered("norm").of("age").lo
    assert lower is not None
    wanted = (
        "Except with probability at most 0.05, every linear model of norm at most 2 that has the least mean logistic "
    )
    wanted += "loss on the real table among these has a coefficient of 'age' (place 0) greater than "
    assert claims("norm")["statement"] == f"{wanted}0."
    assert claims("norm", claim="lower")["statement"] == f"{wanted}{exact_text(lower)}."
    assert claims("norm")["half"] | {"multiplier": ""} == {
        "coefficient": 0,
        "name": "age",
        "sign": 1,
        "threshold": "0",
        "multiplier": "",
    }
    free = ModelClass(loss="logistic", ridge=Fraction(1, 20), intercept=FREE)
    below = HalfSpace(feature=4, sign=-1, threshold=Fraction(1, 8))
    assert half_statement(free, below, dimension=5, beta=Fraction(1, 20)) == (
        "Except with probability at most 0.05, every linear model, intercept not counted, that has the least mean "
        "logistic loss plus 0.05/2 times its squared norm on the real table among these has an intercept less than "
        "0.125."
    )
    assert Fraction(claims("norm")["bound"]) < 0
    assert "half" not in model_certificate(*whole_proof("norm"))


def whole_proof(name: str) -> tuple[Any, Any, Any]:
    """Of the class without a half, which has no such field."""
    answer = answered(name)
    found = answer.of("age").lower
    assert found is not None
    assert found.found is not None
    compared = found.found.problem.compared
    problem = type(found.found.problem)(
        **(vars(found.found.problem) | {"compared": type(compared)(**(vars(compared) | {"half": None}))})
    )
    resting_on = evidence_of(answer.release, answer.model, loss="logistic", beta=answer.beta, weighted=False)
    return certified(problem), answer.compared_with, resting_on


def renamed(body: dict[str, Any]) -> str:
    """With the statement that goes with its name."""
    body["statement"] = body["statement"].replace("'age'", repr(body["half"]["name"]))
    return json.dumps(body)


def test_a_statement_with_another_name_is_not_what_the_numbers_say() -> None:
    other = claims("norm")
    other["half"]["name"] = "town"
    with pytest.raises(Rejected, match="statement: is not what the numbers say"):
        check(json.dumps(other))


@pytest.mark.parametrize("name", ["", "it's", "ä\n\u202e", "x" * 200, "'\\" * 40])
def test_prover_and_checker_write_any_name_alike(name: str) -> None:
    half = HalfSpace(feature=0, sign=1, threshold=Fraction(0))
    ours = half_statement(
        ModelClass(loss="logistic", tau=Fraction(2)), half, dimension=5, beta=Fraction(1, 20), name=name
    )
    body = claims("norm")
    body["half"]["name"] = name
    assert statement(body) == ours


def test_a_name_that_was_compared_is_not_taken_as_given() -> None:
    answer = answered("norm")
    text, release, model = json.dumps(claims("norm")), release_text(answer.release), model_text(answer.model)

    def given(**files: str) -> bool:
        result = check_text(text, **files)  # type: ignore[arg-type]
        assert result.valid, result.reason
        return any("is that of 'age'" in line for line in result.given)

    assert given()
    assert given(release=release)
    assert not given(model=model)
    assert not given(release=release, model=model)


def test_release_and_model_are_compared_with_the_file() -> None:
    answer = answered("norm")
    text, release, model = json.dumps(claims("norm")), release_text(answer.release), model_text(answer.model)
    same, _ = compare(text, release, model)
    assert any("the name of the coefficient" in line for line in same)
    other = claims("norm")
    other["half"]["name"] = "town"
    assert any("coefficient at place 0 is that of 'town'" in line for line in check(renamed(other)))
    with pytest.raises(Rejected, match="half: name: is not that of the model"):
        compare(json.dumps(other), release, model)


Change = Callable[[dict[str, Any]], Any]


def of_half(key: str, change: Callable[[Any], Any]) -> Change:
    def changed(body: dict[str, Any]) -> None:
        body["half"][key] = change(body["half"][key])

    return changed


def of_field(key: str, change: Callable[[Any], Any]) -> Change:
    def changed(body: dict[str, Any]) -> None:
        body[key] = change(body[key])

    return changed


def turned_over(body: dict[str, Any]) -> None:
    """The other side, by a multiplier that is below 0: every number of the proof stays as it is."""
    half = body["half"]
    half.update(sign=-half["sign"], multiplier=f"-{half['multiplier']}")


def without_half(body: dict[str, Any]) -> None:
    del body["half"]


def without_half_and_bound(body: dict[str, Any]) -> None:
    del body["half"]
    body["bound"] = "0"


STRONGER: list[tuple[str, str, Change]] = [
    ("norm", "lower", of_half("threshold", scaled("1.000001"))),
    ("private size, ridge", "lower", of_half("threshold", scaled("1.000001"))),
    ("norm", "sign", of_half("threshold", lambda _: "1")),
    ("norm", "sign", of_half("sign", lambda sign: -sign)),
    ("norm", "sign", of_half("sign", lambda _: 0)),
    ("norm", "sign", of_half("sign", lambda _: 2)),
    ("norm", "sign", of_half("sign", lambda _: "1")),
    ("norm", "sign", of_half("sign", lambda _: True)),
    *(
        ("norm", "sign", of_half("coefficient", lambda _, place=place: place))
        for place in (1, 2, 3, 4, 5, -1, "0", None)
    ),
    *(("norm", "lower", of_half("multiplier", scaled(factor))) for factor in ("1.1", "0.9", "0", "-1")),
    ("norm", "sign", turned_over),
    ("norm", "lower", turned_over),
    ("norm", "sign", of_half("name", lambda _: "age\n")),
    ("norm", "sign", of_half("name", lambda _: 7)),
    ("norm", "sign", lambda body: body["half"].update(more="1")),
    ("norm", "sign", lambda body: body["half"].pop("name")),
    ("norm", "sign", of_field("bound", scaled("1.000001"))),
    ("norm", "sign", of_field("bound", lambda _: "0")),
    ("norm", "sign", of_field("bound", lambda _: "0.1")),
    ("norm", "sign", of_field("near", lambda _: "1")),
    ("norm", "sign", of_field("tau", scaled("1.000001"))),
    ("norm", "sign", of_field("coefficients", scaled("9", 0))),
    ("norm", "sign", of_field("ball_multipliers", scaled("0", 0))),
    ("norm", "sign", of_field("balls", scaled("0.9", 0))),
    ("norm", "sign", of_field("radii", scaled("0.9999", 1))),
    ("norm", "sign", of_field("excess", scaled("0"))),
    ("norm", "sign", of_field("half", lambda half: [half])),
    ("norm", "sign", of_field("half", lambda _: None)),
    ("norm", "sign", without_half),
    ("norm", "sign", without_half_and_bound),
    ("private size, ridge", "sign", of_field("ridge", scaled("0.9"))),
    ("private size, ridge", "sign", of_field("radii", scaled("1.1", 1))),
]


@pytest.mark.share(3)
@pytest.mark.parametrize(
    ("name", "claim", "change"), STRONGER, ids=[f"{n}-{c}-{i}" for i, (n, c, _) in enumerate(STRONGER)]
)
def test_a_changed_claim_is_rejected(name: str, claim: str, change: Change) -> None:
    body = claims(name, claim=claim)
    change(body)
    with suppress(KeyError, TypeError):
        body["statement"] = statement(body)  # the sentence goes along, so that it is the proof that fails
    assert not accepted(body)


def test_a_model_that_is_not_of_the_class_proves_nothing() -> None:
    """A smaller class, of which the model is none: all of it is worse than the model, on either side of anything."""
    body = claims("norm")
    squared = sum(Fraction(x) ** 2 for x in map(number, body["coefficients"])) * body["squared_norm"]
    small = Fraction(round(float(squared) ** 0.5 * 100) - 5, 100)
    body["tau"] = exact_text(small)
    body["statement"] = statement(body)
    with pytest.raises(Rejected, match="half: the model itself is not in the class"):
        check(json.dumps(body))


def number(text: str) -> Fraction:
    top, _, power = text.partition("/2^")
    return Fraction(top) / 2 ** int(power or 0)


def test_a_threshold_that_is_not_proved_has_no_file() -> None:
    answer = answered("norm")
    end = answer.of("age").lower
    assert end is not None
    resting_on = evidence_of(answer.release, answer.model, loss="logistic", beta=answer.beta, weighted=False)
    with pytest.raises(Exception, match="that the coefficient of age is beyond the threshold is not certain"):
        model_certificate(end.at(end.end + Fraction(1, 1000)), answer.compared_with, resting_on, name="age")


# what is asked


def test_what_cannot_be_answered_is_refused() -> None:
    answer = answered("norm")
    release, model, compared = answer.release, answer.model, answer.compared_with
    with pytest.raises(ParameterError, match=r"^features = tall: .*one of age, town"):
        infer_signs(release, model, compared, features=["tall"])
    with pytest.raises(ParameterError, match=r"^beta = 1: .*less than 1"):
        infer_signs(release, model, compared, beta=Fraction(1))
    other = Model(feature_map=feature_map(), coefficients=(Fraction(0),) * feature_map().size)
    with pytest.raises(UsageError, match="its feature map is not that of the release"):
        infer_signs(release, other, compared)
    with pytest.raises(UsageError, match="not among the coefficients"):
        answer.of("tall")
    alone = answered("norm", intervals=False)
    with pytest.raises(UsageError, match="the upper end of age was not asked for"):
        alone.certificate("age", "upper")
    assert answer.of("intercept").sign == 0
    with pytest.raises(NotCertified, match="the sign of intercept is not certain"):
        answer.certificate("intercept")


def test_a_model_of_zeros_has_no_certain_sign() -> None:
    answer = answered("norm")
    zero = Model(feature_map=answer.model.feature_map, coefficients=(Fraction(0),) * len(answer.model.coefficients))
    found = infer_signs(answer.release, zero, answer.compared_with, features=["age"])
    assert found.of("age").sign == 0
    assert found.of("age").bound is None
    assert found.of("age").lower is not None


def test_conclusions_begin_with_what_is_certain() -> None:
    answer = answered("norm")
    assert [one.name for one in answer.conclusions] == ["age", "town", "owns", "size", "intercept"]
    assert [one.sign for one in answer.conclusions] == [1, -1, 1, -1, 0]
    alone = answered("norm", intervals=False).interval("age")
    assert (alone.lo, alone.hi) == (answer.of("age").lo, None)
    assert alone.note.endswith("the other end was not asked for")


def test_the_interval_says_what_it_is() -> None:
    found = answered("norm").interval("age")
    assert (found.about, found.kind, found.level, found.simultaneous) == ("table", "exact", Fraction(19, 20), True)
    assert found.is_certified
    assert found.sign == answered("norm").of("age").sign


def test_progress_names_every_coefficient() -> None:
    said: list[str] = []
    answer = answered("norm")
    infer_signs(
        answer.release, answer.model, answer.compared_with, features=["age"], intervals=False, progress=said.append
    )
    assert said == ["the model and its class", "the coefficient of age"]


# labels that are numbers


COLUMNS = [
    {"name": "a", "levels": ["0", "1", "2"]},
    {"name": "c", "levels": ["0", "1", "2", "3"]},
    {"name": "pay", "levels": ["0", "1", "2.5", "9"]},
]


def test_labels_that_are_numbers_have_signs_too() -> None:
    schema = parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": COLUMNS}))
    features = build_feature_map(schema, label="pay", one_hot=(), reduced=[])
    generator = np.random.Generator(np.random.Philox(17))
    a, c = generator.integers(0, 3, N), generator.integers(0, 4, N)
    codes = np.column_stack([a, c, np.clip(a + generator.integers(-1, 2, N), 0, 3)]).astype(np.uint8)
    release = make_release(
        codes, features, epsilon="0.3", dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=1
    )
    assert features.label_is_number
    f, y = features.features(codes) / features.one, features.labels(codes) / float(features.label_one)
    fitted = np.linalg.lstsq(f, y, rcond=None)[0]
    model = Model(feature_map=features, coefficients=tuple(Fraction(round(x, 6)) for x in fitted), loss="squared")
    answer = infer_signs(release, model, class_for(model, tau=Fraction(2)), features=["a"], intervals=False)
    require_true(answer, codes)
    assert answer.of("a").sign == 1
    body = answer.certificate("a")
    assert body["label_bits"] > 0
    check(json.dumps(body))


# how it is shown


def test_blocks_and_payload_say_the_same() -> None:
    for answer in (answered("norm"), answered("norm", intervals=False)):
        payload = json.loads(json.dumps(signs_details(answer)))
        blocks = signs_blocks(answer)
        assert payload["certain"] == answer.certain == sum(one["sign"] != 0 for one in payload["coefficients"])
        shown = next(block for block in blocks if type(block).__name__ == "Table")
        assert len(shown.rows) == len(answer.coefficients)  # type: ignore[union-attr]
        assert {len(row) for row in shown.rows} == {len(shown.columns)}  # type: ignore[union-attr]
        assert f"{answer.certain} of {len(answer.coefficients)}" in str(blocks)
        for one in payload["coefficients"]:
            assert one["lower"] is None or Fraction(one["lower"]) < Fraction(one["trained"])
    assert signs_details(answered("norm"))["statement"] == (
        "With confidence 95 %, 4 of the 5 coefficients asked about have the sign shown in every linear model of norm "
        "at most 2 that has the least mean logistic loss on the real table."
    )


# real tables


@pytest.mark.slow
@pytest.mark.skipif(not real_tables.all_here(), reason=f"not run: {real_tables.MISSING}")
@pytest.mark.parametrize(("name", "label", "least"), [("adult", "income>50K", 12), ("law", "pass_bar", 9)])
def test_most_signs_of_real_tables_are_certain(name: str, label: str, least: int) -> None:
    head, codes, sizes = real_tables.columns(name), real_tables.codes(name), real_tables.domain(name)
    columns = [{"name": c, "range": ["0", str(sizes[c] - 1)], "grid": sizes[c]} for c in head]
    schema = parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns}))
    features = build_feature_map(schema, label=label)
    release = make_release(
        codes, features, epsilon=1, dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=1
    )
    model = train_from_release(release, tau=2).model
    answer = infer_signs(release, model, class_for(model), intervals=False)
    best = train_on_table(codes, features, tau=Fraction(2)).coefficients
    assert answer.certain >= least
    for one in answer.coefficients:
        assert one.sign * best[one.feature] >= 0
        if one.sign:
            check(json.dumps(answer.certificate(one.name)))
