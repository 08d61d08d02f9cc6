"""Two-sided, exact bounds on the optimum of the density programme, from a candidate that need not be trusted.

The programme: minimise max_f |h(f) - target(f)| over densities h on the reference points. Whatever a solver returns is
quantised: weights to integers that add up to a power of two, dual weights to integers. Any density gives an upper bound
and any dual weights give a lower bound (docs/proofs/synthbounds.density-certificate.md), and both are evaluated in
integers. How the candidate was found does not matter here; a bad one gives a wide certificate, never a wrong one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from operator import mul
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bounds.enclosure import Enclosure, decimal_text
from bounds.errors import NotApplicable, NotCertified
from lp.programme.exact_products import FLOAT_BITS, ExactColumns, combination, least_price
from release.statistics.families import Feature, ProductFamily

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEAST_BITS = 44
"""Never coarser than this; the matrix is passed several times rather than that."""
_FINE_BITS = 50
_PARAMETER: dict[str, Callable[[Feature], int]] = {
    "monomials": lambda feature: feature.degree,
    "moments": lambda feature: feature.degree,
    "parities": lambda feature: feature.degree,
    "cells": lambda feature: feature.table.index(1),
    "thresholds": lambda feature: feature.table.index(1),
}
"""The parameter of a feature of each family besides its attribute: a power or a level."""


class Proposal(Protocol):
    """The answer of a solver: a density on some columns, and dual weights of all queries."""

    @property
    def numbers(self) -> NDArray[np.int64]: ...
    @property
    def weights(self) -> NDArray[np.float64]: ...
    @property
    def dual(self) -> NDArray[np.float64]: ...


class DensityProof(Protocol):
    """What a certificate and an exact vertex have in common."""

    @property
    def lower(self) -> Fraction: ...
    @property
    def upper(self) -> Fraction: ...
    @property
    def numbers(self) -> NDArray[np.int64]: ...
    @property
    def weights(self) -> NDArray[np.int64] | Sequence[int]: ...
    @property
    def dual(self) -> NDArray[np.int64] | Sequence[int]: ...


@dataclass(frozen=True)
class ExactTarget:
    """The answers to approximate, over one denominator."""

    numerators: tuple[int, ...]
    denominator: int

    @classmethod
    def of(cls, target: Sequence[Fraction]) -> ExactTarget:
        common = lcm(*{value.denominator for value in target})
        return cls(tuple(value.numerator * (common // value.denominator) for value in target), common)


@dataclass(frozen=True, eq=False)
class DensityCertificate:
    """lower <= optimum <= upper; the density weights / weight_total attains upper, the dual weights prove lower."""

    lower: Fraction
    upper: Fraction
    numbers: NDArray[np.int64]
    """Columns of the support, in increasing order."""
    weights: NDArray[np.int64]
    """Positive integers that add up to weight_total."""
    weight_total: int
    dual: NDArray[np.int64]

    @property
    def gap(self) -> Fraction:
        return self.upper - self.lower

    @property
    def optimum(self) -> Enclosure:
        return Enclosure(self.lower, self.upper)

    @property
    def support(self) -> int:
        return int(self.numbers.size)


def certify(matrix: ExactColumns, target: Sequence[Fraction] | ExactTarget, candidate: Proposal) -> DensityCertificate:
    """The exact bounds that a candidate proves."""
    exact = target if isinstance(target, ExactTarget) else ExactTarget.of(target)
    numbers, floats = clean(candidate.numbers, candidate.weights)
    bits = FLOAT_BITS - matrix.largest.bit_length()
    bits = bits if bits >= _LEAST_BITS else _FINE_BITS
    weights = quantise_weights(floats, bits)
    kept = weights > 0
    if not kept.all():
        numbers, weights = numbers[kept], weights[kept]
    total = 1 << bits
    assert int(weights.sum()) == total
    dual = quantise_dual(candidate.dual, bits)
    return DensityCertificate(
        lower=dual_value(matrix, exact, dual),
        upper=primal_value(matrix, exact, numbers, weights, total),
        numbers=numbers,
        weights=weights,
        weight_total=total,
        dual=dual,
    )


def primal_value(
    matrix: ExactColumns,
    target: ExactTarget,
    numbers: NDArray[np.int64],
    weights: NDArray[np.int64] | Sequence[int],
    weight_total: int,
) -> Fraction:
    """max_f |h(f) - target(f)| for the density weights / weight_total, exactly."""
    scale = matrix.family.denominator * weight_total
    worst = max(
        abs(answer * target.denominator - wanted * scale)
        for answer, wanted in zip(combination(matrix, numbers, weights), target.numerators, strict=True)
    )
    return Fraction(worst, scale * target.denominator)


def dual_value(matrix: ExactColumns, target: ExactTarget, dual: NDArray[np.int64] | Sequence[int]) -> Fraction:
    """The lower bound that dual weights prove, scaled to total weight 1; at least 0."""
    integers: list[int] = dual.tolist() if isinstance(dual, np.ndarray) else list(dual)
    total = sum(map(abs, integers))
    if total == 0:
        return Fraction(0)
    price, _ = least_price(matrix, dual)
    wanted = sum(map(mul, target.numerators, integers))
    scale = matrix.family.denominator
    excess = price * target.denominator - wanted * scale
    return Fraction(max(excess, 0), scale * target.denominator * total)


def clean(numbers: NDArray[np.int64], weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """A proper density from a solver's: columns in order, each once; nothing negative, infinite or undefined."""
    numbers, weights = np.asarray(numbers, dtype=np.int64), np.asarray(weights, dtype=np.float64)
    good = (weights > 0) & (weights < np.inf)
    if not good.all():
        numbers, weights = numbers[good], weights[good]
    if not numbers.size:
        raise NotCertified("no density: the solver returned no positive weight")
    if numbers.size > 1 and not np.all(numbers[1:] > numbers[:-1]):
        numbers, where = np.unique(numbers, return_inverse=True)
        weights = np.bincount(where.ravel(), weights=weights, minlength=numbers.size).astype(np.float64)
    return numbers, weights / weights.sum()


def quantise_weights(weights: NDArray[np.float64], bits: int) -> NDArray[np.int64]:
    """Integers in proportion to the weights that add up to 2^bits; the largest remainders are rounded up."""
    scaled = weights * float(1 << bits)
    found = scaled.astype(np.int64)
    missing = (1 << bits) - int(found.sum())
    if not 0 <= missing <= found.size:  # floats that did not add up to 1
        found[int(np.argmax(found))] += missing
    elif missing:
        scaled -= found  # the remainders
        bar = np.partition(scaled, found.size - missing)[found.size - missing]
        up = scaled > bar
        level = np.flatnonzero(scaled == bar)[: missing - int(np.count_nonzero(up))]  # ties: the first ones
        up[level] = True
        found += up
    return found


def quantise_dual(dual: NDArray[np.float64], bits: int) -> NDArray[np.int64]:
    """Integers in proportion to the dual weights whose absolute values add up to at most 2^bits."""
    finite = np.where(np.isfinite(dual), dual, 0.0)
    total = float(np.abs(finite).sum())
    if not 0 < total < np.inf:
        return np.zeros(finite.size, dtype=np.int64)
    # rounding adds at most 1/2 an entry
    return np.rint(finite / total * ((1 << bits) - finite.size)).astype(np.int64)


def to_json(matrix: ExactColumns, target: Sequence[Fraction], proof: DensityProof, *, note: str = "") -> str:
    """The whole programme with its proof as JSON, for verify.checkers.density, which shares no code with it."""
    family = matrix.family
    if not isinstance(family, ProductFamily) or family.name not in _PARAMETER:
        raise NotApplicable(f"family = {family.name}: a certificate can be written for {', '.join(_PARAMETER)}")
    parameter = _PARAMETER[family.name]
    queries = [[[family.features[a].attribute, parameter(family.features[a])] for a in row] for row in family.rows]
    full = matrix.columns == family.domain.size
    every = np.arange(0 if full else matrix.columns, dtype=np.int64)
    document = {
        "certificate": "density",
        "version": 1,
        "sizes": list(family.domain.sizes),
        "family": family.name,
        "degree": max(sum(family.features[a].degree for a in row) for row in family.rows),
        "points": "full" if full else matrix.points_at(every).tolist(),
        "queries": queries,
        "targets": [str(value) for value in target],
        "support": matrix.points_at(proof.numbers).tolist(),
        "weights": [str(weight) for weight in proof.weights],
        "dual": [str(weight) for weight in proof.dual],
        "lower": str(proof.lower),
        "upper": str(proof.upper),
    }
    return json.dumps({**document, "note": note} if note else document)


def require_gap(certificate: DensityCertificate, gap: Fraction | float) -> None:
    """Refuse a candidate that was called optimal and is not, whatever the solver's status says."""
    if not certificate.gap <= gap:
        found = decimal_text(certificate.gap, 3, up=True)
        raise NotCertified(
            f"gap = {found}: must be at most {float(gap):.3g} (the solver's answer is not optimal to that accuracy; "
            f"the optimum lies between {decimal_text(certificate.lower, 12, up=False)} "
            f"and {decimal_text(certificate.upper, 12, up=True)})"
        )
