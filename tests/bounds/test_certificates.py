"""Over 10,000 questions, 500 of them in the fast run: the sharp edition is never larger, every integer is proved."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.arithmetic.multiprecision import MULTIPRECISION, to_mpf
from bounds.errors import NotApplicable
from bounds.quantities import Quantities
from bounds.registry import find_theorem
from bounds.sizes.evaluate import evaluate
from bounds.sizes.requirement import Requirement
from bounds.sizes.setting import build_setting
from tests.speeds import examples, in_both, some
from tests.strategies import decimals, questions

FINITE = ("bojkovic2024.uniform", "bojkovic2024.histogram-uniform", "bojkovic2024.histogram-floor")
CONTINUOUS = ("bojkovic2024.kde", "bojkovic2024.kde-grid")
EXAMPLES = {
    "bojkovic2024.uniform": 1600,
    "bojkovic2024.private-lp": 1600,
    "bojkovic2024.histogram-uniform": 480,
    "bojkovic2024.histogram-floor": 480,
    "bojkovic2024.kde": 240,
    "bojkovic2024.kde-grid": 240,
}
"""Questions for each theorem, 4,640 in all; fewer where reference points need a search."""
SHARE = 8


def both_editions(theorem_id: str, continuous: bool, question: dict[str, Any]) -> tuple[Requirement, Requirement]:
    theorem = find_theorem(theorem_id)
    setting = build_setting(continuous=continuous, **question)
    return evaluate(theorem, "corrected", setting), evaluate(theorem, "sharp", setting)


def assert_proved(answer: Requirement) -> None:
    for term in answer.terms:
        assert term.certificate.is_valid
        assert term.certificate.value == term.required
    for quantity in ("n", "m", "k"):
        asked = [t.required for t in answer.terms if t.quantity == quantity]
        value = getattr(answer, quantity)
        if quantity == "m" and value is None:  # no reference points are needed
            assert not asked
            continue
        assert value == max(asked)
        assert sum(t.binding for t in answer.terms if t.quantity == quantity) == 1
    if answer.lower_bound is not None:
        assert answer.lower_bound.certificate_n.is_valid
        assert answer.lower_bound.certificate_k.is_valid


def assert_sharp_is_not_larger(corrected: Requirement, sharp: Requirement) -> None:
    assert sharp.n <= corrected.n
    assert corrected.m is not None
    assert (sharp.m or 0) <= corrected.m
    assert sharp.k is not None
    assert corrected.k is not None
    assert sharp.k <= corrected.k or sharp.route == "full support"
    # The promise is at least as good: same accuracy, and no more failure or privacy loss.
    assert sharp.guarantee.accuracy == corrected.guarantee.accuracy
    assert sharp.guarantee.failure_probability.hi <= corrected.guarantee.failure_probability.hi
    assert sharp.guarantee.privacy.epsilon.hi <= corrected.guarantee.privacy.epsilon.hi
    if sharp.lower_bound is not None:
        assert sharp.lower_bound.n <= sharp.n


@pytest.mark.share(2)
@in_both
@pytest.mark.parametrize(
    ("theorem_id", "continuous"), [*((name, False) for name in FINITE), *((name, True) for name in CONTINUOUS)]
)
def test_sharp_is_never_larger_and_every_integer_is_proved(theorem_id: str, continuous: bool) -> None:
    @settings(max_examples=some(EXAMPLES[theorem_id], of=SHARE))
    @given(questions(continuous=continuous))
    def check(question: dict[str, Any]) -> None:
        corrected, sharp = both_editions(theorem_id, continuous, question)
        assert_proved(corrected)
        assert_proved(sharp)
        assert_sharp_is_not_larger(corrected, sharp)

    check()


@examples(EXAMPLES["bojkovic2024.private-lp"], of=SHARE)
@given(questions(), decimals("1", "100", 2))
def test_given_reference_measures(question: dict[str, Any], kappa: Any) -> None:
    corrected, sharp = both_editions("bojkovic2024.private-lp", False, {**question, "kappa": kappa})
    assert_proved(corrected)
    assert_proved(sharp)
    assert_sharp_is_not_larger(corrected, sharp)


@examples(150)
@given(questions(), st.integers(2, 10**5))
def test_a_fixed_k_is_kept_or_refused(question: dict[str, Any], k: int) -> None:
    theorem = find_theorem("bojkovic2024.uniform")
    setting = build_setting(**question, k=k)
    coarse = (
        setting.family.range_width * (setting.family.dimension + 1) >= 32 * k * setting.numbers["delta"]
    )  # rounding fails
    try:
        answer = evaluate(theorem, "sharp", setting)
    except NotApplicable:
        assert coarse
        return
    assert answer.k == k
    assert answer.k_given
    assert all(t.certificate.is_valid for t in answer.terms)


@examples(150)
@given(questions())
def test_integers_against_an_independent_library(question: dict[str, Any]) -> None:
    """mpmath at 60 digits puts every threshold in (required - 1, required]."""
    with mpmath.workdps(60):
        for theorem_id in FINITE:
            theorem = find_theorem(theorem_id)
            setting = build_setting(**question)
            edition = theorem.edition("corrected")
            assert edition is not None
            answer = evaluate(theorem, "corrected", setting)
            route = edition.routes[0]
            values = {name: to_mpf(v) for name, v in setting.base_values().items()}
            values["n"] = mpmath.mpf(answer.n)
            for term, result in zip(route.terms, answer.terms, strict=True):
                threshold = term.formula(Quantities(MULTIPRECISION, values, route.derived), MULTIPRECISION)
                slack = mpmath.mpf(10) ** -40 * (1 + abs(threshold))
                assert threshold <= result.required + slack
                assert result.required == 1 or threshold > result.required - 1 - slack


@examples(200)
@given(questions(), st.sampled_from(("epsilon", "delta", "gamma")))
def test_asking_for_less_never_needs_more_records(question: dict[str, Any], name: str) -> None:
    theorem = find_theorem("bojkovic2024.uniform")
    eased = {**question, name: min(question[name] * 2, {"epsilon": 1000, "delta": 1, "gamma": 1}[name])}
    if eased["delta"] * 2 > 1 or eased["gamma"] * 4 > 1:
        return
    for edition in ("printed", "corrected", "sharp"):
        if edition == "printed" and question["adjacency"] == "add-remove":
            continue
        before = evaluate(theorem, edition, build_setting(**question))
        after = evaluate(theorem, edition, build_setting(**eased))
        assert after.n <= before.n


@pytest.mark.parametrize(
    ("gamma", "lipschitz", "delta"),
    [("0.15", 16, "107/125000"), ("1/4", "10.3", "29/25000"), ("0.2", "12.5", "1009/1000000"),
     ("0.16", "15.3", "11/12500"), ("0.12", 19, "377/500000"), ("0.1", 22, "21/31250")],
)  # fmt: skip
def test_where_three_conditions_of_the_corrected_edition_meet(gamma: str, lipschitz: Any, delta: str) -> None:
    """One query, epsilon = 2 delta: here the records of the corrected grid theorem have no slack at all."""
    question = {"p": 1, "queries": 1, "gamma": gamma, "delta": delta, "epsilon": 2 * Fraction(delta), "tau": 1}
    corrected, sharp = both_editions("bojkovic2024.kde-grid", True, {**question, "lipschitz": lipschitz})
    assert_sharp_is_not_larger(corrected, sharp)
