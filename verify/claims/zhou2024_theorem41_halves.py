"""The two halves of Theorem 4.1 of zhou2024, what each rests on, and how close they are to each other."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from bounds.enclosure import Enclosure, precision
from bounds.registry import find_theorem
from bounds.values import evaluate_value
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, Withdrawn, confirmed_if
from verify.claims.zhou2024_lower import LARGEST_SHARE, report


def value(theorem: str, edition: str, **numbers: object) -> Enclosure:
    """The smallest number that the routes of an edition give."""
    found = [r.value for r in evaluate_value(find_theorem(theorem), numbers, edition) if r.value is not None]
    return min(found, key=lambda e: e.hi)


def second_term_vanishes() -> bool:
    """Whether (6m)^d ln^2 n/sqrt n is less than every power of 1/ln n, for m = 2 y^k, k = 5 and 7, and c' <= 1/5.

    Its logarithm is d (ln 12 + k ln y) + 2 ln y - y/2 with d = c' y/(3 ln y). Divided by y it tends to k c'/3 - 1/2.
    """
    import sympy

    y = sympy.symbols("y", positive=True)
    share = sympy.Rational(LARGEST_SHARE.numerator, LARGEST_SHARE.denominator)
    below = []
    for k in (5, 7):
        slope = share * (sympy.log(12) + k * sympy.log(y)) / (3 * sympy.log(y)) + 2 * sympy.log(y) / y
        below.append(sympy.limit(slope, y, sympy.oo) == sympy.Rational(k) * share / 3 < sympy.Rational(1, 2))
    return all(bool(b) for b in below)


def _upper_half() -> Evidence:
    """Four approximations of 5/4 omega(2/sqrt(d - 1)) each, with the Lipschitz constant 2 + gamma/2 < 5/2."""
    constant = 4 * Fraction(5, 4) * 2 * Fraction(5, 2)
    text = (
        f"tau sqrt m = 1 and the Lipschitz constant 2 + gamma/2 make the first term at most {constant}/sqrt(d - 1), "
        "with d = c' ln n/(3 ln ln n); the logarithm of the second, over ln n, tends to 5c'/3 - 1/2 (7c'/3 - 1/2 with "
        "m = 2 ln^7 n), negative for c' <= 1/5: it is negligible next to the first"
    )
    return confirmed_if(constant == 25 and second_term_vanishes(), text, with_conditions=True)


def _first_use() -> Evidence:
    """The first term of the proof, 20/sqrt(d - 1), against the range 2 + 3 gamma/2 of the loss, for c' = 1/5."""
    before, after = report(log_n="14518").order, report(log_n="14519").order
    assert before is not None
    assert after is not None
    trivial = 2 + Fraction(3, 2) * Fraction(1, 14519**3)
    at = {d: Fraction(400, d - 1) for d in (100, 101)}  # the square of 20/sqrt(d - 1)
    text = (
        "Theorem 3.1 at K = 2, tau = 1/sqrt m and phi(0) = 9 gamma/8 has the first term O(1/sqrt d) and a second that "
        "is negligible next to it; with the constant 20 of its proof it exceeds 2 + 3 gamma/2, which every model "
        "satisfies, up to d = 100, and d reaches 101 between ln n = 14518 and 14519"
    )
    crossing = before.hi < 101 < after.lo and at[100] > trivial**2 > at[101]
    return confirmed_if(crossing and second_term_vanishes(), text)


def _lower_half() -> Evidence:
    at = {x: value("zhou2024.lower", "corrected", log_n=x, query_constant=1) for x in (114, 1000)}
    exact = all(v.lo == v.hi == Fraction(1, 40 * x**3) for x, v in at.items())
    weak = value("zhou2024.lower", "sharp", log_n=1000, query_constant="1/10")
    text = (
        "if Theorem B.3 is as quoted: 1/(40 ln^3 n) from ln n = 114 on for m = 2 ln^7 n and c = 1; for c = 1/10 the "
        f"sharp edition gives {weak.decimal(5)[0]} at ln n = 1000"
    )
    return Evidence(Verdict.OPEN if exact and weak.lo > 0 else Verdict.UNDECIDABLE, text)


def _both_polylogarithmic() -> Evidence:
    """ln x/sqrt x is largest at e^2, where it is 2/e < 1: so x^(-1/2) <= sqrt(ln x/x) <= x^(-1/4) from x = e on."""
    with precision(96):
        peak = arb(2) / arb(1).exp()
        gaps = {x: (arb(x) ** 5 * arb(x).log()).sqrt() for x in (21, 1000, 10**6)}
        shown = ", ".join(f"{Enclosure.of(g).decimal(4)[0]} at ln n = {x}" for x, g in gaps.items())
        grows = bool(gaps[21] < gaps[1000]) and bool(gaps[1000] < gaps[10**6])
    text = (
        "ln x/sqrt x is at most 2/e < 1, so the upper rate lies between (ln n)^(-1/2) and (ln n)^(-1/4) from n = e^e "
        f"on; it exceeds 1/ln^3 n by the factors {shown}"
    )
    return confirmed_if(bool(peak < 1) and grows, text, with_conditions=True)


def _explicit_gap() -> Evidence:
    """Both halves with the constants of their proofs, at the largest c' = 1/5."""
    x, d = 10**4, 72
    upper = value("zhou2024.upper-half", "printed", log_n=x, order=d)
    lower = value("zhou2024.lower", "printed", log_n=x, query_constant=2)
    sharp = value("zhou2024.upper-half", "sharp", log_n=x, order=d)
    gap = upper.lo / lower.hi
    text = (
        f"at ln n = 10000 the printed halves are {upper.decimal(4)[0]} and {lower.decimal(4)[1]}, a factor above "
        f"{float(gap):.3g}; the sharp upper half is {sharp.decimal(4)[1]}. As rates, both are powers of ln n up to "
        "powers of ln ln n"
    )
    return confirmed_if(gap > 10**12 and sharp.hi < upper.lo / 5, text, with_conditions=True)


_OK, _IF = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS
_UPPER = ("zhou2024.upper-half",)
_BOTH = ("zhou2024.upper-half", "zhou2024.lower")

CLAIMS = (
    Claim("zhou2024.T41.upper", "zhou2024", "Theorem 4.1, first item",
          "Some deterministic algorithm has excess risk O(sqrt(ln ln n/ln n)) + O(ln n/n^(1/4)).", _IF, Method.SYMBOLIC,
          _upper_half,
          "True with |w| <= 1/sqrt m, as in Definition B.1. The second term of the proof is n^(-1/2 + 5c'/3 + o(1)), "
          "more than ln n/n^(1/4) for c' >= 3/20; it is still negligible next to the first, so the sum is correct, for "
          "m = 2 ln^5 n and 2 ln^7 n.", _UPPER,
          scope=Scope.REASONED,
          depends_on=("zhou2024.4.upper-from-theorem", "zhou2024.B.nearest", "zhou2024.B.negligible",
                      "zhou2024.B.first-term", "zhou2024.B.quarter"),
          quote="There exists a deterministic algorithm Syn [...] \\in "
          "O\\left(\\sqrt{\\frac{\\ln(\\ln(n))}{\\ln(n)}}\\right) + "
          "O\\left(\\frac{\\ln(n)}{n^{1/4}}\\right)"),
    Claim("zhou2024.4.upper-from-theorem", "zhou2024", "Section 4",
          "Theorem 3.1 gives the upper bound for these parameters.", _OK, Method.SYMBOLIC, _first_use,
          "It does. With the constant 20 of its proof, the bound is below the range of the loss only for d >= 101, "
          "that is from ln n = 14519, or n = 10^6305, on.", _UPPER, scope=Scope.REASONED,
          depends_on=("zhou2024.T31.statement", "zhou2024.T41.lipschitz", "zhou2024.B1.radius"),
          quote="Theorem 3.1 implies the existence of a synthetic data generation algorithm with excess risk at most"),
    Claim("zhou2024.T41.lower", "zhou2024", "Theorem 4.1, second item",
          "Every algorithm has, on some distribution, an expected excess risk of Omega(1/ln^3 n).", Verdict.OPEN,
          Method.EXACT, _lower_half,
          "It depends on Theorem B.3, quoted from a source that we have not read. If that is correct as quoted, the "
          "bound is true with m = 2 ln^7 n; the printed choice of n needs its c to be at least 1, and n = exp(c "
          "gamma^(-1/3)) works for every c > 0. The constant of the proof is 1/40.",
          ("zhou2024.lower",), scope=Scope.REASONED,
          depends_on=("zhou2024.B4.error", "zhou2024.B.rate"),
          quote="For every randomized algorithm Syn, there exists a distribution [...] \\in "
          "\\Omega\\left(\\frac{1}{\\ln^3(n)}\\right)"),
    Claim("zhou2024.4.polylogarithmic", "zhou2024", "Section 4, Section 6",
          "Both bounds are fixed polynomials in 1/ln n, or 1/polylog(n).", _IF, Method.BALL, _both_polylogarithmic,
          "Both lie between fixed powers of 1/ln n, which is what 1/polylog(n) says: the upper one has a square root "
          "and ln ln n. They differ by the factor (ln n)^(5/2) (ln ln n)^(1/2), which grows without bound.", _BOTH,
          severity=Severity.READING, scope=Scope.ALL_CASES, depends_on=("zhou2024.T41.upper", "zhou2024.T41.lower"),
          quote="both the upper and lower bounds on the difference in loss are fixed polynomials in"),
    Claim("zhou2024.11.nearly-tight", "zhou2024", "Section 1.1, Section 4",
          "For these parameters the lower bound nearly matches the upper bound.", _IF, Method.BALL, _explicit_gap,
          "True in the sense of Section 6, that both are 1/polylog(n). Numerically they are far apart, and the upper "
          "rate is not the best: the same algorithm has O(ln ln n/ln n) by Favard's polynomial.", _BOTH,
          severity=Severity.READING, scope=Scope.REASONED,
          depends_on=("zhou2024.T41.upper", "zhou2024.T41.lower", "zhou2024.4.polylogarithmic"),
          quote="for a specific range of parameter choices, we obtain a nearly tight match to the upper bound"),
)  # fmt: skip

WITHDRAWN = (
    Withdrawn("zhou2024.B3.error-below-half",
              "The paper does not say this: it is a property of the range that Theorem B.3 gives for gamma.",
              see="zhou2024.B3.quoted"),
)  # fmt: skip
