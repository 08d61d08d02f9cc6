"""The minimiser of a perturbed objective, rounded to a public step with certainty.

The gradient is enclosed at a rational point: margins are exact integers, slopes come from balls, and their sums with
features are split into parts so small that products in doubles are exact. The objective is strongly convex, so its
minimiser is within the norm of the gradient over the strength, and all points within that distance must round alike.
Until they do, exact Newton steps (mechanisms.regression.exact_newton) and further bits of the same noise bring the
point nearer. Proof: docs/proofs/synthbounds.objective-perturbation.md, (d).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from flint import arb

from bounds.enclosure import Enclosure, precision
from bounds.errors import NotCertified
from bounds.exact import root_at_least
from mechanisms.regression.exact_newton import newton_step
from mechanisms.regression.logistic_rows import BLOCK, LogisticRows, Objective, search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.noise.draw import Finer

FIRST_BITS = 80
"""Fractional bits of theta, of slopes and of the noise; doubled when they limit the next step."""
_SPARE_BITS = 16
_A_STEP_GAINS = 20
"""Bits gained by a step near the minimum."""
_MOST_STEPS = 1000
"""A guard against mistakes: with as many steps of search, and one more for every 8 bits, it ends before."""


@dataclass(frozen=True, kw_only=True)
class Perturbed:
    """The exact problem: minimise the sum of losses + strength/2 |theta|^2 + b.theta."""

    rows: LogisticRows
    strength: Fraction
    noise: Finer
    """b: always the same numbers, to as many bits as requested."""


@dataclass(frozen=True, kw_only=True)
class Minimum:
    """The minimiser in whole steps. Everything but `rounded` reveals more about the noise: keep it secret."""

    rounded: tuple[int, ...]
    gradient_ub: Fraction
    """Bound on the norm of the gradient at `near`, for every b that the known bits of the noise allow."""
    distance_ub: Fraction
    """Bound on the distance from `near` to the minimiser."""
    near: tuple[Fraction, ...]
    steps: int
    refinements: int


@dataclass(frozen=True)
class _Gradient:
    """The gradient at theta, integers over 2^bits, within `error` of `middle` in norm."""

    theta: tuple[int, ...]
    bits: int
    middle: tuple[Fraction, ...]
    error: Fraction

    @property
    def size_ub(self) -> Fraction:
        square = sum((g * g for g in self.middle), Fraction(0))
        return (root_at_least(square) if square else Fraction(0)) + self.error


def find_minimum(question: Perturbed, *, step: Fraction, last_bits: int) -> Minimum:
    """The minimiser rounded to multiples of `step`.

    It is refused if it cannot be shown to be more than 2^-last_bits away from the middle between two multiples.
    """
    linear = np.array([float(Fraction(b, 2**FIRST_BITS)) for b in question.noise(FIRST_BITS)])
    objective = Objective(rows=question.rows, strength=float(question.strength), linear=linear)
    found, bits = search(objective, near=float(step) / 2**16), FIRST_BITS
    theta = tuple(round(Fraction(t) * 2**bits) for t in found.theta.tolist())
    for refinements in range(_MOST_STEPS + last_bits // 8):
        gradient = enclose_gradient(question, theta, bits)
        distance = gradient.size_ub / question.strength
        near = tuple(Fraction(t, 2**bits) for t in theta)
        rounded = round_alike(near, distance, step)
        if rounded is not None:
            return Minimum(
                rounded=rounded, gradient_ub=gradient.size_ub, distance_ub=distance, near=near, steps=found.steps,
                refinements=refinements,
            )  # fmt: skip
        if 2 * distance * 2 ** min(bits, last_bits) <= 1 and bits >= last_bits:
            break
        if gradient.error * 2**_A_STEP_GAINS >= gradient.size_ub:
            bits *= 2
        margins = margins_of(question.rows, theta)
        move = newton_step(question.rows, margins, gradient.middle, strength=question.strength, bits=gradient.bits)
        theta = tuple(round((t - m) * 2**bits) for t, m in zip(near, move, strict=True))
    raise NotCertified(
        f"coefficients: even to 2^-{last_bits} it is open how the minimum of the objective rounds; nothing is released"
    )


def round_alike(near: Sequence[Fraction], distance: Fraction, step: Fraction) -> tuple[int, ...] | None:
    """The nearest multiples of the step to all points within that distance, or None if they differ."""
    half = Fraction(1, 2)
    low = tuple(((x - distance) / step + half).__floor__() for x in near)
    high = tuple(((x + distance) / step + half).__floor__() for x in near)
    return low if low == high else None


def enclose_gradient(question: Perturbed, theta: Sequence[int], bits: int) -> _Gradient:
    """The gradient at theta, integers over 2^bits, with the error of slopes and of the noise's last bit."""
    rows, features = question.rows, question.rows.feature_map
    sums, off = np.zeros(features.size, dtype=object), arb(0)
    with precision(bits + _SPARE_BITS):
        for place, margins in enumerate(margins_of(rows, theta)):
            counts = rows.counts_of(place)
            slopes, more = _slopes(margins, counts.tolist(), bits, features.bits)
            sums += _exact_products(slopes, rows.blocks[place], features.bits)
            off += more
        error = Enclosure.of(off).hi * root_at_least(Fraction(features.squared_norm))
    last_bit = root_at_least(Fraction(features.size)) / 2 ** (bits + 1)
    middle = tuple(
        (question.strength * t + b - Fraction(int(s), 2 ** (features.bits + 1))) / 2**bits
        for t, b, s in zip(theta, question.noise(bits), sums, strict=True)
    )
    return _Gradient(tuple(theta), bits, middle, error + last_bit)


def margins_of(rows: LogisticRows, theta: Sequence[int]) -> Iterator[list[int]]:
    """theta.z for all rows, block by block: exact integers over 2^(bits of theta + bits of features)."""
    features, start, tables = rows.feature_map, 0, []
    for block in features.blocks:
        part = theta[start : start + len(block[0])]
        scores = [sum(t * f for t, f in zip(part, row, strict=True) if f) for row in block]
        tables.append(np.array(scores, dtype=object))
        start += len(part)
    for first in range(0, len(rows.codes), BLOCK):
        codes = rows.codes[first : first + BLOCK]
        margins = np.full(len(codes), theta[-1] * features.one, dtype=object)
        for place, table in zip(features.places, tables, strict=True):
            margins += table[codes[:, place]]
        yield (margins * features.labels(codes)).tolist()


def _slopes(margins: list[int], counts: list[int], bits: int, feature_bits: int) -> tuple[list[int], arb]:
    """count/(1 + e^m) for every row, integers over 2^(bits + 1), and a bound on their total error.

    The slope is (1 - tanh(m/2))/2; its last bit is cut off.
    """
    found, off = [], arb(0)
    for margin, count in zip(margins, counts, strict=True):
        value = arb((margin, -bits - feature_bits - 1)).tanh()
        mantissa, exponent = value.mid().man_exp()
        shift = int(exponent) + bits
        whole = int(mantissa) << shift if shift >= 0 else int(mantissa) >> -shift
        found.append(count * ((1 << bits) - whole))
        off += count * value.rad()
    return found, (off + arb((sum(counts), -bits))) / 2


def _exact_products(numbers: list[int], z: NDArray[np.float32], feature_bits: int) -> NDArray[np.object_]:
    """Sums of numbers times z, over 2^feature_bits; sums of parts stay below 2^53, where doubles are exact."""
    width = 52 - feature_bits - BLOCK.bit_length()
    rest, features = np.array(numbers, dtype=object), z.astype(np.float64) * 2.0**feature_bits
    total, shift = np.zeros(features.shape[1], dtype=object), 0
    while any(rest):
        low = (rest & ((1 << width) - 1)).astype(np.float64)
        total += np.array([int(x) << shift for x in (low @ features).tolist()], dtype=object)
        rest, shift = rest >> width, shift + width
    return total
