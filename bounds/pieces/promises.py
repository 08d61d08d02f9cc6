"""Promises and hypotheses that the release theorems share."""

from __future__ import annotations

from fractions import Fraction

from bounds.model import Formula, Hypothesis, Promise

EIGHT_DELTA: Formula = lambda q, A: 8 * q.delta  # noqa: E731 - a formula table reads best as one-liners
EPSILON: Formula = lambda q, A: q.epsilon  # noqa: E731
TWO_EPSILON: Formula = lambda q, A: 2 * q.epsilon  # noqa: E731


def times_gamma(factor: int) -> Formula:
    return lambda q, A: factor * q.gamma


SHARP_ANY_DATA = Promise(EIGHT_DELTA, times_gamma(4), EPSILON, any_data=True)
SHARP_IID = Promise(EIGHT_DELTA, times_gamma(4), EPSILON, any_data=False)
TWICE_PRIVATE_IID = Promise(EIGHT_DELTA, times_gamma(6), TWO_EPSILON, any_data=False)

DELTA_AT_MOST_HALF = Hypothesis(
    "delta is at most 1/2",
    lambda q: bool(q.delta <= Fraction(1, 2)),
    why="an accuracy of 8 delta above 4 is more than twice the widest possible error",
)
GAMMA_AT_MOST_QUARTER = Hypothesis(
    "gamma is at most 1/4",
    lambda q: bool(q.gamma <= Fraction(1, 4)),
    why="the failure probability 4 gamma may not exceed 1",
)
GAMMA_BELOW_QUARTER = Hypothesis(
    "gamma is less than 1/4, as printed",
    lambda q: bool(q.gamma < Fraction(1, 4)),
    blocking=False,
    why="the proof also covers gamma = 1/4, where it promises nothing",
)
ADMISSIBLE = (DELTA_AT_MOST_HALF, GAMMA_AT_MOST_QUARTER)
ADMISSIBLE_AS_PRINTED = (*ADMISSIBLE, GAMMA_BELOW_QUARTER)

INDEPENDENT_RECORDS = Hypothesis("the records are drawn independently from one distribution nu")
EXACT_NOISE = Hypothesis("noise is sampled exactly, not from floating-point generators")
