"""Reports: what epsilon means for one person, by the code that says so on every report."""

from __future__ import annotations

from typing import Any

from bounds.privacy.ledger import Ledger
from bounds.privacy.meaning import Meaning, meaning
from bounds.privacy.statements import DP
from synthbounds.render.meaning import often, percent

EPSILONS = ("0.1", "0.5", "1", "2", "4", "10")
DELTA = "1e-6"


def pure(epsilon: str) -> Meaning:
    return meaning(DP(epsilon=epsilon, delta=0, adjacency="replace-one"))  # type: ignore[arg-type]


def approximate(epsilon: str) -> Meaning:
    return meaning(DP(epsilon=epsilon, delta=DELTA, adjacency="replace-one"))  # type: ignore[arg-type]


def gaussian(epsilon: str) -> Meaning:
    ledger = Ledger.in_mu_squared(epsilon=epsilon, dp_delta=DELTA, adjacency="replace-one")
    assert ledger.target is not None
    return meaning(ledger.target, ledger.statement(ledger.total))  # type: ignore[arg-type]


def table() -> list[Any]:
    """Best guesses, then suspicions that have grown, without and with a delta."""
    both = [(epsilon, pure(epsilon), gaussian(epsilon)) for epsilon in EPSILONS]
    return [
        (epsilon, [often(one.best_guess.hi) for one in found], [_grown(one) for one in found])
        for epsilon, *found in both
    ]


def _grown(found: Meaning) -> list[str]:
    return [percent(suspicion.after_at_most.hi) for suspicion in found.suspicions]


def suspicions() -> list[str]:
    return [percent(suspicion.before) for suspicion in pure("1").suspicions]


def without_release() -> str:
    return often(pure("0").best_guess.hi)


def odds_grow() -> float:
    """So many times faster with a delta."""
    return float(approximate("1").odds_factor.hi / pure("1").odds_factor.hi)
