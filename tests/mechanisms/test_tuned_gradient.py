"""DP-SGD with settings chosen on training rows: what the search costs, and what one record can change."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import log, sqrt

import numpy as np
import pytest

from bounds.errors import NotApplicable, ParameterError
from bounds.privacy.adjacency import Adjacency
from mechanisms.regression import tuned_gradient
from mechanisms.regression.stochastic_gradient import StochasticFit, plan_stochastic
from mechanisms.regression.tuned_gradient import printed_share, record_scores, run_tuned, sharing
from release.noise.randomness import read_randomness
from release.statistics.statistic import RECORD_STEPS
from tests.moment_examples import feature_map, table

BUDGET = {"epsilon": Fraction(1), "dp_delta": Fraction(1, 10**5)}
GRID = [
    plan_stochastic(feature_map(), size=400, batch=400, epochs=epochs, clip=1.0, rate=rate, **BUDGET)
    for epochs, rate in ((5, 0.001), (5, 1.0), (10, 1.0))
]


@pytest.mark.parametrize("epsilon", ["0.05", "0.1", "0.5", "1", "2"])
def test_the_printed_share_is_the_largest_that_fits(epsilon: str) -> None:
    budget, runs = Fraction(epsilon), 108
    each, dp_delta = printed_share(budget, BUDGET["dp_delta"], runs)

    def total(e: float) -> float:
        return runs * e * e / 2 + e * sqrt(2 * runs * log(2e5))

    assert total(float(each)) <= float(budget) < total(float(each) * (1 + 1e-6))
    assert runs * dp_delta + BUDGET["dp_delta"] / 2 == BUDGET["dp_delta"]


def test_one_accountant_knows_all_runs_and_needs_less_noise() -> None:
    tight, printed = sharing(GRID, "one-accountant"), sharing(GRID, "printed")
    alone = GRID[1].noise_multiplier_est
    assert [plan.noise_multiplier_est for plan in tight] == pytest.approx([alone * sqrt(20 / 5)] * 3)
    assert all(one.noise_multiplier_est < other.noise_multiplier_est for one, other in zip(tight, printed, strict=True))


def test_a_record_is_learned_from_or_scores_never_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a neighbour changes one of the two; whether it is held out does not depend on the others."""
    learned, scored = [], []
    monkeypatch.setattr(tuned_gradient, "_score", lambda rows, fit: scored.append(rows) or 0)
    run = tuned_gradient.run_stochastic
    monkeypatch.setattr(tuned_gradient, "run_stochastic", lambda rows, *more: learned.append(rows) or run(rows, *more))
    rows = table(400)
    found = [run_tuned(some, GRID, read_randomness("simulate", seed=2)) for some in (rows, rows[:-1])]
    assert len(learned[0]) + len(scored[0]) == 400
    assert 40 < len(scored[0]) < 120
    changed = [len(learned[0]) - len(learned[3]), len(scored[0]) - len(scored[3])]
    assert sorted(changed) == [0, 1]
    assert found[0].cost_est.adjacency is Adjacency.ADD_REMOVE
    assert found[0].cost_est.epsilon.hi == 1


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_one_record_moves_all_scores_the_same_way_by_at_most_one(loss: str) -> None:
    for seed in range(3):
        coefficients = 9 * np.random.default_rng(seed).standard_normal(feature_map().size)
        fit = StochasticFit(coefficients=coefficients, plan=replace(GRID[0], loss=loss))
        added = record_scores(table(200), fit)
        assert added.min() >= 0
        assert added.max() <= RECORD_STEPS


def test_the_better_candidate_is_chosen_where_it_shows() -> None:
    grid = [replace(plan, epsilon=Fraction(40), size=3000, batch=3000) for plan in GRID]
    found = [run_tuned(table(3000), grid, read_randomness("simulate", seed=s)).winner for s in range(4)]
    assert 0 not in found


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(NotApplicable, match="floats"):
        run_tuned(None, GRID, read_randomness("release"))  # type: ignore[arg-type]
    for plans in ([], [GRID[0], replace(GRID[1], epsilon=Fraction(2))]):
        with pytest.raises(ParameterError, match="plans"):
            run_tuned(table(10), plans, read_randomness("simulate", seed=0))
    with pytest.raises(ParameterError, match="held_out"):
        run_tuned(table(10), GRID, read_randomness("simulate", seed=0), held_out=1.0)
