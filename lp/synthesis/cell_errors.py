"""What the certificate of a linear programme says about shares of single columns and of cells of two.

The indicator of a code is a combination of the queries of its column, if the family has enough of them; then its share
is off by at most the sum of the coefficients' sizes times the error of a query, and likewise for products of two. Cells
are queries themselves. If there are too few queries, single columns bound pairs. Proof:
docs/proofs/synthbounds.pair-errors.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from release.statistics.pair_bounds import frechet_errors

if TYPE_CHECKING:
    from lp.synthesis.run import Synthesis

Expansion: TypeAlias = tuple[tuple[Fraction, Fraction], ...]
"""For the kinds of codes of a column: the size of the constant of an indicator, and of all coefficients together."""
_ONE, _HALF = Fraction(1), Fraction(1, 2)
_EITHER: Expansion = ((_ONE, _ONE), (Fraction(0), _ONE))
"""1 - x and x."""
_OF_TWO: dict[str, Expansion] = {"monomials": _EITHER, "moments": _EITHER, "parities": ((_HALF, _HALF),)}
"""Of a column with two codes."""


@dataclass(frozen=True)
class CellErrors:
    """Certified on the event of the certificate; 1 where nothing is known."""

    columns: tuple[Fraction, ...]
    """For every column the largest error of a share."""
    pairs: dict[tuple[int, int], Fraction]
    """For pairs the largest error of a share of a cell."""
    weak: frozenset[tuple[int, int]]
    """Pairs whose error follows from single columns only."""


def cell_errors(found: Synthesis, columns: Sequence[int]) -> CellErrors:
    """Of all columns, and of every two of these."""
    question = found.plan.question
    sizes, name, degree = question.domain.sizes, question.family.facts.name, question.degree
    accuracy = Fraction(2) if found.noise_exceeded else found.accuracy
    expansions = [expansion(name, size) for size in sizes]
    one_way = tuple(_ONE if e is None else min(max(a for _, a in e) * accuracy, _ONE) for e in expansions)
    pairs = frechet_errors(found.rows, sizes, one_way, columns)
    asked = {}
    for u, v in pairs if degree is not None and degree > 1 else ():
        first, second = expansions[u], expansions[v]
        if first is not None and second is not None:
            asked[(u, v)] = queries_in_a_cell(first, second) * accuracy
    better = {pair: error for pair, error in asked.items() if error < pairs[pair]}
    return CellErrors(one_way, pairs | better, frozenset(pairs.keys() - better.keys()))


def expansion(family: str, size: int) -> Expansion | None:
    """The indicators of a column by a constant and its queries; None if there are too few of them.

    With thresholds the first code is 1 less the first of them, the last is the last, and others are differences of two.
    """
    if family == "cells":
        return ((Fraction(0), _ONE),)
    if family == "thresholds":
        return _EITHER if size == 2 else (*_EITHER, (Fraction(0), Fraction(2)))
    return _OF_TWO.get(family) if size == 2 else None


def queries_in_a_cell(first: Expansion, second: Expansion) -> Fraction:
    """The most errors of queries that a cell of two columns adds up: two indicators, multiplied out."""
    return max(c * b + a * d + a * b for c, a in first for d, b in second)
