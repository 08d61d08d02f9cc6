"""What Definition B.1 implies according to Corollary B.4 and Appendix B of zhou2024, and the theorem they quote.

Definition B.1 sets m > 2e, and n follows from m. It stands in the proof of Theorem 4.1, which is about sufficiently
large n: what is true from some n on is true as the paper claims it, and the evidence says from which n.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq

from bounds.enclosure import Enclosure, precision
from verify.claim import Evidence, Method, Scope, Verdict, confirmed_if
from verify.claims.zhou2024_lower import (
    LARGEST_SHARE,
    R,
    cells,
    claim,
    condition,
    few_cells,
    power_of_gamma,
    power_of_m,
    report,
    threshold,
)

SMALLEST = 6
"""The smallest m above 2e = 5.43656..."""


def at_smallest(sign: int = -1) -> tuple[arb, arb]:
    """gamma and ln n at m = 6."""
    power = power_of_gamma(sign)
    gamma = (arb(SMALLEST) / 2) ** arb(fmpq(power.numerator, power.denominator))
    return gamma, gamma ** (-arb(1) / 3)


def _small_margin() -> Evidence:
    """gamma < 2^-6 is y > 4, because gamma = y^-3."""
    least = {sign: 2 * 4 ** int(power_of_m(sign)) for sign in (-1, 1)}
    at = threshold("margin")
    fails = Fraction(SMALLEST, 2) ** 3 < 64**5  # gamma = 3^(-3/5) at m = 6 is above 2^-6
    text = (
        f"gamma = (ln n)^-3 is below 2^-6 exactly for n > e^{at.lo}, that is m > {least[-1]} as printed or m > "
        f"{least[1]}; m = 6 > 2e makes it 3^(-3/5), above 2^-6 as 3^3 < 64^5"
    )
    return confirmed_if(at.is_exact and at.lo == 4 and fails, text, with_conditions=True)


def _eta() -> Evidence:
    at = threshold("eta")
    smallest = condition("eta").smallest
    assert smallest is not None
    fails = Fraction(SMALLEST, 2) < 4**10 and R + Fraction(1, 6) == 1  # eta = 3^(-1/10) at m = 6
    text = (
        f"eta = gamma^(1/6) = (ln n)^(-1/2) <= 1/4 exactly for ln n >= {at.lo}, n >= {smallest.value}; m = 6 > 2e "
        "makes eta = 3^(-1/10), above 1/4 as 3 < 4^10"
    )
    return confirmed_if(at.is_exact and at.lo == 16 and fails, text, with_conditions=True)


def _deviations() -> Evidence:
    """From e^36 on permanently, because 36 > 8: x - 8 ln x grows from x = 8 on."""
    at = threshold("deviations")
    smallest = condition("deviations").smallest
    assert smallest is not None
    with precision(96):
        below, above = (bool(arb(x).exp() < 800 * arb(x) ** 8) for x in (35, 36))
        gamma, log_n = at_smallest()
        left, right = log_n.exp() / log_n**2, 800 / gamma**2
        shown = [Enclosure.of(v).decimal(6)[0] for v in (left, right)]
    text = (
        f"n/ln^2 n >= 800 ln^6 n holds from ln n = {at.decimal(8)[1]} on, n >= {smallest.value}, but not at n = e^35; "
        f"m = 6 makes n/ln^2 n = {shown[0]} and 800/gamma^2 = {shown[1]}"
    )
    return confirmed_if(below and not above and 35 < at.lo < at.hi < 36, text, with_conditions=True)


def _tolerance() -> Evidence:
    holds = condition("tolerance", "1").threshold is not None
    fails = condition("tolerance", "99/100").threshold is None
    text = "1/n >= exp(-c gamma^(-1/3)) = n^-c holds for every n if c >= 1 and for no n if c < 1; c is not stated"
    return Evidence(Verdict.OPEN if holds and fails else Verdict.UNDECIDABLE, text)


def _queries() -> Evidence:
    """ln (2m)^d = c' y (k/3 + ln 4/(3 ln y)) with m = 2 y^k; below 8 c' y exactly where ln 4 < (24 - k) ln y."""
    with precision(96):
        at_least = [(arb(4).log() / (24 - k)).exp() for k in (5, 7)]
        start = [arb(fmpq(1, k)).exp() for k in (5, 7)]  # m > 2e
        holds = all(bool(a < s) for a, s in zip(at_least, start, strict=True))
        text = (
            f"(2m)^d < exp(8 c' gamma^(-2r/5)) from ln n = {Enclosure.of(at_least[0]).decimal(6)[1]} on "
            f"({Enclosure.of(at_least[1]).decimal(6)[1]} with m = 2 ln^7 n), which m > 2e exceeds"
        )
        return confirmed_if(holds, text)


def _eight() -> Evidence:
    """c' = c/8 up to c = 8/5, where both are 1/5; beyond it is 1/5."""
    turning = Fraction(8, 5) / 8 == LARGEST_SHARE
    grid = [Fraction(k, 7) for k in range(1, 40)]
    holds = all(8 * min(LARGEST_SHARE, c / 8) <= c for c in grid)
    text = "8 c' = min(8/5, c), which is at most c, with equality exactly for c <= 8/5"
    return confirmed_if(turning and holds, text)


def _cells_below_n() -> Evidence:
    """By the integer part of d: 0, 1, or at least 2, where few_cells and c' (5/3 + ln 4/(3 ln y)) <= 1 decide."""
    first = threshold("d >= 1").lo
    with precision(96):
        start = arb(fmpq(1, 5)).exp()  # ln n at m = 2e
        many = (arb(4).log() / 10).exp()  # (2m)^d <= n from this ln n on, for the largest c' = 1/5
        y = arb(fmpq(first.numerator, first.denominator))
        one = bool(y.exp() > 2 * (2 * y**5) + 3) and bool(y > 5)  # ln(4 y^5 + 3) grows by less than 5/y
        holds = bool(many < start) and one and few_cells() and cells(SMALLEST, 0) == 1
        text = (
            "d < 1: one cell. 1 <= d < 2: 2m + 3 cells, below n as ln n is above "
            f"{float(first):.2f}. d >= 2: at most (2m)^d, which is at most n from ln n = "
            f"{Enclosure.of(many).decimal(6)[1]} on, and m > 2e means ln n > {Enclosure.of(start).decimal(6)[0]}"
        )
    return confirmed_if(holds, text)


def _quarter_error() -> Evidence:
    """All conditions together, from the smallest n that they allow."""
    joint = {c: next(j for j in report(c).joint if j.edition == "corrected") for c in ("1", "8/5", "99/100")}
    printed = next(j for j in report("1").joint if j.edition == "printed")
    first, second = joint["1"].threshold, joint["8/5"].threshold
    assert first is not None
    assert second is not None
    holds = joint["1"].feasible is True and joint["99/100"].feasible is False and printed.feasible is False
    text = (
        f"with 10 + 2r all conditions of Theorem B.3 hold from ln n = {second.decimal(8)[1]} on for c >= 8/5 and from "
        f"{first.decimal(8)[1]} on for c = 1; with 10 - 2r, or with c < 1, for no n. Where they hold, Theorem B.3 "
        "makes the error more than 1/2 - eta >= 1/4"
    )
    return Evidence(Verdict.OPEN if holds else Verdict.UNDECIDABLE, text)


def _quoted() -> Evidence:
    """Without the source only this can be said: for every r in (0, 1) the range of gamma makes eta less than 1/2."""
    import sympy

    r = sympy.symbols("r", positive=True)
    half = sympy.simplify(sympy.expand_log(sympy.log((2 ** (-1 / (1 - r))) ** (1 - r)), force=True) + sympy.log(2)) == 0
    text = (
        "the source was not read. The theorem is consistent in itself: gamma < 2^(-1/(1-r)) is equivalent to eta < "
        "1/2, so the error 1/2 - eta is positive"
    )
    return Evidence(Verdict.OPEN if half else Verdict.UNDECIDABLE, text)


_OK, _IF, _OPEN = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS, Verdict.OPEN
_B4 = "Corollary B.4"
_SETTINGS = ("for sufficiently large n", "m > 2e, and gamma and n from m as in Definition B.1")

CLAIMS = (
    claim("B3.quoted", "Theorem B.3", "Theorem B.3 is Theorem 5 of Dagan and Feldman, with its conditions and its "
          "exponents.", _OPEN, Method.SYMBOLIC, _quoted,
          "Corollary B.4 depends on the sign in m >= 2 gamma^(-2-2r/5) and on the constant c; see zhou2024.B1.exponent "
          "and zhou2024.B4.tolerance.", scope=Scope.INSTANCES,
          quote="**Theorem B.3** (Theorem 5 in (Dagan & Feldman, 2020))."),
    claim("B4.margin", _B4, "The settings make gamma less than 2^(-1/(1-r)) = 2^-6.", _IF, Method.EXACT, _small_margin,
          "True for n > e^4, and Theorem 4.1 is about sufficiently large n; the bound m > 2e of Definition B.1 alone "
          "is not enough.", hypotheses=_SETTINGS, scope=Scope.ALL_CASES,
          depends_on=("zhou2024.B1.margin-of-n",),
          quote="all of the following hold: $r \\in (0, 1), \\gamma \\in (0, 2^{-1/(1-r)})"),
    claim("B4.eta", _B4, "The settings make eta = gamma^(1-r) at most 1/4.", _IF, Method.EXACT, _eta,
          "True for n >= e^16 = 8886110.5..., and Theorem 4.1 is about sufficiently large n; the bound m > 2e of "
          "Definition B.1 alone is not enough.", hypotheses=_SETTINGS, scope=Scope.ALL_CASES,
          depends_on=("zhou2024.B1.margin-of-n",),
          quote="all of the following hold: [...] $\\eta = \\gamma^{1-r} \\le \\frac{1}{4}"),
    claim("B4.tolerance", _B4, "The tolerance 1/n is at least exp(-c gamma^(-2r/5)).", _OPEN, Method.EXACT, _tolerance,
          "It is equivalent to c >= 1, and c is an unspecified constant of the quoted theorem. Setting n = exp(c "
          "gamma^(-2r/5)) instead makes it true for every c > 0 and changes only constants.", scope=Scope.ALL_CASES,
          depends_on=("zhou2024.B3.quoted",), quote="\\text{ tol} = \\frac{1}{n} \\ge \\exp(-c\\gamma^{-2r/5})"),
    claim("B4.queries", _B4, "2^d m^d is less than exp(8 c' gamma^(-2r/5)).", _OK, Method.BALL, _queries,
          scope=Scope.ALL_CASES, depends_on=("zhou2024.B1.margin-of-n",),
          quote="\\le 2^d \\cdot m^d < e^{8c'\\gamma^{-2r/5}}"),
    claim("B4.eight", _B4, "exp(8 c' gamma^(-2r/5)) is at most exp(c gamma^(-2r/5)).", _OK, Method.EXACT, _eight,
          scope=Scope.REASONED, quote="e^{8c'\\gamma^{-2r/5}} \\le \\exp(c\\gamma^{-2r/5})"),
    claim("B.cells-below-n", "Appendix B, upper bound",
          "With these settings the marginals have at most n cells in total.", _OK, Method.BALL, _cells_below_n,
          "True as printed, with d rounded down; with m = 2 ln^7 n it is true where gamma < 2^-6.",
          scope=Scope.ALL_CASES,
          depends_on=("zhou2024.B1.margin-of-n",),
          quote="Since we have also set parameters such that [...] after taking a union bound"),
    claim("B.deviation-size", "Appendix B before equation (7)", "The settings imply n/ln^2 n >= 800/gamma^2.", _IF,
          Method.BALL, _deviations,
          "True from n = 1870586346715549 on, and Theorem 4.1 is about sufficiently large n; the bound m > 2e of "
          "Definition B.1 alone is not enough.", hypotheses=_SETTINGS, scope=Scope.ALL_CASES,
          depends_on=("zhou2024.B1.margin-of-n",),
          quote="Since our setting of parameters implies that $\\frac{n}{\\ln^2(n)} \\ge \\frac{800}{\\gamma^2}$"),
    claim("B4.error", _B4, "Under Definition B.1 every algorithm of the form of Algorithm 2 has an expected error "
          "above 1/4 on some distribution.", _OPEN, Method.BALL, _quarter_error,
          "As printed the settings satisfy the conditions of Theorem B.3 for no n. With one sign repaired (see "
          "zhou2024.B1.exponent) and c >= 1, it follows from the quoted Theorem B.3 only for n above at least "
          "10^26.87: below, there is no marginal of order 1.", scope=Scope.REASONED,
          depends_on=("zhou2024.B3.quoted", "zhou2024.B1.exponent", "zhou2024.B4.margin", "zhou2024.B4.eta",
                      "zhou2024.B4.tolerance", "zhou2024.B4.queries", "zhou2024.B4.eight", "zhou2024.4.cells"),
          quote="for any (even computationally inefficient) algorithm Syn, the algorithm defined in Algorithm 2 has "
          "error at least $\\mathbb{E}[\\operatorname{err}_{f^*,D}(\\hat{f})] > 1/4$"),
)  # fmt: skip
