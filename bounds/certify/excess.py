"""One bound for one question: search for the polynomial, prove that it dominates, enclose what it gives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from bounds.certify.envelope import MOST_CELLS, Excess, Scores, largest_excess
from bounds.certify.loss_balls import LossOnBalls
from bounds.certify.problem import Problem
from bounds.certify.search import CLOSE, Found, Touched, learned, multipliers_for, search
from bounds.certify.shape import OTHER, SCORE, Shape
from bounds.certify.value import Bound, Multipliers, bound
from bounds.enclosure import Undecided
from bounds.errors import NotCertified

_TOLERANCE = Fraction(1, 1000)
_HALF_TOLERANCE, _HALF_CLOSE = Fraction(1, 300), 0.003
"""For a half-space: its threshold is worth no more digits."""
_MOST_TRIES = 12
_MOST_LESSONS = 3
_NEGLIGIBLE = Fraction(1, 50)
"""An excess below this part of the bound is not worth another search."""


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


def certified(
    problem: Problem, shape: Shape | None = None, *, loss: LossOnBalls | None = None, before: Found | None = None
) -> Certified:
    """Search for the best polynomial, or take the given one, and prove what it gives.

    The results of another certificate for the same loss and box save time: its `loss`, and the places of its search
    `before`.
    """
    scores = Scores.of(problem)
    loss = loss or LossOnBalls(problem.loss, scores.largest())
    if shape is None:
        found, excess = _searched(problem, loss, scores, () if before is None else before.touched)
    else:
        found = multipliers_for(problem, shape)
        excess = _excess(problem, loss, scores, found)
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


def _searched(problem: Problem, loss: LossOnBalls, scores: Scores, touched: Touched) -> tuple[Found, Excess]:
    """The best polynomial; if the proof finds more excess than the search has seen, the search learns the places."""
    close = CLOSE if problem.compared.half is None else _HALF_CLOSE
    found = search(problem, loss, scores, touched=list(touched), close=close)
    excess = _excess(problem, loss, scores, found)
    best = found, excess
    for _ in range(_MOST_LESSONS):
        small = excess.upper <= _NEGLIGIBLE * _size(problem, found)
        if small or excess.cells > MOST_CELLS // 5:  # this many cells are slow, and not for lack of places
            break
        found = search(problem, loss, scores, touched=[*found.touched, *learned(excess.where)], close=close)
        excess = _excess(problem, loss, scores, found)
        best = min(best, (found, excess), key=lambda pair: Fraction(pair[0].bound_est) + pair[1].upper)
    return best


def _size(problem: Problem, found: Found) -> Fraction:
    """What an excess is compared with: the bound; for a half-space the bound at the model's own coefficient, which is
    positive however near its threshold is to the place where the bound is 0."""
    bound_est, half = Fraction(found.bound_est), problem.compared.half
    if half is None:
        return abs(bound_est)
    return abs(bound_est + found.multipliers.half * half.sign * (problem.model[half.feature] - half.threshold))


def _excess(problem: Problem, loss: LossOnBalls, scores: Scores, found: Found) -> Excess:
    share = _TOLERANCE if problem.compared.half is None else _HALF_TOLERANCE
    tolerance = max(share * _size(problem, found), Fraction(1, 2**40))
    try:
        return largest_excess(loss, found.shape, scores, tolerance=tolerance)
    except Undecided:
        raise NotCertified(f"loss = {problem.loss[:60]}: its curvature is not bounded where scores may lie") from None


def estimate(problem: Problem) -> float:
    """What `certified` would give, without the proof."""
    scores = Scores.of(problem)
    return search(problem, LossOnBalls(problem.loss, scores.largest()), scores).bound_est


def separable(problem: Problem, linear: Fraction, square: Fraction, error: Fraction) -> Shape:
    """P(y S) - P(y V) + 2 error for P(t) = square t^2 + linear t + ..., which is within `error` of the loss.

    For a loss that is a polynomial of degree 2 the error is 0 and nothing is lost.
    """
    size = len(problem.basis()) + 1
    label = [Fraction(0)] * size
    label[SCORE], label[OTHER] = linear, -linear
    form = [[Fraction(0)] * size for _ in range(size)]
    form[SCORE][SCORE], form[OTHER][OTHER] = square, -square
    second = tuple(tuple(row) for row in form)
    weighted = None if problem.known.weighted is None else tuple((Fraction(0),) * size for _ in range(size))
    return Shape(2 * error, tuple(label), second, weighted)
