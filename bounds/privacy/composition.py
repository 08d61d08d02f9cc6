"""Composition: the joint privacy of several releases. Statements with different adjacencies are refused.

All rules hold for mechanisms chosen one after the other in view of the earlier outputs, with costs fixed in advance; if
costs are chosen on the way, keep a ledger. Products of Gaussian noises are exact when one pair of data sets attains all
sensitivities, and never too small: docs/proofs/zhou2024.gaussian-mechanism.md. Sums, also of adaptive costs, are proved
in docs/proofs/synthbounds.ledger.md; the theorem of Kairouz, Oh and Viswanath (2015) is quoted.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from bounds import curves
from bounds.enclosure import BallNumber, Enclosure, as_fmpq
from bounds.exact import Exact
from bounds.privacy.statements import (
    DP,
    ZCDP,
    GaussianDP,
    enclose_probability,
    one_adjacency,
    read_count,
    read_delta,
    read_epsilon,
    require_promise,
)
from bounds.solve import enclose

MOST_RELEASES = 10**5
"""More equal releases than this make the exact sum slow."""


def compose_basic(*statements: DP) -> DP:
    """Basic composition: epsilons and deltas add up.

    >>> each = DP(epsilon="0.1", delta="1e-7", adjacency="replace-one")
    >>> compose_basic(each, each, each).text()
    '(0.3, 3e-7)-differential privacy for replace-one'
    """
    adjacency = one_adjacency(*statements)
    delta = require_promise(_total([s.delta for s in statements]))
    return DP(epsilon=_total([s.epsilon for s in statements]), delta=delta, adjacency=adjacency)


def compose_zcdp(*statements: ZCDP) -> ZCDP:
    """The rhos add up."""
    adjacency = one_adjacency(*statements)
    return ZCDP(rho=_total([s.rho for s in statements]), adjacency=adjacency)


def compose_gaussian(*noises: GaussianDP) -> GaussianDP:
    """A product of Gaussian noises is one Gaussian noise whose (sensitivity/sigma)^2 is the sum, exactly."""
    adjacency = one_adjacency(*noises)
    return GaussianDP(mu_squared=sum((n.mu_squared for n in noises), Fraction(0)), adjacency=adjacency)


def compose_repeated(statement: DP, *, count: Exact, epsilon: Exact) -> DP:
    """The least delta at epsilon of `count` mechanisms with the same promise, by Kairouz, Oh and Viswanath.

    Exact: randomised response with failure delta attains it. The promise is taken at its upper ends.

    >>> each = DP(epsilon="0.1", delta=0, adjacency="replace-one")
    >>> compose_repeated(each, count=20, epsilon="0.1").delta.decimal(10)
    ('0.1403801107', '0.1403801108')
    """
    adjacency = one_adjacency(statement)
    times, value = read_count(count, most=MOST_RELEASES), read_epsilon(epsilon)
    each, missed = as_fmpq(statement.epsilon.hi), as_fmpq(statement.delta.hi)

    def delta() -> BallNumber:
        pure = curves.repeated_delta_of(times, each, value)
        if missed == 0:
            return pure
        kept = (times * arb(-missed).log1p()).expm1()  # (1 - delta)^k - 1 without cancellation
        return pure - kept * (1 - pure)

    found = require_promise(enclose_probability(delta))
    return DP(epsilon=Enclosure.of(value), delta=found, adjacency=adjacency)


def compose_advanced(statement: DP, *, count: Exact, slack: Exact) -> DP:
    """Advanced composition: k e tanh(e/2) + e sqrt(2 k log(1/slack)) at delta = k delta_0 + slack, or k e if less.

    The mean of the privacy loss of an e-private mechanism is at most e tanh(e/2), which is less than the e (e^e - 1)
    of the first version of this rule; the sum of the losses is bounded by Hoeffding's inequality.
    """
    adjacency = one_adjacency(statement)
    times, extra = read_count(count, most=10**12), read_delta(slack, "slack")
    basic = times * statement.epsilon.hi
    each = as_fmpq(statement.epsilon.hi)

    def epsilon() -> BallNumber:
        e = arb(each)
        return times * e * (e / 2).tanh() + e * (2 * times * -arb(extra).log()).sqrt()

    delta = times * statement.delta.hi
    found = enclose(epsilon)
    if found.hi >= basic:
        return DP(epsilon=Enclosure.of(basic), delta=require_promise(Enclosure.of(delta)), adjacency=adjacency)
    total = delta + Enclosure.of(extra).hi
    return DP(epsilon=found, delta=require_promise(Enclosure.of(total)), adjacency=adjacency)


def _total(parts: list[Enclosure]) -> Enclosure:
    return Enclosure(sum((p.lo for p in parts), Fraction(0)), sum((p.hi for p in parts), Fraction(0)))
