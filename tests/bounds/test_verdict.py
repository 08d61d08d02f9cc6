"""What a certificate is worth: the word against its definition, the least risk of a constant against a dense search."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.certify.verdict import INFORMATIVE, VACUOUS, WEAK, constant_risk, verdict

LOSSES = {
    "logistic": lambda t: np.logaddexp(0, -t),
    "hinge": lambda t: np.maximum(0, 1 - t),
    "squared": lambda t: (1 - t) ** 2 / 2,
}
small = st.fractions(min_value=0, max_value=1, max_denominator=50)


def word(bound: str, risk: str, constant: str | None, without_data: str = "1") -> str:
    return verdict(
        Fraction(bound),
        model_risk=Fraction(risk),
        constant_risk=None if constant is None else Fraction(constant),
        without_data=Fraction(without_data),
    ).word


@pytest.mark.parametrize("loss", sorted(LOSSES))
@pytest.mark.parametrize("mean", ["0", "1/3", "-3/5", "37/50", "-999/1000"])
def test_no_constant_score_has_a_smaller_risk_and_one_has_it(loss: str, mean: str) -> None:
    share, scores = (1 + float(Fraction(mean))) / 2, np.linspace(-10, 10, 400_001)
    least = (share * LOSSES[loss](scores) + (1 - share) * LOSSES[loss](-scores)).min()
    found = constant_risk(loss, Fraction(mean))
    assert found is not None
    assert float(found) == pytest.approx(least, abs=1e-8)


@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_a_larger_mean_leaves_less_and_one_beyond_1_nothing(loss: str) -> None:
    found = [constant_risk(loss, Fraction(k, 7)) for k in range(10)]
    assert found == sorted(found, key=lambda risk: -(risk or 0))
    assert found[7:] == [0, 0, 0]


def test_a_loss_without_formula_is_never_informative() -> None:
    assert constant_risk("1/(1+exp(x))", Fraction(0)) is None
    assert word("0", "0", None) == WEAK


def test_a_model_that_may_be_worse_than_a_constant_is_weak() -> None:
    """One hospital has 13 % of one label: a risk of .3810 is far below that of zero, .693, and says nothing."""
    assert word("0.0125", "0.3810", "0.3762") == WEAK
    assert word("0.0125", "0.3610", "0.3762") == INFORMATIVE
    assert word("0.0125", "0.3700", "0.3762") == WEAK
    assert word("0.0152", "0.3610", "0.3762") == WEAK  # as much again is not less
    assert word("0.0125", "0.3610", "0.3762", "0.0125") == VACUOUS


@given(bound=small, risk=small, gain=small, slack=small, missed=small)
def test_informative_promises_more_than_half_of_what_the_class_gains(
    bound: Fraction, risk: Fraction, gain: Fraction, slack: Fraction, missed: Fraction
) -> None:
    """Whatever the true numbers are that the certified ones allow."""
    found = verdict(bound, model_risk=risk, constant_risk=risk + gain, without_data=Fraction(2))
    true_risk, true_constant = risk - slack, risk + gain + slack
    best = true_risk - min(missed, bound)
    half = true_constant - true_risk > (true_constant - best) / 2
    assert half or found.word != INFORMATIVE
    # and no rule from these numbers could say it more often: the worst case is allowed
    assert (found.word == INFORMATIVE) == (gain > (gain + bound) / 2 and gain > 0)
