"""Remez' exchange: the reference on which the best polynomial levels its error.

Nothing here is certified or needs to be: any reference gives a lower bound on the minimax error and any
polynomial an upper one, and both are enclosed elsewhere. Midpoints of balls are used as floating-point numbers of any
precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from flint import arb, arb_poly, ctx, fmpq

from bounds.approximation.parts import Part, Parts, chebyshev_points
from bounds.approximation.pieces import Piece
from bounds.approximation.rationals import ZERO, dyadic, rounded
from bounds.enclosure import Undecided, as_fmpq

_POLISHING = 14
_EXCHANGES = 60
_PATIENCE = 3
_NEAR = 1e-5
"""Relative distance from levelled at which the exchange on a grid hands over to Newton's method."""


@dataclass(frozen=True)
class Problem:
    """Approximate f on [left, right] by a polynomial of that degree, or by slope*x plus an even one on [0, right]."""

    pieces: tuple[Piece, ...]
    degree: int
    slope: arb | None = None
    """With a slope, f(x) - slope*x is even, the interval is symmetric, and only x >= 0 is looked at."""

    @property
    def even(self) -> bool:
        return self.slope is not None

    @property
    def size(self) -> int:
        """Points of a reference."""
        return self.degree // 2 + 2 if self.even else self.degree + 2

    @property
    def left(self) -> fmpq:
        return ZERO if self.even else as_fmpq(self.pieces[0].left)

    @property
    def right(self) -> fmpq:
        return as_fmpq(self.pieces[-1].right)


@dataclass(frozen=True)
class Levelled:
    """A reference, the polynomial in x whose error alternates on it, and the size of that error."""

    nodes: tuple[fmpq, ...]
    polynomial: arb_poly
    error: arb


class Exchange:
    """The exchange for one problem at the current precision."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.parts = Parts(problem.pieces, problem.left)
        centre = (problem.left + problem.right) / 2
        self.shift = ZERO if problem.even else rounded(centre, problem.right - problem.left, 4)

    def value(self, x: fmpq) -> arb:
        value = self.parts.at(x).function(arb(x))
        if not value.is_finite():
            raise Undecided
        return value.mid()

    def level(self, nodes: Sequence[fmpq]) -> Levelled:
        """Solve for the polynomial whose error on the nodes alternates and has one size."""
        slope = self.problem.slope
        points = [arb(x) for x in nodes]
        values = [self.value(x) for x in nodes]
        if slope is not None:
            values = [y - slope * x for x, y in zip(points, values, strict=True)]
            variables = [(x * x).mid() for x in points]
        else:
            variables = [(x - self.shift).mid() for x in points]
        weights = barycentric_weights(variables)
        signed = sum((w if i % 2 == 0 else -w for i, w in enumerate(weights)), arb(0))
        error = (sum((w * y for w, y in zip(weights, values, strict=True)), arb(0)) / signed).mid()
        targets = [(y - error if i % 2 == 0 else y + error).mid() for i, y in enumerate(values)]
        inner = arb_poly.interpolate(variables[:-1], targets[:-1], "newton")
        coefficients = [c.mid() for c in inner.coeffs()]
        if slope is not None:
            spread = [arb(0)] * max(2, 2 * len(coefficients) - 1)
            spread[::2] = coefficients + [arb(0)] * (len(spread[::2]) - len(coefficients))
            spread[1] = slope
            polynomial = arb_poly(spread)
        else:
            polynomial = arb_poly(coefficients)(arb_poly([-arb(self.shift), 1]))
        return Levelled(tuple(nodes), arb_poly([c.mid() for c in polynomial.coeffs()]), error)

    def polish(self, nodes: Sequence[fmpq], bits: int) -> Levelled | None:
        """Newton's method on all nodes at once; None if a node leaves its place."""
        current = self.level(nodes)
        for _ in range(_POLISHING):
            moved = self._moved(current)
            if moved is None:
                return None
            nodes, largest = moved
            following = self.level(nodes)
            if not abs(following.error) > 0:
                return None
            excess = abs(largest / abs(current.error) - 1)
            current = following
            if excess.mid() < arb(2) ** -bits:
                return current
        return None

    def _moved(self, current: Levelled) -> tuple[list[fmpq], arb] | None:
        """Every node after one step, and the largest |e| expected there."""
        first = current.polynomial.derivative()
        second = first.derivative()
        largest = arb(0)
        nodes: list[fmpq] = []
        for index, x in enumerate(current.nodes):
            point, at_end = arb(x), x in self.parts.ends
            part = self.parts.at(x)
            (f0, f1, f2), _ = part.function.taylor(point, 2)
            e = (f0 - current.polynomial(point)).mid()
            grows = self._where_e_grows(x, e, first(point)) if at_end else part
            new = x
            if grows is not None:
                if grows is not part:
                    part = grows
                    (_, f1, f2), _ = part.function.taylor(point, 2)
                bend, slope = (2 * f2 - second(point)).mid(), (f1 - first(point)).mid()
                if bend == 0 or (e > 0) != (bend < 0):
                    return None
                new = min(max(x - dyadic(slope / bend), part.left), part.right)
                e = (e - slope * slope / bend / 2).mid()
            before = nodes[-1] if nodes else new - 1
            after = current.nodes[index + 1] if index + 1 < len(current.nodes) else new + 1
            if not before < new < after:
                return None
            nodes.append(new)
            largest = largest.max(abs(e)).mid()
        return nodes, largest

    def _where_e_grows(self, x: fmpq, e: arb, slope: arb) -> Part | None:
        """The part next to a kink or an end into which |e| grows; None if the point is an extremum."""
        for part in self.parts.all:
            if x not in (part.left, part.right) or (self.problem.even and x == 0):
                continue
            (_, f1), _ = part.function.taylor(arb(x), 1)
            change = (f1 - slope).mid() if e > 0 else (slope - f1).mid()
            if (change > 0) if x == part.left else (change < 0):
                return part
        return None

    def search(self, nodes: Sequence[fmpq]) -> Levelled:
        """Exchange on a grid until the error is nearly levelled: for kinks, and where Newton's method loses its way."""
        grid = self.parts.grid(12 * self.problem.size)
        best: Levelled | None = None
        scale = max((abs(self.value(x)) for x in grid), key=float)
        for exchange in range(_EXCHANGES):
            current = self.level(nodes)
            if exchange > _PATIENCE and abs(current.error) < scale * arb(2) ** (-int(ctx.prec) // 2):
                raise Undecided  # nothing is left to level: more precision may show something
            if best is None or abs(current.error) > abs(best.error):
                best = current
            extrema = self._extrema(current, grid)
            largest = max(extrema, key=lambda pair: abs(float(pair[1])))
            size = abs(current.error)
            if size > 0 and abs(largest[1]) < size * (1 + _NEAR):
                chosen = _choose(extrema, self.problem.size)
                return self.level(chosen) if chosen is not None else current
            chosen = _choose(extrema, self.problem.size)
            nodes = chosen if chosen is not None else _swap(current, largest)
        assert best is not None
        return best

    def _extrema(self, current: Levelled, grid: list[fmpq]) -> list[tuple[fmpq, arb]]:
        """The largest |e| of every run of one sign, moved to the nearby extremum."""
        values = [(x, (self.value(x) - current.polynomial(arb(x))).mid()) for x in grid]
        runs: list[list[int]] = []
        for index, (_, e) in enumerate(values):
            if runs and (e > 0) == (values[runs[-1][-1]][1] > 0):
                runs[-1].append(index)
            else:
                runs.append([index])
        found = []
        for run in runs:
            top = max(run, key=lambda i: abs(values[i][1]).mid())
            low, high = values[max(top - 1, 0)][0], values[min(top + 1, len(values) - 1)][0]
            found.append(self._refined(current, *values[top], low, high))
        return found

    def _refined(self, current: Levelled, x: fmpq, e: arb, low: fmpq, high: fmpq) -> tuple[fmpq, arb]:
        """A few steps of Newton's method between the neighbours on the grid, kept only where |e| grows."""
        if x in self.parts.ends:
            return x, e
        first = current.polynomial.derivative()
        second = first.derivative()
        function = self.parts.at(x).function
        for _ in range(3):
            point = arb(x)
            (_, f1, f2), _ = function.taylor(point, 2)
            bend = (2 * f2 - second(point)).mid()
            if bend == 0:
                break
            new = x - dyadic((f1 - first(point)) / bend)
            if not low < new < high:
                break
            value = (function(arb(new)) - current.polynomial(arb(new))).mid()
            if not abs(value) > abs(e):
                break
            x, e = new, value
        return x, e


Scalar = TypeVar("Scalar", arb, fmpq)


def barycentric_weights(variables: Sequence[Scalar]) -> list[Scalar]:
    """1 / prod (v_i - v_j): the functional that vanishes on all polynomials of degree len - 2."""
    weights = []
    for i, v in enumerate(variables):
        product = type(v)(1)
        for j, u in enumerate(variables):
            if j != i:
                product *= v - u
        weights.append(1 / product)
    return weights


def start_reference(problem: Problem, *, lopsided: bool = False) -> list[fmpq]:
    """Extrema of a Chebyshev polynomial; lopsided ones where a symmetric start would level at zero."""
    count = problem.size + (1 if lopsided else 0)
    if problem.even:
        squares = chebyshev_points(ZERO, fmpq(1), count)
        roots = [dyadic(arb(s).sqrt()) for s in squares[1:-1]]
        points = [ZERO, *(rounded(r * problem.right, problem.right, 60) for r in roots), problem.right]
    else:
        points = chebyshev_points(problem.left, problem.right, count)
    return points[: problem.size]


def _choose(extrema: list[tuple[fmpq, arb]], size: int) -> list[fmpq] | None:
    """A reference among alternating extrema, by leaving out the smallest; None if there are too few."""
    left = list(extrema)
    while len(left) > size:
        if len(left) == size + 1:
            left.pop(0 if abs(left[0][1]) < abs(left[-1][1]) else -1)
            continue
        index = min(range(len(left)), key=lambda i: abs(left[i][1]).mid())
        if index in (0, len(left) - 1):
            left.pop(index)
            continue
        neighbour = min(index - 1, index + 1, key=lambda i: abs(left[i][1]).mid())
        for i in sorted((index, neighbour), reverse=True):
            left.pop(i)
    points = [x for x, _ in left]
    return points if len(points) == size and all(a < b for a, b in pairwise(points)) else None


def _swap(current: Levelled, largest: tuple[fmpq, arb]) -> list[fmpq]:
    """Let one point in and the neighbour whose error has the same sign out."""
    x, e = largest
    nodes = list(current.nodes)
    if x in nodes:
        raise Undecided
    positive = [(current.error > 0) == (i % 2 == 0) for i in range(len(nodes))]
    place = sum(node < x for node in nodes)
    wanted = bool(e > 0)
    if place == 0:
        return [x, *nodes[1:]] if positive[0] == wanted else [x, *nodes[:-1]]
    if place == len(nodes):
        return [*nodes[:-1], x] if positive[-1] == wanted else [*nodes[1:], x]
    nodes[place - 1 if positive[place - 1] == wanted else place] = x
    return nodes
