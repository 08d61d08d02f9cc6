"""Independent columns from noisy one-way answers: consistent tables, perhaps moved to the middle, and their product.

Every step is a map of the noisy answers alone. Clipping, the nearest point of a simplex and running maxima do not
expand the largest error, or by a known factor; moving a column to the middle of the values that one-way tables leave
open keeps every product within a constant of the truth (docs/proofs/synthbounds.product.md). A column is made of whole
weights that add up to TOTAL: that rounding is far below the gap that every promise allows for.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import comb, prod
from typing import TYPE_CHECKING

from flint import fmpz

from bounds.product_facts import centred_product
from lp.programme.rounding import round_rows

if TYPE_CHECKING:
    from release.statistics.families import ProductFamily

BITS = 48
TOTAL = 2**BITS

Shares = tuple[Fraction, ...]


def columns_of(family: ProductFamily, answers: Sequence[Fraction], *, centred_to: int | None) -> list[list[int]]:
    """Whole weights of the levels of every attribute from noisy answers to the one-way `family`.

    `centred_to` is the degree of the queries that all columns together should answer, or None to leave them.
    """
    columns: list[list[int]] = []
    start = 0
    for size in family.domain.sizes:
        count = {"cells": size, "thresholds": size - 1}.get(family.name, 1)
        noisy = list(answers[start : start + count])
        columns.append(round_rows(_shares(family.name, noisy, size, centred_to), TOTAL))
        start += count
    return columns


def product_answers(family: ProductFamily, columns: Sequence[Sequence[int]]) -> tuple[Fraction, ...]:
    """The exact answer of every query for independent columns."""
    means = [
        Fraction(sum(value * weight for value, weight in zip(f.table, columns[f.attribute], strict=True)), TOTAL)
        / f.denominator
        for f in family.features
    ]
    return tuple(prod((means[a] for a in row), start=Fraction(1)) for row in family.rows)


def _shares(name: str, noisy: list[Fraction], size: int, degree: int | None) -> Shares:
    if name == "cells":
        nearest = nearest_table(noisy)
        return nearest if degree is None else centred_table(nearest)
    if name == "thresholds":
        reached = [_centred(share, degree) for share in running_middle(noisy)]
        return tuple(a - b for a, b in zip([Fraction(1), *reached], [*reached, Fraction(0)], strict=True))
    ones = _centred(_clipped((1 - noisy[0]) / 2 if name == "parities" else noisy[0]), degree)
    most = size - 1
    return tuple(comb(most, v) * ones**v * (1 - ones) ** (most - v) for v in range(size))


def _clipped(share: Fraction) -> Fraction:
    return min(max(share, Fraction(0)), Fraction(1))


def nearest_table(noisy: Sequence[Fraction]) -> Shares:
    """(b - theta)_+ with sum 1: as near to the noisy shares as any table, in the largest and in the squared distance.

    >>> nearest_table([Fraction(1, 2), Fraction(7, 10), Fraction(-1, 10)])
    (Fraction(2, 5), Fraction(3, 5), Fraction(0, 1))
    """
    ordered = sorted(noisy, reverse=True)
    cuts = [(total - 1) / (i + 1) for i, total in enumerate(accumulate(ordered))]
    cut = next(c for share, c in zip(reversed(ordered), reversed(cuts), strict=True) if share > c)
    return tuple(max(share - cut, Fraction(0)) for share in noisy)


def running_middle(noisy: Sequence[Fraction]) -> Shares:
    """Shares that do not increase, between 0 and 1: the middle of the running maximum and the running minimum.

    >>> running_middle([Fraction(1, 2), Fraction(3, 4), Fraction(-1, 4)])
    (Fraction(5, 8), Fraction(5, 8), Fraction(0, 1))
    """
    above = list(accumulate(reversed(noisy), max))[::-1]
    below = accumulate(noisy, min)
    return tuple(_clipped((a + b) / 2) for a, b in zip(above, below, strict=True))


def _centred(share: Fraction, degree: int | None) -> Fraction:
    """max(min(h, c), (h - c)^(1/d)): products of up to d of these are within c of what their shares allow."""
    if degree is None:
        return share
    c = centred_product(degree)
    return max(min(share, c), _root_up(share - c, degree))


def centred_table(shares: Shares) -> Shares:
    """For pairs of cells: a share h above 1/2 becomes sqrt(h - 1/4), and the others grow in proportion.

    >>> centred_table((Fraction(1, 2), Fraction(1, 2))), centred_table((Fraction(13, 36), Fraction(23, 36)))[0] < 0.38
    ((Fraction(1, 2), Fraction(1, 2)), True)
    """
    largest = max(shares)
    if largest <= Fraction(1, 2):
        return shares
    where = shares.index(largest)
    root = _root_up(largest - Fraction(1, 4), 2)
    left = 1 - largest
    even = Fraction(1, len(shares) - 1)
    return tuple(
        root if i == where else (1 - root) * (share / left if left else even) for i, share in enumerate(shares)
    )


def _root_up(value: Fraction, degree: int) -> Fraction:
    """The root of a number up to 1, rounded up to a multiple of 2^-BITS; 0 for what is not positive."""
    if value <= 0:
        return Fraction(0)
    whole = value.numerator * TOTAL**degree // value.denominator
    return min(Fraction(int(fmpz(whole).root(degree)) + 1, TOTAL), Fraction(1))
