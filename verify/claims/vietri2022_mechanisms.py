"""Mechanisms of vietri2022: Definition 7, Lemmas 1 and 2.

Neighbours replace one of n records and n is public, as in Definition 6.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from typing import Any

from flint import arb

from bounds.enclosure import Enclosure, as_fmpq, decimal_text
from bounds.solve import enclose
from verify.claim import Claim, Evidence, Method, Scope, Verdict, Withdrawn, confirmed_if


def _orders() -> Evidence:
    """Randomised response with epsilon = 5: every D_alpha is at most D_infinity = 5."""
    half = enclose(lambda: -4 * (1 / (arb(5) / 2).cosh()).log())  # D_{1/2}/(1/2); sqrt(p(1-p)) = 1/(2 cosh(5/2))
    text = (
        "the source was not read; if it requires only alpha > 1, it requires less: randomised response with epsilon = "
        "5 has D_alpha <= 5 <= 5 alpha for every alpha > 1, but D_alpha/alpha = "
        f"{decimal_text(half.lo, 8, up=False)}... at alpha = 1/2"
    )
    return Evidence(Verdict.OPEN if half.lo > 5 else Verdict.UNDECIDABLE, text)


def _gaussian() -> Evidence:
    """A mean of values in [0, 1] moves by u/n with |u| <= 1; then D_alpha from completing the square."""
    import sympy as sp

    x, shift, alpha, variance, n, rho, u = sp.symbols("x Delta alpha s n rho u", positive=True)
    moves = {abs(new - old) for new, old in product((0, 1), repeat=2)}  # the difference is linear in both values
    exponent = -alpha * (x - shift) ** 2 / (2 * variance) - (1 - alpha) * x**2 / (2 * variance)
    square = -((x - alpha * shift) ** 2) / (2 * variance) + alpha * (alpha - 1) * shift**2 / (2 * variance)
    same = sp.simplify(sp.expand(exponent - square)) == 0
    rate = (alpha * shift**2 / (2 * variance)).subs({shift: u / n, variance: 1 / (2 * n**2 * rho)})
    text = (
        "replacing a record moves the mean by u/n with |u| <= 1; completing the square gives D_alpha = alpha "
        "Delta^2/(2 variance) = u^2 rho alpha for every alpha > 0, orders below 1 included, with equality at |u| = 1"
    )
    return confirmed_if(max(moves) == 1 and same and sp.simplify(rate - u**2 * rho * alpha) == 0, text)


def gumbel_cost(scale_squared: Any, k: Any, rows: Any) -> Any:
    """zCDP of the one-shot top k: k exponential mechanisms, whose losses lie in an interval of length 2/(n scale)."""
    return k * (4 / (rows**2 * scale_squared)) / 8


def _peels_off() -> bool:
    """exp(-noisy score/scale) are exponential variables with rates exp(score/scale); the largest score comes first."""
    import sympy as sp

    a, b, c, x = sp.symbols("a b c x", positive=True)
    later = b / (b + c) * sp.exp(-(b + c) * x)  # P(x < E_b < E_c), whose derivative is minus the density there
    chance = -sp.diff(later, x) - b * sp.exp(-b * x) * sp.exp(-c * x)
    first = -a * b / ((b + c) * (a + b + c)) * sp.exp(-(a + b + c) * x)  # an antiderivative that vanishes at infinity
    whole = sp.simplify(sp.diff(first, x) - a * sp.exp(-a * x) * later)
    peeled = a / (a + b + c) * b / (b + c)
    return bool(sp.simplify(chance) == 0 and whole == 0 and sp.simplify(-first.subs(x, 0) - peeled) == 0)


def _curvature_is_a_variance() -> bool:
    """The second derivative of the logarithm of the mean of exp(t z) is the variance of z after tilting."""
    import sympy as sp

    t = sp.symbols("t", real=True)
    p, z = sp.symbols("p1:4", positive=True), sp.symbols("z1:4", real=True)
    weights = [chance * sp.exp(t * value) for chance, value in zip(p, z, strict=True)]
    pairs = [(i, j) for i in range(3) for j in range(i)]
    variance = sum(weights[i] * weights[j] * (z[i] - z[j]) ** 2 for i, j in pairs) / sum(weights) ** 2
    return bool(sp.simplify(sp.diff(sp.log(sum(weights)), t, 2) - variance) == 0)


def _selection() -> Evidence:
    import sympy as sp

    k, n, rho = sp.symbols("K n rho", positive=True)
    printed = sp.simplify(gumbel_cost(k**2 / (2 * rho * n), k, n) - rho / (k * n)) == 0
    likely = sp.simplify(gumbel_cost(k**2 / (2 * rho * n**2), k, n) - rho / k) == 0
    enough = sp.simplify(gumbel_cost(k / (2 * rho * n**2), k, n) - rho) == 0
    text = (
        "a score moves by at most 1/n (reverse triangle inequality); choosing the K largest noisy scores amounts to K "
        "exponential mechanisms in turn, since exponential variables are memoryless; the loss z of each lies in an "
        "interval of length eta = 2/(n b), so log E exp(alpha z), which is 0 at alpha = 0 and 1, has curvature at most "
        "eta^2/4 and D_alpha <= alpha eta^2/8 for every alpha > 0. Together K eta^2/8: rho/(K n) at the printed scale "
        "b = K/sqrt(2 rho n), rho/K at K/(sqrt(2 rho) n), and rho at sqrt(K)/(sqrt(2 rho) n)"
    )
    return confirmed_if(printed and likely and enough and _peels_off() and _curvature_is_a_variance(), text)


def ordered_choices(weights: tuple[arb, ...], k: int) -> dict[tuple[int, ...], arb]:
    """Probabilities of the ordered top k of scores with Gumbel noise; weights are exp(score/scale)."""
    found = {}
    for order in permutations(range(len(weights)), k):
        chance, left = arb(1), sum(weights, arb(0))
        for i in order:
            chance, left = chance * weights[i] / left, left - weights[i]
        found[order] = chance
    return found


def _choices() -> Evidence:
    """Ordered top 2 of 3 at the smallest sufficient scale; n times the scores move by -1, 0 or 1."""
    rho, largest = Fraction(1, 10), arb(0)
    scale = (arb(2) / (2 * as_fmpq(rho))).sqrt()  # n times sqrt(K/(2 rho))/n with K = 2
    orders = [arb(a) / 4 for a in (2, 3, 5, 6, 8, 20, 40, 200)]
    fits = True
    for start, move in product(((0, 0, 0), (3, 1, 0)), product((-1, 0, 1), repeat=3)):
        before = ordered_choices(tuple((s / scale).exp() for s in start), 2)
        after = ordered_choices(tuple(((s + m) / scale).exp() for s, m in zip(start, move, strict=True)), 2)
        for alpha in orders:
            terms = [before[o] ** alpha * after[o] ** (1 - alpha) for o in before]
            rate = sum(terms, arb(0)).log() / (alpha - 1) / alpha
            fits = fits and rate < as_fmpq(rho)
            largest = largest.max(rate)
    top = decimal_text(Enclosure.of(largest).hi, 5, up=True)
    text = (
        "the distribution of the choices written out, at sqrt(K)/(sqrt(2 rho) n) with rho = 1/10 and K = 2 of 3 "
        f"queries: over 54 pairs of neighbours and 8 orders alpha, D_alpha/alpha <= {top}"
    )
    return confirmed_if(fits, text)


PAPER = "vietri2022"

CLAIMS = (
    Claim(
        "vietri2022.D7.orders",
        PAPER,
        "Definition 7",
        "rho-zCDP of Bun and Steinke bounds the divergences of all orders alpha in (0, infinity) by rho alpha.",
        Verdict.OPEN,
        Method.BALL,
        _orders,
        "We have not read the source, so we do not know its orders. Nothing in the paper depends on them: Gaussian "
        "noise and the selection satisfy the bound for every alpha > 0.",
        formula="D_alpha(M(D), M(D')) <= rho alpha for all alpha > 0",
        quote=r"(Zero Concentrated Differential Privacy [BS16a]) [...] for all $\alpha \in (0, \infty)$",
        scope=Scope.INSTANCES,
    ),
    Claim(
        "vietri2022.L1.gaussian",
        PAPER,
        "Lemma 1 with Definitions 7 and 8",
        "The mean of a statistical query with Gaussian noise of variance 1/(2 n^2 rho) is rho-zCDP.",
        Verdict.CONFIRMED,
        Method.SYMBOLIC,
        _gaussian,
        formula="D_alpha = alpha Delta^2/(2 variance)",
        quote=r"parameter $\rho > 0$, the Gaussian mechanism $\mathcal{G}(\cdot, q, \rho)$ satisfies ρ -zCDP",
        scope=Scope.ALL_CASES,
    ),
    Claim(
        "vietri2022.L2.selection",
        PAPER,
        "Definition 9 and Lemma 2",
        "Report Noisy Top-K with Gumbel noise of the printed scale K/sqrt(2 rho n) is rho-zCDP.",
        Verdict.CONFIRMED,
        Method.SYMBOLIC,
        _selection,
        "True for all K, n >= 1, with sqrt(K n) times the noise that is needed. The root over n may be a slip of the "
        "print or of the scan; read as K/(sqrt(2 rho) n), the scale is also sufficient.",
        formula="K (2/(n b))^2/8 <= rho at b = K/sqrt(2 rho n)",
        again=_choices,
        quote=r"$\text{RN}_K(D, \hat{D}, Q, \rho)$ satisfies ρ -zCDP",
        scope=Scope.REASONED,
    ),
)

_STEP = "This is a step of our proof, which the paper does not state."

WITHDRAWN = (
    Withdrawn("vietri2022.D8.sensitivity", _STEP, "vietri2022.L1.gaussian"),
    Withdrawn(
        "vietri2022.L1.tight", "It is the same as Lemma 1, whose check covers every order.", "vietri2022.L1.gaussian"
    ),
    Withdrawn(
        "vietri2022.L2.likely-scale",
        "The scale as it may have been meant is our reading, not what the text shows.",
        "vietri2022.L2.selection",
    ),
    Withdrawn(
        "vietri2022.L2.choices",
        "It was a small case of Lemma 2, which is proved in general; it is now the second route there.",
        "vietri2022.L2.selection",
    ),
    Withdrawn("vietri2022.D9.one-shot", _STEP, "vietri2022.L2.selection"),
    Withdrawn("vietri2022.D9.score", _STEP, "vietri2022.L2.selection"),
)
