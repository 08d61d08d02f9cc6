"""Numbers on the page about reports: what epsilon means for one person, from the code that says so on every report."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from bounds.privacy.ledger import Ledger
from bounds.privacy.meaning import Meaning, meaning
from bounds.privacy.statements import DP
from synthbounds.render.meaning import often, percent
from tests.pages.quoted import Page

EPSILONS = ("0.1", "0.5", "1", "2", "4", "10")
DELTA = "1e-6"


def _rows() -> Iterator[str]:
    for epsilon in EPSILONS:
        found = _private(epsilon)
        ledger = Ledger.in_mu_squared(epsilon=epsilon, dp_delta=DELTA, adjacency="replace-one")
        assert ledger.target is not None
        known = meaning(ledger.target, ledger.statement(ledger.total))  # type: ignore[arg-type]
        guesses = [often(one.best_guess.hi) for one in (found, known)]
        grown = [percent(suspicion.after_at_most.hi) for one in (found, known) for suspicion in one.suspicions]
        yield f"| {' | '.join((epsilon, *guesses, *grown))} |"


def _private(epsilon: str) -> Meaning:
    return meaning(DP(epsilon=epsilon, delta=0, adjacency="replace-one"))  # type: ignore[arg-type]


def _reports() -> Iterator[str]:
    yield from _rows()
    first, second = (percent(suspicion.before) for suspicion in _private("1").suspicions)
    yield f"| suspicion of {first} | of {second} | with delta, of {first} | of {second} |"
    yield f"A guess without the release is right {often(_private('0').best_guess.hi)}. With it"
    assert Fraction(DELTA) == Fraction(1, 10**6)
    yield "the budget has a delta, here a millionth"
    asked = meaning(DP(epsilon="1", delta=DELTA, adjacency="replace-one"))  # type: ignore[arg-type]
    yield f"they grow by {float(asked.odds_factor.hi / _private('1').odds_factor.hi):.4g} times that at most"
    yield f"an exception whose probability is at most {asked.exception / Fraction(DELTA)} times delta"


REPORTS = Page(_reports)
