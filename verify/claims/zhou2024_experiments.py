"""What Sections 1.1, 5 and 6 of zhou2024 say about the experiments, against its own Tables 1 and 2.

Printed values are rounded to thousandths; where that matters, the worst case of rounding is taken.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

from flint import arb

from bounds.enclosure import Enclosure, as_fmpq, precision
from verify.claim import (
    Claim,
    Evidence,
    Method,
    Scope,
    Severity,
    Verdict,
    Withdrawn,
    confirmed_if,
    inconsistent_if,
)
from verify.claims.zhou2024_lower import report
from verify.claims.zhou2024_table1 import TABLE_1
from verify.claims.zhou2024_table2 import EPSILONS, PRINTED, at_two, real, row
from verify.random_splits import METRICS
from verify.real_tables import NAMES

OTHERS = tuple(name for name in NAMES if name != "heart")
ROUNDING = Fraction(1, 2000)
"""A printed value is at most this far from the computed one."""


def drop(name: str) -> Fraction:
    return real(name, "accuracy") - at_two(name, "accuracy")


def excess(name: str) -> Fraction:
    return at_two(name, "loss") - real(name, "loss")


def shown(values: dict[str, Fraction]) -> str:
    return ", ".join(f"{name.capitalize()} {float(v):.3f}" for name, v in values.items())


def _small_drops() -> Evidence:
    drops = {name: drop(name) for name in OTHERS}
    text = f"by subtracting printed means: at epsilon = 2 accuracy drops by {shown(drops)}"
    return confirmed_if(max(drops.values()) < Fraction(1, 100), text)


def _churn_excess() -> Evidence:
    found = {name: excess(name) for name in OTHERS}
    above = [name for name, v in found.items() if v >= Fraction(2, 100)]
    return inconsistent_if(above == ["churn"], f"at epsilon = 2 the excess risks of Table 2 are {shown(found)}")


def _churn_excess_rounded() -> Evidence:
    """In whole half-thousandths, with each printed mean moved to the paper's advantage as far as rounding allows."""
    synthetic, trained = (int(2000 * Fraction(PRINTED["churn", "loss"].split()[i])) for i in (7, 8))
    least = (synthetic - 1) - (trained + 1)
    text = (
        f"Churn: however the means were rounded, the difference of {synthetic / 2000} and {trained / 2000} is at least "
        f"{least}/2000 = {least / 2000}, not less than 0.02"
    )
    return inconsistent_if(least >= 2000 * 2 // 100, text)


def _heart() -> Evidence:
    text = (
        f"by subtracting printed means: Heart's accuracy drops by {float(drop('heart')):.3f}, its risk rises by "
        f"{float(excess('heart')):.3f}"
    )
    return confirmed_if(drop("heart") == Fraction(22, 1000) and excess("heart") == Fraction(32, 1000), text)


def _largest_drop() -> Evidence:
    largest = max(NAMES, key=drop)
    text = (
        f"by subtracting printed means: the largest drop of accuracy at epsilon = 2 is {float(drop(largest)):.3f}, for "
        f"{largest.capitalize()}"
    )
    return confirmed_if(largest == "heart" and drop(largest) == Fraction(22, 1000), text)


def _lowest_accuracy() -> Evidence:
    """One reading is the lowest of the 48 means, the other the lowest at each epsilon."""
    all_48 = min((row(name, "accuracy")[i], name, EPSILONS[i]) for name in NAMES for i in range(8))
    lowest = [min((row(name, "accuracy")[i], name) for name in NAMES)[1] for i in range(8)]
    others = sorted({name.capitalize() for name in lowest[1:]})
    text = (
        f"the lowest of all 48 printed means is {float(all_48[0]):.3f}, {all_48[1].capitalize()}'s at epsilon = "
        f"{all_48[2]}; at each epsilon from 0.5 on the lowest is that of {', '.join(others)}"
    )
    return confirmed_if(all_48[1] == lowest[0] == "heart" and others == ["Compas"], text, with_conditions=True)


def _heart_loses_most() -> Evidence:
    drops = [{name: real(name, "accuracy") - row(name, "accuracy")[i] for name in NAMES} for i in range(8)]
    good = all(max(d, key=lambda name: d[name]) == "heart" for d in drops)
    return confirmed_if(
        good, f"drops of the printed means at epsilon = 2: {shown(drops[7])}; Heart's is the largest at every epsilon"
    )


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
    """Whether a whole number of correct answers, divided by runs times tested records, rounds to the value."""
    low, high = (value - ROUNDING) * runs * tested, (value + ROUNDING) * runs * tested
    return -(-low.numerator // low.denominator) <= high


def _whole_answers() -> Evidence:
    """61 of the 303 records of Heart are tested, so a mean of ten accuracies is a multiple of 1/610."""
    tested = -(-TABLE_1["heart"][0] // 5)
    accuracies = row("heart", "accuracy")
    odd = [f"{float(v):.3f}" for v in accuracies[:8] if not attainable(v, 10, tested)]
    possible = attainable(accuracies[8], 10, tested) and all(attainable(v, 100, tested) for v in accuracies)
    text = (
        f"Heart: the real-data 0.802 is a mean of ten tests of {tested} records; {', '.join(odd)} are not, but may be "
        "means of 100: ten sets on ten splits each. This computes what the numbers exclude, not how they were made"
    )
    return Evidence(Verdict.OPEN if possible and odd else Verdict.UNDECIDABLE, text)


def _better_than_bound() -> Evidence:
    """How large the constant hidden in Theorem 4.1 would have to be for its bound to exceed the excess risks."""
    with precision(96):
        needed = {name: Enclosure.of(arb(as_fmpq(excess(name))) * arb(TABLE_1[name][0]).log() ** 3) for name in NAMES}
    largest = max(NAMES, key=lambda name: needed[name].lo)
    order = report(log_n="11").order
    text = (
        "1/ln^3 n times a constant exceeds the excess risk at epsilon = 2 of every data set only if the constant is "
        f"above {needed[largest].decimal(3)[0]} ({largest.capitalize()}); the proof has 1/40, the theorem states none, "
        "and at these n the order d of the theorem is below 1"
    )
    open_question = needed[largest].lo > 1 and order is not None and order.hi < 1
    return Evidence(Verdict.UNDECIDABLE if open_question else Verdict.CONFIRMED, text)


_P = "zhou2024"
_OK, _IF, _TWO = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS, Verdict.INCONSISTENT
_EVERY = Scope.ALL_CASES
_LESS = "Except for Heart, the excess empirical risk at epsilon = 2 is less than 0.02."
_CHURN = (
    "For Churn the excess is 0.021, and at least 0.020 however it was rounded; for the four others it is at most "
    "0.010. Less than 0.022 would be correct. Sections 1.1 and 5.5 state the same number, so this is one finding."
)

CLAIMS = (
    Claim("zhou2024.55.accuracy-drop", _P, "Section 1.1, Section 5.5", "Except for Heart, the accuracies printed for "
          "epsilon = 2 are less than 1 per cent below those for real data.", _OK, Method.EXACT, _small_drops,
          scope=_EVERY, quote="Other than the Heart dataset, the accuracy of the models trained on the synthetic "
          "datasets, [...] drops by less than 1% compared to the real data"),
    Claim("zhou2024.11.excess-risk", _P, "Section 1.1, Table 2", _LESS, _TWO, Method.EXACT, _churn_excess, _CHURN,
          again=_churn_excess_rounded, severity=Severity.CONDITION, quote="drops by less than 1% compared to the real "
          "data, and the excess empirical risk is less than 0.02. The exception is the Heart dataset",
          lemma="zhou2024_marginals.excess_of_churn"),
    Claim("zhou2024.55.excess-risk", _P, "Section 5.5, Table 2", _LESS, _TWO, Method.EXACT, _churn_excess, _CHURN,
          again=_churn_excess_rounded, severity=Severity.CONDITION, root="zhou2024.11.excess-risk",
          quote="Other than the Heart dataset, [...] drops by less than 1% compared to the real data, and the excess "
          "empirical risk is less than 0.02"),
    Claim("zhou2024.11.heart", _P, "Section 1.1, Table 2", "Heart has a drop of 2.2 per cent in printed accuracy and "
          "an excess of 0.032 in printed empirical risk at epsilon = 2.", _OK, Method.EXACT, _heart,
          quote="The exception is the Heart dataset, which exhibits a 2.2% drop in accuracy and 0.032 excess empirical "
          "risk"),
    Claim("zhou2024.6.largest-drop", _P, "Section 6, Table 2", "At epsilon = 2 printed accuracy is reduced by at most "
          "2.2 per cent.", _OK, Method.EXACT, _largest_drop, scope=_EVERY,
          quote="reduce the accuracy by at most 2.2%, compared to that of the (non-private) real models"),
    Claim("zhou2024.55.lowest-accuracy", _P, "Section 5.5, Table 2", "Among all synthetic data sets Heart has the "
          "lowest accuracy.", _IF, Method.EXACT, _lowest_accuracy,
          "Among the 48 means of Table 2, Heart's at epsilon = 0.25 is the lowest. At a fixed epsilon it is the lowest "
          "only at 0.25; from 0.5 on Compas is lowest. Heart has the largest drop against real data at every epsilon.",
          severity=Severity.READING, scope=_EVERY,
          quote="we observe that among all synthetic datasets, the Heart dataset has the lowest accuracy"),
    Claim("zhou2024.55.heart-largest-drop", _P, "Section 1.1, Table 2", "Heart loses more printed accuracy than the "
          "other data sets.", _OK, Method.EXACT, _heart_loses_most, scope=_EVERY,
          quote="The exception is the Heart dataset, which exhibits a 2.2% drop in accuracy"),
    Claim("zhou2024.55.more-budget", _P, "Section 5.5, Table 2", "A larger privacy budget gives higher accuracy and "
          "lower excess risk, in Table 2.", _IF, Method.EXACT, _more_budget,
          "True in every row from the smallest to the largest epsilon, but not at every step, as the caption of Figure "
          "3 says.", scope=_EVERY,
          quote="synthetic datasets with higher privacy budget exhibit higher accuracy, and lower excess empirical "
          "risk"),
    Claim("zhou2024.fig3.budgets", _P, "Figure 3, Section 5.4, Table 2", "Six data sets are used with the eight "
          "budgets 1/4, 2/4, ..., 2.", _OK, Method.EXACT, _eight_budgets,
          quote=r"We generated synthetic data for the six(6) datasets with $\epsilon \in (\frac{1}{4}, \frac{2}{4}, "
          r"\frac{3}{4}, 1, \frac{5}{4}, \frac{6}{4}, \frac{7}{4}, 2)$"),
    Claim("zhou2024.fig3.runs", _P, "Figure 3, Table 2", "Means are over ten splits, and ten sets of synthetic data "
          "for each epsilon.", Verdict.OPEN, Method.EXACT, _whole_answers,
          "The printed accuracies of Heart are consistent with it if each of ten sets was tested on ten splits; some "
          "cannot come from ten tests of 61 records.", scope=Scope.INSTANCES,
          quote=r"We produce 10 randomized sets of synthetic data for each $\epsilon$. We assess performance by "
          "training the machine learning model 10 times"),
    Claim("zhou2024.6.better-than-bound", _P, "Section 1.1, Section 6", "The excess risk in the experiments on real "
          "data is smaller than the lower bound.", Verdict.UNDECIDABLE, Method.BALL, _better_than_bound,
          "The constant of the lower bound is not stated, so the two cannot be compared. With the constant of the "
          "proof, 1/40, five of the six excess risks are above the bound. At these n the theorem has d < 1 and says "
          "nothing.",
          ("zhou2024.lower",), scope=_EVERY, depends_on=("zhou2024.T41.lower",),
          quote="our experiments on real-world datasets perform significantly better than the lower bound for the "
          "worst-case data distribution"),
)  # fmt: skip

WITHDRAWN = (
    Withdrawn(
        "zhou2024.54.two-risks",
        "The paper does not say that the excess risk of the experiments is that of the theorems. One name is used for "
        "two quantities: the theorems compare risks on the training records, where the excess is at least 0; the "
        "experiments compare them on test records (Section 5.4), where it is -0.001 for Dutch at epsilon = 0.75.",
        "zhou2024.11.excess-risk",
    ),
)
