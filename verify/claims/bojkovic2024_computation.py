"""Section V-B of bojkovic2024: what the private LP costs to run."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from bounds.sizes.require import require
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if
from verify.claims.bojkovic2024_lemmas import BOJKOVIC, ids


def _constraints() -> Evidence:
    """|q.h - b| <= s is two inequalities; with only one of them the largest error is not bounded below by 0."""
    targets = [Fraction(3, 2), Fraction(-1, 2)]
    both = [max(min(abs(w - b) for w in (Fraction(0), Fraction(1))), Fraction(0)) for b in targets]
    upper_only = [min(w - b for w in (Fraction(0), Fraction(1))) for b in targets]
    needs_both = both == [Fraction(1, 2), Fraction(1, 2)] and upper_only[0] < 0
    queries, points = 22, 22528
    text = (
        f"p = 6, figures: {2 * queries} inequalities, 1 equation, {points} sign constraints, {points + 1} variables; "
        "one query, target 3/2: without the second inequality the optimum falls from 1/2 to -3/2"
    )
    return confirmed_if(needs_both and upper_only[0] == Fraction(-3, 2), text, with_conditions=True)


def _polynomial_in_p() -> Evidence:
    shared: dict[str, Any] = {"degree": 2, "epsilon": ".2", "delta": ".1", "gamma": ".05", "edition": "printed"}
    uniform = {p: require(theorem="bojkovic2024.uniform", p=p, **shared).m or 0 for p in (10, 20)}
    bounded = [require(theorem="bojkovic2024.private-lp", p=p, kappa=2, **shared).m or 0 for p in range(4, 10)]
    steps = [b - a for a, b in pairwise(bounded)]
    quadratic = len({b - a for a, b in pairwise(steps)}) == 1
    text = (
        "m is K |F|/(delta^2 gamma), and |F| a polynomial in p of degree d: for K = 2, d = 2 m is quadratic in p; "
        f"with uniform mu it is {uniform[10]} (p = 10), {uniform[20]} (p = 20)"
    )
    return confirmed_if(quadratic and uniform[20] > 2**10 * uniform[10], text, with_conditions=True)


def _histogram_polynomial_in_n() -> Evidence:
    shared: dict[str, Any] = {"degree": 1, "epsilon": "1", "delta": ".1", "gamma": ".1", "edition": "printed"}
    found = {}
    for p in (2, 6, 12, 20):
        share = f"1/{2**p}"
        found[p] = require(theorem="bojkovic2024.histogram", p=p, tau1=share, tau2=share, **shared).n
    text = (
        "n >= 8 |Omega|/tau1^2 >= 8 |Omega|^3, as tau1 <= 1/|Omega|, and the algorithm visits every record and every "
        f"cell: at p = 20, n is at least {found[20]}, with {2**20} cells"
    )
    return confirmed_if(all(n >= 8 * 8**p for p, n in found.items()), text, with_conditions=True)


def _hardness() -> Evidence:
    return Evidence(
        Verdict.OPEN, "a theorem of complexity theory, quoted from another paper, which was not available to us"
    )


def _covariance_loss() -> Evidence:
    return Evidence(
        Verdict.OPEN,
        "a rate quoted from another paper, which was not available to us; our text may not show its exponents "
        "completely",
    )


CONDITIONS = Verdict.CONFIRMED_WITH_CONDITIONS

CLAIMS = (
    Claim("bojkovic2024.VB.constraints", BOJKOVIC, "Section V-B",
          "Algorithm 1 is a linear program with |F| + m + 1 constraints.", CONDITIONS, Method.EXACT, _constraints,
          "True if each absolute value counts once. As linear inequalities there are 2|F|, with m sign constraints and "
          "one equation.",
          ("bojkovic2024.private-lp",), severity=Severity.READING,
          quote=r"Algorithm 1 can be implemented as a linear program with $|\mathcal{F}| + m + 1$ constraints"),
    Claim("bojkovic2024.VB.polynomial", BOJKOVIC, "Section V-B",
          "Algorithm 1 has runtime polynomial in p.", CONDITIONS, Method.EXACT, _polynomial_in_p,
          "True for bounded K, as in Remark 2 for a histogram, and bounded degree; with uniform mu, m is a multiple of "
          "|Omega| = t^p, as Table I says.", ("bojkovic2024.private-lp",), severity=Severity.READING,
          scope=Scope.REASONED, depends_on=ids("VB.constraints"),
          quote="constraints and has runtime polynomial in p"),
    Claim("bojkovic2024.VB.histogram", BOJKOVIC, "Section V-B",
          "Algorithm 2 is polynomial in n.", CONDITIONS, Method.EXACT, _histogram_polynomial_in_n,
          "True under the conditions of Theorem III.1; without them it runs over t^p cells for any n.",
          ("bojkovic2024.histogram",), scope=Scope.REASONED, depends_on=ids("C.alg2.bins"),
          quote="Also, note that Algorithm 2 is polynomial in n"),
    Claim("bojkovic2024.VB.hardness", BOJKOVIC, "Section V-B",
          "No polynomial-time algorithm generates private synthetic data that preserve all two-way marginals.",
          Verdict.OPEN, Method.READING, _hardness,
          "Quoted from another paper; theorems of this kind assume that one-way functions exist, which the sentence "
          "omits.",
          scope=Scope.INSTANCES,
          quote="It is known that no polynomial-time algorithm exists which can generate privatized synthetic data "
                "and preserve all two-dimensional marginals"),
    Claim("bojkovic2024.VB.covariance-loss", BOJKOVIC, "Section V-B",
          "A follow-up paper improved the error per query by a covariance loss, at exponential cost in p.",
          Verdict.OPEN, Method.READING, _covariance_loss, "This is a statement about another paper.",
          scope=Scope.INSTANCES,
          quote="They enhanced the upper bound on overall error-per-query to [...] the latter algorithm exhibits "
                "exponential complexity in p"),
)  # fmt: skip
