"""The parameters of the lower bound of zhou2024, Definition B.1, and what Corollary B.4 asks of them.

Everything is a power of y = gamma^(-1/3) = ln n, so most conditions are comparisons of rational exponents. The constant
c of the quoted Theorem B.3 is not known; what depends on it says so.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb

from flint import arb, fmpq

from bounds.enclosure import Enclosure, precision
from bounds.risk.query_lower_bound import Condition, QueryLowerBound, query_lower_bound
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if, inconsistent_if, refuted_if

R = Fraction(5, 6)
NEEDED = 2 + 2 * R / 5
"""Theorem B.3 asks for m >= 2 gamma to minus this power."""
LARGEST_SHARE = Fraction(1, 5)
LOWER = ("zhou2024.lower",)


def power_of_gamma(sign: int) -> Fraction:
    """gamma = (m/2) to this power: sign -1 as printed, with 10 - 2r, sign +1 as Theorem B.3 needs it."""
    return Fraction(-5) / (10 + sign * 2 * R)


def power_of_m(sign: int) -> Fraction:
    """m = 2 ln^k n with this k, from n = exp(gamma^(-2r/5))."""
    return 1 / (-power_of_gamma(sign) * 2 * R / 5)


@cache
def report(query_constant: str | None = None, log_n: str | None = None) -> QueryLowerBound:
    return query_lower_bound(query_constant=query_constant, log_n=log_n)


def condition(name: str, query_constant: str | None = None, edition: str = "corrected") -> Condition:
    return next(k for k in report(query_constant).conditions if k.name == name and k.edition == edition)


def threshold(name: str, query_constant: str | None = None) -> Enclosure:
    """The ln n from which on a condition holds; the checks name only conditions that have one."""
    found = condition(name, query_constant).threshold
    assert found is not None
    return found


def cells(m: int, d: int) -> int:
    """Cells of all marginals of at most d of m features with two values and the label."""
    return sum(2**i * comb(m + 1, i) for i in range(d + 1))


def _features() -> Evidence:
    power = -power_of_gamma(-1) * NEEDED
    text = f"with the printed exponent 2 gamma^(-{NEEDED}) = 2 (m/2)^({power}), which exceeds m for every m > 2"
    repaired = -power_of_gamma(1) * NEEDED == 1 and -power_of_gamma(-1) * (2 - 2 * R / 5) == 1
    return refuted_if(power > 1 and repaired, text)


def _features_in_balls() -> Evidence:
    with precision(128):
        asked = {m: 2 * (arb(m) / 2) ** arb(fmpq(7, 5)) for m in (6, 100, 10**6)}
        shown = ", ".join(f"{Enclosure.of(v).decimal(8)[0]} for m = {m}" for m, v in asked.items())
        return refuted_if(all(bool(v > m) for m, v in asked.items()), f"Theorem B.3 asks for m >= {shown}")


def _needed_m() -> Evidence:
    printed, needed = power_of_m(-1), power_of_m(1)
    text = f"gamma = 1/ln^3 n gives m = 2 ln^{printed} n as printed, and 2 ln^{needed} n where Theorem B.3 is satisfied"
    return inconsistent_if(printed == 5 and needed == 7 and needed > 6, text)


def _needed_m_from_conditions() -> Evidence:
    """Whatever the exponent: m = C ln^6 n against 2 gamma^(-7/3) = 2 ln^7 n fails once ln n > C/2."""
    fails = all(c * c**6 < 2 * c**7 for c in (2, 100, 10**6))
    return inconsistent_if(fails, "C ln^6 n is less than 2 ln^7 n at ln n = C, for C = 2, 100, 1000000")


def _order() -> Evidence:
    """d = c' y/(3 ln y) with y = ln n: 3 = 1/(2r/5) is the power of y in 1/gamma."""
    gamma_power = 1 / (2 * R / 5)
    return confirmed_if(gamma_power == 3, f"d = c' ln n/({gamma_power} ln ln n), so the constant of the O is c'/3")


def _margin_of_n() -> Evidence:
    return confirmed_if(1 / (2 * R / 5) == 3, "n = exp(gamma^(-1/3)) means gamma = 1/ln^3 n exactly, since 2r/5 = 1/3")


def _radius() -> Evidence:
    """|<w, x>| <= |w||x| = tau sqrt m = 1, and w = x/m attains it, exactly, for +-1 features."""
    attained = []
    for m in (6, 64, 1001):
        w = Fraction(1, m)
        attained.append(m * w == 1 and m * w**2 == Fraction(1, m))
    return confirmed_if(all(attained), "w = x/m has norm 1/sqrt m and score 1, for m = 6, 64, 1001")


def _below_one() -> Evidence:
    with precision(96):
        logs = [arb(fmpq(power_of_gamma(s).numerator, power_of_gamma(s).denominator)) for s in (-1, 1)]
        # m > 2e means ln(m/2) > 1, so ln gamma is below the exponent
        return confirmed_if(all(bool(v < 0) for v in logs), "m > 2e makes ln gamma less than -3/5 (-3/7 if corrected)")


def _small_margin() -> Evidence:
    """gamma < 2^-6 is y > 4, because gamma = y^-3."""
    least = {sign: 2 * 4 ** int(power_of_m(sign)) for sign in (-1, 1)}
    at = threshold("margin")
    six = (Fraction(6, 2) ** 3) < 64**5  # gamma = 3^(-3/5) at m = 6 is above 2^-6
    text = (
        f"it holds exactly for n > e^{at.lo}, that is m > {least[-1]} as printed or m > {least[1]}; "
        "m = 6 > 2e is not enough"
    )
    return confirmed_if(at.is_exact and at.lo == 4 and six, text, with_conditions=True)


def _eta() -> Evidence:
    at = threshold("eta")
    smallest = condition("eta").smallest
    assert smallest is not None
    text = f"eta = gamma^(1/6) = (ln n)^(-1/2) <= 1/4 exactly for ln n >= {at.lo}, n >= {smallest.value}"
    return confirmed_if(at.is_exact and at.lo == 16 and R + Fraction(1, 6) == 1, text, with_conditions=True)


def _tolerance() -> Evidence:
    holds = condition("tolerance", "1").threshold is not None
    fails = condition("tolerance", "99/100").threshold is None
    text = "1/n >= exp(-c gamma^(-1/3)) = n^-c holds for every n if c >= 1 and for no n if c < 1; c is not stated"
    return Evidence(Verdict.UNDECIDABLE if holds and fails else Verdict.REFUTED, text)


def _queries() -> Evidence:
    """ln (2m)^d = c' y (k/3 + ln 4/(3 ln y)) with m = 2 y^k; below 8 c' y exactly where ln 4 < (24 - k) ln y."""
    with precision(96):
        at_least = [(arb(4).log() / (24 - k)).exp() for k in (5, 7)]
        start = [arb(fmpq(1, k)).exp() for k in (5, 7)]  # m > 2e
        holds = all(bool(a < s) for a, s in zip(at_least, start, strict=True))
        text = (
            f"(2m)^d < exp(8 c' gamma^(-1/3)) from ln n = {Enclosure.of(at_least[0]).decimal(6)[1]} on "
            f"({Enclosure.of(at_least[1]).decimal(6)[1]} with m = 2 ln^7 n), which m > 2e exceeds"
        )
        return confirmed_if(holds, text)


def _eight() -> Evidence:
    grid = [Fraction(k, 7) for k in range(1, 40)]
    holds = all(8 * min(LARGEST_SHARE, c / 8) <= c for c in grid)
    return confirmed_if(holds, "8 c' = min(8/5, c) <= c, with equality exactly for c <= 8/5")


def _cells() -> Evidence:
    """Induction on d from d = 2: the next term is at most (m+1) (2m)^d/3, which is at most (2m - 1)(2m)^d."""
    base = all(4 * m * m - cells(m, 2) == 2 * m * m - 4 * m - 3 for m in range(1, 9)) and 2 * 9 - 12 - 3 > 0
    step = 6 - 1 > 0 and 3 * (2 * 3 - 1) >= 3 + 1  # 3 (2m - 1) - (m + 1) = 5m - 4 is positive from m = 1 on
    fails = cells(6, 1) == 15 and cells(2, 2) == 19
    return confirmed_if(
        base and step and fails,
        "for d >= 2 and m >= 3 the cells are at most (2m)^d; for d = 1 they are 2m + 3 > 2m (15 > 12 at m = 6)",
        with_conditions=True,
    )


def _cells_below_n() -> Evidence:
    """c' (k/3 + ln 4/(3 ln y)) <= 1 with c' = 1/5: ln y >= ln 4/(15 - k)."""
    with precision(96):
        printed, needed = ((arb(4).log() / (15 - k)).exp() for k in (5, 7))
        holds = bool(printed < arb(fmpq(1, 5)).exp()) and bool(needed < 4)
        text = (
            f"(2m)^d <= n from ln n = {Enclosure.of(printed).decimal(6)[1]} on as printed, where m > 2e is, and "
            f"from {Enclosure.of(needed).decimal(6)[1]} on with m = 2 ln^7 n, below the 4 that gamma < 2^-6 asks for"
        )
        return confirmed_if(holds, text, with_conditions=True)


def _deviations() -> Evidence:
    at = threshold("deviations")
    smallest = condition("deviations").smallest
    assert smallest is not None
    text = f"n/ln^2 n >= 800 ln^6 n holds from ln n = {at.decimal(8)[1]} on, n >= {smallest.value}; not at e^16"
    return confirmed_if(16 < at.lo < 36 and at.hi > 35, text, with_conditions=True)


def _quarter_error() -> Evidence:
    """All conditions together, from the smallest n on that they allow."""
    joint = {c: next(j for j in report(c).joint if j.edition == "corrected") for c in ("1", "8/5", "99/100")}
    printed = next(j for j in report("1").joint if j.edition == "printed")
    first, second = joint["1"].threshold, joint["8/5"].threshold
    assert first is not None
    assert second is not None
    holds = joint["1"].feasible is True and joint["99/100"].feasible is False and printed.feasible is False
    text = (
        f"with 10 + 2r all conditions hold from ln n = {second.decimal(8)[1]} on for c >= 8/5 and from "
        f"{first.decimal(8)[1]} on for c = 1; with 10 - 2r, or with c < 1, for no n. Then the error is above "
        "1/2 - eta >= 1/4"
    )
    return confirmed_if(holds, text, with_conditions=True)


def _order_of_one() -> Evidence:
    """The largest c' is 1/5, so these are the smallest n for which there is a marginal at all."""
    found = {least: threshold(f"d >= {least}") for least in (1, 2, 4)}
    below = found[1].lo > 61 and report(log_n="2073/100").order is not None
    order = report(log_n="2073/100").order  # e^20.73 is more than 10^9
    text = ", ".join(f"d >= {k} from ln n = {v.decimal(7)[1]}" for k, v in found.items())
    return confirmed_if(
        below and order is not None and order.hi < Fraction(46, 100),
        f"{text} on, even for c' = 1/5; at n = 10^9 d is below 0.46",
        with_conditions=True,
    )


def claim(
    name: str, locator: str, statement: str, expected: Verdict, method: Method, check: object, corrected: str = ""
) -> Claim:
    """A claim about the lower bound that has one route."""
    assert callable(check)
    return Claim(f"zhou2024.{name}", "zhou2024", locator, statement, expected, method, check, corrected, LOWER)


_OK, _IF = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS
_B1, _B4 = "Definition B.1", "Corollary B.4"

CLAIMS = (
    Claim("zhou2024.B1.exponent", "zhou2024", "Definition B.1, Corollary B.4",
          "With gamma = (m/2)^(-5/(10-2r)) and r = 5/6 the condition m >= 2 gamma^(-2-2r/5) of Theorem B.3 holds.",
          Verdict.REFUTED, Method.EXACT, _features,
          "It fails for every m > 2. Both sides are equal with 10 + 2r in place of 10 - 2r, or -2 + 2r/5 in Theorem "
          "B.3, if its source has that; the source was not consulted. The minus sign is no misprint of one place: the "
          "proof goes on with 6 ln^5 n = 3m, which it implies.", LOWER,
          formula="m >= 2 gamma^(-2-2r/5)", again=_features_in_balls),
    Claim("zhou2024.T41.features", "zhou2024", "Theorem 4.1, Definition B.1, Theorem B.3",
          "m = O(ln^6 n) in Theorem 4.1 agrees with what Definition B.1 sets and Theorem B.3 asks for.",
          Verdict.INCONSISTENT, Method.EXACT, _needed_m,
          "The proof as printed has m = 2 ln^5 n, which is O(ln^6 n) but too small for Theorem B.3; that asks for "
          "m >= 2 ln^7 n, which is not O(ln^6 n). With m = 2 ln^7 n both halves of the theorem keep their rates. "
          "The three agree with m >= 2 ln^7 n in Theorem 4.1, or -2 + 2r/5 in Theorem B.3, if its source has that; the "
          "source was not consulted. "
          "Whether fewer features would do is open: what falls is the proof from Theorem B.3.", LOWER,
          again=_needed_m_from_conditions),
    claim("T41.order", "Theorem 4.1, Definition B.1", "The order d of Definition B.1 is O(ln n/ln ln n).", _OK,
          Method.EXACT, _order),
    claim("B1.margin-of-n", _B1, "n = exp(gamma^(-2r/5)) with r = 5/6 makes gamma = 1/ln^3 n.", _OK, Method.EXACT,
          _margin_of_n),
    claim("B1.radius", _B1, "With tau = 1/sqrt m all scores <w, x> y lie in [-1, 1], where the loss is defined.", _OK,
          Method.EXACT, _radius),
    claim("B1.below-one", "Definition B.1, Claim B.2", "m > 2e makes gamma < 1.", _OK, Method.BALL, _below_one),
    claim("B4.margin", _B4, "The settings make gamma less than 2^(-1/(1-r)) = 2^-6.", _IF, Method.EXACT, _small_margin,
          "For n > e^4; the bound m > 2e of Definition B.1 does not suffice."),
    claim("B4.eta", _B4, "The settings make eta = gamma^(1-r) at most 1/4.", _IF, Method.EXACT, _eta,
          "For n >= e^16 = 8886110.5..., not from m > 2e on."),
    claim("B4.tolerance", _B4, "The tolerance 1/n is at least exp(-c gamma^(-2r/5)).", Verdict.UNDECIDABLE,
          Method.EXACT,
          _tolerance, "It says c >= 1, and c is an unspecified constant. Setting n = exp(c gamma^(-2r/5)) instead "
          "makes it "
          "hold for every c > 0, and only changes constants."),
    claim("B4.queries", _B4, "2^d m^d is less than exp(8 c' gamma^(-2r/5)).", _OK, Method.BALL, _queries),
    claim("B4.eight", _B4, "exp(8 c' gamma^(-2r/5)) is at most exp(c gamma^(-2r/5)).", _OK, Method.EXACT, _eight),
    claim("4.cells", "Section 4 before Algorithm 2, Corollary B.4", "The marginals of order at most d of m features "
    "with "
          "two values have at most m^d 2^d cells.", _IF, Method.EXACT, _cells,
          "For d >= 2 and m >= 3. For d = 1 there are 2m + 3 with the empty marginal, 2m + 2 without."),
    claim("B.cells-below-n", "Appendix B, upper bound", "The settings make the number of cells of all marginals at "
    "most n.",
          _IF, Method.BALL, _cells_below_n, "For d >= 2, where the cells are at most (2m)^d, and n > e^4 if m is "
          "corrected."),
    claim("B.deviation-size", "Appendix B before equation (7)", "The settings imply n/ln^2 n >= 800/gamma^2.", _IF,
          Method.BALL, _deviations, "From n = 1870586346715549 on; for the smaller n > e^4 it fails."),
    claim("B4.error", _B4, "Under Definition B.1 every algorithm of the form of Algorithm 2 has an expected error "
    "above "
          "1/4 on some distribution.", _IF, Method.BALL, _quarter_error,
          "With the exponent repaired, c >= 1 in the quoted Theorem B.3, and n above 10^26.87 at least: otherwise "
          "there is no "
          "marginal of order 1. As printed the settings satisfy Theorem B.3 for no n."),
    claim("T41.sufficiently-large", "Theorem 4.1, Definition B.1", "For sufficiently large n the order d of "
    "Definition B.1 "
          "is an order of marginals.", _IF, Method.BALL, _order_of_one,
          "d is a real number and has to be rounded down; it reaches 1 at n = 10^26.87 at the earliest, 2 at "
          "10^65.3. For "
          "every data set that exists the theorem is empty."),
)  # fmt: skip
