"""The largest epsilon of a release that an account still takes: rounded down, so that it is never refused.

A release with Gaussian noise costs at most mu^2/2 at the exact curve of its epsilon and delta, and one that is counted
by rho at most the rho of the conversion. A pure release costs at most epsilon^2/2. All of these grow with epsilon.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from bounds.enclosure import Enclosure, decimal_text
from bounds.privacy.concentrated import zcdp_epsilon
from bounds.privacy.gaussian import analytic_gaussian, gaussian_epsilon
from bounds.privacy.other_adjacency import EPSILON_FACTOR, SQUARE_FACTOR
from bounds.privacy.statements import DP, ZCDP, GaussianDP
from release.account.file import Account, Charge

_DIGITS = 6
_PLACES = 10**12


def fitting_epsilon(
    account: Account, charges: Sequence[Charge], *, epsilon: Fraction, dp_delta: Fraction | None, is_fixed: bool
) -> str | None:
    """The largest epsilon whose release would fit, instead of this one; None if none is known to.

    The charges that did not fit tell the kind of noise; `is_fixed` says that a smaller epsilon does not change it. Pure
    and other noise together have no curve of their own.
    """
    costs = [charge.cost for charge in charges]
    pure = [isinstance(cost, DP) for cost in costs]
    factor = EPSILON_FACTOR if account.dp_delta is None else SQUARE_FACTOR
    if costs[0].adjacency is account.adjacency:
        factor = 1
    left, asked = account.ledger.left / factor, account.asked_by(charges) / factor
    if all(pure):
        return _text(left if account.dp_delta is None else _root(2 * left))
    if any(pure) or dp_delta is None:
        return None
    by_rho = is_fixed and all(isinstance(cost, ZCDP) for cost in costs)
    if by_rho and _by_rho(asked, dp_delta, account) <= epsilon:
        return _text(_by_rho(left, dp_delta, account))
    return _text(_by_the_exact_curve(left, dp_delta, account))


def gaussian_fits(account: Account) -> str | None:
    """The largest epsilon of a release with Gaussian noise, at the delta of the account, that what is left pays for."""
    assert account.dp_delta is not None
    return _text(_by_the_exact_curve(account.ledger.left, account.dp_delta, account))


def gaussian_cost(epsilon: Fraction, account: Account) -> Fraction:
    """The rho that a release with Gaussian noise of this epsilon costs, at the delta of the account, rounded up."""
    assert account.dp_delta is not None
    found = analytic_gaussian(epsilon=epsilon, dp_delta=account.dp_delta, adjacency=account.adjacency)
    return 1 / (2 * found.ratio.lo**2)


def _by_the_exact_curve(rho: Fraction, dp_delta: Fraction, account: Account) -> Fraction:
    if not rho:
        return rho
    noise = GaussianDP(mu_squared=2 * rho, adjacency=account.adjacency)
    return gaussian_epsilon(noise, dp_delta=dp_delta).epsilon.lo


def _by_rho(rho: Fraction, dp_delta: Fraction, account: Account) -> Fraction:
    if not rho:
        return rho
    return zcdp_epsilon(ZCDP(rho=Enclosure.of(rho), adjacency=account.adjacency), dp_delta=dp_delta).epsilon.lo


def _root(square: Fraction) -> Fraction:
    """Below the root, at a relative distance of at most 1e-12 unless it is tiny."""
    return Fraction(isqrt(int(square * _PLACES**2)), _PLACES)


def _text(epsilon: Fraction) -> str | None:
    return decimal_text(epsilon, _DIGITS, up=False) if epsilon > 0 else None
