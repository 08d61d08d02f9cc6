"""The upper half of the proof of Theorem 4.1 of zhou2024, step by step: the nearest data set, the chain of bounds."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from flint import arb

from bounds.enclosure import Enclosure, as_fmpq, precision
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if, refuted_if
from verify.claims.zhou2024_lower import LARGEST_SHARE, R, power_of_gamma
from verify.claims.zhou2024_theorem41 import MARGINS, loss


def binomial_tail(n: int, p: Fraction, around: Fraction, beta: Fraction) -> Fraction:
    """P(|Bin(n, p) - around| > beta), exactly."""
    inside = [k for k in range(n + 1) if abs(k - around) > beta]
    return sum((comb(n, k) * p**k * (1 - p) ** (n - k) for k in inside), Fraction(0))


def _chernoff() -> Evidence:
    """|n u - h| > beta and |n u - n p| <= 1 make |h - n p| > beta - 1; then Hoeffding. Exact tails, both ends of u."""
    worst = Fraction(0)
    with precision(96):
        for n, p in ((12, Fraction(1, 2)), (30, Fraction(1, 4)), (40, Fraction(1, 16))):
            for beta in (Fraction(2), Fraction(4), Fraction(7)):
                bound = Enclosure.of(2 * (arb(as_fmpq(-2 * (beta - 1) ** 2 / n))).exp()).lo
                tails = [binomial_tail(n, p, n * p + s, beta) for s in (-1, 0, 1)]
                worst = max(worst, *(t / bound for t in tails))
    text = (
        "|n u - h| > beta and |n u - n p| <= 1 make |h - n p| > beta - 1, and Hoeffding's inequality has 2 "
        f"exp(-2(beta - 1)^2/n); for beta < 1 and n >= 3 that is above 1. Exact tails are at most {float(worst):.3f} "
        "times this bound"
    )
    return confirmed_if(worst < 1, text)


def _negligible() -> Evidence:
    """2 (x^2 - 1)^2 - 1 - x >= x^4 for x = ln n >= 3: in t = x - 3 all coefficients are positive."""
    import sympy

    x, t = sympy.symbols("x t")
    shifted = sympy.Poly(sympy.expand((2 * (x**2 - 1) ** 2 - 1 - x - x**4).subs(x, t + 3)), t)
    coefficients = [int(c) for c in shifted.all_coeffs()]
    text = (
        "2n exp(-2(beta - 1)^2/n) is at most exp(-ln^4 n) for n >= e^3: with x = ln n, 2(beta - 1)^2/n >= 2(x^2 - 1)^2 "
        f"and ln 2n <= 1 + x; coefficients of the difference in x - 3: {coefficients}"
    )
    return confirmed_if(min(coefficients) > 0, text)


def _nearest() -> Evidence:
    """All tables of 6 records over 4 cells, as real and as synthetic data, against the same noisy table."""
    tables = [(i, j, k, 6 - i - j - k) for i in range(7) for j in range(7 - i) for k in range(7 - i - j)]
    noisy = (2, 0, 3, 1)

    def distance(a: tuple[int, ...], b: tuple[int, ...]) -> int:
        return sum(abs(u - v) for u, v in zip(a, b, strict=True))

    worst = Fraction(0)
    for real in tables:
        beta = max(abs(u - v) for u, v in zip(real, noisy, strict=True))
        allowed = [t for t in tables if distance(t, noisy) <= distance(real, noisy)]  # whatever the support is
        worst = max([worst] + [Fraction(distance(t, real), 4 * beta) for t in allowed if beta])
    real_off, nearest_off = (10, 10, -10, -10), (19, 0, 0, -19)
    nearer = sum(map(abs, nearest_off)) < sum(map(abs, real_off)) and max(nearest_off) > max(real_off)
    text = (
        "the real data are among the candidates, so the nearest is within 2^d beta of n u in L1, as they are, and "
        f"within 2 2^d beta of them; for all tables of 6 records over 4 cells it is at most {worst} times 2^d beta; "
        "entrywise, errors of (19, 0, 0, -19) are closer in L1 than (10, 10, -10, -10), but larger"
    )
    return confirmed_if(worst <= 2 and nearer, text)


def _size_of_loss() -> Evidence:
    """Already with the printed K = 2 the factor is 2 + 9 gamma/8."""
    factors = [2 + loss(g, Fraction(0)) for g in MARGINS]
    quotients = [f / g for f, g in zip(factors, MARGINS, strict=True)]
    return refuted_if(
        min(quotients) > 128 and quotients[2] > 10**9,
        f"K tau sqrt m + phi(0) = 2 + 9 gamma/8, {float(quotients[0]):.1f} times gamma at 1/64 and always more than 2 "
        "ln^3 n times",
    )


def _size_of_loss_limit() -> Evidence:
    """The whole second term over that of line 4, without their common factor (12 ln^5 n)^d/sqrt n; x = ln n."""
    import sympy

    g, x = sympy.symbols("gamma x", positive=True)
    factor = 2 + g / 2 + sympy.Rational(9, 8) * g
    limit = sympy.limit(factor / g, g, 0, "+")
    over_line_4 = sympy.simplify(factor.subs(g, 1) * x**2 / (6 * x**5) / x)  # gamma is at most 1
    text = (
        "(2 + 13 gamma/8)/gamma tends to infinity as gamma tends to 0; 3m is 6 ln^5 n, so the second term is then at "
        f"most {over_line_4.subs(x, 1)} (ln n)^-4 times that of line 4"
    )
    return refuted_if(limit == sympy.oo and over_line_4 * x**4 == sympy.Rational(29, 48), text)


def _inverse_logarithm() -> Evidence:
    """gamma = x^-3 with x = ln n, by n = exp(gamma^(-2r/5)) and r = 5/6."""
    power = 1 / (-2 * R / 5)
    text = (
        f"gamma = (ln n)^({power}), at most (ln n)^(-1) for n >= e, since the power is smaller: a weaker but true bound"
    )
    return confirmed_if(power == -3, text)


def _expansion() -> Evidence:
    """With x = ln n and L = ln^5 n."""
    import sympy

    x, size, d = sympy.symbols("x L d", positive=True)
    before = (6 * size) ** (d - 1) * 2**d * x**2 / x
    after = size**d * 12**d * x / (6 * size)
    same = sympy.simplify(sympy.expand_log(sympy.log(before) - sympy.log(after), force=True)) == 0
    text = "(6 ln^5 n)^(d-1) 2^d ln^2 n/ln n is (ln^5 n)^d 12^d ln n divided by 6 ln^5 n, for every d and n"
    return confirmed_if(bool(same), text)


def _three_m() -> Evidence:
    """m = 2 gamma^(1/p) for gamma = (m/2)^p, and gamma = (ln n)^-3."""
    power = 1 / power_of_gamma(-1) * 1 / (-2 * R / 5)
    return confirmed_if(power == 5, f"Definition B.1 as printed makes m = 2 (ln n)^{power}, so 3m = 6 (ln n)^{power}")


def _first_term() -> Evidence:
    """2(d - 1) - d = d - 2; d = c' x/(3 ln x), because gamma^(-2r/5) = x and -ln gamma = 3 ln x, x = ln n."""
    import sympy

    d = sympy.symbols("d", positive=True)
    twice = sympy.expand(2 * (d - 1) - d - (d - 2)) == 0
    text = (
        "1/sqrt(d - 1) <= sqrt(2/d) for d >= 2, as 2(d - 1) - d = d - 2, and d = c' ln n/(3 ln ln n) makes it "
        "sqrt(6/c') sqrt(ln ln n/ln n); d grows with n, so d >= 2 for sufficiently large n"
    )
    return confirmed_if(bool(twice) and 1 / (-2 * R / 5) == -3, text)


def _quarter() -> Evidence:
    """(ln^5 n)^d = n^(5c'/3) exactly, as d ln ln n = c' ln n/3; 12^d grows, but more slowly than every power of n."""
    power = 5 * LARGEST_SHARE / 3
    limit = Fraction(1, 4) * Fraction(3, 5)
    text = (
        f"(ln^5 n)^d = n^(5c'/3) and 12^d = n^o(1), so the statement is true for c' < {limit}, that is c < "
        f"{8 * limit}, and for no other c': at c' = {LARGEST_SHARE} it is n^({power}), above n^(1/4) by at least "
        f"n^({power - Fraction(1, 4)}); c is not stated"
    )
    return Evidence(Verdict.OPEN if power > Fraction(1, 4) and limit < LARGEST_SHARE else Verdict.UNDECIDABLE, text)


def _quarter_again() -> Evidence:
    """The whole factor at numbers, with d = c' ln n/(3 ln ln n) and 12^d; and at c' = 1/8, where it does vanish."""
    with precision(96):
        grown, small = ([log_ratio(share, x) for x in powers] for share, powers in _SIZES)
        shown = ", ".join(v.str(5, radius=False) for v in grown)
        rises = bool(grown[0] > 0) and bool(grown[1] > 10 * grown[0])
        falls = bool(small[0] < 0) and bool(small[1] < small[0])
        text = (
            f"ln((12 ln^5 n)^d/n^(1/4)) for c' = 1/5: {shown} at ln n = 100, 10000; for c' = 1/8 it falls from 10^18 on"
        )
        return Evidence(Verdict.OPEN if rises and falls else Verdict.UNDECIDABLE, text)


def log_ratio(share: Fraction, log_n: int) -> arb:
    x = arb(log_n)
    return x * as_fmpq(share / 3) / x.log() * (12 * x**5).log() - x / 4


_SIZES = ((LARGEST_SHARE, (100, 10**4)), (Fraction(1, 8), (10**18, 10**24)))


def _last_line() -> Evidence:
    import sympy

    n = sympy.symbols("n", positive=True)
    before = n ** sympy.Rational(1, 4) * sympy.log(n) * sympy.sqrt(n) / n
    after = sympy.log(n) / n ** sympy.Rational(1, 4)
    return confirmed_if(sympy.simplify(before - after) == 0, "both displays are ln n/n^(1/4), for every n")


_OK, _NO, _P = Verdict.CONFIRMED, Verdict.REFUTED, "zhou2024"
_EVERY, _REASONED = Scope.ALL_CASES, Scope.REASONED
_U = ("zhou2024.upper-half",)
_LARGE = ("for sufficiently large n",)
_CHAIN = "Appendix B, upper bound, line {}"
_OF_N = ("zhou2024.B1.margin-of-n",)
_LINE_3 = r"O\left(\ln^{-1}(n)(6\ln^5 n)^{d-1} \cdot \frac{2^d \cdot \ln^2(n) \cdot \sqrt{n}}{n}\right)"
_LINE_4 = r"O\left(\sqrt{\frac{-\ln(\gamma)}{\gamma^{-2r/5}}}\right) + O\left((\ln^5 n)^d \cdot \frac{12^d \cdot \ln(n)"
_LINE_5 = r"O\left(\sqrt{\frac{\ln(\ln(n))}{\ln(n)}}\right) + O\left(\frac{n^{1/4} \cdot \ln(n) \cdot \sqrt{n}}{n}"

CLAIMS = (
    Claim("zhou2024.B.chernoff", _P, "Appendix B, upper bound", "A cell is off by more than beta with probability at "
          "most 2 exp(-2(beta - 1)^2/n).", _OK, Method.DISTRIBUTION, _chernoff, "", _U, hypotheses=_LARGE,
          scope=_REASONED, quote=r"By Chernoff bounds and the tolerance guarantee, for a particular [...] \le 2 \cdot "
          r"\exp(-2(\beta - 1)^2/n)"),
    Claim("zhou2024.B.negligible", _P, "Appendix B, upper bound", "With beta = ln^2 n sqrt n and at most n cells the "
          "failure probability is negligible.", _OK, Method.SYMBOLIC, _negligible, "", _U, hypotheses=_LARGE,
          scope=_EVERY, depends_on=("zhou2024.B.chernoff", "zhou2024.B.cells-below-n"),
          quote=r"We set $\beta = \ln^2(n) \cdot \sqrt{n}$ for this probability to be negligible in n"),
    Claim("zhou2024.B.nearest", _P, "Appendix B, upper bound", "The data set nearest in L1 has marginals within "
          "O(2^d ln^2 n sqrt n) of the real ones in L1.", _OK, Method.EXACT, _nearest, "True with the constant 2. The "
          "intermediate entrywise bound O(ln^2 n sqrt n) does not follow, because the algorithm minimises the L1 "
          "distance; it is not needed.", _U, scope=_REASONED, depends_on=("zhou2024.B.negligible",),
          quote=r"Finally, the $\ell_1$ norm of any marginals can be bounded [...] \in O(2^d \cdot \ln^2(n) \cdot "
          r"\sqrt{n})"),
    Claim("zhou2024.B.size-of-loss", _P, _CHAIN.format(2), "K tau sqrt m + phi(0) is O(gamma).", _NO, Method.EXACT,
          _size_of_loss, "The sum is 2 + 13 gamma/8 with the true K, and tends to 2: lines 2 and 3 are too small by "
          "the factors ln^3 n and ln n. Line 4 drops a factor 1/(6 ln^5 n), so it is true as printed.", _U,
          again=_size_of_loss_limit, severity=Severity.SLIP,
          depends_on=("zhou2024.T41.lipschitz",),
          quote=r"O\left(\gamma(3m)^{d-1} \cdot \frac{2^d \cdot \ln^2(n) \cdot \sqrt{n}}{n}\right)",
          lemma="zhou2024_lower.size_of_loss_is_not_of_order_gamma"),
    Claim("zhou2024.B.inverse-logarithm", _P, _CHAIN.format(3), "gamma may be replaced by 1/ln n.", _OK, Method.EXACT,
          _inverse_logarithm, "True as an upper bound: gamma is 1/ln^3 n.", _U, scope=_EVERY, depends_on=_OF_N,
          quote=_LINE_3),
    Claim("zhou2024.B.three-m", _P, _CHAIN.format(3), "3m is 6 ln^5 n.", _OK, Method.EXACT, _three_m,
          "True by Definition B.1 as printed; with the m that Theorem B.3 requires, it is 6 ln^7 n "
          "(zhou2024.B1.exponent).",
          _U, depends_on=_OF_N, quote=_LINE_3),
    Claim("zhou2024.B.expansion", _P, _CHAIN.format(4), "The factors collect to O((ln^5 n)^d 12^d ln n).", _OK,
          Method.SYMBOLIC, _expansion, "", _U, scope=_EVERY, quote=_LINE_4),
    Claim("zhou2024.B.first-term", _P, _CHAIN.format(4), "1/sqrt(d - 1) is O(sqrt(ln ln n/ln n)).", _OK,
          Method.SYMBOLIC, _first_term, "The chain writes 1/sqrt d instead.", _U, hypotheses=_LARGE, scope=_EVERY,
          depends_on=_OF_N, quote=_LINE_4),
    Claim("zhou2024.B.quarter", _P, _CHAIN.format(5), "(ln^5 n)^d 12^d is O(n^(1/4)) for c' = min{1/5, c/8}.",
          Verdict.OPEN, Method.EXACT, _quarter,
          "It is equivalent to c < 6/5, and c is an unspecified constant of the quoted theorem, as in "
          "zhou2024.B4.tolerance. The 1/5 does not help, since it is the smaller one only for c >= 8/5; min{1/7, c/8} "
          "would do for every c. Times ln n/sqrt n the term vanishes in any case, so the first half of the theorem "
          "stands.", _U,
          hypotheses=("c is a constant that, according to the paper, depends only on r",), again=_quarter_again,
          scope=_EVERY, depends_on=(*_OF_N, "zhou2024.B3.quoted"), quote=_LINE_5),
    Claim("zhou2024.B.last-line", _P, _CHAIN.format(6), "n^(1/4) ln n sqrt n/n is ln n/n^(1/4).", _OK, Method.SYMBOLIC,
          _last_line, "", _U, scope=_EVERY, depends_on=("zhou2024.B.expansion", "zhou2024.B.quarter"),
          quote=r"O\left(\frac{n^{1/4} \cdot \ln(n) \cdot \sqrt{n}}{n}\right) \\ &\in O\left(\sqrt{\frac{\ln(\ln(n))}"
          r"{\ln(n)}}\right) + O\left(\frac{\ln(n)}{n^{1/4}}"),
)  # fmt: skip
