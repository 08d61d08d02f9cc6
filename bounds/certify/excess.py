"""A certified bound on how much better another model can be, from known moments: every route, and the least."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from bounds.certify.envelope import Excess, Scores, largest_excess
from bounds.certify.loss_balls import LossOnBalls
from bounds.certify.problem import Problem
from bounds.certify.search import Found, search
from bounds.certify.shape import Shape
from bounds.certify.value import Bound, Multipliers, bound
from bounds.enclosure import Undecided
from bounds.errors import NotCertified

_TOLERANCE = Fraction(1, 1000)
_MOST_TRIES = 12


@dataclass(frozen=True)
class Certified:
    """A bound with everything that proves it."""

    problem: Problem
    shape: Shape
    multipliers: Multipliers
    excess: Excess
    bound: Bound
    search: Found

    @property
    def value(self) -> Fraction:
        return self.bound.value.hi


def certified(problem: Problem) -> Certified:
    """Search for the best polynomial, round it and prove what it gives."""
    scores = Scores(problem.scores, problem.compared.reach, problem.directions)
    loss = LossOnBalls(problem.loss, scores.largest())
    found = search(problem, loss, scores)
    tolerance = max(_TOLERANCE * Fraction(abs(found.bound_est)), Fraction(1, 2**40))
    excess = largest_excess(loss, found.shape, scores, tolerance=tolerance)
    multipliers = found.multipliers
    for attempt in range(_MOST_TRIES):
        try:
            value = bound(problem, found.shape, multipliers, excess.upper)
            return Certified(problem, found.shape, multipliers, excess, value, found)
        except Undecided:  # rounding took away the last of the curvature: give the balls a little more
            factor = Fraction(16**attempt, 10**10)
            raised = tuple(mu + factor * (1 + mu) for mu in multipliers.balls)
            multipliers = replace(multipliers, balls=raised)
    raise NotCertified("the bound could not be certified: no multiplier made the quadratic function bounded")
