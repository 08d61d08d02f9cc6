"""Two-sided bounds on the largest |f - P| over an interval, cell by cell.

On a cell with centre c, e = f - P is its Taylor polynomial at c plus a remainder coefficient that encloses
e^(K)/K! on the whole cell. Three bounds follow, and the least is taken:

- range: |e_0| + v with v = |e_1| h + ... + |e_K| h^K;
- end, where c is the end towards which |e| grows and |e_1| >= |e_2| h + ... + |e_K| h^(K-1): say e(c) > 0, then e is at
  most e(c) and at least e(c) - v;
- parabola, where |e_2| exceeds |e_3| h + ... + |e_K| h^(K-2) by m > 0, say e_2 < 0: e(c + t) is at most
  e_0 + e_1 t - m t^2, so at most e_0 + e_1^2/(4m), and at least e_0 - v.

With c at an extremum one cell closes it, half of the way to its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from flint import arb, arb_poly, fmpq

from bounds.approximation.balls import BallFunction
from bounds.approximation.pieces import Piece, as_polynomial
from bounds.approximation.rationals import ZERO, dyadic, dyadic_between, rounded
from bounds.enclosure import Enclosure, Undecided, as_fmpq, as_fraction
from bounds.errors import NotApplicable, NotCertified

HIGHEST_ORDER = 64
MOST_CELLS = 20_000
_RECENTRINGS = 4
_CENTRE_BITS = 72
LEAST_MARGIN = Fraction(33, 32)
"""Bounds that need not be tight get this factor: room for a checker with simpler arithmetic and wider intervals."""


@dataclass(frozen=True)
class Cell:
    """A part of the interval and the point of it that e is expanded at, with the order."""

    left: fmpq
    right: fmpq
    centre: fmpq
    order: int = 0


@dataclass(frozen=True)
class SupNorm:
    """max |f - P| lies between lo and hi; |f - P| reaches lo at `at`."""

    lo: Fraction
    hi: Fraction
    at: Fraction
    cells: tuple[Cell, ...]
    half_only: bool = False
    """The cells cover only x >= 0, because |f - P| is known to be even."""


class ErrorOnPiece:
    """e = f - P on one smooth piece, with a polynomial of exact coefficients."""

    def __init__(self, piece: Piece, coefficients: Sequence[Fraction]) -> None:
        self.piece = piece
        self.function = BallFunction(piece.expression)
        self.polynomial = arb_poly([arb(as_fmpq(c)) for c in coefficients])
        itself = as_polynomial(piece.expression)
        if itself is not None:
            self.orders: tuple[int, ...] = (max(2, int(itself.degree()) + 1),)
        else:
            degree = len(coefficients) - 1
            # beyond degree 120 only polynomials by formula come here, whose error needs no high order
            self.orders = (
                min(degree // 2 + 4, HIGHEST_ORDER // (1 if degree <= 120 else 2)),
                min(degree + 2, HIGHEST_ORDER),
            )

    def value(self, x: fmpq) -> arb:
        point = arb(x)
        return self.function(point) - self.polynomial(point)

    def model(self, cell: Cell) -> Model:
        """Coefficients of e at the centre; those that come from the remainder hold on the whole cell."""
        centre = arb(cell.centre)
        hull = arb(cell.left).union(arb(cell.right))
        remainder, decided = self.function.taylor(hull, cell.order)
        if decided:
            coefficients, _ = self.function.taylor(centre, cell.order - 1, same_branches=True)
            coefficients.append(remainder[-1])
        else:
            coefficients = [self.function(centre), remainder[1]]
        if not all(c.is_finite() for c in coefficients):
            coefficients = [self.function(hull)]
        order = len(coefficients) - 1
        difference: list[arb] = (arb_poly(coefficients) - self.polynomial(arb_poly([centre, 1]))).coeffs()
        return Model(difference + [arb(0)] * (3 - len(difference)), order)


@dataclass(frozen=True)
class Model:
    """e(c + t) = sum e_k t^k, with other numbers of the last balls at every t; at c it is known up to `order`."""

    coefficients: list[arb]
    order: int


@dataclass(frozen=True)
class CellBound:
    upper: arb
    """At least max |e| on the cell."""
    vertex: fmpq | None = None
    """Where the extremum of e appears to be, if e'' keeps its sign."""


def bound_cell(model: Model, cell: Cell, margin: Fraction = LEAST_MARGIN) -> CellBound:
    """The least of the three bounds on |e| over the cell; not finite where the function may be singular."""
    left, right = cell.left - cell.centre, cell.right - cell.centre
    h, room = arb(max(-left, right)), as_fmpq(margin)
    e0, e1, e2, *others = model.coefficients
    size, slope, bend = abs(e0), abs(e1), abs(e2)
    rest = arb_poly([abs(c) for c in others])(h) * h  # |e_3| h + |e_4| h^2 + ...
    steeper = (bend + rest) * h
    variation = (slope + steeper) * h * room
    upper = _upper(size + variation)
    signs = not e0.contains(0) and not e1.contains(0)
    grows = (left == 0 or right == 0) and signs and slope >= steeper * room
    if grows and ((e1 > 0) == (e0 > 0)) == (right == 0):
        upper = _least(upper, _upper(size).max(_upper(variation - size.lower())))
    bends = bend - rest * room
    if model.order < 2 or not bends > 0:
        return CellBound(upper)
    if e2 > 0:  # turn it over
        e0, e1 = -e0, -e1
    upper = _least(upper, _upper(e0 + e1 * e1 / (4 * bends)).max(_upper(variation - e0)))
    vertex = cell.centre + dyadic(e1 / (2 * bend))
    return CellBound(upper, min(max(vertex, cell.left), cell.right))


def _least(a: arb, b: arb) -> arb:
    return a if a <= b else b


def _upper(x: arb) -> arb:
    if not x.is_finite():
        return arb.pos_inf()
    return x.upper()


def sup_norm(
    errors: Sequence[ErrorOnPiece],
    *,
    relative: Fraction,
    negligible: Fraction,
    start: Iterable[Fraction] = (),
    symmetric: bool = False,
    margin: Fraction = LEAST_MARGIN,
) -> SupNorm:
    """Enclose max |e| over all pieces to the relative width, or find it to be at most `negligible`.

    `start` are points at which |e| is thought to be large: cells are put around them. With `symmetric`, |e| is known
    to be an even function and only x >= 0 is looked at.
    """
    search = _Search(relative, negligible, margin)
    points = sorted(as_fmpq(x) for x in start)
    for error in errors:
        low, high = as_fmpq(error.piece.left), as_fmpq(error.piece.right)
        low = max(low, ZERO) if symmetric else low
        if low < high:
            search.cover(error, low, high, [p for p in points if low <= p <= high])
    cells = sorted(search.cells, key=lambda c: c.left)
    assert search.at is not None
    lower, upper = Enclosure.of(search.lower), Enclosure.of(search.upper)
    return SupNorm(lower.lo, upper.hi, as_fraction(search.at), tuple(cells), symmetric)


class _Search:
    """Cells closed so far, and the best lower bound on max |e|."""

    def __init__(self, relative: Fraction, negligible: Fraction, margin: Fraction) -> None:
        self.growth, self.negligible, self.margin = arb(as_fmpq(1 + relative)), arb(as_fmpq(negligible)), margin
        self.lower = arb(0)
        self.upper = arb(0)
        self.at: fmpq | None = None
        self.cells: list[Cell] = []

    def cover(self, error: ErrorOnPiece, left: fmpq, right: fmpq, points: list[fmpq]) -> None:
        """Close [left, right]; `points` guide the first cells."""
        for x in (left, *points, right):
            self.look(error, x)
        waiting = list(reversed(_first_cells(left, right, points)))
        smallest = (right - left) / 2**200
        while waiting:
            cell = waiting.pop()
            if len(self.cells) > MOST_CELLS:
                raise NotCertified("the error could not be enclosed: too many cells (is the function smooth here?)")
            if cell.right - cell.left <= smallest:
                raise Undecided
            for order in error.orders:
                open_cell = self.close(error, Cell(cell.left, cell.right, cell.centre, order))
                if open_cell is None or self.close_from_an_end(error, open_cell):
                    break
                cell = open_cell
            else:
                waiting += reversed(self.split(error, cell))

    def split(self, error: ErrorOnPiece, cell: Cell) -> list[Cell]:
        """In three around the centre where |e| is about as large as anywhere, in two otherwise."""
        top = cell.centre
        if not cell.left < top < cell.right or 50 * self.look(error, top) < 49 * self.lower:
            middle = dyadic_between(cell.left, cell.right)
            return [
                Cell(cell.left, middle, dyadic_between(cell.left, middle)),
                Cell(middle, cell.right, dyadic_between(middle, cell.right)),
            ]
        low, high = dyadic_between(cell.left, top), dyadic_between(top, cell.right)
        return [
            Cell(cell.left, low, dyadic_between(cell.left, low)),
            Cell(low, high, top),
            Cell(high, cell.right, dyadic_between(high, cell.right)),
        ]

    def close_from_an_end(self, error: ErrorOnPiece, cell: Cell) -> bool:
        """Close the cell from the end where |e| is larger, unless |e| is smaller than elsewhere at both."""
        at_left, at_right = (self.look(error, x) for x in (cell.left, cell.right))
        if 50 * at_left.max(at_right) < 49 * self.lower:
            return False
        from_end = replace(cell, centre=cell.left if at_left > at_right else cell.right)
        return self.keep(from_end, bound_cell(error.model(from_end), from_end, self.margin))

    def look(self, error: ErrorOnPiece, x: fmpq) -> arb:
        """Raise the lower bound by the value at one point, and return it."""
        value = error.value(x)
        if not value.is_finite():
            shown = str(float(x)) if x.q.bit_length() > 40 else str(x)
            raise NotApplicable(f"function: has no certified finite value at x = {shown}, or is singular there")
        size = abs(value).lower()
        if self.at is None or size > self.lower:
            self.lower, self.at = size.max(arb(0)), x
        return size

    def close(self, error: ErrorOnPiece, cell: Cell) -> Cell | None:
        """Keep the cell, moving its centre to the extremum in it; otherwise return it with the last centre tried."""
        for _ in range(_RECENTRINGS):
            found = bound_cell(error.model(cell), cell, self.margin)
            if self.keep(cell, found):
                return None
            if found.vertex is None or found.vertex == cell.centre:
                break
            cell = replace(cell, centre=_short(found.vertex, cell))
            self.look(error, cell.centre)
        return cell

    def keep(self, cell: Cell, found: CellBound) -> bool:
        """Keep the cell if the bound on it is no more than |e| reaches anyway."""
        if not (found.upper <= self.lower * self.growth or found.upper <= self.negligible):
            return False
        if found.upper > self.upper:
            self.upper = found.upper
        self.cells.append(cell)
        return True


def _short(x: fmpq, cell: Cell) -> fmpq:
    """x with no more digits than its place in the cell deserves; an end stays unchanged."""
    if x in (cell.left, cell.right):
        return x
    return min(max(rounded(x, cell.right - cell.left, _CENTRE_BITS), cell.left), cell.right)


def _reach(gap: fmpq, other: fmpq) -> fmpq:
    """How far a cell goes into the gap: three tenths of a step of the parabola through its point and its neighbours."""
    return min((gap * 195 + other * 105) / 1000, gap * 35 / 100)


def _first_cells(left: fmpq, right: fmpq, points: list[fmpq]) -> list[Cell]:
    """One cell around every guiding point, reaching three tenths of the way to its neighbour, and one between them.

    For an error that oscillates like a cosine both kinds close at once: the vertex bound holds up to four tenths of the
    way, the range bound from two tenths on.
    """
    inner = [p for p in points if left < p < right]
    marks = [left, *inner, right]
    if not inner:
        return [Cell(left, right, dyadic_between(left, right))]
    gaps = [high - low for low, high in pairwise(marks)]
    ends = [left]
    for i, gap in enumerate(gaps):
        after = _reach(gap, gaps[i - 1] if i else gap)
        before = _reach(gap, gaps[i + 1] if i + 1 < len(gaps) else gap)
        ends += [
            dyadic_between(marks[i] + after * 3 / 4, marks[i] + after * 5 / 4),
            dyadic_between(marks[i + 1] - before * 5 / 4, marks[i + 1] - before * 3 / 4),
        ]
    ends.append(right)
    centres = []
    for index, (low, high) in enumerate(pairwise(ends)):
        mark = marks[index // 2] if index % 2 == 0 else None
        centres.append(Cell(low, high, mark if mark is not None else dyadic_between(low, high)))
    return centres
