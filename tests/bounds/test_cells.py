"""Bounds on cells against samples: a hundred thousand random cells, wide ones and high orders among them."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from flint import arb, fmpq

from bounds.approximation.cells import Cell, ErrorOnPiece, Model, bound_cell
from bounds.approximation.functions import find_function
from bounds.approximation.pieces import Piece
from bounds.enclosure import as_fmpq, precision

CHUNKS = 8
CELLS = 13_000
FUNCTIONS = (
    "logistic",
    "exp",
    "tanh(x)",
    "1/(x^2+1)",
    "log(x+9)",
    "sqrt(x^2+1/100)",
    "x^3-2*x",
    "exp(-x^2)*(1+x)",
    "hinge",
)


def _random_cell(rng: random.Random, left: Fraction, right: Fraction) -> Cell:
    """Width from 10^-7 to the whole interval; the centre inside, or an end, or the middle."""
    width = Fraction(10 ** rng.uniform(-7, 0)) * (right - left)
    low = left + (right - left - width) * Fraction(rng.random())
    centre = low + width * rng.choice([Fraction(rng.random()), Fraction(0), Fraction(1), Fraction(1, 2)])
    return Cell(as_fmpq(low), as_fmpq(low + width), as_fmpq(centre), rng.choice([2, 3, 4, 6, 9, 11, 12, 16, 24, 40]))


@pytest.mark.parametrize("chunk", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in range(2, CHUNKS))])
def test_no_sample_exceeds_a_bound(chunk: int) -> None:
    rng = random.Random(f"cells {chunk}")
    sharper = finite = 0
    with precision(128):
        for number in range(CELLS):
            if number % 50 == 0:
                piece = rng.choice(find_function(rng.choice(FUNCTIONS)).pieces(Fraction(-4), Fraction(4)))
                coefficients = [Fraction(rng.randint(-40, 40), 10 * 3**k) for k in range(rng.choice([1, 2, 3, 6, 12]))]
                error = ErrorOnPiece(piece, coefficients)
            cell = _random_cell(rng, piece.left, piece.right)
            model = error.model(cell)
            upper = bound_cell(model, cell).upper
            if not upper.is_finite():
                continue
            finite += 1
            h = max(cell.right - cell.centre, cell.centre - cell.left)
            by_range = sum(
                (abs(c) * arb(h) ** k for k, c in enumerate(model.coefficients)),
                arb(0),
            )
            sharper += bool(upper < by_range)
            for x in (
                cell.left,
                cell.right,
                cell.centre,
                cell.left + (cell.right - cell.left) * fmpq(rng.randint(0, 999), 999),
            ):
                assert not abs(error.value(x)) > upper, (piece, coefficients, cell, x)
    assert finite > CELLS * 0.9
    assert sharper > CELLS * 0.1  # the bounds by slope and by curvature were really used


def test_at_least_a_hundred_thousand_cells() -> None:
    assert CHUNKS * CELLS >= 100_000


def test_a_switch_inside_a_cell_takes_no_curvature_from_the_branches() -> None:
    """max has no second derivative at a kink: only range and slope may be used there."""
    tree = find_function("max(exp(x),2)").expression
    error = ErrorOnPiece(Piece(Fraction(0), Fraction(1), tree), [Fraction(0)])
    with precision(128):
        model = error.model(Cell(fmpq(1, 2), fmpq(9, 10), fmpq(7, 10), 6))
    assert model.order == 1


def test_a_value_of_unknown_sign_proves_no_growth() -> None:
    cell = Cell(fmpq(0), fmpq(1), fmpq(0), 2)
    with precision(128):
        model = Model([arb(50, 50), arb(100), arb(0)], 2)
        assert bound_cell(model, cell).upper >= 200


def test_branches_are_chosen_on_the_whole_cell() -> None:
    """x and x^2 meet at 1 with different slopes; on [1, 2] the square counts, also at 1 itself."""
    error = ErrorOnPiece(Piece(Fraction(1), Fraction(2), find_function("max(x,x^2)").expression), [Fraction(0)])
    with precision(128):
        error.function.taylor(arb("1.3 +/- 0.1"), 2)
        coefficients, _ = error.function.taylor(arb(1), 2, same_branches=True)
    assert [float(c.mid()) for c in coefficients] == [1, 2, 1]


def test_a_singular_cell_has_no_bound() -> None:
    error = ErrorOnPiece(Piece(Fraction(-1), Fraction(1), find_function("1/x").expression), [Fraction(0)])
    with precision(128):
        cell = Cell(fmpq(-1), fmpq(1), fmpq(1, 4), 5)
        assert not bound_cell(error.model(cell), cell).upper.is_finite()
