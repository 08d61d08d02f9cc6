"""What Sections 1.1, 5 and 6 of zhou2024 say about the experiments, against its own Tables 1 and 2.

Printed values are rounded to thousandths; where that matters the worst case of rounding is taken.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

from flint import arb

from bounds.enclosure import Enclosure, as_fmpq, precision
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if, inconsistent_if
from verify.claims.zhou2024_lower import report
from verify.claims.zhou2024_table1 import TABLE_1
from verify.claims.zhou2024_table2 import EPSILONS, PRINTED, at_two, real, row
from verify.random_splits import METRICS
from verify.real_tables import NAMES

OTHERS = tuple(name for name in NAMES if name != "heart")
ROUNDING = Fraction(1, 2000)
"""A printed value is this far from the computed one at most."""


def drop(name: str) -> Fraction:
    return real(name, "accuracy") - at_two(name, "accuracy")


def excess(name: str) -> Fraction:
    return at_two(name, "loss") - real(name, "loss")


def shown(values: dict[str, Fraction]) -> str:
    return ", ".join(f"{name.capitalize()} {float(v):.3f}" for name, v in values.items())


def _small_drops() -> Evidence:
    drops = {name: drop(name) for name in OTHERS}
    return confirmed_if(max(drops.values()) < Fraction(1, 100), f"at epsilon = 2 accuracy drops by {shown(drops)}")


def _churn_excess() -> Evidence:
    found = {name: excess(name) for name in OTHERS}
    above = [name for name, v in found.items() if v >= Fraction(2, 100)]
    return inconsistent_if(above == ["churn"], f"at epsilon = 2 the excess risks of Table 2 are {shown(found)}")


def _churn_excess_rounded() -> Evidence:
    """In half-thousandths: 0.491 is at least 0.4905 and 0.47 at most 0.4705."""
    least = (2 * 491 - 1) - (2 * 470 + 1)
    text = f"Churn: whatever was rounded, the difference of 0.491 and 0.470 is at least {least}/2000 = {least / 2000}"
    return inconsistent_if(least >= 2000 * 2 // 100, text)


def _heart() -> Evidence:
    text = f"Heart: accuracy drops by {float(drop('heart')):.3f}, the risk rises by {float(excess('heart')):.3f}"
    return confirmed_if(drop("heart") == Fraction(22, 1000) and excess("heart") == Fraction(32, 1000), text)


def _largest_drop() -> Evidence:
    largest = max(NAMES, key=drop)
    text = f"the largest drop of accuracy at epsilon = 2 is {float(drop(largest)):.3f}, for {largest.capitalize()}"
    return confirmed_if(largest == "heart" and drop(largest) == Fraction(22, 1000), text)


def _lowest_accuracy() -> Evidence:
    lowest = [min((row(name, "accuracy")[i], name) for name in NAMES)[1] for i in range(8)]
    text = f"lowest at epsilon = {', '.join(EPSILONS)}: {', '.join(name.capitalize() for name in lowest)}"
    return inconsistent_if(lowest == ["heart"] + ["compas"] * 7, text)


def _lowest_against_real() -> Evidence:
    """Even the model of the real Compas data is below all Heart models from epsilon = 0.5 on."""
    bar, heart = real("compas", "accuracy"), row("heart", "accuracy")[1:8]
    text = (
        f"on real data Compas has {float(bar):.3f}, and Heart on synthetic data at least {float(min(heart)):.3f} "
        f"from epsilon = 0.5 on"
    )
    return inconsistent_if(bar + ROUNDING < min(heart) - ROUNDING, text)


def _heart_loses_most() -> Evidence:
    drops = [{name: real(name, "accuracy") - row(name, "accuracy")[i] for name in NAMES} for i in range(8)]
    good = all(max(d, key=lambda name: d[name]) == "heart" for d in drops)
    return confirmed_if(good, f"at epsilon = 2: {shown(drops[7])}; Heart is first at every epsilon")


def _more_budget() -> Evidence:
    ends, back, steps = 0, 0, 0
    for name, metric in product(NAMES, ("accuracy", "loss")):
        values = [v if metric == "accuracy" else -v for v in row(name, metric)[:8]]
        ends += values[0] < values[7]
        steps += 7
        back += sum(b < a for a, b in pairwise(values))
    text = f"from epsilon = 0.25 to 2 all {ends} rows of accuracy and risk improve; {back} of {steps} steps go back"
    return confirmed_if(ends == 12 and back > 0, text, with_conditions=True)


def _eight_budgets() -> Evidence:
    exact = [Fraction(e) for e in EPSILONS] == [Fraction(k, 4) for k in range(1, 9)]
    full = len(PRINTED) == 18 and all(len(row(name, metric)) == 9 for name, metric in product(NAMES, METRICS))
    return confirmed_if(exact and full, "Table 2 has the columns k/4 for k = 1 to 8, six data sets and three measures")


def attainable(value: Fraction, runs: int, tested: int) -> bool:
    """Is there a whole number of correct answers whose share of runs times tested records rounds to the value?"""
    low, high = (value - ROUNDING) * runs * tested, (value + ROUNDING) * runs * tested
    return -(-low.numerator // low.denominator) <= high


def _whole_answers() -> Evidence:
    """61 of the 303 records of Heart are tested, so a mean of ten accuracies is a multiple of 1/610."""
    tested = -(-TABLE_1["heart"][0] // 5)
    accuracies = row("heart", "accuracy")
    odd = [f"{float(v):.3f}" for v in accuracies[:8] if not attainable(v, 10, tested)]
    good = attainable(accuracies[8], 10, tested) and all(attainable(v, 100, tested) for v in accuracies)
    text = (
        f"Heart: the real-data 0.802 is a mean of ten tests of {tested} records; {', '.join(odd)} are not, but are "
        f"means of 100"
    )
    return confirmed_if(good and len(odd) > 0, text, with_conditions=True)


def _better_than_bound() -> Evidence:
    """The constant that Theorem 4.1 hides would have to be this large for its bound to exceed the excess risks."""
    with precision(96):
        needed = {name: Enclosure.of(arb(as_fmpq(excess(name))) * arb(TABLE_1[name][0]).log() ** 3) for name in NAMES}
    largest = max(NAMES, key=lambda name: needed[name].lo)
    order = report(log_n="11").order
    text = (
        "1/ln^3 n times a constant exceeds the excess risk at epsilon = 2 of every data set only if the constant is "
        f"above {needed[largest].decimal(3)[0]} ({largest.capitalize()}); the proof has 1/40, the theorem states none, "
        "and at these n its order d is below 1"
    )
    open_question = needed[largest].lo > 1 and order is not None and order.hi < 1
    return Evidence(Verdict.UNDECIDABLE if open_question else Verdict.CONFIRMED, text)


def _negative_excess() -> Evidence:
    """A minimiser on the same data has the least risk, so the excess of the theorems is never negative."""
    gap = row("dutch", "loss")[2] - real("dutch", "loss")
    return inconsistent_if(
        gap + 2 * ROUNDING < 0, f"Dutch at epsilon = 0.75: {float(gap):.3f}, negative whatever was rounded"
    )


def _two_risks() -> Evidence:
    """Numbers of errors of two models on 4 training and 4 test records: the trained one is best on the first only."""
    trained, other = (1, 3), (2, 1)
    on_training, on_test = other[0] - trained[0], other[1] - trained[1]
    text = f"a model that is {on_training}/4 worse on training records can be {-on_test}/4 better on test records"
    return inconsistent_if(on_training >= 0 > on_test, text)


_P = "zhou2024"
_OK, _IF, _NO, _TWO = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS, Verdict.REFUTED, Verdict.INCONSISTENT
_LESS = "Other than for Heart, the excess empirical risk at epsilon = 2 is less than 0.02."
_CHURN = (
    "For Churn it is 0.021, and at least 0.020 whatever was rounded; for the four others it is at most 0.010. "
    "Less than 0.022 would be right. Sections 1.1 and 5.5 repeat one number; the two findings are one."
)

CLAIMS = (
    Claim("zhou2024.55.accuracy-drop", _P, "Section 1.1, Section 5.5", "Other than for Heart, accuracy at epsilon = 2 "
          "drops by less than 1 per cent.", _OK, Method.EXACT, _small_drops),
    Claim("zhou2024.55.excess-risk", _P, "Section 5.5, Table 2", _LESS, _TWO, Method.EXACT, _churn_excess, _CHURN,
          again=_churn_excess_rounded),
    Claim("zhou2024.11.excess-risk", _P, "Section 1.1, Table 2", _LESS, _TWO, Method.EXACT, _churn_excess, _CHURN,
          again=_churn_excess_rounded),
    Claim("zhou2024.11.heart", _P, "Section 1.1, Table 2", "Heart has a drop of 2.2 per cent in accuracy and an excess "
          "empirical risk of 0.032 at epsilon = 2.", _OK, Method.EXACT, _heart),
    Claim("zhou2024.6.largest-drop", _P, "Section 6, Table 2", "At epsilon = 2 accuracy is reduced by at most 2.2 per "
          "cent.", _OK, Method.EXACT, _largest_drop),
    Claim("zhou2024.55.lowest-accuracy", _P, "Section 5.5, Table 2", "Among all synthetic data sets Heart has the "
    "lowest "
          "accuracy.", _TWO, Method.EXACT, _lowest_accuracy,
          "At epsilon = 0.25 only; from 0.5 on Compas has. Heart has the largest drop against real data, at every "
          "epsilon, which may be what is meant.", again=_lowest_against_real),
    Claim("zhou2024.55.heart-largest-drop", _P, "Section 1.1, Table 2", "Heart loses more accuracy than the other data "
          "sets.", _OK, Method.EXACT, _heart_loses_most),
    Claim("zhou2024.55.more-budget", _P, "Section 5.5, Table 2", "A larger privacy budget gives higher accuracy and "
    "lower "
          "excess risk.", _IF, Method.EXACT, _more_budget,
          "From the smallest to the largest epsilon, in every row; not in every step, which the caption of Figure 3 "
          "says."),
    Claim("zhou2024.fig3.budgets", _P, "Figure 3, Section 5.4, Table 2", "Six data sets are used with the eight "
    "budgets "
          "1/4, 2/4, ..., 2.", _OK, Method.EXACT, _eight_budgets),
    Claim("zhou2024.fig3.runs", _P, "Figure 3, Table 2", "Means are over ten splits, and ten sets of synthetic data "
    "for "
          "each epsilon.", _IF, Method.EXACT, _whole_answers,
          "Real data: ten tests. Synthetic data: each of ten sets on ten splits, 100 tests; some printed means for "
          "Heart "
          "cannot come from ten tests of 61 records."),
    Claim("zhou2024.6.better-than-bound", _P, "Section 1.1, Section 6", "The experiments on real data have a smaller "
          "excess risk than the lower bound gives.", Verdict.UNDECIDABLE, Method.BALL, _better_than_bound,
          "The constant of the lower bound is not stated, so the two cannot be compared; with the constant of the "
          "proof, 1/40, five of six excess risks are above the bound. At these n the theorem has d < 1: it says "
          "nothing.",
          ("zhou2024.lower",)),
    Claim("zhou2024.54.two-risks", _P, "Section 1.1, Section 5.4, Table 2", "The excess empirical risk of the "
    "experiments "
          "is that of the theorems.", _TWO, Method.EXACT, _negative_excess,
          "The theorems compare risks on the records that were trained on, where the excess is at least 0. The "
          "experiments compare risks on test records, as Section 5.4 says; the name is the same.", again=_two_risks),
)  # fmt: skip
