"""What a certificate is measured against: the zero model, the best constant, the model's own risk, the largest gap."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from bounds.certify.classes import loss_at_zero
from bounds.certify.envelope import Scores, largest_excess
from bounds.certify.excess import certified
from bounds.certify.loss_balls import LossOnBalls
from bounds.certify.problem import KnownMoments, Problem, Range, norm_class
from bounds.certify.shape import Shape
from bounds.enclosure import Enclosure, as_fmpq, precision
from bounds.errors import SynthboundsError

INFORMATIVE, WEAK, VACUOUS = "informative", "weak", "vacuous"
_NEARLY_ZERO = Fraction(1, 1000)
_TOLERANCE = Fraction(1, 2**30)
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
    zero_gap: Fraction
    """No model of the class is better than the model that is zero by more, whatever the table."""
    largest_gap: Fraction
    """No two models of the class differ by more in what is compared, whatever the table."""

    def verdict(self, bound: Fraction) -> str:
        """vacuous: no less than is known without any data; weak: no less than what the model gains over zero."""
        if bound >= min(self.zero_gap, self.largest_gap):
            return VACUOUS
        return INFORMATIVE if bound < self.zero_risk - self.model_risk else WEAK


def baselines(problem: Problem) -> Baselines:
    """For the whole class. The model's risk is at most phi(0) plus how far it can be above the models next to zero.

    Nothing is assumed of the loss: it may be negative or not convex.
    """
    zero, compared = loss_at_zero(problem.loss), problem.compared
    nothing = Fraction(0), Fraction(0)
    zero_gap = _largest_difference(problem.loss, nothing, compared.reach)
    penalised = [ball.squared_radius for ball in compared.balls if ball.part == compared.ridge_part]
    penalty = compared.ridge / 2 * penalised[0] if compared.ridge else Fraction(0)
    largest = _largest_difference(problem.loss, (-compared.reach, compared.reach), compared.reach) + penalty
    next_to_zero = norm_class(_NEARLY_ZERO, problem.known.squared_norm)
    own = Problem(
        known=problem.known, model=problem.model, loss=problem.loss, compared=next_to_zero, scores=problem.scores
    )
    try:
        risk = zero + certified(own).value
    except SynthboundsError:
        risk = zero + _largest_difference(problem.loss, problem.scores, Fraction(0))
    return Baselines(zero, risk, _constant_risk(problem.loss, problem.known), zero_gap, largest)


def _largest_difference(loss: str, scores: Range, reach: Fraction) -> Fraction:
    """phi(y S) - phi(y V) is at most this for both labels, all S in a range and all |V| <= reach."""
    box = Scores(scores, reach)
    none = (Fraction(0),) * 3
    zero = Shape(Fraction(0), none, (none,) * 3)
    return largest_excess(LossOnBalls(loss, box.largest()), zero, box, tolerance=_TOLERANCE).upper


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
