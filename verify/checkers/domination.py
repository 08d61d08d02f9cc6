"""Proves that a polynomial q dominates the difference of two losses, for all possible scores.

S is the score of the certified model, V that of a compared one, U the value of a feature if the
file names one, y the label. It proves phi(yS) - phi(yV) <= q + excess: (1) and (1') of
docs/proofs/synthbounds.model-certificate.md, cell by cell with part (c).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise, product

from flint import arb, fmpq

from verify.checkers import Work, common_bits, require

GRID = 2**40
"""Cells end at multiples of 1/GRID, where polynomials are exact in balls."""
MOST_CELLS = 200_000
STEPS_A_CELL = 200
KINKS = (-1, 1)
"""Where phi(yS) may have a kink."""

Matrix = list[list[fmpq]]
Axis = tuple[arb, arb]


@dataclass(frozen=True)
class Loss:
    """A loss of the margin, with no kink except at 1."""

    name: str
    value: Callable[[arb], arb]
    bend: Callable[[arb], arb]
    """The second derivative between kinks: even, and falling from 0 on."""


LOSSES = {
    "log(1+exp(-x))": Loss(
        "logistic",
        lambda t: (1 + (-t).exp()).log(),
        lambda t: 1 / (2 + t.exp() + (-t).exp()),
    ),
    "max(0,1-x)": Loss("hinge", lambda t: (1 - t).max(arb(0)), lambda t: arb(0)),
    "(1-x)^2/2": Loss("squared", lambda t: (1 - t) ** 2 / 2, lambda t: arb(1)),
}


@dataclass(frozen=True)
class Box:
    """Records with one value of U, and the model's smallest and largest score on them."""

    u: fmpq
    low: fmpq
    high: fmpq


@dataclass(frozen=True)
class Polynomial:
    """q = constant + y label.b + b'Gb + S^2 b'G4b with b = (1, S, V), or (1, S, V, U)."""

    constant: fmpq
    label: list[fmpq]
    form: Matrix
    weighted: Matrix

    def value(self, y: int, b: list[arb]) -> arb:
        found, square = arb(self.constant), b[1] ** 2
        for i, left in enumerate(b):
            found += y * self.label[i] * left
            for j, right in enumerate(b):
                found += left * right * (self.form[i][j] + square * self.weighted[i][j])
        return found

    def bend_in_s(self, b: list[arb]) -> arb:
        """Half of the second derivative in S; b holds balls around all scores of a cell."""
        s, others = b[1], [arb(1), arb(0), *b[2:]]
        rows = [
            sum((x * w for x, w in zip(others, row, strict=True)), arb(0)) for row in self.weighted
        ]
        flat = sum((x * row for x, row in zip(others, rows, strict=True)), arb(0))
        return self.form[1][1] + flat + 6 * s * (rows[1] + s * self.weighted[1][1])

    def bend_in_v(self, s: arb) -> arb:
        """Half of the second derivative in V."""
        return self.form[2][2] + s * s * self.weighted[2][2]


@dataclass(frozen=True)
class Cell:
    """A label, a value of U, and a rectangle of scores S and V."""

    y: int
    u: arb
    s: Axis
    v: Axis

    def halves(self, *, along_v: bool) -> list[Cell]:
        low, high = self.v if along_v else self.s
        middle = (low + high) / 2
        parts = ((low, middle), (middle, high))
        if along_v:
            return [Cell(self.y, self.u, self.s, part) for part in parts]
        return [Cell(self.y, self.u, part, self.v) for part in parts]


def require_domination(
    loss: Loss, q: Polynomial, boxes: list[Box], reach: fmpq, excess: fmpq, work: Work
) -> None:
    """phi(yS) - phi(yV) <= q + excess on all boxes, cut until every cell is proved."""
    work.charge(2 * len(boxes) * STEPS_A_CELL)
    waiting = [cell for box in boxes for cell in first_cells(box, reach)]
    count = 0
    while waiting:
        cell = waiting.pop()
        count += 1
        work.charge(STEPS_A_CELL)
        corner = largest_corner(loss, q, cell)
        above = rise_between_corners(loss, q, cell)
        if corner + above[0] + above[1] <= excess:
            continue
        hopeful = corner <= excess and count < MOST_CELLS
        require(hopeful, "excess: the polynomial is not proved to dominate")
        waiting += cell.halves(along_v=bool(above[1] > above[0]))


def first_cells(box: Box, reach: fmpq) -> list[Cell]:
    """The whole box, widened to the grid and cut at kinks of the loss."""
    across_s = pieces(box.low, box.high)
    across_v = pieces(-reach, reach)
    u = arb(box.u)
    return [Cell(y, u, s, v) for y, s, v in product((1, -1), across_s, across_v)]


def pieces(low: fmpq, high: fmpq) -> list[Axis]:
    start, stop = arb((low * GRID).floor()) / GRID, arb((high * GRID).ceil()) / GRID
    inside = [arb(kink) for kink in KINKS if start < kink < stop]
    return list(pairwise([start, *inside, stop]))


def largest_corner(loss: Loss, q: Polynomial, cell: Cell) -> arb:
    """The difference at the corners; arb's max keeps a NaN, Python's would drop it."""
    found = arb("-inf")
    for s, v in product(cell.s, cell.v):
        b = [arb(1), s, v, cell.u][: len(q.label)]
        gap = loss.value(cell.y * s) - loss.value(cell.y * v) - q.value(cell.y, b)
        found = found.max(gap.upper())
    return found


def rise_between_corners(loss: Loss, q: Polynomial, cell: Cell) -> tuple[arb, arb]:
    """(c): width^2/8 times the largest downward curvature, for S and for V.

    The curvature of phi is smallest at the score farthest from 0 and largest at the nearest.
    """
    s, v = cell.s[0].union(cell.s[1]), cell.v[0].union(cell.v[1])
    b = [arb(1), s, v, cell.u][: len(q.label)]
    farthest = (-cell.s[0]).max(cell.s[1])
    nearest = cell.v[0].max(-cell.v[1]).max(arb(0))
    in_s = 2 * q.bend_in_s(b) - loss.bend(farthest)
    in_v = 2 * q.bend_in_v(s) + loss.bend(nearest)
    return rise(cell.s, in_s), rise(cell.v, in_v)


def rise(axis: Axis, bend: arb) -> arb:
    return (axis[1] - axis[0]) ** 2 / 8 * bend.upper().max(arb(0))


def score_boxes(
    blocks: list[list[list[fmpq]]], coefficients: list[fmpq], feature: int | None, work: Work
) -> list[Box]:
    """(l): for every value of the feature the exact range of the model's scores on the domain.

    Without a feature U is 0 throughout. Columns add up; the intercept, last, is always 1.
    """
    bits = common_bits((int(w.q) for w in coefficients), work)
    work.charge(sum(len(block) * len(block[0]) for block in blocks), bits, bits)
    intercept = coefficients[-1]
    boxes = [Box(fmpq(0), intercept, intercept)]
    place = 0
    for block in blocks:
        part = coefficients[place : place + len(block[0])]
        at = None if feature is None else feature - place
        groups: dict[fmpq, list[fmpq]] = {}
        for row in block:
            u = row[at] if at is not None and 0 <= at < len(row) else fmpq(0)
            score = sum((x * w for x, w in zip(row, part, strict=True)), fmpq(0))
            groups.setdefault(u, []).append(score)
        ends = [(u, min(scores), max(scores)) for u, scores in groups.items()]
        work.charge(len(boxes) * len(ends), bits, bits)
        boxes = [Box(box.u + u, box.low + a, box.high + b) for box in boxes for u, a, b in ends]
        place += len(block[0])
    return boxes
