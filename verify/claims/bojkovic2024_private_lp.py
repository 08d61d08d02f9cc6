"""Section II and Appendix B of bojkovic2024: the private LP, its sizes, and uniform sampling."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb

from flint import arb, fmpq, fmpq_mat

from bounds.enclosure import Enclosure, precision
from bounds.renyi import condition_number
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if
from verify.claims.bojkovic2024_lemma_steps import power_sum, small_tables
from verify.claims.bojkovic2024_lemmas import BOJKOVIC, ids


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
        "on Boolean data they span C(p, <= d) dimensions (p = 2, ..., 5, d = 1, 2), in general since the products of "
        "at most d attributes are linearly independent and give every indicator; for t = 3, p = 3, d = 2 the "
        f"marginals span {ternary} dimensions, not {1 + 3 + 3}"
    )
    more = ternary == sum(comb(3, s) * 2**s for s in range(3)) > 1 + 3 + 3
    return confirmed_if(equal and more, text, with_conditions=True)


def _one_ternary_attribute() -> Evidence:
    """Two functions, the constant and one other, cannot determine the shares of three point masses."""
    first, second = (Fraction(1, 3),) * 3, (Fraction(1, 2), Fraction(0), Fraction(1, 2))
    same = sum(v * w for v, w in enumerate(first)) == sum(v * w for v, w in enumerate(second))
    text = (
        "t = 3, p = 1: of 1 + 1 functions the constant is one; with x as the other, (1/3, 1/3, 1/3) and (1/2, 0, 1/2) "
        "have the same answers but different marginals, and two equations leave a line of solutions for any other "
        "function"
    )
    return confirmed_if(same and first != second, text, with_conditions=True)


def _condition_number_and_divergence() -> Evidence:
    tables = small_tables(3, 7)
    same = all(condition_number(p, q).kappa == power_sum(p, q, 2) for p in tables for q in tables)
    text = (
        "term by term (nu/mu)^2 mu = nu^2/mu, and (4) at alpha = 2 has the factor 1; equal in rationals on "
        f"{len(tables) ** 2} pairs of tables"
    )
    return confirmed_if(same, text)


def _noise_level() -> Evidence:
    import sympy as sp

    F, g, d = sp.symbols("F gamma delta", positive=True)
    sigma = d / sp.log(F / g)
    tail = sp.simplify(F * sp.exp(-d / sigma) - g)
    text = "|F| exp(-delta/sigma) = gamma: by a union bound no noise exceeds delta except with probability gamma"
    return confirmed_if(tail == 0, text)


def _privacy() -> Evidence:
    """Two records with f = 1 and f = -1 for every f reach the sensitivity 2|F|/n."""
    import sympy as sp

    F, g, d, e = sp.symbols("F gamma delta epsilon", positive=True)
    n = 2 * F / (e * d) * sp.log(F / g)
    loss = sp.simplify(2 * F / n / (d / sp.log(F / g)) - e)
    text = (
        "a mean of values in [-1, 1] moves by at most 2/n, all of them by 2|F|/n in L1, and the log-ratio of Laplace "
        "densities is at most that over sigma: epsilon at the printed n; everything else uses only the noisy answers"
    )
    return confirmed_if(loss == 0, text)


def error_coefficient(queries: int, gamma: Fraction) -> Enclosure:
    """(e_m + e_n + 2 e_lambda + e_k)/delta at the printed sizes, each event with probability gamma."""
    with precision(128):
        ratio = arb(fmpq(2 * queries) / fmpq(*gamma.as_integer_ratio())).log()
        ratio /= 2 * arb(fmpq(queries) / fmpq(*gamma.as_integer_ratio())).log()
        return Enclosure.of(2 + 4 * ratio.sqrt() + 2 * arb(1 + fmpq(1, queries)).sqrt())


def single_query_coefficient(gamma: Fraction) -> Enclosure:
    """The same for one query with another split of 4 gamma: 2 gamma to the points, gamma/2 each to records and rows."""
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
        "reweighted points with errors e_m (Chebyshev), e_n and e_k (Hoeffding) and twice the noise: the parts add up "
        f"to at most {two.decimal(7)[1]} delta for |F| >= 2, falling in |F| and rising in gamma; for |F| = 1 to less "
        f"than 8 delta with 4 gamma split differently, as log(4/gamma) < 2 log(1/gamma), e.g. {float(one[0]):.5f} "
        "delta at gamma = 0.2"
    )
    return confirmed_if(two.hi < 8 and falling and smaller_gamma and max(one) < 8, text)


def _range_of_delta() -> Evidence:
    says_something = [d for d in (Fraction(i, 40) for i in range(1, 21)) if 8 * d < 2]
    text = (
        "the coefficient of delta in the sum of the errors does not depend on delta, so no range is needed; 8 delta < "
        f"2 only for {len(says_something)} of the values delta = 1/40, ..., 20/40, and answers differ by at most 2"
    )
    return confirmed_if(max(says_something) < Fraction(1, 4), text)


def _range_of_gamma() -> Evidence:
    import sympy as sp

    g = sp.symbols("gamma", real=True)
    positive = sp.solveset(1 - 4 * g > 0, g, sp.Interval.open(0, 1))
    return confirmed_if(positive == sp.Interval.open(0, sp.Rational(1, 4)), f"1 - 4 gamma > 0 exactly on {positive}")


def _uniform_condition() -> Evidence:
    tables = small_tables(4, 9)
    even = (Fraction(1, 4),) * 4
    values = [power_sum(nu, even, 2) for nu in tables]
    point = power_sum((Fraction(1), Fraction(0), Fraction(0), Fraction(0)), even, 2)
    text = (
        f"1/mu = |Omega|, and nu^2 <= nu as probabilities are at most 1; on 4 points {len(tables)} distributions have "
        f"values up to {max(values)}, a point mass has {point}, uniform nu has 1"
    )
    return confirmed_if(max(values) <= 4 == point and power_sum(even, even, 2) == 1, text)


def _uniform_sizes() -> Evidence:
    import sympy as sp

    K, N, F, d, g = sp.symbols("K N F delta gamma", positive=True)
    same = sp.simplify((K * F / (d**2 * g)).subs(K, N) - N * F / (d**2 * g)) == 0
    least = (1 / (d**2 * g)).subs({d: sp.Rational(1, 2), g: sp.Rational(1, 4)})
    text = (
        f"m of Theorem II.1 at K = |Omega|; n and k do not contain K. m > {least} |Omega||F| for the gamma and delta "
        "of the theorem, more than the number of points of the domain"
    )
    return confirmed_if(bool(same) and least == 16, text)


def _continuous_domain() -> Evidence:
    """nu = x^(-1/2)/2 on [0, 1] has an infinite condition number; nu = 1/2 + x has 13/12."""
    import sympy as sp

    x = sp.symbols("x", positive=True)
    infinite = sp.integrate((1 / (2 * sp.sqrt(x))) ** 2, (x, 0, 1)) == sp.oo
    finite = sp.integrate((sp.Rational(1, 2) + x) ** 2, (x, 0, 1))
    text = (
        "against the uniform measure the density x^(-1/2)/2 has infinite kappa, the Lipschitz density 1/2 + x has "
        f"{finite}"
    )
    return confirmed_if(bool(infinite and finite == sp.Rational(13, 12)), text, with_conditions=True)


LP, UNIFORM = ("bojkovic2024.private-lp",), ("bojkovic2024.uniform",)
CONFIRMED, CONDITIONS = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS

CLAIMS = (
    Claim("bojkovic2024.II.marginals", BOJKOVIC, "Section II",
          "There are C(p, 0) + ... + C(p, d) functions that encode all marginals up to degree d.",
          CONDITIONS, Method.EXACT, _number_of_marginals,
          "True for Boolean data, for which the paper and the works it cites on marginals use the formula; with t "
          "levels, which Section III allows, the sum of C(p, s) (t - 1)^s is needed. No theorem depends on it.", LP,
          again=_one_ternary_attribute, severity=Severity.READING, scope=Scope.REASONED,
          quote=r"all functions that encode marginals up to degree d, in which case $|\mathcal{F}| = "
                r"\binom{p}{\leq d}"),
    Claim("bojkovic2024.II.kappa", BOJKOVIC, "Section II and Appendix C-B, 5)",
          "The Rényi condition number is exp(D_2(nu||mu)).",
          CONFIRMED, Method.EXACT, _condition_number_and_divergence, theorems=LP, scope=Scope.REASONED,
          quote=r"we recall the definition $\kappa(\nu || \mu) = \int \left(\frac{d\nu}{d\mu}\right)^2 d\mu$"),
    Claim("bojkovic2024.II1.sigma", BOJKOVIC, "Theorem II.1",
          "sigma = delta/log(|F|/gamma) keeps all noise within delta with probability at least 1 - gamma.",
          CONFIRMED, Method.SYMBOLIC, _noise_level, theorems=LP, scope=Scope.ALL_CASES,
          quote=r"set $\sigma = \frac{\delta}{\log(|\mathcal{F}|/\gamma)}$"),
    Claim("bojkovic2024.II1.privacy", BOJKOVIC, "Theorem II.1, 1)",
          "Algorithm 1 is epsilon-private if n >= (2|F|/(epsilon delta)) log(|F|/gamma).",
          CONFIRMED, Method.SYMBOLIC, _privacy,
          "The bound is tight if all answers can change by 2 at once; marginals change by less and need fewer records.",
          LP,
          scope=Scope.REASONED,
          quote=r"If $n \geq \frac{2|\mathcal{F}|}{\epsilon\delta} "
                r"\log\left(\frac{|\mathcal{F}|}{\gamma}\right)$, Algorithm 1 is ϵ-differentially private"),
    Claim("bojkovic2024.II1.accuracy", BOJKOVIC, "Theorem II.1, 2)",
          "With the printed n, m and k the data are 8 delta-accurate with probability at least 1 - 4 gamma.",
          CONFIRMED, Method.BALL, _accuracy, "For two or more queries they are even 7.72 delta-accurate.", LP,
          hypotheses=("gamma < 1/4", "records independent from nu", "kappa(nu||mu) <= K"), scope=Scope.REASONED,
          depends_on=ids("II1.sigma"),
          quote=r"with probability at least $1 - 4\gamma$, the synthetic dataset Y generated by Algorithm 1 is "
                "8δ-accurate"),
    Claim("bojkovic2024.II1.delta", BOJKOVIC, "Theorem II.1, 2)",
          "The guarantee holds for delta in (0, 1/2].", CONFIRMED, Method.EXACT, _range_of_delta,
          "From delta = 1/4 on, 8 delta >= 2, which any data satisfy; the proof does not need delta <= 1/2.", LP,
          scope=Scope.REASONED, depends_on=ids("II1.accuracy"),
          quote=r"where $\delta \in (0, 1/2]$ and $\gamma \in (0, 1/4)$"),
    Claim("bojkovic2024.II1.gamma", BOJKOVIC, "Theorem II.1, 2)",
          "The guarantee is for gamma in (0, 1/4), where 1 - 4 gamma is positive.",
          CONFIRMED, Method.SYMBOLIC, _range_of_gamma, theorems=LP, scope=Scope.ALL_CASES,
          quote=r"and $\gamma \in (0, 1/4)$. Suppose X is sampled i.i.d. from Ω according to a probability measure ν"),
    Claim("bojkovic2024.B1.kappa", BOJKOVIC, "Theorem B.1, proof",
          "For uniform mu the condition number is |Omega| sum nu^2, at most |Omega|.",
          CONFIRMED, Method.EXACT, _uniform_condition, theorems=UNIFORM, scope=Scope.REASONED,
          quote=r"= |\Omega| \sum_{x \in \Omega} \nu^2(x) \leq |\Omega| \sum_{x \in \Omega} \nu(x) = |\Omega|"),
    Claim("bojkovic2024.B1.sizes", BOJKOVIC, "Theorem B.1",
          "With K = |Omega|, Theorem II.1 requires m >= |Omega||F|/(delta^2 gamma) and the same n and k.",
          CONFIRMED, Method.SYMBOLIC, _uniform_sizes,
          "m is at least 16 |Omega||F|; taking every point of the domain once needs fewer points and no sampling.",
          UNIFORM,
          scope=Scope.ALL_CASES, depends_on=ids("B1.kappa"),
          quote=r"m &\geq \frac{|\Omega||\mathcal{F}|}{\delta^2\gamma}"),
    Claim("bojkovic2024.II.continuous", BOJKOVIC, "Section II, after Remark 1",
          "On a continuous domain the condition number cannot be bounded with the same techniques.",
          CONDITIONS, Method.SYMBOLIC, _continuous_domain,
          "True for general densities. For a density bounded by B the number is at most B by the same argument, and "
          "the densities of Theorem IV.1, being Lipschitz on the cube, are bounded.",
          ("synthbounds.lipschitz-uniform",),
          severity=Severity.READING,
          quote="in the continuous case, we cannot upper-bound the Rényi condition number with the same techniques"),
)  # fmt: skip
