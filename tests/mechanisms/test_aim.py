"""AIM end to end: what enters a choice and how it is scored, budgets to the last fraction, determinism, refusals."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
import pytest

from bounds.errors import ParameterError
from bounds.privacy.adjacency import Adjacency
from mechanisms.mechanism import Public
from mechanisms.pgm.estimate import Estimator
from mechanisms.pgm.from_log import estimate_log, measured_table
from mechanisms.pgm.measured import MeasuredTable
from mechanisms.pgm.order import elimination, tree_cells
from mechanisms.select import aim
from mechanisms.select.aim import run_aim
from mechanisms.select.aim_plan import AimPlan, plan_aim
from mechanisms.select.joints import Joints
from release.data.counting import counts
from release.log.file import MarginalLog
from release.log.impossible import Impossible
from release.log.make import OpenLog
from release.log.planned import LogPlan
from release.log.steps import ChoiceStep
from release.noise.randomness import read_randomness
from release.statistics.statistic import RECORD_STEPS
from tests.cross_examples import SCHEMA, table

SIZES = SCHEMA.domain.sizes
BOTH = pytest.mark.parametrize("adjacency", list(Adjacency))


def plan(n: int, adjacency: Adjacency = Adjacency.ADD_REMOVE, **asked: Any) -> AimPlan:
    public = Public(schema=SCHEMA, adjacency=adjacency, size=n)
    given: dict[str, Any] = {
        "epsilon": Fraction(1),
        "dp_delta": Fraction(1, 10**6),
        "mode": "simulate",
        "rounds": 20,
    } | asked
    return plan_aim(public, **given)


def made(n: int = 2000, adjacency: Adjacency = Adjacency.ADD_REMOVE, *, seed: int = 3, **asked: Any) -> MarginalLog:
    return run_aim(table(n), plan(n, adjacency, **asked), read_randomness("simulate", seed=seed))


@BOTH
@pytest.mark.parametrize(("epsilon", "reserve"), [("1/10", "0"), ("1", "1/10"), ("37/10", "3/7")])
def test_charges_sum_to_the_budget_exactly(adjacency: Adjacency, epsilon: str, reserve: str) -> None:
    log = made(400, adjacency, epsilon=Fraction(epsilon), reserve=Fraction(reserve), seed=7)
    assert sum(step.rho for step in log.steps) == log.rho == log.ledger.total * (1 - Fraction(reserve))
    assert log.ledger.spent == log.rho
    assert log.ledger.left == 0
    # each table as noisy as its price says, with the factor of the adjacency
    for step in log.tables:
        squared = 2 if adjacency is Adjacency.REPLACE_ONE else 1
        assert float(step.sd) == pytest.approx((squared / (2 * float(step.rho))) ** 0.5, rel=1e-9)


def test_prices_follow_the_plan() -> None:
    """One-way tables first, then choices and tables in turn, nine parts to one, at prices that grow by fours."""
    asked = plan(2000)
    log = made(2000)
    price = asked.rho / 20
    first, rest = log.steps[: len(SIZES)], log.steps[len(SIZES) :]
    assert [step.columns for step in first] == [(j,) for j in range(len(SIZES))]  # type: ignore[union-attr]
    assert {step.rho for step in first} == {price * Fraction(9, 10)}

    paid = [(rest[i].rho, rest[i + 1].rho) for i in range(0, len(rest), 2)]
    assert all(9 * choose == measure for choose, measure in paid)
    prices = [sum(both, Fraction(0)) for both in paid]
    assert prices[0] == price
    assert {after / before for before, after in itertools.pairwise(prices[:-1])} <= {1, 4}
    assert 4 * price in prices, "annealing was not met: take another seed"
    before = prices[-2] * (4 if prices[-1] > 2 * prices[-2] else 1)
    assert prices[-1] <= 2 * before
    assert [rest[i].chosen for i in range(0, len(rest), 2)] == [rest[i].columns for i in range(1, len(rest), 2)]  # type: ignore[union-attr]


@BOTH
def test_rounds_are_annealed_where_the_model_stood_still(adjacency: Adjacency) -> None:
    """From the log alone: the model is fitted again after every round, and what the next one costs follows."""
    asked = plan(2000, adjacency, epsilon=Fraction(2))
    log = run_aim(table(2000), asked, read_randomness("simulate", seed=3))
    first, rest = log.tables[: len(SIZES)], log.tables[len(SIZES) :]
    total = replace(log, steps=first).total_est
    estimator = Estimator(SIZES, total)
    for table_of_one in first:
        estimator.add(measured_table(table_of_one, log.shape))
    model = estimator.fit()
    left, price, most_steps, annealed = log.rho - sum(step.rho for step in first), asked.rho / 20, 80, list[bool]()
    for choice, step in zip(log.choices, rest, strict=True):
        assert choice.rho + step.rho == (left if left <= 2 * price else price)
        left -= choice.rho + step.rho
        before = model.marginal(step.columns)
        estimator.add(measured_table(step, log.shape))
        model = estimator.fit(most_steps=most_steps)
        moved = np.abs(model.marginal(step.columns) - before).sum() * total
        annealed.append(moved <= (2 / np.pi) ** 0.5 * float(step.sd) * before.size)
        if annealed[-1]:
            price, most_steps = 4 * price, min(2 * most_steps, 320)
    assert left == 0
    assert {True, False} <= set(annealed[:-2]), "take another seed"


@BOTH
def test_choices_by_brute_force(adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every choice is among the sets that public numbers allow, with scores and sensitivity as the paper has them."""
    asked = replace(plan(500, adjacency, most_cells=60, epsilon=Fraction(1, 4)), model_mb=Fraction(1, 1500))  # type: ignore[arg-type]
    records, runs, seen = table(500), list[Any](), list[Any]()
    start, choose = aim._Run.__init__, OpenLog.choose

    def remember(run: Any, log: OpenLog, given: AimPlan) -> None:
        runs.append(run)
        start(run, log, given)

    def check(log: OpenLog, sets: Any, found: Any, *, moved: int, rho: Fraction) -> Any:
        run, workload = runs[-1], asked.workload
        measured = 9 * rho
        noise = (2 / np.pi) ** 0.5 * ((2 if adjacency is Adjacency.REPLACE_ONE else 1) / (2 * float(measured))) ** 0.5
        limit = 2**17 * asked.model_mb * (asked.rho - log.left + 10 * rho) / asked.rho
        cliques = elimination(SIZES, run.model.scopes).cliques
        wanted, exact = [], []
        for columns, weight in zip(workload.candidates, workload.weights, strict=True):
            cells = prod(SIZES[j] for j in columns)
            fits = any(set(columns) <= set(c) for c in cliques)
            fits |= tree_cells(SIZES, [*run.model.scopes, columns]) <= limit
            if fits and (len(columns) == 1 or noise * cells < 2 * run.total):
                distance = np.abs(
                    counts(records, SIZES, [columns])[columns] - run.total * run.model.marginal(columns)
                ).sum()
                wanted.append(columns)
                exact.append(weight * (distance - noise * cells))
        assert list(sets) == wanted
        assert np.array(found) / RECORD_STEPS == pytest.approx(exact, abs=max(workload.weights) * 60 / RECORD_STEPS)
        assert all(type(score) is int for score in found)
        by_name = dict(zip(workload.candidates, workload.weights, strict=True))
        assert moved == RECORD_STEPS * max(by_name[columns] for columns in wanted)
        seen.append(wanted)
        return choose(log, sets, found, moved=moved, rho=rho)

    monkeypatch.setattr(aim._Run, "__init__", remember)
    monkeypatch.setattr(OpenLog, "choose", check)
    log = run_aim(records, asked, read_randomness("simulate", seed=1))
    assert len(seen) == len(log.choices) >= 3
    assert (0, 1, 2) not in seen[0], "the limits left nothing out"
    assert len(set(map(len, seen))) > 1, "the limits do not follow the budget"


class Replay:
    """A log that publishes what another one has published, and notes the scores by which it was asked to choose."""

    steps: Any
    scores: list[list[int]]

    def __init__(self, records: Any, asked: LogPlan, _: Any) -> None:
        self.records, self.left = records, asked.ledger.left
        self.published, self.asked, self.tables = iter(Replay.steps), asked, list[Any]()
        Replay.scores = []

    def counts_of(self, sets: Any) -> Any:
        return counts(self.records, SIZES, sets)

    def measure(self, sets: Any, *, rho: Fraction) -> tuple[Any, ...]:
        steps = tuple(itertools.islice(self.published, len(sets)))
        assert [step.columns for step in steps] == list(sets)
        assert sum(step.rho for step in steps) == rho
        self.left -= rho
        self.tables += steps
        return steps

    @property
    def total_est(self) -> float:
        return self.asked.total_said(self.tables)

    def choose(self, sets: Any, scores: list[int], *, moved: int, rho: Fraction) -> Any:
        step = next(self.published)
        assert (step.candidates, step.moved, step.rho) == (tuple(sets), moved, rho)
        Replay.scores.append(scores)
        self.left -= rho
        return step.chosen

    def close(self) -> None:
        assert not list(self.published)


@BOTH
def test_neighbours_with_one_history_differ_in_their_scores_alone(
    adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same candidates, sensitivities and prices; scores within what is stated; and some score gets there."""
    asked, records = plan(60, adjacency, epsilon=Fraction(3)), table(60)
    Replay.steps = run_aim(records, asked, read_randomness("simulate", seed=8)).steps
    monkeypatch.setattr(aim, "OpenLog", Replay)
    run_aim(records, asked, read_randomness("simulate", seed=8))
    own, most = Replay.scores, [step.moved for step in Replay.steps if isinstance(step, ChoiceStep)]
    far = np.array([[6, 2, 0, 0, 4]], dtype=records.dtype)
    factor, neighbours = 1, [np.vstack([records, far]), records[1:]]
    if adjacency is Adjacency.REPLACE_ONE:
        factor, neighbours = 2, [np.vstack([records[:i], records[i + 1 :], far]) for i in range(4)]
    shares = []
    for other in neighbours:
        run_aim(other, asked, read_randomness("simulate", seed=8))
        moved = [
            max(abs(a - b) for a, b in zip(before, after, strict=True))
            for before, after in zip(own, Replay.scores, strict=True)
        ]
        shares += [Fraction(found, factor * stated) for found, stated in zip(moved, most, strict=True)]
    assert 0.8 < max(shares) <= 1


def test_projections_are_those_of_the_model() -> None:
    estimator = Estimator(SIZES, 1000.0)
    stream = np.random.default_rng(2)
    measured: list[tuple[int, ...]] = [*((j,) for j in range(len(SIZES))), (0, 1), (1, 2), (2, 4), (0, 4)]
    for columns in measured:
        shape = [SIZES[j] for j in columns]
        law = stream.dirichlet(np.ones(prod(shape))).reshape(shape)
        estimator.add(MeasuredTable(columns=columns, counts=1000 * law, sd=20.0))
    model = estimator.fit()
    joints = Joints(model)
    sets = [s for k in range(1, 5) for s in itertools.combinations(range(len(SIZES)), k)]
    for wanted in sets:
        assert joints.of(wanted) == pytest.approx(model.marginal(wanted), abs=1e-14)


SCRIPT = """
from tests.mechanisms.test_aim import made
log = made(300, seed=11)
print(log.digest, len(log.steps))
"""


def test_a_seed_fixes_the_log_in_every_process() -> None:
    told = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("4242",)
    }
    here = made(300, seed=11)
    assert told == {f"{here.digest} {len(here.steps)}\n"}
    assert made(300, seed=12).digest != here.digest


def test_impossible_cells_stay_empty() -> None:
    records = table(1500)
    zeros = Impossible((2, 3), ((0, 1), (1, 0)))
    records = records[records[:, 2] == records[:, 3]]
    asked = plan(len(records), impossible=[zeros])
    log = run_aim(records, asked, read_randomness("simulate", seed=5))
    assert estimate_log(log).marginal((2, 3))[0, 1] == 0


def test_small_and_empty_tables() -> None:
    """Under add-remove a table may have no records: nothing of it shows, and nothing fails."""
    for n in (0, 1, 3):
        asked = plan(1, epsilon=Fraction(1, 100))
        log = run_aim(table(n), asked, read_randomness("simulate", seed=n))
        assert log.ledger.left == 0
        assert log.choices


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"degree": 6}, "degree = 6: must be between 1 and the number of columns, 5"),
        ({"most_cells": 11}, "most_cells = 11: must be at least 12, as the smallest table of 3 columns"),
        ({"rounds": 5}, "rounds = 5: must be at least 6 (the one-way tables take the budget of nine rounds"),
        ({"rounds": 10001}, "rounds = 10001: must be at most 10000 (every round fits the model again)"),
        ({"model_mb": 0}, "model_mb = 0: must be at least 1 (one-way tables, impossible combinations"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_spent(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError) as refused:
        plan(2000, **asked)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_public_numbers_of_a_plan() -> None:
    asked = plan(2000, rounds=20)
    assert asked.most_rounds == 15  # 20 - 0.9 * 5 = 15.5, and the last one takes what is left
    assert asked.deviation_est == pytest.approx(float(made(2000).tables[0].sd))
    assert asked.most_cells_of_model(asked.rho) == 100 * 2**17
    assert asked.most_cells_of_model(asked.rho / 4) == 25 * 2**17
