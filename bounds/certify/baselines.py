"""The yardsticks for a certificate: the zero model, the best constant, the model's own risk, the largest gap."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

from bounds.certify.classes import ModelClass, loss_at_zero
from bounds.certify.envelope import Scores, largest_excess
from bounds.certify.excess import certified
from bounds.certify.loss_balls import LossOnBalls
from bounds.certify.problem import KnownMoments, Problem, Range, Vector, dot, norm_class
from bounds.certify.routes import Route, least, whole_problem
from bounds.certify.shape import Shape
from bounds.certify.verdict import Verdict, constant_risk, verdict
from bounds.errors import SynthboundsError

_NEARLY_ZERO = Fraction(1, 2**14)
_TOLERANCE = Fraction(1, 2**30)


@dataclass(frozen=True)
class Baselines:
    """Certified on the same event as the bound."""

    zero_risk: Fraction
    """phi(0), the risk of the zero model, rounded up."""
    model_risk: Fraction
    """The real risk of the certified model is at most this."""
    constant_risk: Fraction | None
    """No model without features has a smaller real risk; None if the loss has no such formula here.

    If the label is a number, both risks are counted as if its square were 1, which adds the same to both.
    """
    zero_gap: Fraction
    """No model of the class is better than the zero model by more, whatever the table."""
    largest_gap: Fraction
    """No two models of the class differ by more in what is compared, whatever the table."""
    penalty: Fraction = Fraction(0)
    """Of the model, by a ridge that is part of what is compared."""
    label_is_number: bool = False

    @property
    def constant_gain(self) -> Fraction | None:
        """How much smaller the real risk of the model is than that of every constant score, at least."""
        return None if self.constant_risk is None else self.constant_risk - self.model_risk

    def verdict(self, bound: Fraction) -> Verdict:
        """What a bound on the excess of the model is worth."""
        return verdict(
            bound,
            model_risk=self.model_risk + self.penalty,
            constant_risk=self.constant_risk,
            without_data=min(self.zero_gap, self.largest_gap),
        )


def baselines(
    known: KnownMoments, model: Vector, compared_with: ModelClass, scores: Range, routes: tuple[Route, ...]
) -> Baselines:
    """For the whole class, on the event of the best of the routes."""
    return measured(whole_problem(known, model, compared_with, scores), by=least(routes))


def measured(whole: Problem, *, by: Route | None = None) -> Baselines:
    """For the whole class. The model's risk is at most phi(0) plus how far it can be above the models next to zero:
    that is the best polynomial above its loss, which tells records apart and knows weighted moments as the route does.

    Nothing is assumed about the loss: it may be negative or not convex.
    """
    zero, compared = loss_at_zero(whole.loss), whole.compared
    nothing = Fraction(0), Fraction(0)
    zero_gap = _largest_difference(whole.loss, nothing, compared.reach)
    penalised = [ball for ball in compared.balls if ball.part == compared.ridge_part]
    most = compared.ridge / 2 * penalised[0].squared_radius if compared.ridge else Fraction(0)
    largest = _largest_difference(whole.loss, (-compared.reach, compared.reach), compared.reach) + most
    risk = zero + _largest_difference(whole.loss, whole.scores, Fraction(0))
    own = replace(whole, compared=norm_class(_NEARLY_ZERO, whole.known.squared_norm))
    if by is not None and by.found is not None and by.found.problem.directions is None:
        told = by.found.problem
        own = replace(own, known=told.known, direction=told.direction, groups=told.groups)
    with suppress(SynthboundsError):
        risk = min(risk, zero + certified(own).value)
    counted = whole.model if compared.ridge_part == "all" else whole.model[:-1]
    penalty = compared.ridge / 2 * dot(counted, counted)
    constant, number = _constant_risk(whole.loss, whole.known), whole.known.label_is_number
    return Baselines(zero, risk, constant, zero_gap, largest, penalty, number)


def _largest_difference(loss: str, scores: Range, reach: Fraction) -> Fraction:
    """phi(y S) - phi(y V) is at most this for both labels, all S in a range and all |V| <= reach."""
    box = Scores(scores, reach)
    none = (Fraction(0),) * 3
    zero = Shape(Fraction(0), none, (none,) * 3)
    return largest_excess(LossOnBalls(loss, box.largest()), zero, box, tolerance=_TOLERANCE).upper


def _constant_risk(loss: str, known: KnownMoments) -> Fraction | None:
    """The least risk of a constant score, rounded down; the mean of the labels is that of y over the mass."""
    least_mass = known.mass()[0]
    most = (abs(known.first[-1]) + known.first_radius) / least_mass if least_mass > 0 else Fraction(1)
    return constant_risk(loss, most)
