"""Which models a certificate compares with: a norm, a ridge penalty, an intercept that is free or counts.

If the intercept is free, or a penalty is the only bound, the best model is shown to lie in a bounded set; the statement
is then true without that set. Proofs: docs/proofs/synthbounds.model-certificate.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from bounds.certify.inputs import rounded_up
from bounds.certify.loss_balls import LossOnBalls, margin_function
from bounds.certify.problem import Ball, Compared, KnownMoments, Part
from bounds.enclosure import Enclosure, as_fmpq, precision
from bounds.errors import NotApplicable, ParameterError, UsageError

INSIDE, FREE = "inside", "free"
_BITS = 80
SQUARED = "squared"
LINEAR_BELOW = ("logistic", "hinge", SQUARED)
"""Convex losses with phi >= 0 and phi(-u) >= u for every u >= 0."""


@dataclass(frozen=True, kw_only=True)
class ModelClass:
    """What is compared with: at least one of norm and ridge; `intercept` says whether they count it."""

    loss: str
    tau: Fraction | None = None
    ridge: Fraction | None = None
    intercept: str = INSIDE

    def __post_init__(self) -> None:
        margin_function(self.loss)
        if self.intercept not in (INSIDE, FREE):
            raise ParameterError("intercept", self.intercept, f"{INSIDE} or {FREE}")
        if self.tau is None and self.ridge is None:
            raise UsageError("the class of models is unbounded: give tau or ridge")
        if self.ridge is not None and self.loss not in LINEAR_BELOW:
            # that the minimiser is bounded needs phi >= 0, and that it is near the model needs a convex loss
            raise NotApplicable(f"ridge: not for loss = {self.loss[:60]}; known for {', '.join(LINEAR_BELOW)}")
        if self.intercept == FREE and self.loss not in LINEAR_BELOW:
            raise NotApplicable(
                f"intercept = free: not for loss = {self.loss[:60]}; known for {', '.join(LINEAR_BELOW)}"
            )

    @property
    def counted(self) -> Part:
        return "all" if self.intercept == INSIDE else "slopes"


def loss_at_zero(loss: str) -> Fraction:
    """phi(0), the risk of the zero model, rounded up."""
    with precision(_BITS):
        return Enclosure.of(LossOnBalls(loss, Fraction(1)).value(0.0)).hi


def within_norm(compared_with: ModelClass, known: KnownMoments) -> Compared:
    """The class as balls around zero, bounded by the penalty if there is no tau."""
    require_loss_for_label(compared_with.loss, known)
    tau = norm_bound(compared_with)
    ball = Ball(part=compared_with.counted, around_model=False, squared_radius=tau**2 / known.squared_norm)
    ridge = Fraction(0) if compared_with.ridge is None else compared_with.ridge * known.squared_norm
    if compared_with.intercept == INSIDE:
        return Compared(balls=(ball,), reach=tau, ridge=ridge)
    intercept = tau + _beyond_norm(compared_with.loss, known)
    free = Ball(part="intercept", around_model=False, squared_radius=intercept**2)
    return Compared(balls=(ball, free), reach=tau + intercept, ridge=ridge, ridge_part="slopes")


def require_loss_for_label(loss: str, known: KnownMoments) -> None:
    """Refuse a loss of the margin for labels that are numbers: of all losses here only the squared one serves both,
    as (1 - y s)^2/2 = (y - s)^2/2 for y = +-1."""
    if known.label_is_number and margin_function(loss).text != margin_function(SQUARED).text:
        raise NotApplicable(
            f"loss = {loss[:60]}: the label is a number, and the loss needs +1 or -1; known for {SQUARED}"
        )


def _beyond_norm(loss: str, known: KnownMoments) -> Fraction:
    """By how much an intercept must exceed the norm of the rest for the zero model to be better, whatever the labels.

    Where a score is beyond 2, its squared loss is above 1/2. For other losses records of the rarer label lose enough.
    """
    if loss == SQUARED:
        share = Fraction(0) if known.label_is_number else _share_of_rarer_label(known)
        return min(Fraction(2), loss_at_zero(loss) / share) if share > 0 else Fraction(2)
    return loss_at_zero(loss) / rarer_label(known)


def norm_bound(compared_with: ModelClass) -> Fraction:
    """tau, or the largest norm that the minimiser of the penalised risk can have: sqrt(2 phi(0)/ridge)."""
    if compared_with.ridge is None:
        assert compared_with.tau is not None
        return compared_with.tau
    with precision(_BITS):
        squared = arb(as_fmpq(2 * loss_at_zero(compared_with.loss) / compared_with.ridge))
        reachable = rounded_up(Enclosure.of(squared.sqrt()).hi)
    return reachable if compared_with.tau is None else min(compared_with.tau, reachable)


def rarer_label(known: KnownMoments) -> Fraction:
    """A lower bound on the share of the rarer label, which is positive."""
    share = _share_of_rarer_label(known)
    if share <= 0:
        raise NotApplicable("intercept = free: the release does not show that both labels occur; count the intercept")
    return share


def _share_of_rarer_label(known: KnownMoments) -> Fraction:
    """From the first moment of the intercept."""
    most, (least_mass, mass) = abs(known.first[-1]) + known.first_radius, known.mass()
    return (least_mass - most) / (2 * mass)


def near_model(
    compared_with: ModelClass, known: KnownMoments, *, distance: Fraction, largest_score: Fraction
) -> Compared:
    """Models within a distance of the certified one; with a ridge r and a bound below r distance^2/2 this is enough."""
    assert compared_with.ridge is not None
    assert compared_with.intercept == INSIDE
    ball = Ball(part="all", around_model=True, squared_radius=distance**2 / known.squared_norm)
    return Compared(balls=(ball,), reach=largest_score + distance, ridge=compared_with.ridge * known.squared_norm)
