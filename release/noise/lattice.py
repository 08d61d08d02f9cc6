"""Answers as integers, and how far one record moves them, under either adjacency.

Replace-one, n public: the sums of the queries' integers over the records. Add-remove: the answers diluted towards a
public point with a public least size n0, rounded to a lattice; the size of the table is not released, and the
sensitivity covers the rounding. Proof: docs/proofs/synthbounds.lattice-noise.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import Protocol

from bounds.errors import DataError, UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.sensitivity import Sensitivity
from release.noise.kinds import NORM_OF, LatticeKind, NoisePlan

_MOST_REFINED = 2**20
"""Up to this least size rounding costs no noise at all; beyond, at most about one part in this many."""


class Moved(Protocol):
    """What noise needs to know about queries: how many vary, how far one record moves them, the range of one."""

    @property
    def varying(self) -> int: ...

    @property
    def l1_sensitivity(self) -> int | Fraction: ...

    @property
    def l2_sensitivity_squared(self) -> int | Fraction: ...

    @property
    def range_width(self) -> int | Fraction: ...


def lattice_sensitivity(
    mechanism: LatticeKind, facts: Moved, *, denominator: int, size: int, adjacency: Adjacency
) -> tuple[Sensitivity, int]:
    """The sensitivity that the mechanism needs, in lattice steps, and the refinement of the lattice.

    Under add-remove a step from n to n + 1 records either needs no rounding (n below `size`) or moves the answers by
    less than the whole sensitivity, by the factor size / (size + 1); a fine lattice hides its rounding in the rest.
    """
    hidden = adjacency is Adjacency.ADD_REMOVE
    fine = finest(size)
    refinement = 1
    if mechanism == "linf":
        # Rounding is monotone and commutes with whole steps: it does not enlarge a whole number of steps.
        refinement = fine if hidden else 1
        amount = _whole(Fraction(facts.range_width) * denominator) * refinement
    elif mechanism == "laplace":
        plain = Fraction(facts.l1_sensitivity) * denominator
        while hidden and plain * refinement < fine * facts.varying:
            refinement *= 2
        amount = _whole(plain * refinement)
        if hidden:
            amount = max(amount, _whole(plain * refinement * size / (size + 1)) + facts.varying)
    else:
        squared = Fraction(facts.l2_sensitivity_squared) * denominator**2
        while hidden and squared * refinement**2 < 4 * fine**2 * facts.varying:
            refinement *= 2
        amount = _whole(squared * refinement**2)
        if hidden:
            # (a + b)^2 = a^2 + b^2 + 2 ab with a^2 = moved and b^2 = F', rounded up
            moved = hidden_in(squared * refinement**2, size)
            amount = max(amount, _whole(moved) + facts.varying + 2 * isqrt(_whole(moved * facts.varying)) + 3)
    moved_by_one_record = Sensitivity(
        norm=NORM_OF[mechanism], amount=Fraction(amount), adjacency=adjacency, n_is_public=not hidden
    )
    return moved_by_one_record, refinement


def finest(size: int) -> int:
    """How fine a lattice must be for this least size, so that its rounding costs no noise, or next to none."""
    return min(size + 1, _MOST_REFINED)


def hidden_in(squared: Fraction, size: int) -> Fraction:
    """How far one record moves diluted answers, squared, if rounding matters: `squared` without it."""
    return squared * Fraction(size, size + 1) ** 2


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
        return [plan.refinement * value for value in values]
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
