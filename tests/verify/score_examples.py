"""Certificates of scores of every kind, made from a small table by the real mechanisms with simulated noise."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from bounds.certify.classes import FREE, ModelClass
from mechanisms.models.confirm.any_model import plan_predictions
from mechanisms.models.confirm.excess import plan_excess
from mechanisms.models.model import Model
from mechanisms.models.train.least_risk import least_risk
from release.floors.file import FloorRelease
from release.floors.make import FloorRequest
from release.moments.file import MomentRelease
from release.moments.make import make_release
from release.scores.file import ScoreQuery
from release.statistics.predictions import Predictions
from synthbounds.api.confirming import answer_certificate
from tests.moment_examples import feature_map, table

Answered = tuple[MomentRelease | FloorRelease, ScoreQuery | None]
N = 3_000
BETA = Fraction(1, 20)


def model(*, loss: str = "logistic", scale: int = 1) -> Model:
    features = feature_map()
    values = (np.arange(features.size) % 5 - 1) * Fraction(scale, 4)
    return Model(feature_map=features, coefficients=tuple(map(Fraction, values)), loss=loss)


@cache
def paying(adjacency: str = "replace-one") -> MomentRelease:
    asked = {} if adjacency == "replace-one" else {"n0": N - 200}
    common = {"epsilon": 2, "dp_delta": Fraction(1, N * N), "mode": "simulate", "seed": 5, "reserve": "1/2"}
    return make_release(table(N), feature_map(), adjacency=adjacency, **common, **asked)


@cache
def floors(loss: str = "logistic", adjacency: str = "replace-one") -> FloorRelease:
    asked = {} if adjacency == "replace-one" else {"least_size": N - 200}
    request = FloorRequest(
        feature_map(), loss=loss, tau=["1", "5/2", "10"], adjacency=adjacency, epsilon=2, dp_delta=Fraction(1, N * N),
        mode="simulate", seed=3, reserve="1/2", **asked,
    )  # fmt: skip
    return request.release(table(N), least_risk)


def predictions(shift: int = 0) -> Predictions:
    codes = table(N)
    scores = 0.5 * (codes[:, 0] - 2.4) + codes[:, 3] - 0.9 * (codes[:, 1] == 2) + shift
    return Predictions(tuple(round(1000 / (1 + np.exp(-score))) for score in scores.tolist()), 1000)


def excess(
    adjacency: str = "replace-one",
    *,
    loss: str = "logistic",
    against: bool = False,
    size: str | None = None,
    **compared: Any,
) -> Answered:
    others = (model(loss=loss, scale=2), model(loss=loss, scale=-1)) if against else ()
    asked_for = None if against else ModelClass(loss=loss, **compared)
    plan = plan_excess(
        paying(adjacency), model(loss=loss), asked_for, beta=BETA, against=others, seed=1,
        largest_intercept=None if size is None else Fraction(size), model_from="public",
    )  # fmt: skip
    return paying(adjacency), plan.ask(table(N)).query


def scored(release: Any, *, several: bool = False, **asked: Any) -> Answered:
    names = ("a", "b", "c") if several else ("a",)
    plan = plan_predictions(release, model_from="table", beta=BETA, names=names, seed=2, **asked)
    return release, plan.ask(table(N), [predictions(shift) for shift in range(len(names))]).booking.query


CASES: dict[str, Callable[[], Answered]] = {
    "excess_norm": lambda: excess(tau=Fraction(5)),
    "excess_hinge": lambda: excess(loss="hinge", tau=Fraction(5, 2)),
    "excess_ridge": lambda: excess(loss="squared", ridge=Fraction(1, 4)),
    "excess_wide": lambda: excess(loss="squared", ridge=Fraction(1, 1000)),
    "excess_both": lambda: excess(ridge=Fraction(1, 50), tau=Fraction(4)),
    "excess_free": lambda: excess(tau=Fraction(3), intercept=FREE, size="4"),
    "excess_private_size": lambda: excess("add-remove", tau=Fraction(5)),
    "excess_over": lambda: excess(against=True),
    "excess_over_private_size": lambda: excess("add-remove", against=True, loss="squared"),
    "floors": lambda: (floors(), None),
    "floors_private_size": lambda: (floors("hinge", "add-remove"), None),
    "loss_log": lambda: scored(floors(), ask="loss", loss="log"),
    "loss_log_private_size": lambda: scored(floors(adjacency="add-remove"), ask="loss", loss="log"),
    "loss_brier": lambda: scored(floors("squared"), ask="loss", loss="brier"),
    "loss_zero_one": lambda: scored(paying(), ask="loss", loss="zero-one"),
    "loss_best": lambda: scored(paying(), ask="loss", loss="log", several=True),
    "auc": lambda: scored(paying(), ask="auc", least_positive=1000, least_other=1000),
    "auc_private_size": lambda: scored(paying("add-remove"), ask="auc", least_positive=1000, least_other=1000),
    "auc_best": lambda: scored(floors(), ask="auc", least_positive=9000, least_other=1000, several=True),
    "calibration": lambda: scored(paying(), ask="calibration", bins=5),
    "calibration_private_size": lambda: scored(floors(adjacency="add-remove"), ask="calibration"),
}


@cache
def answered(name: str) -> Answered:
    """What was released, and the answer to the query that it paid for, if there was one."""
    return CASES[name]()


def text_of(name: str) -> str:
    return answer_certificate(*answered(name))
