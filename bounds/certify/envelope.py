"""By how much phi(y S) - phi(y V) can exceed a polynomial, certified in ball arithmetic.

The box of scores is cut into cells. On a cell the difference is at most the largest of its values at the corners and,
for every axis, width^2/8 times the largest downward curvature: along one axis a function lies below its chord plus that
much, and the chords of one axis are convex combinations of what the other axes bound. Cells whose bound is largest are
halved first, until the bound is nearly attained at a corner. Proof: docs/proofs/synthbounds.model-certificate.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import pairwise
from math import ceil, floor
from typing import TypeAlias

from flint import arb

from bounds.certify.loss_balls import SHORTEST_STEP, LossOnBalls
from bounds.certify.problem import Group, Problem, Range
from bounds.certify.shape import Shape, Slices
from bounds.enclosure import Enclosure, Undecided, as_fmpq, precision
from bounds.errors import NotApplicable

Interval: TypeAlias = tuple[float, float]
Cell: TypeAlias = tuple[Interval, ...]

BITS = 80
MOST_CELLS = 50_000
"""A few thousand are common; a polynomial that nearly equals the loss along a line can need any number."""
_STARTING_CELLS, _MOST_STARTING_CELLS = 4, 64
_LONGEST_START = 8.0
_MOST_PLACES = 200
LARGEST_SCORE = 2**32
"""Multiples of 2^-20 are exact floating-point numbers below 2^33."""


@dataclass(frozen=True)
class Scores:
    """The box: scores of the model, of any compared model, and of the direction if there is one.

    With groups it is one box of two scores for each value of the direction.
    """

    model: Range
    reach: Fraction
    direction: Range | None = None
    groups: tuple[Group, ...] = ()

    @classmethod
    def of(cls, problem: Problem) -> Scores:
        return cls(problem.scores, problem.compared.reach, problem.directions, problem.groups)

    def boxes(self) -> list[tuple[Fraction | None, list[Interval]]]:
        """The value of the direction, and intervals in S, V and U with short binary ends, not smaller than the box."""
        other = (-self.reach, self.reach)
        if self.groups:
            return [(group.value, [_outward(group.scores), _outward(other)]) for group in self.groups]
        direction = [] if self.direction is None else [_outward(self.direction)]
        return [(None, [_outward(self.model), _outward(other), *direction])]

    def largest(self) -> Fraction:
        """No argument of the loss is larger in absolute value."""
        return Fraction(max(abs(end) for _, axes in self.boxes() for axis in axes[:2] for end in axis))


@dataclass(frozen=True)
class Excess:
    """The largest excess over the box is at most `upper` and at least `lower`."""

    upper: Fraction
    lower: Fraction
    cells: int
    where: tuple[tuple[int, tuple[float, ...]], ...] = ()
    """Labels with points in the cells where it may be more than half of the largest, if that is positive."""


def largest_excess(loss: LossOnBalls, shape: Shape, scores: Scores, *, tolerance: Fraction) -> Excess:
    """The largest phi(y S) - phi(y V) - q over both labels and the box, up to the tolerance or as far as cells go."""
    boxes = scores.boxes()
    with precision(BITS):
        faces = [
            (_Side(loss, shape if value is None else shape.on_group(value), y), axes)
            for value, axes in boxes
            for y in (1, -1)
        ]
        waiting: list[tuple[float, int, int, Cell, tuple[arb, ...]]] = []
        best = arb("-inf")
        count = 0
        top = arb("-inf")

        def look(which: int, cell: Cell) -> None:
            nonlocal best, count, top
            at_corners, slack = faces[which][0].bound(cell)
            best = best.max(at_corners.lower())
            upper = (at_corners + sum(slack, arb(0))).upper()
            if not upper.is_finite():
                raise Undecided
            count += 1
            heappush(waiting, (-float(upper), count, which, cell, (upper, *slack)))

        for which, (side, axes) in enumerate(faces):
            for cell in _start(axes, loss, side.y):
                look(which, cell)
        allowed = arb(as_fmpq(tolerance))
        while True:
            _, _, which, cell, (upper, *slack) = waiting[0]
            if upper <= best + allowed:
                break
            if count > MOST_CELLS:  # what has been proved so far is a bound, too
                break
            heappop(waiting)
            axis = max(range(len(slack)), key=lambda i: float(slack[i]))
            low, high = cell[axis]
            middle = (low + high) / 2
            for part in ((low, middle), (middle, high)):
                look(which, (*cell[:axis], part, *cell[axis + 1 :]))
        # floats order the queue and may tie within rounding: the bound is the largest of all that wait
        for entry in waiting:
            top = top.max(entry[4][0])
        where = []
        for _, _, which, cell, (upper, *_) in sorted(waiting)[:_MOST_PLACES]:
            if best > 0 and upper > best / 2:
                value, _ = boxes[which // 2]
                direction = () if value is None else (float(value),)
                where.append((faces[which][0].y, (*((low + high) / 2 for low, high in cell), *direction)))
        return Excess(Enclosure.of(top).hi, Enclosure.of(best).lo, count, tuple(where))


def _outward(ends: Range) -> Interval:
    if max(abs(end) for end in ends) > LARGEST_SCORE:
        raise NotApplicable(
            "scores of the model or its class exceed 2^32 in absolute value: too large for exact corners of cells"
        )
    return floor(ends[0] * SHORTEST_STEP) / SHORTEST_STEP, ceil(ends[1] * SHORTEST_STEP) / SHORTEST_STEP


def _start(axes: list[Interval], loss: LossOnBalls, y: int) -> list[Cell]:
    """A few cells along every axis, cut at the kinks of the loss in S and V."""
    found: list[Cell] = [()]
    for place, (low, high) in enumerate(axes):
        count = _STARTING_CELLS  # as many as keep every cell short: on a long one a loss has no enclosure
        while (high - low) / count > _LONGEST_START and count < _MOST_STARTING_CELLS:
            count *= 2
        cuts = {low + (high - low) * k / count for k in range(1, count)} | {low, high}
        if place < 2:
            cuts |= {y * float(kink) for kink in loss.kinks if low < y * kink < high}
        ends = sorted(cuts) if low < high else [low, low]  # a model without features has one score
        found = [(*cell, (a, b)) for cell in found for a, b in pairwise(ends)]
    return found


class _Side:
    """The difference for one label. Corners and edges are shared by many cells, and their values are kept."""

    def __init__(self, loss: LossOnBalls, shape: Shape, y: int) -> None:
        self.loss, self.y = loss, y
        self.slices = Slices(shape, y, lambda value: arb(as_fmpq(value)))
        self._parabolas: dict[tuple[float, ...], tuple[arb, arb, arb]] = {}
        self._values: dict[tuple[float, ...], arb] = {}
        self._added: tuple[dict[Cell, arb], ...] = ({}, {}, {})
        self._each_axis_alone = shape.weighted is None

    def bound(self, cell: Cell) -> tuple[arb, list[arb]]:
        """The largest value at a corner, and what every axis adds between corners."""
        largest: arb | None = None
        values = self._values
        directions: tuple[tuple[float, ...], ...] = ((),) if len(cell) == 2 else ((cell[2][0],), (cell[2][1],))
        for s in cell[0]:
            for u in directions:
                for v in cell[1]:
                    corner = (s, v, *u)
                    value = values.get(corner)
                    if value is None:
                        value = values[corner] = self._value(*corner)
                    largest = value if largest is None else largest.max(value)
        assert largest is not None
        return largest, self._slacks(cell)

    def _value(self, s: float, v: float, u: float | None = None) -> arb:
        start, slope, bend = self._parabola(s, u)
        other = arb(v)
        return start - self.loss.value(self.y * v) - other * (slope + bend * other)

    def _parabola(self, s: float, u: float | None) -> tuple[arb, arb, arb]:
        """phi(y S) - start, slope and bend at one (S, U), kept."""
        key = (s,) if u is None else (s, u)
        found = self._parabolas.get(key)
        if found is None:
            at, direction = arb(s), None if u is None else arb(u)
            rest = self.loss.value(self.y * s) - self.slices.start(at, direction)
            found = rest, self.slices.slope(at, direction), self.slices.bend(at)
            self._parabolas[key] = found
        return found

    def _slacks(self, cell: Cell) -> list[arb]:
        found = []
        for axis, kept in enumerate(self._added[: len(cell)]):
            key = cell[axis : axis + 1] if self._each_axis_alone or axis == 2 else cell[:2]
            slack = kept.get(key)
            if slack is None:
                low, high = cell[axis]
                bend = self._downward(cell, axis)
                slack = kept[key] = (arb(high) - arb(low)) ** 2 / 8 * bend.upper().max(arb(0))
            found.append(slack)
        return found

    def _downward(self, cell: Cell, axis: int) -> arb:
        """The largest downward curvature along one axis; without weighted moments the other axes do not matter."""
        found: arb
        if axis == 2:
            found = self.slices.direction_curvature()
        elif axis == 1:
            found = self._curvature(cell[1])[1] + 2 * self.slices.bend(_ball(cell[0]))
        else:
            found = self.slices.score_curvature(_ball(cell[0]), _ball(cell[1])) - self._curvature(cell[0])[0]
        return found

    def _curvature(self, interval: Interval) -> tuple[arb, arb]:
        low, high = interval
        return self.loss.curvature(low, high) if self.y > 0 else self.loss.curvature(-high, -low)


def _ball(interval: Interval) -> arb:
    low, high = arb(interval[0]), arb(interval[1])
    return low.union(high)
