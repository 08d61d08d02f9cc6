"""Functions by name and as text, their kinks and their Lipschitz constants."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from bounds.approximation.balls import BallFunction
from bounds.approximation.context import context
from bounds.approximation.expression import expression_text
from bounds.approximation.functions import CATALOGUE, find_function
from bounds.approximation.grammar import read_expression
from bounds.approximation.result import Question
from bounds.approximation.slopes import slopes
from bounds.enclosure import as_fmpq
from bounds.errors import SynthboundsError
from tests.polynomials import ask


class TestLipschitz:
    @pytest.mark.parametrize(
        ("function", "interval", "slope", "curvature"),
        [
            ("logistic", "-5,5", "0.993307149075", "0.25"),
            ("hinge", "-2,2", "1", None),
            ("squared-hinge", "-2,2", "6", "2"),
            ("huber", "-3,3", "1", "1"),
            ("gamma-phi-gamma:0.1", "-1,1", "2.05", "20.025"),  # 2 + gamma/2 and gamma/4 + 2/gamma
            ("exp", "0,1", "2.718281828459", "2.718281828459"),
            ("max(exp(x),2)", "0,1", None, None),
        ],
    )
    def test_constants(self, function: str, interval: str, slope: str | None, curvature: str | None) -> None:
        left, right = (Fraction(x) for x in interval.split(","))
        found = slopes(Question.of(find_function(function), left, right))
        for enclosure, expected in ((found.slope, slope), (found.curvature, curvature)):
            assert (enclosure is None) == (expected is None)
            if enclosure is not None and expected is not None:
                assert abs(enclosure.midpoint - Fraction(expected)) < Fraction(1, 10**11)
                assert enclosure.hi - enclosure.lo <= enclosure.hi / 10**11

    @given(st.integers(-30, 30), st.integers(1, 60), st.sampled_from(["logistic", "tanh(x)", "exp(-x^2)", "huber:1/3"]))
    def test_no_chord_is_steeper(self, left: int, width: int, name: str) -> None:
        a, b = Fraction(left, 10), Fraction(left + width, 10)
        found = slopes(Question.of(find_function(name), a, b))
        f = BallFunction(find_function(name).expression)
        assert found.slope is not None
        xs = [a + (b - a) * k / 20 for k in range(21)]
        for x, y in pairwise(xs):
            chord = abs(f(arb(as_fmpq(x))) - f(arb(as_fmpq(y)))) / arb(as_fmpq(y - x))
            assert not chord > arb(as_fmpq(found.slope.hi))

    def test_bounds_of_the_theorems_hold(self) -> None:
        for name, interval in (("logistic", "-5,5"), ("hinge", "-2,2"), ("huber", "-3,2")):
            for degree in (1, 4, 9):
                answer = ask(name, interval, degree, "bernstein")
                known = context(answer).bounds
                assert known
                assert all(answer.error.lo <= bound.value.hi for bound in known)


class TestFunctions:
    @pytest.mark.parametrize("name", CATALOGUE)
    def test_named_functions_by_their_definition(self, name: str) -> None:
        full = f"{name}:1/8" if "gamma" in name else name
        definitions = {
            "logistic": lambda t: np.log1p(np.exp(-t)),
            "softplus": lambda t: np.log1p(np.exp(t)),
            "log-sigmoid": lambda t: -np.log1p(np.exp(-t)),
            "log-sigmoid-minus": lambda t: -np.log1p(np.exp(t)),
            "exp": np.exp,
            "exponential": lambda t: np.exp(-t),
            "hinge": lambda t: max(0, 1 - t),
            "squared-hinge": lambda t: max(0, 1 - t) ** 2,
            "huber": lambda t: t * t / 2 if abs(t) <= 1 else abs(t) - 1 / 2,
            "abs": abs,
            "phi-gamma": _phi_gamma,
            "gamma-phi-gamma": lambda t: _phi_gamma(t) / 8,
        }
        function = find_function(full)
        for piece in function.pieces(Fraction(-3), Fraction(3)):
            for share in range(5):
                x = piece.left + (piece.right - piece.left) * share / 4
                value = BallFunction(piece.expression)(arb(as_fmpq(x)))
                assert float(value.mid()) == pytest.approx(float(definitions[name](float(x))), abs=1e-13)
                again = BallFunction(read_expression(function.text))(arb(as_fmpq(x)))
                assert again.overlaps(value)

    def test_declared_symmetry_is_true(self) -> None:
        for name in CATALOGUE:
            function = find_function(f"{name}:1/8" if "gamma" in name else name)
            slope = function.even_with_slope
            if slope is None:
                continue
            f = BallFunction(function.expression)
            for part in (1, 5, 9):
                x = arb(part) / 3
                assert (f(x) - f(-x)).overlaps(2 * x * arb(slope.numerator) / slope.denominator)

    @given(
        st.recursive(
            st.sampled_from(["x", "2", "0.5", "1/3", "7"]),
            lambda inner: st.one_of(
                st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]}){t[1]}({t[2]})"),
                st.tuples(st.sampled_from(["exp", "abs", "tanh", "cosh"]), inner).map(lambda t: f"{t[0]}({t[1]})"),
                st.tuples(inner, inner).map(lambda t: f"max({t[0]},{t[1]})"),
                inner.map(lambda t: f"-({t})^2"),
            ),
            max_leaves=6,
        )
    )
    def test_text_reads_back_as_the_same_function(self, text: str) -> None:
        try:
            tree = read_expression(text)
        except SynthboundsError:
            return
        again = read_expression(expression_text(tree))
        for x in (arb(1) / 3, arb(-2) / 7):
            first, second = BallFunction(tree)(x), BallFunction(again)(x)
            assert first.overlaps(second) or not first.is_finite()

    def test_kinks_are_found_exactly_or_enclosed(self) -> None:
        kinks = Question.of(find_function("abs(x^2-1/4)"), Fraction(-1), Fraction(1)).kinks
        assert kinks == (Fraction(-1, 2), Fraction(1, 2))
        near = Question.of(find_function("max(exp(x),2)"), Fraction(0), Fraction(1)).kinks
        assert all(abs(float(k) - np.log(2)) < 1e-15 for k in near)
        assert len(near) == 2


def _phi_gamma(t: float, g: float = 1 / 8) -> float:
    """Equation (3) of zhou2024, branch by branch."""
    branch = 1 - 2 * t / g if t <= 0 else (t - g) ** 2 / g**2 if t <= g else 0
    return (1 - t) ** 2 / 8 + branch
