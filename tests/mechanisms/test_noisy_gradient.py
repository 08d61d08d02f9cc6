"""Noisy gradient descent: exact sums, exact clipping, a budget that adds up, and a model that is near the best one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from dp_accounting import GaussianDpEvent
from dp_accounting.pld import PLDAccountant

from bounds.errors import UsageError
from bounds.privacy.adjacency import Adjacency
from mechanisms.baselines import noisy_gradient
from mechanisms.baselines.noisy_gradient import MOST_STEPS, ClippedGradients, DescentPlan, descend
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.noise.randomness import read_randomness
from release.statistics.features import FeatureMap, build_feature_map

SIZES = (2, 7, 40, 3, 2)


def features() -> FeatureMap:
    schema = schema_of_domain(Domain(SIZES))
    return build_feature_map(schema, label=schema.names[-1])


def records(n: int, seed: int = 1) -> Any:
    """Labels that follow a linear model of the first three columns."""
    numbers = np.random.default_rng(seed)
    codes = np.column_stack([numbers.integers(0, size, n) for size in SIZES])
    score = codes[:, 0] * 2.0 - codes[:, 1] * 0.5 + codes[:, 2] * 0.05 - 0.5
    codes[:, -1] = numbers.random(n) < 1 / (1 + np.exp(-score))
    return codes.astype(np.uint8)


def plan(n: int, adjacency: str = "add-remove", epsilon: str = "1") -> DescentPlan:
    return DescentPlan(
        features=features(), adjacency=Adjacency(adjacency), size=n, epsilon=epsilon, dp_delta=Fraction(1, n * n)
    )


def places(count: int) -> list[Any]:
    numbers = np.random.default_rng(3)
    return [np.rint(numbers.normal(0, 3, features().size) * 2**12) / 2**12 for _ in range(count)]


def test_sums_are_those_of_clipped_records_one_by_one() -> None:
    """In whole numbers of Python: no slope is longer than clipping allows, and none could be longer by one step."""
    table, found = records(60), ClippedGradients(records(60), features())
    rows = (features().features(table) * features().labels(table)[:, None]).tolist()
    length = features().one * 2**12
    for limit, row in zip(found.limits.tolist(), rows, strict=True):
        square = sum(x * x for x in row)
        assert limit**2 * square <= length**2 < (limit + 1) ** 2 * square
    for place in places(4):
        slopes = found.slopes(place).tolist()
        for slope, limit, row in zip(slopes, found.limits.tolist(), rows, strict=True):
            margin = sum(c * x for c, x in zip(place.tolist(), row, strict=True)) / features().one
            exact = min(2**12 / (1 + np.exp(np.clip(margin, -16, 16))), limit)
            assert slope == pytest.approx(exact, abs=3)
        by_hand = [-sum(s * row[j] for s, row in zip(slopes, rows, strict=True)) for j in range(features().size)]
        assert list(found.at(place)) == by_hand


@pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
def test_one_record_moves_the_sums_by_no_more_than_is_stated(adjacency: str) -> None:
    """The records with the longest gradients, at models that get everything wrong."""
    asked, table = plan(1000, adjacency), records(400)
    for place in [*places(2), np.full(features().size, -200.0)]:
        alone = [np.array(ClippedGradients(row[None], features()).at(place), dtype=float) for row in table[:12]]
        pairs = [(a, 0.0 * a if adjacency == "add-remove" else b) for a in alone for b in alone]
        assert max(float(((a - b) ** 2).sum()) for a, b in pairs) <= asked.sensitivity.squared


@pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
def test_the_noise_of_all_steps_is_the_budget(adjacency: str) -> None:
    """Composed by another library, step by step."""
    asked = plan(3000, adjacency)
    made = descend(records(3000), asked, read_randomness("simulate", seed=5))
    assert made.ledger.left == 0
    assert len(made.ledger.entries) == asked.steps
    assert isinstance(asked.noise.scales, Fraction)
    ratio = float(asked.noise.scales) / float(asked.sensitivity.squared) ** 0.5
    account = PLDAccountant()
    account.compose(GaussianDpEvent(ratio), asked.steps)
    assert account.get_epsilon(1 / 3000**2) == pytest.approx(1, rel=1e-3)


def test_settings_follow_from_public_numbers() -> None:
    """Noise on a mean gradient of all the budget, times rate and ten, times steps: up to a half. 0.0625 n mu."""
    assert [plan(n).steps for n in (10, 2000, 4000, 10**6)] == [20, 27, 52, MOST_STEPS]
    assert plan(4000, "replace-one").steps == 26
    assert plan(2000).rate == Fraction(4, 5)


def test_descent_is_near_the_best_model_and_depends_on_the_seed_alone() -> None:
    from mechanisms.models.train.newton import train_on_table

    table, test = records(8000), records(8000, seed=2)
    one, again, other = (
        descend(table, plan(8000), read_randomness("simulate", seed=seed)).coefficients for seed in (1, 1, 2)
    )
    assert one == again != other
    x, y = features().features(test) / features().one, features().labels(test)

    def accuracy(coefficients: Any) -> float:
        return float(np.mean((x @ np.array([float(c) for c in coefficients]) > 0) == (y > 0)))

    assert accuracy(one) == pytest.approx(accuracy(train_on_table(table, features(), tau=100).coefficients), abs=0.01)


def test_steps_have_noise_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    measure = noisy_gradient.measure

    def listening(counted: Any, *rest: Any, **named: Any) -> Any:
        found = measure(counted, *rest, **named)
        drawn.append(np.subtract(found[0].values, counted.values))
        return found

    monkeypatch.setattr(noisy_gradient, "measure", listening)
    descend(records(200), plan(200), read_randomness("simulate", seed=7))
    assert len({tuple(noise.tolist()) for noise in drawn}) == len(drawn) == plan(200).steps


def test_a_baseline_is_not_released() -> None:
    with pytest.raises(UsageError, match="baseline"):
        descend(records(50), plan(50), read_randomness("release"))
