"""Query families: how many queries there are and how far one record can move their answers.

A family is described by exact integers only. Sensitivities are for replacing one record, summed over all
queries before division by n; proofs: docs/proofs/synthbounds.noise-laplace.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, prod

from bounds.contrasts import MOST_GAUSSIAN_DEGREE, ContrastFacts, contrasts_of
from bounds.errors import ParameterError
from bounds.product_facts import MOST_CENTRED, centred_product, plain_product

MOST_DIGITS = 400
"""Counts beyond this many digits are refused: no release has them, and their cubes would not print."""


@dataclass(frozen=True)
class QueryFamily:
    """Exact facts about a finite set of bounded functions on the domain."""

    name: str
    total: int
    varying: int
    """Queries that are not constant; a constant is public and gets no noise."""
    range_width: int | Fraction
    l1_sensitivity: int | Fraction
    l2_sensitivity_squared: int | Fraction
    dimension: int
    """Affine dimension of the vectors of answers: an LP vertex has at most dimension + 1 support points."""
    trivial_accuracy: Fraction
    """Error that a synthetic table chosen without looking at the data never exceeds."""
    packing: int | None
    """Number of non-zero points that the one-way queries tell apart, for the lower bound on n."""
    one_way_steps: int = 1
    """A one-way query takes values on a grid of this many equal steps, for the lower bound on k."""
    contrasts: ContrastFacts | None = None
    """What noise through contrasts needs; None if the queries are not combinations of them."""
    stretch: Fraction = Fraction(2)
    """Answers of some measure can be had from noisy ones with at most this multiple of their largest error."""
    one_way: QueryFamily | None = None
    """The one-way queries of the family, if their answers say something about all others."""
    plain: Fraction = Fraction(1)
    """Farthest that a product with exact one-way tables can be from the truth in any query."""
    centred: Fraction = Fraction(1)
    """The same if columns are moved to the middle of the possible values; noise then adds no more than itself."""

    @property
    def contrast_gain(self) -> Fraction | None:
        """Noise of size x times its sensitivity on every sign contrast moves no answer by more than this times x.

        None if there are no fewer contrasts than queries: noise on the queries themselves is then no larger.
        """
        if self.contrasts is None or self.dimension == self.varying:
            return None
        return self.contrasts.width * self.contrasts.gain

    @property
    def contrast_scatter(self) -> Fraction | None:
        """Largest variance of an answer times squared sensitivity, for Gaussian noise on contrasts."""
        facts = self.contrasts
        return None if facts is None or facts.degree > MOST_GAUSSIAN_DEGREE else facts.moved * facts.spread


def monomials(p: int, t: int, degree: int) -> QueryFamily:
    """Products of at most `degree` distinct coordinates, each scaled to [0, 1].

    >>> monomials(10, 2, 2).total
    56
    """
    steps = {"packing": 2**p - 1, "one_way_steps": t - 1}
    contrasts = contrasts_of("monomials", (t,) * p, degree)
    return replace(_all_at_once(binomial_sum(p, degree), "monomials"), **steps, contrasts=contrasts)


def parities(p: int, t: int, degree: int) -> QueryFamily:
    """Products of at most `degree` signs (-1)^x_j on the Boolean cube.

    >>> [parities(p, 2, 2).l1_sensitivity for p in range(3, 11)]
    [8, 12, 18, 24, 32, 40, 50, 60]
    """
    if t != 2:
        raise ParameterError("t", t, "2 for the family parities", "a parity is a product of signs")
    total = binomial_sum(p, degree)
    sensitivity = total - min(_krawtchouk_row(p - 1, degree))
    return QueryFamily(
        name="parities",
        total=total,
        varying=total - 1,
        range_width=2,
        l1_sensitivity=sensitivity,
        l2_sensitivity_squared=2 * sensitivity,
        dimension=total - 1,
        trivial_accuracy=Fraction(1),
        packing=2**p - 1,
    )


def cells(p: int, t: int, degree: int) -> QueryFamily:
    """Indicators of every cell of every marginal of at most `degree` attributes with t levels.

    >>> cells(10, 3, 2).total
    436
    """
    total = binomial_sum(p, degree, t)
    sensitivity = 2 * (binomial_sum(p, degree) - 1)
    return QueryFamily(
        name="cells",
        total=total,
        varying=total - 1,
        range_width=1,
        l1_sensitivity=sensitivity,
        l2_sensitivity_squared=sensitivity,
        dimension=binomial_sum(p, degree, t - 1) - 1,
        trivial_accuracy=1 - Fraction(1, t**degree),
        packing=t**p - 1,
        contrasts=contrasts_of("cells", (t,) * p, degree),
    )


def thresholds(p: int, t: int, degree: int) -> QueryFamily:
    """Products of at most `degree` indicators [x_j >= v] of distinct attributes, v = 1..t-1.

    >>> thresholds(10, 3, 2).total
    201
    """
    return replace(_all_at_once(binomial_sum(p, degree, t - 1), "thresholds"), packing=t**p - 1)


def moments(p: int, t: int, degree: int) -> QueryFamily:
    """Products of powers of coordinates scaled to [0, 1], of total degree at most `degree`.

    >>> moments(10, 2, 2).total
    66
    """
    steps = {"packing": 2**p - 1, "one_way_steps": t - 1}
    return replace(_all_at_once(comb(p + degree, degree), "moments"), **steps)


def _all_at_once(total: int, name: str) -> QueryFamily:
    """Queries with values in [0, 1], a constant among them, that are all 0 at one record and all 1 at another."""
    return QueryFamily(
        name=name,
        total=total,
        varying=total - 1,
        range_width=1,
        l1_sensitivity=total - 1,
        l2_sensitivity_squared=total - 1,
        dimension=total - 1,
        trivial_accuracy=Fraction(1, 2),
        packing=None,
    )


def bounded(count: int) -> QueryFamily:
    """`count` arbitrary functions with values in [-1, 1]; all of them may vary."""
    return QueryFamily(
        name="bounded",
        total=count,
        varying=count,
        range_width=2,
        l1_sensitivity=2 * count,
        l2_sensitivity_squared=4 * count,
        dimension=count,
        trivial_accuracy=Fraction(2 * count, count + 1),  # the centre of a convex body, by Minkowski
        packing=None,
    )


FAMILIES = {
    "monomials": monomials,
    "parities": parities,
    "cells": cells,
    "thresholds": thresholds,
    "moments": moments,
}


def describe(name: str, degree: int | None, t: int, *, continuous: bool, fewest: int | None = None) -> str:
    """One query of the family, in words; attributes have from `fewest` to t levels, or t."""
    if name == "bounded":
        return "arbitrary queries with values in [-1, 1]"
    most = "one attribute" if degree == 1 else f"up to {degree} attributes"
    levels = f"{t} levels" if fewest in (None, t) else f"{fewest} to {t} levels"
    if continuous:
        levels = f"{t} equal intervals an axis"
    if name == "cells":
        return f"the share of records in every cell of every table of {most}, {levels}"
    if name == "thresholds":
        return f"the share of records that reach a threshold in each of {most}, {levels}"
    if name == "moments":
        return f"the mean of every product of powers of total degree up to {degree}, attributes scaled to [0, 1]"
    if name == "custom":
        return "the queries that were supplied"
    if name == "parities":
        return f"the mean of every product of signs of {most}"
    if t == 2 and not continuous:
        return f"the share of records with a 1 in each of {most}"
    numbers = f"the mean of every product of {most}, each scaled to [0, 1]"
    return numbers if continuous else f"{numbers}; the family cells has the shares of categories"


def family_of_degree(name: str, p: int, t: int, degree: int) -> QueryFamily:
    """The named family, refused if its size has more than MOST_DIGITS digits."""
    if name not in FAMILIES:
        raise ParameterError("family", name, "one of " + ", ".join(FAMILIES))
    if degree < 1 or (degree > p and name != "moments"):  # a power may have any degree
        raise ParameterError(
            "degree", degree, f"between 1 and p = {p}", "a marginal involves at least 1 and at most p attributes"
        )
    # At most min((t p + 1)^degree, (t + 1)^p) queries: their digits, before anything large is computed.
    digits_ub = min(degree * len(str(p * t + 1)), p * len(str(t + 1)))
    if digits_ub > 10 * MOST_DIGITS:
        raise ParameterError("degree", degree, f"such that the queries have at most {MOST_DIGITS} digits")
    family = FAMILIES[name](p, t, degree)
    if family.total >= 10**MOST_DIGITS:
        raise ParameterError("degree", degree, f"such that the queries have at most {MOST_DIGITS} digits")
    return _with_one_way(family, FAMILIES[name](p, t, 1), degree, most_levels=t)


def _with_one_way(family: QueryFamily, one_way: QueryFamily, degree: int, *, most_levels: int) -> QueryFamily:
    """The family with what its one-way answers say; proofs: docs/proofs/synthbounds.product.md."""
    cells = family.name == "cells"
    one_way = replace(one_way, stretch=2 - Fraction(2, most_levels) if cells else Fraction(1))
    if degree == 1:
        return replace(family, stretch=one_way.stretch, one_way=one_way, plain=Fraction(0), centred=Fraction(0))
    if family.name not in ("monomials", "cells", "thresholds"):
        return family
    most = 2 if cells else MOST_CENTRED
    centred = centred_product(degree) if degree <= most else Fraction(1)
    return replace(family, one_way=one_way, plain=plain_product(degree), centred=centred)


def family_of_levels(name: str, levels: Sequence[int], degree: int) -> QueryFamily:
    """The named family on attributes that may differ in their number of levels, each at least 2.

    Sensitivities do not depend on the levels where all queries of a family can move at once; proofs:
    docs/proofs/synthbounds.full-support.md and docs/proofs/synthbounds.lower-bound.md, on unequal levels.

    >>> family_of_levels("cells", (2, 3, 5), 2).total
    42
    """
    facts = family_of_degree(name, len(levels), max(levels), degree)
    if len(set(levels)) == 1 or name == "parities":
        return facts
    family = _of_unequal_levels(name, levels, degree)
    return _with_one_way(family, _of_unequal_levels(name, levels, 1), degree, most_levels=max(levels))


def _of_unequal_levels(name: str, levels: Sequence[int], degree: int) -> QueryFamily:
    if name in ("monomials", "moments"):
        return replace(FAMILIES[name](len(levels), max(levels), degree), one_way_steps=min(levels) - 1)
    packing = prod(levels) - 1
    lowered = symmetric_sum([size - 1 for size in levels], degree)
    if name == "thresholds":
        return replace(_all_at_once(lowered, name), packing=packing)
    total = symmetric_sum(levels, degree)
    return replace(
        cells(len(levels), max(levels), degree),
        total=total,
        varying=total - 1,
        dimension=lowered - 1,
        trivial_accuracy=1 - Fraction(1, prod(sorted(levels)[-degree:])),
        packing=packing,
        contrasts=contrasts_of(name, levels, degree),
    )


def symmetric_sum(weights: Sequence[int], degree: int) -> int:
    """The sum over all sets of at most `degree` attributes of the product of their weights.

    >>> symmetric_sum([2, 2, 2], 2), symmetric_sum([2, 3], 2)
    (19, 12)
    """
    by_size = [1] + [0] * degree
    for weight in weights:
        for s in range(degree, 0, -1):
            by_size[s] += weight * by_size[s - 1]
    return sum(by_size)


def binomial_sum(p: int, degree: int, weight: int = 1) -> int:
    """Sum over s = 0..degree of C(p, s) weight^s, exactly.

    >>> binomial_sum(10, 2), binomial_sum(10, 2, 2)
    (56, 201)
    """
    total, term = 1, 1
    for s in range(1, degree + 1):
        term = term * (p - s + 1) * weight // s
        total += term
    return total


def _krawtchouk_row(n: int, degree: int) -> list[int]:
    """Binary Krawtchouk polynomial of the given degree at 0..n, by its recurrence in the argument."""
    first = 1
    for s in range(1, degree + 1):
        first = first * (n - s + 1) // s
    row = [first]
    if n >= 1:
        # K(1) = C(n-1, degree) - C(n-1, degree-1) = K(0) (n - 2 degree) / n
        row.append(first * (n - 2 * degree) // n)
    for x in range(1, n):
        row.append(((n - 2 * degree) * row[x] - x * row[x - 1]) // (n - x))
    return row
