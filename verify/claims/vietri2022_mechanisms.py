"""Mechanisms of vietri2022: Definitions 7 to 9, Lemmas 1 and 2.

Neighbours replace one of n records and n is public, as Definition 6 has it.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

from flint import arb

from bounds.enclosure import Enclosure, as_fmpq, decimal_text
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.concentrated import exponential_zcdp, gaussian_zcdp
from bounds.privacy.statements import GaussianDP
from bounds.solve import enclose
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if

ROWS = 100_000
"""An example of n: the text prints none."""
RHOS = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2))


def _orders() -> Evidence:
    """Randomised response with epsilon = 5: every D_alpha is at most D_infinity = 5."""
    half = enclose(lambda: -4 * (1 / (arb(5) / 2).cosh()).log())  # D_{1/2}/(1/2); sqrt(p(1-p)) = 1/(2 cosh(5/2))
    text = (
        "randomised response with epsilon = 5 has D_alpha <= 5 <= 5 alpha for every alpha > 1, so 5-zCDP by the "
        f"source, but D_alpha/alpha = {decimal_text(half.lo, 8, up=False)}... at alpha = 1/2"
    )
    return confirmed_if(half.lo > 5, text, with_conditions=True)


def _sensitivity() -> Evidence:
    """All pairs of neighbours with values in {0, 1/2, 1}, and records added, for n up to 5."""
    grid = (Fraction(0), Fraction(1, 2), Fraction(1))
    fits, reached, added = True, True, True
    for n in range(1, 6):
        rests = [sum(rest, Fraction(0)) for rest in product(grid, repeat=n - 1)]
        moves = {abs((rest + x) / n - (rest + y) / n) for rest in rests for x in grid for y in grid}
        fits, reached = fits and max(moves) <= Fraction(1, n), reached and max(moves) == Fraction(1, n)
        grown = {abs((r + x) / n - (r + x + y) / (n + 1)) for r in rests for x in grid for y in grid}
        added = added and max(grown) <= Fraction(1, n + 1)
    text = "n = 1, ..., 5: replacing a record moves the mean by at most 1/n, reached; adding one by at most 1/(n+1)"
    return confirmed_if(fits and reached and added, text, with_conditions=True)


def _gaussian() -> Evidence:
    exact = all(
        gaussian_zcdp(
            GaussianDP(mu_squared=Fraction(1, n**2) / (1 / (2 * n**2 * rho)), adjacency=Adjacency.REPLACE_ONE)
        ).rho
        == Enclosure.of(rho)
        for rho in RHOS
        for n in (1, 500, ROWS)
    )
    return confirmed_if(exact, "sensitivity^2/(2 variance) = (1/n^2) n^2 rho = rho, exactly, for nine (rho, n)")


def _gaussian_orders() -> Evidence:
    import sympy as sp

    x, shift, alpha, variance = sp.symbols("x Delta alpha s", positive=True)
    exponent = -alpha * (x - shift) ** 2 / (2 * variance) - (1 - alpha) * x**2 / (2 * variance)
    square = -((x - alpha * shift) ** 2) / (2 * variance) + alpha * (alpha - 1) * shift**2 / (2 * variance)
    same = sp.simplify(sp.expand(exponent - square)) == 0
    n, rho = sp.symbols("n rho", positive=True)
    rate = (alpha * shift**2 / (2 * variance)).subs({shift: 1 / n, variance: 1 / (2 * n**2 * rho)})
    text = "completing the square gives D_alpha = alpha Delta^2/(2 variance) = alpha rho for every alpha > 0"
    return confirmed_if(same and sp.simplify(rate - alpha * rho) == 0, text)


def gumbel_cost(scale_squared: Fraction, k: int, rows: int) -> Fraction:
    """zCDP of the one-shot top k: k exponential mechanisms, whose losses lie in an interval of length 2/(n scale)."""
    epsilon_squared = 4 / (Fraction(rows) ** 2 * scale_squared)
    return k * epsilon_squared / 8


def _printed_gumbel() -> Evidence:
    fits = True
    for k, rows, rho in product((1, 2, 10, 100), (1, 500, ROWS), RHOS):
        cost = gumbel_cost(k**2 / (2 * rho * rows), k, rows)
        enough = gumbel_cost(k / (2 * rho * rows**2), k, rows)
        fits = fits and cost == rho / (k * rows) <= rho == enough
    one = exponential_zcdp(epsilon=Fraction(1, 5), adjacency="replace-one").rho == Enclosure.of(Fraction(1, 200))
    text = (
        "at the printed scale the cost is rho/(K n) exactly, e.g. rho/1000000 for K = 10, n = 100000; the scale "
        "sqrt(K)/(sqrt(2 rho) n) costs exactly rho"
    )
    return confirmed_if(fits and one, text, with_conditions=True)


def _other_gumbel() -> Evidence:
    fits = all(
        gumbel_cost(k**2 / (2 * rho * rows**2), k, rows) == rho / k
        for k, rows, rho in product((1, 2, 10), (500, ROWS), RHOS)
    )
    return confirmed_if(fits, "read as K/(sqrt(2 rho) n) the cost is rho/K exactly, a tenth of rho for K = 10")


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
    """Ordered top 2 of 3 at the sufficient scale; n times the scores move by -1, 0 or 1."""
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
    text = f"rho = 1/10, K = 2 of 3 queries, 54 pairs of neighbours, 8 orders alpha: D_alpha/alpha <= {top}"
    return confirmed_if(fits, text, with_conditions=True)


def _one_shot() -> Evidence:
    """exp(-noisy score/scale) are exponential variables with rates exp(score/scale); the largest score is the first."""
    import sympy as sp

    a, b, c, x = sp.symbols("a b c x", positive=True)
    later = b / (b + c) * sp.exp(-(b + c) * x)  # P(x < E_b < E_c), whose derivative is minus the density there
    chance = -sp.diff(later, x) - b * sp.exp(-b * x) * sp.exp(-c * x)
    first = -a * b / ((b + c) * (a + b + c)) * sp.exp(-(a + b + c) * x)  # an antiderivative that vanishes at infinity
    whole = sp.simplify(sp.diff(first, x) - a * sp.exp(-a * x) * later)
    peeled = a / (a + b + c) * b / (b + c)
    text = "P(E_a < E_b < E_c) = a/(a+b+c) b/(b+c) for exponential variables: the product of two separate choices"
    right = sp.simplify(chance) == 0 and whole == 0 and sp.simplify(-first.subs(x, 0) - peeled) == 0
    return confirmed_if(right, text)


def _score() -> Evidence:
    grid = [Fraction(i, 8) for i in range(9)]
    n, reached = 4, Fraction(0)
    for before, other in product(grid, grid):
        for after in grid:
            if abs(before - after) <= Fraction(1, n):
                reached = max(reached, abs(abs(before - other) - abs(after - other)))
    text = f"over all answers on a grid of eighths with n = 4 the score moves by at most {reached} = 1/n"
    return confirmed_if(reached == Fraction(1, n), text)


C, W = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS
PAPER = "vietri2022"
SCALE = "The scale sqrt(K)/(sqrt(2 rho) n) is enough; the printed root over n may be a slip of print or scan."

CLAIMS = (
    Claim(
        "vietri2022.D7.orders",
        PAPER,
        "Definition 7",
        "rho-zCDP of Bun and Steinke bounds the divergences of all orders alpha in (0, infinity) by rho alpha.",
        W,
        Method.BALL,
        _orders,
        "The source asks it for alpha > 1 only, which is weaker. Nothing in the paper depends on it: Gaussian noise "
        "and the selection satisfy the bound for every alpha > 0.",
        formula="D_alpha(M(D), M(D')) <= rho alpha for all alpha > 0",
    ),
    Claim(
        "vietri2022.D8.sensitivity",
        PAPER,
        "Definitions 1 and 8",
        "The mean of a statistical query on n records has sensitivity 1/n.",
        W,
        Method.EXACT,
        _sensitivity,
        "For replaced records and public n. If records are added or removed the mean moves less, but noise whose "
        "variance depends on n is then not covered.",
    ),
    Claim(
        "vietri2022.L1.gaussian",
        PAPER,
        "Lemma 1",
        "The mean of a statistical query with Gaussian noise of variance 1/(2 n^2 rho) is rho-zCDP.",
        C,
        Method.EXACT,
        _gaussian,
        formula="N(0, 1/(2 n^2 rho))",
    ),
    Claim(
        "vietri2022.L1.tight",
        PAPER,
        "Lemma 1 with Definition 7",
        "The Gaussian mechanism meets the bound of Definition 7 at every order, those below 1 included.",
        C,
        Method.SYMBOLIC,
        _gaussian_orders,
        formula="D_alpha = alpha rho",
    ),
    Claim(
        "vietri2022.L2.selection",
        PAPER,
        "Definition 9 and Lemma 2",
        "Report Noisy Top-K with Gumbel noise of the printed scale K/sqrt(2 rho n) is rho-zCDP.",
        W,
        Method.EXACT,
        _printed_gumbel,
        "True for all K, n >= 1, but with sqrt(K n) times the noise that is needed. " + SCALE,
        formula="K (2/(n b))^2/8 <= rho at b = K/sqrt(2 rho n)",
    ),
    Claim(
        "vietri2022.L2.likely-scale",
        PAPER,
        "Definition 9 and Lemma 2",
        "With the scale read as K/(sqrt(2 rho) n), Report Noisy Top-K is rho-zCDP.",
        C,
        Method.EXACT,
        _other_gumbel,
        formula="K (2/(n b))^2/8 = rho/K",
    ),
    Claim(
        "vietri2022.L2.choices",
        PAPER,
        "Lemma 2",
        "The ordered top K with Gumbel noise satisfies D_alpha <= rho alpha.",
        W,
        Method.BALL,
        _choices,
        "Checked by complete enumeration of a small case at the smaller sufficient scale; the general statement rests "
        "on the bounded range of the exponential mechanism.",
    ),
    Claim(
        "vietri2022.D9.one-shot",
        PAPER,
        "Definition 9",
        "Adding Gumbel noise once and taking the K largest equals K successive exponential mechanisms.",
        C,
        Method.SYMBOLIC,
        _one_shot,
    ),
    Claim(
        "vietri2022.D9.score",
        PAPER,
        "Definition 9",
        "The score |q(D) - q(D-hat)| of a query has sensitivity 1/n.",
        C,
        Method.EXACT,
        _score,
    ),
)
