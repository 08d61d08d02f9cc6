"""The parameters of the lower bound of zhou2024: Definition B.1, its powers of ln n, and the number of cells queried.

Everything is a power of y = gamma^(-1/3) = ln n, so most conditions are comparisons of rational exponents. The constant
c of the quoted Theorem B.3 is not known; what depends on it says so.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

from flint import arb, fmpq

from bounds.enclosure import Enclosure, precision
from bounds.risk.query_lower_bound import Condition, QueryLowerBound, query_lower_bound
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

R = Fraction(5, 6)
NEEDED = 2 + 2 * R / 5
"""Theorem B.3 requires m >= 2 gamma to minus this power."""
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
    """The ln n from which a condition holds; the checks name only conditions that have one."""
    found = condition(name, query_constant).threshold
    assert found is not None
    return found


def cells(m: int, d: int) -> int:
    """Number of cells of all marginals of at most d of m features with two values and the label."""
    return sum(2**i * comb(m + 1, i) for i in range(d + 1))


def _features() -> Evidence:
    power = -power_of_gamma(-1) * NEEDED
    text = f"with the exponents as printed 2 gamma^(-{NEEDED}) is 2 (m/2)^({power}), which exceeds m for every m > 2"
    repaired = -power_of_gamma(1) * NEEDED == 1 and -power_of_gamma(-1) * (2 - 2 * R / 5) == 1
    return inconsistent_if(power > 1 and repaired, f"{text}; with -2 + 2r/5 in Theorem B.3 both sides would be equal")


def _features_in_balls() -> Evidence:
    with precision(128):
        asked = {m: 2 * (arb(m) / 2) ** arb(fmpq(7, 5)) for m in (6, 100, 10**6)}
        shown = ", ".join(f"{Enclosure.of(v).decimal(8)[0]} for m = {m}" for m, v in asked.items())
        return inconsistent_if(all(bool(v > m) for m, v in asked.items()), f"Theorem B.3 requires m >= {shown}")


def _order() -> Evidence:
    """d = c' y/(3 ln y) with y = ln n: 3 = 1/(2r/5) is the power of y in 1/gamma."""
    gamma_power = 1 / (2 * R / 5)
    return confirmed_if(gamma_power == 3, f"d = c' ln n/({gamma_power} ln ln n), so the constant of the O is c'/3")


def _margin_of_n() -> Evidence:
    return confirmed_if(1 / (2 * R / 5) == 3, "n = exp(gamma^(-1/3)) means gamma = 1/ln^3 n exactly, since 2r/5 = 1/3")


def _radius() -> Evidence:
    """The identity of Lagrange for three coordinates is Cauchy's inequality; |x|^2 = m and |w|^2 <= 1/m."""
    import sympy

    x, w = sympy.symbols("x1:4"), sympy.symbols("w1:4")
    rest = sum((x[i] * w[j] - x[j] * w[i]) ** 2 for i in range(3) for j in range(i))
    scores = sum(a * b for a, b in zip(x, w, strict=True)) ** 2
    lagrange = sympy.expand(sum(a**2 for a in x) * sum(b**2 for b in w) - scores - rest) == 0
    attained = all(m * Fraction(1, m) == 1 and m * Fraction(1, m) ** 2 == Fraction(1, m) for m in (6, 64, 1001))
    text = (
        "by Cauchy's inequality <w, x>^2 <= |w|^2 |x|^2 <= (1/m) m = 1 for every x in {-1, 1}^m; w = x/m has norm "
        "1/sqrt m and score 1"
    )
    return confirmed_if(lagrange and attained, text)


def _below_one() -> Evidence:
    with precision(96):
        logs = [arb(fmpq(power_of_gamma(s).numerator, power_of_gamma(s).denominator)) for s in (-1, 1)]
        # m > 2e means ln(m/2) > 1, so ln gamma is below the exponent
        return confirmed_if(all(bool(v < 0) for v in logs), "m > 2e makes ln gamma less than -3/5 (-3/7 if corrected)")


def few_cells() -> bool:
    """Whether d >= 2 and m >= 3 have at most (2m)^d cells.

    By induction on d from d = 2: the next term is at most (m+1) (2m)^d/3, which is at most (2m - 1)(2m)^d.
    """
    base = all(4 * m * m - cells(m, 2) == 2 * m * m - 4 * m - 3 for m in range(1, 9)) and 2 * 9 - 12 - 3 > 0
    return base and 3 * (2 * 3 - 1) >= 3 + 1 and 6 - 1 > 0  # 3 (2m - 1) - (m + 1) = 5m - 4 is positive from m = 1 on


def _cells() -> Evidence:
    """From d = 2 on by induction; in Definition B.1 d >= 2 from some n on, as d grows with n."""
    fails = all(cells(m, 1) - 1 == 2 * m + 2 > 2 * m for m in range(1, 100))
    text = (
        "for d >= 2 and m >= 3 there are at most (2m)^d cells, by induction on d; at d = 1 there are 2m + 2, plus one "
        "of the empty marginal, which is more than 2m"
    )
    return confirmed_if(fails and few_cells() and threshold("d >= 2").lo > 0, text, with_conditions=True)


def _order_of_one() -> Evidence:
    """c' y/(3 ln y) grows without bound for every c' > 0; the largest c' is 1/5, which gives the smallest n."""
    import sympy

    y, share = sympy.symbols("y c", positive=True)
    grows = sympy.limit(share * y / (3 * sympy.log(y)), y, sympy.oo) == sympy.oo
    found = {least: threshold(f"d >= {least}") for least in (1, 2, 4)}
    order = report(log_n="2073/100").order  # e^20.73 is more than 10^9
    text = ", ".join(f"d >= {k} from ln n = {v.decimal(7)[1]}" for k, v in found.items())
    late = found[1].lo > 61 and order is not None and order.hi < Fraction(46, 100)
    return confirmed_if(
        bool(grows) and late,
        f"d tends to infinity with n for every c' > 0; even for c' = 1/5 {text} on, and at n = 10^9 it is below 0.46",
    )


def claim(
    name: str,
    locator: str,
    statement: str,
    expected: Verdict,
    method: Method,
    check: object,
    corrected: str = "",
    **graded: Any,
) -> Claim:
    """A claim about the lower bound."""
    assert callable(check)
    return Claim(
        f"zhou2024.{name}", "zhou2024", locator, statement, expected, method, check, corrected, LOWER, **graded
    )


_OK, _B1 = Verdict.CONFIRMED, "Definition B.1"

CLAIMS = (
    claim("B1.exponent", "Definition B.1 against Theorem B.3 and Corollary B.4",
          "With gamma = (m/2)^(-5/(10-2r)) and r = 5/6 the condition m >= 2 gamma^(-2-2r/5) of Theorem B.3 holds.",
          Verdict.INCONSISTENT, Method.EXACT, _features,
          "As printed the condition fails for every m > 2. A misprinted sign in Theorem B.3, copied to Corollary B.4, "
          "is at least as likely as a mistake: with -2 + 2r/5 there, Definition B.1 gives equality, and 6 ln^5 n = 3m "
          "and m = O(ln^6 n) in Theorem 4.1 follow. We have not read the source, Theorem 5 of Dagan and Feldman. If it "
          "has -2 - 2r/5, then gamma = (m/2)^(-5/(10+2r)) is needed, m is 2 ln^7 n, which is not O(ln^6 n), and both "
          "halves of Theorem 4.1 keep their rates.",
          formula="m >= 2 gamma^(-2-2r/5)", again=_features_in_balls, severity=Severity.READING,
          quote="in Definition B.1, all of the following hold: [...] $m \\ge 2 \\cdot \\gamma^{-2-2r/5}$",
          lemma="zhou2024_lower.condition_of_B3_fails"),
    claim("T41.order", "Theorem 4.1, Definition B.1", "The order d of Definition B.1 is O(ln n/ln ln n).", _OK,
          Method.EXACT, _order, depends_on=("zhou2024.B1.margin-of-n",),
          quote="For sufficiently large [...] and $d = d(n) = O(\\frac{\\ln(n)}{\\ln \\ln(n)})$"),
    claim("B1.margin-of-n", _B1, "n = exp(gamma^(-2r/5)) with r = 5/6 makes gamma = 1/ln^3 n.", _OK, Method.EXACT,
          _margin_of_n, quote="Substituting $\\gamma = \\frac{1}{\\ln^3(n)}$ into (8) we obtain"),
    claim("B1.radius", _B1, "With tau = 1/sqrt m all scores <w, x> y lie in [-1, 1], where the loss is defined.", _OK,
          Method.SYMBOLIC, _radius, scope=Scope.REASONED,
          quote="Set $\\tau = \\frac{1}{\\sqrt{m}}$. [...] convex loss function $\\varphi_{\\gamma} : [-1, 1]"),
    claim("B1.below-one", "Definition B.1, Claim B.2", "m > 2e makes gamma < 1.", _OK, Method.BALL, _below_one,
          scope=Scope.ALL_CASES, quote="Set $m > 2e$. [...] Note that $\\gamma < 1$."),
    claim("4.cells", "Section 4 before Algorithm 2, Corollary B.4",
          "The marginals of order at most d of m features with two values have at most m^d 2^d cells.",
          Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _cells,
          "True for d >= 2 and m >= 3, which Definition B.1 gives for the sufficiently large n of Theorem 4.1. For d = "
          "1 there are 2m + 3 cells with the empty marginal and 2m + 2 without it.", scope=Scope.ALL_CASES,
          hypotheses=("for sufficiently large n, with m and d of n as in Definition B.1",),
          depends_on=("zhou2024.T41.sufficiently-large",),
          quote="*non-adaptive statistical query* learning algorithm that makes [...] number of statistical queries"),
    claim("T41.sufficiently-large", "Theorem 4.1, Definition B.1",
          "For sufficiently large n the order d of Definition B.1 is an order of marginals.", _OK, Method.SYMBOLIC,
          _order_of_one,
          "Rounded down, d reaches 1 at n = 10^26.87 at the earliest, and 2 at 10^65.3: for every existing data set "
          "the theorem says nothing.", scope=Scope.ALL_CASES, depends_on=("zhou2024.T41.order",),
          quote="For sufficiently large $n, m = m(n) [...] there exists a cost function"),
)  # fmt: skip

WITHDRAWN = (
    Withdrawn("zhou2024.T41.features",
              "Theorem 4.1 and Definition B.1 agree, as m = 2 ln^5 n is O(ln^6 n); only Theorem B.3 disagrees, and "
              "this is counted elsewhere.", see="zhou2024.B1.exponent"),
)  # fmt: skip
