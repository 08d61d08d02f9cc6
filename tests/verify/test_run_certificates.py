"""The study of certificates: what runs are about, how they are kept, and that adversaries are strong but lose."""

from __future__ import annotations

import numpy as np
import pytest

from bounds.errors import NotApplicable
from mechanisms.models.train import newton as training
from verify.certificate_attacks import attack
from verify.certificate_runs import CYCLE, EPSILONS, LOSSES, NAMES, RANDOM, TAUS, event_holds, pipeline, setting
from verify.run_certificates import ratios


def test_runs_go_through_everything() -> None:
    every = [setting(run) for run in range(CYCLE * len(LOSSES))]
    seen = {(asked.table, asked.epsilon, asked.tau, asked.loss) for asked in every}
    assert len(seen) == len(NAMES) * len(EPSILONS) * len(TAUS) * len(set(LOSSES))
    assert sum(asked.loss == "logistic" for asked in every) * 2 > len(every)


def test_a_run_does_not_depend_on_others() -> None:
    run = next(i for i in range(200, 400) if setting(i).table == RANDOM)
    first = pipeline(run)
    assert first == pipeline(run)
    assert first.holds
    assert 0 <= first.gap < 1e-4
    assert isinstance(event_holds(run), bool)


def test_training_that_does_not_settle_within_a_norm_says_how_near_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training.Problem, "most_steps", 2)
    generator = np.random.default_rng(0)
    features = np.column_stack([generator.uniform(-1, 1, size=(50, 2)), np.ones(50)])
    labels = np.where(generator.random(50) < 0.5, 1, -1)
    found = training.train(features, labels, squared_norm=3, loss="hinge", tau=10)
    assert found.gap_est is not None
    assert 0 < found.gap_est < 10
    with pytest.raises(NotApplicable, match="did not converge"):
        training.train(features, labels, squared_norm=3)


@pytest.mark.parametrize("number", [0, 2, 4])
def test_adversaries_come_near_the_bound_and_not_above(number: int) -> None:
    found = attack(number)
    assert 0.99 < found.ratio <= 1


def test_the_ratio_of_an_attack_is_the_larger_one() -> None:
    rows = {0: {"by_table": 0.5, "by_noise": 0.7}, 1: {"by_table": 0.9, "by_noise": 0.1}}
    assert np.allclose(ratios(rows), [0.7, 0.9])
