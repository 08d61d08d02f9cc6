"""The excess query: it certifies what is true, as often as it says, for every class, and is chosen by public facts."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bounds.certify.classes import ModelClass
from bounds.certify.verdict import INFORMATIVE
from bounds.errors import DataError, NotApplicable, ParameterError, UsageError
from mechanisms.models.certify.from_moments import class_for
from mechanisms.models.confirm.ask import PlannedConfirmation
from mechanisms.models.confirm.choose import Wanted
from mechanisms.models.confirm.excess import PlannedExcess, plan_excess
from mechanisms.models.confirm.prove_excess import prove_excess
from mechanisms.models.model import Model
from mechanisms.models.train.least_risk import least_risk
from mechanisms.models.train.newton import mean_loss, train_on_table
from release.moments.file import MomentRelease
from release.moments.make import make_release
from release.scores.file import ScoreQuery
from release.statistics.question import Asked
from tests.moment_examples import feature_map, table

FEATURES, TABLE = feature_map(), table(3000)
BETA = Fraction(1, 20)
ROWS = (FEATURES.features(TABLE) / FEATURES.one, FEATURES.labels(TABLE), np.full(len(TABLE), 1 / len(TABLE)))
COEFFICIENTS = tuple(Fraction(text) for text in ("0.8", "0.2", "0.1", "-0.3", "0.5", "-0.1", "-0.4"))


def released(**changes: Any) -> MomentRelease:
    asked: dict[str, Any] = {
        "epsilon": 2,
        "dp_delta": "1e-6",
        "adjacency": "replace-one",
        "mode": "simulate",
        "seed": 5,
        "reserve": "1/2",
    }
    return make_release(TABLE, FEATURES, **(asked | changes))


RELEASE = released()
HIDDEN = released(adjacency="add-remove", n0=2900)
MODEL = Model(feature_map=FEATURES, coefficients=COEFFICIENTS)


def risk(model: Model, loss: str) -> float:
    return mean_loss(model.coefficients, *ROWS, loss=loss)


def noisy_answers(planned: PlannedExcess, runs: int) -> list[ScoreQuery]:
    """Many answers to one query: exact numbers are counted once."""
    plan, generator = planned.plan, np.random.default_rng(1)
    exact = plan.questions.of(Asked(TABLE, minimise=least_risk))
    scales = [float(s) for s in plan.noise.scales]  # type: ignore[union-attr]
    found = []
    for _ in range(runs):
        noise = generator.standard_normal(len(exact)).tolist()
        values = tuple(v + round(s * z) for v, s, z in zip(exact, scales, noise, strict=True))
        found.append(ScoreQuery(**(plan.public() | {"values": values})))
    return found


@pytest.mark.parametrize("release", [RELEASE, HIDDEN], ids=["replace-one", "add-remove"])
@pytest.mark.parametrize("loss", ["logistic", "squared", "hinge"])
def test_misses_are_as_rare_as_is_said(loss: str, release: MomentRelease) -> None:
    compared_with = ModelClass(loss=loss, tau=Fraction(3))
    planned = plan_excess(release, MODEL, compared_with, beta=Fraction(1, 2), seed=1)
    best = train_on_table(TABLE, FEATURES, tau=Fraction(3), loss=loss)
    gain = risk(MODEL, loss) - mean_loss(best.coefficients, *ROWS, loss=loss)
    proved = [prove_excess(query, release) for query in noisy_answers(planned, 200)]
    missed = np.mean([float(found.bound) < gain for found in proved])
    assert 0.3 < missed < 0.55 if release is RELEASE else missed < 0.5
    assert np.mean([float(found.risk_hi) < risk(MODEL, loss) for found in proved]) < 0.05


@pytest.mark.parametrize("said", [{"tau": Fraction(40)}, {"ridge": Fraction(1, 2000)}], ids=["norm", "ridge"])
def test_no_excess_contradicts_the_risk_and_the_floor_beside_it(said: dict[str, Any]) -> None:
    """Where the class is wide the model's own loss says more than the difference: all ends hold together."""
    compared_with = ModelClass(loss="squared", **said)
    planned = plan_excess(RELEASE, MODEL, compared_with, beta=Fraction(1, 10), seed=1)
    best = train_on_table(TABLE, FEATURES, loss="squared", **said)
    penalties = [float(planned_penalty(model.coefficients, said)) for model in (MODEL, best)]
    gain = risk(MODEL, "squared") + penalties[0] - mean_loss(best.coefficients, *ROWS, loss="squared") - penalties[1]
    proved = [prove_excess(query, RELEASE) for query in noisy_answers(planned, 100)]
    for found in proved:
        assert found.floor_lo is not None
        assert found.floor_lo >= 0
        assert found.bound <= max(found.risk_hi + found.penalty - found.floor_lo, Fraction(0))
    sharper = [found for found in proved if found.bound == found.risk_hi + found.penalty - (found.floor_lo or 0)]
    assert len(sharper) > 20
    assert np.mean([float(found.bound) < gain for found in proved]) <= 0.1


def planned_penalty(coefficients: tuple[Fraction, ...], said: dict[str, Any]) -> Fraction:
    return said.get("ridge", Fraction(0)) / 2 * FEATURES.squared_norm * sum(c * c for c in coefficients)


@pytest.mark.parametrize(
    "said",
    [
        {"tau": Fraction(3)},
        {"ridge": Fraction(1, 50)},
        {"tau": Fraction(3), "ridge": Fraction(1, 50)},
        {"tau": Fraction(3), "intercept": "free"},
        {"ridge": Fraction(1, 50), "intercept": "free"},
    ],
)
def test_classes(said: dict[str, Any]) -> None:
    compared_with = ModelClass(loss="logistic", **said)
    planned = plan_excess(RELEASE, MODEL, compared_with, beta=BETA, seed=1)
    found = planned.ask(TABLE)
    ridge, free = said.get("ridge", Fraction(0)), "intercept" in said
    trained = {name: value for name, value in said.items() if name != "intercept"}
    best = train_on_table(TABLE, FEATURES, penalise_intercept=not free, **trained)

    def objective(coefficients: tuple[Fraction, ...]) -> float:
        counted = coefficients[:-1] if free else coefficients
        penalty = ridge / 2 * FEATURES.squared_norm * sum(c * c for c in counted)
        return mean_loss(coefficients, *ROWS, loss="logistic") + float(penalty)

    gain = objective(COEFFICIENTS) - objective(best.coefficients)
    assert -1e-9 < gain <= float(found.bound) < gain + 3 * float(planned.expected)
    assert found.proved.compared_with == compared_with
    assert found.proved.any_intercept == free
    assert (found.proved.failures.release > 0) == free
    assert found.proved.floor_lo is not None
    assert float(found.proved.floor_lo) <= objective(best.coefficients)
    assert found.proved == prove_excess(found.query, found.release)


def test_a_finite_set_of_models() -> None:
    others = [Model(feature_map=FEATURES, coefficients=tuple(c * k for c in COEFFICIENTS)) for k in (0, 2, -1)]
    found = plan_excess(RELEASE, MODEL, None, against=others, beta=BETA, seed=1).ask(TABLE)
    gain = risk(MODEL, "logistic") - min(risk(other, "logistic") for other in others)
    assert gain <= float(found.bound) < max(gain, 0) + 0.05
    assert found.proved.compared_with is None
    assert found.proved.verdict.word == INFORMATIVE
    with pytest.raises(UsageError, match="against is missing"):
        plan_excess(RELEASE, MODEL, None, beta=BETA, seed=1)
    foreign = Model(feature_map=feature_map(one_hot=False), coefficients=COEFFICIENTS[:5])
    with pytest.raises(NotApplicable, match="other features"):
        plan_excess(RELEASE, MODEL, None, against=[foreign], beta=BETA, seed=1)


def test_a_model_with_features_of_its_own() -> None:
    own = Model(feature_map=feature_map(one_hot=False), coefficients=COEFFICIENTS[:5], tau=Fraction(3))
    wanted = Wanted(release=RELEASE, model=own, compared_with=class_for(own), beta=BETA, seed=1)
    planned = wanted.either()
    assert isinstance(planned, PlannedExcess)
    assert planned.ask(TABLE).bound < 1


def test_refusals() -> None:
    def refused(match: str, kind: type[Exception], release: MomentRelease = RELEASE, **more: Any) -> None:
        asked = {"compared_with": ModelClass(loss="logistic", tau=Fraction(3)), "beta": BETA, "seed": 1} | more
        with pytest.raises(kind, match=match):
            plan_excess(release, MODEL, **asked)

    refused("beta = 1", ParameterError, beta=Fraction(1))
    refused("largest-intercept is for a free", UsageError, largest_intercept=Fraction(3))
    refused("ridge: under add-remove", NotApplicable, HIDDEN, compared_with=ModelClass(loss="logistic", ridge=BETA))
    refused("part = 2", ParameterError, part=Fraction(2))
    spent = RELEASE.with_reservation_spent()
    refused("reservation: is spent", UsageError, spent)


def test_an_answer_of_other_questions_is_not_an_excess() -> None:
    found = plan_excess(RELEASE, MODEL, ModelClass(loss="logistic", tau=Fraction(3)), beta=BETA, seed=1).ask(TABLE)
    questions = found.query.questions
    labels = type(questions)((questions.questions[2],), (Fraction(1),))
    turned = replace(found.query, questions=labels, values=found.query.values[2:])
    with pytest.raises(DataError, match="not those of an excess"):
        prove_excess(turned, RELEASE)


# --- which question ----------------------------------------------------------------------------------------------


def wanted(**changes: Any) -> Wanted:
    asked: dict[str, Any] = {
        "release": RELEASE,
        "model": MODEL,
        "compared_with": ModelClass(loss="logistic", tau=Fraction(3)),
        "beta": BETA,
        "seed": 1,
    }
    return Wanted(**(asked | changes))


def test_the_smaller_expectation_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = wanted()
    gradient = asked.gradient()
    assert gradient.with_missed() >= gradient.expected
    assert isinstance(asked.either(), PlannedExcess)
    monkeypatch.setattr(PlannedConfirmation, "with_missed", lambda self: Fraction(0))
    assert isinstance(asked.either(), PlannedConfirmation)


def test_rounds_ask_for_gradients_and_what_a_gradient_cannot_do_for_the_excess() -> None:
    assert isinstance(wanted(part=Fraction(1, 2)).either(), PlannedConfirmation)
    free = ModelClass(loss="logistic", tau=Fraction(3), intercept="free")
    assert isinstance(wanted(compared_with=free).either(), PlannedExcess)
    zero = Model(feature_map=FEATURES, coefficients=(Fraction(0),) * 7)
    assert isinstance(wanted(compared_with=None, against=(zero,)).either(), PlannedExcess)
    with pytest.raises(UsageError, match="the very model"):
        wanted(compared_with=None, against=(MODEL,)).either()
    with pytest.raises(NotApplicable, match="intercept = free"):
        wanted(compared_with=free).gradient()
    with pytest.raises(NotApplicable, match="ask = gradient"):
        wanted(compared_with=None, against=(MODEL,)).gradient()
