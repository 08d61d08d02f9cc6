"""Exact sampler of the exponential mechanism: one of K, with probability proportional to exp(rate score).

One of K is drawn uniformly and taken with probability exp(-rate (best - score)), until one is. Scores are integers and
the rate is rational, so that every coin is exact: nothing is rounded. Proof: docs/proofs/synthbounds.marginal-log.md.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from fractions import Fraction

from release.noise.geometric import Below, happens_exp


def exponential(rate: Fraction, scores: Sequence[int]) -> int:
    """The place of the one that is drawn. There is no parameter for the randomness: it is the operating system's."""
    return draw_exponential(rate, scores, secrets.randbelow)


def draw_exponential(rate: Fraction, scores: Sequence[int], below: Below) -> int:
    """The same with a source of uniform whole numbers that is at hand, for tests of the law."""
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
