"""Certified minimax and optimal polynomials: published numbers at full digits, every degree, independent ways."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from bounds.approximation.approximate import approximate
from bounds.approximation.bernstein import bernstein
from bounds.approximation.exchange import Exchange
from bounds.approximation.float_start import nearly_levelled
from bounds.approximation.functions import CATALOGUE, find_function
from bounds.approximation.grammar import read_expression
from bounds.approximation.minimax import lower_bound, minimax
from bounds.approximation.optimal import optimal
from bounds.approximation.result import Question
from bounds.enclosure import precision
from bounds.errors import SynthboundsError
from tests.polynomials import agrees, ask, relative_width
from tests.speeds import ALL, in_both


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


@pytest.mark.share(3)
@in_both
@pytest.mark.parametrize(("function", "interval", "most"), MINIMAX)
def test_minimax_of_every_degree(function: str, interval: str, most: int) -> None:
    """None refused, two-sided to 1e-12, the errors fall, and odd degrees gain nothing for the logistic loss."""
    question = Question.of(find_function(function), *(Fraction(x) for x in interval.split(",")))
    before = None
    degrees = range(1, most + 1)
    for degree in degrees if ALL else [*degrees[:12], *degrees[12::9], most]:
        answer = minimax(question, degree)
        assert relative_width(answer) <= Fraction(1, 10**12)
        least = answer.minimax_error
        assert least is not None
        if before is not None:
            assert least.lo <= before.hi
            if function == "logistic" and degree % 2 and (ALL or degree < 12):
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


def test_the_global_series_length_is_left_alone() -> None:
    cap = ctx.cap
    ask("logistic", "-5,5", 12)
    assert ctx.cap == cap


@pytest.mark.parametrize(("function", "interval", "degree"), [("softplus", "-5,5", 20), ("exp(x)", "0,1", 3)])
def test_the_start_in_floating_point_leaves_one_step_to_the_exchange(
    function: str, interval: str, degree: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, step = [], Exchange._moved
    monkeypatch.setattr(Exchange, "_moved", lambda self, current: steps.append(1) or step(self, current))
    approximate(function, interval=interval, degree=degree)
    assert len(steps) == 1


def test_a_function_that_floats_cannot_hold_keeps_its_start() -> None:
    nodes = [fmpq(0), fmpq(1, 2), fmpq(1)]
    assert nearly_levelled(read_expression("exp(1000+x)"), nodes, slope=None) == nodes
    assert nearly_levelled(read_expression("log(x)"), nodes, slope=None) == nodes
