"""Small tables that queries of two and more attributes tell apart, for the lower bound on n.

Each table has a few records; attributes are constant, or equal to one another up to sign, or balanced and
uncorrelated. Proof: docs/proofs/synthbounds.lower-bound.md, part (e).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb

MOST_ATTRIBUTES = 400
"""Beyond this the counts have thousands of digits, and the limit is printed without this part of it."""


@dataclass(frozen=True)
class TablePacking:
    """Tables of `rows` records, `count` of them besides the table of one repeated record.

    Any two differ by at least `gap` times the width of the range in the mean of some query.
    """

    count: int
    rows: int
    gap: Fraction


@lru_cache(maxsize=256)
def packed_tables(family: str, p: int, degree: int) -> TablePacking | None:
    """The largest such packing that we know; None if the queries see one attribute at a time.

    >>> packed_tables("parities", 10, 2)
    TablePacking(count=49134922, rows=16, gap=Fraction(1, 2))
    """
    if degree < 2 or not 2 <= p <= MOST_ATTRIBUTES or family not in _GAPS:
        return None
    rows = 1 << p.bit_length()  # a power of two above p: so many balanced uncorrelated columns, and one more
    grouped = TablePacking(signed_partitions(p) - 1, rows, _GAPS[family])
    if family != "parities" or degree == 2:
        return grouped
    generated = (
        TablePacking((2 * sum(comb(free, i) for i in range(degree))) ** (p - free), 2**free, _GAPS[family])
        for free in range(1, min(p, p.bit_length() + 1))  # no longer tables than the grouped ones
    )
    return max(grouped, *generated, key=lambda tables: tables.count)


_GAPS = {"parities": Fraction(1, 2)} | dict.fromkeys(("monomials", "cells", "thresholds", "moments"), Fraction(1, 4))
"""Uncorrelated instead of equal: a parity changes by 1 of 2, the share of records with two given levels by 1/4."""


def signed_partitions(p: int) -> int:
    """Ways to make some of p attributes constant and to group the others, with a sign for each attribute.

    The signs of one group count up to a common change, those of the constants do not.

    >>> [signed_partitions(p) for p in range(6)]
    [1, 3, 11, 49, 257, 1539]
    """
    found = [1]
    for last in range(p):  # the last attribute is constant, with two signs, or in a group with k of the others
        found.append(2 * found[-1] + sum(comb(last, k) * 2**k * found[last - k] for k in range(last + 1)))
    return found[p]
