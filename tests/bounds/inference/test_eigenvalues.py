"""Eigenvalues in balls: against mpmath, repeated and tiny ones, and the distance of guessed vectors."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from bounds.errors import DataError
from bounds.inference.eigenvalues import Eigensystem, eigensystem, root_down, root_up
from tests.bounds.inference.matrices import rational, symmetric

SPECTRA = (
    [3.0, 2.0, 1.0],
    [1.0, 1.0, 1.0],
    [2.0, 1.0, 1.0, -1.0],
    [1.0, 1.0 - 1e-9, 1e-12, -5.0],
    [0.5, 0.25],
    [1.0, 0.0, 0.0, 0.0, 0.0],
)


def exact_values(rows: list[list[Fraction]]) -> list[mpmath.mpf]:
    with mpmath.workdps(50):
        matrix = mpmath.matrix([[mpmath.mpf(x.numerator) / x.denominator for x in row] for row in rows])
        return sorted(mpmath.eigsy(matrix, eigvals_only=True), reverse=True)


@pytest.mark.parametrize("values", SPECTRA)
def test_eigenvalues_are_enclosed_as_mpmath_has_them(values: list[float]) -> None:
    rows = rational(symmetric(values, np.random.default_rng(len(values))))
    found = eigensystem(rows)
    for enclosed, exact in zip(found.values, exact_values(rows), strict=True):
        assert float(enclosed.lo) - 1e-30 <= exact <= float(enclosed.hi) + 1e-30
        assert enclosed.lo <= Fraction(str(mpmath.nstr(exact, 45))) + Fraction(1, 10**40)
        assert enclosed.hi >= Fraction(str(mpmath.nstr(exact, 45))) - Fraction(1, 10**40)
        assert enclosed.hi - enclosed.lo < Fraction(1, 10**11)


def test_whole_numbers_are_enclosed_on_both_sides() -> None:
    found = eigensystem([[Fraction(5), Fraction(0)], [Fraction(0), Fraction(-3)]])
    assert [value.contains(x) for value, x in zip(found.values, (5, -3), strict=True)] == [True, True]
    assert found.trace().contains(2)
    assert found.sum_of_largest(1).contains(5)
    assert 8 - Fraction(1, 10**9) < found.gap(1) <= 8


def test_zero_and_one_by_one() -> None:
    assert all(value.contains(0) for value in eigensystem([[Fraction(0)] * 3] * 3).values)
    found = eigensystem([[Fraction(7, 3)]])
    assert found.values[0].contains(Fraction(7, 3))
    assert found.offset(0, 1) == 0


def test_offsets_bound_the_sine_of_guessed_vectors() -> None:
    """Against eigenvectors of 40 digits."""
    rows = rational(symmetric([4.0, 3.0, 1.0, 0.5], np.random.default_rng(3)))
    found = eigensystem(rows)
    with mpmath.workdps(40):
        matrix = mpmath.matrix([[mpmath.mpf(x.numerator) / x.denominator for x in row] for row in rows])
        values, vectors = mpmath.eigsy(matrix)
        for place in range(4):
            exact, guess = vectors[:, 3 - place], mpmath.matrix([mpmath.mpf(x) for x in found.vectors[place]])
            cosine = (exact.T * guess)[0] / mpmath.norm(guess)
            offset = found.offset(place, place + 1)
            assert offset is not None
            assert mpmath.sqrt(max(1 - cosine**2, mpmath.mpf(0))) <= float(offset) < 1e-13
        assert values[3] <= float(found.values[0].hi)


def test_an_offset_is_not_told_between_equal_eigenvalues() -> None:
    found = eigensystem(rational(symmetric([1.0, 1.0, 0.25], np.random.default_rng(0))))
    assert found.offset(0, 1) is None
    assert found.offset(0, 2) is not None
    assert found.offset(0, 3) == 0


def test_a_tilted_basis_widens_eigenvalues_on_the_right_side() -> None:
    """Ends over numbers between 1 - tilt and 1 + tilt, for either sign."""
    found = eigensystem([[Fraction(1), Fraction(0)], [Fraction(0), Fraction(-1)]])
    assert isinstance(found, Eigensystem)
    assert found.values[0].lo <= 1 <= found.values[0].hi
    assert found.values[1].lo <= -1 <= found.values[1].hi


def test_what_is_not_symmetric_is_refused() -> None:
    with pytest.raises(DataError, match="not symmetric"):
        eigensystem([[Fraction(0), Fraction(1)], [Fraction(2), Fraction(0)]])


@pytest.mark.parametrize(
    "square", [Fraction(2), Fraction(1, 3), Fraction(10**30 + 1), Fraction(1, 10**40), Fraction(4)]
)
def test_roots_are_rounded_to_their_side(square: Fraction) -> None:
    assert root_down(square) ** 2 <= square <= root_up(square) ** 2
    assert root_up(square) <= root_down(square) * (1 + Fraction(1, 10**15))


def test_roots_of_nothing() -> None:
    assert root_up(Fraction(0)) == root_down(Fraction(-1)) == 0
