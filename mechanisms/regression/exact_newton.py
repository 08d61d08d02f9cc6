"""One Newton step towards the minimum of a perturbed objective, for tables on which doubles do not suffice.

Indicators of a column add up to the intercept, so the Hessian of n records can have an eigenvalue of about n and one
equal to the strength. Here weights have a small relative error, their sums with features are exact, and the equations
are solved with as many bits as that needs: the step is as good as an exact one, whatever n is. Far from the minimum it
is shortened. Proof: docs/proofs/synthbounds.objective-perturbation.md, (e).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import log1p
from typing import TYPE_CHECKING

import numpy as np
from flint import arb, arb_mat

from bounds.enclosure import Enclosure, as_fmpq, precision
from release.one_thread import one_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.regression.logistic_rows import LogisticRows

PART = 2**8
"""Number of rows whose products are added in doubles at a time."""
_GAP_BITS = 24
"""Truncating weights changes the Hessian by at most 2 to the minus this times its least eigenvalue."""
_SOLVED_BITS = 64
FULL_STEP = 0.125
"""A step that changes no margin by more than this is not shortened."""


def newton_step(
    rows: LogisticRows,
    margins: Iterable[list[int]],
    gradient: Sequence[Fraction],
    *,
    strength: Fraction,
    bits: int,
) -> tuple[Fraction, ...]:
    """The step to subtract from theta. Margins are integers over 2^(bits + those of features)."""
    features = rows.feature_map
    condition = int(int(rows.counts.sum()) * features.squared_norm / strength).bit_length()
    cut = condition + _GAP_BITS
    total = np.zeros((features.size, features.size), dtype=object)
    with one_thread():
        for place, some in enumerate(margins):
            weights = _weights(some, bits + features.bits, rows.counts_of(place).tolist(), cut)
            total += exact_squares(weights, rows.blocks[place], features.bits)
    with precision(_SOLVED_BITS + 2 * condition):
        entries = [arb((int(x), -cut - 2 * features.bits)) for x in total.ravel()]
        for place in range(0, len(entries), features.size + 1):
            entries[place] += as_fmpq(strength)
        hessian = arb_mat(features.size, features.size, entries)
        right = arb_mat(features.size, 1, [arb(as_fmpq(g)) for g in gradient])
        solved = hessian.solve(right, algorithm="approx").entries()
    move = tuple(Enclosure.of(x).midpoint for x in solved)
    moved = np.array([float(x) for x in move])
    most = max((float(np.abs(z @ moved).max()) for z in rows.blocks), default=0.0)
    share = Fraction(1 if most <= FULL_STEP else log1p(most) / most)
    return tuple(share * x for x in move)


def _weights(margins: list[int], exponent: int, counts: list[int], cut: int) -> list[int]:
    """count e^m/(1 + e^m)^2 for every row over 2^cut, within a small relative error and within count units."""
    small = np.exp(-np.abs(np.array([m / (1 << exponent) for m in margins])))
    shares = np.ldexp(small / (1 + small) ** 2, cut).tolist()
    return [count * int(share) for count, share in zip(counts, shares, strict=True)]


def exact_squares(numbers: list[int], z: NDArray[np.float32], feature_bits: int) -> NDArray[np.object_]:
    """The sums of numbers times z z^T, over 2^(2 feature_bits); sums of parts stay below 2^53."""
    width = 52 - 2 * feature_bits - PART.bit_length()
    size, shift = z.shape[1], 0
    total, rest = np.zeros((size, size), dtype=object), np.array(numbers, dtype=object)
    features = z.astype(np.float64) * 2.0**feature_bits
    while any(rest):
        low = (rest & ((1 << width) - 1)).astype(np.float64)
        found = np.zeros((size, size), dtype=np.int64)
        for start in range(0, len(low), PART):
            some = features[start : start + PART]
            found += ((some * low[start : start + PART, None]).T @ some).astype(np.int64)
        total += found.astype(object) << shift
        rest, shift = rest >> width, shift + width
    return total
