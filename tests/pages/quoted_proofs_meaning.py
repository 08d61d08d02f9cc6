"""Numbers on the proof page about what epsilon means: guesses and suspicions at usual budgets."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from bounds.enclosure import decimal_text
from bounds.exact import show_rational
from bounds.privacy.ledger import Ledger
from bounds.privacy.meaning import meaning
from bounds.privacy.statements import DP
from tests.pages.quoted import Page

DELTA = "0.000001"


def _meaning() -> Iterator[str]:
    for epsilon in ("0.1", "0.5", "1", "2", "4", "10"):
        pure = meaning(DP(epsilon=epsilon, delta=0, adjacency="replace-one"))  # type: ignore[arg-type]
        asked = {"epsilon": epsilon, "dp_delta": DELTA, "adjacency": "replace-one"}
        known = [
            meaning(ledger.target, ledger.statement(ledger.total))  # type: ignore[arg-type]
            for ledger in (Ledger.in_mu_squared(**asked), Ledger.in_rho(**asked))
        ]
        cells = [
            _up(pure.odds_factor.hi),
            _up(pure.best_guess.hi),
            *(_up(found.best_guess.hi) for found in known),
            *(_up(suspicion.after_at_most.hi) for suspicion in pure.suspicions),
        ]
        yield f"| {epsilon} | {' | '.join(cells)} |"
    before = " and ".join(show_rational(s.before) for s in pure.suspicions)
    yield rf"suspicions of {before}; $\delta={show_rational(Fraction(DELTA))}$"


def _up(value: Fraction) -> str:
    return decimal_text(value, 5, up=True)


PAGES = {"synthbounds.meaning": Page(_meaning)}
