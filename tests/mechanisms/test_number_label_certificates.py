"""Certificates for labels that are numbers: true on simulated releases, proved again by the checker, else refused."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from bounds.certify.classes import FREE, ModelClass, within_norm
from bounds.certify.problem import KnownMoments
from bounds.certify.verdict import INFORMATIVE
from bounds.errors import NotApplicable, ParameterError, SynthboundsError
from mechanisms.baselines.noisy_gradient import DescentPlan
from mechanisms.models.certify.evidence import certificate_json
from mechanisms.models.certify.from_marginals import certify_from_marginals
from mechanisms.models.certify.from_moments import ModelCertificate, certify_model
from mechanisms.models.confirm.any_model import plan_predictions
from mechanisms.models.confirm.excess import plan_excess
from mechanisms.models.model import Model
from mechanisms.models.plan.choose_tau import choose_tau
from mechanisms.models.plan.improve import improvements
from mechanisms.models.train.from_public import train_from_table
from mechanisms.models.train.from_release import train_from_release
from mechanisms.models.train.newton import train_on_table
from release.data.schema import parse_schema
from release.data.source import as_source
from release.distance.make import release_distance
from release.floors.make import FloorRequest
from release.gradient.planned import plan_gradient
from release.marginals.make import release_marginals
from release.moments.file import MomentRelease, release_text
from release.moments.make import make_release
from release.statistics.features import build_feature_map
from verify.checkers import Rejected
from verify.checkers.given import compare
from verify.checkers.model import check

COLUMNS = [
    {"name": "a", "levels": ["0", "1", "2"]},
    {"name": "c", "levels": ["x", "y", "z"]},
    {"name": "pay", "levels": ["0", "1", "2.5", "9"]},
]
SCHEMA = parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": COLUMNS}))
FEATURES = build_feature_map(SCHEMA, label="pay", one_hot=(), reduced=["c"])
N = 3000
ASKED: dict[str, Any] = {"epsilon": 2, "dp_delta": "1e-6", "adjacency": "replace-one", "mode": "simulate"}
HIDDEN = {"adjacency": "add-remove", "n0": N - 100}
TAU = ModelClass(loss="squared", tau=Fraction(2))
CLASSES = [
    TAU,
    ModelClass(loss="squared", ridge=Fraction(1, 5)),
    ModelClass(loss="squared", tau=Fraction(1), intercept=FREE),
    ModelClass(loss="squared", ridge=Fraction(1, 2), intercept=FREE),
]


def records() -> Any:
    generator = np.random.Generator(np.random.Philox(17))
    a, c = generator.integers(0, 3, N), generator.integers(0, 3, N)
    pay = np.clip(a + (c == 2) + generator.integers(-1, 2, N), 0, 3)
    return np.column_stack([a, c, pay]).astype(np.uint8)


CODES = records()
X = FEATURES.features(CODES) / float(FEATURES.one)
Y = FEATURES.labels(CODES) / float(FEATURES.label_one)


@cache
def released(seed: int = 1, **changes: Any) -> MomentRelease:
    return make_release(CODES, FEATURES, **(ASKED | {"seed": seed} | changes))


def model(*coefficients: str, loss: str = "squared") -> Model:
    said = coefficients or ("0.4", "0", "0.3", "-0.35")
    return Model(feature_map=FEATURES, coefficients=tuple(map(Fraction, said)), loss=loss)


@cache
def certified(compared: ModelClass = TAU, **changes: Any) -> ModelCertificate:
    return certify_model(released(**changes), model(), compared, held_out=True)


def objective(w: Any, compared: ModelClass) -> float:
    counted = w if compared.intercept != FREE else w[:-1]
    penalty = float(compared.ridge or 0) / 2 * FEATURES.squared_norm * float(counted @ counted)
    return float(((Y - X @ w) ** 2).mean() / 2) + penalty


def best(compared: ModelClass) -> float:
    """The least objective of the class, by a multiplier that is searched for."""
    counted = np.ones(FEATURES.size)
    counted[-1] = compared.intercept != FREE
    low, high = float(compared.ridge or 0), 1e6
    second, first = X.T @ X / N, X.T @ Y / N

    def at(multiplier: float) -> Any:
        return np.linalg.solve(second + multiplier * FEATURES.squared_norm * np.diag(counted), first)

    def length(w: Any) -> float:
        return float(FEATURES.squared_norm * (counted * w) @ w)

    if compared.tau is None or length(at(max(low, 1e-12))) <= float(compared.tau) ** 2:
        return objective(at(max(low, 1e-12)), compared)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if length(at(middle)) > float(compared.tau) ** 2 else (low, middle)
    return objective(at(high), compared)


@pytest.mark.parametrize(("compared", "changes"), list(zip(CLASSES, [{}, HIDDEN] * 2, strict=True)))
def test_certificates_hold_and_are_proved_again(compared: ModelClass, changes: dict[str, Any]) -> None:
    found = certified(compared, **changes)
    excess = objective(np.array([float(c) for c in model().coefficients]), compared) - best(compared)
    assert 0 <= excess <= float(found.bound) <= 1
    text = json.dumps(certificate_json(found))
    assert any("a number y from -1 to 1, in steps of 2^-16" in line for line in check(text))
    compare(text, release_text(found.release), None)


@pytest.mark.slow
def test_certificates_hold_as_often_as_they_say() -> None:
    """With one event for all of it, more than 2 misses of 8 releases have a probability below 0.006."""
    excess = objective(np.array([float(c) for c in model().coefficients]), TAU) - best(TAU)
    missed = 0
    for seed in range(8):
        known_first = released(seed, epsilon="0.5").first
        found = certify_model(released(seed, epsilon="0.5"), model(), TAU)
        off = np.linalg.norm([float(a) - b for a, b in zip(known_first, X.T @ Y / N, strict=True)])
        missed += excess > float(found.bound) or off > float(found.problem.known.first_radius)
    assert missed <= 2


def test_what_dominates_at_both_ends_dominates_between() -> None:
    """Over all labels and many scores: the polynomial of a certificate is above the difference of the losses."""
    found = certified().routes[0].found
    assert found is not None
    reach, (lo, hi) = float(found.problem.compared.reach), map(float, found.problem.scores)
    alpha = [float(x) for x in found.shape.label]
    form = np.array([[float(x) for x in row] for row in found.shape.second])
    for y, s, v in itertools.product(np.linspace(-1, 1, 9), np.linspace(lo, hi, 9), np.linspace(-reach, reach, 9)):
        b = np.array([1.0, s, v])
        polynomial = float(found.shape.constant) + y * float(np.dot(alpha, b)) + float(b @ form @ b)
        assert ((y - s) ** 2 - (y - v) ** 2) / 2 <= polynomial + float(found.excess.upper) + 1e-12


def test_the_verdict_compares_with_constants_without_knowing_their_risk() -> None:
    lines = certified().baselines
    w = np.array([float(c) for c in model().coefficients])
    assert lines.label_is_number
    assert lines.constant_gain is not None
    gain = float(Y.var() / 2) - objective(w, TAU)
    assert 0 < float(lines.constant_gain) <= gain
    assert objective(w, TAU) <= float(lines.model_risk)
    assert certified().verdict == INFORMATIVE
    useless = certify_model(released(), model("0", "0", "0", "0.9"), TAU)
    assert useless.verdict != INFORMATIVE
    assert (useless.baselines.constant_gain or 0) < 0


def test_a_free_intercept_is_bounded_for_every_label() -> None:
    """Beyond norm and 2 the zero model is better; for labels +1 and -1 the rarer one may say so earlier."""
    compared = ModelClass(loss="squared", tau=Fraction(1), intercept=FREE)
    known = certified(compared).problem.known

    def intercept(**changes: Any) -> Fraction:
        event = KnownMoments(**{**known.__dict__, **changes})
        return within_norm(compared, event).reach - 2 * Fraction(1)

    assert intercept() == 2
    half = (*known.first[:-1], Fraction(0))
    assert intercept(label_is_number=False, first=half, first_radius=Fraction(0)) == 1
    rare = (*known.first[:-1], Fraction(99, 100))
    assert intercept(label_is_number=False, first=rare) == 2
    with pytest.raises(NotApplicable, match="both labels occur"):
        within_norm(
            ModelClass(loss="logistic", tau=Fraction(1), intercept=FREE),
            KnownMoments(**{**known.__dict__, "label_is_number": False, "first": rare}),
        )


@pytest.mark.parametrize("loss", ["logistic", "hinge", "1/(1+exp(x))"])
def test_losses_of_margins_are_refused(loss: str) -> None:
    with pytest.raises(NotApplicable, match="the label is a number, and the loss needs") as refusal:
        certify_model(released(), model(), ModelClass(loss=loss, tau=Fraction(2)))
    assert refusal.value.exit_code == 4


# --- the checker -------------------------------------------------------------------------------------------------


def less(text: str, factor: Fraction = Fraction(9, 10)) -> str:
    return str(Fraction(text) * factor)


MUTATIONS: list[Callable[[dict[str, Any]], None]] = [
    lambda body: body.pop("label_bits"),
    lambda body: body.update(label_bits=15),
    lambda body: body.update(label_bits=17),
    lambda body: body.update(label_bits=0),
    lambda body: body.update(loss="log(1+exp(-x))"),
    lambda body: body.update(loss="max(0,1-x)"),
    lambda body: body.update(bound=less(body["bound"])),
    lambda body: body.update(radii=[less(body["radii"][0]), *body["radii"][1:]]),
    lambda body: body.update(noise=[str(2 * Fraction(body["noise"][0])), *body["noise"][1:]]),
    lambda body: body["first"].__setitem__(0, str(-int(body["first"][0]))),
    lambda body: body.update(reach=less(body["reach"])),
    lambda body: body.update(balls=[less(ball) for ball in body["balls"]]),
]


def rejected_by_one(text: str) -> None:
    check(text)
    compare(text, release_text(released()), None)


@pytest.mark.parametrize("number", range(len(MUTATIONS)))
def test_changed_certificates_are_rejected(number: int) -> None:
    body = json.loads(json.dumps(certificate_json(certified(CLASSES[2]))))
    MUTATIONS[number](body)
    body["statement"] = body["statement"].replace(
        "squared", {"log(1+exp(-x))": "logistic"}.get(body["loss"], "squared")
    )
    text = json.dumps(body)
    with pytest.raises(Rejected):
        rejected_by_one(text)


def test_a_logistic_certificate_of_numbers_is_rejected_for_its_labels() -> None:
    body = json.loads(json.dumps(certificate_json(certified()))) | {"loss": "log(1+exp(-x))"}
    with pytest.raises(Rejected, match="is not one for a label that is a number"):
        check(json.dumps(body))


# --- other routes, and what refuses numbers ------------------------------------------------------------------------


def test_marginals_certify_numbers() -> None:
    marginals = release_marginals(
        CODES, SCHEMA, epsilon=2, dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=4
    )
    compared = ModelClass(loss="squared", tau=Fraction(1))
    found = certify_from_marginals(marginals, model("0.2", "0", "0.1", "-0.1"), compared)
    w = np.array([0.2, 0, 0.1, -0.1])
    assert objective(w, compared) - best(compared) <= float(found.bound) < 1
    with pytest.raises(NotApplicable, match="the label is a number"):
        certify_from_marginals(
            marginals, model("0.2", "0", "0.1", "-0.1"), ModelClass(loss="logistic", tau=Fraction(1))
        )


def reserved() -> MomentRelease:
    return released(1, reserve="1/2")


GUARDED: dict[str, Callable[[], Any]] = {
    "train": lambda: train_from_release(released()),
    "train on a table": lambda: train_from_table(as_source(CODES, SCHEMA.domain), FEATURES),
    "train for a study": lambda: train_on_table(CODES, FEATURES),
    "tau = auto": lambda: choose_tau(released()),
    "floors": lambda: FloorRequest(FEATURES, **ASKED),
    "distance": lambda: release_distance(CODES, CODES, FEATURES, **ASKED, seed=1),
    "gradient": lambda: plan_gradient(reserved(), model().coefficients, loss="squared", seed=1),
    "excess": lambda: plan_excess(reserved(), model(), TAU, beta=Fraction(1, 20), model_from="release", seed=1),
    "predictions": lambda: plan_predictions(reserved(), model_from="release", beta=Fraction(1, 20), loss="log"),
    "descent": lambda: DescentPlan(
        features=FEATURES, adjacency=released().adjacency, size=N, epsilon=1, dp_delta="1e-6"
    ),
}


@pytest.mark.parametrize("what", GUARDED)
def test_what_needs_two_values_says_so(what: str) -> None:
    with pytest.raises(
        ParameterError, match=r"^label = pay, a number: must be a column with exactly two values \("
    ) as e:
        GUARDED[what]()
    assert "\n" not in str(e.value)
    if what.startswith("train"):
        assert "`synthbounds regress RELEASE --loss squared` takes numbers" in str(e.value)


def test_what_would_help_is_told_without_training() -> None:
    assert {change.name for change in improvements(certified())} <= {"n", "epsilon"}
    with pytest.raises(SynthboundsError):
        train_from_release(released())
