"""A least loss has an answer for every table, however the records lie: a refusal would tell neighbours apart.

Tables of one record many times, or of a few, are the hardest: a kink of the hinge loss is then the best model's.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from bounds.certify.classes import ModelClass
from bounds.errors import NotApplicable
from bounds.privacy.adjacency import Adjacency
from mechanisms.models.confirm.excess import PlannedExcess, plan_excess
from mechanisms.models.model import Model
from mechanisms.models.train.least_risk import least_risk
from release.data.columns import LevelColumn
from release.data.schema import Schema
from release.floors.make import FloorRequest
from release.moments.make import make_release
from release.statistics import least_loss
from release.statistics.closing_in import closing_in
from release.statistics.enclosed_least import EnclosedLeast, Ends
from release.statistics.features import FeatureMap, build_feature_map
from release.statistics.least_loss import LeastLoss
from release.statistics.linear_class import LinearClass
from release.statistics.question import Asked

LOSSES = ("logistic", "hinge", "squared")


def features_of(*sizes: int) -> FeatureMap:
    columns = tuple(LevelColumn(f"c{i}", tuple("abcde"[:size])) for i, size in enumerate(sizes))
    return build_feature_map(Schema((*columns, LevelColumn("y", ("no", "yes"))), "public"), label="y")


SMALL, LARGER = features_of(2, 3), features_of(2, 3, 5, 4)
TABLES = {
    "identical": (np.array([[1, 2, 1]]), [1000]),
    "all but one": (np.array([[1, 2, 1], [0, 0, 1]]), [999, 1]),
    "both labels": (np.array([[1, 2, 1], [1, 2, 0]]), [700, 301]),
    "three": (np.array([[1, 2, 1], [0, 1, 0], [1, 1, 1]]), [40, 400, 3]),
}
CLASSES: tuple[dict[str, str], ...] = (
    {"tau": "1/2"},
    {"tau": "7"},
    {"tau": "100"},
    {"tau": "3/2", "intercept": "1/3"},
    {"tau": "9", "intercept": "20"},
    {"ridge": "69183/200000"},
    {"ridge": "1/70"},
    {"ridge": "1/9", "intercept": "2"},
    {"tau": "5/4", "ridge": "1/50"},
    {"tau": "5/4", "ridge": "1/50", "intercept": "1/2"},
)


def compared_with(loss: str, bounds: dict[str, str]) -> LinearClass:
    return LinearClass(feature_map=SMALL, loss=loss, **{name: Fraction(text) for name, text in bounds.items()})


def least_mean(compared: LinearClass, rows: np.ndarray, counts: np.ndarray) -> float:
    """By another solver; for the hinge loss with a variable above each record's loss, so that nothing has a kink."""
    features, n, hinge = compared.feature_map, counts.sum(), compared.loss == "hinge"
    signed = features.features(rows) / float(features.one) * features.labels(rows)[:, None]
    p, shares = features.size, counts / n
    counted = p - (compared.intercept is not None)
    weight = float(compared.ridge or 0) * features.squared_norm

    def mean(v: np.ndarray) -> float:
        m = signed @ v[:p]
        values = v[p:] if hinge else np.logaddexp(0, -m) if compared.loss == "logistic" else (1 - m) ** 2 / 2
        return float(shares @ values + weight / 2 * v[:counted] @ v[:counted])

    def slope(v: np.ndarray) -> np.ndarray:
        m = signed @ v[:p]
        falls = np.exp(-np.logaddexp(0, m)) if compared.loss == "logistic" else 1 - m
        found = np.zeros(len(v)) if hinge else -(shares * falls) @ signed
        found[:counted] += weight * v[:counted]
        found[p:] = shares[: len(v) - p]
        return found

    size = float(compared.radius) ** 2 / features.squared_norm
    limits: list[Any] = [{"type": "ineq", "fun": lambda v: 1 - v[:counted] @ v[:counted] / size}]
    if hinge:
        limits.append({"type": "ineq", "fun": lambda v: v[p:] - 1 + signed @ v[:p]})
    apart = [] if compared.intercept is None else [(-float(compared.intercept), float(compared.intercept))]
    bounds = [(None, None)] * counted + apart + [(0, None)] * (len(rows) if hinge else 0)
    start = np.concatenate([np.zeros(p), np.ones(len(rows) if hinge else 0)])
    solved = minimize(mean, start, jac=slope, method="SLSQP", bounds=bounds, constraints=limits,
                      options={"maxiter": 500, "ftol": 1e-13})  # fmt: skip
    return float(solved.fun)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("bounds", CLASSES, ids=str)
def test_tables_of_few_different_records(loss: str, bounds: dict[str, str]) -> None:
    question = LeastLoss(compared_with(loss, bounds))
    for name, (rows, counts) in TABLES.items():
        table = rows.astype(np.uint8).repeat(counts, axis=0)
        answer = question.of(Asked(table, minimise=least_risk))[0] * float(question.unit)
        true = least_mean(question.compared, rows, np.array(counts)) * len(table)
        assert -1e-4 <= answer - true <= question.gap * float(question.unit) + 1e-4, name


def planned_on(table: np.ndarray) -> PlannedExcess:
    release = make_release(table, LARGER, epsilon=Fraction(4), dp_delta=Fraction(1, 10**6), adjacency="replace-one",
                           mode="simulate", seed=3, reserve=Fraction(1, 4))  # fmt: skip
    model = Model(feature_map=LARGER, coefficients=(Fraction(1, 10),) * LARGER.size, loss="hinge")
    ridge = ModelClass(loss="hinge", tau=None, ridge=Fraction(69183, 200000))
    return plan_excess(release, model, ridge, beta=Fraction(1, 20), seed=1)


def test_neighbours_are_not_told_apart_by_a_refusal() -> None:
    table = np.tile(np.array([1, 1, 4, 2, 1], dtype=np.uint8), (1000, 1))
    other = table.copy()
    other[0] = [0, 2, 0, 2, 1]
    planned = planned_on(other)
    bounds = [planned.ask(each).bound for each in (table, other)]
    assert abs(bounds[0] - bounds[1]) < Fraction(1, 100)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("bounds", CLASSES, ids=str)
def test_the_last_resort_needs_no_help(loss: str, bounds: dict[str, str]) -> None:
    """From the zero model, within a number of steps that the proof allows."""
    compared = compared_with(loss, bounds)
    rows = TABLES["three"][0]
    table = rows.astype(np.uint8).repeat([4, 40, 3], axis=0)
    least, allowed = EnclosedLeast(compared, table), LeastLoss(compared).gap * least_loss.STEP
    ends = Ends(Fraction(0), Fraction(least.n))
    for model, touching in islice(closing_in(least, None, close=float(allowed) / least.n), 120):
        ends = ends.and_also(least.enclose(model, touching=touching))
        assert ends.lower <= ends.upper
        if ends.upper - ends.lower <= Fraction(3, 4) * allowed:
            return
    raise AssertionError("the ends did not meet")


def astray(*_: object, **__: object) -> np.ndarray:
    raise np.linalg.LinAlgError("Eigenvalues did not converge")


@pytest.mark.parametrize(
    "solver",
    [
        astray,
        lambda least, **_: np.zeros(SMALL.size),
        lambda least, **_: np.full(SMALL.size, np.nan),
        lambda least, **_: np.full(SMALL.size, 1e300),
    ],
)
def test_a_solver_that_goes_astray_is_no_reason_to_refuse(solver: Any) -> None:
    table = TABLES["three"][0].astype(np.uint8).repeat([4, 40, 3], axis=0)
    for loss in LOSSES:
        question = LeastLoss(compared_with(loss, {"tau": "2"}))
        found, wanted = (question.of(Asked(table, minimise=each))[0] for each in (solver, least_risk))
        assert abs(found - wanted) <= question.gap


def test_of_too_many_records_the_first_ones_are_summed(monkeypatch: pytest.MonkeyPatch) -> None:
    """In an order that no table has a say in, so that one record more or less is one in what is summed, too."""
    monkeypatch.setattr(least_loss, "MOST_RECORDS", 60)
    question = LeastLoss(compared_with("logistic", {"tau": "2"}))
    generator = np.random.default_rng(4)
    table = generator.integers(0, [2, 3, 2], (64, 3)).astype(np.uint8)
    whole = LeastLoss(compared_with("logistic", {"tau": "2"}))
    ordered = table[np.lexsort(table.T[::-1])]
    answer, first = (question.of(Asked(each, minimise=least_risk))[0] for each in (table, ordered[:60]))
    assert abs(answer - first) <= question.gap
    for i in range(8):
        fewer = question.of(Asked(np.delete(table, i, axis=0), minimise=least_risk))[0]
        assert abs(answer - fewer) <= question.moved(Adjacency.ADD_REMOVE)
    monkeypatch.undo()
    assert answer <= whole.of(Asked(table, minimise=least_risk))[0] + whole.gap


def test_a_public_number_of_records_is_refused_before_any_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    for loss in LOSSES:
        question = LeastLoss(compared_with(loss, {"tau": "2"}))
        assert 10**7 < question.most_records <= 2**26
        question.require_size(question.most_records)
        with pytest.raises(NotApplicable, match=r"records or more"):
            question.require_size(question.most_records + 1)
    monkeypatch.setattr(least_loss, "MOST_RECORDS", 29)
    with pytest.raises(NotApplicable, match=r"30 records or more"):
        planned_on(np.tile(np.array([1, 1, 4, 2, 1], dtype=np.uint8), (30, 1)))
    with pytest.raises(NotApplicable, match=r"30 records or more"):
        FloorRequest(SMALL, tau=("2",), epsilon=1, dp_delta="1e-6",
                     adjacency="replace-one", mode="simulate", seed=1).release(
            np.zeros((30, 3), dtype=np.uint8), least_risk)  # fmt: skip
