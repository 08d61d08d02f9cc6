"""Bernstein and Chebyshev polynomials against their definitions and the theorems about them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import synthbounds as sb
from tests.polynomials import agrees, ask


class TestBernstein:
    def test_degree_one_thousand(self) -> None:
        answer = ask("logistic", "-5,5", 1000, "bernstein")
        assert agrees(answer.error, "0.00311532104557524306693")
        assert answer.coefficient_sum.hi - answer.coefficient_sum.lo < Fraction(1, 10**15)
        assert agrees(answer.coefficient_sum, "1.325769119145125602446")

    def test_iterated_of_high_degree(self) -> None:
        """Degree 100, h = 50 against the definition in floating point."""
        answer = ask("logistic", "-5,5", 100, "iterated:50")
        points = np.linspace(0, 1, 101)
        binomials = np.array([float(comb(100, k)) for k in range(101)])

        def basis(u: np.ndarray) -> np.ndarray:
            k = np.arange(101)
            return binomials * u[:, None] ** k * (1 - u[:, None]) ** (100 - k)

        remaining = np.logaddexp(0, 5 - 10 * points)
        total = np.zeros(101)
        for _ in range(50):
            total += remaining
            remaining = remaining - basis(points) @ remaining
        u = np.linspace(0, 1, 2001)
        error = np.abs(basis(u) @ total - np.logaddexp(0, 5 - 10 * u)).max()
        assert float(answer.error.midpoint) == pytest.approx(error, rel=1e-5)

    @pytest.mark.parametrize("degree", [1, 2, 5, 9])
    def test_coefficients_by_the_definition(self, degree: int) -> None:
        """Exactly, for a function with rational values."""
        answer = ask("x^2-abs(x)/3", "-1,2", degree, "bernstein")
        coefficients = [Fraction(0)] * (degree + 1)
        for k in range(degree + 1):
            x = Fraction(-1) + Fraction(3 * k, degree)
            value = x * x - abs(x) / 3
            for i, j in product(range(k + 1), range(degree - k + 1)):  # ((x+1)/3)^k ((2-x)/3)^(d-k)
                term = comb(k, i) * comb(degree - k, j) * Fraction(2) ** (degree - k - j) * (-1) ** j
                coefficients[i + j] += value * comb(degree, k) * term / Fraction(3) ** degree
        assert all(e.contains(c) for e, c in zip(answer.coefficients, coefficients, strict=True))

    def test_errors_against_the_theorems(self) -> None:
        for degree in (1, 2, 3, 4, 8):
            error = ask("logistic", "-1,1", degree, "bernstein").error
            smooth = sb.evaluate("zhou2024.bernstein-smooth", edition="sharp", curvature=".25", width=2, D=degree)[0]
            assert smooth.value is not None
            assert error.hi <= smooth.value.hi
            lipschitz = sb.evaluate("zhou2024.bernstein-lipschitz", edition="sharp", slope=1, width=2, D=degree)[0]
            assert lipschitz.value is not None
            assert ask("abs", "-1,1", degree, "bernstein").error.lo <= lipschitz.value.hi

    def test_the_mean_deviation_is_attained(self) -> None:
        """|x - u| at the worst u: an even degree has it at nu/(D+1), here D = 4, u = 2/5."""
        value = sb.evaluate("zhou2024.bernstein-lipschitz", edition="sharp", slope=1, width=1, D=4)[0].value
        error = ask("abs(x-2/5)", "0,1", 4, "bernstein").error
        assert value is not None
        assert abs(value.midpoint - Fraction("0.20736")) < Fraction(1, 10**15)
        assert abs(error.midpoint - Fraction("0.20736")) < Fraction(1, 10**15)

    @pytest.mark.parametrize(("degree", "norm"), [(1, 1), (2, 2), (3, 2.5), (4, 4), (5, 4.75), (6, 8), (8, 16)])
    def test_norm_by_trying_all_signs(self, degree: int, norm: float) -> None:
        z = np.polynomial.Polynomial([0, 1])
        basis = [comb(degree, k) * ((1 + z) / 2) ** k * ((1 - z) / 2) ** (degree - k) for k in range(degree + 1)]
        matrix = np.array([b.coef for b in basis])
        largest = max(np.abs(np.array(signs) @ matrix).sum() for signs in product((1, -1), repeat=degree + 1))
        assert largest == pytest.approx(norm)
        bound = sb.evaluate("synthbounds.bernstein-norm", norm=1, left=1, right=1, D=degree)[0].value
        assert bound is not None
        assert largest <= float(bound.hi) + 1e-12
        if degree % 2 == 0:
            assert largest == pytest.approx(float(bound.lo))

    @given(
        st.integers(1, 7), st.integers(1, 40), st.integers(1, 40), st.lists(st.integers(-9, 9), min_size=8, max_size=8)
    )
    def test_coefficient_bounds_hold(self, degree: int, a: int, b: int, values: list[int]) -> None:
        left, right = Fraction(a, 10), Fraction(b, 10)
        x = np.polynomial.Polynomial([0, 1])
        u = (x + float(left)) / float(left + right)
        f = values[: degree + 1]
        polynomial = sum(f[k] * comb(degree, k) * u**k * (1 - u) ** (degree - k) for k in range(degree + 1))
        for row in sb.evaluate(
            "zhou2024.coefficient-sum", edition="sharp", norm=max(map(abs, f)), left=left, right=right, D=degree
        ):
            assert row.value is not None
            assert np.abs(polynomial.coef).sum() <= float(row.value.hi) * (1 + 1e-9) + 1e-9


def test_sikkemas_constant_is_reached_at_degree_six() -> None:
    root = mpmath.sqrt(6)
    u = mpmath.mpf(5) / 6 - 1 / root
    counts = [mpmath.ceil(root * abs(mpmath.mpf(k) / 6 - u) - mpmath.mpf(10) ** -30) for k in range(7)]
    counts[5] += 1  # just below u the share 5/6 is further away than 1/sqrt(6)
    mean = sum(c * comb(6, k) * u**k * (1 - u) ** (6 - k) for k, c in enumerate(counts))
    value = sb.evaluate("zhou2024.bernstein-continuous", edition="sharp", omega=1)[1].value
    assert value is not None
    assert abs(mean - mpmath.mpf(value.lo.numerator) / value.lo.denominator) < mpmath.mpf(10) ** -15


class TestChebyshev:
    @pytest.mark.parametrize(
        ("radius", "half", "error"),
        [(1, 1, "6.00787921649e-4"), (1, 2, "9.54647488701e-6"), (1, 3, "1.72679474448e-7"), (5, 2, "0.0249646229075")],
    )
    def test_exact_truncation_error_of_the_logistic_loss(self, radius: int, half: int, error: str) -> None:
        """Three ways: the theorem's integral, the enclosed polynomial, and the double series itself."""
        row = sb.evaluate("synthbounds.logistic-chebyshev", radius=radius, half_degree=half)[0].value
        assert row is not None
        assert agrees(row, error)
        enclosed = ask("logistic", f"-{radius},{radius}", 2 * half, "chebyshev").error
        assert enclosed.lo <= row.hi
        assert row.lo <= enclosed.hi
        p = (2 * np.arange(1, 20001) - 1) * np.pi
        q = radius / (np.sqrt(p * p + radius * radius) + p)
        series = sum((2 / l) * (q ** (2 * l)).sum() for l in range(half + 1, half + 60))  # noqa: E741
        assert series == pytest.approx(float(row.midpoint), rel=1e-9)

    def test_coefficients_against_numpy(self) -> None:
        answer = ask("exp(x)/(3+x)", "-1,2", 12, "interpolation")
        xs = np.linspace(-1, 2, 7)
        reference = np.polynomial.chebyshev.Chebyshev.interpolate(lambda x: np.exp(x) / (3 + x), 12, domain=[-1, 2])(xs)
        mine = sum(float(c) * xs**k for k, c in enumerate(answer.polynomial))
        assert np.allclose(mine, reference, rtol=0, atol=1e-11)

    def test_series_of_the_absolute_value(self) -> None:
        """|x| = 2/pi + (4/pi) sum (-1)^(k+1) T_2k/(4k^2-1): degree 2 is 2/(3 pi) + 8/(3 pi) x^2."""
        answer = ask("abs", "-1,1", 2, "chebyshev")
        assert float(answer.coefficients[0].midpoint) == pytest.approx(2 / (3 * np.pi), abs=1e-15)
        assert float(answer.coefficients[2].midpoint) == pytest.approx(8 / (3 * np.pi), abs=1e-15)

    def test_a_kink_that_is_only_enclosed(self) -> None:
        answer = ask("max(exp(x),2)", "-1,1", 6, "chebyshev")
        angles = (np.arange(40000) + 0.5) * np.pi / 40000
        values = np.maximum(np.exp(np.cos(angles)), 2)
        series = [2 * (values * np.cos(k * angles)).mean() for k in range(7)]
        series[0] /= 2
        cut = np.polynomial.chebyshev.Chebyshev(series).convert(kind=np.polynomial.Polynomial)
        assert [float(c.midpoint) for c in answer.coefficients] == pytest.approx(list(cut.coef), abs=1e-6)
