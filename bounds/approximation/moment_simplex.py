"""A simplex method for the moment problem of the optimal certificate, on a continuum of points and at any precision.

maximise sum m_i sigma_i g(z_i) over points z_i, signs sigma_i and weights m_i >= 0 subject to

    sum m_i sigma_i = 0,   sum m_i sigma_i z_i^k = 2 s y_k, |y_k| <= 1, for every admitted power k,   sum m_i + t = 4.

The prices of the rows are the coefficients of a polynomial P and a level e. A point may enter where |g - P| exceeds e:
each step looks for the largest such point on the whole interval. LP solvers stop at 1e-7, which is not enough here.
Nothing has to be certified: every basis gives a feasible measure and every price a polynomial, and both are enclosed
elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, arb_mat, arb_poly, fmpq

from bounds.approximation.rationals import dyadic
from bounds.enclosure import Undecided, as_fmpq

_MOST_PIVOTS = 4000
_SETTLED = arb(2) ** -48
"""Relative distance between the level and the largest error at which the method stops."""


@dataclass(frozen=True)
class Mass:
    """A column: a point with a sign."""

    z: fmpq
    sign: int


@dataclass(frozen=True)
class Moment:
    """A column: the moment of a power, as a share y of 2s."""

    power: int


SLACK = "slack"
Column = Mass | Moment | str


@dataclass(frozen=True)
class Solved:
    """Coefficients of the admitted powers, the level, and the measure."""

    coefficients: dict[int, arb]
    level: arb
    measure: tuple[tuple[fmpq, arb], ...]


class Simplex:
    """Bounded simplex; y_k outside the basis sits at -1 or 1."""

    def __init__(
        self,
        jet: Callable[[fmpq, int], list[arb]],
        grid: Sequence[fmpq],
        ends: set[fmpq],
        powers: Sequence[int],
        s: Fraction,
    ) -> None:
        self.jet, self.ends, self.powers = jet, ends, list(powers)
        self.twice_s = arb(as_fmpq(2 * s))
        self.grid = [(z, jet(z, 0)[0]) for z in grid]
        first = Mass(self.grid[0][0], 1)
        self.basis: list[Column] = [first, *(Moment(k) for k in self.powers[1:]), SLACK]
        self.at_bound: dict[int, int] = {}
        self.size = len(self.basis)

    def learn(self, z: fmpq) -> None:
        """Take a point into the grid; `run` then goes on from the basis it has reached."""
        if all(z != known for known, _ in self.grid):
            self.grid = sorted([*self.grid, (z, self.jet(z, 0)[0])], key=lambda pair: pair[0])

    def column(self, item: Column) -> list[arb]:
        """Rows: the admitted powers (0 first), then the total variation."""
        if isinstance(item, Mass):
            z = arb(item.z)
            return [*(item.sign * (z**k if k else arb(1)) for k in self.powers), arb(1)]
        if isinstance(item, Moment):
            return [*(-self.twice_s if k == item.power else arb(0) for k in self.powers), arb(0)]
        return [*(arb(0) for _ in self.powers), arb(1)]

    def cost(self, item: Column) -> arb:
        return item.sign * self.jet(item.z, 0)[0] if isinstance(item, Mass) else arb(0)

    def run(self) -> Solved:
        for _ in range(_MOST_PIVOTS):
            matrix = arb_mat([list(row) for row in zip(*(self.column(c) for c in self.basis), strict=True)])
            right = [arb(0)] * (self.size - 1) + [arb(4)]
            for power, sign in self.at_bound.items():
                right[self.powers.index(power)] += sign * self.twice_s
            values = _solve(matrix, right)
            prices = _solve(matrix.transpose(), [self.cost(c) for c in self.basis])
            entering = self._entering(prices)
            if entering is None:
                return self._solved(values, prices)
            self._pivot(matrix, values, *entering)
        raise Undecided

    def _solved(self, values: list[arb], prices: list[arb]) -> Solved:
        measure: dict[fmpq, arb] = {}
        for item, value in zip(self.basis, values, strict=True):
            if isinstance(item, Mass):
                measure[item.z] = (measure.get(item.z, arb(0)) + item.sign * value).mid()
        coefficients = dict(zip(self.powers, prices, strict=False))
        for item in self.basis:
            if isinstance(item, Moment):  # a moment inside its bounds prices its power at zero
                coefficients[item.power] = arb(0)
        return Solved(coefficients, prices[-1], tuple(sorted(measure.items())))

    def _entering(self, prices: list[arb]) -> tuple[Column, int] | None:
        """The column with the largest gain and the direction it moves in; None at the optimum."""
        level = prices[-1]
        best: tuple[Column, int] | None = None
        gain = arb(0)
        if level < 0:
            best, gain = (SLACK, 1), -level
        for power, sign in self.at_bound.items():
            price = prices[self.powers.index(power)] * sign
            if price < 0 and -price * self.twice_s > gain:
                best, gain = (Moment(power), -sign), (-price * self.twice_s).mid()
        z, e = self._largest_error(prices)
        excess = (abs(e) - level).mid()
        worth = sum((abs(c) for c in prices[1:-1]), arb(0)) * self.twice_s + 4 * abs(e)
        if excess > gain and excess * 4 > worth * _SETTLED:
            best, gain = (Mass(z, 1 if e > 0 else -1), 1), excess
        if best is not None and not isinstance(best[0], Mass) and not gain > worth * _SETTLED * _SETTLED:
            return None
        return best

    def _largest_error(self, prices: list[arb]) -> tuple[fmpq, arb]:
        dense = [arb(0)] * (self.powers[-1] + 1)
        for k, c in zip(self.powers, prices, strict=False):
            dense[k] = c
        polynomial = arb_poly(dense)
        errors = [(g - polynomial(arb(z))).mid() for z, g in self.grid]
        sizes = [abs(e) for e in errors]
        last = len(errors) - 1
        best = max(range(len(errors)), key=lambda i: sizes[i])
        threshold = sizes[best] * arb("0.9")
        found = (self.grid[best][0], errors[best])
        for i, size in enumerate(sizes):
            if size < threshold or size < sizes[max(i - 1, 0)] or size < sizes[min(i + 1, last)]:
                continue
            # beside an end or a kink the error may be larger between it and its neighbour
            near = (i,) if self.grid[i][0] not in self.ends else (max(i - 1, 0), min(i + 1, last))
            for start in near:
                z, e = self._refined(polynomial, start, errors[start])
                if abs(e) > abs(found[1]):
                    found = (z, e)
        return found

    def _refined(self, polynomial: arb_poly, index: int, e: arb) -> tuple[fmpq, arb]:
        """Newton's method towards the extremum of the error, within the neighbours on the grid."""
        z = self.grid[index][0]
        if z in self.ends:
            return z, e
        low, high = self.grid[max(index - 1, 0)][0], self.grid[min(index + 1, len(self.grid) - 1)][0]
        first = polynomial.derivative()
        second = first.derivative()
        for _ in range(6):
            point = arb(z)
            _, g1, g2 = self.jet(z, 2)
            bend = (g2 - second(point)).mid()
            if bend == 0:
                break
            new = z - dyadic((g1 - first(point)) / bend)
            if not low < new < high:
                break
            value = (self.jet(new, 0)[0] - polynomial(arb(new))).mid()
            if not abs(value) > abs(e):
                break
            z, e = new, value
        return z, e

    def _pivot(self, matrix: arb_mat, values: list[arb], item: Column, direction: int) -> None:
        """Let a column in; the first basic variable to meet a bound leaves."""
        change = [-direction * c for c in _solve(matrix, self.column(item))]
        step: arb | None = arb(2) if isinstance(item, Moment) else None
        leaving: tuple[int, int] | None = None
        for i, (basic, value, slope) in enumerate(zip(self.basis, values, change, strict=True)):
            if abs(slope) < arb(2) ** -120:
                continue
            bounds = ((arb(-1), -1), (arb(1), 1)) if isinstance(basic, Moment) else ((arb(0), 0),)
            for bound, side in bounds:
                towards = slope < 0 if side <= 0 else slope > 0
                if not towards:
                    continue
                room = ((bound - value) / slope).mid()
                room = room if room > 0 else arb(0)
                if step is None or room < step or (room == step and leaving and abs(slope) > abs(change[leaving[0]])):
                    step, leaving = room, (i, side)
        if step is None:
            raise Undecided
        if leaving is None:  # y moves from one bound to the other
            assert isinstance(item, Moment)
            self.at_bound[item.power] = direction
            return
        position, side = leaving
        gone = self.basis[position]
        if isinstance(gone, Moment):
            self.at_bound[gone.power] = side
        if isinstance(item, Moment):
            del self.at_bound[item.power]
        self.basis[position] = item


def _solve(matrix: arb_mat, right: list[arb]) -> list[arb]:
    column = arb_mat(len(right), 1, [c.mid() for c in right])
    found = [c.mid() for c in matrix.mid().solve(column, algorithm="approx").entries()]
    if not all(c.is_finite() for c in found):
        raise Undecided
    return found
