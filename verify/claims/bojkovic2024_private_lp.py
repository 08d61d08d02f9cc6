"""Section II, Appendix B and Section V-B of bojkovic2024: the private LP, its sizes, and what it costs to run."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb
from typing import Any

from flint import arb, fmpq, fmpq_mat

from bounds.enclosure import Enclosure, precision
from bounds.renyi import condition_number
from bounds.sizes.require import require
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if
from verify.claims.bojkovic2024_lemma_steps import power_sum, small_tables


def marginal_rank(p: int, t: int, degree: int) -> int:
    """Dimension of the span of all indicators of x_S = v with |S| <= degree, on the domain of t^p points."""
    points = list(product(range(t), repeat=p))
    rows = [
        [int(all(x[i] == v for i, v in zip(subset, values, strict=True))) for x in points]
        for size in range(degree + 1)
        for subset in combinations(range(p), size)
        for values in product(range(t), repeat=size)
    ]
    return int(fmpq_mat(len(rows), len(points), [fmpq(v) for row in rows for v in row]).rank())


def _number_of_marginals() -> Evidence:
    boolean = {(p, d): marginal_rank(p, 2, d) for p in (2, 3, 4, 5) for d in (1, 2)}
    equal = all(rank == sum(comb(p, s) for s in range(d + 1)) for (p, d), rank in boolean.items())
    ternary = marginal_rank(3, 3, 2)
    text = (
        "on Boolean data all marginals up to degree d span C(p, <= d) dimensions (p = 2, ..., 5, d = 1, 2); for t = 3, "
        f"p = 3, d = 2 they span {ternary}, not {1 + 3 + 3}"
    )
    return confirmed_if(equal and ternary == sum(comb(3, s) * 2**s for s in range(3)), text, with_conditions=True)


def _condition_number_and_divergence() -> Evidence:
    tables = small_tables(3, 7)
    same = all(condition_number(p, q).kappa == power_sum(p, q, 2) for p in tables for q in tables)
    text = f"sum (nu/mu)^2 mu equals exp(D_2) of (4) on {len(tables) ** 2} pairs of tables, in rationals"
    return confirmed_if(same, text)


def _noise_level() -> Evidence:
    import sympy as sp

    F, g, d = sp.symbols("F gamma delta", positive=True)
    sigma = d / sp.log(F / g)
    tail = sp.simplify(F * sp.exp(-d / sigma) - g)
    return confirmed_if(
        tail == 0, "|F| exp(-delta/sigma) = gamma: no noise exceeds delta except with probability gamma"
    )


def _privacy() -> Evidence:
    """Two records with f = 1 and f = -1 for every f reach the sensitivity 2|F|/n."""
    import sympy as sp

    F, g, d, e = sp.symbols("F gamma delta epsilon", positive=True)
    n = 2 * F / (e * d) * sp.log(F / g)
    loss = sp.simplify(2 * F / n / (d / sp.log(F / g)) - e)
    return confirmed_if(loss == 0, "at the printed n the sensitivity 2|F|/n over sigma is exactly epsilon")


def error_coefficient(queries: int, gamma: Fraction) -> Enclosure:
    """(e_m + e_n + 2 e_lambda + e_k)/delta at the printed sizes, each event with probability gamma."""
    with precision(128):
        ratio = arb(fmpq(2 * queries) / fmpq(*gamma.as_integer_ratio())).log()
        ratio /= 2 * arb(fmpq(queries) / fmpq(*gamma.as_integer_ratio())).log()
        return Enclosure.of(2 + 4 * ratio.sqrt() + 2 * arb(1 + fmpq(1, queries)).sqrt())


def single_query_coefficient(gamma: Fraction) -> Enclosure:
    """The same for one query with 4 gamma split anew: 2 gamma to the points, gamma/2 each to records and rows."""
    with precision(128):
        inverse = arb(fmpq(gamma.denominator, gamma.numerator))
        return Enclosure.of(4 + 4 * ((4 * inverse).log() / (2 * inverse.log())).sqrt())


def _accuracy() -> Evidence:
    quarter = Fraction(1, 4)
    two = error_coefficient(2, quarter)
    falling = all(error_coefficient(F, quarter).hi < two.lo for F in (3, 5, 10, 100, 10**4, 10**8))
    smaller_gamma = all(error_coefficient(2, Fraction(1, g)).hi < two.lo for g in (5, 10, 1000))
    one = [single_query_coefficient(Fraction(1, g)).hi for g in (5, 6, 10, 1000)]
    text = (
        f"the parts add up to at most {two.decimal(7)[1]} delta for |F| >= 2, falling in |F| and rising in gamma; "
        f"for |F| = 1 to less than 8 delta with 4 gamma split anew, e.g. {float(one[0]):.5f} delta at gamma = 0.2"
    )
    return confirmed_if(two.hi < 8 and falling and smaller_gamma and max(one) < 8, text)


def _range_of_delta() -> Evidence:
    says_something = [d for d in (Fraction(i, 40) for i in range(1, 21)) if 8 * d < 2]
    text = f"8 delta < 2 only for {len(says_something)} of delta = 1/40, ..., 20/40; answers differ by 2 at most"
    return confirmed_if(max(says_something) < Fraction(1, 4), text, with_conditions=True)


def _range_of_gamma() -> Evidence:
    positive = [g for g in (Fraction(i, 100) for i in range(1, 100)) if 1 - 4 * g > 0]
    return confirmed_if(max(positive) == Fraction(24, 100), "1 - 4 gamma > 0 exactly for gamma < 1/4")


def _uniform_condition() -> Evidence:
    tables = small_tables(4, 9)
    even = (Fraction(1, 4),) * 4
    values = [power_sum(nu, even, 2) for nu in tables]
    point = power_sum((Fraction(1), Fraction(0), Fraction(0), Fraction(0)), even, 2)
    text = (
        f"4 points: {len(tables)} tables have values up to {max(values)}, one point mass has {point}, uniform nu has 1"
    )
    return confirmed_if(max(values) <= 4 == point and power_sum(even, even, 2) == 1, text)


def _uniform_sizes() -> Evidence:
    shared: dict[str, Any] = {"degree": 2, "epsilon": ".2", "delta": ".1", "gamma": ".05"}
    same = []
    for p in (2, 5, 8):
        by_theorem = require(theorem="bojkovic2024.uniform", edition="printed", p=p, **shared)
        by_general = require(theorem="bojkovic2024.private-lp", edition="printed", p=p, kappa=2**p, **shared)
        points = 2**p * (1 + p + p * (p - 1) // 2) * 2000
        same.append((by_theorem.n, by_theorem.m, by_theorem.k) == (by_general.n, by_general.m, by_general.k))
        same.append(by_general.m == points)
    text = (
        "Theorem II.1 with K = |Omega| gives the same n, m, k for p = 2, 5, 8; m >= 16 |Omega| |F| exceeds the domain"
    )
    return confirmed_if(all(same), text)


def _continuous_domain() -> Evidence:
    """nu = x^(-1/2)/2 on [0, 1] has an infinite condition number; nu = 1/2 + x has 13/12."""
    import sympy as sp

    x = sp.symbols("x", positive=True)
    infinite = sp.integrate((1 / (2 * sp.sqrt(x))) ** 2, (x, 0, 1)) == sp.oo
    finite = sp.integrate((sp.Rational(1, 2) + x) ** 2, (x, 0, 1))
    text = f"against the uniform measure the density x^(-1/2)/2 has kappa infinite, the Lipschitz 1/2 + x has {finite}"
    return confirmed_if(bool(infinite and finite == sp.Rational(13, 12)), text, with_conditions=True)


def _constraints() -> Evidence:
    """|q.h - b| <= s is two inequalities; without one of them the largest error is not bounded below by 0."""
    targets = [Fraction(3, 2), Fraction(-1, 2)]
    both = [max(min(abs(w - b) for w in (Fraction(0), Fraction(1))), Fraction(0)) for b in targets]
    upper_only = [min(w - b for w in (Fraction(0), Fraction(1))) for b in targets]
    needs_both = both == [Fraction(1, 2), Fraction(1, 2)] and upper_only[0] < 0
    queries, points = 22, 22528
    text = (
        f"p = 6, figures: {2 * queries} inequalities, 1 equation, {points} signs, {points + 1} variables; "
        "one query, target 3/2: without the second inequality the optimum falls from 1/2 to -3/2"
    )
    return confirmed_if(needs_both and upper_only[0] == Fraction(-3, 2), text, with_conditions=True)


def _polynomial_in_p() -> Evidence:
    shared: dict[str, Any] = {"degree": 2, "epsilon": ".2", "delta": ".1", "gamma": ".05", "edition": "printed"}
    uniform = {p: require(theorem="bojkovic2024.uniform", p=p, **shared).m or 0 for p in (10, 20)}
    bounded = [require(theorem="bojkovic2024.private-lp", p=p, kappa=2, **shared).m or 0 for p in range(4, 10)]
    steps = [b - a for a, b in pairwise(bounded)]
    quadratic = len({b - a for a, b in pairwise(steps)}) == 1
    text = f"K = 2, d = 2: m is quadratic in p; with uniform mu it is {uniform[10]} (p = 10), {uniform[20]} (p = 20)"
    return confirmed_if(quadratic and uniform[20] > 2**10 * uniform[10], text, with_conditions=True)


def _histogram_polynomial_in_n() -> Evidence:
    shared: dict[str, Any] = {"degree": 1, "epsilon": "1", "delta": ".1", "gamma": ".1", "edition": "printed"}
    found = {}
    for p in (2, 6, 12, 20):
        share = f"1/{2**p}"
        found[p] = require(theorem="bojkovic2024.histogram", p=p, tau1=share, tau2=share, **shared).n
    text = f"n >= 8 |Omega|/tau1^2 >= 8 |Omega|^3: at p = 20 n is at least {found[20]}, with {2**20} cells"
    return confirmed_if(all(n >= 8 * 8**p for p, n in found.items()), text, with_conditions=True)


def _hardness() -> Evidence:
    return Evidence(Verdict.NOT_CHECKABLE, "a theorem of complexity theory, quoted from another paper")


def _covariance_loss() -> Evidence:
    return Evidence(
        Verdict.NOT_CHECKABLE, "a rate quoted from another paper, whose exponents the text may not show whole"
    )


BOJKOVIC = "bojkovic2024"
LP, UNIFORM = ("bojkovic2024.private-lp",), ("bojkovic2024.uniform",)
CONFIRMED, CONDITIONS = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS

CLAIMS = (
    Claim("bojkovic2024.II.marginals", BOJKOVIC, "Section II",
          "The functions that encode all marginals up to degree d number C(p, 0) + ... + C(p, d).",
          CONDITIONS, Method.EXACT, _number_of_marginals,
          "For t = 2; with t levels the sum of C(p, s) (t - 1)^s is needed, while Section III is for every t.", LP),
    Claim("bojkovic2024.II.kappa", BOJKOVIC, "Section II and Appendix C-B, 5)",
          "The Rényi condition number is exp(D_2(nu||mu)).",
          CONFIRMED, Method.EXACT, _condition_number_and_divergence, theorems=LP),
    Claim("bojkovic2024.II1.sigma", BOJKOVIC, "Theorem II.1",
          "sigma = delta/log(|F|/gamma) keeps all noise within delta with probability at least 1 - gamma.",
          CONFIRMED, Method.SYMBOLIC, _noise_level, theorems=LP),
    Claim("bojkovic2024.II1.privacy", BOJKOVIC, "Theorem II.1, 1)",
          "Algorithm 1 is epsilon-private if n >= (2|F|/(epsilon delta)) log(|F|/gamma).",
          CONFIRMED, Method.SYMBOLIC, _privacy,
          "Tight where all answers can change by 2 at once; marginals change by less, and need fewer records.", LP),
    Claim("bojkovic2024.II1.accuracy", BOJKOVIC, "Theorem II.1, 2)",
          "With the printed n, m and k the data are 8 delta-accurate with probability at least 1 - 4 gamma.",
          CONFIRMED, Method.BALL, _accuracy, "7.72 delta for two queries or more.", LP,
          hypotheses=("gamma < 1/4", "records independent from nu", "kappa(nu||mu) <= K")),
    Claim("bojkovic2024.II1.delta", BOJKOVIC, "Theorem II.1, 2)",
          "The guarantee is for delta in (0, 1/2].", CONDITIONS, Method.EXACT, _range_of_delta,
          "From delta = 1/4 on 8 delta >= 2 is true of any data; the proof does not need delta <= 1/2.", LP),
    Claim("bojkovic2024.II1.gamma", BOJKOVIC, "Theorem II.1, 2)",
          "The guarantee is for gamma in (0, 1/4), where 1 - 4 gamma is positive.",
          CONFIRMED, Method.EXACT, _range_of_gamma, theorems=LP),
    Claim("bojkovic2024.B1.kappa", BOJKOVIC, "Theorem B.1, proof",
          "For uniform mu the condition number is |Omega| sum nu^2, at most |Omega|.",
          CONFIRMED, Method.EXACT, _uniform_condition, theorems=UNIFORM),
    Claim("bojkovic2024.B1.sizes", BOJKOVIC, "Theorem B.1",
          "With K = |Omega| Theorem II.1 asks for m >= |Omega||F|/(delta^2 gamma) and the same n and k.",
          CONFIRMED, Method.EXACT, _uniform_sizes,
          "m is at least 16 |Omega||F|: taking every point of the domain once needs fewer and no sampling.", UNIFORM),
    Claim("bojkovic2024.II.continuous", BOJKOVIC, "Section II, after Remark 1",
          "On a continuous domain the condition number cannot be bounded with the same techniques.",
          CONDITIONS, Method.SYMBOLIC, _continuous_domain,
          "True for general densities. For a density bounded by B it is at most B by the same argument, and the "
          "densities of Theorem IV.1, being Lipschitz on the cube, are bounded.", ("synthbounds.lipschitz-uniform",)),
    Claim("bojkovic2024.VB.constraints", BOJKOVIC, "Section V-B",
          "Algorithm 1 is a linear program with |F| + m + 1 constraints.", CONDITIONS, Method.EXACT, _constraints,
          "Counting each absolute value once. As linear inequalities they are 2|F|, with m signs and one equation.",
          LP),
    Claim("bojkovic2024.VB.polynomial", BOJKOVIC, "Section V-B",
          "Algorithm 1 has runtime polynomial in p.", CONDITIONS, Method.EXACT, _polynomial_in_p,
          "For bounded K and degree; with uniform mu m is a multiple of |Omega| = t^p.", LP),
    Claim("bojkovic2024.VB.histogram", BOJKOVIC, "Section V-B",
          "Algorithm 2 is polynomial in n.", CONDITIONS, Method.EXACT, _histogram_polynomial_in_n,
          "Under the conditions of Theorem III.1; without them it runs over t^p cells for any n.",
          ("bojkovic2024.histogram",)),
    Claim("bojkovic2024.VB.hardness", BOJKOVIC, "Section V-B",
          "No polynomial-time algorithm generates private synthetic data that preserve all two-way marginals.",
          Verdict.NOT_CHECKABLE, Method.READING, _hardness,
          "The cited theorem assumes that one-way functions exist, which the sentence leaves out."),
    Claim("bojkovic2024.VB.covariance-loss", BOJKOVIC, "Section V-B",
          "A follow-up paper improved the error per query by a covariance loss, at exponential cost in p.",
          Verdict.NOT_CHECKABLE, Method.READING, _covariance_loss, "It is a statement about another paper."),
)  # fmt: skip
