"""Numbers on the proof page about accounts: how often releases fit into a total in rho."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from bounds.enclosure import decimal_text
from bounds.privacy.concentrated import largest_rho
from bounds.privacy.statements import DP, ZCDP, GaussianDP, Statement
from release.account.file import open_account
from release.reserving import plan_ledger
from tests.pages.quoted import Page

DELTA, TOTAL = Fraction(1, 10**6), Fraction(4)


def _account() -> Iterator[str]:
    account = open_account(name="people", adjacency="replace-one", epsilon=TOTAL, dp_delta=DELTA)
    total = account.ledger.total
    shown = decimal_text(total, 6, up=False)
    yield rf"A total of $\varepsilon={TOTAL}$ at $\delta=10^{{-6}}$ is $\rho={shown}$."
    adjacency = account.adjacency
    mu_squared = plan_ledger(epsilon=Fraction(1), dp_delta=DELTA, adjacency=adjacency).total
    rho = largest_rho(epsilon=1, dp_delta=DELTA, adjacency=adjacency, digits=15).safe_rho
    rows: list[tuple[str, Statement, Fraction]] = [
        (r"moments, $\varepsilon=1$, $\delta=10^{-6}$", GaussianDP(mu_squared=mu_squared, adjacency=adjacency), 1),
        (r"marginals, $\varepsilon=1$, $\delta=10^{-6}$", ZCDP(rho=rho, adjacency=adjacency), 1),
        (r"pure, $\varepsilon=0.1$", DP(epsilon="0.1", delta=0, adjacency=adjacency), Fraction("0.1")),
        (r"pure, $\varepsilon=1$", DP(epsilon=1, delta=0, adjacency=adjacency), 1),
    ]  # type: ignore[list-item]
    for name, cost, epsilon in rows:
        amount = account.amount_of(cost)
        yield f"| {name} | {decimal_text(amount, 6, up=True)} | {int(total / amount)} | {int(TOTAL / epsilon)} |"


PAGES = {"synthbounds.account": Page(_account)}
