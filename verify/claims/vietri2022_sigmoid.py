"""Tempered sigmoids and annealing of vietri2022: Definitions 11 and 12, Section 3, Algorithm 1."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from flint import arb

from bounds.enclosure import as_fmpq, decimal_text
from bounds.solve import enclose
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if, inconsistent_if


def sigmoid(x: arb, sigma: int) -> arb:
    """Definition 11 with threshold 0."""
    return 1 / (1 + (-sigma * x).exp())


def slope(distance: arb, sigma: arb) -> arb:
    """Derivative of the sigmoid at that distance from the threshold."""
    return sigma / (2 * (sigma * distance / 2).cosh()) ** 2


def _basic() -> Evidence:
    import sympy as sp

    x, tau, sigma = sp.symbols("x tau sigma", positive=True)
    f = 1 / (1 + sp.exp(-sigma * (x - tau)))
    derivative = sp.simplify(sp.diff(f, x) - sigma * f * (1 - f)) == 0
    middle = f.subs(x, tau) == sp.Rational(1, 2)
    return confirmed_if(
        derivative and middle, "f(tau) = 1/2 and f' = sigma f (1 - f), which is positive and at most sigma/4"
    )


def _direction() -> Evidence:
    """Below and above the threshold at sigma = 20: the prefix query is 1 below."""
    below, above = enclose(lambda: sigmoid(arb(-1), 20)), enclose(lambda: sigmoid(arb(1), 20))
    text = (
        f"sigma = 20: f(tau - 1) < {decimal_text(below.hi, 3, up=True)} where the query x <= tau is "
        "1, and f(tau + 1) > "
        f"{decimal_text(above.lo, 9, up=False)} where it is 0"
    )
    return inconsistent_if(below.hi < Fraction(1, 10**8) and above.lo > 1 - Fraction(1, 10**8), text)


def _direction_limits() -> Evidence:
    import sympy as sp

    sigma = sp.symbols("sigma", positive=True)
    below = sp.limit(1 / (1 + sp.exp(sigma)), sigma, sp.oo)
    above = sp.limit(1 / (1 + sp.exp(-sigma)), sigma, sp.oo)
    text = f"as sigma grows f(tau - 1) tends to {below} and f(tau + 1) to {above}, the indicator of x > tau"
    return inconsistent_if(below == 0 and above == 1, text)


def _repair() -> Evidence:
    """x_i f(<-theta, x>) with threshold -tau approximates Definition 4; for two thresholds no complement does."""
    import sympy as sp

    u, tau, sigma = sp.symbols("u tau sigma", real=True)
    f = 1 / (1 + sp.exp(-sigma * (u - tau)))
    flipped = f.subs({u: -u, tau: -tau}, simultaneous=True)
    complement = sp.simplify(flipped - (1 - f)) == 0
    below, above = (
        [(x <= 0) * (y <= 0) for x in (-1, 1) for y in (-1, 1)],
        [(x > 0) * (y > 0) for x in (-1, 1) for y in (-1, 1)],
    )
    not_complements = below != [1 - v for v in above] and below != above
    text = (
        "f at (-theta, -tau) equals 1 - f at (theta, tau); at the corners of a square the query with two thresholds is "
        f"{below}, its relaxation tends to {above}, and neither it nor its complement agrees"
    )
    return confirmed_if(complement and not_complements, text, with_conditions=True)


def _distance() -> Evidence:
    """Sup distance 1/2 just beside the threshold; L1 distance 2 log 2/sigma."""
    import sympy as sp

    x, sigma = sp.symbols("x sigma", positive=True)
    tail = -sp.log(1 + sp.exp(-sigma * x)) / sigma  # antiderivative of exp(-sigma x)/(1 + exp(-sigma x))
    integrand = sp.simplify(sp.diff(tail, x) - sp.exp(-sigma * x) / (1 + sp.exp(-sigma * x))) == 0
    area = sp.simplify(-2 * tail.subs(x, 0) - 2 * sp.log(2) / sigma) == 0
    sup = sp.limit(1 / (1 + sp.exp(-sigma * x)), x, 0) == sp.Rational(1, 2)
    text = "every sigmoid is 1/2 away from the step next to the threshold; the area between them is 2 log 2/sigma"
    return confirmed_if(integrand and area and sup, text)


def _flat() -> Evidence:
    parts, values = [], []
    for sigma in (2, 64, 2048):
        value = enclose(lambda sigma=sigma: slope(arb(1) / 100, arb(sigma)))  # type: ignore[misc]
        values.append(value)
        parts.append(f"{decimal_text(value.lo, 5, up=False)}... at sigma = {sigma}")
    right = values[2].hi < Fraction(1, 10**5) and values[0].lo > Fraction(49, 100)
    return confirmed_if(right, "slope at distance 0.01 from the threshold: " + ", ".join(parts))


def _peak() -> Evidence:
    """At distance 1 the slope is largest where sigma tanh(sigma/2) = 1."""
    low, high = Fraction(15434, 10000), Fraction(15435, 10000)

    def excess(sigma: Fraction) -> arb:
        return arb(as_fmpq(sigma)) * (arb(as_fmpq(sigma)) / 2).tanh() - 1

    bracket = excess(low) < 0 and excess(high) > 0
    small = enclose(lambda: slope(arb(1), arb(1) / 100))
    best = enclose(lambda: slope(arb(1), arb(as_fmpq(low))))
    text = (
        "at distance t the slope is largest for sigma t between 1.5434 and 1.5435 and falls to both "
        "sides: at t = 1 it is "
        f"{decimal_text(best.lo, 4, up=False)}... there and {decimal_text(small.hi, 4, up=True)} at sigma = 0.01"
    )
    return confirmed_if(bracket and small.hi < best.lo, text, with_conditions=True)


def _no_fixed() -> Evidence:
    """Error 1/100 at distance 1/100 needs sigma >= 100 log 99; the slope at distance 1 is then this."""
    sigma = enclose(lambda: 100 * arb(99).log())
    gradient = enclose(lambda: slope(arb(1), 100 * arb(99).log()))
    text = (
        "error at most 0.01 at distance 0.01 needs sigma >= "
        f"{decimal_text(sigma.lo, 6, up=False)}..., where the slope at "
        f"distance 1 is {decimal_text(gradient.hi, 3, up=True)} and falls further with sigma"
    )
    return confirmed_if(gradient.hi < Fraction(1, 10**190), text, with_conditions=True)


def _schedule() -> Evidence:
    schedule = [2 * 2 ** (j - 1) for j in range(1, 12)]
    doubled = all(b == 2 * a for a, b in pairwise(schedule))
    text = f"sigma_j = sigma_1 2^(j-1) doubles at every stage; from sigma_1 = 2 stage 11 has {schedule[-1]}"
    return confirmed_if(doubled and schedule[-1] == 2048, text)


def _small_gradient() -> Evidence:
    """Loss (f(x) - 1/2)^2 of one record and one query, threshold 1, at x = 0; its only minimum is x = 1."""

    def gradient(sigma: int) -> arb:
        return 2 * (sigmoid(arb(-1), sigma) - arb(1) / 2) * slope(arb(1), arb(sigma))

    steep, mild = enclose(lambda: abs(gradient(64))), enclose(lambda: abs(gradient(2)))
    text = (
        "one record, one query with threshold 1 and answer 1/2: at x = 0, at distance 1 from the "
        "only minimum, the gradient "
        f"is {decimal_text(steep.hi, 3, up=True)} in size for sigma = 64 and "
        f"{decimal_text(mild.lo, 4, up=False)}... for 2"
    )
    return confirmed_if(steep.hi < Fraction(1, 10**25) and mild.lo > Fraction(1, 10), text, with_conditions=True)


C, W = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS
PAPER = "vietri2022"

CLAIMS = (
    Claim(
        "vietri2022.D11.sigmoid",
        PAPER,
        "Definition 11",
        "The tempered sigmoid maps to [0, 1] and has well-behaved gradients whose size sigma adjusts.",
        C,
        Method.SYMBOLIC,
        _basic,
        formula="f = 1/(1 + exp(-sigma (x - tau)))",
    ),
    Claim(
        "vietri2022.D11.direction",
        PAPER,
        "Definition 11 and the sentence after it, with Definitions 3 and 4",
        "The tempered sigmoid approximates the prefix query x <= tau.",
        Verdict.INCONSISTENT,
        Method.BALL,
        _direction,
        "It approximates x > tau, the complement: a mismatch of conventions. With x - tau replaced "
        "by tau - x it is the "
        "query of Definitions 3 and 4; no result of the paper rests on the direction. For one threshold the complement "
        "carries the same information, and linear thresholds are closed under it; only mixed marginals with two or "
        "more thresholds need the flip.",
        again=_direction_limits,
    ),
    Claim(
        "vietri2022.D12.direction",
        PAPER,
        "Definition 12 with Definitions 3 and 4",
        "Products with tempered sigmoids relax class conditional linear threshold and mixed marginal queries.",
        W,
        Method.SYMBOLIC,
        _repair,
        "For linear threshold queries after flipping the signs of theta and tau, which the class "
        "allows; mixed marginals "
        "with two or more thresholds need the sigmoid in tau - x.",
    ),
    Claim(
        "vietri2022.S3.near-threshold",
        PAPER,
        "Section 3",
        "A continuous approximation of a threshold is poor near it; a large sigma makes that region "
        "arbitrarily narrow.",
        C,
        Method.SYMBOLIC,
        _distance,
        formula="area between sigmoid and step: 2 log 2/sigma",
    ),
    Claim(
        "vietri2022.S3.flat",
        PAPER,
        "Section 3",
        "With a large sigma the gradients far from the threshold are nearly flat.",
        C,
        Method.BALL,
        _flat,
        formula="sigma/(4 cosh(sigma t/2)^2) at distance t",
    ),
    Claim(
        "vietri2022.S3.small-sigma",
        PAPER,
        "Section 3",
        "Flat gradients are mitigated by a small sigma.",
        W,
        Method.BALL,
        _peak,
        "Down to about sigma = 1.5434/t at distance t; a smaller sigma makes the gradient smaller again.",
    ),
    Claim(
        "vietri2022.S1.no-fixed-sigma",
        PAPER,
        "Section 1, tempered sigmoid annealing",
        "No fixed sigma ensures both a faithful approximation and gradients that do not vanish.",
        W,
        Method.BALL,
        _no_fixed,
        "For tolerances like these; with a coarser tolerance or data close to the thresholds a fixed "
        "sigma can do both.",
    ),
    Claim(
        "vietri2022.A1.schedule",
        PAPER,
        "Algorithm 1, line 3, and Section 3",
        "The inverse temperature is doubled from stage to stage.",
        C,
        Method.READING,
        _schedule,
        "Bookkeeping of the text: the formula of the listing against the words.",
        formula="sigma_j = sigma_1 2^(j-1)",
    ),
    Claim(
        "vietri2022.A1.stop",
        PAPER,
        "Section 3, intuition behind Algorithm 1",
        "Where the gradient has become small the iterate is near a local optimum of the relaxed objective.",
        W,
        Method.BALL,
        _small_gradient,
        "Where sigma times the distance to the thresholds is moderate, as in the first stages; on "
        "the plateaus of a steep "
        "sigmoid a small gradient says nothing. The paper offers it as an intuition.",
    ),
)
