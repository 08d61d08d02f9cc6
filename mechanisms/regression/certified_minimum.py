"""The point where a perturbed objective is least, rounded to a public step for certain, or not at all.

The gradient is enclosed at a rational point: margins are exact integers, slopes come from balls, and their sums with
features are made of parts so small that products in doubles are exact. The objective is strongly convex, so its least
point is within the gradient over the strength, and within that distance everything must round alike.
Proof: docs/proofs/synthbounds.objective-perturbation.md, (d).
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
from mechanisms.regression.logistic_rows import BLOCK, LogisticRows, Objective, search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PRECISIONS = (80, 128, 192, 256)
"""Bits after the point of theta and of slopes: first, and each time that roundings are still open."""
_SPARE_BITS = 16


@dataclass(frozen=True, kw_only=True)
class Perturbed:
    """The exact question: where is the sum of losses + strength/2 |theta|^2 + b.theta least?

    b is known as `noise` over 2^noise_bits, each coordinate to half of 2^-noise_bits.
    """

    rows: LogisticRows
    strength: Fraction
    noise: tuple[int, ...]
    noise_bits: int


@dataclass(frozen=True, kw_only=True)
class Minimum:
    """Where it is least, in whole steps. All but `rounded` depends on the noise in more ways than that: keep it."""

    rounded: tuple[int, ...]
    gradient_ub: Fraction
    """Of the norm of the gradient at `near`, for every b that the noise stands for."""
    distance_ub: Fraction
    """From `near` to where the objective is least."""
    near: tuple[Fraction, ...]
    steps: int
    refinements: int


@dataclass(frozen=True)
class _Gradient:
    """At theta, integers over 2^bits: within `error` of `middle` in norm."""

    theta: tuple[int, ...]
    bits: int
    middle: tuple[Fraction, ...]
    error: Fraction

    @property
    def size_ub(self) -> Fraction:
        square = sum((g * g for g in self.middle), Fraction(0))
        return (root_at_least(square) if square else Fraction(0)) + self.error


def find_minimum(question: Perturbed, *, step: Fraction) -> Minimum:
    """The least point rounded to multiples of `step`; where no precision decides all roundings it is refused."""
    linear = np.array([float(Fraction(b, 2**question.noise_bits)) for b in question.noise])
    objective = Objective(rows=question.rows, strength=float(question.strength), linear=linear)
    found = search(objective, near=float(step) / 2**16)
    theta = tuple(round(Fraction(t) * 2 ** PRECISIONS[0]) for t in found.theta.tolist())
    for refinements, bits in enumerate(PRECISIONS):
        gradient = enclose_gradient(question, theta, bits)
        distance = gradient.size_ub / question.strength
        near = tuple(Fraction(t, 2**bits) for t in theta)
        rounded = round_alike(near, distance, step)
        if rounded is not None:
            return Minimum(
                rounded=rounded, gradient_ub=gradient.size_ub, distance_ub=distance, near=near, steps=found.steps,
                refinements=refinements,
            )  # fmt: skip
        if bits != PRECISIONS[-1]:
            theta = _nearer(gradient, found.hessian, PRECISIONS[refinements + 1])
    raise NotCertified(
        f"coefficients: at {PRECISIONS[-1]} bits it is open how the least point of the objective rounds; nothing is "
        "released"
    )


def round_alike(near: Sequence[Fraction], distance: Fraction, step: Fraction) -> tuple[int, ...] | None:
    """The nearest multiples of the step to all points within that distance, or None where they differ."""
    half = Fraction(1, 2)
    low = tuple(((x - distance) / step + half).__floor__() for x in near)
    high = tuple(((x + distance) / step + half).__floor__() for x in near)
    return low if low == high else None


def _nearer(gradient: _Gradient, hessian: Floats, bits: int) -> tuple[int, ...]:
    """One Newton step from theta: the gradient is exact, so the rest is far smaller than what floats resolve."""
    move = np.linalg.solve(hessian, np.array([float(g) for g in gradient.middle]))
    finer = 2 ** (bits - gradient.bits)
    return tuple(t * finer - round(Fraction(m) * 2**bits) for t, m in zip(gradient.theta, move.tolist(), strict=True))


def enclose_gradient(question: Perturbed, theta: Sequence[int], bits: int) -> _Gradient:
    """The gradient at theta, integers over 2^bits, with the error of slopes and of the noise's last bit."""
    rows, features = question.rows, question.rows.feature_map
    sums, off = np.zeros(features.size, dtype=object), arb(0)
    with precision(bits + _SPARE_BITS):
        for place, margins in enumerate(_margins(rows, theta)):
            counts = rows.counts_of(place)
            slopes, more = _slopes(margins, counts.tolist(), bits, features.bits)
            sums += _exact_products(slopes, rows.blocks[place], features.bits)
            off += more
        error = Enclosure.of(off).hi * root_at_least(Fraction(features.squared_norm))
    last_bit = root_at_least(Fraction(features.size)) / 2 ** (question.noise_bits + 1)
    unit, noise_unit = Fraction(1, 2**bits), Fraction(1, 2**question.noise_bits)
    middle = tuple(
        question.strength * t * unit + b * noise_unit - int(s) * unit / 2 ** (features.bits + 1)
        for t, b, s in zip(theta, question.noise, sums, strict=True)
    )
    return _Gradient(tuple(theta), bits, middle, error + last_bit)


def _margins(rows: LogisticRows, theta: Sequence[int]) -> Iterator[list[int]]:
    """theta.z of all rows, block by block: exact integers over 2^(bits of theta + bits of features)."""
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
    """count/(1 + e^m) of every row, integers over 2^(bits + 1), and by how much all of them are off together.

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
    """The sums of numbers times z, over 2^feature_bits; sums of parts stay below 2^53, where doubles are exact."""
    width = 52 - feature_bits - BLOCK.bit_length()
    rest, features = np.array(numbers, dtype=object), z.astype(np.float64) * 2.0**feature_bits
    total, shift = np.zeros(features.shape[1], dtype=object), 0
    while any(rest):
        low = (rest & ((1 << width) - 1)).astype(np.float64)
        total += np.array([int(x) << shift for x in (low @ features).tolist()], dtype=object)
        rest, shift = rest >> width, shift + width
    return total
