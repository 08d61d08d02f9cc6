"""Smaller statements of bojkovic2024: remarks made in passing, in proofs, algorithms and the conclusion."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from bounds.enclosure import Enclosure, precision
from bounds.sizes.require import require
from bounds.symbolic_form import plain_text
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, Withdrawn, confirmed_if
from verify.claims.bojkovic2024_lemma_steps import small_tables, total_variation
from verify.claims.bojkovic2024_lemmas import BOJKOVIC, ids
from verify.claims.bojkovic2024_settings import DIMENSIONS, SETTING, queries


def _ratios() -> Evidence:
    tables = small_tables(3, 8)
    holds = all(
        min(a / b for a, b in zip(first, second, strict=True)) >= 1 / (1 + total_variation(first, second) / min(first))
        for first in tables
        for second in tables
    )
    text = (
        "Lemma A.2 with (p, q) = (nu1, nu) and (mu, nu1): the minimum in the bound is that of the numerator; on "
        f"{len(tables) ** 2} pairs in rationals"
    )
    return confirmed_if(holds, text)


def _direct_sampling() -> Evidence:
    """Of one query of values 1 and -1 on half of the N cells each, while no noisy count is clipped.

    The histogram's sum contains N noises of scale 2/epsilon; the linear programme sees one of scale 2|F|/(n epsilon).
    """
    import sympy as sp

    n, N, F, e, x, b = sp.symbols("n N F epsilon x b", positive=True)
    variance = sp.integrate(x**2 * sp.exp(-x / b) / b, (x, 0, sp.oo))  # of Laplace noise of scale b
    direct = N * variance.subs(b, 2 / e) / n**2
    fitted = variance.subs(b, 2 * F / (n * e))
    ratio = sp.simplify(direct / fitted)
    better, worse = ratio.subs({N: 1024, F: 4}), ratio.subs({N: 4, F: 4})
    text = (
        "one query of values 1 and -1 on half of the cells each, no count clipped: the variance of its noise is "
        f"{plain_text(direct)} in the histogram and {plain_text(fitted)} in the answer to which the "
        f"programme is fitted, so the quotient is {plain_text(ratio)}: {better} for 1024 cells and 4 queries, "
        f"{worse} for 4 cells and 4 queries"
    )
    return confirmed_if(sp.simplify(ratio - N / F**2) == 0 and better > 1 > worse, text, with_conditions=True)


def _records_with_kernel() -> Evidence:
    """Second condition of Corollary IV.1.1 over 2|F| log|F| with two-way marginals, epsilon = 0.2, gamma = 0.05."""
    found = {}
    for p in (2, 20, 60, 120):
        with precision(96):
            second = arb(3) ** (p + 1) * 10 * arb(20).log() / (2 * arb.pi()).sqrt() ** p
            found[p] = Enclosure.of(second / (2 * queries(p) * arb(queries(p)).log())).lo
    text = "second condition, divided by 2|F| log|F|: " + ", ".join(
        f"{float(v):.3g} (p = {p})" for p, v in found.items()
    )
    return confirmed_if(found[20] < found[60] < found[120] and found[120] > 1000, text, with_conditions=True)


def _larger_cube() -> Evidence:
    """u = x/B has the density B^p nu(B u): mass, smallest value and Lipschitz constant by the change of variables."""
    import sympy as sp

    u, B, p, a, slope = sp.symbols("u B p a s", positive=True)
    nu = a + slope * u  # along any line
    scaled = B**p * nu.subs(u, B * u)
    lipschitz = sp.simplify(sp.diff(scaled, u) - B ** (p + 1) * slope) == 0
    least = sp.simplify(scaled.subs(u, 0) - B**p * a) == 0
    mass = sp.simplify(sp.integrate(scaled.subs(p, 1), (u, 0, 1)) - sp.integrate(nu, (u, 0, B))) == 0
    text = (
        "x/B lies in the unit cube and has the density B^p nu(B u): the Jacobian B^p keeps the mass, tau becomes "
        "B^p tau and a slope s along any line B^(p+1) s, so L becomes B^(p+1) L"
    )
    return confirmed_if(bool(mass and lipschitz and least), text)


def _repeated_points() -> Evidence:
    answer = require(theorem="bojkovic2024.uniform", p=3, **SETTING)
    assert answer.m is not None
    points, weights = ("a", "a"), {"a": Fraction(1)}
    doubled = sum((weights[z] for z in points), Fraction(0))
    text = (
        f"p = 3: {answer.m} points are drawn from 8, so some are equal; a density h on the set with z_1 = z_2 would "
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
        f"n = {printed[2]} (p = 2), {printed[6]} (p = 6), {printed[10]} (p = 10); fewer than Theorem III.1 requires, "
        f"{asked[10]} at p = 10, for p in {short}"
    )
    return Evidence(Verdict.NOT_CHECKABLE if short == [7, 8, 9, 10] else Verdict.UNDECIDABLE, text)


def _many_records() -> Evidence:
    """tau1 <= 1/N, so the second condition alone requires more than 8 N^3."""
    with precision(64):
        far = all(arb(8 * N**3) > 100 * arb(N).log() / 5 for N in range(2, 500))
    text = "n >= 8 |Omega|^3 exceeds 20 log|Omega| for |Omega| = 2, ..., 499, and x^3/log x grows from x = e^(1/3) on"
    return confirmed_if(far, text)


CONFIRMED, CONDITIONS = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS

CLAIMS = (
    Claim("bojkovic2024.C10.ratios", BOJKOVIC, "Appendix C-B, after (10)",
          "beta1 >= 1/(1 + delta1/min nu1) and beta2 >= 1/(1 + delta2/min mu).", CONFIRMED, Method.EXACT, _ratios,
          theorems=("bojkovic2024.ratio-tv",), scope=Scope.REASONED, depends_on=ids("A2.ratio"),
          quote=r"From Lemma A.2, we have [...] \beta_1 &\geq \frac{1}{1 + \delta_1 / \min_{x \in \Omega} \nu_1(x)}"),
    Claim("bojkovic2024.R3.direct", BOJKOVIC, "Remark 3",
          "It may be more accurate to solve the optimisation problem than to sample from mu directly.",
          CONDITIONS, Method.SYMBOLIC, _direct_sampling,
          "In the example it is, if there are few queries for the number of cells, |F|^2 < |Omega|. Under the "
          "conditions of Theorem III.1, where the noise on an answer is of the size of delta and delta2 <= tau1/8, the "
          "bounds favour the programme only for delta < 1/(8|Omega|): there the histogram alone answers every function "
          "into [-1, 1] to within 1/(4|Omega|).",
          ("bojkovic2024.histogram",), scope=Scope.REASONED,
          quote="it may be advantageous to further solve an optimization problem, as stipulated in Algorithm 1"),
    Claim("bojkovic2024.T1.records-kernel", BOJKOVIC, "Table I, kernel estimate",
          "|X| is O(|F| log|F|).", CONDITIONS, Method.BALL, _records_with_kernel,
          "True for fixed p and nu. The second condition of Theorem IV.1 as printed grows like (3/(tau sqrt(2 pi)))^p.",
          ("bojkovic2024.kde", "bojkovic2024.kde-uniform"), severity=Severity.READING, scope=Scope.REASONED,
          quote="Sampling using kernel density estimation (Theorem IV.1) | $[0, 1]^p$ | "
                r"$O(\mathcal{F} \log \mathcal{F})$"),
    Claim("bojkovic2024.VI.scale", BOJKOVIC, "Section VI",
          "Data in [0, B]^p can be treated in the same way.", CONFIRMED, Method.SYMBOLIC, _larger_cube,
          "True after scaling, with B^p tau for tau and B^(p+1) L for L.", ("bojkovic2024.kde",), scope=Scope.REASONED,
          quote="a continuous distribution with support $[0, B]^p$ could be studied in a straightforward manner"),
    Claim("bojkovic2024.Alg1.points", BOJKOVIC, "Algorithm 1, step 3",
          "h is a density on the set of the points z_1, ..., z_m, summed over i = 1, ..., m.",
          CONDITIONS, Method.EXACT, _repeated_points,
          "Points repeat, and always do for uniform sampling, where m exceeds |Omega|. Either h is a weight for each "
          "i, or equal points are taken once.", ("bojkovic2024.private-lp",), severity=Severity.READING,
          quote=r"\right| : h \text{ is a density on } \Omega^* \right\}"),
    Claim("bojkovic2024.Fig.records", BOJKOVIC, "Appendix C-C, sizes",
          "For the histogram n is the lower bound of Corollary III.1.1.",
          Verdict.NOT_CHECKABLE, Method.EXACT, _records_of_the_figures,
          "The text does not show what was run. From p = 7 on, this bound is less than Theorem III.1 requires, because "
          "of the corollary's extra denominator.", ("bojkovic2024.histogram-uniform",),
          depends_on=ids("III11.second"),
          quote=r"The sizes of $n$, $k$, and $m$ are equal to their respective lower bounds [...] "
                "Corollary III.1.1 (for perturbed histogram)"),
    Claim("bojkovic2024.C.many-records", BOJKOVIC, "Appendix C-B, after (9)",
          "n is much larger than log|Omega| by assumption.",
          CONFIRMED, Method.BALL, _many_records, theorems=("bojkovic2024.histogram",), scope=Scope.REASONED,
          quote=r"Taking a union bound and noting that $n \gg \log |\Omega|$ by assumption"),
)  # fmt: skip

WITHDRAWN = (
    Withdrawn("bojkovic2024.C.tau-uniform",
              "For uniform nu, the smallest and the largest probability are 1/|Omega| by definition; what the "
              "corollary gets by substituting this is checked.", "bojkovic2024.III11.third"),
)  # fmt: skip
