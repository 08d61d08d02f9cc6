"""Ranges of the losses of the margin on [-reach, reach]: how far one record can change a sum of losses, exactly.

Oscillations are exact; a supremum or an infimum that is not rational is rounded outward to short decimals.
Proof: docs/proofs/synthbounds.excess-query.md, part (b).
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from bounds.certify.inputs import RADIUS_DIGITS
from bounds.certify.margin_losses import find_loss
from bounds.enclosure import Enclosure, as_fmpq, decimal_text, precision
from bounds.exact import require_range

_BITS = 160
"""Enough for 12 digits of exp(-1024), were it needed."""


def oscillation(loss: str, reach: Fraction) -> Fraction:
    """Largest minus least loss: R for the logistic loss; 2R below 1, then 1 + R or (1 + R)^2/2.

    >>> oscillation("hinge", Fraction(3)), oscillation("squared", Fraction(1, 2)), oscillation("logistic", Fraction(3))
    (Fraction(4, 1), Fraction(1, 1), Fraction(3, 1))
    """
    _check(loss, reach)
    if loss == "logistic":
        return reach
    if reach <= 1:
        return 2 * reach
    return 1 + reach if loss == "hinge" else (1 + reach) ** 2 / 2


def supremum(loss: str, reach: Fraction) -> Fraction:
    """The loss at -reach, at least.

    >>> float(supremum("logistic", Fraction(5)))
    5.00671534849
    """
    _check(loss, reach)
    if loss == "logistic":
        return Fraction(decimal_text(_logistic(-reach).hi, RADIUS_DIGITS, up=True))
    return 1 + reach if loss == "hinge" else (1 + reach) ** 2 / 2


def infimum(loss: str, reach: Fraction) -> Fraction:
    """The least loss, at most."""
    _check(loss, reach)
    if loss == "logistic":
        return Fraction(decimal_text(_logistic(reach).lo, RADIUS_DIGITS, up=False))
    short = max(Fraction(0), 1 - reach)
    return short if loss == "hinge" else short**2 / 2


def steepest(loss: str, reach: Fraction) -> Fraction:
    """At least the absolute value of every slope."""
    _check(loss, reach)
    return 1 + reach if loss == "squared" else Fraction(1)


def _check(loss: str, reach: Fraction) -> None:
    find_loss(loss)
    require_range("reach", reach, reach, least=0, reason="the largest size of a score")


def _logistic(margin: Fraction) -> Enclosure:
    with precision(_BITS):
        if margin < 0:  # so that balls stay small
            return Enclosure.of(arb(as_fmpq(-margin)) + arb(as_fmpq(margin)).exp().log1p())
        return Enclosure.of((-arb(as_fmpq(margin))).exp().log1p())
