"""The cost of pure privacy in a Gaussian budget: epsilon as mu, and mu as epsilon.

An epsilon-private mechanism is mu-GDP with mu = 2 Phi^-1(e^epsilon/(1 + e^epsilon)), and with no smaller one in
general. So out of mu^2 one may buy epsilon = log(Phi(mu/2)/Phi(-mu/2)). Proof: docs/proofs/synthbounds.any-model.md.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from bounds.enclosure import as_fmpq, decimal_text
from bounds.errors import UsageError
from bounds.exact import Exact, parse_rational, require_range
from bounds.privacy.statements import DP, GaussianDP, one_adjacency
from bounds.solve import enclose

_DIGITS = 15


def pure_gaussian(statement: DP) -> GaussianDP:
    """The Gaussian privacy that pure privacy implies, mu^2 rounded up.

    >>> pure_gaussian(DP(epsilon=1, delta=0, adjacency="replace-one")).text()
    'Gaussian differential privacy with mu^2 = 1.51792 for replace-one'
    """
    adjacency = one_adjacency(statement)
    if not statement.is_pure:
        raise UsageError("delta: only pure privacy is Gaussian privacy")
    epsilon = as_fmpq(statement.epsilon.hi)
    # 2 Phi(mu/2) - 1 = erf(mu/sqrt 8) is tanh(epsilon/2) at that mu
    mu_squared = enclose(lambda: 8 * (1 - (arb(epsilon) / 2).tanh()).erfcinv() ** 2).hi
    return GaussianDP(mu_squared=Fraction(decimal_text(mu_squared, _DIGITS, up=True)), adjacency=adjacency)


def pure_epsilon(mu_squared: Exact) -> Fraction:
    """The largest epsilon whose pure privacy costs at most this mu^2, rounded down to a short decimal.

    >>> pure_epsilon("1.51791") < 1 < pure_epsilon("1.51792")
    True
    """
    value = parse_rational(mu_squared, "mu_squared")
    require_range("mu_squared", value, mu_squared, above=0)

    def epsilon() -> arb:
        half = (arb(as_fmpq(value)) / 8).sqrt()
        return ((1 + half.erf()) / half.erfc()).log()

    return Fraction(decimal_text(enclose(epsilon).lo, _DIGITS, up=False))
