"""Exact sampler of the exponential mechanism: some of K, each with probability proportional to exp(rate score).

Each place gets a uniform number u and the key rate score - log(-log u); the largest keys win, in their order. Scores
are integers and the rate is rational; balls enclose the keys, and more bits are drawn until it is known which are
largest. How many bits are drawn first depends only on K: not on the scores, nor on the winners. Proof:
docs/proofs/synthbounds.marginal-log.md.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from flint import fmpq

from bounds.enclosure import as_fmpq, precision
from bounds.exact import require_range
from release.noise.uniform import SPARE_BITS, BitSource, LazyUniform, common_floor

_MORE_PRECISION = 128
"""Enough for scores that differ by up to 2^128 over the rate, without a further round: it does not depend on them."""


def exponential(rate: Fraction, scores: Sequence[int], *, count: int = 1) -> tuple[int, ...]:
    """Different places, each drawn among those left. The randomness is the operating system's, always."""
    require_range("rate", rate, rate, least=0, reason="of a choice")
    require_range("count", count, count, least=1, most=len(scores), reason="places to choose")
    return draw_exponential(rate, scores, secrets.randbits, count=count)


def draw_exponential(rate: Fraction, scores: Sequence[int], draw: BitSource, *, count: int = 1) -> tuple[int, ...]:
    """The places, with a given source of fair bits."""
    best = max(scores)
    shifts = [as_fmpq(rate * (score - best)) for score in scores]
    uniforms = [LazyUniform(draw) for _ in scores]
    wanted, longer = SPARE_BITS + len(scores).bit_length(), 1
    while True:
        for uniform in uniforms:
            uniform.extend(longer * (wanted + SPARE_BITS))
        # bits and precision outgrow the digits: near its ends a number would not tell its key otherwise, however long
        with precision(longer * (wanted + SPARE_BITS + _MORE_PRECISION)):
            found = _winners(
                [_key(u, shift, longer * wanted) for u, shift in zip(uniforms, shifts, strict=True)], count
            )
        if found is not None:
            return found
        longer *= 2


def _key(uniform: LazyUniform, shift: fmpq, digits: int) -> int | None:
    """The whole part of 2^digits times the key for every u of the interval, or None if they do not share it."""
    return common_floor((shift - uniform.minus_log().log()) * 2**digits, width=0)


def _winners(keys: Sequence[int | None], count: int) -> tuple[int, ...] | None:
    """The places of the largest keys, in their order; None if whole parts do not decide."""
    known = [key for key in keys if key is not None]
    if len(known) < len(keys):
        return None
    order = sorted(range(len(keys)), key=lambda place: known[place], reverse=True)
    decided = all(known[one] > known[other] for one, other in pairwise(order[: count + 1]))
    return tuple(order[:count]) if decided else None
