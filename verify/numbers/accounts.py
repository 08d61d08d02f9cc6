"""The cost of releases in an account, the noise they allow, and what epsilon means for one person."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any

import numpy as np

from bounds.enclosure import decimal_text
from bounds.exact import root_at_least
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.concentrated import largest_rho
from bounds.privacy.ledger import Ledger
from bounds.privacy.meaning import meaning
from bounds.privacy.statements import DP, ZCDP, GaussianDP, Statement
from lp.synthesis.cell_errors import expansion, queries_in_a_cell
from mechanisms.generators.merf import START
from mechanisms.generators.settings import FEATURES
from release.account.file import open_account
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.log.steps import answers_noise
from release.reserving import plan_ledger
from release.statistics.fourier_features import STEPS, FourierFeatures
from release.statistics.moment_distance import distance_sensitivity
from release.statistics.pair_bounds import frechet_errors
from release.statistics.statistic import RECORD_STEPS

DELTA, TOTAL = Fraction(1, 10**6), Fraction(4)
REPLACE_ONE = Adjacency.REPLACE_ONE


def total() -> str:
    """In rho."""
    return decimal_text(_account().ledger.total, 6, up=False)


def _account() -> Any:
    return open_account(name="people", adjacency="replace-one", epsilon=TOTAL, dp_delta=DELTA)


def costs() -> list[Any]:
    """The cost of a release in rho, and how often it fits into the total: by rho, and by adding up epsilon."""
    account = _account()
    mu_squared = plan_ledger(epsilon=Fraction(1), dp_delta=DELTA, adjacency=REPLACE_ONE).total
    rho = largest_rho(epsilon=1, dp_delta=DELTA, adjacency=REPLACE_ONE, digits=15).safe_rho
    rows: list[tuple[Any, Statement, Fraction]] = [
        ((1, "10^{-6}"), GaussianDP(mu_squared=mu_squared, adjacency=REPLACE_ONE), Fraction(1)),
        ((1, "10^{-6}"), ZCDP(rho=rho, adjacency=REPLACE_ONE), Fraction(1)),  # type: ignore[arg-type]
        (0.1, _pure("0.1"), Fraction("0.1")),
        (1, _pure("1"), Fraction(1)),
    ]
    amounts = [account.amount_of(cost) for _, cost, _ in rows]
    return [
        (asked, decimal_text(amount, 6, up=True), int(account.ledger.total / amount), int(TOTAL / epsilon))
        for (asked, _, epsilon), amount in zip(rows, amounts, strict=True)
    ]


def _pure(epsilon: str) -> DP:
    return DP(epsilon=epsilon, delta=0, adjacency=REPLACE_ONE)  # type: ignore[arg-type]


def cosine_noise(n: int) -> float:
    """Deviation of the noise on a mean cosine of the default features, for the whole budget except the start."""
    ledger = Ledger.in_rho(epsilon=1, dp_delta=Fraction(1, n * n), adjacency="replace-one")
    features = FourierFeatures(schema_of_domain(Domain((2, 2))), 1, FEATURES)
    noise = answers_noise(features, tuple(range(FEATURES)), ledger.left * (1 - START), REPLACE_ONE, "release")
    assert isinstance(noise.scales, Fraction)
    return float(noise.scales) / (n * STEPS)


def distance(adjacency: Adjacency) -> list[Any]:
    """Distances of the moments of two tables: in L2 and in L1, in records, rounded up."""
    l1, l2_squared = distance_sensitivity(adjacency)
    return [decimal_text(value / RECORD_STEPS, 6, up=True) for value in (root_at_least(l2_squared), l1)]


# --- what epsilon means ----------------------------------------------------------------------------------------------


def guesses(epsilon: str) -> list[Any]:
    """Odds, best guesses and suspicions, rounded up; with pure privacy, with known Gaussian noise, and by zCDP."""
    pure = meaning(_pure(epsilon))
    gaussian, by_rho = (meaning(one.target, one.statement(one.total)) for one in _ledgers(epsilon))  # type: ignore[arg-type]
    best = (pure.odds_factor, pure.best_guess, gaussian.best_guess, by_rho.best_guess)
    grown = [suspicion.after_at_most for one in (pure, gaussian) for suspicion in one.suspicions]
    return [epsilon, [decimal_text(one.hi, 5, up=True) for one in (*best, *grown)]]


def _ledgers(epsilon: str) -> list[Ledger]:
    asked: dict[str, Any] = {"epsilon": epsilon, "dp_delta": DELTA, "adjacency": "replace-one"}
    return [Ledger.in_mu_squared(**asked), Ledger.in_rho(**asked)]


def exception() -> Fraction:
    ledger = _ledgers("1")[0]
    return meaning(ledger.target, ledger.statement(ledger.total)).exception  # type: ignore[arg-type]


def tails(gaussian_tail: Any) -> list[Any]:
    """The probability that odds grow by more than e^epsilon, and by more than 11/10 of that, in multiples of delta."""
    found = []
    for epsilon, delta in product(("0.1", "1", "4"), ("0.000001", "0.000000001")):
        both = (float(gaussian_tail(epsilon, delta, wider) / Fraction(delta)) for wider in ("1", "1.1"))
        found.append((epsilon, delta, [ceil(10 * tail) / 10 for tail in both]))
    return found


# --- pairs of columns ------------------------------------------------------------------------------------------------


def queries(family: str, size: int) -> list[int | Fraction]:
    """The multiplier of a query's error, for the code and for the cell that needs most."""
    found = expansion(family, size)
    assert found is not None
    return [max(many for _, many in found), queries_in_a_cell(found, found)]


def cell_errors(codes: int) -> list[Any]:
    """For two independent columns with equal shares that are known within 0, 0.01 and 0.05."""
    rows = np.array([[a, b] for a in range(codes) for b in range(codes)], dtype=np.uint8)
    within = (Fraction(0), Fraction("0.01"), Fraction("0.05"))
    return [codes, [float(frechet_errors(rows, (codes, codes), (e, e), (0, 1))[(0, 1)]) for e in within]]
