"""Commands whose draws are watched: their exact privacy loss, what samples detect of it, and bugs that are found."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from benchmarks.audit_commands import HALF, sampled, through_the_command, worst
from benchmarks.command_cases import EPSILON, CommandCase, all_cases
from bounds.errors import UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import GaussianDP
from release.choose import ChoicePlan, choose
from release.noise.randomness import read_randomness
from verify.audit.doors import EXPONENTIAL, NOISY_MAXIMUM, Drawn, watched
from verify.audit.following import Diverged
from verify.audit.history import History, mechanism_of
from verify.audit.mechanism import stream
from verify.audit.ratio import ratio_audit

REPLACE = Adjacency.REPLACE_ONE
CASES = {case.title: case for case in all_cases()}
NAMES = ("release moments", "release marginals laplace", "synth lp linf", "synth mst", "floors, then confirm loss")
QUICK = [f"{name}, {adjacency.value}" for name in NAMES for adjacency in Adjacency]


def lower(history: History, case: CommandCase, samples: int = 20_000) -> float:
    ratios = [sampled(history, side, samples, audit=1) for side in (0, 1)]
    made = mechanism_of(ratios, epsilon=EPSILON, delta=case.delta, adjacency=case.adjacency)
    return ratio_audit(made, samples=samples, seed=0).epsilon_lower_est


@pytest.mark.share(3)
@pytest.mark.parametrize("title", QUICK)
def test_a_command_keeps_its_claim_and_half_of_its_noise_would_not(title: str, tmp_path: Path) -> None:
    case = CASES[title]
    _, _, history = worst(case, tmp_path, seed=1)
    loss = history.loss(delta=case.delta, adjacency=case.adjacency)
    assert 0 < loss.hi <= EPSILON
    assert lower(history, case) < loss.hi
    bug = history.with_noise(HALF)
    if loss.hi > Fraction(9, 10):
        assert bug.loss(delta=case.delta, adjacency=case.adjacency).lo > EPSILON
        assert lower(bug, case) > EPSILON


@pytest.mark.slow
@pytest.mark.parametrize("title", [title for title, case in CASES.items() if title not in QUICK and not case.is_slow])
def test_every_command_asks_the_same_of_neighbours(title: str, tmp_path: Path) -> None:
    case = CASES[title]
    _, _, history = worst(case, tmp_path, seed=2)
    assert 0 < history.loss(delta=case.delta, adjacency=case.adjacency, is_simulated=True).hi <= EPSILON


def test_runs_of_a_command_have_the_law_of_the_samples(tmp_path: Path) -> None:
    """Continuous noise of a simulation and the law of the release differ by rounding, which is small here."""
    case = CASES["release moments, replace-one"]
    first, second, history = worst(case, tmp_path, seed=1)
    whole = through_the_command(case, (first, second), history, tmp_path, runs=40, seed=10)
    again = through_the_command(case, (first, second), history, tmp_path, runs=2, seed=10)
    for side, sign in ((0, 1), (1, -1)):
        assert whole[side][:2].tolist() == again[side].tolist()
        many = sampled(history, side, 20_000, audit=2)
        assert sign * whole[side].mean() == pytest.approx(sign * many.mean(), abs=4 * many.std() / math.sqrt(40))


def test_a_history_that_depends_on_more_than_outputs_is_refused() -> None:
    one, other = (Drawn("laplace", (Fraction(scale),), (0,), (0,)) for scale in (1, 2))
    with pytest.raises(UsageError, match="the questions differ"):
        History((one,), (other,))
    with pytest.raises(ValueError, match="zip"):
        History((one, one), (one,))


def test_choices_are_watched_and_followed() -> None:
    cost = GaussianDP(mu_squared=1, adjacency="replace-one")  # type: ignore[arg-type]
    plan, ledger = ChoicePlan(count=3, moved=1, same_way=False, cost=cost), Ledger.of(cost)
    randomness = read_randomness("simulate", seed=5)

    def run() -> object:
        return choose((0, 2, 1), plan, ledger, what="c", randomness=randomness)

    (drawn,) = watched(run)
    assert (drawn.kind, drawn.inputs, drawn.scales) == (NOISY_MAXIMUM, (0, 2, 1), (plan.rate,))
    (again,) = watched(run, [(2,)])
    assert again.output == (2,)
    with pytest.raises(Diverged):
        watched(run, [])


def test_samples_of_choices_have_their_laws() -> None:
    """Two of three by the exponential mechanism, and the largest of three: probabilities from all runs."""
    scores, runs = ((0, 1, 3), (1, 1, 2)), 40_000
    for kind, output in ((EXPONENTIAL, (0, 1)), (NOISY_MAXIMUM, (0,))):
        first, second = (Drawn(kind, (Fraction(1, 2),), one, output) for one in scores)
        history = History((first,), (second,))
        ratios = [history.log_ratios(side, runs, stream(3, 0, side)) for side in (0, 1)]
        # e^-ratio has the mean 1 on the first table, as e^ratio has on the second.
        assert np.exp(-ratios[0]).mean() == pytest.approx(1, abs=5 * np.exp(-ratios[0]).std() / math.sqrt(runs))
        assert np.exp(ratios[1]).mean() == pytest.approx(1, abs=5 * np.exp(ratios[1]).std() / math.sqrt(runs))
        assert min(abs(ratios[0] - history.log_ratio())) < 1e-12
    weights = [[math.exp(score / 2) for score in one] for one in scores]
    exact = [w[0] / sum(w) * w[1] / (sum(w) - w[0]) for w in weights]
    found = History(*[(Drawn(EXPONENTIAL, (Fraction(1, 2),), one, (0, 1)),) for one in scores]).log_ratio()
    assert found == pytest.approx(math.log(exact[0] / exact[1]))


@pytest.mark.parametrize(("kind", "scale"), [("laplace", 3), ("linf", 3), ("gaussian", 3), ("rounded-gaussian", 3000)])
def test_samples_of_noise_have_the_ratio_of_both_tables(kind: str, scale: int) -> None:
    moves = (scale // 3, 0, -scale // 3)
    sides = [Drawn(kind, (Fraction(scale),) * 3, inputs, (2 * scale, 0, scale)) for inputs in ((0, 0, 0), moves)]
    history, runs = History((sides[0],), (sides[1],)), 40_000
    ratios = [history.log_ratios(side, runs, stream(4, 0, side)) for side in (0, 1)]
    room = 0.06 if kind == "linf" else 0.01  # rounded l_inf noise has not quite the ratio of its density
    assert np.exp(-ratios[0]).mean() == pytest.approx(1, abs=room + 5 * np.exp(-ratios[0]).std() / math.sqrt(runs))
    assert np.exp(ratios[1]).mean() == pytest.approx(1, abs=room + 5 * np.exp(ratios[1]).std() / math.sqrt(runs))
    loss = history.loss(delta=Fraction(1, 100), adjacency=REPLACE)
    assert loss.hi > 0
    assert history.with_noise(HALF).loss(delta=Fraction(1, 100), adjacency=REPLACE).lo > loss.hi
