"""What Theorem III.1 of bojkovic2024 requires and promises: the size of K, its probability, and Corollary III.1.1."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bounds.enclosure import decimal_text
from bounds.sizes.require import require
from bounds.symbolic_form import plain_text
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, Withdrawn, confirmed_if, inconsistent_if
from verify.claims.bojkovic2024_lemmas import BOJKOVIC, ids

PAPER_SETTING: dict[str, Any] = {"degree": 2, "epsilon": ".2", "delta": ".5", "gamma": ".25"}


def largest_printed_bound(points: int) -> Fraction:
    """K^2 under the conditions, as tau1 <= 1/N: brackets of 1 + (57/16) tau1/2 and 1 + (57/8) tau1/8."""
    return (1 + Fraction(57, 32 * points)) * (1 + Fraction(57, 64 * points))


def _bounded_condition_number() -> Evidence:
    squared = {points: largest_printed_bound(points) for points in (2, 4, 64)}
    text = (
        "by the conditions the sum of the roots is at most tau1/2 and the noise term at most tau1/8, with tau1 <= "
        "1/|Omega|, so K^2 decreases in |Omega| from at most "
        + ", ".join(f"{decimal_text(v, 6, up=True)} (|Omega| = {N})" for N, v in squared.items())
    )
    return confirmed_if(all(v < 4 for v in squared.values()) and squared[2] > squared[4] > squared[64], text)


def _fewer_points() -> Evidence:
    """Both requirements in units of |F|/(delta^2 gamma): 2 K against |Omega|."""
    found = {}
    for p in range(2, 11):
        answer = require(theorem="bojkovic2024.histogram-uniform", edition="printed", p=p, **PAPER_SETTING)
        assert answer.renyi_bound is not None
        found[p] = answer.renyi_bound
    smaller = [p for p, k in found.items() if 2 * k.hi < 2**p]
    general = [points for points in range(2, 9) if 4 * largest_printed_bound(points) < points**2]
    text = (
        f"paper's setting: 2 K < |Omega| for p in {smaller}, with K = {found[10].decimal(7)[1]} at p = 10; under the "
        f"conditions of Theorem III.1 for every nu from |Omega| = {general[0]} on, as K falls; for |Omega| = 2, 2 K is "
        "not smaller, since K >= 1"
    )
    return confirmed_if(smaller == list(range(2, 11)) and general == list(range(3, 9)), text, with_conditions=True)


def _probability() -> Evidence:
    """The failure that the theorem promises, and that of the theorem its proof invokes, in units of gamma."""
    gamma = Fraction(1, 10)
    shared: dict[str, Any] = {"p": 3, "degree": 2, "epsilon": "1", "delta": ".1", "gamma": ".1", "edition": "printed"}
    whole = require(theorem="bojkovic2024.histogram", tau1="1/8", tau2="1/8", **shared).guarantee.failure_probability
    part = require(theorem="bojkovic2024.private-lp", kappa=2, **shared).guarantee.failure_probability
    proof = ("count noise", "frequencies")
    total = part.hi / gamma + len(proof)
    text = (
        f"Theorem II.1, which the proof invokes, fails with probability up to {part.hi / gamma} gamma; with the noise "
        f"on the counts and the frequencies the union bound is {total} gamma; the paper prints {whole.hi / gamma} "
        "gamma + exp(-cn)"
    )
    return inconsistent_if(part.lo > whole.hi and total == 6, text)


def _probability_of_the_condition() -> Evidence:
    """The paper prints 3 gamma + exp(-cn) for the bound on K alone, before Theorem II.1 adds any failure."""
    for_condition, for_accuracy, for_both = 3, 4, 3
    gammas = [Fraction(1, 100), Fraction(1, 10), Fraction(6, 25)]
    short = all((for_condition + for_accuracy) * g > for_both * g for g in gammas)
    # the factor 2 in m halves the reference points' share: 3.5 gamma for Theorem II.1, still more than 3
    with_factor = Fraction(7, 2) > for_both
    return inconsistent_if(
        short and with_factor,
        "the same 3 gamma + exp(-cn) is printed for the bound on K and for the accuracy that needs K and Theorem II.1; "
        "the factor 2 in m saves only gamma/2, which leaves 5.5 gamma",
    )


def _third_condition() -> Evidence:
    import sympy as sp

    d, N, g, ell, tau1, tau2 = sp.symbols("delta N gamma ell tau1 tau2", positive=True)
    theorem = 8 * d * N * (1 + tau2 * N) * sp.log(N) / (tau1 * g * ell)
    substituted = theorem.subs({tau1: 1 / N, tau2: 1 / N})
    third = sp.simplify(substituted - 16 * d * N**2 * sp.log(N) / (g * ell)) == 0
    found = plain_text(sp.simplify(substituted))
    return confirmed_if(third, f"substituting tau1 = tau2 = 1/N gives {found}, ell = log(|F|/delta)")


def _corollary_bound() -> Evidence:
    import sympy as sp

    d, N, g, ell, tau2, c2, n = sp.symbols("delta N gamma ell tau2 C2 n", positive=True)
    bracket = 1 + c2 * d * N * (1 + tau2 * N) * sp.log(N) / (g * n * ell)
    same = sp.simplify(bracket.subs(tau2, 1 / N) - (1 + 2 * c2 * d * N * sp.log(N) / (g * n * ell))) == 0
    return confirmed_if(same, "with tau2 = 1/N the factor 1 + tau2 N is 2; the first bracket has no tau")


HISTOGRAM, UNIFORM = ("bojkovic2024.histogram",), ("bojkovic2024.histogram-uniform",)
CONFIRMED, CONDITIONS = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS

CLAIMS = (
    Claim("bojkovic2024.R2.bounded", BOJKOVIC, "Remark 2",
          "K is O(1) under the conditions of Theorem III.1.", CONFIRMED, Method.EXACT, _bounded_condition_number,
          "The expression is bounded; whether it bounds the condition number is a separate claim.", HISTOGRAM,
          scope=Scope.REASONED,
          quote=r"since K is smaller ( $O(1)$ rather than $O(|\Omega|)$ )"),
    Claim("bojkovic2024.R2.fewer", BOJKOVIC, "Remark 2",
          "The requirement on m is much smaller than that of uniform sampling.",
          CONDITIONS, Method.BALL, _fewer_points,
          "The comparison is 2 K against |Omega|, which is smaller from |Omega| = 3 on. The price is an n of order "
          "|Omega|^3. m exceeds the number of points of the domain unless that is larger than 32 |F|; for uniform "
          "sampling it always does.", HISTOGRAM,
          scope=Scope.REASONED, depends_on=ids("R2.bounded", "B1.sizes"),
          quote=r"Compared to the uniform sampling strategy [...] our requirement on m is much smaller"),
    Claim("bojkovic2024.III1.probability", BOJKOVIC, "Theorem III.1, against its proof and Theorem II.1",
          "The events of the proof, for K and then for Theorem II.1, leave 8 delta-accuracy with probability at least "
          "1 - 3 gamma - exp(-cn).",
          Verdict.INCONSISTENT, Method.READING, _probability,
          "The failure probabilities in the proof add up to 6 gamma. This does not refute that the data are accurate "
          "with the printed probability.", HISTOGRAM,
          again=_probability_of_the_condition, severity=Severity.CONDITION,
          depends_on=ids("II1.accuracy", "III1.kappa"),
          quote=r"with probability at least $1 - 3\gamma - \exp(-cn)$, is 8δ-accurate. The proof is contained in "
                "Appendix C-B", lemma="bojkovic2024_histogram.promised_is_less_than_invoked"),
    Claim("bojkovic2024.III11.third", BOJKOVIC, "Corollary III.1.1",
          "For uniform nu the third condition is n >= 16 delta |Omega|^2 log|Omega|/(gamma log(|F|/delta)).",
          CONFIRMED, Method.SYMBOLIC, _third_condition, theorems=UNIFORM, scope=Scope.ALL_CASES,
          quote=r"\frac{16\delta|\Omega|^2 \log |\Omega|}{\gamma \log(|\mathcal{F}|/\delta)}"),
    Claim("bojkovic2024.III11.K", BOJKOVIC, "Corollary III.1.1, (1)",
          "For uniform nu the second bracket of K contains 2 C2 delta |Omega| log|Omega|/(gamma n log(|F|/delta)).",
          CONFIRMED, Method.SYMBOLIC, _corollary_bound, theorems=UNIFORM, scope=Scope.ALL_CASES,
          quote=r"\left(1 + \frac{2C_2 \delta |\Omega| \log |\Omega|}"
                r"{\gamma n \log(|\mathcal{F}|/\delta)} \right)^{\frac{1}{2}}"),
)  # fmt: skip

WITHDRAWN = (
    Withdrawn("bojkovic2024.III1.m",
              "That m >= 2 K |F|/(delta^2 gamma) is at least K |F|/(delta^2 gamma) says only that 2 is more than 1; "
              "the factor is not needed.", "bojkovic2024.III1.theorem"),
)  # fmt: skip
