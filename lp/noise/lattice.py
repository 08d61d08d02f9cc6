"""Answers as integers, and how far one record moves them, under either adjacency.

Replace-one, n public: the sums of the queries' integers over the records. Add-remove: the answers diluted towards a
public point with a public least size n0, rounded to a lattice; the size of the table is not released, and the rounding
is paid for in the sensitivity. Proof: docs/proofs/synthbounds.lattice-noise.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from bounds.errors import DataError, UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.queries import QueryFamily
from lp.noise.plan import LatticeSensitivity, Mechanism, NoisePlan

_REFINED = 2**12
"""Rounding enlarges the L1 and L2 sensitivities by at most about one part in this many, the sup one not at all."""


def lattice_sensitivity(
    mechanism: Mechanism, facts: QueryFamily, *, denominator: int, adjacency: Adjacency
) -> tuple[LatticeSensitivity, int]:
    """The sensitivity that the mechanism needs, in lattice steps, and the refinement of the lattice."""
    if mechanism == "linf":
        # Rounding is monotone and commutes with whole steps: it does not enlarge a whole number of steps.
        refinement = 1 if adjacency is Adjacency.REPLACE_ONE else _REFINED
        amount = _whole(Fraction(facts.range_width) * denominator) * refinement
        return LatticeSensitivity(norm="sup", amount=amount, adjacency=adjacency), refinement
    if mechanism == "laplace":
        return _l1(facts, denominator, adjacency)
    return _l2(facts, denominator, adjacency)


def _l1(facts: QueryFamily, denominator: int, adjacency: Adjacency) -> tuple[LatticeSensitivity, int]:
    amount = Fraction(facts.l1_sensitivity) * denominator
    if adjacency is Adjacency.REPLACE_ONE:
        return LatticeSensitivity(norm="L1", amount=_whole(amount), adjacency=adjacency), 1
    refinement = 1
    while amount * refinement < _REFINED * facts.varying:
        refinement *= 2
    rounded = _whole(amount * refinement) + facts.varying
    return LatticeSensitivity(norm="L1", amount=rounded, adjacency=adjacency), refinement


def _l2(facts: QueryFamily, denominator: int, adjacency: Adjacency) -> tuple[LatticeSensitivity, int]:
    squared = Fraction(facts.l2_sensitivity_squared) * denominator**2
    if adjacency is Adjacency.REPLACE_ONE:
        return LatticeSensitivity(norm="L2", amount=_whole(squared), adjacency=adjacency), 1
    refinement = 1
    while squared * refinement**2 < _REFINED**2 * facts.varying:
        refinement *= 2
    fine = squared * refinement**2
    # (a + b)^2 = a^2 + b^2 + 2 ab with a^2 = fine and b^2 = F'
    rounded = _whole(fine) + facts.varying + 2 * (isqrt(_whole(fine * facts.varying)) + 1)
    return LatticeSensitivity(norm="L2", amount=rounded, adjacency=adjacency), refinement


def _whole(amount: Fraction) -> int:
    """Distances of integer vectors, and squares of them, are whole numbers."""
    return amount.numerator // amount.denominator


def lattice_sums(plan: NoisePlan, sums: Sequence[int], *, n: int, anchor: Sequence[int] | None = None) -> list[int]:
    """The integer vector that gets the noise, from the exact sums over a table of n records.

    `anchor` are the queries' integers at a public point of the domain, needed under add-remove only. The result is
    private there only after noise; n is not part of it.
    """
    if len(sums) != plan.count:
        raise DataError(f"sums: {len(sums)} numbers for {plan.count} queries")
    values = [int(value) for value in sums]
    if plan.adjacency is Adjacency.REPLACE_ONE:
        if n != plan.size:
            raise DataError(f"n = {n}: the noise was planned for the public size {plan.size}")
        return values
    if anchor is None or len(anchor) != plan.count:
        raise UsageError("anchor: add-remove needs the values of all queries at one public point of the domain")
    over = max(n, plan.size)
    fine = plan.size * plan.refinement
    return [
        _nearest(fine * (over * centre + value - n * centre), over)
        for value, centre in zip(values, map(int, anchor), strict=True)
    ]


def _nearest(numerator: int, denominator: int) -> int:
    """The nearest whole number, halves upwards: a monotone rounding that commutes with whole shifts."""
    return (2 * numerator + denominator) // (2 * denominator)
