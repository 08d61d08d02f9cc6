"""Fieller's set against a grid, and the shape of every case."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.inference.gaussian_ratio import Quadratic, square_of, where_at_most_zero

GRID = 400
NUMBERS = st.fractions(-3, 3, max_denominator=12)


@given(c0=NUMBERS, c1=NUMBERS, c2=NUMBERS)
@settings(max_examples=150, deadline=None)
def test_it_is_the_hull_of_what_a_grid_finds(c0: Fraction, c1: Fraction, c2: Fraction) -> None:
    q = Quadratic(c0=c0, c1=c1, c2=c2)
    met = [r for r in (Fraction(i, GRID) for i in range(GRID + 1)) if q.at(r) <= 0]
    found = where_at_most_zero(q)
    if found is None:
        assert not met
        return
    assert 0 <= found[0] <= found[1] <= 1
    if met:
        assert found[0] <= met[0]
        assert met[-1] <= found[1]
    for end, beyond in ((found[0], found[0] - Fraction(1, 10**9)), (found[1], found[1] + Fraction(1, 10**9))):
        # an end is that of [0, 1] or a root
        assert end in (0, 1) or q.at(beyond) > -Fraction(1, 10**6)
        assert abs(q.at(end)) < Fraction(1, 10**6) or end in (0, 1)


def test_the_ratio_itself_is_never_excluded() -> None:
    for x, y, variance in [(3, 10, 4), (1, 2, 100), (0, 5, 1), (7, 7, 2), (-1, -3, 1)]:
        q = square_of(Fraction(x), Fraction(y)).plus(Quadratic(c0=Fraction(-variance), c1=Fraction(0), c2=Fraction(0)))
        found = where_at_most_zero(q)
        assert found is not None
        assert found[0] <= Fraction(x, y) <= found[1]


def test_a_group_that_may_be_empty_excludes_nothing() -> None:
    allowed = Quadratic(c0=Fraction(-9), c1=Fraction(0), c2=Fraction(-9))
    assert where_at_most_zero(square_of(Fraction(1), Fraction(2)).plus(allowed)) == (0, 1)
    assert where_at_most_zero(square_of(Fraction(0), Fraction(0))) == (0, 1)


def test_arithmetic() -> None:
    assert square_of(Fraction(2), Fraction(3)).times(Fraction(2)).at(Fraction(1, 2)) == Fraction(1, 2)
