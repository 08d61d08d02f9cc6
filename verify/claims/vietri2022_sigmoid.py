"""Tempered sigmoids and annealing of vietri2022: Definitions 11 and 12, Section 3, Algorithm 1."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from bounds.enclosure import as_fmpq, decimal_text
from bounds.solve import enclose
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if, inconsistent_if


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
    """Below and above the threshold at sigma = 20; the prefix query is 1 below."""
    below, above = enclose(lambda: sigmoid(arb(-1), 20)), enclose(lambda: sigmoid(arb(1), 20))
    text = (
        f"sigma = 20: f(tau - 1) < {decimal_text(below.hi, 3, up=True)} where the query x <= tau is 1, and f(tau + 1) "
        f"> {decimal_text(above.lo, 9, up=False)} where it is 0"
    )
    return inconsistent_if(below.hi < Fraction(1, 10**8) and above.lo > 1 - Fraction(1, 10**8), text)


def _direction_limits() -> Evidence:
    import sympy as sp

    sigma = sp.symbols("sigma", positive=True)
    below = sp.limit(1 / (1 + sp.exp(sigma)), sigma, sp.oo)
    above = sp.limit(1 / (1 + sp.exp(-sigma)), sigma, sp.oo)
    text = f"as sigma grows f(tau - 1) tends to {below} and f(tau + 1) to {above}, the indicator of x > tau"
    return inconsistent_if(below == 0 and above == 1, text)


def _product_direction() -> Evidence:
    """One numerical feature, theta = 1, tau = 0, label y: Definition 4 against the limit of Definition 12."""
    import sympy as sp

    sigma, x = sp.symbols("sigma x", positive=True)
    limits = {side: sp.limit(1 / (1 + sp.exp(-sigma * side * x)), sigma, sp.oo) for side in (-1, 1)}
    asked = {side: int(side <= 0) for side in (-1, 1)}
    text = (
        f"theta = 1, tau = 0, records of label y: below 0 the query is {asked[-1]} and its relaxation tends to "
        f"{limits[-1]}, above 0 they are {asked[1]} and {limits[1]}"
    )
    return inconsistent_if(all(limits[side] == 1 - asked[side] for side in limits), text)


def _counted() -> Evidence:
    """Records -1, 1, 2 of label y at sigma = 50: one of three is at most 0."""
    points = (-1, 1, 2)
    asked = Fraction(sum(x <= 0 for x in points), len(points))
    relaxed = enclose(lambda: sum((sigmoid(arb(x), 50) for x in points), arb(0)) / len(points))
    text = (
        f"records -1, 1, 2 of label y, theta = 1, tau = 0: the query is {asked}, its relaxation at sigma = 50 is "
        f"{decimal_text(relaxed.lo, 6, up=False)}..., one minus it"
    )
    return inconsistent_if(abs(relaxed.lo + asked - 1) < Fraction(1, 10**20), text)


def _distance() -> Evidence:
    """Within eta of the step exactly if sigma t >= log(1/eta - 1); the area between the two is 2 log 2/sigma."""
    import sympy as sp

    x, sigma, t, eta = sp.symbols("x sigma t eta", positive=True)
    error = 1 / (1 + sp.exp(sigma * t))
    reached = sp.simplify(error.subs(t, sp.log(1 / eta - 1) / sigma) - eta) == 0
    falls = sp.simplify(sp.diff(error, t) + sigma * error * (1 - error)) == 0
    tail = -sp.log(1 + sp.exp(-sigma * x)) / sigma  # antiderivative of exp(-sigma x)/(1 + exp(-sigma x))
    integrand = sp.simplify(sp.diff(tail, x) - sp.exp(-sigma * x) / (1 + sp.exp(-sigma * x))) == 0
    area = sp.simplify(-2 * tail.subs(x, 0) - 2 * sp.log(2) / sigma) == 0
    text = (
        "a continuous function has one value at the threshold, which is at least 1/2 away from one side of the step; a "
        "sigmoid is within eta of the step exactly at distances t >= log(1/eta - 1)/sigma, and the area between them "
        "is 2 log 2/sigma"
    )
    return confirmed_if(reached and falls and integrand and area, text)


def _flat() -> Evidence:
    """The slope at distance t is sigma e/(1 + e)^2 with e = exp(-sigma t), so at most sigma e."""
    import sympy as sp

    sigma, t = sp.symbols("sigma t", positive=True)
    small = sp.exp(-sigma * t)
    exact = sp.simplify(sp.diff(1 / (1 + sp.exp(-sigma * t)), t) - sigma * small / (1 + small) ** 2) == 0
    vanishes = sp.limit(sigma * sp.exp(-sigma), sigma, sp.oo) == 0
    value = enclose(lambda: slope(arb(1) / 100, arb(2048)))
    text = (
        "the slope at distance t is at most sigma exp(-sigma t), which tends to 0 as sigma grows and falls with t, "
        f"e.g. {decimal_text(value.lo, 5, up=False)}... at distance 0.01 and sigma = 2048"
    )
    return confirmed_if(exact and vanishes and value.hi < Fraction(1, 10**5), text)


def _peak() -> Evidence:
    """The derivative in sigma of the logarithm of the slope is (1 - u tanh(u/2))/sigma with u = sigma t."""
    import sympy as sp

    u, t = sp.symbols("u t", positive=True)
    logarithm = sp.log(u / t) - 2 * sp.log(sp.cosh(u / 2))
    turns = sp.simplify(sp.diff(logarithm, u) * u - (1 - u * sp.tanh(u / 2))) == 0
    low, high = Fraction(15434, 10000), Fraction(15435, 10000)

    def excess(value: Fraction) -> arb:
        return arb(as_fmpq(value)) * (arb(as_fmpq(value)) / 2).tanh() - 1

    small = enclose(lambda: slope(arb(1), arb(1) / 100))
    best = enclose(lambda: slope(arb(1), arb(as_fmpq(low))))
    text = (
        "u tanh(u/2) grows with u = sigma t and is 1 between 1.5434 and 1.5435: above this value every smaller sigma, "
        "down to it, makes the slope at distance t larger. Below it the slope falls again: at t = 1 it is "
        f"{decimal_text(best.lo, 4, up=False)}... at the best sigma and {decimal_text(small.hi, 4, up=True)} at 0.01"
    )
    return confirmed_if(turns and excess(low) < 0 < excess(high) and small.hi < best.lo, text)


def _no_fixed() -> Evidence:
    """Error 1/100 at distance 1/100 needs sigma >= 100 log 99; the slope at distance 1 is then this."""
    sigma = enclose(lambda: 100 * arb(99).log())
    gradient = enclose(lambda: slope(arb(1), 100 * arb(99).log()))
    text = (
        f"error at most 0.01 at distance 0.01 needs sigma >= {decimal_text(sigma.lo, 6, up=False)}..., where the slope "
        f"at distance 1 is {decimal_text(gradient.hi, 3, up=True)} and falls further with sigma"
    )
    return confirmed_if(gradient.hi < Fraction(1, 10**190), text)


def _schedule() -> Evidence:
    import sympy as sp

    first, j = sp.symbols("sigma_1 j", positive=True)
    doubled = sp.simplify((first * 2**j) / (first * 2 ** (j - 1)) - 2) == 0
    return confirmed_if(doubled, "sigma_(j+1)/sigma_j = 2 for every j, and the first is sigma_1")


def _small_gradient() -> Evidence:
    """Loss (f(x) - 1/2)^2 of one record and one query, threshold 1, at x = 0; its only minimum is x = 1."""

    def gradient(sigma: int) -> arb:
        return 2 * (sigmoid(arb(-1), sigma) - arb(1) / 2) * slope(arb(1), arb(sigma))

    steep, mild = enclose(lambda: abs(gradient(64))), enclose(lambda: abs(gradient(2)))
    text = (
        "the gradient of one query is 2 (f - a) f', so where the slope f' is at least s the answer is within "
        "|gradient|/(2 s) of its target. On a plateau this says nothing: with threshold 1 and answer 1/2, at x = 0, "
        f"at distance 1 from the only minimum, the gradient is {decimal_text(steep.hi, 3, up=True)} in size for sigma "
        f"= 64 and {decimal_text(mild.lo, 4, up=False)}... for 2"
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
        quote="a simple parametric class of functions with well-behaved gradients with adjustable magnitudes",
        scope=Scope.ALL_CASES,
    ),
    Claim(
        "vietri2022.D11.direction",
        PAPER,
        "Definition 11 and the sentence after it, with Definitions 3 and 4",
        "The tempered sigmoid approximates the prefix query x <= tau.",
        Verdict.INCONSISTENT,
        Method.BALL,
        _direction,
        "The sigmoid approximates the complement x > tau, a mismatch of conventions. With x - tau replaced by tau - x "
        "it approximates the query of Definitions 3 and 4; no result of the paper depends on the direction. For one "
        "threshold the complement carries the same information, and linear thresholds are closed under complements; "
        "only mixed marginals with two or more thresholds need the flip.",
        again=_direction_limits,
        quote="sigmoid function in definition 11 is a differentiable approximation of the class of 1-way prefix "
        "marginal queries",
        severity=Severity.SLIP,
        lemma="vietri2022.sigmoid_approximates_the_complement",
    ),
    Claim(
        "vietri2022.D12.direction",
        PAPER,
        "Definition 12 with Definitions 3 and 4",
        "A coordinate times a tempered sigmoid relaxes a class conditional linear threshold query.",
        Verdict.INCONSISTENT,
        Method.SYMBOLIC,
        _product_direction,
        "It does after flipping the signs of theta and tau, which the class allows. For a product of two sigmoids to "
        "be a mixed marginal with two thresholds, the sigmoid in tau - x is needed: (x > 0)(y > 0) is not the "
        "complement of (x <= 0)(y <= 0).",
        again=_counted,
        quote=r"corresponding differentiable statistical query is "
        r"$q_{i,T,\theta,\tau}^{[\sigma]}(x) = x_i \cdot f_\tau^{[\sigma]}(\langle \theta, x_T \rangle)$",
        severity=Severity.SLIP,
        root="vietri2022.D11.direction",
        depends_on=("vietri2022.D11.direction",),
    ),
    Claim(
        "vietri2022.S3.near-threshold",
        PAPER,
        "Section 3",
        "A continuous approximation of a threshold is poor near the threshold; a large sigma makes that region narrow.",
        C,
        Method.SYMBOLIC,
        _distance,
        formula="area between sigmoid and step: 2 log 2/sigma",
        quote="To make this poor approximation regime arbitrarily narrow, we would have to choose a large σ",
        scope=Scope.ALL_CASES,
    ),
    Claim(
        "vietri2022.S3.flat",
        PAPER,
        "Section 3",
        "With a large sigma the gradients far from the threshold are nearly flat.",
        C,
        Method.SYMBOLIC,
        _flat,
        formula="sigma/(4 cosh(sigma t/2)^2) at distance t",
        quote="sigmoid approximations to linear threshold functions have nearly flat gradients far from the threshold",
        scope=Scope.ALL_CASES,
    ),
    Claim(
        "vietri2022.S3.small-sigma",
        PAPER,
        "Section 3",
        "Flat gradients can be mitigated by a small sigma.",
        C,
        Method.BALL,
        _peak,
        "True down to about sigma = 1.5434/t at distance t; a smaller sigma makes the gradient smaller again.",
        quote="This can be mitigated by using a small σ",
        scope=Scope.ALL_CASES,
    ),
    Claim(
        "vietri2022.S1.no-fixed-sigma",
        PAPER,
        "Section 1, tempered sigmoid annealing",
        "There are cases in which no fixed sigma gives both a faithful approximation and gradients that do not vanish.",
        C,
        Method.BALL,
        _no_fixed,
        "True for tolerances like these; with a coarser tolerance, or data close to the thresholds, a fixed sigma can "
        "do both.",
        quote="no fixed value of σ can ensure both faithful approximation and non-vanishing gradient",
        depends_on=("vietri2022.S3.near-threshold", "vietri2022.S3.flat"),
    ),
    Claim(
        "vietri2022.A1.schedule",
        PAPER,
        "Algorithm 1, line 3, and Section 3",
        "The inverse temperature is doubled from stage to stage.",
        C,
        Method.SYMBOLIC,
        _schedule,
        "A consistency check of the text: the formula in the listing against the words.",
        formula="sigma_j = sigma_1 2^(j-1)",
        quote=r"Set inverse temperature $\sigma_j = \sigma_1 \cdot 2^{j-1}$",
        scope=Scope.ALL_CASES,
    ),
    Claim(
        "vietri2022.A1.stop",
        PAPER,
        "Section 3, intuition behind Algorithm 1",
        "If the gradient has become small, the iterate is near a local optimum of the relaxed objective.",
        W,
        Method.BALL,
        _small_gradient,
        "True away from the plateaus of the sigmoids, about which the same section warns. The paper offers it as an "
        "intuition.",
        quote="if the magnitude of the gradients has become small, we must be near a local optimum of the relaxed "
        "objective",
        severity=Severity.READING,
        scope=Scope.REASONED,
    ),
)
