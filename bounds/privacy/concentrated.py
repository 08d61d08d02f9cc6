"""Zero-concentrated differential privacy: what gives it, and what it gives in terms of epsilon and delta.

Proofs: docs/proofs/zhou2024.zcdp.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from bounds import curves
from bounds.enclosure import Enclosure, as_fmpq, as_fraction, decimal_text
from bounds.errors import UsageError
from bounds.exact import Exact
from bounds.privacy.adjacency import Adjacency, read_adjacency
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


@dataclass(frozen=True, kw_only=True)
class LargestRho:
    """The largest rho that is (epsilon, dp_delta)-private by Proposition C.2; `safe_rho` is a decimal below it."""

    rho: Enclosure
    safe_rho: Fraction
    epsilon: Fraction
    dp_delta: Fraction
    adjacency: Adjacency


def gaussian_zcdp(noise: GaussianDP) -> ZCDP:
    """Gaussian privacy is rho-zCDP with rho = mu^2/2; of noise that is (L2 sensitivity)^2/(2 sigma^2), exactly."""
    if not isinstance(noise, GaussianDP):
        raise UsageError("Gaussian privacy is needed, made with gaussian_noise: it carries the adjacency")
    return ZCDP(rho=Enclosure.of(noise.mu_squared / 2), adjacency=one_adjacency(noise))


def pure_zcdp(statement: DP) -> ZCDP:
    """An epsilon-private mechanism is epsilon^2/2-zCDP."""
    adjacency = one_adjacency(statement)
    if not statement.is_pure:
        raise UsageError(f"delta = {decimal_text(statement.delta.hi, 6, up=True)}: only pure privacy gives zCDP")
    epsilon = statement.epsilon
    return ZCDP(rho=Enclosure(epsilon.lo**2 / 2, epsilon.hi**2 / 2), adjacency=adjacency)


def exponential_zcdp(*, epsilon: Exact, adjacency: Adjacency | str) -> ZCDP:
    """The exponential mechanism is epsilon^2/8-zCDP: its privacy losses lie in an interval of length epsilon.

    Its choice is proportional to exp(epsilon score/(2 D)), D the sensitivity of the score under that adjacency.
    """
    value = as_fraction(read_epsilon(epsilon, above_zero=True))
    return ZCDP(rho=Enclosure.of(value**2 / 8), adjacency=read_adjacency(adjacency))


def zcdp_delta(statement: ZCDP, *, epsilon: Exact) -> DP:
    """The delta of Proposition C.2 at epsilon: two-sided, at the upper end of rho."""
    adjacency = one_adjacency(statement)
    value, low, high = read_epsilon(epsilon), as_fmpq(statement.rho.lo), as_fmpq(statement.rho.hi)
    delta = enclose_probability(lambda: curves.zcdp_delta_of(high, value))
    if low != high:
        delta = Enclosure(enclose_probability(lambda: curves.zcdp_delta_of(low, value)).lo, delta.hi)
    return DP(epsilon=Enclosure.of(value), delta=require_promise(delta), adjacency=adjacency)


def zcdp_epsilon(statement: ZCDP, *, dp_delta: Exact) -> DP:
    """The smallest epsilon that Proposition C.2 gives at dp_delta.

    >>> zcdp_epsilon(ZCDP(rho="0.1", adjacency="replace-one"), dp_delta="1e-6").epsilon.decimal(10)
    ('2.141938928', '2.141938929')
    """
    adjacency = one_adjacency(statement)
    delta, low, high = read_delta(dp_delta), as_fmpq(statement.rho.lo), as_fmpq(statement.rho.hi)
    epsilon = enclose(lambda: curves.zcdp_epsilon(high, delta))
    if low != high:
        epsilon = Enclosure(enclose(lambda: curves.zcdp_epsilon(low, delta)).lo, epsilon.hi)
    return DP(epsilon=epsilon, delta=Enclosure.of(delta), adjacency=adjacency)


def zcdp_epsilon_simple(statement: ZCDP, *, dp_delta: Exact) -> DP:
    """The simple conversion rho + 2 sqrt(rho log(1/delta)); never better than Proposition C.2."""
    adjacency = one_adjacency(statement)
    delta = read_delta(dp_delta)

    def at(rho: Fraction) -> Enclosure:
        number = as_fmpq(rho)
        return enclose(lambda: number + 2 * (number * -arb(delta).log()).sqrt())

    epsilon = Enclosure(at(statement.rho.lo).lo, at(statement.rho.hi).hi)
    return DP(epsilon=epsilon, delta=Enclosure.of(delta), adjacency=adjacency)


def largest_rho(*, epsilon: Exact, dp_delta: Exact, adjacency: Adjacency | str, digits: int = 10) -> LargestRho:
    """The largest rho for which Proposition C.2 gives (epsilon, dp_delta); `safe_rho` is rounded down.

    >>> adult = largest_rho(epsilon=1, dp_delta=Fraction(1, 48842**2), adjacency="replace-one")
    >>> adult.rho.decimal(8)
    ('0.014270342', '0.014270343')
    """
    value, delta = read_epsilon(epsilon), read_delta(dp_delta)
    found_digits = read_count(digits, "digits", most=60)
    rho = enclose(lambda: curves.zcdp_rho_of(value, delta), relative_bits=60 + 4 * found_digits)
    return LargestRho(
        rho=rho,
        safe_rho=Fraction(decimal_text(rho.lo, found_digits, up=False)),
        epsilon=as_fraction(value),
        dp_delta=as_fraction(delta),
        adjacency=read_adjacency(adjacency),
    )
