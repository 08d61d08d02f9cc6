"""Data on which the excess risk is large: no analysis of these assumptions can give a smaller bound.

Proof: docs/proofs/synthbounds.risk-floor.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb

from bounds.approximation.balls import BallFunction
from bounds.approximation.exchange import barycentric_weights
from bounds.approximation.functions import find_function
from bounds.approximation.minimax import minimax
from bounds.approximation.rationals import exact
from bounds.approximation.result import Question
from bounds.enclosure import Enclosure, Undecided, precision
from bounds.errors import NotApplicable, NotCertified
from bounds.risk.loss import Loss
from bounds.risk.polynomials import HIGHEST_DEGREE

_BITS = 192
_LARGEST_TURN = Fraction(2)
"""The construction for the bias works up to this radius; larger classes contain it."""


@dataclass(frozen=True)
class Floor:
    """Excess risks that some data have: by moving records, and with identical marginals."""

    marginals: Enclosure | None
    """For every number of features."""
    bias: Enclosure | None
    """Approached as the number of features grows."""

    @property
    def value(self) -> Enclosure:
        known = [e for e in (self.marginals, self.bias) if e is not None]
        return max(known, key=lambda e: e.lo)


def floor_of(loss: Loss, *, degree: int, distance: Enclosure | None, knows_everything: bool = False) -> Floor | None:
    """What is known of the truth, or None; `degree` is what the marginals carry."""
    marginals = None if distance is None else moved_records(loss, distance)
    bias = None if knows_everything or degree < 2 else identical_marginals(loss, degree)
    return Floor(marginals, bias) if marginals is not None or bias is not None else None


def moved_records(loss: Loss, distance: Enclosure) -> Enclosure | None:
    """(s/2)(1 + phi'(R)/phi'(-R)) (phi(-R) - phi(R)) for a convex loss that falls on [-R, R]."""
    if not loss.convex:
        return None
    question = loss.question
    with precision(_BITS):
        left, right = arb(exact(question.left)), arb(exact(question.right))
        try:
            first, _ = BallFunction(question.pieces[0].expression).taylor(left, 1)
            last, _ = BallFunction(question.pieces[-1].expression).taylor(right, 1)
            if not (first[1] < 0 and last[1] <= 0):
                return None
            share = (1 + last[1] / first[1]) / 2
            per_share = Enclosure.of(share * (first[0] - last[0]))
            moved = Enclosure.of(share)
        except Undecided:
            return None
    if distance.hi * moved.hi > 1:
        return None
    return Enclosure(max(distance.lo * per_share.lo, Fraction(0)), distance.hi * per_share.hi)


def identical_marginals(loss: Loss, degree: int) -> Enclosure | None:
    """2 e^2/E z^2 for the logistic loss, from the points at which the error of z tanh(Tz/2) alternates."""
    if not loss.is_logistic:
        return None
    found = [_turned(min(loss.radius, _LARGEST_TURN), min(degree, HIGHEST_DEGREE))]
    if degree == 2:
        found.append(_three_points(loss.radius))
    return max((e for e in found if e is not None), key=lambda e: e.lo, default=None)


def _three_points(radius: Fraction) -> Enclosure:
    """(tanh(Rz/2) - z tanh(R/2))^2/2 at a z in (0, 1) that is nearly the best: data at 0, z and 1, for degree 2."""

    def gain(z: arb) -> arb:
        return (z * half).tanh() - z * half.tanh()

    with precision(_BITS):
        half = arb(exact(radius / 2))
        low, high = Fraction(0), Fraction(1)
        for _ in range(40):  # the difference is concave in z
            left, right = low + (high - low) / 3, high - (high - low) / 3
            if gain(arb(exact(left))) < gain(arb(exact(right))):
                low = left
            else:
                high = right
            low, high = Fraction(int(low * 2**60), 2**60), Fraction(int(high * 2**60) + 1, 2**60)
        return Enclosure.of(gain(arb(exact(low))) ** 2 / 2)


@lru_cache(maxsize=256)
def _turned(turn: Fraction, degree: int) -> Enclosure | None:
    """Any d + 2 points give two measures with equal moments; their weights alternate, and those of one sign are r."""
    z_times_tanh = find_function(f"x*(exp(({turn})*x)-1)/(exp(({turn})*x)+1)")
    try:
        found = minimax(Question.of(z_times_tanh, Fraction(-1), Fraction(1)), degree)
    except (NotCertified, NotApplicable, Undecided):
        return None
    if found.lower is None:
        return None
    points = found.lower.points
    with precision(max(_BITS, 8 * len(points))):
        function = BallFunction(z_times_tanh.expression)
        weights = barycentric_weights([exact(x) for x in points])
        total = sum((w * function(arb(exact(x))) for w, x in zip(weights, points, strict=True)), arb(0))
        if not (total > 0 or total < 0):
            return None
        sign = 1 if total > 0 else -1
        mine = [(arb(sign * w), exact(x)) for w, x in zip(weights, points, strict=True) if sign * w > 0]
        mass = sum((w for w, _ in mine), arb(0))
        second_moment = sum((w * x * x for w, x in mine), arb(0)) / mass
        error = abs(total) / (2 * mass)  # weights of either sign have the same mass
        return Enclosure.of(2 * error**2 / second_moment)
