"""Appendix A of bojkovic2024 step by step: Laplace maxima, ratios, Rényi divergences, the empirical distribution.

What the lemmas are used for is checked with the theorems that use them; here only the lemmas themselves.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

from flint import arb, fmpq

from bounds.enclosure import as_fmpq, decimal_text, precision
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if, refuted_if
from verify.claims.bojkovic2024_lemmas import expected_maximum, l1_tail_of_uniform

Table = tuple[Fraction, ...]


def small_tables(points: int, total: int) -> list[Table]:
    """Every distribution on that many points with positive multiples of 1/total."""
    weights = product(range(1, total), repeat=points - 1)
    return [tuple(Fraction(w, total) for w in (*first, total - sum(first))) for first in weights if sum(first) < total]


def total_variation(p: Table, q: Table) -> Fraction:
    return sum((abs(a - b) for a, b in zip(p, q, strict=True)), Fraction(0)) / 2


def power_sum(p: Table, q: Table, order: int) -> Fraction:
    """exp((order - 1) D_order(p||q))."""
    return sum((a**order / b ** (order - 1) for a, b in zip(p, q, strict=True)), Fraction(0))


def _laplace_lemma() -> Evidence:
    """For n >= 2 the tail is at most n^(1-1/gamma)/2 <= 2^(-1/gamma) <= gamma; for n = 1 the bound is 0."""
    gammas = [Fraction(i, 50) for i in range(1, 50)]
    with precision(128):
        holds = all(
            1 - (1 - (-arb(n).log() / arb(fmpq(g.numerator, g.denominator))).exp() / 2) ** n
            <= fmpq(*g.as_integer_ratio())
            for n in (2, 3, 4, 10, 100, 10**6)
            for g in gammas
        )
        powers = all(
            arb(2) ** arb(fmpq(g.denominator, g.numerator)) >= fmpq(g.denominator, g.numerator) for g in gammas
        )
    text = (
        "the exact tail is at most gamma for n = 2, 3, 4, 10, 100, 10^6 and gamma = 0.02, ..., 0.98, and in general "
        "by a union bound since 2^x >= x; for n = 1 the bound is 0, and P(X_1 < 0) = 1/2 < 1 - gamma for gamma < 1/2"
    )
    return confirmed_if(holds and powers, text, with_conditions=True)


def _laplace_cdf() -> Evidence:
    import sympy as sp

    t, x, sigma = sp.symbols("t x sigma", positive=True)
    upper = sp.integrate(sp.exp(-x / sigma) / (2 * sigma), (x, t, sp.oo))
    same = sp.simplify(1 - upper - (1 - sp.exp(-t / sigma) / 2)) == 0
    return confirmed_if(same, f"P(X > t) = {upper} for t > 0; the maximum of i independent ones has the i-th power")


def _mean_of_maximum() -> Evidence:
    """The integral over t > 0 is the mean of the positive part; the negative part has mean sigma 2^-i / i."""
    import sympy as sp

    u = sp.symbols("u", positive=True)  # u = exp(-t/sigma), dt = sigma du/u
    negative = [sp.integrate((u / 2) ** i / u, (u, 0, 1)) for i in range(1, 9)]
    differs = all(value == sp.Rational(1, i * 2**i) and value > 0 for i, value in enumerate(negative, start=1))
    text = (
        "the mean of the negative part of Z_i, which the integral leaves out, is sigma/(i 2^i): "
        f"{', '.join(str(v) for v in negative[:4])} sigma for i = 1, ..., 4, never 0"
    )
    return refuted_if(differs, text)


def _mean_of_one_variable() -> Evidence:
    """By symmetry E[Z_1] = 0; for two variables E[Z_2] = E|X_1 - X_2|/2, by the density of the difference."""
    import sympy as sp

    d = sp.symbols("d", positive=True)
    # the difference of two unit Laplace variables has the density (1 + |d|) e^-|d| / 4
    total = sp.integrate((1 + d) * sp.exp(-d) / 2, (d, 0, sp.oo))
    second = sp.integrate(d * (1 + d) * sp.exp(-d) / 2, (d, 0, sp.oo)) / 2
    integral = [expected_maximum(n) for n in (1, 2)]
    text = (
        f"sigma = 1: E[Z_1] = 0 and E[Z_2] = E|X_1 - X_2|/2 = {second}, while the integrals are "
        f"{integral[0]} and {integral[1]}"
    )
    return refuted_if(
        bool(total == 1 and second == sp.Rational(3, 4)) and integral == [Fraction(1, 2), Fraction(7, 8)], text
    )


def _increment() -> Evidence:
    """With u = exp(-t/sigma) the integrand is a polynomial over u: exact for each i."""
    values = []
    for i in range(1, 41):
        # integral over u in (0, 1) of (1/2)(1 - u/2)^(i-1), expanded
        value = sum((Fraction((-1) ** j * comb(i - 1, j), 2 ** (j + 1) * (j + 1)) for j in range(i)), Fraction(0))
        values.append(value == Fraction(1, i) * (1 - Fraction(1, 2**i)))
    return confirmed_if(all(values), "the integral is (1 - 2^-i)/i times sigma for i = 1, ..., 40, in rationals")


def _used_for_absolute_values() -> Evidence:
    """n^(x-1) >= x for x = 1/gamma: for n >= 3 and x >= 1, for n = 2 and x >= 2."""
    gammas = [Fraction(i, 200) for i in range(1, 50)]
    with precision(128):
        tails = all(
            1 - (1 - (-arb(n).log() * as_fmpq(1 / g)).exp()) ** n <= as_fmpq(g)
            for n in (2, 3, 4, 16, 1024, 10**6)
            for g in gammas
        )
        grows = all(arb(2) ** (as_fmpq(1 / g) - 1) >= as_fmpq(1 / g) for g in gammas)
    text = (
        "P(max |X_i| > sigma log(n)/gamma) = 1 - (1 - n^(-1/gamma))^n is at most gamma for n = 2, 3, 4, 16, 1024, 10^6 "
        "and gamma = 0.005, ..., 0.245, and in general by a union bound since n^(x-1) >= x"
    )
    return confirmed_if(tails and grows, text, with_conditions=True)


def _least_ratio() -> Evidence:
    tables = [*small_tables(2, 12), *small_tables(3, 9)]
    pairs = [(p, q) for p in tables for q in tables if len(p) == len(q)]
    margins = [
        min(a / b for a, b in zip(p, q, strict=True)) - 1 / (1 + total_variation(p, q) / min(p)) for p, q in pairs
    ]
    equal = sum(margin == 0 for margin in margins)
    text = f"{len(pairs)} pairs of distributions: the least margin is {min(margins)}, reached {equal} times"
    return confirmed_if(min(margins) >= 0, text)


def _divergence_triangle() -> Evidence:
    """Cauchy-Schwarz: sum P^a Q^(1-a) = sum (P^a R^(1/2-a)) (R^(a-1/2) Q^(1-a))."""
    import sympy as sp

    a = sp.symbols("alpha")
    # half of each divergence's own factor, over alpha - 1, are the printed coefficients
    first = sp.simplify((2 * a - 1) / (2 * (a - 1)) - (a - sp.Rational(1, 2)) / (a - 1)) == 0
    second = sp.simplify((2 * a - 2) / (2 * (a - 1)) - 1) == 0
    exponents = sp.expand(2 * (sp.Rational(1, 2) - a) - (1 - 2 * a)) == 0
    tables = small_tables(3, 6)
    holds = all(
        power_sum(p, q, 2) ** 2 <= power_sum(p, r, 4) * power_sum(r, q, 3)
        for p in tables
        for q in tables
        for r in tables
    )
    text = (
        "the coefficients are those of Cauchy-Schwarz for every alpha > 1; for alpha = 2 also checked in rationals on "
        f"{len(tables) ** 3} triples of distributions"
    )
    return confirmed_if(first and second and exponents and holds, text)


def _divergence_from_distance() -> Evidence:
    tables = [*small_tables(2, 12), *small_tables(3, 8)]
    worst = None
    for order in (2, 3, 4):
        for p in tables:
            for q in tables:
                if len(p) != len(q) or p == q:
                    continue
                beta = min(b / a for a, b in zip(p, q, strict=True))
                bound = 1 + total_variation(p, q) * (beta ** (1 - order) - 1) / (1 - beta)
                margin = bound - power_sum(p, q, order)
                worst = margin if worst is None else min(worst, margin)
    text = (
        f"orders 2, 3, 4 on {len(tables)} distributions in rationals: the least margin is {worst}; r^a - r lies below "
        "its chord between 1 and 1/beta, which proves it; for p = q the formula reads 0/0 and means 0"
    )
    return confirmed_if(worst is not None and worst >= 0, text, with_conditions=True)


def _distance_with_the_root() -> Evidence:
    """The bound that the proof of Theorem III.1 uses, at the smallest t and beyond."""
    found = []
    for cells, draws, least in ((2, 20, 8), (4, 16, 8), (5, 20, 10), (6, 24, 14), (10, 50, 24)):
        t = Fraction(least, draws)  # P(L1 >= t) is P(L1 > t') for t' just below
        exact = l1_tail_of_uniform(cells, draws, least)
        with precision(128):
            bound = (-arb(draws) / 2 * (arb(as_fmpq(t)) - arb(fmpq(cells, draws)).sqrt()) ** 2).exp()
            found.append(t * t >= Fraction(cells, draws) and bool(bound >= as_fmpq(exact)))
    shown = decimal_text(l1_tail_of_uniform(10, 50, 24), 6, up=False)
    text = f"five settings of uniform draws agree; 10 cells and 50 draws: P(L1 >= 0.48) = {shown}, below the bound"
    return confirmed_if(all(found), text)


BOJKOVIC = "bojkovic2024"
LAPLACE = ("bojkovic2024.max-laplace",)

CLAIMS = (
    Claim(
        "bojkovic2024.A1.lemma", BOJKOVIC, "Lemma A.1",
        "The largest of n Laplace variables of scale sigma is below sigma log(n)/gamma with probability at least "
        "1 - gamma.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.BALL, _laplace_lemma,
        "It holds for n >= 2 by a union bound, not by the printed proof, and fails for n = 1 and gamma < 1/2. "
        "sigma log(n/gamma) holds for every n and is smaller.",
        LAPLACE,
    ),
    Claim(
        "bojkovic2024.A1.cdf", BOJKOVIC, "Lemma A.1, proof",
        "For t > 0 the largest of i variables is at most t with probability (1 - exp(-t/sigma)/2)^i.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _laplace_cdf, theorems=LAPLACE,
    ),
    Claim(
        "bojkovic2024.A1.mean", BOJKOVIC, "Lemma A.1, proof",
        "The mean of the largest of i Laplace variables is the integral of 1 - F over the positive half line.",
        Verdict.REFUTED, Method.SYMBOLIC, _mean_of_maximum,
        "The integral is the mean of the positive part, larger by sigma/(i 2^i) for every i. Markov's inequality needs "
        "just that, so the lemma is not hurt.",
        LAPLACE, formula="E[Z_i] = int_0^oo (1 - F_i(t)) dt", again=_mean_of_one_variable,
    ),
    Claim(
        "bojkovic2024.A1.increment", BOJKOVIC, "Lemma A.1, proof",
        "E_i - E_(i-1) is (sigma/i)(1 - 2^-i).",
        Verdict.CONFIRMED, Method.EXACT, _increment, theorems=LAPLACE,
    ),
    Claim(
        "bojkovic2024.A1.absolute", BOJKOVIC, "Appendix C-B, after (6)",
        "By Lemma A.1 the bound sigma log(n)/gamma holds for the largest absolute value of n Laplace variables.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.BALL, _used_for_absolute_values,
        "The lemma speaks of the largest variable, not of absolute values; the bound holds for them too for n >= 2 and "
        "gamma < 1/4, by a union bound.",
        LAPLACE,
    ),
    Claim(
        "bojkovic2024.A2.ratio", BOJKOVIC, "Lemma A.2",
        "The least ratio p/q is at least 1/(1 + TV(p, q)/min p).",
        Verdict.CONFIRMED, Method.EXACT, _least_ratio, theorems=("bojkovic2024.ratio-tv",),
    ),
    Claim(
        "bojkovic2024.A3.triangle", BOJKOVIC, "Lemma A.3",
        "D_a(P||Q) is at most (a - 1/2)/(a - 1) D_2a(P||R) + D_(2a-1)(R||Q) for a > 1.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _divergence_triangle, theorems=("bojkovic2024.renyi-triangle",),
    ),
    Claim(
        "bojkovic2024.A4.distance", BOJKOVIC, "Lemma A.4",
        "D_a(P||Q) is at most log(1 + TV (beta^(1-a) - 1)/(1 - beta))/(a - 1) with beta the least ratio q/p.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _divergence_from_distance,
        "For p = q, where beta = 1, the quotient is to be read as its limit.",
        ("bojkovic2024.renyi-tv",),
    ),
    Claim(
        "bojkovic2024.A5.root", BOJKOVIC, "Appendix C-B, before (11)",
        "The L1 distance of the empirical distribution exceeds a with probability at most "
        "exp(-(n/2)(a - sqrt(|Omega|/n))^2) for a >= sqrt(|Omega|/n).",
        Verdict.CONFIRMED, Method.EXACT, _distance_with_the_root, theorems=("bojkovic2024.empirical-tv",),
    ),
)  # fmt: skip
