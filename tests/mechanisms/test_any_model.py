"""Queries about predictions: certified intervals against the truth, over many answers, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from bounds import clopper_pearson
from bounds.enclosure import Enclosure
from mechanisms.models.confirm.any_model import PlannedScore, plan_predictions
from mechanisms.models.confirm.scored import Scored, scored
from mechanisms.models.train.least_risk import least_risk
from release.floors.make import FloorRequest
from release.moments.make import make_release
from release.noise.randomness import read_randomness
from release.noise.simulated import with_simulated_noise
from release.reserving import ReservingRelease
from release.scores.file import ScoreQuery
from release.scores.planned import counted
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


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
@pytest.mark.parametrize("ask", ASKS)
def test_intervals_hold_as_often_as_stated(ask: str, adjacency: str) -> None:
    """2,000 answers of each kind; misses may not be more than beta allows, nor so few that intervals are too wide."""
    more = {"n0": 1400} if adjacency == "add-remove" else {}
    release, trials = release_of(adjacency=adjacency, **more), 1000
    true = truth(ask)
    misses = sum(not is_true(scored(query, release), true) for query in answers(planned(release, ask), trials))
    assert clopper_pearson.interval(misses, trials, 0.999)[0] <= BETA
    if adjacency == "replace-one":
        assert misses >= trials // 100
