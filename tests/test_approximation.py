"""Certified approximation: published numbers at full digits, every degree, and independent ways to the same number."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from math import comb

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

import synthbounds as sb
from bounds.approximation.balls import BallFunction
from bounds.approximation.bernstein import bernstein
from bounds.approximation.context import context
from bounds.approximation.expression import expression_text
from bounds.approximation.functions import CATALOGUE, find_function
from bounds.approximation.grammar import read_expression
from bounds.approximation.minimax import lower_bound, minimax
from bounds.approximation.optimal import optimal
from bounds.approximation.rationals import exact
from bounds.approximation.result import Approximation, Question
from bounds.approximation.slopes import slopes
from bounds.enclosure import Enclosure, precision
from bounds.errors import SynthboundsError


def ask(function: str, interval: str, degree: int, method: str = "minimax", s: str | None = None) -> Approximation:
    return sb.approximate(function, interval=interval, degree=degree, method=method, marginal_error=s)


def relative_width(answer: Approximation) -> Fraction:
    least = answer.minimax_error
    assert least is not None
    return (least.hi - least.lo) / least.lo


def agrees(enclosure: Enclosure, text: str) -> bool:
    """Does an enclosure lie within one unit of the last digit of the text?"""
    unit = Fraction(1, 10 ** len(text.partition(".")[2].partition("e")[0]))
    if "e" in text:
        unit *= Fraction(10) ** int(text.partition("e")[2])
    return abs(enclosure.midpoint - Fraction(text)) <= unit


class TestDegreeFour:
    """The approximations of zhou2024, Figure 1, on [-5, 5]."""

    def test_true_minimax(self) -> None:
        answer = ask("logistic", "-5,5", 4)
        assert Fraction("0.0202313079384017") <= answer.error.lo <= answer.error.hi <= Fraction("0.0202313079384025")
        expected = ["0.713378488498347", "-0.5", "0.103771481803839", "0", "-0.00131389038886977"]
        assert all(
            abs(c.midpoint - Fraction(e)) < Fraction(1, 10**15)
            for c, e in zip(answer.coefficients, expected, strict=True)
        )
        assert answer.polynomial[1] == Fraction(-1, 2)
        assert answer.polynomial[3] == 0

    def test_the_printed_minimax_polynomial_is_not_it(self) -> None:
        printed = [Fraction(c) for c in ("0.71", "-0.5", "0.1096", "0", "-0.0015")]
        xs = np.linspace(-5, 5, 20001)
        error = np.abs(np.logaddexp(0, -xs) - sum(float(c) * xs**k for k, c in enumerate(printed))).max()
        assert error == pytest.approx(0.0620861915, abs=1e-8)
        assert error > 3 * float(ask("logistic", "-5,5", 4).error.hi)

    @pytest.mark.parametrize(
        ("h", "error"), [(1, "0.544567297857"), (4, "0.100254521743"), (9, "0.0572912475042"), (17, "0.029959612242")]
    )
    def test_iterated_bernstein(self, h: int, error: str) -> None:
        assert agrees(ask("logistic", "-5,5", 4, f"iterated:{h}").error, error)

    def test_best_iteration_is_sixteen(self) -> None:
        best = ask("logistic", "-5,5", 4, "iterated:best")
        assert best.method == "iterated:16"
        assert agrees(best.error, "0.0287591465274")
        assert best.notes == ("every other number of iterations, and the limit, has a larger error",)

    def test_limit_of_the_iterations(self) -> None:
        limit = ask("logistic", "-5,5", 4, "iterated:inf")
        assert agrees(limit.error, "0.060388406706")
        late = ask("logistic", "-5,5", 4, "iterated:1000")
        for a, b in zip(limit.coefficients, late.coefficients, strict=True):
            assert abs(a.midpoint - b.midpoint) < Fraction(1, 10**12)

    def test_chebyshev(self) -> None:
        assert agrees(ask("logistic", "-5,5", 4, "chebyshev").error, "0.0249646229075")
        assert agrees(ask("logistic", "-5,5", 4, "interpolation").error, "0.031869")


MINIMAX = [
    ("logistic", "-1,1", 60),
    ("logistic", "-5,5", 60),
    ("logistic", "-20,20", 60),
    ("hinge", "-2,2", 40),
    ("gamma-phi-gamma:0.1", "-1,1", 40),
    ("gamma-phi-gamma:0.01", "-1,1", 40),
    ("gamma-phi-gamma:1/4096", "-1,1", 40),
]


@pytest.mark.parametrize(("function", "interval", "most"), MINIMAX)
def test_minimax_of_every_degree(function: str, interval: str, most: int) -> None:
    """None refused, two-sided to 1e-12, the errors fall, and odd degrees gain nothing for the logistic loss."""
    question = Question.of(find_function(function), *(Fraction(x) for x in interval.split(",")))
    before = None
    for degree in range(1, most + 1):
        answer = minimax(question, degree)
        assert relative_width(answer) <= Fraction(1, 10**12)
        least = answer.minimax_error
        assert least is not None
        if before is not None:
            assert least.lo <= before.hi
            if function == "logistic" and degree % 2:
                assert before.lo <= least.hi
        before = least


@pytest.mark.parametrize(
    ("function", "interval", "degree", "error"),
    [
        ("logistic", "-5,5", 20, "4.2636428300675070589e-7"),
        ("logistic", "-1,1", 2, "5.91390120587846e-4"),
        ("logistic", "-1,1", 6, "1.69407932344e-7"),
        ("logistic", "-5,5", 6, "0.00463951620400195"),
        ("abs", "-1,1", 10, "0.02784511855355"),  # Varga and Carpenter's table of E_2n(|x|): 0.0278451185535508
        ("hinge", "-2,2", 2, "0.18"),
        ("hinge", "-2,2", 1, "0.375"),
    ],
)
def test_known_minimax_errors(function: str, interval: str, degree: int, error: str) -> None:
    answer = ask(function, interval, degree)
    assert answer.minimax_error is not None
    assert agrees(answer.minimax_error, error)


def test_minimax_of_a_power_is_a_chebyshev_polynomial() -> None:
    """x^n on [-1, 1] by degree n - 1: the error is 2^(1-n), known exactly."""
    for n in (2, 3, 7, 12):
        least = ask(f"x^{n}", "-1,1", n - 1).minimax_error
        assert least is not None
        assert least.lo <= Fraction(1, 2 ** (n - 1)) <= least.hi


def test_a_pole_outside_the_interval() -> None:
    """1/(x - c) by degree n: Chebyshev's closed form (c - sqrt(c^2-1))^n / (c^2 - 1)."""
    c = Fraction(3, 2)
    for n in (1, 4, 9):
        least = ask("1/(x-3/2)", "-1,1", n).minimax_error
        with precision(200):
            root = (arb(c.numerator * c.numerator - c.denominator**2)).sqrt() / c.denominator
            exact = (arb(3) / 2 - root) ** n / (root * root)
        assert least is not None
        assert abs(float(least.midpoint) / float(exact.mid()) - 1) < 1e-15


@pytest.mark.parametrize("scale", ["1e-30*", "1e30*"])
def test_the_scale_of_the_function_does_not_matter(scale: str) -> None:
    plain, scaled = ask("exp", "0,1", 5).minimax_error, ask(f"{scale}exp(x)", "0,1", 5).minimax_error
    assert plain is not None
    assert scaled is not None
    factor = Fraction(scale[:-1])
    assert abs(scaled.midpoint / factor - plain.midpoint) < plain.midpoint / 10**15


@given(st.integers(1, 9), st.integers(-40, 39), st.integers(1, 80), st.sampled_from(["exp(x)", "hinge", "abs(x)"]))
def test_minimax_on_any_interval_is_between_other_polynomials(d: int, left: int, width: int, name: str) -> None:
    """No other certified polynomial beats it, and its reference proves its lower bound."""
    a, b = Fraction(left, 10), Fraction(left + width, 10)
    question = Question.of(find_function(name), a, b)
    best = minimax(question, d)
    assert best.minimax_error is not None
    assert best.minimax_error.lo <= bernstein(question, d).error.hi
    assert best.minimax_error.lo <= ask(name, f"{a},{b}", d, "interpolation").error.hi
    if best.lower is not None:
        with precision(400):
            proved = lower_bound(question, best.lower.points)
        assert best.lower.value <= proved * (1 + Fraction(1, 10**20))
        assert proved <= best.error.hi <= proved * (1 + Fraction(1, 10**12))


class TestOptimal:
    ROWS = (
        ("5", 8, "0.01", "0.168711923145"),
        ("10", 8, "0.1", "3.26967582489"),
        ("1", 2, "0.01", "0.0147678506215"),
        ("1", 4, "0.001", "0.00129662407770"),
        ("2", 8, "0.1", "0.308181935007"),
        ("5", 4, "0.1", "1.24193840422"),
    )

    @pytest.mark.parametrize(("radius", "degree", "s", "value"), ROWS)
    def test_values_of_the_logistic_loss(self, radius: str, degree: int, s: str, value: str) -> None:
        answer = ask("logistic", f"-{radius},{radius}", degree, "optimal", s)
        assert answer.objective is not None
        assert answer.objective.gap < Fraction(1, 10**9)
        assert agrees(answer.objective.value, value)

    @pytest.mark.parametrize(("radius", "degree", "s"), [row[:3] for row in ROWS])
    def test_no_worse_than_any_other_polynomial(self, radius: str, degree: int, s: str) -> None:
        best = ask("logistic", f"-{radius},{radius}", degree, "optimal", s)
        assert best.objective is not None
        for method in ("minimax", "chebyshev", "bernstein", "iterated:9", "interpolation"):
            other = ask("logistic", f"-{radius},{radius}", degree, method)
            cost = sum(abs(c) * Fraction(radius) ** k for k, c in enumerate(other.polynomial) if k)
            assert best.objective.lower <= 4 * other.error.hi + 2 * Fraction(s) * cost

    def test_no_marginal_error_means_minimax(self) -> None:
        least = ask("logistic", "-5,5", 8).minimax_error
        best = ask("logistic", "-5,5", 8, "optimal", "0").objective
        assert least is not None
        assert best is not None
        assert best.value.lo <= 4 * least.hi
        assert 4 * least.lo <= best.value.hi
        assert best.gap < Fraction(1, 10**20)

    def test_large_marginal_error_means_a_constant(self) -> None:
        answer = ask("logistic", "-5,5", 6, "optimal", "10")
        assert answer.polynomial[1:] == (0,) * 6
        assert answer.objective is not None
        assert abs(answer.objective.value.midpoint - 10) < Fraction(1, 10**12)  # 2 osc = 2 R

    def test_a_polynomial_without_marginal_error_costs_nothing(self) -> None:
        best = ask("x^2/3", "-1,1", 2, "optimal", "0")
        assert best.objective is not None
        assert best.objective.lower == 0
        assert best.objective.value.hi < Fraction(1, 10**20)

    def test_falls_with_the_degree(self) -> None:
        values = [ask("hinge", "-5,5", d, "optimal", "0.05").objective for d in range(1, 9)]
        assert None not in values
        assert all(b.lower <= a.value.hi for a, b in pairwise(v for v in values if v is not None))

    @given(
        st.sampled_from(
            ["logistic", "hinge", "squared-hinge", "huber", "abs", "exp", "tanh(x)", "gamma-phi-gamma:0.1"]
        ),
        st.sampled_from(["1/2", "1", "7/3", "5", "10"]),
        st.integers(1, 10),
        st.sampled_from(["3", "0.37", "0.1", "0.01", "1e-5", "1e-8"]),
        st.booleans(),
    )
    def test_always_certified(self, name: str, radius: str, degree: int, s: str, half: bool) -> None:
        right = Fraction(radius)
        answer = optimal(Question.of(find_function(name), Fraction(0) if half else -right, right), degree, Fraction(s))
        assert answer.objective is not None
        assert answer.objective.gap <= Fraction(1, 10**9) * max(1, answer.objective.value.hi)


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
        reference = np.polynomial.chebyshev.Chebyshev.interpolate(lambda x: np.maximum(np.exp(x), 2), 40000)
        cut = np.polynomial.chebyshev.Chebyshev(reference.coef[:7]).convert(kind=np.polynomial.Polynomial)
        assert [float(c.midpoint) for c in answer.coefficients] == pytest.approx(list(cut.coef), abs=1e-6)


@pytest.mark.parametrize("method", ["bernstein", "iterated:3", "chebyshev", "interpolation", "minimax"])
def test_every_answer_has_all_coefficients(method: str) -> None:
    answer = ask("x^2/3", "-1,2", 5, method)
    assert len(answer.coefficients) == len(answer.polynomial) == 6


def test_the_notes_of_the_best_iteration_say_what_is_proved() -> None:
    few = ask("logistic", "-1,1", 12, "iterated:best")
    assert few.notes[0].endswith("up to 200, and the limit, has a larger error") or "is proved" in few.notes[0]
    line = ask("2*x", "0,1", 3, "iterated:best")
    assert line.notes == ("no number of iterations up to 200 is proved to have a smaller error",)


def test_help_names_every_method_and_function() -> None:
    from bounds.approximation.approximate import METHODS
    from synthbounds.cli.parser import build_parser

    (commands,) = (a for a in build_parser()._actions if a.dest == "command")
    text = commands.choices["approx"].format_help()  # type: ignore[index,call-overload]
    assert all(name in text for name in (*METHODS, *CATALOGUE))
    assert all(str(method.highest_degree) in text for method in METHODS.values())


def test_text_that_grows_when_written_out_is_refused() -> None:
    for text in ("sinh(" * 16 + "x" + ")" * 16, "abs(" * 26 + "x" + ")" * 26):
        with pytest.raises(SynthboundsError, match="parts when written out"):
            find_function(text)


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
            chord = abs(f(arb(exact(x))) - f(arb(exact(y)))) / arb(exact(y - x))
            assert not chord > arb(exact(found.slope.hi))

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
                value = BallFunction(piece.expression)(arb(exact(x)))
                assert float(value.mid()) == pytest.approx(float(definitions[name](float(x))), abs=1e-13)
                again = BallFunction(read_expression(function.text))(arb(exact(x)))
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


def test_the_global_series_length_is_left_alone() -> None:
    cap = ctx.cap
    ask("logistic", "-5,5", 12)
    assert ctx.cap == cap
