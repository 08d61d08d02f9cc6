"""Where Theorem 4.1 of zhou2024 says nothing: both sides of every threshold, and Appendix B's claims by exact sums."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import mpmath
import pytest
from mpmath import mpf

import synthbounds as sb
from bounds.approximation.bernstein import bernstein
from bounds.approximation.functions import find_function
from bounds.approximation.minimax import minimax
from bounds.approximation.result import Question
from bounds.approximation.slopes import slopes
from bounds.arithmetic.multiprecision import to_mpf
from bounds.enclosure import Enclosure
from bounds.errors import ParameterError, SynthboundsError, UsageError
from bounds.papers import sources_of
from bounds.risk.crossings import Shape, positive_region
from bounds.risk.query_lower_bound import Condition, QueryLowerBound, query_lower_bound
from synthbounds.render.document import Vacuous
from synthbounds.render.latex import render_latex
from synthbounds.render.markdown import render_markdown
from synthbounds.render.query_lower_bound import lower_document, lower_payload
from synthbounds.render.text import TextRenderer

ln = mpmath.log
CONSTANTS = (None, "1", "1/10", "2", "25", "1e-40")
Margin = Callable[[mpf, mpf], mpf]


@pytest.fixture(autouse=True)
def _digits() -> Any:
    with mpmath.workdps(60):
        yield


def condition(report: QueryLowerBound, name: str, edition: str = "corrected") -> Condition:
    return next(k for k in report.conditions if k.name == name and k.edition == edition)


def root(enclosure: Enclosure | None) -> mpf:
    assert enclosure is not None
    assert 0 <= enclosure.hi - enclosure.lo <= enclosure.hi / 2**99
    return to_mpf(enclosure.midpoint)


def share(c: mpf) -> mpf:
    return min(mpf(1) / 5, c / 8)


def wide(x: mpf, c: mpf) -> mpf:
    return max(x / c, mpf(9))


def positive(x: mpf, c: mpf) -> mpf:
    y = wide(x, c)
    sampled = x / mpmath.sqrt(2 * mpmath.exp(x))
    return 9 * (mpf(1) / 2 - y ** (-mpf(1) / 2) - sampled) - (1 - 1 / y**3) ** 2


# Written from the conditions themselves, with n = e^x, gamma = 1/x^3, m = 2 x^5 or 2 x^7.
PAPER: dict[tuple[str, str], Margin] = {
    ("size", "printed"): lambda x, c: 2 * x**5 - 2 * mpmath.e,
    ("size", "corrected"): lambda x, c: 2 * x**7 - 2 * mpmath.e,
    ("margin", ""): lambda x, c: mpf(2) ** -6 - x**-3,
    ("margin", "sharp"): lambda x, c: mpf(2) ** -6 - wide(x, c) ** -3,
    ("eta", ""): lambda x, c: mpf(1) / 4 - (x**-3) ** (mpf(1) / 6),
    ("queries", "printed"): lambda x, c: c * x - share(c) * x / (3 * ln(x)) * ln(4 * x**5),
    ("queries", "corrected"): lambda x, c: c * x - share(c) * x / (3 * ln(x)) * ln(5 * x**7),
    ("deviations", ""): lambda x, c: x - 2 * ln(x) - ln(800 * x**6),
    ("d >= 1", ""): lambda x, c: share(c) * x / (3 * ln(x)) - 1,
    ("d >= 2", ""): lambda x, c: share(c) * x / (3 * ln(x)) - 2,
    ("d >= 4", ""): lambda x, c: share(c) * x / (3 * ln(x)) - 4,
    ("quarter", "printed"): lambda x, c: x / 4 - share(c) * x / (3 * ln(x)) * ln(12 * x**5),
    ("quarter", "corrected"): lambda x, c: x / 4 - share(c) * x / (3 * ln(x)) * ln(12 * x**7),
    ("records", ""): lambda x, c: x - ln(2 * x**7),
    ("small deviations", ""): lambda x, c: x - 2 * ln(x) - ln(2048 * (1 + 3 / (4 * x**3)) ** 2 * x**6),
    ("positive", ""): positive,
    ("d = 1", ""): lambda x, c: x - ln(5 * wide(x, c) ** 7),
    ("d = 2", ""): lambda x, c: x - 2 * ln(5 * wide(x, c) ** 7),
    ("d = 4", ""): lambda x, c: x - 4 * ln(5 * wide(x, c) ** 7),
}  # fmt: skip


def margin_of(k: Condition) -> Margin | None:
    return PAPER.get((k.name, k.edition)) or PAPER.get((k.name, ""))


class TestThresholds:
    @pytest.mark.parametrize(
        ("name", "c", "expected"),
        [
            ("deviations", None, "35.16502833102261663560407009"),
            ("records", None, "22.4822208752662831663925774263"),
            ("small deviations", None, "36.3759024219635244528759410284"),
            ("d >= 1", None, "61.8773011599066636497275052897"),
            ("d >= 2", None, "150.398691300566457558550661362"),
            ("d >= 4", None, "351.780432596331482558174170088"),
            ("d >= 1", "1", "113.580226230281220226318684628"),
            ("d >= 2", "1", "268.447448218079389204974552973"),
            ("margin", None, "4"),
            ("eta", None, "16"),
        ],
    )
    def test_figures(self, name: str, c: str | None, expected: str) -> None:
        found = root(condition(query_lower_bound(query_constant=c), name).threshold)
        assert abs(found - mpf(expected)) < mpf(10) ** -25

    @pytest.mark.parametrize(
        ("name", "c", "n"),
        [
            ("eta", None, 8886111),
            ("margin", None, 55),
            ("records", None, 5806366793),
            ("deviations", None, 1870586346715549),
            ("small deviations", None, 6278468159333244),
            ("d >= 1", None, 746397968687429806357762425),
        ],
    )
    def test_smallest_integers(self, name: str, c: str | None, n: int) -> None:
        smallest = condition(query_lower_bound(query_constant=c), name).smallest
        assert smallest is not None
        assert smallest.value == n
        assert smallest.is_valid

    @pytest.mark.share(3)
    @pytest.mark.parametrize("c", CONSTANTS)
    def test_every_threshold_separates(self, c: str | None) -> None:
        report = query_lower_bound(query_constant=c)
        constant = mpf(8) / 5 if c is None else to_mpf(Fraction(c))  # c/c' is 8 at worst, c' at most 1/5
        for k in report.conditions:
            if k.threshold is None or k.threshold.hi == k.start:
                continue
            step = max(k.threshold.hi, Fraction(1)) / 10**24
            below, above = k.threshold.lo - step, k.threshold.hi + step
            for x, expected in ((below, False), (above, True)):
                if not 1 < x <= 10**100:
                    continue
                at = condition(query_lower_bound(log_n=x, query_constant=c), k.name, k.edition)
                assert at.holds is expected, (k.edition, k.name)
                margin = margin_of(k)
                if margin is not None:
                    assert (margin(to_mpf(x), constant) > 0) is expected, (k.edition, k.name)

    @pytest.mark.share(3)
    @pytest.mark.parametrize("c", ["1", "2", "25", "1/10"])
    def test_conditions_hold_where_their_formulas_say(self, c: str) -> None:
        rng = random.Random(c)
        for _ in range(25):
            x = Fraction(rng.randint(10**6 + 1, 10 ** rng.randint(7, 9)), 10**6)
            report = query_lower_bound(log_n=x, query_constant=c)
            for k in report.conditions:
                margin = margin_of(k)
                if margin is not None and x > k.start:
                    assert k.holds is bool(margin(to_mpf(x), to_mpf(Fraction(c))) >= 0), (x, k.edition, k.name)

    def test_conditions_that_hold_twice(self) -> None:
        report = query_lower_bound(query_constant=1)
        twice = {k.name: k for k in report.conditions if k.edition == "corrected" and k.earlier is not None}
        assert set(twice) == {"d >= 1", "d >= 2", "d >= 4", "records"}
        assert root(twice["records"].earlier) == pytest.approx(mpf("1.0527079251571424901606825769"), abs=1e-25)
        assert root(twice["d >= 1"].earlier) == pytest.approx(mpf("1.04448092393028667655978541717"), abs=1e-25)
        for name, k in twice.items():
            assert k.earlier is not None
            assert k.threshold is not None
            inside, between = (1 + k.earlier.lo) / 2, (k.earlier.hi + k.threshold.lo) / 2
            assert condition(query_lower_bound(log_n=inside, query_constant=1), name).holds is True
            assert condition(query_lower_bound(log_n=between, query_constant=1), name).holds is False
            assert k.earlier.hi < 4  # there gamma is above 2^-6

    def test_smallest_integers_are_what_their_thresholds_say(self) -> None:
        for c in CONSTANTS:
            for k in query_lower_bound(query_constant=c).conditions:
                if k.smallest is None:
                    continue
                n = k.smallest.value
                assert k.smallest.is_valid
                with mpmath.workdps(len(str(n)) + 40):
                    assert k.threshold is not None
                    assert ln(n) - to_mpf(k.threshold.lo) > -(mpf(10) ** -24)
                    assert n == 1 or ln(n - 1) < to_mpf(k.threshold.hi)

    def test_a_threshold_that_is_a_whole_number_of_records(self) -> None:
        # gamma^(-1/3) is 9 up to ln n = 9c, and then (5 * 9^7)^d is the number of records asked for.
        for orders in (1, 2, 4):
            smallest = condition(query_lower_bound(query_constant=25), f"d = {orders}", "sharp").smallest
            assert smallest is not None
            assert smallest.value == (5 * 9**7) ** orders
        assert 5 * 9**7 == 23914845

    def test_an_equality_is_decided_exactly(self) -> None:
        # (ln^5 n)^d 12^d = n^(1/4) at c = 1, ln n = 12, and at c = 12/11, ln n = 144
        for x, c in (("12", "1"), ("144", "12/11")):
            assert condition(query_lower_bound(log_n=x, query_constant=c), "quarter", "printed").holds is True
        assert condition(query_lower_bound(log_n="11.999999", query_constant=1), "quarter", "printed").holds is False

    def test_what_each_condition_is_for(self) -> None:
        report = query_lower_bound(query_constant=2)
        roles = {(k.edition, k.name): k.role for k in report.conditions}
        needed = {name for (edition, name), role in roles.items() if edition == "corrected" and role == "lower half"}
        assert needed == {"features", "size", "margin", "eta", "tolerance", "queries", "deviations", "d >= 1"}
        assert {name for (edition, name), role in roles.items() if edition == "sharp" and role == "lower half"} == {
            "features", "margin", "tolerance", "positive", "d = 1",
        }  # fmt: skip
        assert roles["printed", "d >= 2"] == roles["corrected", "quarter"] == "upper half"
        assert roles["corrected", "d >= 4"] == roles["corrected", "records"] == roles["sharp", "d = 2"] == "remark"
        assert {k.start for k in report.conditions if k.edition == "sharp"} == {2}
        statements = [k.statement for k in report.conditions if k.name.startswith("d = ")]
        assert statements == ["5 gamma^(-7/3) <= n", "(5 gamma^(-7/3))^2 <= n", "(5 gamma^(-7/3))^4 <= n"]

    def test_a_margin_that_is_positive_everywhere(self) -> None:
        region = positive_region(lambda x: x**2 - 2 * x + 2, Shape(Fraction(0), (Fraction(1), Fraction(1))))
        assert region.threshold is not None
        assert region.threshold() == 0
        assert region.earlier is None


class TestJointly:
    def test_as_printed_it_is_empty(self) -> None:
        for c in CONSTANTS:
            printed = query_lower_bound(query_constant=c).joint[0]
            assert (printed.edition, printed.feasible, printed.threshold) == ("printed", False, None)
            assert printed.binding in ("features", "tolerance")
            assert "covers no n" in printed.sentence

    def test_the_printed_exponent_contradicts_theorem_b3(self) -> None:
        r = mpf(5) / 6
        for m in (3, 100, 10**6):
            gamma = (mpf(m) / 2) ** (-5 / (10 - 2 * r))
            assert 2 * gamma ** (-2 - 2 * r / 5) > m
            repaired = (mpf(m) / 2) ** (-5 / (10 + 2 * r))
            assert abs(2 * repaired ** (-2 - 2 * r / 5) - m) < mpf(10) ** -40
        at_100 = 2 * (mpf(50) ** (-5 / (10 - 2 * r))) ** (-2 - 2 * r / 5)
        assert abs(at_100 - mpf("478.176")) < mpf("0.001")

    def test_the_constant_left_open(self) -> None:
        report = query_lower_bound()
        corrected = report.joint[1]
        assert report.share == Fraction(1, 5)
        assert corrected.feasible is None
        assert corrected.binding == "d >= 1"
        assert report.empty == corrected.sentence
        assert "below 10^26.87" in report.empty
        assert "from n = 10^26.88 on, if c >= 1" in report.empty
        assert [j.edition for j in report.joint] == ["printed", "corrected"]

    @pytest.mark.parametrize(
        ("c", "least", "words"),
        [
            ("1", "113.5802262302812202263", "10^49.32"),
            ("8/5", "61.8773011599066636497", "10^26.87"),
            ("100", "61.8773011599066636497", "10^26.87"),
            ("1.2", "91.0", ""),
        ],
    )
    def test_from_one_on(self, c: str, least: str, words: str) -> None:
        corrected = query_lower_bound(query_constant=c).joint[1]
        assert corrected.feasible is True
        assert corrected.binding == "d >= 1"
        assert words in corrected.sentence
        if words:
            assert abs(root(corrected.threshold) - mpf(least)) < mpf(10) ** -15
        else:
            assert 62 < root(corrected.threshold) < 113

    @pytest.mark.parametrize("c", ["0.999999", "1/10", "1e-40"])
    def test_below_one_the_tolerance_fails(self, c: str) -> None:
        printed, corrected, sharp = query_lower_bound(query_constant=c).joint
        assert corrected.feasible is False
        assert corrected.binding == "tolerance"
        assert "less than 1" in corrected.sentence
        assert printed.feasible is False
        assert sharp.feasible is True

    @pytest.mark.parametrize(
        ("c", "n"),
        [
            ("1", 21602731102),
            ("2", 23914845),
            ("1000", 23914845),
            ("1/2", 15185417464649),
            ("1.8878", 23914845),
            ("1.8877", 23926745),
        ],
    )
    def test_sharp(self, c: str, n: int) -> None:
        sharp = query_lower_bound(query_constant=c).joint[2]
        assert sharp.smallest is not None
        assert sharp.smallest.value == n
        assert f"from n = {n:,} on" in sharp.sentence

    def test_the_theorem_applies_exactly_where_its_conditions_hold(self) -> None:
        rng = random.Random(4)
        seen = set()
        for _ in range(60):
            x = Fraction(rng.randint(20_000, 2_000_000), 10**4)
            c = Fraction(rng.randint(1, 30), 10)
            report = query_lower_bound(log_n=x, query_constant=c)
            holds = {j.edition: j.holds for j in report.joint}
            value = {v.route: v.value is not None for v in report.lower}
            assert value["gamma/8 less two deviations"] is holds["corrected"]
            assert value["separator"] is holds["sharp"]
            assert (report.largest_order or 0) >= (1 if holds["sharp"] else 0)
            seen |= set(holds.items())
        assert ("sharp", True) in seen
        assert ("corrected", True) in seen
        assert ("corrected", False) in seen

    def test_orders(self) -> None:
        report = query_lower_bound(log_n=200, query_constant=1)
        d = mpf(200) / 8 / (3 * ln(mpf(200)))
        assert report.order is not None
        assert abs(to_mpf(report.order.midpoint) - d) < mpf(10) ** -15
        assert report.largest_order == int(200 / ln(5 * mpf(200) ** 7)) == 5
        assert [v.value is None for v in report.upper] == [True, True, True, True, False]  # whole part of d is 1
        assert query_lower_bound(log_n=62).lower == ()

    def test_numbers_of_a_hundred_digits(self) -> None:
        report = query_lower_bound(log_n="1e100", query_constant="1e-100")
        assert report.joint[2].holds is True
        huge = condition(report, "d >= 4").threshold
        assert huge is not None
        assert huge.lo > 10**104
        assert condition(report, "d >= 4").smallest is None


def lower(x: object, c: object) -> dict[str, Any]:
    return {v.route: v.value for v in sb.evaluate("zhou2024.lower", log_n=x, query_constant=c)}  # type: ignore[arg-type]


class TestLowerValues:
    def test_values(self) -> None:
        x = mpf(200)
        found = lower(200, 1)
        eta = 1 / mpmath.sqrt(x)
        assert found["as printed"].lo == Fraction(1, 16 * 200**3)
        assert found["gamma/8 less two deviations"].lo == Fraction(1, 40 * 200**3)
        assert abs(to_mpf(found["error near 1/2"].midpoint) * x**3 - (mpf(27) / 80 - 9 * eta / 8)) < mpf(10) ** -15
        assert abs(to_mpf(found["separator"].midpoint) * x**3 - positive(x, mpf(1)) / 8) < mpf(10) ** -15

    def test_constants_of_the_proof(self) -> None:
        assert Fraction(1, 8) - 2 * Fraction(1, 20) == Fraction(1, 40)  # not 1/16, as equation (8) has it
        assert Fraction(1, 8) - 2 * Fraction(1, 32) == Fraction(1, 16)
        assert Fraction(7, 16) - 2 * Fraction(1, 20) == Fraction(27, 80)
        for gamma in (Fraction(1, 65), Fraction(1, 1000)):
            for deviation, divisor in ((20, 800), (32, 2048)):
                exponent = 2 * (gamma / deviation) ** 2 / (2 + 3 * gamma / 2) ** 2
                assert exponent == gamma**2 / (divisor * (1 + 3 * gamma / 4) ** 2)

    def test_the_printed_value_holds_where_the_corrected_edition_does(self) -> None:
        for x, c in ((62, 2), (114, 1), (500, 1), (10**6, 3)):
            found = lower(x, c)
            assert found["error near 1/2"].lo > found["as printed"].hi > found["gamma/8 less two deviations"].hi
            assert found["separator"].lo > found["error near 1/2"].hi

    def test_nine_is_near_the_best(self) -> None:
        def value(y: Fraction) -> mpf:
            z = to_mpf(y)
            return (9 * (mpf(1) / 2 - z ** (-mpf(1) / 2)) - (1 - z**-3) ** 2) / z**3

        best = max(value(Fraction(k, 100)) for k in range(500, 3000))
        assert value(Fraction(9)) > best * mpf("0.999")

    def test_the_number_of_queries(self) -> None:
        for m, d in product((1, 2, 7, 40), (1, 2, 3, 5)):
            cells = sum(comb(m + 1, i) * 2**i for i in range(min(d, m + 1) + 1))
            assert cells <= (2 * m + 3) ** d
        assert sum(comb(8, i) * 2**i for i in range(2)) == 17 > 2 * 7  # the printed (2m)^d fails for d = 1
        for y in (Fraction(41, 10), Fraction(9), Fraction(100)):
            m = -(-2 * y**7 // 1)
            assert 2 * m + 3 < 5 * y**7

    @pytest.mark.parametrize(
        ("x", "c", "route", "words"),
        [
            ("15.9", "1", "gamma/8 less two deviations", "log_n is at least 16"),
            ("40", "0.99", "gamma/8 less two deviations", "query_constant is at least 1"),
            ("35.165028", "2", "gamma/8 less two deviations", "800 ln^6 n"),
            ("35.165029", "2", "gamma/8 less two deviations", "no marginal at all"),
            ("61.8773", "1.6", "gamma/8 less two deviations", "no marginal at all"),
            ("4", "1", "error near 1/2", "greater than 4"),
            ("23.796085", "1", "separator", "fewer than n queries"),
            ("100", "0", "separator", "positive"),
        ],
    )
    def test_refusals(self, x: str, c: str, route: str, words: str) -> None:
        rows = {v.route: v for v in sb.evaluate("zhou2024.lower", log_n=x, query_constant=c)}
        assert rows[route].value is None
        assert words in rows[route].reason

    @pytest.mark.parametrize(
        ("x", "c", "route"),
        [
            ("61.8774", "1.6", "gamma/8 less two deviations"),
            ("113.5803", "1", "gamma/8 less two deviations"),
            ("23.796086", "1", "separator"),
            ("16.9901", "50", "separator"),
        ],
    )
    def test_just_above(self, x: str, c: str, route: str) -> None:
        assert lower(x, c)[route] is not None

    def test_the_source_is_cited(self) -> None:
        assert "dagan2020" in [paper.key for paper in sources_of("zhou2024")]


def phi(gamma: Fraction, t: Fraction) -> Fraction:
    """gamma phi_gamma, written from equation (3)."""
    bowl = (1 - t) ** 2 / 8
    if t <= 0:
        return gamma * (bowl + 1 - 2 * t / gamma)
    return gamma * (bowl + ((t - gamma) ** 2 / gamma**2 if t <= gamma else 0))


def question(gamma: Fraction) -> Question:
    return Question.of(find_function(f"gamma-phi-gamma:{gamma}"), Fraction(-1), Fraction(1))


GAMMAS = (Fraction(1, 10), Fraction(1, 64), Fraction(1, 729), Fraction(1))


class TestLoss:
    @pytest.mark.parametrize("gamma", GAMMAS)
    def test_constants(self, gamma: Fraction) -> None:
        found = {(v.edition, v.route): v.value for v in sb.evaluate("zhou2024.phi-gamma", margin=gamma)}
        slope, convexity, largest = (found["sharp", name] for name in ("slope", "convexity", "range"))
        assert slope is not None
        assert convexity is not None
        assert largest is not None
        measured = slopes(question(gamma)).slope
        assert measured is not None
        assert measured.contains(slope.lo)
        assert slope.lo == 2 + gamma / 2
        step = Fraction(1, 10**6)
        assert (phi(gamma, -1 + step) - phi(gamma, Fraction(-1))) / step > -slope.lo
        second = (phi(gamma, -step) - 2 * phi(gamma, -2 * step) + phi(gamma, -3 * step)) / step**2
        assert second == convexity.lo == gamma / 4
        assert largest.lo == phi(gamma, Fraction(-1)) == 2 + 3 * gamma / 2
        assert phi(gamma, Fraction(0)) == 9 * gamma / 8
        assert phi(gamma, Fraction(1)) == 0
        printed = [found["printed", name] for name in ("slope", "convexity", "range")]
        assert all(p is not None for p in printed)
        assert printed[0].hi < slope.lo  # type: ignore[union-attr]
        assert printed[1].lo > convexity.hi  # type: ignore[union-attr]
        assert printed[2].hi < largest.lo  # type: ignore[union-attr]

    @pytest.mark.parametrize("gamma", GAMMAS)
    @pytest.mark.parametrize("degree", [1, 2, 3, 9, 16])
    def test_claim_b2(self, gamma: Fraction, degree: int) -> None:
        rows = {v.route: v.value for v in sb.evaluate("zhou2024.phi-gamma-bernstein", margin=gamma, D=degree)}
        error = bernstein(question(gamma), degree).error
        for route, value in rows.items():
            assert value is not None, route
            assert error.hi <= value.hi, route
        samples = [phi(gamma, Fraction(2 * k - degree, degree)) for k in range(degree + 1)]
        for u in (Fraction(k, 12) for k in range(13)):
            value = sum(comb(degree, k) * u**k * (1 - u) ** (degree - k) * s for k, s in enumerate(samples))
            assert 0 <= value - phi(gamma, 2 * u - 1) <= error.hi

    def test_claim_b2_is_sharp_for_odd_degrees(self) -> None:
        gamma = Fraction(1, 10**6)
        for degree in (3, 9):
            bound = sb.evaluate("zhou2024.phi-gamma-bernstein", edition="sharp", margin=gamma, D=degree)[0].value
            assert bound is not None
            assert bernstein(question(gamma), degree).error.lo > bound.hi * Fraction(9999, 10000)

    @pytest.mark.parametrize("bad", ["0", "1.01"])
    def test_what_is_no_margin_is_refused(self, bad: str) -> None:
        assert all(v.value is None for v in sb.evaluate("zhou2024.phi-gamma", margin=bad))


def inner(w: Sequence[Fraction], x: Sequence[int]) -> Fraction:
    return sum((a * b for a, b in zip(w, x, strict=True)), Fraction(0))


@dataclass(frozen=True)
class Separable:
    """A distribution on {-1, 1}^m with the labels of a separator of norm at most 1/sqrt m."""

    separator: tuple[Fraction, ...]
    weights: dict[tuple[int, ...], int]

    @property
    def gamma(self) -> Fraction:
        """At most the margin, because sqrt m |w| <= 1."""
        return min(abs(inner(self.separator, x)) for x in self.weights)

    def scores(self, w: Sequence[Fraction]) -> list[tuple[int, Fraction]]:
        """Weight and y <w, x> of every point."""
        return [(k, inner(w, x) * (1 if inner(self.separator, x) > 0 else -1)) for x, k in self.weights.items()]

    def risk(self, w: Sequence[Fraction]) -> Fraction:
        total = sum(self.weights.values())
        return sum((k * phi(self.gamma, t) for k, t in self.scores(w)), Fraction(0)) / total

    def error(self, w: Sequence[Fraction]) -> Fraction:
        return Fraction(sum(k for k, t in self.scores(w) if t <= 0), sum(self.weights.values()))


def vector(rng: random.Random, m: int) -> tuple[Fraction, ...]:
    """A vector of norm at most 1/sqrt m."""
    return tuple(Fraction(rng.randint(-9, 9), 9 * m) for _ in range(m))


class TestErrorToRisk:
    @pytest.mark.parametrize("seed", range(40))
    def test_on_random_separable_distributions(self, seed: int) -> None:
        rng = random.Random(seed)
        m = rng.choice((2, 3, 4, 5))
        separator = (Fraction(1, m), *vector(rng, m)[1:])
        points = [x for x in product((-1, 1), repeat=m) if inner(separator, x) != 0]
        data = Separable(separator, {x: rng.randint(1, 9) for x in points})
        gamma = data.gamma
        models = [vector(rng, m) for _ in range(3)]
        p = sum((data.error(w) for w in models), Fraction(0)) / 3
        excess = sum((data.risk(w) for w in models), Fraction(0)) / 3 - data.risk(separator)
        value = sb.evaluate("zhou2024.error-to-risk", edition="sharp", margin=gamma, error_rate=p)[0].value
        assert value is not None
        assert data.risk(separator) <= gamma * (1 - gamma) ** 2 / 8
        floor = gamma * (9 * p - (1 - gamma) ** 2) / 8
        assert value.contains(max(floor, Fraction(0)))
        assert excess >= floor
        assert 4 * p <= 1 or excess > gamma / 8

    def test_corollaries(self) -> None:
        gamma = Fraction(1, 1000)

        def value(p: Fraction) -> Fraction:
            found = sb.evaluate("zhou2024.error-to-risk", edition="sharp", margin=gamma, error_rate=p)[0].value
            assert found is not None
            return found.lo

        assert value(Fraction(1, 4)) > 5 * gamma / 32
        eta = Fraction(1, 20)
        assert value(Fraction(1, 2) - eta) > gamma * (Fraction(7, 16) - 9 * eta / 8)
        assert value(Fraction(2, 9)) > gamma / 8
        assert value(Fraction(1, 10)) == 0

    def test_refusals(self) -> None:
        printed = sb.evaluate("zhou2024.error-to-risk", edition="printed", margin="0.1", error_rate="0.25")[0]
        assert "greater than 1/4" in printed.reason
        assert all(v.value is None for v in sb.evaluate("zhou2024.error-to-risk", margin="0.1", error_rate="1.1"))


class TestUpperHalf:
    @pytest.mark.parametrize("degree", [2, 4, 6])
    def test_what_its_polynomials_cost(self, degree: int) -> None:
        x = Fraction(9)
        gamma = x**-3
        rows = {v.route: v.value for v in sb.evaluate("zhou2024.upper-half", edition="sharp", log_n=x, order=degree)}
        s = self.distance(mpf(9), degree)
        plain = bernstein(question(gamma), degree)
        cost = sum(max(abs(a.lo), abs(a.hi)) for a in plain.coefficients[1:])
        assert rows["Bernstein"] is not None
        assert to_mpf(2 * plain.error.hi) + 2 * s * to_mpf(cost) <= to_mpf(rows["Bernstein"].hi)
        best = minimax(question(gamma), degree)
        assert to_mpf(best.error.hi) <= (1 + to_mpf(gamma) / 4) * mpmath.pi / (2 * (degree + 1))
        assert rows["best polynomial"] is not None

    @staticmethod
    def distance(x: mpf, d: int) -> mpf:
        n, sets = mpmath.exp(x), (2 * x**7 + 2) ** d
        return 2 * (2**d / n + mpmath.sqrt(2**d / n) + mpmath.sqrt(2 * (x**2 + ln(sets)) / n))

    @pytest.mark.parametrize(("x", "d"), [(9, 2), (20, 5), (30, 3), (200, 6)])
    def test_values(self, x: int, d: int) -> None:
        rows = {
            v.route: to_mpf(v.value.midpoint) for v in sb.evaluate("zhou2024.upper-half", log_n=x, order=d) if v.value
        }
        y, n, degree = mpf(x), mpmath.exp(x), d - d % 2
        gamma, s = y**-3, self.distance(y, d)
        m = 2 * y**7 + 1
        eps = mpmath.pi / (2 * (degree + 1))
        expected = {
            "as printed": 20 / mpmath.sqrt(d - 1) + y / n**0.25,
            "paper's route": 20 / mpmath.sqrt(d - 1)
            + 2 * (2 * 2**d * y**2 / mpmath.sqrt(n)) * (2 + gamma / 2 + 9 * gamma / 8) * (2 * m) ** (d - 1),
            "Bernstein": 2 / mpmath.sqrt(degree) + gamma / (4 * degree)
            + 2 * s * 2 ** (degree // 2) * (1 + 3 * gamma / 4),
            "best polynomial": (1 + gamma / 4)
            * (4 * eps + 2 * s * (1 + (1 + eps) * (1 + mpmath.sqrt(2)) ** degree / 2)),
            "no data": 2 + 3 * gamma / 2,
        }  # fmt: skip
        assert rows.keys() == expected.keys()
        for route, value in expected.items():
            assert abs(rows[route] - value) <= mpf(10) ** -14 * (1 + value), route

    def test_refusals(self) -> None:
        reasons = {v.route: v.reason for v in sb.evaluate("zhou2024.upper-half", log_n=20, order=21)}
        assert "order is at most log_n" in reasons["Bernstein"]
        reasons = {v.route: v.reason for v in sb.evaluate("zhou2024.upper-half", log_n=20, order=1)}
        assert "order is at least 2" in reasons["as printed"]


class TestInputAndOutput:
    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"log_n": 1}, "log_n = 1: must be greater than 1"),
            ({"log_n": "-3"}, "greater than 1"),
            ({"log_n": "1e101"}, "at most"),
            ({"log_n": float("inf")}, "log_n"),
            ({"log_n": "many"}, "a number such as"),
            ({"query_constant": 0}, "at least"),
            ({"query_constant": "-1"}, "at least"),
            ({"query_constant": "inf"}, "finite"),
            ({"query_constant": "1/0"}, "denominator"),
            ({"query_constant": True}, "a number"),
        ],
    )
    def test_bad_input(self, given: dict[str, object], words: str) -> None:
        with pytest.raises(ParameterError) as caught:
            query_lower_bound(**given)
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_bad_numbers_for_the_theorems(self) -> None:
        for theorem, numbers in (
            ("zhou2024.lower", {"log_n": "-1", "query_constant": "1"}),
            ("zhou2024.upper-half", {"log_n": "9", "order": "2.5"}),
            ("zhou2024.phi-gamma", {"margin": "-0.1"}),
        ):
            with pytest.raises(ParameterError):
                sb.evaluate(theorem, **numbers)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="needs query_constant"):
            sb.evaluate("zhou2024.lower", log_n=40)

    @pytest.mark.parametrize(
        "given", [{}, {"log_n": 62}, {"query_constant": "1/3"}, {"log_n": 300, "query_constant": 2}]
    )
    def test_documents(self, given: dict[str, object]) -> None:
        report = query_lower_bound(**given)
        document = lower_document(report)
        text = TextRenderer(colour=False).render(document)
        assert report.empty.split(":")[0] in text
        assert "8,886,111" in text
        assert "dagan2020" in text
        for render in (render_markdown, render_latex):
            assert "8,886,111" in render(document)

    def test_it_is_called_vacuous_only_where_it_is(self) -> None:
        def said(**given: object) -> bool:
            return any(isinstance(block, Vacuous) for block in lower_document(query_lower_bound(**given)))

        assert said()
        assert said(log_n=100, query_constant=1)
        assert not said(log_n=114, query_constant=1)
        text = TextRenderer(colour=False).render(lower_document(query_lower_bound(log_n=114, query_constant=1)))
        assert "below 10^49.32" in " ".join(text.split())

    def test_payload(self) -> None:
        report = query_lower_bound(log_n=62, query_constant=2)
        body = json.loads(json.dumps(lower_payload(report)))
        assert body["log_n"] == "62"
        assert body["share"] == "0.2"
        assert [j["edition"] for j in body["joint"]] == ["printed", "corrected", "sharp"]
        assert body["joint"][1]["holds"] is True
        eta = next(k for k in body["conditions"] if k["name"] == "eta" and k["edition"] == "corrected")
        assert eta["n"] == 8886111
        assert eta["log_n"] == {"lo": "16", "hi": "16"}
        assert eta["holds"] is True
        assert body["largest_order"] == 2
        assert {v["route"] for v in body["lower"]} >= {"separator", "as printed"}
        order = next(k for k in body["conditions"] if k["name"] == "d >= 1")
        assert order["log_n"]["lo"].startswith("61.87730115990666")
        assert order["also_up_to"]["lo"].startswith("1.0742429682")

    def test_errors_are_ours(self) -> None:
        rng = random.Random(7)
        for _ in range(20):
            x = Fraction(rng.randint(-5, 10**6), rng.randint(1, 10**4))
            c = Fraction(rng.randint(-2, 10**4), rng.randint(1, 10**4))
            try:
                report = query_lower_bound(log_n=x, query_constant=c)
            except SynthboundsError:
                assert x <= 1 or c <= 0
            else:
                assert len(report.joint) == 3
