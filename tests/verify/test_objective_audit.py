"""The distribution used to audit objective perturbation: that of the shipped code, with a delta by integration."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from scipy.stats import norm

from bounds.enclosure import precision
from bounds.errors import NotCertified
from bounds.privacy.ledger import Ledger
from mechanisms.regression.objective_perturbation import plan_objective_perturbation, run_objective_perturbation
from release import perturb as perturbing
from release.noise.draw import Finer
from release.noise.randomness import read_randomness
from verify.audit import objective_subjects
from verify.audit.objective_subjects import MAP, Law, Table, delta_at, exact_loss, law_of
from verify.audit.subject import DELTA

ONE = Fraction(1)


def shipped(**changes: Any) -> Law:
    return law_of(ONE, **({"edition": "sharp", "noise": ONE, "ridge": ONE, "one_step": False} | changes))


@pytest.mark.parametrize("table", [(0, 0), (1, 0), (0, 2), (2, 1)])
def test_the_law_is_that_of_the_code(monkeypatch: pytest.MonkeyPatch, table: Table) -> None:
    """Between the noise that was drawn and theta.f that came out stands the formula of the audit."""
    plan = plan_objective_perturbation(MAP, adjacency="add-remove", epsilon=1, dp_delta=DELTA)
    drawn: list[Finer] = []
    true = perturbing.draw_gaussians
    monkeypatch.setattr(perturbing, "draw_gaussians", lambda *args: drawn.append(true(*args)) or drawn[-1])
    codes = np.array([(1, 1, 1)] * table[0] + [(1, 1, 0)] * table[1], dtype=np.uint8).reshape(-1, 3)
    randomness = read_randomness("simulate", seed=3)
    model, _ = run_objective_perturbation(plan, codes, Ledger.of(plan.cost), randomness=randomness)
    (feature,) = (MAP.features(np.array([(1, 1, 1)], dtype=np.uint8)) / MAP.one).tolist()
    assert sum(x * x for x in feature) == MAP.squared_norm
    v = sum(float(c) * x for c, x in zip(model.coefficients, feature, strict=True))
    along = sum(b * x for b, x in zip(drawn[0](90), feature, strict=True)) / 2.0**90
    expected = along / (MAP.squared_norm**0.5 * float(plan.sigma))
    assert float(shipped().noise(table, arb(v))) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("changes", "epsilon"),
    [({"noise": Fraction(1, 4)}, "1"), ({"one_step": True}, "1"), ({"ridge": Fraction(1, 10)}, "0.5")],
)
@pytest.mark.parametrize("pair", [((0, 0), (1, 0)), ((1, 1), (1, 0))])
def test_delta_is_that_of_integration(changes: dict[str, Any], epsilon: str, pair: tuple[Table, Table]) -> None:
    law = shipped(**changes)
    mu, strength = float(law.mu), float(law.strength)
    v, width = np.linspace(-20 / strength, 20 / strength, 200_001, retstep=True)
    s = 0.5 - v / 4 if law.one_step else 0.5 - np.tanh(v / 2) / 2
    curved = 0.25 if law.one_step else s * (1 - s)

    def density(a: int, c: int) -> Any:
        return norm.pdf(mu * (a * s - c * (1 - s)) - strength * v) * (strength + mu * (a + c) * curved)

    ours, theirs = (density(*table) for table in pair)
    assert ours.sum() * width == pytest.approx(1)
    expected = np.maximum(ours - np.exp(float(Fraction(epsilon))) * theirs, 0).sum() * width
    with precision(96):
        found = delta_at(law, *pair, Fraction(epsilon))
    assert found.hi - found.lo < Fraction(1, 10**9)
    assert float(found.midpoint) == pytest.approx(expected, abs=1e-7)


def test_the_loss_of_all_pairs_is_enclosed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not that of the pair whose lower end is the largest, and not beyond the numbers that were tried."""
    law, tables = shipped(noise=Fraction(1, 2)), [(0, 0), (1, 0), (0, 1), (1, 1)]
    loss, *_ = exact_loss(law, tables, epsilon=ONE, delta=DELTA)
    assert loss.epsilon is not None
    assert loss.delta is not None
    pairs = [(a, c) for a in tables for c in tables if abs(a[0] - c[0]) + abs(a[1] - c[1]) == 1]
    with precision(96):
        assert loss.delta.hi == max(delta_at(law, *pair, ONE).hi for pair in pairs)
        assert all(delta_at(law, *pair, loss.epsilon.hi).hi <= DELTA for pair in pairs)
    monkeypatch.setattr(objective_subjects, "_MOST_EPSILON", ONE)
    with pytest.raises(NotCertified, match="above 1"):
        exact_loss(law, tables[:2], epsilon=ONE, delta=DELTA)


@pytest.mark.parametrize("epsilon", ["0.05", "2", "20"])
def test_no_budget_and_no_company_makes_a_record_lose_more(epsilon: str) -> None:
    """Beside no, few and more others of either label, and in both orders; and not much less is lost."""
    law, found = law_of(Fraction(epsilon), edition="sharp", noise=ONE, ridge=ONE, one_step=False), []
    with precision(96):
        for table in ((0, 0), (0, 3), (9, 0), (9, 9)):
            for more in ((table[0] + 1, table[1]), (table[0], table[1] + 1)):
                found += [delta_at(law, *pair, Fraction(epsilon)).hi for pair in ((table, more), (more, table))]
    assert Fraction(99, 100) * DELTA < max(found) <= DELTA
