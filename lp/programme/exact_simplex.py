"""The simplex method on the density programme in exact rational arithmetic, for the last steps to a vertex.

A basis is a set of columns that carry weight and an equally large set of tight rows, each with the sign of its
residual; the weights and the value solve one square system of integers, the dual weights its transpose, both by FLINT.
From a basis that is exactly feasible, pivots go on until no column and no row improves. After steps without progress
the first eligible index is taken (Bland's rule), so it ends. lp.programme.vertex finds a good start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
from flint import fmpq_mat, fmpz_mat

from lp.programme.density_certificate import ExactTarget
from lp.programme.exact_products import ExactColumns, combination, first_below, least_price

TightRow: TypeAlias = tuple[int, int]
"""A query and the sign of its residual h(f) - target(f)."""


class SingularBasis(Exception):
    """The columns and rows do not determine a point."""


@dataclass(frozen=True)
class Basis:
    """As many columns as tight rows; the value of the programme is the one further unknown."""

    columns: tuple[int, ...]
    tight: tuple[TightRow, ...]


@dataclass(frozen=True)
class BasicPoint:
    """weights / total on the columns of a basis and value / (denominator of the family * total), all integers."""

    weights: list[int]
    value: int
    total: int
    slack: dict[TightRow, int]
    """value - sign * residual for every row that is not tight, over the same denominator."""

    @property
    def is_feasible(self) -> bool:
        return min(self.weights) >= 0 and min(self.slack.values(), default=0) >= 0


class ExactSimplex:
    """Pivots on one programme. `steps` counts them."""

    def __init__(self, matrix: ExactColumns, target: ExactTarget) -> None:
        self.matrix, self.target, self.steps = matrix, target, 0
        self._wanted = [value * matrix.family.denominator for value in target.numerators]

    def trivial_basis(self, column: int) -> Basis:
        """All weight on one column: always feasible."""
        answers = combination(self.matrix, np.array([column]), [self.target.denominator])
        residuals = [a - b for a, b in zip(answers, self._wanted, strict=True)]
        worst = max(range(len(residuals)), key=lambda i: abs(residuals[i]))
        return Basis((column,), ((worst, 1 if residuals[worst] >= 0 else -1),))

    def point(self, basis: Basis) -> BasicPoint:
        """The weights and the value that a basis determines."""
        right = [self._wanted[i] for i, _ in basis.tight] + [self.target.denominator]
        *weights, value, total = _solved(self._system(basis), right)
        total *= self.target.denominator
        answers = combination(self.matrix, np.array(basis.columns), weights)
        share = total // self.target.denominator
        residuals = [a - b * share for a, b in zip(answers, self._wanted, strict=True)]
        tight = set(basis.tight)
        slack = {
            (i, sign): value - sign * residual
            for i, residual in enumerate(residuals)
            for sign in (1, -1)
            if (i, sign) not in tight
        }
        return BasicPoint(weights, value, total, slack)

    def attaining(self, columns: Sequence[int]) -> tuple[list[int], int] | None:
        """Weights on the columns, with their total, that meet every target exactly; None if there are none."""
        entries = self.matrix.columns_at(np.array(columns)).astype(np.int64).tolist()
        flat: list[int] = []
        for row, wanted in zip([*entries, [1] * len(columns)], [*self._wanted, self.target.denominator], strict=True):
            flat += [*row, wanted]
        reduced, scale, rank = fmpz_mat(len(entries) + 1, len(columns) + 1, flat).rref()
        solution = [0] * len(columns)
        for line in reduced.tolist()[:rank]:
            lead = next(j for j, value in enumerate(line) if value)
            if lead == len(columns):
                return None  # a row says 0 = 1
            solution[lead] = int(line[-1]) * (1 if scale > 0 else -1)
        return solution, abs(int(scale)) * self.target.denominator

    def dual(self, basis: Basis) -> tuple[list[int], int, int]:
        """Dual weights of the tight rows, the price of every basic column, and their common denominator."""
        *weights, price, total = _solved(self._system(basis).transpose(), [0] * len(basis.columns) + [-1])
        return weights, -price, total

    def full_dual(self, basis: Basis, weights: list[int]) -> list[int]:
        """The dual weights as a vector over all queries."""
        found = [0] * self.matrix.rows
        for (i, _), weight in zip(basis.tight, weights, strict=True):
            found[i] += weight
        return found

    def run(self, basis: Basis, *, most_steps: int) -> tuple[Basis, BasicPoint, list[int]] | None:
        """An optimal basis with its point and dual weights, from a feasible basis; None when the steps run out."""
        stalled = 0
        while True:
            point = self.point(basis)
            if point.value == 0:
                return basis, point, [0] * self.matrix.rows
            weights, price, _ = self.dual(basis)
            entering = self._entering(basis, weights, price, careful=stalled > len(basis.columns))
            if entering is None:
                return basis, point, self.full_dual(basis, weights)
            if self.steps >= most_steps:
                return None
            self.steps += 1
            basis, moved = self._pivot(basis, point, entering)
            stalled = 0 if moved else stalled + 1

    def _entering(self, basis: Basis, weights: list[int], price: int, *, careful: bool) -> int | TightRow | None:
        """A column whose price is too low, or a tight row whose dual weight has the wrong sign."""
        y = self.full_dual(basis, weights)
        if careful:
            first = first_below(self.matrix, y, price)
            if first is not None:
                return first
            return min((row for row, w in zip(basis.tight, weights, strict=True) if row[1] * w < 0), default=None)
        wrong, row = min((sign * w, (i, sign)) for (i, sign), w in zip(basis.tight, weights, strict=True))
        if wrong < 0:
            return row
        least, column = least_price(self.matrix, y)
        return column if least < price else None

    def _pivot(self, basis: Basis, point: BasicPoint, entering: int | TightRow) -> tuple[Basis, bool]:
        """The next basis, and whether the point moved."""
        if isinstance(entering, int):
            column = combination(self.matrix, np.array([entering]), [1])
            right = [column[i] for i, _ in basis.tight] + [1]
        else:
            column = [0] * self.matrix.rows
            right = [sign if (i, sign) == entering else 0 for i, sign in basis.tight] + [0]
        *change, value_change, scale = _solved(self._system(basis), right)
        answers = combination(self.matrix, np.array(basis.columns), change)
        residual_change = [a - c * scale for a, c in zip(answers, column, strict=True)]

        def limits() -> Iterator[tuple[int, int, int | TightRow]]:
            """The limits of the step: how much is left, how fast it shrinks, what would leave."""
            yield from zip(point.weights, change, basis.columns, strict=True)
            for (i, sign), left in point.slack.items():
                yield left, value_change - sign * residual_change[i], (i, sign)

        least: tuple[int, int, int | TightRow] | None = None
        for left, speed, name in limits():
            if speed > 0 and (least is None or _sooner((left, speed, name), least)):
                least = left, speed, name
        assert least is not None, "the programme is bounded: the value is at least 0"
        return _exchanged(basis, entering, least[2]), least[0] > 0

    def _system(self, basis: Basis) -> fmpz_mat:
        entries = self.matrix.columns_at(np.array(basis.columns))[[i for i, _ in basis.tight]]
        size = len(basis.columns) + 1
        flat: list[int] = []
        for row, (_, sign) in zip(entries.astype(np.int64).tolist(), basis.tight, strict=True):
            flat += [*row, -sign]
        return fmpz_mat(size, size, [*flat, *([1] * (size - 1)), 0])


def _sooner(one: tuple[int, int, int | TightRow], other: tuple[int, int, int | TightRow]) -> bool:
    """Does the first limit come before the second? Columns come first among equals, then lower numbers."""
    here, there = one[0] * other[1], other[0] * one[1]
    return here < there or (here == there and _order(one[2]) < _order(other[2]))


def _order(name: int | TightRow) -> tuple[int, int, int]:
    return (0, name, 0) if isinstance(name, int) else (1, *name)


def _exchanged(basis: Basis, entering: int | TightRow, leaving: int | TightRow) -> Basis:
    """A slack that enters frees its row; a slack that leaves makes its row tight."""
    columns, tight = set(basis.columns), set(basis.tight)
    for name, joins in ((entering, True), (leaving, False)):
        if isinstance(name, int):
            (columns.add if joins else columns.discard)(name)
        else:
            (tight.discard if joins else tight.add)(name)
    return Basis(tuple(sorted(columns)), tuple(sorted(tight)))


def _solved(system: fmpz_mat, right: list[int]) -> list[int]:
    """The solution as integers, followed by their common denominator, which is positive."""
    try:
        solution = cast(fmpq_mat, system.solve(fmpz_mat(len(right), 1, right)))
    except ZeroDivisionError:
        raise SingularBasis from None
    numerators, denominator = solution.numer_denom()
    return [*(int(value) for value in numerators.entries()), int(denominator)]
