"""How likely Gaussian noise that is exactly (epsilon, delta)-private makes odds grow by more than a factor."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from bounds.enclosure import as_fmpq
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import GaussianDP
from bounds.solve import enclose


def gaussian_tail(epsilon: str, delta: str, wider: str) -> Fraction:
    """Under X1, by more than `wider` e^epsilon, from below: the log of the ratio of densities is N(mu^2/2, mu^2)."""
    ledger = Ledger.in_mu_squared(epsilon=epsilon, dp_delta=delta, adjacency="replace-one")
    whole = ledger.statement(ledger.total)
    assert isinstance(whole, GaussianDP)
    squared, start, factor = (as_fmpq(Fraction(x)) for x in (whole.mu_squared, epsilon, wider))
    return enclose(lambda: ((start + arb(factor).log() - arb(squared) / 2) / (2 * arb(squared)).sqrt()).erfc() / 2).lo
