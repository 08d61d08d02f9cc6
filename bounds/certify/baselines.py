"""What a certificate is measured against: the zero model, the best constant, the model's own risk, the largest gap."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from bounds.certify.classes import loss_at_zero
from bounds.certify.excess import certified
from bounds.certify.loss_balls import LossOnBalls
from bounds.certify.problem import KnownMoments, Problem, norm_class
from bounds.enclosure import Enclosure, as_fmpq, precision
from bounds.errors import SynthboundsError

INFORMATIVE, WEAK, VACUOUS = "informative", "weak", "vacuous"
_NEARLY_ZERO = Fraction(1, 1000)
_BITS = 80


@dataclass(frozen=True)
class Baselines:
    """Certified on the same event as the bound."""

    zero_risk: Fraction
    """phi(0), the risk of the model that is zero, rounded up."""
    model_risk: Fraction
    """The real risk of the certified model is at most this."""
    constant_risk: Fraction | None
    """No model without features has a smaller real risk; None where the loss has no such formula here."""
    largest_gap: Fraction
    """No two models of the class differ by more."""

    def verdict(self, bound: Fraction) -> str:
        """vacuous: no less than is known without any data; weak: no less than what the model gains over zero."""
        if bound >= min(self.zero_risk, self.largest_gap):
            return VACUOUS
        return INFORMATIVE if bound < self.zero_risk - self.model_risk else WEAK


def baselines(problem: Problem) -> Baselines:
    """The model's risk is at most phi(0) plus how far it can be above the models next to zero."""
    zero = loss_at_zero(problem.loss)
    ends = _values(problem.loss, problem.compared.reach)
    largest = max(ends) - min(Fraction(0), *ends)
    next_to_zero = norm_class(_NEARLY_ZERO, problem.known.squared_norm)
    own = Problem(
        known=problem.known, model=problem.model, loss=problem.loss, compared=next_to_zero, scores=problem.scores
    )
    try:
        risk = zero + certified(own).value
    except SynthboundsError:
        risk = max(_values(problem.loss, max(abs(end) for end in problem.scores)))
    return Baselines(zero, risk, _constant_risk(problem.loss, problem.known), largest)


def _values(loss: str, reach: Fraction) -> list[Fraction]:
    """The loss at both ends of a range, rounded up; losses are convex, so no value between is larger."""
    with precision(_BITS):
        balls = LossOnBalls(loss, reach)
        return [Enclosure.of(balls.at(end)).hi for end in (-reach, reach)]


def _constant_risk(loss: str, known: KnownMoments) -> Fraction | None:
    """The least risk of a constant score, rounded down: the entropy of the label for the logistic loss."""
    least_mass = known.mass()[0]
    if loss != "logistic" or least_mass <= 0:
        return None
    most = (abs(known.first[-1]) + known.first_radius) / least_mass
    if most >= 1:
        return Fraction(0)
    with precision(_BITS):
        share = arb(as_fmpq((1 - most) / 2))
        entropy = -share * share.log() - (1 - share) * (1 - share).log()
        return Enclosure.of(entropy).lo
