"""Numbers on the proof page about what epsilon means: guesses and suspicions at usual budgets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from bounds.enclosure import decimal_text
from bounds.exact import show_rational
from bounds.privacy.ledger import Ledger
from bounds.privacy.meaning import WIDER, meaning
from bounds.privacy.statements import DP
from tests.bounds.gaussian_tails import gaussian_tail
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
            *(_up(suspicion.after_at_most.hi) for one in (pure, known[0]) for suspicion in one.suspicions),
        ]
        yield f"| {epsilon} | {' | '.join(cells)} |"
    before = " and ".join(show_rational(s.before) for s in pure.suspicions)
    yield rf"suspicions of {before}; $\delta={show_rational(Fraction(DELTA))}$"
    yield f"an exception of probability {show_rational(known[0].exception)}."
    wider = rf"more than $\frac{{{WIDER.numerator}}}{{{WIDER.denominator}}}e^\varepsilon$"
    yield wider
    yield f"{wider}, where (b) promises {known[0].exception / Fraction(DELTA)} at most"
    for epsilon, delta in product(("0.1", "1", "4"), ("0.000001", "0.000000001")):
        tails = (float(gaussian_tail(epsilon, delta, wider) / Fraction(delta)) for wider in ("1", "1.1"))
        yield f"| {epsilon} | {delta} | {' | '.join(str(math.ceil(10 * tail) / 10) for tail in tails)} |"


def _up(value: Fraction) -> str:
    return decimal_text(value, 5, up=True)


PAGES = {"synthbounds.meaning": Page(_meaning)}
