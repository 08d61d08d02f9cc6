"""Mechanisms: a plan from public facts, one run that a ledger pays for, and what is made from the release alone."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from bounds.errors import BudgetError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import DP, GaussianDP
from mechanisms.density_lp import DensityLP
from mechanisms.mechanism import Mechanism, Public
from mechanisms.models.linear_model import LinearModel
from release import measure as measure_module
from release.data.source import RecordsSource, Source
from release.moments.make import make_release
from release.noise.randomness import read_randomness
from release.private_release import Release
from release.statistics.features import build_feature_map
from tests.moment_examples import SCHEMA, table

PUBLIC = Public(schema=SCHEMA, adjacency=Adjacency.REPLACE_ONE, size=900)
TABLE = table(900)
PURE = DP(epsilon=2, delta=0, adjacency="replace-one")  # type: ignore[arg-type]
GAUSSIAN = GaussianDP(mu_squared=Fraction(1), adjacency=Adjacency.REPLACE_ONE)
MODEL = LinearModel(label="pays", epsilon=Fraction(1), dp_delta=Fraction(1, 10**6), mode="simulate", seed=3)
DENSITY = DensityLP(epsilon=Fraction(1), randomness=read_randomness("simulate", seed=3), degree=1)
CASES: dict[str, tuple[Mechanism[Any, Any, Any], Ledger]] = {
    "moments": (MODEL, Ledger.of(GAUSSIAN)),
    "density": (DENSITY, Ledger.of(PURE)),
}


def source() -> Source:
    return RecordsSource(iter([TABLE[:100], TABLE[100:]]), SCHEMA.domain)


@pytest.mark.parametrize("name", CASES)
def test_a_run_is_paid_for_and_the_rest_follows(name: str) -> None:
    mechanism, ledger = CASES[name]
    release, paid = mechanism.run(source(), PUBLIC, ledger)
    assert isinstance(release, Release)
    assert release.cost is not None
    assert release.cost.total == paid.spent  # what is kept for later is spent, too
    assert release.digest == mechanism.run(source(), PUBLIC, ledger)[0].digest
    assert mechanism.make(release) is not None


@pytest.mark.parametrize("name", CASES)
def test_a_plan_is_no_release(name: str) -> None:
    plan = CASES[name][0].plan(PUBLIC)
    assert not isinstance(plan, Release)
    for word in ("to_json", "to_text", "digest", "body"):
        assert not hasattr(plan, word)


@pytest.mark.parametrize("name", CASES)
def test_a_ledger_that_does_not_hold_it_refuses_before_records_are_read(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism, ledger = CASES[name]
    _, paid = mechanism.run(source(), PUBLIC, ledger)
    most = ledger.statement(ledger.total - paid.spent + Fraction(1, 10**30))
    nearly = ledger.spend(most, "something else")
    monkeypatch.setattr(measure_module, "draw", lambda *_: pytest.fail("noise was drawn"))
    untouched = source()
    with pytest.raises(BudgetError, match="only"):
        mechanism.run(untouched, PUBLIC, nearly)
    assert untouched._n == -1


def test_moments_by_the_mechanism_are_those_of_the_release() -> None:
    features = build_feature_map(SCHEMA, label="pays")
    asked: dict[str, Any] = {"epsilon": 1, "dp_delta": "1e-6", "adjacency": "replace-one", "mode": "simulate"}
    assert MODEL.run(source(), PUBLIC, Ledger.of(GAUSSIAN))[0] == make_release(TABLE, features, seed=3, **asked)
