"""A partial correlation from two coefficients: true of real ones, and the least interval that a fine grid allows."""

from __future__ import annotations

from fractions import Fraction
from math import copysign, inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.inference.partial_correlation import Ends, partial_correlation
from tests.bounds.inference.matrices import symmetric
from tests.speeds import examples

ends = st.tuples(st.integers(-20, 20), st.integers(-20, 20)).map(lambda pair: (min(pair), max(pair)))


def as_ends(lo: float, hi: float) -> Ends:
    return (None if lo == -inf else Fraction(lo) / 10, None if hi == inf else Fraction(hi) / 10)


def clipped(value: float) -> float:
    return min(max(value, -1.0), 1.0)


@given(ends, ends)
@examples(300)
def test_ends_are_those_of_all_pairs_of_one_sign(first: tuple[int, int], second: tuple[int, int]) -> None:
    """All corners and zeros of a grid: whole tenths, where extremes are."""
    found = partial_correlation(as_ends(*first), as_ends(*second))
    grid = [(x, y) for x in range(first[0], first[1] + 1) for y in range(second[0], second[1] + 1)]
    values = [copysign(sqrt(x * y) / 10, x + y) for x, y in grid if x * y >= 0]
    signs = {(x > 0) - (x < 0) for x, y in grid if (x > 0) - (x < 0) == (y > 0) - (y < 0)}
    if signs:  # both coefficients have the sign of the correlation
        assert float(found.hi) == pytest.approx(clipped(max(values)), abs=1e-9)
        assert float(found.lo) == pytest.approx(clipped(min(values)), abs=1e-9)
        assert found.sign == (signs.pop() if len(signs) == 1 else 0)
    else:
        assert (found.lo, found.hi, found.sign) == (-1, 1, 0)


@pytest.mark.parametrize("seed", range(6))
def test_it_holds_the_correlation_of_residuals(seed: int) -> None:
    """Of two columns after regression on the others, from coefficients of numpy's least squares."""
    generator = np.random.default_rng(seed)
    rows = generator.standard_normal((40, 5)) @ symmetric([2.0, 1.0, 0.7, 0.5, 0.4], generator)
    rows[:, 4] = 1

    def coefficient(response: int, regressor: int) -> Fraction:
        others = [j for j in range(5) if j != response]
        found = np.linalg.lstsq(rows[:, others], rows[:, response], rcond=None)[0]
        return Fraction(float(found[others.index(regressor)]))

    rest = rows[:, 2:]
    left = rows[:, :2] - rest @ np.linalg.lstsq(rest, rows[:, :2], rcond=None)[0]
    truth = float(left[:, 0] @ left[:, 1] / np.linalg.norm(left[:, 0]) / np.linalg.norm(left[:, 1]))
    first, second = coefficient(0, 1), coefficient(1, 0)
    exact = partial_correlation((first, first), (second, second))
    assert float(exact.lo) == pytest.approx(truth, abs=1e-9)
    assert float(exact.hi) == pytest.approx(truth, abs=1e-9)
    assert exact.lo <= exact.hi
    assert exact.sign == (1 if truth > 0 else -1)


def test_unbounded_coefficients() -> None:
    nothing: Ends = (None, None)
    assert (partial_correlation(nothing, nothing).lo, partial_correlation(nothing, nothing).hi) == (-1, 1)
    told = partial_correlation((Fraction(1, 10), Fraction(1)), nothing)
    assert (told.sign, told.lo, told.hi) == (1, 0, 1)
    below = partial_correlation(nothing, (None, Fraction(-1, 10)))
    assert (below.sign, below.lo, below.hi) == (-1, -1, 0)
    half = partial_correlation((None, Fraction(1, 10)), (Fraction(-1), Fraction(1, 10)))
    assert (half.sign, half.lo) == (0, -1)
    assert float(half.hi) == pytest.approx(0.1)


def test_nothing_is_claimed_where_no_number_fits() -> None:
    found = partial_correlation((Fraction(1), Fraction(2)), (Fraction(-2), Fraction(-1)))
    assert (found.lo, found.hi, found.sign) == (-1, 1, 0)


def test_a_correlation_is_at_most_one() -> None:
    found = partial_correlation((Fraction(1), Fraction(9)), (Fraction(1, 4), Fraction(9)))
    assert (found.lo, found.hi) == (Fraction(1, 2), 1)
