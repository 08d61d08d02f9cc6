"""Appendix C-C of bojkovic2024: the setting of Figures 1 and 2, and what it promises."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from bounds.enclosure import Enclosure, precision
from bounds.sizes.require import require
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if, inconsistent_if
from verify.claims.bojkovic2024_lemmas import BOJKOVIC, ids

SETTING: dict[str, Any] = {"degree": 2, "epsilon": ".2", "delta": ".5", "gamma": ".25", "edition": "printed"}
DIMENSIONS = range(2, 11)


def queries(p: int) -> int:
    """Two-way marginals of p Boolean attributes."""
    return 1 + p + p * (p - 1) // 2


def uniform_sizes(p: int) -> tuple[int, int, int]:
    answer = require(theorem="bojkovic2024.uniform", p=p, **SETTING)
    return answer.n, answer.m or 0, answer.k or 0


def _gamma() -> Evidence:
    return inconsistent_if(not Fraction("0.25") < Fraction(1, 4), "gamma = 0.25 is the endpoint that (0, 1/4) excludes")


def _gamma_by_probability() -> Evidence:
    left = 1 - 4 * Fraction("0.25")
    return inconsistent_if(left == 0, f"Theorem B.1 then promises its accuracy with probability {left}")


def _accuracy() -> Evidence:
    """Two rows, all 0 and all 1, answer 1/2 to every marginal except the constant, for any data."""
    delta = Fraction("0.5")
    trivial = {Fraction(sum(int(all(x)) for x in ((0,) * s, (1,) * s)), 2) for s in (1, 2)}
    text = (
        f"delta is in (0, 1/2], but 8 delta = {8 * delta}, and 0/1 averages differ by at most 1: two rows chosen "
        "without data are within 1/2"
    )
    return confirmed_if(0 < delta <= Fraction(1, 2) and trivial == {Fraction(1, 2)}, text)


def _uniform_lower_bounds() -> Evidence:
    found = {p: uniform_sizes(p) for p in DIMENSIONS}
    exact = all(m == 16 * 2**p * queries(p) for p, (_, m, _) in found.items())
    text = f"(n, m, k) is {found[2]} at p = 2, {found[6]} at p = 6 and {found[10]} at p = 10"
    return Evidence(Verdict.NOT_CHECKABLE if exact and found[6] == (1971, 22528, 18) else Verdict.UNDECIDABLE, text)


def _histogram_lower_bounds() -> Evidence:
    """m at the printed n for p = 2, for two choices of the constants that the paper does not name."""
    n, N, F = 1668, 4, 4
    sizes = []
    for c1, c2 in ((fmpq(57, 16), fmpq(57, 8)), (fmpq(1), fmpq(1))):
        with precision(96):
            first = 1 + c1 * ((2 * arb(4).log() / n).sqrt() + (arb(N) / n).sqrt())
            second = 1 + 4 * c2 * N * arb(N).log() / (n * arb(2 * F).log())
            sizes.append(-((-Enclosure.of(32 * F * (first * second).sqrt()).hi).__floor__()))
    text = f"p = 2: m = {sizes[0]} for C1 = 57/16, C2 = 57/8 and {sizes[1]} for C1 = C2 = 1; the paper names neither"
    return Evidence(Verdict.NOT_CHECKABLE if sizes[0] != sizes[1] else Verdict.UNDECIDABLE, text)


def _budgets() -> Evidence:
    one = require(theorem="bojkovic2024.uniform", p=4, **SETTING).guarantee.privacy.epsilon
    two = require(theorem="bojkovic2024.histogram-uniform", p=4, **SETTING).guarantee.privacy.epsilon
    text = f"uniform sampling is {float(one.hi)}-private, the histogram {float(two.hi)}-private"
    return confirmed_if(two.lo == 2 * one.hi, text, with_conditions=True)


def _speed() -> Evidence:
    """For uniform nu and mu the condition number is 1, so 16|F| points suffice for uniform sampling."""
    rows = {}
    for p in DIMENSIONS:
        known = require(theorem="bojkovic2024.private-lp", p=p, kappa=1, **SETTING).m or 0
        histogram = require(theorem="bojkovic2024.histogram-uniform", p=p, **SETTING).m or 0
        rows[p] = (uniform_sizes(p)[1], histogram, known)
    text = f"m for uniform sampling, histogram, and uniform sampling with kappa = 1: p = 5 {rows[5]}, p = 10 {rows[10]}"
    return confirmed_if(all(known < h < u for u, h, known in rows.values()), text, with_conditions=True)


CONDITIONS, INCONSISTENT = Verdict.CONFIRMED_WITH_CONDITIONS, Verdict.INCONSISTENT
BOTH = ("bojkovic2024.uniform", "bojkovic2024.histogram-uniform")

CLAIMS = (
    Claim("bojkovic2024.Fig.gamma", BOJKOVIC, "Appendix C-C, parameters",
          "gamma = 0.25 is within the range of Theorem B.1 and Corollary III.1.1.",
          INCONSISTENT, Method.EXACT, _gamma,
          "Both require gamma < 1/4; at 1/4 the proof of Theorem B.1 is correct but promises nothing.",
          BOTH, again=_gamma_by_probability, severity=Severity.SLIP,
          quote=r"Parameters: $d = 2$, $\epsilon = 0.2$, $\delta = 0.5$, $\gamma = 0.25$"),
    Claim("bojkovic2024.Fig.delta", BOJKOVIC, "Appendix C-C, parameters",
          "delta = 0.5 is within the range of Theorem B.1 and Corollary III.1.1.",
          Verdict.CONFIRMED, Method.EXACT, _accuracy,
          "Any synthetic data are accurate to 8 delta = 4: the guarantee is vacuous, and the figures measure something "
          "else.", ("bojkovic2024.uniform",),
          quote=r"Parameters: $d = 2$, $\epsilon = 0.2$, $\delta = 0.5$"),
    Claim("bojkovic2024.Fig.sizes-uniform", BOJKOVIC, "Appendix C-C, sizes",
          "For uniform sampling n, m and k are the lower bounds of Theorem B.1.",
          Verdict.NOT_CHECKABLE, Method.EXACT, _uniform_lower_bounds,
          "The bounds are determined, with gamma = 1/4 at the excluded endpoint; the text does not show what was run.",
          ("bojkovic2024.uniform",),
          quote="equal to their respective lower bounds as stated in Theorem B.1 (for uniform sampling)"),
    Claim("bojkovic2024.Fig.sizes-histogram", BOJKOVIC, "Appendix C-C, sizes",
          "For the histogram m is the lower bound of Corollary III.1.1.",
          Verdict.NOT_CHECKABLE, Method.BALL, _histogram_lower_bounds,
          "m depends on C1 and C2, which the paper does not name.", ("bojkovic2024.histogram-uniform",),
          quote="equal to their respective lower bounds [...] and Corollary III.1.1 (for perturbed histogram)"),
    Claim("bojkovic2024.Fig.privacy", BOJKOVIC, "Appendix C-C, parameters",
          "Both methods are compared at epsilon = 0.2.", CONDITIONS, Method.EXACT, _budgets,
          "They are compared at the same parameter, not at the same privacy: Corollary III.1.1 is for 2 epsilon.",
          BOTH, severity=Severity.READING,
          quote=r"Parameters: $d = 2$, $\epsilon = 0.2$"),
    Claim("bojkovic2024.Fig.speed", BOJKOVIC, "Remark 2, in the setting of Appendix C-C",
          "Sampling from the histogram makes the linear program much smaller, which leads to faster computation.",
          CONDITIONS, Method.EXACT, _speed,
          "True against the worst case K = |Omega|. For the uniform records of the figures, uniform sampling has "
          "condition number 1 and needs fewer points than the histogram; and |Omega| distinct columns are always "
          "enough. The measured times are not in the text.",
          BOTH, scope=Scope.INSTANCES, depends_on=ids("R2.fewer"),
          quote=r"our requirement on m is much smaller [...] leading to faster computation"),
)  # fmt: skip
