"""DP-SGD of linear models: clipping, sampling, what it costs by two accountants, and that it is never released."""

from __future__ import annotations

import sys
from collections import Counter
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from bounds.errors import NotApplicable, ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from mechanisms.regression import sampled_noise
from mechanisms.regression.sampled_noise import noise_multiplier_est
from mechanisms.regression.stochastic_gradient import (
    StochasticPlan,
    clipped_sum,
    plan_stochastic,
    poisson_sample,
    run_stochastic,
    single_precision,
)
from release.noise.randomness import read_randomness
from tests.moment_examples import feature_map, table

BUDGET = {"epsilon": Fraction(1), "dp_delta": Fraction(1, 10**5)}
N = 47_842
SETTINGS = {"batch": 40, "epochs": 4, "clip": 1.0, "rate": 0.5}


def plan(**changes: object) -> StochasticPlan:
    asked = {"size": 400, **BUDGET, **SETTINGS} | changes
    return plan_stochastic(feature_map(), **asked)  # type: ignore[arg-type]


def test_steps_on_all_records_need_no_accountant() -> None:
    assert noise_multiplier_est(((1.0, 20),), **BUDGET) == pytest.approx(16.6839, abs=1e-4)


def test_another_accountant_agrees_on_its_own_side() -> None:
    """Bounds by Rényi divergences are looser: at the same noise they say more, but not much more."""
    import dp_accounting
    from dp_accounting import rdp

    sigma = 1.9390  # of the test below
    event = dp_accounting.PoissonSampledDpEvent(1024 / N, dp_accounting.GaussianDpEvent(sigma))
    accountant = rdp.RdpAccountant().compose(dp_accounting.SelfComposedDpEvent(event, 470))
    assert 1 < accountant.get_epsilon(1e-5) < 1.15


def test_less_noise_is_not_enough() -> None:
    """Nor is what would be enough for half the batch; steps of one kind add up, wherever they stand."""
    right = noise_multiplier_est(((1024 / N, 200), (1024 / N, 270)), **BUDGET)
    assert right == pytest.approx(1.9390, rel=1e-3)
    pld = sampled_noise._accountant()
    found = [
        sampled_noise._delta(pld, Counter({chance: 470}), sigma, 1.0) / 1e-5
        for chance, sigma in ((1024 / N, right), (1024 / N, 0.99 * right), (512 / N, 0.7 * right))
    ]
    assert found[0] <= 1 < found[1]
    assert found[2] < 1


def test_without_the_accountant_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dp_accounting.pld", None)
    with pytest.raises(UsageError, match=r"synthbounds\[sgd\]"):
        noise_multiplier_est(((0.25, 7),), **BUDGET)


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_the_sum_is_that_of_clipped_gradients(loss: str) -> None:
    values, labels = single_precision(table(60), feature_map())
    place, clip = np.linspace(-1, 1, values.shape[1]), 0.7
    total, clipped = np.zeros(values.shape[1]), 0
    for f, y in zip(values.astype(float), labels.astype(float), strict=True):
        gradient = (f @ place - y) * f if loss == "squared" else -y / (1 + np.exp(y * (f @ place))) * f
        clipped += np.linalg.norm(gradient) > clip
        total += gradient * min(1, clip / np.linalg.norm(gradient))
    assert 0 < clipped < 60
    longest = (clip / np.linalg.norm(values, axis=1)).astype(np.float32)
    assert clipped_sum(values, labels, longest, place, loss) == pytest.approx(total, abs=1e-4)  # type: ignore[arg-type]
    alone = clipped_sum(values[:1], labels[:1], longest[:1], 50 * place, loss)  # type: ignore[arg-type]
    assert np.linalg.norm(alone) <= clip * (1 + 1e-6)


def test_samples_are_of_poisson_kind() -> None:
    """Sizes are binomial, every row is as frequent, and two rows are independent."""
    stream, runs, size, chance = np.random.default_rng(2), 4000, 12, 0.3
    seen = np.zeros((runs, size))
    for i in range(runs):
        rows = poisson_sample(size, chance, stream)
        assert len(set(rows.tolist())) == len(rows)
        seen[i, rows] = 1
    assert np.abs(seen.mean(axis=0) - chance).max() < 5 * sqrt(chance * (1 - chance) / runs)
    sizes = seen.sum(axis=1)
    assert sizes.var() == pytest.approx(size * chance * (1 - chance), rel=0.15)
    assert abs(np.corrcoef(seen[:, 0], seen[:, 1])[0, 1]) < 0.08
    assert poisson_sample(5, 1.0, stream).tolist() == [0, 1, 2, 3, 4]


def test_the_sum_is_divided_by_the_public_batch() -> None:
    """One step on all records: the same records twice move the model twice as far, and the noise stays."""
    asked = plan(batch=400, epochs=1, clip=0.5)
    once, twice = (
        run_stochastic(np.concatenate([table(400)] * k), asked, read_randomness("simulate", seed=1)).coefficients
        for k in (1, 2)
    )
    noise = asked.noise_multiplier_est * 0.5 * np.random.Generator(np.random.Philox(key=1)).standard_normal(len(once))
    values, labels = single_precision(table(400), feature_map())
    longest = (0.5 / np.linalg.norm(values, axis=1)).astype(np.float32)
    total = clipped_sum(values, labels, longest, np.zeros(len(once)), "logistic")
    assert once == pytest.approx(-0.5 / 400 * (total + noise), abs=1e-5)
    assert twice - once == pytest.approx(-0.5 / 400 * total, abs=1e-5)


def test_it_learns_where_there_is_hardly_noise() -> None:
    records, features = table(3000), feature_map()
    asked = plan_stochastic(features, size=3000, epsilon=50, dp_delta="1e-5", batch=3000, epochs=60, rate=1.0)
    found = run_stochastic(records, asked, read_randomness("simulate", seed=0))
    values, labels = single_precision(records, features)
    loss = [np.logaddexp(0, -labels * (values @ c)).mean() for c in (found.coefficients, 0 * found.coefficients)]
    assert loss[0] < loss[1] - 0.1


def test_the_plan_says_what_it_costs_and_to_whom() -> None:
    asked = plan()
    assert (asked.steps, asked.chance) == (40, 0.1)
    assert asked.cost_est.adjacency is Adjacency.ADD_REMOVE
    assert (asked.cost_est.epsilon.hi, asked.cost_est.delta.hi) == (1, Fraction(1, 10**5))
    default = plan_stochastic(feature_map(), size=400, batch=400, **BUDGET)
    noise = default.noise_multiplier_est * default.clip / default.batch * sqrt(default.steps)
    assert default.rate * noise == pytest.approx(1)


def test_a_release_is_refused_before_anything_is_read() -> None:
    with pytest.raises(NotApplicable, match="floats") as refused:
        run_stochastic(None, plan(), read_randomness("release"))  # type: ignore[arg-type]
    assert refused.value.exit_code == 4


@pytest.mark.parametrize(
    "changes", [{"loss": "poisson"}, {"batch": 401}, {"batch": 0}, {"rate": 0.0}, {"clip": -1.0}, {"epochs": 0}]
)
def test_settings_are_checked(changes: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        plan(**changes)
