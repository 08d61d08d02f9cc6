"""Synthetic and real marginals in zhou2024: Lemma 3.4 with Appendix A.4, and the distance of Section 1.1."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb

from flint import arb

from bounds.enclosure import precision
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if, refuted_if

Cells = dict[tuple[tuple[int, ...], tuple[int, ...]], Fraction]


def _tail() -> Evidence:
    """e^(-k^2/2) - erfc(k/sqrt 2) is 0 at k = 0 and in the limit; its derivative changes its sign once, downwards."""
    import sympy

    k = sympy.symbols("k", nonnegative=True)
    rest = sympy.exp(-(k**2) / 2) - sympy.erfc(k / sympy.sqrt(2))
    slope = sympy.simplify(sympy.diff(rest, k) * sympy.exp(k**2 / 2) - (sympy.sqrt(2 / sympy.pi) - k)) == 0
    ends = rest.subs(k, 0) == 0 and sympy.limit(rest, k, sympy.oo) == 0
    text = (
        "e^(-k^2/2) - P(|N| > k sigma) is 0 at both ends, and its derivative has the sign of sqrt(2/pi) - k: it rises "
        "and then falls, so it is never negative. The stated bound is therefore twice as large as needed"
    )
    return confirmed_if(bool(slope and ends), text)


def outside(k: arb, marginals: int) -> arb:
    """P(some marginal of two cells has noise above 2 k sigma in L1): |Z1| + |Z2| <= s has probability erf(s/2)^2."""
    return 1 - k.erf() ** (2 * marginals)


def _one_marginal() -> Evidence:
    with precision(128):
        within = all(bool(outside(arb(k) / 4, 1) < 4 * (-arb(k * k) / 32).exp()) for k in range(1, 41))
        at = outside(arb(3), 1)
        text = (
            "at most l^d cells, each within k sigma except with probability 2 e^(-k^2/2): these add up to the stated "
            f"bound; for two cells the exact probability at k = 3 is {at.str(5, radius=False)}, where 0.0444 is stated"
        )
    return confirmed_if(within, text)


def largest_of_many(attributes: int, k: Fraction) -> tuple[arb, arb]:
    """The first is a lower bound on P(some synthetic marginal is off by more than 4 k sigma), for large sigma and n.

    Here d = 1, attributes are binary, and of the nearest data sets the one with the fewest ones is taken. With M the
    largest |Z0 + Z1|, which no data set can undo, attribute j loses (M + Z0 - Z1)/2 ones up to 1, so it is off by M +
    Z0 - Z1 - 2 at least. Sums and differences are independent: both are above 2 (k + 1/100) sigma somewhere with this
    probability.
    """
    share = (arb(k.numerator) / k.denominator + arb(1) / 100).erfc()
    above = (1 - (1 - share) ** attributes) * (1 - (1 - share / 2) ** attributes)
    return above, 4 * (-((arb(k.numerator) / k.denominator) ** 2) / 2).exp()


def _before_the_union() -> Evidence:
    with precision(128):
        above, stated = largest_of_many(10**6, Fraction(3))
        text = (
            "d = 1, a million binary attributes, k = 3, ties broken towards fewer ones, sigma >= 100 and n large: the "
            f"largest distance is above 2 l^d k sigma with probability at least {above.str(6, radius=False)}, but the "
            f"sentence allows at most {stated.str(6, radius=False)}"
        )
        return refuted_if(bool(above > stated), text)


def _before_the_union_again() -> Evidence:
    """At k = 2 with 10,000 attributes, with the normal distribution of another library."""
    from mpmath import exp, mp, mpf, ncdf, sqrt

    with mp.workdps(30):
        k = mpf(2)
        one_sided = ncdf(-sqrt(2) * (k + mpf(1) / 100))
        above = (1 - (1 - 2 * one_sided) ** 10**4) * (1 - (1 - one_sided) ** 10**4)
        stated = 4 * exp(-(k**2) / 2)
        text = f"k = 2, 10,000 attributes: at least {mp.nstr(above, 6)} against {mp.nstr(stated, 6)}"
        return refuted_if(above > stated, text)


def _nearest() -> Evidence:
    """All tables of three records with two binary attributes, for fixed values of the noise."""
    tables = list(combinations_with_replacement(list(product((0, 1), repeat=2)), 3))
    sets = [(0,), (1,), (0, 1)]
    cells = [(q, t) for q in sets for t in product((0, 1), repeat=len(q))]

    def counts(table: tuple[tuple[int, ...], ...]) -> Cells:
        seen = Counter((q, tuple(v[j] for j in q)) for v in table for q in sets)
        return {cell: Fraction(seen[cell]) for cell in cells}

    def largest(a: Cells, b: Cells) -> Fraction:
        return max(sum((abs(a[c] - b[c]) for c in cells if c[0] == q), Fraction(0)) for q in sets)

    worst = Fraction(0)
    for shift in range(5):
        noise = {c: Fraction((7 * i * i + 3 * i + shift * (i + 2)) % 23 - 11, 8) for i, c in enumerate(cells)}
        for real in tables:
            noisy = {c: h + noise[c] for c, h in counts(real).items()}
            chosen = min(tables, key=lambda t: largest(noisy, counts(t)))
            size = largest(noisy, counts(real))
            assert largest(noisy, counts(chosen)) <= size
            worst = max(worst, largest(counts(real), counts(chosen)) / size)
    text = (
        "the real table is one of those compared, so the nearest one is no further from the noisy marginals, and the "
        "triangle inequality doubles the noise; on 100 pairs of a table and a noise vector the distance is at most "
        f"{float(worst):.4f} times the noise"
    )
    return confirmed_if(worst <= 2, text)


def number_of_cells(m: int, levels: int, d: int) -> int:
    """Cells of all marginals of 1 to d attributes, the label having two levels."""
    features = sum(comb(m, i) * int(levels**i) for i in range(1, d + 1))
    return features + 2 * sum(comb(m, i) * int(levels**i) for i in range(d))


def union_is_enough() -> bool:
    """Whether all marginals are within l^d k sigma except with probability 2 (ml)^d u, u = e^(-k^2/2), for all m, l >=
    2, d.

    A cell is off with probability at most u, half of the paper's bound, and the empty marginal, of one cell, at most
    u^4. So it is enough that N cells and one more are at most 2 x^d with x = ml. For x >= 3: at d = 1 there are x + 2;
    at d = 2 at most x^2/2 + 3x + 2; and from d to d + 1 at most x^(d+1)/6 + x^d are added. For x = 2 there is room
    because a marginal of two cells has |Z0| + |Z1| above 2k sigma with probability at most 2 u^2: 4 u^2 + u^4 <= 4u and
    4u + 4u^2 + u^4 <= 8u for u <= 1/4, above which the bound says nothing.
    """
    first = all(x + 3 <= 2 * x for x in range(3, 99))
    second = Fraction(3**2, 2) + 3 * 3 + 3 <= 2 * 3**2 and 3 * 3 >= 3  # 3 x^2/2 - 3x - 3 grows from x = 1 on
    step = 3 + Fraction(3, 6) <= 2 * 3
    u = Fraction(1, 4)
    smallest = 4 * u + u**3 <= 4 and 4 + 4 * u + u**3 <= 8
    counted = all(
        number_of_cells(m, levels, d) + 1 <= 2 * (m * levels) ** d
        for m in range(1, 30)
        for levels in range(2, 8)
        for d in range(1, m + 2)
        if m * levels > 2
    )
    return first and second and step and smallest and counted


def _union() -> Evidence:
    few = [(m, 2) for m in range(1, 40) if number_of_cells(m, 2, 2) > (2 * m) ** 2]
    more = few == [(1, 2), (2, 2)] and all(number_of_cells(m, 2, 1) > 2 * m for m in range(1, 40))
    text = (
        "there are more than (ml)^d cells at d = 1, and for l = 2 at d = 2 with m <= 2, but never more than 2 (ml)^d, "
        "and a cell is off with probability at most e^(-k^2/2), half of the bound used; m = 1 with l = 2 is computed "
        "separately"
    )
    return confirmed_if(more and union_is_enough(), text)


def _choice_of_k() -> Evidence:
    import sympy

    size, lam = sympy.symbols("N lambda", positive=True)  # N = (ml)^d
    failure = 2 * size * sympy.exp(-(sympy.log(2) * (1 + lam) + sympy.log(size)))
    same = sympy.simplify(failure - 2 ** (-lam)) == 0
    return confirmed_if(bool(same), "2 (ml)^d exp(-k^2/2) = 2^-lambda at k^2 = 2(ln(2)(1 + lambda) + d ln(ml))")


def _distance() -> Evidence:
    """The bound after the union, at the k of the last sentence."""
    found = _choice_of_k().verdict is Verdict.CONFIRMED
    text = (
        "2 (ml)^d e^(-k^2/2) is 2^-lambda at this k, and the marginals are within l^d k sigma except with this "
        "probability, for all m, l >= 2 and d <= m + 1; taking the nearest data doubles the distance"
    )
    return confirmed_if(found and union_is_enough(), text)


def _combined() -> Evidence:
    import sympy

    m, levels, d, epsilon, log, root = sympy.symbols("m l d epsilon T U", positive=True)
    sigma = 2 * m ** (d / 2) * sympy.sqrt(log) / epsilon  # T = ln(1.25/delta)
    by_lemmas = 2 * levels**d * sympy.sqrt(2 * root) * sigma  # U = ln(2)(1 + lambda) + d ln(ml)
    summary = 4 * m ** (d / 2) * levels**d * sympy.sqrt(2 * log * root) / epsilon
    same = sympy.simplify(by_lemmas / summary) == 1
    return confirmed_if(bool(same), "2 l^d sqrt(2 U) sigma with the sigma of Lemma 3.3 is the distance of the summary")


CONFIRMED = Verdict.CONFIRMED
NOISE, A4 = ("zhou2024.marginal-noise",), "Appendix A.4"
CLAIMS = (
    Claim("zhou2024.A4.tail", "zhou2024", A4,
          "The noise of a cell is within k sigma with probability at least 1 - 2 exp(-k^2/2).",
          CONFIRMED, Method.SYMBOLIC, _tail, "The factor 2 can be dropped.", NOISE, scope=Scope.ALL_CASES,
          quote="\\leq k\\sigma$ with $1 - 2e^{-k^2/2}$ probability"),
    Claim("zhou2024.A4.one-marginal", "zhou2024", A4,
          "The noise of a marginal is within l^d k sigma in L1 with probability at least 1 - 2 l^d exp(-k^2/2).",
          CONFIRMED, Method.BALL, _one_marginal, theorems=NOISE, scope=Scope.REASONED,
          depends_on=("zhou2024.A4.tail",), quote="\\leq l^d k\\sigma$ with $1 - 2l^d e^{-k^2/2}$ probability"),
    Claim("zhou2024.A4.before-union", "zhou2024", f"{A4}, sentence with the triangle inequality",
          "All synthetic marginals are within 2 l^d k sigma with probability 1 - 2 l^d exp(-k^2/2), before the union "
          "bound over the marginals.",
          Verdict.REFUTED, Method.BALL, _before_the_union,
          "This is the probability for one marginal; the next sentence takes the union bound, and only that bound is "
          "used. The counterexample breaks ties towards fewer ones; our text of Mechanism 1 leaves open how ties are "
          "broken.",
          NOISE, again=_before_the_union_again, severity=Severity.SLIP,
          depends_on=("zhou2024.A4.one-marginal", "zhou2024.A4.nearest"),
          quote="using triangle inequality, we have [...] \\leq 2l^d k\\sigma$ with $1 - 2l^d e^{-k^2/2}$ probability"),
    Claim("zhou2024.A4.nearest", "zhou2024", A4,
          "The synthetic data are at least as close to the noisy marginals as the real data, so within twice the "
          "noise.",
          CONFIRMED, Method.EXACT, _nearest,
          "True because the real data set is among those minimised over.", NOISE, scope=Scope.REASONED,
          quote="By definition of $D_s$, we have $\\max_{q \\in Q_{\\leq d}^m} \\|\\hat{\\mathbf{h}}_q - "
          "M_q(D_s)\\|_1 \\leq"),
    Claim("zhou2024.A4.union", "zhou2024", A4,
          "All synthetic marginals are within 2 l^d k sigma with probability 1 - 2(ml)^d exp(-k^2/2).",
          CONFIRMED, Method.EXACT, _union,
          "True by the tail bound without its factor 2: there can be more than (ml)^d cells, and always are at d = 1.",
          NOISE,
          scope=Scope.ALL_CASES, depends_on=("zhou2024.A4.one-marginal", "zhou2024.A4.nearest"),
          quote="using union bound, we have the above inequality holds for all $q \\in Q_{\\leq d}^m$"),
    Claim("zhou2024.A4.choice", "zhou2024", f"{A4}, last sentence",
          "k = sqrt(2(ln(2)(1 + lambda) + d ln(ml))) makes the failure probability 2^-lambda.",
          CONFIRMED, Method.SYMBOLIC, _choice_of_k, theorems=NOISE,
          quote="By setting $k = \\sqrt{2(\\ln(2)(1+\\lambda) + d\\ln(ml))}$ concludes our proof"),
    Claim("zhou2024.L34.statement", "zhou2024", "Lemma 3.4",
          "All synthetic marginals are within 2 l^d sqrt(2(ln(2)(1 + lambda) + d ln(ml))) sigma in L1 with probability "
          "1 - 2^-lambda.", CONFIRMED, Method.EXACT, _distance,
          "True even if there are more than (ml)^d cells, by the tail bound without its factor 2.", NOISE,
          scope=Scope.ALL_CASES, depends_on=("zhou2024.A4.union", "zhou2024.A4.choice"),
          quote="for all $q \\in Q_{\\leq d}^m$ with $1 - 2^{-\\lambda}$ probability"),
    Claim("zhou2024.11.distance", "zhou2024", "Section 1.1",
          "The distance 4 m^(d/2) l^d sqrt(2 ln(1.25/delta)(ln(2)(1 + lambda) + d ln(ml)))/epsilon is the one in "
          "Lemmas 3.3 and 3.4.", CONFIRMED, Method.SYMBOLIC, _combined, theorems=(*NOISE, "zhou2024.sensitivity"),
          depends_on=("zhou2024.L33.sigma", "zhou2024.L34.statement"),
          quote="differentially private synthetic data with a bounded $\\ell_1$ difference of"),
)  # fmt: skip
