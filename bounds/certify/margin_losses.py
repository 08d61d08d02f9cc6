"""Convex losses of the margin m = y score: their slopes in ball arithmetic and exact bounds on higher derivatives.

A planned query asks for the mean of g(m) z, where g is the slope of the loss with a straight line taken out. Its
sensitivity and its fixed-point evaluation need bounds on derivatives. Nothing here sees data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from bounds.errors import ParameterError


@dataclass(frozen=True)
class MarginLoss:
    """A convex loss of the margin; `second` and `third` bound |phi''| and |phi'''| where the slope is smooth."""

    name: str
    text: str
    slope: Callable[[arb], arb]
    """phi'(m), or a subgradient at a kink."""
    second: Fraction
    third: Fraction
    kink: Fraction | None = None
    """The margin at which the slope jumps; elsewhere such a loss is linear."""
    slope_range: tuple[Fraction, Fraction] | None = None
    """The closed range of phi', if it is bounded on the whole line."""


def _logistic_slope(m: arb) -> arb:
    return -1 / (1 + m.exp())


def _squared_slope(m: arb) -> arb:
    return m - 1


def _hinge_slope(m: arb) -> arb:
    return arb(-1) if m < 1 else arb(0)


# phi''' of the logistic loss is s(1-s)(2s-1) up to sign, at most 1/(6 sqrt 3) = 0.09622...
_LOGISTIC_THIRD = Fraction(9623, 100_000)

LOSSES = {
    loss.name: loss
    for loss in (
        MarginLoss(
            "logistic",
            "log(1+exp(-m))",
            _logistic_slope,
            Fraction(1, 4),
            _LOGISTIC_THIRD,
            slope_range=(Fraction(-1), Fraction(0)),
        ),
        MarginLoss("squared", "(1-m)^2/2", _squared_slope, Fraction(1), Fraction(0)),
        MarginLoss(
            "hinge",
            "max(0,1-m)",
            _hinge_slope,
            Fraction(0),
            Fraction(0),
            kink=Fraction(1),
            slope_range=(Fraction(-1), Fraction(0)),
        ),
    )
}


def find_loss(name: str) -> MarginLoss:
    """The loss of that name."""
    if name not in LOSSES:
        raise ParameterError("loss", name, f"one of {', '.join(LOSSES)}")
    return LOSSES[name]
