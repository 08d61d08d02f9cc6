"""Smaller statements of bojkovic2024: what is said in passing in remarks, proofs, algorithms and the conclusion."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from bounds.enclosure import Enclosure, as_fmpq, precision
from bounds.sizes.require import require
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if
from verify.claims.bojkovic2024_lemma_steps import small_tables, total_variation
from verify.claims.bojkovic2024_lemmas import expected_maximum
from verify.claims.bojkovic2024_settings import DIMENSIONS, SETTING, queries


def signed_mean(n: int) -> Fraction:
    """E[max of n]/sigma: the mean of the positive part less that of the negative part."""
    return expected_maximum(n) - Fraction(1, n * 2**n)


def _markov() -> Evidence:
    failing = []
    for n in range(1, 200):
        with precision(96):
            if arb(as_fmpq(signed_mean(n))) > arb(n).log():
                failing.append(n)
    text = (
        f"E[Z_1] = {signed_mean(1)} while P(Z_1 >= a) > 0, so it fails for n = 1 and every a; what is left, "
        f"E[Z_n] <= sigma log n, fails for n in {failing} and holds for the other n below 200"
    )
    return confirmed_if(signed_mean(1) == 0 and failing == [2, 3], text, with_conditions=True)


def _even_shares() -> Evidence:
    sizes = [t**p for t in (2, 3, 5) for p in (1, 2, 3)]
    holds = all(min(nu) == max(nu) == Fraction(1, N) for N in sizes for nu in ([Fraction(1, N)] * N,))
    skewed = all(min(nu) < Fraction(1, 3) < max(nu) for nu in small_tables(3, 8))
    return confirmed_if(holds and skewed, "least and largest probability are 1/|Omega|, and only for uniform nu")


def _ratios() -> Evidence:
    tables = small_tables(3, 8)
    holds = all(
        min(a / b for a, b in zip(first, second, strict=True)) >= 1 / (1 + total_variation(first, second) / min(first))
        for first in tables
        for second in tables
    )
    return confirmed_if(holds, f"Lemma A.2 with the numerator's least value, on {len(tables) ** 2} pairs in rationals")


def _direct_sampling() -> Evidence:
    """|mu(f) - nu1(f)| <= ||mu - nu1||_1 = 2 delta2 <= tau1/4 <= 1/(4|Omega|), against the noise 2 delta of the LP."""
    tables = small_tables(3, 6)
    functions = [(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
    bounded = all(
        abs(sum((f * (x - y) for f, x, y in zip(fs, p, q, strict=True)), Fraction(0))) <= 2 * total_variation(p, q)
        for p in tables
        for q in tables
        for fs in functions
    )
    at_four = Fraction(1, 4 * 4)
    text = (
        "on the events of the proof every average under mu is within 2 delta2 <= 1/(4|Omega|) of the data's, "
        f"{at_four} for |Omega| = 4; the noise of the LP alone may cost 2 delta, 1 in the setting of the figures"
    )
    return confirmed_if(bounded and at_four < 1, text, with_conditions=True)


def _records_with_kernel() -> Evidence:
    """The second condition of Corollary IV.1.1 over 2|F| log|F| with two-way marginals, epsilon = 0.2, gamma = 0.05."""
    found = {}
    for p in (2, 20, 60, 120):
        with precision(96):
            second = arb(3) ** (p + 1) * 10 * arb(20).log() / (2 * arb.pi()).sqrt() ** p
            found[p] = Enclosure.of(second / (2 * queries(p) * arb(queries(p)).log())).lo
    text = "second condition over 2|F| log|F|: " + ", ".join(f"{float(v):.3g} (p = {p})" for p, v in found.items())
    return confirmed_if(found[20] < found[60] < found[120] and found[120] > 1000, text, with_conditions=True)


def _larger_cube() -> Evidence:
    """u = x/B has the density B^p nu(B u): its least value and Lipschitz constant scale."""
    import sympy as sp

    u, B, a, slope = sp.symbols("u B a s", positive=True)
    nu = a + slope * u  # any linear piece, p = 1
    scaled = B * nu.subs(u, B * u)
    lipschitz = sp.simplify(sp.diff(scaled, u) - B**2 * slope) == 0
    mass = sp.simplify(sp.integrate(scaled, (u, 0, 1)) - sp.integrate(nu, (u, 0, B))) == 0
    text = "p = 1: mass is kept, tau becomes B tau and L becomes B^2 L; in p dimensions B^p tau and B^(p+1) L"
    return confirmed_if(mass and lipschitz, text, with_conditions=True)


def _repeated_points() -> Evidence:
    answer = require(theorem="bojkovic2024.uniform", p=3, **SETTING)
    assert answer.m is not None
    points, weights = ("a", "a"), {"a": Fraction(1)}
    doubled = sum((weights[z] for z in points), Fraction(0))
    text = (
        f"p = 3: {answer.m} points are drawn out of 8, so some are equal; a density h on the set with z_1 = z_2 would "
        f"count {doubled} instead of 1"
    )
    return confirmed_if(answer.m > 8 and doubled == 2, text, with_conditions=True)


def _records_of_the_figures() -> Evidence:
    printed = {p: require(theorem="bojkovic2024.histogram-uniform", p=p, **SETTING).n for p in DIMENSIONS}
    asked = {
        p: require(theorem="bojkovic2024.histogram", p=p, tau1=f"1/{2**p}", tau2=f"1/{2**p}", **SETTING).n
        for p in DIMENSIONS
    }
    short = [p for p in DIMENSIONS if printed[p] < asked[p]]
    text = (
        f"n = {printed[2]} (p = 2), {printed[6]} (p = 6), {printed[10]} (p = 10); fewer than Theorem III.1 asks for, "
        f"{asked[10]} at p = 10, for p in {short}"
    )
    return confirmed_if(short == [7, 8, 9, 10], text, with_conditions=True)


def _many_records() -> Evidence:
    """tau1 <= 1/N, so the second condition alone asks for more than 8 N^3."""
    with precision(64):
        far = all(arb(8 * N**3) > 100 * arb(N).log() / 5 for N in range(2, 500))
    return confirmed_if(far, "n >= 8 |Omega|^3 exceeds 20 log|Omega| for |Omega| = 2, ..., 499, and the ratio grows")


BOJKOVIC = "bojkovic2024"
CONFIRMED, CONDITIONS = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS

CLAIMS = (
    Claim("bojkovic2024.A1.markov", BOJKOVIC, "Lemma A.1, proof",
          "P(X_max >= a) is at most E[Z_n]/a, so E[Z_n] <= sigma log n suffices.", CONDITIONS, Method.EXACT, _markov,
          "With the mean of the positive part, which is what the proof computes; Z_n itself can be negative.",
          ("bojkovic2024.max-laplace",)),
    Claim("bojkovic2024.C.tau-uniform", BOJKOVIC, "Corollary III.1.1",
          "For uniform nu tau1 = tau2 = 1/|Omega|.", CONFIRMED, Method.EXACT, _even_shares,
          theorems=("bojkovic2024.histogram-uniform",)),
    Claim("bojkovic2024.C10.ratios", BOJKOVIC, "Appendix C-B, after (10)",
          "beta1 >= 1/(1 + delta1/min nu1) and beta2 >= 1/(1 + delta2/min mu).", CONFIRMED, Method.EXACT, _ratios,
          theorems=("bojkovic2024.ratio-tv",)),
    Claim("bojkovic2024.R3.direct", BOJKOVIC, "Remark 3",
          "It may be more accurate to solve the optimisation problem than to sample from mu directly.",
          CONDITIONS, Method.EXACT, _direct_sampling,
          "Where delta2 <= tau1/8, as the proof of Theorem III.1 has it, the bounds favour the LP only for "
          "delta < 1/(8|Omega|): the histogram alone then answers every function into [-1, 1] to within 1/(4|Omega|).",
          ("bojkovic2024.histogram",)),
    Claim("bojkovic2024.T1.records-kernel", BOJKOVIC, "Table I, kernel estimate",
          "|X| is O(|F| log|F|).", CONDITIONS, Method.BALL, _records_with_kernel,
          "For fixed p and nu. The second condition of Theorem IV.1 as printed grows like (3/(tau sqrt(2 pi)))^p.",
          ("bojkovic2024.kde", "bojkovic2024.kde-uniform")),
    Claim("bojkovic2024.VI.scale", BOJKOVIC, "Section VI",
          "Data in [0, B]^p can be treated in the same way.", CONDITIONS, Method.SYMBOLIC, _larger_cube,
          "After scaling, with B^p tau for tau and B^(p+1) L for L.", ("bojkovic2024.kde",)),
    Claim("bojkovic2024.Alg1.points", BOJKOVIC, "Algorithm 1, step 3",
          "h is a density on the set of the points z_1, ..., z_m, summed over i = 1, ..., m.",
          CONDITIONS, Method.EXACT, _repeated_points,
          "Points repeat, always so for uniform sampling, where m exceeds |Omega|: h is a weight for each i, or equal "
          "points are taken once.", ("bojkovic2024.private-lp",)),
    Claim("bojkovic2024.Fig.records", BOJKOVIC, "Appendix C-C, sizes",
          "For the histogram n is the lower bound of Corollary III.1.1.",
          CONDITIONS, Method.EXACT, _records_of_the_figures,
          "From p = 7 on it is less than Theorem III.1 asks for, by the denominator that the corollary has in excess.",
          ("bojkovic2024.histogram-uniform",)),
    Claim("bojkovic2024.C.many-records", BOJKOVIC, "Appendix C-B, after (9)",
          "n is much larger than log|Omega| by assumption.",
          CONFIRMED, Method.BALL, _many_records, theorems=("bojkovic2024.histogram",)),
)  # fmt: skip
