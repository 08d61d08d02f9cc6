"""Contrasts: what is measured instead of the queries, and how far noise on them moves a query.

A contrast of order s is a product of s functions of distinct attributes that span, with the constants, all functions
of their attribute. Cells of tables and monomials are exact combinations of contrasts, of which the constant is public.
Two sets of them are used. Sign contrasts halve the levels again and again; noise of bounded size suits them. For
Gaussian noise any orthonormal basis will do; the variance of its noise depends only on the attributes of the contrast.
Monomials are cells of two levels here: u = 2x - 1 is the sign contrast of an attribute on [0, 1], whatever its levels.
Proofs: docs/proofs/synthbounds.noise-contrast-linf.md, synthbounds.noise-contrast-gaussian.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from heapq import nlargest
from itertools import chain, repeat
from math import comb, lcm, prod, sqrt

MOST_GAUSSIAN_DEGREE = 12
"""Beyond this the variances are not computed: that many orders are slow, and no release has them."""
_MOST_WORK = 6000
"""Numbers that are compared for the largest change by one record; beyond this that change is bounded."""
_SEARCH_STEPS = 100
_MOST_SEARCHED = 50
_DIGITS = 1000
"""A variance is rounded to this many parts of the power of two below it."""


@dataclass(frozen=True)
class ContrastFacts:
    """Exact facts about the contrasts of order 1 to `degree`; computed on first use, since sweeps need few of them."""

    groups: tuple[tuple[int, int], ...]
    """Levels, and how many attributes have them, by increasing levels."""
    degree: int

    @property
    def width(self) -> int:
        """Range of a sign contrast: it takes the values 1 and -1, and for more than two levels 0."""
        return 2

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Contrasts of order 1..degree."""
        return tuple(_product([_power(levels - 1, size, self.degree) for levels, size in self.groups])[1:])

    @cached_property
    def gain(self) -> Fraction:
        """Noise of size at most e on every sign contrast moves every query by at most gain * e."""
        depth = sum(halvings(levels) for levels in self._most_levels)
        return 1 - Fraction(1, 2**depth)

    @cached_property
    def variances(self) -> tuple[Fraction, ...]:
        """v_1..v_degree: see `variance`. Every choice is valid; this one makes moved * spread small."""
        if self.degree == 1:
            return (Fraction(1),)
        return _chosen_variances(self)

    def variance(self, levels: Sequence[int]) -> Fraction:
        """Relative variance of the noise of one orthonormal contrast on attributes with these levels.

        The functions of an attribute with t levels are orthonormal under the counting measure of its levels; a
        contrast of squared norm N gets N times this variance. For monomials all attributes have two levels.
        """
        return self.variances[len(levels) - 1] * prod(self.stretch(t) for t in levels)

    def stretch(self, levels: int) -> Fraction:
        """Factor of the variance for one attribute: 1/(1 - 1/t) at degree 1, (1 - t^-2)/(1 - 1/t) beyond.

        So at degree 1 all cells have the same variance, and beyond it the squares of the parts of a cell, 1/t of order
        0 and the rest, add up to the same for every attribute.
        """
        return Fraction(levels, levels - 1) if self.degree == 1 else Fraction(levels + 1, levels)

    @cached_property
    def moved(self) -> Fraction:
        """Largest sum, over all orthonormal contrasts, of (change by replacing one record)^2 / variance."""
        weights = [1 / v for v in self.variances]
        scale = lcm(*(w.denominator for w in weights))
        whole = [int(w * scale * self._unit ** (self.degree - s)) for s, w in enumerate(weights, 1)]
        largest = max(sum(w * c for w, c in zip(whole, row, strict=True)) for row in self._changes)
        return Fraction(largest, scale * self._unit**self.degree)

    @cached_property
    def spread(self) -> Fraction:
        """Largest variance of a query's noise at unit scale."""
        return max(sum((v * c for v, c in zip(self.variances, row, strict=True)), Fraction(0)) for row in self._shares)

    @cached_property
    def _most_levels(self) -> list[int]:
        """Levels of the `degree` attributes that have most: among cells of one order theirs have the largest noise."""
        return nlargest(self.degree, chain.from_iterable(repeat(t, size) for t, size in self.groups))

    @cached_property
    def _shares(self) -> list[list[Fraction]]:
        """Shares of v_1..v_degree in the variance of a query of order 1..degree on the attributes with most levels."""
        series, rows = [Fraction(1)] + [Fraction(0)] * self.degree, []
        for levels in self._most_levels:
            series = _times(series, [Fraction(1, levels**2), (1 - Fraction(1, levels)) * self.stretch(levels)])
            rows.append(series[1:])
        return rows

    def _ends(self, levels: int) -> tuple[Fraction, Fraction]:
        """Product of the scaled contrasts of an attribute at two records: where they agree, and where they differ."""
        return (1 - Fraction(1, levels)) / self.stretch(levels), -Fraction(1, levels) / self.stretch(levels)

    @cached_property
    def _unit(self) -> int:
        """Common denominator of all products of contrasts of one attribute."""
        return lcm(*(end.denominator for levels, _ in self.groups for end in self._ends(levels)))

    @cached_property
    def _changes(self) -> list[list[int]]:
        """Squared changes of the contrasts of order 1..degree by replacing a record, times unit^order.

        One row for every number of differing attributes in every group. Where these are too many, neighbouring groups
        share the widest of their intervals: a sum of products over sets of attributes is least at ends of intervals,
        and wider intervals make it no larger, so the largest change is bounded from above.
        """
        unit, degree = self._unit, self.degree
        classes = []
        for levels, size in self.groups:
            agree, differ = (int(end * unit) for end in self._ends(levels))
            classes.append((size, agree, differ))
        same = _product([_power(agree, size, degree) for size, agree, _ in classes])
        if degree == 1:  # the more attributes differ, the larger
            return [[2 * (same[1] - sum(size * differ for size, _, differ in classes))]]
        while prod(size + 1 for size, _, _ in classes) * degree > _MOST_WORK:
            if len(classes) == 1:
                return [[4 * c for c in same[1:]]]  # no sum of products exceeds that of their sizes
            i = min(range(len(classes) - 1), key=lambda i: _widening(classes[i], classes[i + 1]))
            (size, _, differ), (more, agree, _) = classes[i : i + 2]
            classes[i : i + 2] = [(size + more, agree, differ)]
        return [[2 * (a - b) for a, b in zip(same[1:], row[1:], strict=True)] for row in _products(classes, degree)]


def contrasts_of(name: str, levels: Sequence[int], degree: int) -> ContrastFacts | None:
    """Facts for cells and monomials, None for other families.

    Parities are contrasts themselves, and measuring them with equal noise is the best that can be done.
    """
    if name == "monomials":
        return _facts(((2, len(levels)),), degree)
    return _facts(tuple(sorted(Counter(levels).items())), degree) if name == "cells" else None


@lru_cache(maxsize=256)
def _facts(groups: tuple[tuple[int, int], ...], degree: int) -> ContrastFacts:
    return ContrastFacts(groups, degree)


def halvings(levels: int) -> int:
    """How often the levels are halved, the larger half first, until one is left.

    >>> [halvings(t) for t in (2, 3, 4, 5)]
    [1, 2, 2, 3]
    """
    return (levels - 1).bit_length()


def sign_contrasts(levels: int) -> tuple[tuple[int, ...], ...]:
    """The t - 1 sign contrasts of one attribute: 1 on the first half of a block, -1 on the second, 0 elsewhere.

    >>> sign_contrasts(3)
    ((1, 1, -1), (1, -1, 0))
    """
    return tuple(
        tuple((low <= v < middle) - (middle <= v < high) for v in range(levels))
        for low, middle, high in _blocks(0, levels)
    )


def sign_weights(levels: int) -> tuple[tuple[Fraction, ...], ...]:
    """For every level its indicator as a combination: the weight of the constant, then of each sign contrast.

    >>> [[str(w) for w in row] for row in sign_weights(3)]
    [['1/4', '1/4', '1/2'], ['1/4', '1/4', '-1/2'], ['1/2', '-1/2', '0']]
    """
    rows = sign_contrasts(levels)
    found = []
    for v in range(levels):
        signs = [row[v] for row in rows]
        depth = sum(map(abs, signs))
        above = 0
        weights = [Fraction(1, 2**depth)]
        for sign in signs:  # blocks come before their halves
            weights.append(Fraction(sign, 2 ** (depth - above)))
            above += abs(sign)
        found.append(tuple(weights))
    return tuple(found)


def _blocks(low: int, high: int) -> Iterator[tuple[int, int, int]]:
    """Blocks of levels with the place where each is halved, a block before its halves."""
    if high - low > 1:
        middle = (low + high + 1) // 2
        yield low, middle, high
        yield from _blocks(low, middle)
        yield from _blocks(middle, high)


def _power(x: int, size: int, degree: int) -> list[int]:
    """(1 + x z)^size up to z^degree."""
    return [comb(size, s) * x**s for s in range(degree + 1)]


def _times(left: list, right: list) -> list:  # type: ignore[type-arg]
    """The product of two power series, as long as the first."""
    return [sum(left[i] * right[s - i] for i in range(max(0, s - len(right) + 1), s + 1)) for s in range(len(left))]


def _product(series: Sequence[list[int]]) -> list[int]:
    return reduce(_times, series)


def _widening(left: tuple[int, int, int], right: tuple[int, int, int]) -> int:
    """By how much the intervals of two neighbouring classes grow if they share one."""
    return left[0] * (right[1] - left[1]) + right[0] * (right[2] - left[2])


def _products(classes: Sequence[tuple[int, int, int]], degree: int) -> list[list[int]]:
    """Sums of products of 1..degree factors, one per attribute, for every number of differing attributes per class."""
    found = [[1] + [0] * degree]
    for size, agree, differ in classes:
        row = _power(agree, size, degree)
        own = [row]
        for _ in range(size):  # (1 + differ z)/(1 + agree z) times the row before
            new = [1]
            for s in range(1, degree + 1):
                new.append(row[s] + differ * row[s - 1] - agree * new[s - 1])
            row = new
            own.append(row)
        found = own if len(found) == 1 else [_times(a, b) for a in found for b in own]
    return found


def _chosen_variances(facts: ContrastFacts) -> tuple[Fraction, ...]:
    """Variances that make moved * spread small, in few digits, by conditional gradients on the dual problem.

    With means m_s of some rows of changes and c_s of some rows of shares in the place of the largest sums, the best
    v_s is sqrt(m_s/c_s); both means then move towards the rows that are largest at these variances.
    """
    all_changes, shares = facts._changes, facts._shares
    tops = [max(column) for column in zip(*all_changes, strict=True)]
    units = [Fraction(top, facts._unit**s) / c for s, (top, c) in enumerate(zip(tops, shares[-1], strict=True), 1)]
    # v_s = sqrt(units_s) x_s, so that numbers of any size leave ratios near 1
    thin = all_changes[:: -(-len(all_changes) // _MOST_SEARCHED)]
    changes = [[c / top for c, top in zip(row, tops, strict=True)] for row in [*thin, all_changes[-1]]]
    queries = [[float(c / last) for c, last in zip(row, shares[-1], strict=True)] for row in shares]
    sizes = [sqrt(c * c * u / (shares[-1][0] ** 2 * units[0])) for c, u in zip(shares[-1], units, strict=True)]
    moved, asked = _largest(changes, [1.0] * facts.degree)[0], queries[-1]
    best, chosen = None, [1.0] * facts.degree
    for step in range(2, _SEARCH_STEPS + 2):
        x = [sqrt(m / c) for m, c in zip(moved, asked, strict=True)]
        far, loss = _largest(changes, [w / y for w, y in zip(sizes, x, strict=True)])
        widest, gained = _largest(queries, [w * y for w, y in zip(sizes, x, strict=True)])
        if best is None or loss * gained < best:
            best, chosen = loss * gained, x
        moved = [m + (c - m) / step for m, c in zip(moved, far, strict=True)]
        asked = [m + (c - m) / step for m, c in zip(asked, widest, strict=True)]
    found = [_short(sqrt(u / units[0]) * y / chosen[0]) for u, y in zip(units, chosen, strict=True)]
    if len(facts.groups) > 1:  # with growing variances the queries with most levels surely have the largest
        found = [max(found[: s + 1]) for s in range(facts.degree)]
    return tuple(found)


def _largest(rows: list[list[float]], weights: list[float]) -> tuple[list[float], float]:
    """The row with the largest weighted sum, and that sum."""
    sums = []
    for row in rows:
        total = 0.0  # not `sum`, which rounds differently in later Pythons
        for w, c in zip(weights, row, strict=True):
            total += w * c
        sums.append(total)
    largest = max(sums)
    return rows[sums.index(largest)], largest


def _short(x: float) -> Fraction:
    """A positive number in few digits."""
    power = Fraction(1)
    while x / float(power) >= 2:
        power *= 2
    while x / float(power) < 1:
        power /= 2
    return power * round(x / float(power) * _DIGITS) / _DIGITS
