"""Theorem 4.1 of zhou2024: what it says about the loss and its two halves, and how near they are to each other."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb

from bounds.enclosure import Enclosure, as_fmpq, precision
from bounds.registry import find_theorem
from bounds.values import evaluate_value
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if, inconsistent_if, refuted_if
from verify.claims.zhou2024_lower import LARGEST_SHARE, R, report

MARGINS = (Fraction(1, 64), Fraction(1, 4096), Fraction(1, 10**9))
LOSS = ("zhou2024.phi-gamma", "zhou2024.lower")


def loss(gamma: Fraction, t: Fraction) -> Fraction:
    """gamma phi_gamma of equation (3), exactly."""
    if t <= 0:
        hinge = 1 - 2 * t / gamma
    elif t <= gamma:
        hinge = (t - gamma) ** 2 / gamma**2
    else:
        hinge = Fraction(0)
    return gamma * ((1 - t) ** 2 / 8 + hinge)


def slope(gamma: Fraction, left: Fraction, right: Fraction) -> Fraction:
    return (loss(gamma, right) - loss(gamma, left)) / (right - left)


def value(theorem: str, edition: str, **numbers: object) -> Enclosure:
    """The smallest number that the routes of an edition give."""
    found = [r.value for r in evaluate_value(find_theorem(theorem), numbers, edition) if r.value is not None]
    return min(found, key=lambda e: e.hi)


def _symbolic_pieces() -> tuple[Any, ...]:
    import sympy

    t, g = sympy.symbols("t gamma", positive=True)
    left = g * (1 - t) ** 2 / 8 + g - 2 * t
    middle = g * (1 - t) ** 2 / 8 + (t - g) ** 2 / g
    right = g * (1 - t) ** 2 / 8
    return t, g, left, middle, right


def _steep() -> Evidence:
    """Between -1 and -1/2 the loss falls by 1 + 7 gamma/32."""
    slopes = [-slope(g, Fraction(-1), Fraction(-1, 2)) for g in MARGINS]
    exact = all(s == 2 + g * Fraction(7, 16) for s, g in zip(slopes, MARGINS, strict=True))
    return refuted_if(
        exact and min(slopes) > 2, f"between -1 and -1/2 the slope is -(2 + 7 gamma/16): -{slopes[0]} for gamma = 1/64"
    )


def _steep_symbolically() -> Evidence:
    import sympy

    t, g, left, _, _ = _symbolic_pieces()
    steepest = sympy.simplify(-sympy.diff(left, t).subs(t, -1) - 2)
    return refuted_if(steepest == g / 2, f"-phi'(-1) - 2 = {steepest}, positive for every gamma > 0")


def _weakly_convex() -> Evidence:
    """phi(a) + phi(b) - 2 phi((a+b)/2) is mu (b - a)^2/4 where phi'' = mu."""
    a, b = Fraction(1, 2), Fraction(1)
    found = [4 * (loss(g, a) + loss(g, b) - 2 * loss(g, (a + b) / 2)) / (b - a) ** 2 for g in MARGINS]
    exact = all(mu == g / 4 for mu, g in zip(found, MARGINS, strict=True))
    return refuted_if(exact, f"on [1/2, 1] the modulus is exactly gamma/4: {found[0]} for gamma = 1/64")


def _weakly_convex_symbolically() -> Evidence:
    import sympy

    t, g, left, middle, right = _symbolic_pieces()
    seconds = [sympy.simplify(sympy.diff(piece, t, 2)) for piece in (left, middle, right)]
    good = seconds[0] == g / 4 and seconds[2] == g / 4 and sympy.simplify(seconds[1] - g / 4 - 2 / g) == 0
    return refuted_if(
        good, f"phi'' is {seconds[0]}, {seconds[1]}, {seconds[2]} on the three pieces; gamma is larger than the first"
    )


def _smooth() -> Evidence:
    """Values and slopes of neighbouring pieces agree at 0 and gamma, and all second derivatives are positive."""
    import sympy

    t, g, left, middle, right = _symbolic_pieces()
    gaps = [
        sympy.simplify((sympy.diff(f, t, k) - sympy.diff(h, t, k)).subs(t, at))
        for f, h, at in ((left, middle, 0), (middle, right, g))
        for k in (0, 1)
    ]
    seconds = [sympy.simplify(sympy.diff(piece, t, 2)).is_positive for piece in (left, middle, right)]
    return confirmed_if(
        all(v == 0 for v in gaps) and all(seconds), "the pieces agree in value and slope at 0 and gamma; phi'' > 0"
    )


def _outside() -> Evidence:
    """m = 6 records at (1, ..., 1): without a constraint the score of w = (1, ..., 1) is 6."""
    score = sum(Fraction(1) * 1 for _ in range(6))
    return inconsistent_if(
        score > 1, f"w = (1, ..., 1), x = (1, ..., 1), y = 1, m = 6: the score {score} is outside [-1, 1]"
    )


def _outside_by_norm() -> Evidence:
    """Every w with |w|_1 > 1 has a point of {-1, 1}^m at which its score is |w|_1: the signs of w."""
    w = [Fraction(k, 7) for k in (3, -2, 4, -1)]
    score = sum(v * (1 if v > 0 else -1) for v in w)
    inside = sum(v * v for v in w) <= Fraction(1, len(w))
    return inconsistent_if(score > 1 and not inside, f"w = (3, -2, 4, -1)/7 has the score {score} at its own signs")


def _upper_half() -> Evidence:
    """The first term is at most 20 sqrt(2/d) for d >= 2; the second is n^(-1/2 + 7c'/3 + o(1))."""
    power = Fraction(7, 3) * LARGEST_SHARE
    found = {x: value("zhou2024.upper-half", "corrected", log_n=x, order=d) for x, d in ((10**4, 70), (10**6, 4700))}
    with precision(96):
        ratios = [arb(as_fmpq(v.hi)) * (arb(x) / arb(x).log()).sqrt() for x, v in found.items()]
        bounded = all(bool(r < 20 * arb(30).sqrt() * 2) for r in ratios)
    shown = ", ".join(f"{v.decimal(5)[1]} at ln n = {x}" for x, v in found.items())
    text = f"with m = 2 ln^7 n the second term is n^(-1/2 + {power} + o(1)), and the bound {shown}"
    return confirmed_if(power < Fraction(1, 2) and bounded, text, with_conditions=True)


def _first_use() -> Evidence:
    """The first term of the proof, 20/sqrt(d - 1), against the range 2 + 3 gamma/2 of the loss, for c' = 1/5."""
    before, after = report(log_n="14518").order, report(log_n="14519").order
    assert before is not None
    assert after is not None
    trivial = 2 + Fraction(3, 2) * Fraction(1, 14519**3)
    at = {d: value("zhou2024.upper-half", "printed", log_n=14519, order=d) for d in (100, 101)}
    text = (
        f"at d = 100 the bound is {at[100].decimal(6)[0]}, above what every model satisfies; d reaches 101 between "
        "ln n = 14518 and 14519"
    )
    crossing = before.hi < 101 < after.lo
    return confirmed_if(crossing and at[100].lo > trivial > at[101].hi, text, with_conditions=True)


def _lower_half() -> Evidence:
    at = {x: value("zhou2024.lower", "corrected", log_n=x, query_constant=1) for x in (114, 1000)}
    exact = all(v.lo == v.hi == Fraction(1, 40 * x**3) for x, v in at.items())
    weak = value("zhou2024.lower", "sharp", log_n=1000, query_constant="1/10")
    text = (
        "1/(40 ln^3 n) from ln n = 114 on for c = 1; for c = 1/10 the sharp edition gives "
        f"{weak.decimal(5)[0]} at ln n = 1000"
    )
    return confirmed_if(exact and weak.lo > 0, text, with_conditions=True)


def _both_polylogarithmic() -> Evidence:
    """ln x/sqrt x is largest at e^2, where it is 2/e < 1: so x^(-1/2) <= sqrt(ln x/x) <= x^(-1/4) from x = e on."""
    with precision(96):
        peak = arb(2) / arb(1).exp()
        gaps = {x: (arb(x) ** 5 * arb(x).log()).sqrt() for x in (21, 1000, 10**6)}
        shown = ", ".join(f"{Enclosure.of(g).decimal(4)[0]} at ln n = {x}" for x, g in gaps.items())
        grows = bool(gaps[21] < gaps[1000]) and bool(gaps[1000] < gaps[10**6])
    text = f"the upper rate lies between (ln n)^(-1/2) and (ln n)^(-1/4); it exceeds 1/ln^3 n by {shown}"
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
        f"{float(gap):.3g}; the sharp upper half is {sharp.decimal(4)[1]}"
    )
    return confirmed_if(gap > 10**12 and sharp.hi < upper.lo / 5, text, with_conditions=True)


def _error_below_half() -> Evidence:
    """gamma = 2^(-1/(1-r)) makes gamma^(1-r) = 2^-1, whatever r is; powers with positive exponents grow."""
    exact = all((1 - r) * Fraction(-1) / (1 - r) == -1 for r in (R, Fraction(1, 2), Fraction(1, 10)))
    text = f"gamma < 2^(-1/(1-r)) says eta < 1/2 exactly, so 1/2 - eta is positive; for r = {R} it is gamma < 2^-6"
    return confirmed_if(exact and 1 / (1 - R) == 6, text)


def _margin_as_score() -> Evidence:
    """<x, w> y/(|x||w|) with |x| = sqrt m and |w| = 1/sqrt m: the product of the norms is 1."""
    squares = [m * Fraction(1, m) for m in (6, 100, 32768)]
    return confirmed_if(
        set(squares) == {1}, "(|x||w|)^2 = m/m = 1 for x in {-1, 1}^m and |w| = tau", with_conditions=True
    )


_OK, _IF, _NO = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS, Verdict.REFUTED
_UPPER = ("zhou2024.upper-half",)
_BOTH = ("zhou2024.upper-half", "zhou2024.lower")

CLAIMS = (
    Claim("zhou2024.T41.lipschitz", "zhou2024", "Section 4, Theorem 4.1 and below Claim B.2",
          "The loss gamma phi_gamma is 2-Lipschitz on [-1, 1].", _NO, Method.EXACT, _steep,
          "Its Lipschitz constant is 2 + gamma/2, at -1; for every gamma it is above 2, and it tends to 2. Constants "
          "change, rates do not.", LOSS, again=_steep_symbolically),
    Claim("zhou2024.T41.strong-convexity", "zhou2024", "Theorem 4.1",
          "The loss is 1/ln^3 n-strongly convex.", _NO, Method.EXACT, _weakly_convex,
          "It is 1/(4 ln^3 n)-strongly convex, in the usual sense phi'' >= mu; the sense without the factor 1/2 "
          "makes it "
          "half of that. Nothing in the proof uses it.", LOSS, again=_weakly_convex_symbolically),
    Claim("zhou2024.T41.convex", "zhou2024", "Section 4, equation (3)",
          "The loss is convex, and its three pieces fit.", _OK, Method.SYMBOLIC, _smooth, "", LOSS),
    Claim("zhou2024.T41.constraint", "zhou2024", "Theorem 4.1, Algorithm 2, equation (3)",
          "The minimisers over all w, as written, are minimisers of a loss that is defined on [-1, 1].",
          Verdict.INCONSISTENT, Method.EXACT, _outside,
          "A slip of notation: Definition B.1 sets tau = 1/sqrt m and Claim B.5 has |w| <= tau, which is what the "
          "minimisers need as well.", _BOTH, again=_outside_by_norm),
    Claim("zhou2024.T41.upper", "zhou2024", "Theorem 4.1, first item",
          "Some deterministic algorithm has excess risk O(sqrt(ln ln n/ln n)) + O(ln n/n^(1/4)).", _IF, Method.BALL,
          _upper_half,
          "With |w| <= 1/sqrt m, n large enough that d >= 2, and m = 2 ln^7 n. The second term of the proof is "
          "n^(-1/2 + 7c'/3 + o(1)), not ln n/n^(1/4); both vanish beside the first, so the sum stands.", _UPPER),
    Claim("zhou2024.4.upper-from-theorem", "zhou2024", "Section 4", "Theorem 3.1 gives the upper bound for these "
          "parameters.", _IF, Method.BALL, _first_use,
          "It does, with the constant 20 of its proof; so it says more than the range of the loss does only for "
          "d >= 101, from ln n = 14519 on, or n = 10^6305.", _UPPER),
    Claim("zhou2024.T41.lower", "zhou2024", "Theorem 4.1, second item",
          "Every algorithm has, on some distribution, an expected excess risk of Omega(1/ln^3 n).", _IF, Method.EXACT,
          _lower_half,
          "With m = 2 ln^7 n and the quoted Theorem B.3. The printed choice of n needs its c to be at least 1; "
          "n = exp(c gamma^(-1/3)) serves every c > 0. The constant of the proof is 1/40.", ("zhou2024.lower",)),
    Claim("zhou2024.B3.error-below-half", "zhou2024", "Theorem B.3", "The range of gamma makes the excluded error "
          "1/2 - eta positive.", _OK, Method.EXACT, _error_below_half, "", ("zhou2024.lower",)),
    Claim("zhou2024.4.margin", "zhou2024", "Section 4, Claim B.5", "A separator with margin gamma has scores of at "
    "least "
          "gamma.", _IF, Method.EXACT, _margin_as_score, "When it is scaled to the norm tau = 1/sqrt m, the largest "
          "that is allowed; a shorter one has smaller scores.", ("zhou2024.error-to-risk",)),
    Claim("zhou2024.4.polylogarithmic", "zhou2024", "Section 4, Section 6",
          "Both bounds are fixed polynomials in 1/ln n, or 1/polylog(n).", _IF, Method.BALL, _both_polylogarithmic,
          "Between fixed powers of 1/ln n: the upper one has a square root and ln ln n. They are apart by "
          "(ln n)^(5/2) (ln ln n)^(1/2), which grows without bound.", _BOTH),
    Claim("zhou2024.11.nearly-tight", "zhou2024", "Section 1.1, Section 4",
          "For these parameters the lower bound nearly matches the upper bound.", _IF, Method.BALL, _explicit_gap,
          "In the sense that both are 1/polylog(n), which Section 6 says. Numerically they are far apart, and the "
          "upper "
          "rate is not the best: the same algorithm has O(ln ln n/ln n) by Favard's polynomial.", _BOTH),
)  # fmt: skip
