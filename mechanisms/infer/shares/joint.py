"""Several means from the same noisy tables, with the joint distribution of their errors: Gaussian plus a bounded part.

A part of a table consists of cells that always share a coefficient; the sum of their noise is nearly Gaussian. So every
linear combination of the means is off by Gaussian noise and by at most the sum of the parts' remainders, with one
failure probability for all combinations together. Proof: docs/proofs/synthbounds.noisy-proportion.md (h).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechanisms.infer.shares.functional import Codes, Functional
from mechanisms.infer.shares.noisy_sum import NORMAL, combination_for, nearness
from mechanisms.infer.shares.shown import ShownTables


@dataclass(frozen=True, kw_only=True)
class NoisePart:
    """The noise of the sum of some cells: Gaussian of this variance, up to an error of at most `reach`."""

    variance: Fraction
    reach: Fraction
    coefficients: tuple[Fraction, ...]
    """The coefficient in each of the means."""

    def in_combination(self, weights: Sequence[Fraction]) -> Fraction:
        return sum((w * c for w, c in zip(weights, self.coefficients, strict=True)), Fraction(0))


@dataclass(frozen=True, kw_only=True)
class JointSums:
    """Means with the noise of their parts, which is as stated except with probability `lost`."""

    estimates: tuple[Fraction, ...]
    parts: tuple[NoisePart, ...]
    lost: Fraction
    tables: int

    def covariance(self, first: Sequence[Fraction], second: Sequence[Fraction]) -> Fraction:
        """Covariance of the Gaussian noise of two combinations of the means."""
        terms = (part.variance * part.in_combination(first) * part.in_combination(second) for part in self.parts)
        return sum(terms, Fraction(0))

    def slack(self, weights: Sequence[Fraction]) -> Fraction:
        """How far the noise of a combination is from Gaussian: convex in its weights."""
        return sum((part.reach * abs(part.in_combination(weights)) for part in self.parts), Fraction(0))


def joint_sums(functionals: Sequence[Functional], shown: ShownTables) -> JointSums:
    """The best combinations for functionals of the same classes of codes, from the tables with Gaussian noise."""
    found = [combination_for(functional, shown, NORMAL) for functional in functionals]
    coefficients: dict[tuple[int, tuple[Codes, ...]], list[Fraction]] = {}
    cells: dict[tuple[int, tuple[Codes, ...]], int] = {}
    for i, combination in enumerate(found):
        for part in combination.parts:
            key = part.table, part.codes
            coefficients.setdefault(key, [Fraction(0)] * len(found))[i] = part.coefficient
            cells[key] = part.cells
    parts, lost = [], Fraction(0)
    for key, own in coefficients.items():
        table, count = shown.tables[key[0]], cells[key]
        distance, failure = nearness(table, count) if table.known == "discrete" else (Fraction(0),) * 2
        reach = count * table.rounding + distance
        parts.append(NoisePart(variance=count * table.variance, reach=reach, coefficients=tuple(own)))
        lost += failure
    sizes = shown.schema.domain.sizes
    return JointSums(
        estimates=tuple(combination.estimate(shown.tables, sizes) for combination in found),
        parts=tuple(parts),
        lost=lost,
        tables=len({table for table, _ in coefficients}),
    )
