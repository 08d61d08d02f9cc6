"""The histogram theorem of bojkovic2024, Section III and Appendix C."""

from __future__ import annotations

from fractions import Fraction
from math import factorial
from typing import Any

from bounds.enclosure import decimal_text
from bounds.plan import require
from bounds.renyi import infinite_kappa_probability
from verify.claim import Claim, Evidence, Method, Verdict, refuted_if

PAPER_SETTING: dict[str, Any] = {"degree": 2, "epsilon": ".2", "delta": ".5", "gamma": ".25"}


def _condition_number() -> Evidence:
    """All conditions hold, K is close to 1, and a cell of the histogram is empty almost surely."""
    answer = require(
        theorem="bojkovic2024.histogram", edition="printed", p=5, queries=1,
        epsilon="0.0001", delta=".1", gamma=".1", tau1="1/32", tau2="1/32",
    )  # fmt: skip
    infinite = infinite_kappa_probability([Fraction(1, 32)] * 32, answer.n, Fraction(1, 10**4))
    bound = answer.renyi_bound
    assert bound is not None
    allowed = answer.guarantee.failure_probability.hi
    text = (
        f"uniform on 32 points, epsilon = 0.0001, delta = gamma = 0.1, one query: "
        f"n = {answer.n} meets every condition, "
        f"K = {decimal_text(bound.hi, 8, up=True)} is claimed with failure {float(allowed)}, "
        f"and kappa is infinite with probability {decimal_text(infinite.lower.lo, 8, up=False)}"
    )
    return refuted_if(infinite.exact and infinite.lower.lo > allowed, text)


def multinomial_mode(cells: int, draws: int) -> Fraction:
    """P(all counts equal) for uniform draws, exactly."""
    return Fraction(factorial(draws) // factorial(draws // cells) ** cells, cells**draws)


def _largest_frequency() -> Evidence:
    chances = [multinomial_mode(cells, draws) for cells, draws in ((2, 1000), (4, 400), (8, 4096))]
    shown = ", ".join(decimal_text(c, 6, up=False) for c in chances)
    text = (
        "for uniform nu all frequencies are at most tau2 only if all counts are equal; "
        f"the chance is {shown} for (2, 1000), (4, 400), (8, 4096) cells and draws, and falls with n"
    )
    return refuted_if(max(chances) < Fraction(1, 30), text)


def _second_condition() -> Evidence:
    too_small = []
    for p in range(2, 11):
        share = f"1/{2**p}"
        corollary = require(theorem="bojkovic2024.histogram-uniform", edition="printed", p=p, **PAPER_SETTING)
        theorem = require(
            theorem="bojkovic2024.histogram", edition="printed", p=p, tau1=share, tau2=share, **PAPER_SETTING
        )
        if corollary.terms[1].threshold.hi < theorem.terms[1].threshold.lo:
            too_small.append(p)
    text = f"in the paper's own setting the printed condition is smaller than the substituted one for p in {too_small}"
    return refuted_if(too_small == [7, 8, 9, 10], text)


CLAIMS = (
    Claim(
        "bojkovic2024.III1.kappa",
        "bojkovic2024",
        "Theorem III.1, proof",
        "Under the conditions on n, the Rényi condition number is at most K except with probability "
        "3 gamma + exp(-cn).",
        Verdict.REFUTED,
        Method.DISTRIBUTION,
        _condition_number,
        "n >= max(32, 16/epsilon) log(N/gamma)/tau1 gives kappa <= 9/5 with failure 2 gamma. The accuracy that the "
        "theorem promises is not refuted by this.",
        ("bojkovic2024.histogram",),
    ),
    Claim(
        "bojkovic2024.III1.frequencies",
        "bojkovic2024",
        "Theorem III.1, proof after (9)",
        "Every empirical frequency is at most tau2 with probability at least 1 - exp(-cn).",
        Verdict.REFUTED,
        Method.DISTRIBUTION,
        _largest_frequency,
        "Frequencies are at most (5/4) tau2 on the event that the proof has anyway.",
        ("bojkovic2024.histogram",),
    ),
    Claim(
        "bojkovic2024.III11.second",
        "bojkovic2024",
        "Corollary III.1.1",
        "For uniform nu the second condition on n is (8 N^3 + 16 N^2 log(1/gamma))/(gamma log(|F|/delta)).",
        Verdict.REFUTED,
        Method.BALL,
        _second_condition,
        "Substituting tau1 = tau2 = 1/N into Theorem III.1 gives 8 N^3 + 16 N^2 log(1/gamma).",
        ("bojkovic2024.histogram-uniform",),
    ),
)
