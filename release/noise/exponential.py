"""Exact sampler of the exponential mechanism: some of K, each with probability proportional to exp(rate score).

One of K is drawn uniformly and taken with probability exp(-rate (best - score)), until one is. Scores are integers and
the rate is rational, so that every coin is exact: nothing is rounded. Proof: docs/proofs/synthbounds.marginal-log.md.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from fractions import Fraction

from release.noise.geometric import Below, happens_exp


def exponential(rate: Fraction, scores: Sequence[int], *, count: int = 1) -> tuple[int, ...]:
    """Different places, each drawn among those that are left. The randomness is the operating system's, always."""
    left, found = list(range(len(scores))), []
    for _ in range(count):
        place = draw_exponential(rate, [scores[i] for i in left], secrets.randbelow)
        found.append(left.pop(place))
    return tuple(found)


def draw_exponential(rate: Fraction, scores: Sequence[int], below: Below) -> int:
    """The place of one, with a source of uniform whole numbers that is at hand."""
    best = max(scores)
    while True:
        found = attempt(rate, scores, best, below)
        if found is not None:
            return found


def attempt(rate: Fraction, scores: Sequence[int], best: int, below: Below) -> int | None:
    """One try: a place that is drawn uniformly, or None where it is not taken."""
    place = below(len(scores))
    exponent = rate * (best - scores[place])
    whole, rest = divmod(exponent.numerator, exponent.denominator)
    taken = all(happens_exp(1, 1, below) for _ in range(whole)) and happens_exp(rest, exponent.denominator, below)
    return place if taken else None
