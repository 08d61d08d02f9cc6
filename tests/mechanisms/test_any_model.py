"""Queries about predictions: certified intervals against the truth, over many answers, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from bounds import clopper_pearson
from bounds.enclosure import Enclosure
from bounds.errors import DataError, NotApplicable, ParameterError, UsageError
from mechanisms.models.confirm.any_model import PlannedScore, plan_predictions
from mechanisms.models.confirm.scored import Bin, Scored, scored
from mechanisms.models.train.least_risk import least_risk
from release.files.digest import digest_of
from release.floors.make import FloorRequest
from release.moments.make import make_release
from release.noise.randomness import read_randomness
from release.noise.simulated import with_simulated_noise
from release.reserving import ReservingRelease
from release.scores.file import ScoreQuery
from release.scores.planned import ScorePlan, counted
from release.scores.read import parse_scores
from release.statistics.predictions import predictions_of
from release.statistics.question import Asked
from tests.release.test_gradient_query import FEATURES

BETA = Fraction(1, 20)
N = 1500
ASKS: dict[str, dict[str, Any]] = {
    "log": {"loss": "log"},
    "zero-one": {"loss": "zero-one"},
    "brier": {"loss": "brier"},
    "auc": {"ask": "auc", "least_positive": 500, "least_other": 700},
    "calibration": {"ask": "calibration", "bins": 4},
}


@cache
def table() -> tuple[Any, Any]:
    """Records and predictions that know something of their label."""
    stream = np.random.default_rng(2)
    codes = np.stack([stream.integers(0, size, N) for size in (2, 4, 3, 2)], axis=1).astype(np.uint8)
    p = np.round(np.clip(0.15 + 0.2 * codes[:, 0] + 0.15 * codes[:, 1] + stream.normal(0, 0.05, N), 0, 1), 4)
    codes[:, -1] = stream.random(N) < p
    return codes, p


def release_of(kind: str = "moments", **changes: Any) -> ReservingRelease:
    asked: dict[str, Any] = {
        "epsilon": 4,
        "dp_delta": "1e-6",
        "adjacency": "replace-one",
        "mode": "simulate",
        "seed": 5,
        "reserve": "1/4",
    }
    if kind == "floors":
        return FloorRequest(FEATURES, **(asked | changes)).release(table()[0], least_risk)
    return make_release(table()[0], FEATURES, **(asked | changes))


def planned(release: ReservingRelease, ask: str, **changes: Any) -> PlannedScore:
    asked = {"model_from": "public", "beta": BETA, "seed": 1} | ASKS[ask] | changes
    return plan_predictions(release, **asked)


def answers(plan: PlannedScore, count: int, key: int = 11) -> Iterator[ScoreQuery]:
    """Many answers to one query: counted once, noise drawn anew."""
    codes, p = table()
    exact = counted(plan.plan.questions, Asked(codes, predictions_of(p))).values
    spent = plan.plan.ledger.spend(plan.plan.price, plan.plan.KIND)
    noise, stream = plan.plan.noise, np.random.default_rng(key)
    for _ in range(count):
        drawn = with_simulated_noise(noise, exact, read_randomness("simulate", stream=stream))
        values = tuple(int(value) for value in drawn)
        yield ScoreQuery(**(plan.plan.public() | {"ledger": spent, "values": values}))


def truth(ask: str) -> Any:
    from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

    codes, p = table()
    y = codes[:, -1]
    if ask == "calibration":
        place = np.minimum((p * 4 + 1e-12).astype(int), 3)
        return [float(y[place == j].mean()) for j in range(4)]
    return {
        "log": lambda: log_loss(y, np.clip(p, 0.01, 0.99)),
        "zero-one": lambda: float(np.mean((p > 0.5) != y)),
        "brier": lambda: brier_score_loss(y, p),
        "auc": lambda: roc_auc_score(y, p),
    }[ask]()


def is_true(found: Scored, true: Any) -> bool:
    if found.value is None:
        return all(within(each.share, share) for each, share in zip(found.bins, true, strict=True))
    y = table()[0][:, -1]
    assert found.sizes is not None
    sizes = within(found.sizes.positive, int(y.sum())) and within(found.sizes.size, N)
    return sizes and within(found.value, true)


def within(interval: Enclosure, number: float) -> bool:
    return float(interval.lo) - 1e-9 <= number <= float(interval.hi) + 1e-9


@pytest.mark.parametrize(
    ("adjacency", "trials"),
    [
        ("replace-one", 300),
        *(pytest.param(name, 2000, marks=pytest.mark.slow) for name in ("replace-one", "add-remove")),
    ],
)
@pytest.mark.parametrize("ask", ASKS)
def test_intervals_hold_as_often_as_stated(ask: str, adjacency: str, trials: int) -> None:
    """Misses may not be more than beta allows, nor so few that intervals are wider than they need be."""
    more = {"n0": 1400} if adjacency == "add-remove" else {}
    release, true = release_of(adjacency=adjacency, **more), truth(ask)
    misses = sum(not is_true(scored(query, release), true) for query in answers(planned(release, ask), trials))
    assert clopper_pearson.interval(misses, trials, 0.999)[0] <= BETA
    if adjacency == "replace-one":
        assert misses >= trials // 100


def test_floors_and_the_model_are_compared_on_one_event() -> None:
    """Both the floors and the answer are drawn anew; the best linear models are known from their own questions."""
    codes, _ = table()
    release, trials = release_of("floors", tau=["2", "5"]), 300
    plan = planned(release, "log")
    exact = counted(release.questions, Asked(codes, minimise=least_risk)).values
    true_loss = truth("log")
    stream, misses = np.random.default_rng(6), 0
    for query in answers(plan, trials):
        drawn = with_simulated_noise(release.noise, exact, read_randomness("simulate", stream=stream))
        other = replace(release, values=tuple(int(value) for value in drawn))
        found = scored(replace(query, release_id=other.reservation_id), other)
        assert [floor.tau for floor in found.floors] == [2, 5]
        lies = []
        for floor, asked, value in zip(found.floors, release.floors, exact[:2], strict=True):
            step = float(asked.unit) / N
            least, gap = value * step, asked.gap * step
            lies.append(float(floor.difference.lo) - gap <= true_loss - least <= float(floor.difference.hi) + gap)
        misses += not all(lies)
    assert clopper_pearson.interval(misses, trials, 0.999)[0] <= BETA


def test_the_answer_of_floors_says_that_the_model_is_better() -> None:
    release = release_of("floors", tau=["1/10", "2"], epsilon=20)
    found = next(iter_scored(release, "log"))
    assert found.floors[0].difference.hi < 0
    assert found.verdict is not None
    assert found.verdict.word == "informative"
    assert found.gain is not None
    assert found.gain > 0
    assert not next(iter_scored(release, "zero-one")).floors


def iter_scored(release: ReservingRelease, ask: str) -> Iterator[Scored]:
    return (scored(query, release) for query in answers(planned(release, ask), 1))


@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("kind", ["moments", "floors"])
def test_answers_are_read_back_and_say_the_same(kind: str, ask: str) -> None:
    release = release_of(kind)
    codes, p = table()
    found = planned(release, ask).ask(codes, [predictions_of(p)])
    query, paid = found.booking.query, found.booking.payer.release
    again = parse_scores(query.to_text(), paid)
    assert again == query
    assert scored(again, paid) == found.scored
    assert str(paid.ledger.reserved) == "0"
    assert found.half_width > 0


@pytest.mark.parametrize("ask", ["zero-one", "auc"])
def test_the_best_of_several_is_named_and_asked_about(ask: str) -> None:
    codes, p = table()
    release = release_of(epsilon=20)
    plan = planned(release, ask, names=("flat", "good", "reversed"))
    found = plan.ask(codes, [predictions_of(np.full(N, 0.5)), predictions_of(p), predictions_of(1 - p)])
    query, paid = found.booking.query, found.booking.payer.release
    assert query.about["name"] == "good"
    assert query.price.mu_squared == query.mu_squared * 3 / 4
    assert query.mu_squared == release.mu_squared_reserved
    assert parse_scores(query.to_text(), paid) == query
    assert is_true(found.scored, truth(ask))
    body = json.loads(query.to_text())
    del body["digest"]
    for name, values in {
        "choice_share": (None, "2", "x"),
        "among": (None, "1", "x", 2),
        "name": (None, "", "\n"),
        "model": ("x", ""),
        "model_from": (None, "x"),
        "ask": (None, "excess", "calibration"),
    }.items():
        for value in values:
            changed = body | {"about": body["about"] | {name: value}}
            with pytest.raises(DataError, match=f"^query: about: {name}"):
                parse_scores(json.dumps(changed | {"digest": digest_of(changed)}), paid)


def test_a_class_that_is_smaller_than_declared_widens_the_area() -> None:
    release = release_of()
    positive = int(table()[0][:, -1].sum())
    found = next(iter(answers(planned(release, "auc", least_positive=2 * positive), 1)))
    assert is_true(scored(found, release), truth("auc"))


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"model_from": "somewhere"}, ParameterError, "model_from = somewhere"),
        ({"ask": "gradient"}, ParameterError, "ask = gradient"),
        ({"loss": None}, UsageError, "loss is missing"),
        ({"ask": "auc", "loss": None}, UsageError, "least-positive and least-other"),
        ({"bins": 3}, UsageError, "bins = 3: is not for --ask loss"),
        ({"loss": "brier", "clip": Fraction(1, 10)}, ParameterError, "clip"),
        ({"beta": Fraction(0)}, ParameterError, "beta = 0"),
        ({"names": ("a", "a")}, ParameterError, "different names"),
        ({"names": ("a", "b"), "model": "0" * 64}, UsageError, "one file of predictions"),
        ({"ask": "calibration", "loss": None, "names": ("a", "b")}, NotApplicable, "least loss or largest area"),
    ],
)
def test_what_cannot_be_asked(changes: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        plan_predictions(release_of(), **({"model_from": "public", "beta": BETA, "loss": "log", "seed": 1} | changes))


@pytest.mark.parametrize(
    ("about", "said"),
    [({"choice_share": "2"}, "choice_share"), ({"choice_share": "x"}, "choice_share"), ({"beta": "1"}, "beta")],
)
def test_what_a_file_may_not_say(about: dict[str, str], said: str) -> None:
    release = release_of()
    plan = planned(release, "log")
    changed = replace(plan.plan, about=plan.plan.about | about)
    with pytest.raises(DataError, match=said):
        replace(plan, plan=changed).half_width  # noqa: B018 - it is computed from the file's fields


def test_plans_know_their_noise() -> None:
    plan = planned(release_of(), "zero-one")
    assert isinstance(plan.plan, ScorePlan)
    found = plan.ask(table()[0], [predictions_of(table()[1])]).scored.value
    assert found is not None
    assert (found.hi - found.lo) / 2 == pytest.approx(float(plan.half_width), rel=0.2)


@pytest.mark.parametrize(("lo", "hi", "fits"), [("0.1", "0.2", True), ("0.3", "0.4", True), ("0", "0.19", False)])
def test_a_bin_whose_share_meets_its_predictions_may_be_calibrated(lo: str, hi: str, fits: bool) -> None:
    share = Enclosure(Fraction(lo), Fraction(hi))
    assert Bin(lo=Fraction(1, 5), hi=Fraction(3, 10), noisy_size=10, share=share).may_be_calibrated is fits
