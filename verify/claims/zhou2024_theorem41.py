"""Theorem 4.1 of zhou2024: what it says about its loss, and over which models it minimises."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from verify.claim import (
    Claim,
    Evidence,
    Method,
    Scope,
    Severity,
    Verdict,
    confirmed_if,
    inconsistent_if,
    refuted_if,
)

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


def _margin_as_score() -> Evidence:
    """<x, w> y/(|x||w|) with |x| = sqrt m and |w| = 1/sqrt m: the product of the norms is 1."""
    import sympy

    m = sympy.symbols("m", positive=True)
    product = sympy.simplify(sympy.sqrt(m) * (1 / sympy.sqrt(m)))
    text = f"x in {{-1, 1}}^m has norm sqrt m, and at |w| = tau = 1/sqrt m the product |x||w| is {product}"
    return confirmed_if(product == 1, text, with_conditions=True)


_OK, _IF, _NO = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS, Verdict.REFUTED

CLAIMS = (
    Claim("zhou2024.T41.lipschitz", "zhou2024", "Section 4, Theorem 4.1 and below Claim B.2",
          "The loss gamma phi_gamma is 2-Lipschitz on [-1, 1].", _NO, Method.EXACT, _steep,
          "The Lipschitz constant is 2 + gamma/2, attained at -1. It is above 2 for every gamma and tends to 2, so "
          "constants change but rates do not.", LOSS, again=_steep_symbolically, severity=Severity.CONDITION,
          quote="the fact that $\\varphi$ is 2-Lipschitz.", lemma="zhou2024_lower.loss_is_not_2_lipschitz"),
    Claim("zhou2024.T41.strong-convexity", "zhou2024", "Theorem 4.1",
          "The loss is 1/ln^3 n-strongly convex.", _NO, Method.EXACT, _weakly_convex,
          "It is 1/(4 ln^3 n)-strongly convex, in the usual sense phi'' >= mu; the definition without the factor 1/2 "
          "gives half of that. Nothing in the proof uses strong convexity.", LOSS, again=_weakly_convex_symbolically,
          severity=Severity.CONDITION, quote="being $\\frac{1}{\\ln^3(n)}$-strongly convex and 2-Lipschitz",
          lemma="zhou2024_lower.loss_is_less_convex"),
    Claim("zhou2024.T41.convex", "zhou2024", "Section 4, equation (3)",
          "The loss is convex, and its three pieces fit.", _OK, Method.SYMBOLIC, _smooth, "", LOSS,
          scope=Scope.ALL_CASES, quote="Consider the following convex loss function"),
    Claim("zhou2024.T41.constraint", "zhou2024", "Theorem 4.1, Algorithm 2, equation (3)",
          "The minimisers over all w, as written, are minimisers of a loss that is defined on [-1, 1].",
          Verdict.INCONSISTENT, Method.EXACT, _outside,
          "A slip of notation: Definition B.1 sets tau = 1/sqrt m and Claim B.5 has |w| <= tau, which the minimisers "
          "need as well.", ("zhou2024.upper-half", "zhou2024.lower"), again=_outside_by_norm,
          severity=Severity.SLIP, root="zhou2024.A1.unconstrained",
          quote="where $\\mathbf{w}_s = \\operatorname{argmin}_{\\mathbf{w}} L(\\mathbf{w}, D_s)$, and"),
    Claim("zhou2024.4.margin", "zhou2024", "Section 4, Claim B.5",
          "A separator with margin gamma has scores of at least gamma.", _IF, Method.SYMBOLIC, _margin_as_score,
          "True if the separator is scaled to the norm tau = 1/sqrt m, the largest that Claim B.5 allows; a shorter "
          "one has smaller scores.",
          ("zhou2024.error-to-risk",), scope=Scope.ALL_CASES, depends_on=("zhou2024.B1.radius",),
          quote="linear separators w such that for every [...] \\mathbf{w} \\rangle y}{|\\mathbf{x}| \\cdot "
          "|\\mathbf{w}|} \\geq \\gamma$"),
)  # fmt: skip
