"""What Corollaries 3.5 and 3.6 and Section 1.1 of zhou2024 say about the excess risk on private data."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from bounds.enclosure import precision
from verify.claim import Claim, Evidence, Method, Scope, Verdict, confirmed_if


def _substituted(base: int) -> bool:
    """Whether the corollary is the theorem at the distance of Lemma 3.4, its base 3 no smaller than the theorem's."""
    import sympy

    first, factor, m, n, d, levels, root, sigma, nu = sympy.symbols("A B m n d l U sigma nu", positive=True)
    theorem = first + factor * (base * m) ** (d - 1) * nu / n
    corollary = first + factor * (3 * m) ** (d - 1) * 2 * levels**d * sympy.sqrt(2 * root) * sigma / n
    ratio = (corollary - first) / (theorem - first).subs(nu, 2 * levels**d * sympy.sqrt(2 * root) * sigma)
    quotient = sympy.simplify(sympy.powsimp(sympy.expand_power_base(ratio, force=True)))
    return bool(sympy.simplify(quotient - sympy.Rational(3, base) ** (d - 1)) == 0)


def _corollary_lipschitz() -> Evidence:
    text = (
        "the bound of Theorem 3.1 at nu = 2 l^d sqrt(2 U) sigma, U = ln(2)(1 + lambda) + d ln(ml), is that of the "
        "corollary, and Lemma 3.4 gives this nu except with probability 2^-lambda"
    )
    return confirmed_if(_substituted(3), text, with_conditions=True)


def _corollary_logistic() -> Evidence:
    text = (
        "the bound of Theorem 3.2 at nu = 2 l^d sqrt(2 U) sigma, U = ln(2)(1 + lambda) + d ln(ml), is that of the "
        "corollary with (2m)^(d-1) in place of (3m)^(d-1), so no larger, and Lemma 3.4 gives this nu except with "
        "probability 2^-lambda"
    )
    return confirmed_if(_substituted(2), text, with_conditions=True)


def _summary_general() -> Evidence:
    """Two models, each four times on [-1, 1], where b - a = 2: equations (1) and (2) of Theorem 2.3."""
    import sympy

    m = sympy.symbols("m", positive=True)
    approximations = 4 * Fraction(5, 4) * 2
    ratio = sympy.simplify(sympy.log(2 * sympy.sqrt(m)) - sympy.log(3 * m))  # quotient of the bases, largest at m = 1
    grows = bool(ratio.subs(m, 1) < 0) and sympy.diff(ratio, m).is_negative
    text = (
        f"scores lie in [-1, 1]. Four errors of 5/4 omega(2/sqrt(d - 1)) make at most {approximations} K/sqrt(d - 1); "
        "two changes of the polynomial risk make at most 2 K (3m)^(d-1) nu/n, because the coefficients of phi - "
        "phi(0), which has the same excess, sum to at most K 2^(d-1), and the products of weights to at most "
        "m^((d-1)/2)"
    )
    return confirmed_if(approximations == 10 and bool(grows), text)


def _summary_logistic() -> Evidence:
    """Theorem 2.4 for f(u) = phi(2u - 1): its second derivative is four times phi'', so at most 1."""
    import sympy

    e = sympy.symbols("e", positive=True)  # e^t, so that the derivative by t is e times that by e
    slope = sympy.together(e * sympy.diff(sympy.log(1 + 1 / e), e))
    second = e * sympy.diff(sympy.simplify(slope), e)
    quarter = sympy.simplify(sympy.Rational(1, 4) - second - ((1 - e) / (2 * (1 + e))) ** 2) == 0
    with precision(64):
        norm = bool((1 + arb(1).exp()).log() - arb(2).log() < 1)
    text = (
        "scores lie in [-1, 1], and 4 phi'' <= 1. Four errors of 3/(4 (d - 1)) make at most 3/(d - 1); |phi - phi(0)| "
        "is below 1, so the second term is at most 2 (3m)^(d-1) nu/n, as for Lipschitz losses"
    )
    return confirmed_if(bool(quarter) and norm, text)


def _unit_balls() -> Evidence:
    """x -> x/sqrt m and w -> sqrt m w: norms and the margin, for as many coordinates as there are symbols."""
    import sympy

    m = sympy.symbols("m", positive=True)
    x, w = sympy.symbols("x1:4", real=True), sympy.symbols("w1:4", real=True)
    small, large = [a / sympy.sqrt(m) for a in x], [sympy.sqrt(m) * b for b in w]
    margins = sympy.simplify(sum(a * b for a, b in zip(small, large, strict=True))
                             - sum(a * b for a, b in zip(x, w, strict=True))) == 0  # fmt: skip
    norms = (
        sympy.simplify(m * sum(a**2 for a in small) - sum(a**2 for a in x)) == 0
        and sympy.simplify(sum(b**2 for b in large) - m * sum(b**2 for b in w)) == 0
    )
    text = (
        "x/sqrt m and sqrt m w have the norms |x|/sqrt m <= 1 and sqrt m |w| <= 1 exactly where |x| <= sqrt m and |w| "
        "<= 1/sqrt m, and they have the same margin, coordinate by coordinate"
    )
    return confirmed_if(bool(margins and norms), text)


def _large_n() -> Evidence:
    import sympy

    n, fixed, delta = sympy.symbols("n C delta", positive=True)
    limits = [
        sympy.limit(fixed * sympy.sqrt(sympy.log(sympy.Rational(5, 4) / share)) / n, n, sympy.oo)
        for share in (delta, n**-2)
    ]
    text = (
        "at fixed m, d, l, lambda, epsilon the second term is a constant times sqrt(ln(1.25/delta))/n, which tends to "
        "0, at fixed delta as with delta = 1/n^2; the first does not depend on n"
    )
    return confirmed_if(all(limit == 0 for limit in limits), text)


CONFIRMED, CONDITIONS = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS
EXCESS = ("zhou2024.lipschitz", "zhou2024.logistic")
CLAIMS = (
    Claim("zhou2024.Cor35.statement", "zhou2024", "Corollary 3.5",
          "With the noise of Lemma 3.3 and the distance of Lemma 3.4, Theorem 3.1 bounds the excess except with "
          "probability 2^-lambda.", CONDITIONS, Method.SYMBOLIC, _corollary_lipschitz,
          "True under the conditions of the theorem: d >= 2, n public, and |phi(0)| for phi(0), as in "
          "zhou2024.T31.at-zero. Its privacy is that of Lemma 3.3.",
          ("zhou2024.lipschitz-private",), scope=Scope.ALL_CASES,
          depends_on=("zhou2024.T31.statement", "zhou2024.L33.statement", "zhou2024.L34.statement"),
          quote="Using Lemmas 3.3 and 3.4 allows us to represent the marginal difference [...] with the expression "
          "containing the privacy parameters"),
    Claim("zhou2024.Cor36.statement", "zhou2024", "Corollary 3.6",
          "With the noise of Lemma 3.3 and the distance of Lemma 3.4, Theorem 3.2 bounds the excess except with "
          "probability 2^-lambda.", CONDITIONS, Method.SYMBOLIC, _corollary_logistic,
          "True under the conditions of the theorem: d >= 2, n public. It has (3m)^(d-1) where the theorem has "
          "(2m)^(d-1), which is weaker, not wrong. Its privacy is that of Lemma 3.3.",
          ("zhou2024.logistic-private",), scope=Scope.ALL_CASES,
          depends_on=("zhou2024.T32.statement", "zhou2024.L33.statement", "zhou2024.L34.statement"),
          quote="\\in O\\left(\\tau\\sqrt{m}/(d-1)\\right. [...] except with $2^{-\\lambda}$ probability."),
    Claim("zhou2024.11.general", "zhou2024", "Section 1.1",
          "In unit balls the excess is O(1/sqrt(d-1) + (3m)^(d-1) nu/n) for O(1)-Lipschitz losses.",
          CONFIRMED, Method.SYMBOLIC, _summary_general, "True whatever phi(0) is.",
          EXCESS[:1], scope=Scope.REASONED, depends_on=("zhou2024.T31.statement", "zhou2024.31.unit-balls"),
          quote="for any continuous and O(1)-Lipschitz loss function, the difference in cost is upper-bounded by"),
    Claim("zhou2024.11.logistic", "zhou2024", "Section 1.1",
          "In unit balls the excess is O(1/(d-1) + (3m)^(d-1) nu/n) for logistic regression.",
          CONFIRMED, Method.SYMBOLIC, _summary_logistic, "Here the radius is 1, and the proof of Theorem 3.2 applies.",
          EXCESS[1:], scope=Scope.REASONED, depends_on=("zhou2024.T32.statement", "zhou2024.31.unit-balls"),
          quote="for logistic regression specifically, we achieve a tighter upper bound of $O(1/(d-1) + "
          "(3m)^{d-1}\\nu/n)$"),
    Claim("zhou2024.31.unit-balls", "zhou2024", "Section 3.1, after Theorem 3.1, and Section 1.1",
          "Taking tau = 1/sqrt m is the problem with records and models in unit balls.",
          CONFIRMED, Method.SYMBOLIC, _unit_balls, theorems=EXCESS, scope=Scope.REASONED,
          quote="we can view the optimization problem as consisting of datapoints contained in the *m*-dimensional "
          "unit ball"),
    Claim("zhou2024.32.large-n", "zhou2024", "Sections 1.1, 3.1 and 3.2, on n going to infinity",
          "As n grows, the excess is dominated by the first term, O(1/sqrt(d-1)) or O(1/(d-1)).",
          CONFIRMED, Method.SYMBOLIC, _large_n,
          "True at fixed m, d and l, also with delta = 1/n^2. As rates, both are far from the true ones, which are 1/d "
          "and geometric in d.", EXCESS, scope=Scope.ALL_CASES,
          depends_on=("zhou2024.Cor35.statement", "zhou2024.Cor36.statement"),
          quote="as the size of the database n goes to infinity, the excess empirical risk is dominated by"),
)  # fmt: skip
