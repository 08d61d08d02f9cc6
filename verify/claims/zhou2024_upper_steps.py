"""The upper half of the proof of Theorem 4.1 of zhou2024, step by step: the nearest data set, the chain of bounds."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from flint import arb

from bounds.enclosure import Enclosure, as_fmpq, precision
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if, refuted_if
from verify.claims.zhou2024_lower import LARGEST_SHARE
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
    return confirmed_if(
        worst < 1, f"the exact tails are at most {float(worst):.3f} of the bound; for beta < 1 and n >= 3 it is above 1"
    )


def _negligible() -> Evidence:
    """2 (x^2 - 1)^2 - 1 - x >= x^4 for x = ln n >= 3: in t = x - 3 all coefficients are positive."""
    import sympy

    x, t = sympy.symbols("x t")
    shifted = sympy.Poly(sympy.expand((2 * (x**2 - 1) ** 2 - 1 - x - x**4).subs(x, t + 3)), t)
    coefficients = [int(c) for c in shifted.all_coeffs()]
    text = f"2n exp(-2(beta - 1)^2/n) is at most exp(-ln^4 n) for n >= e^3; coefficients {coefficients}"
    return confirmed_if(min(coefficients) > 0, text)


def _nearest() -> Evidence:
    """All tables of 6 records over 4 cells as real and as synthetic data, against the same noisy table."""
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
        f"4 cells, 6 records: the L1 distance is at most {worst} times 2^d beta; entrywise, errors of "
        "(19, 0, 0, -19) are nearer in L1 than (10, 10, -10, -10), and larger"
    )
    return confirmed_if(worst <= 2 and nearer, text, with_conditions=True)


def _size_of_loss() -> Evidence:
    """Already with the printed K = 2 the factor is 2 + 9 gamma/8."""
    factors = [2 + loss(g, Fraction(0)) for g in MARGINS]
    quotients = [f / g for f, g in zip(factors, MARGINS, strict=True)]
    return refuted_if(
        min(quotients) > 128 and quotients[2] > 10**9,
        f"K tau sqrt m + phi(0) = 2 + 9 gamma/8, {float(quotients[0]):.1f} times gamma at 1/64 and more than 2 ln^3 "
        f"n times always",
    )


def _size_of_loss_limit() -> Evidence:
    import sympy

    g = sympy.symbols("gamma", positive=True)
    limit = sympy.limit((2 + g / 2 + sympy.Rational(9, 8) * g) / g, g, 0, "+")
    return refuted_if(limit == sympy.oo, "(2 + 13 gamma/8)/gamma tends to infinity as gamma tends to 0")


def _inverse_logarithm() -> Evidence:
    return confirmed_if(
        all(Fraction(1, x**3) <= Fraction(1, x) for x in range(1, 200)),
        "1/ln^3 n <= 1/ln n for n >= e: weaker, and true",
        with_conditions=True,
    )


def _expansion() -> Evidence:
    """(6 L)^(d-1) 2^d ln^-1 ln^2 = (12 L)^d ln/(6 L), with L = ln^5 n."""
    good = all(
        (6 * L) ** (d - 1) * 2**d * Fraction(x**2, x) == Fraction((12 * L) ** d * x, 6 * L)
        for x in (2, 3, 9)
        for L in (x**5,)
        for d in range(1, 8)
    )
    return confirmed_if(good, "(6 ln^5 n)^(d-1) 2^d ln n is (12 ln^5 n)^d ln n divided by 6 ln^5 n")


def _three_m() -> Evidence:
    return confirmed_if(
        all(3 * (2 * x**5) == 6 * x**5 for x in range(2, 50)),
        "m = 2 ln^5 n makes 3m = 6 ln^5 n; Theorem B.3 asks for 6 ln^7 n",
        with_conditions=True,
    )


def _first_term() -> Evidence:
    """1/sqrt(d - 1) <= sqrt(2/d) from d = 2 on, and d = c' ln n/(3 ln ln n)."""
    good = all(Fraction(1, d - 1) <= Fraction(2, d) for d in range(2, 1000)) and 3 / LARGEST_SHARE == 15
    return confirmed_if(
        good, "1/sqrt(d - 1) <= sqrt(2/d) = sqrt(6/c') sqrt(ln ln n/ln n) for d >= 2", with_conditions=True
    )


def _quarter() -> Evidence:
    """(ln^5 n)^d = n^(5c'/3) exactly and 12^d = n^o(1), so it holds where 5c'/3 < 1/4; c' = c/8 for c <= 8/5."""
    limit = Fraction(1, 4) * Fraction(3, 5) * 8
    below = [limit - Fraction(1, 10**k) for k in (1, 3, 6)]
    holds = all(Fraction(5, 3) * min(LARGEST_SHARE, c / 8) < Fraction(1, 4) for c in below)
    excess = Fraction(5, 3) * LARGEST_SHARE - Fraction(1, 4)
    with precision(96):
        # c = 1, so c' = 1/8: ln of the ratio to n^(1/4) at ln n = 10^18 and 10^24, where 12^d no longer matters
        ratios = []
        for x in (arb(10) ** 18, arb(10) ** 24):
            ratios.append(x / (24 * x.log()) * (12 * x**5).log() - x / 4)
        falls = bool(ratios[0] < 0) and bool(ratios[1] < ratios[0])
    text = (
        f"(ln^5 n)^d = n^(5c'/3), and 5c'/3 < 1/4 for c < {limit}; for c' = 1/5 the ratio to n^(1/4) is at least "
        f"n^({excess})"
    )
    return confirmed_if(holds and falls and limit == Fraction(6, 5), text, with_conditions=excess > 0)


def _last_line() -> Evidence:
    return confirmed_if(Fraction(1, 4) + Fraction(1, 2) - 1 == -Fraction(1, 4), "1/4 + 1/2 - 1 = -1/4")


_OK, _IF, _NO = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS, Verdict.REFUTED
_U = ("zhou2024.upper-half",)
_CHAIN = "Appendix B, upper bound, line {}"
_P = "zhou2024"

CLAIMS = (
    Claim("zhou2024.B.chernoff", _P, "Appendix B, upper bound", "A cell is off by more than beta with probability at "
          "most 2 exp(-2(beta - 1)^2/n).", _OK, Method.DISTRIBUTION, _chernoff, "", _U),
    Claim("zhou2024.B.negligible", _P, "Appendix B, upper bound", "With beta = ln^2 n sqrt n and at most n cells the "
          "failure probability is negligible.", _OK, Method.SYMBOLIC, _negligible, "", _U),
    Claim("zhou2024.B.nearest", _P, "Appendix B, upper bound", "The data set nearest in L1 has marginals within "
          "O(2^d ln^2 n sqrt n) of the real ones in L1.", _IF, Method.EXACT, _nearest, "With the constant 2. The "
          "entrywise bound O(ln^2 n sqrt n) on the way does not follow, because the algorithm minimises the L1 "
          "distance; "
          "it is not needed.", _U),
    Claim("zhou2024.B.size-of-loss", _P, _CHAIN.format(2), "K tau sqrt m + phi(0) is O(gamma).", _NO, Method.EXACT,
          _size_of_loss, "It is 2 + 13 gamma/8 with the true K, and tends to 2. The second term grows by ln^3 n, and "
          "still vanishes.", _U, again=_size_of_loss_limit),
    Claim("zhou2024.B.inverse-logarithm", _P, _CHAIN.format(3), "gamma may be replaced by 1/ln n.", _IF, Method.EXACT,
          _inverse_logarithm, "As an upper bound: gamma is 1/ln^3 n.", _U),
    Claim("zhou2024.B.three-m", _P, _CHAIN.format(3), "3m is 6 ln^5 n.", _IF, Method.EXACT, _three_m,
          "For m as printed; with the m that Theorem B.3 asks for it is 6 ln^7 n.", _U),
    Claim("zhou2024.B.expansion", _P, _CHAIN.format(4), "The factors collect to (ln^5 n)^d 12^d ln n.", _OK,
          Method.EXACT, _expansion, "", _U),
    Claim("zhou2024.B.first-term", _P, _CHAIN.format(4), "1/sqrt(d - 1) is O(sqrt(ln ln n/ln n)).", _IF, Method.EXACT,
          _first_term, "For d >= 2; the chain writes 1/sqrt d.", _U),
    Claim("zhou2024.B.quarter", _P, _CHAIN.format(5), "(ln^5 n)^d 12^d is O(n^(1/4)).", _IF, Method.EXACT, _quarter,
          "Holds for c < 6/5, which may be assumed, since Theorem B.3 with c implies it with any smaller c; "
          "c' = min{1/5, c/8} alone does not ensure it. For c' = 1/5 the ratio to n^(1/4) is at least n^(1/12); times "
          "ln n/sqrt n the term vanishes even then, so the first half of the theorem stands.", _U),
    Claim("zhou2024.B.last-line", _P, _CHAIN.format(6), "n^(1/4) ln n sqrt n/n is ln n/n^(1/4).", _OK, Method.EXACT,
          _last_line, "", _U),
)  # fmt: skip
