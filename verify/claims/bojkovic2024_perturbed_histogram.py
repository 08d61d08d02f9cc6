"""Algorithm 2 of bojkovic2024: the perturbed histogram, its privacy and its output, and the sum of the two budgets."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from flint import arb, fmpq

from bounds.enclosure import Enclosure, precision
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if, refuted_if
from verify.claims.bojkovic2024_lemmas import BOJKOVIC, ids


def _noise_density() -> Evidence:
    import sympy as sp

    w, e = sp.symbols("omega epsilon", positive=True)
    mass = sp.simplify(2 * sp.integrate(e / 4 * sp.exp(-w * e / 2), (w, 0, sp.oo)))
    mean = sp.simplify(2 * sp.integrate(w * e / 4 * sp.exp(-w * e / 2), (w, 0, sp.oo)))
    return confirmed_if(bool(mass == 1 and sp.simplify(mean - 2 / e) == 0), f"mass {mass}, mean absolute value {mean}")


def _histogram_privacy() -> Evidence:
    """All pairs of tables with one record replaced, over three cells and four records; then the ratio of densities."""
    largest = 0
    for table in product(range(3), repeat=4):
        for value in range(3):
            other = (value, *table[1:])
            largest = max(largest, sum(abs(table.count(j) - other.count(j)) for j in range(3)))
    grid = [Fraction(i, 4) for i in range(-20, 21)]
    least = max(abs(w - a) - abs(w - b) - abs(a - b) for w in grid for a in range(3) for b in range(3))
    text = (
        "replacing a record lowers one count by 1 and raises another by 1 at most, so the counts move by at most "
        f"{largest} in L1; the log-ratio of Laplace densities of scale 2/epsilon is at most epsilon/2 times that, as "
        "|w - a| - |w - b| <= |a - b|; clipping and dividing use only the noisy counts"
    )
    return confirmed_if(largest == 2 and least == 0, text)


def _bins() -> Evidence:
    counts = {(t, p): len(set(product(range(t), repeat=p))) for t in (2, 3, 4) for p in (1, 2, 3, 4)}
    text = "listed for t = 2, 3, 4 and p = 1, ..., 4; in general p choices among t values are made independently"
    return confirmed_if(all(n == t**p for (t, p), n in counts.items()), text)


def _cube_side() -> Evidence:
    """m cubes of side h fill the unit cube if m h^p = 1."""
    printed = [p for p in range(1, 7) if all(m * Fraction(1, m**p) ** p == 1 for m in (2, 4, 9))]
    with precision(128):
        root = all(abs(m * (1 / arb(m).root(p)) ** p - 1) < fmpq(1, 10**20) for m in (2, 4, 9) for p in range(1, 7))
    text = f"m cubes of side 1/m^p have volume 1 only for p in {printed} among 1, ..., 6; of side m^(-1/p), always"
    return refuted_if(printed == [1] and root, text)


def _cube_side_by_axis() -> Evidence:
    """Cubes of side 1/q fill the unit cube by q on each axis."""
    p, on_an_axis = 2, 4**2
    cubes = on_an_axis**p
    return refuted_if(cubes != 4, f"p = 2, m = 4: with the side 1/16 there are 16 cubes on an axis and {cubes} in all")


def all_emptied(counts: tuple[int, ...], epsilon: Fraction) -> Enclosure:
    """P(every noisy count is negative): each is with probability exp(-epsilon count/2)/2, independently."""
    with precision(128):
        chance = arb(1)
        for count in counts:
            chance *= (arb(fmpq(-count * epsilon.numerator, 2 * epsilon.denominator))).exp() / 2
        return Enclosure.of(chance)


def _normalisation() -> Evidence:
    few, other = all_emptied((5, 5, 0, 0), Fraction(1, 5)), all_emptied((10, 0, 0, 0), Fraction(1, 5))
    text = (
        f"all noisy counts are negative with probability 2^-N exp(-epsilon n/2) for any data: {few.decimal(8)[0]} for "
        "N = 4, n = 10, epsilon = 0.2; then the quotient is 0/0"
    )
    return refuted_if(few.lo > 0 and few.lo <= other.hi and other.lo <= few.hi, text)


def _normalisation_by_one_cell() -> Evidence:
    """Two cells and one record, by integrating the density of the noise."""
    import sympy as sp

    w, e = sp.symbols("omega epsilon", positive=True)
    tails = [sp.integrate(e / 4 * sp.exp(-w * e / 2), (w, count, sp.oo)) for count in (0, 1)]
    chance = sp.simplify(tails[0] * tails[1])
    text = f"two cells and one record: both noisy counts are negative with probability {chance}"
    return refuted_if(bool(sp.simplify(chance - sp.exp(-e / 2) / 4) == 0), text)


def _composition() -> Evidence:
    """Two mechanisms of ratio 3/2, the second chosen by the answer of the first: every pair of answers."""
    ratio = Fraction(3, 2)
    low, high = 1 / (1 + ratio), ratio / (1 + ratio)
    first = {0: (low, high), 1: (high, low)}
    second = {0: ((low, high), (Fraction(1, 2), Fraction(1, 2))), 1: ((high, low), (Fraction(1, 2), Fraction(1, 2)))}
    joint = {x: {(a, b): first[x][a] * second[x][a][b] for a in (0, 1) for b in (0, 1)} for x in (0, 1)}
    worst = max(max(joint[0][o] / joint[1][o], joint[1][o] / joint[0][o]) for o in joint[0])
    text = (
        "the probability of both answers is that of the first times that of the second given the first, each within a "
        f"factor e^epsilon of its neighbour's; with e^epsilon = {ratio} an adaptive pair attains {worst}"
    )
    return confirmed_if(worst == ratio**2, text)


HISTOGRAM = ("bojkovic2024.histogram",)
CONFIRMED, REFUTED = Verdict.CONFIRMED, Verdict.REFUTED

CLAIMS = (
    Claim("bojkovic2024.C.alg2.density", BOJKOVIC, "Algorithm 2, step 3",
          "The noise has the density (epsilon/4) exp(-|omega| epsilon/2), a Laplace density of scale 2/epsilon.",
          CONFIRMED, Method.SYMBOLIC, _noise_density, theorems=HISTOGRAM, scope=Scope.ALL_CASES,
          quote=r"i.i.d. draws from a Laplace density "
                r"$g(\omega) = \frac{\epsilon}{4} e^{-|\omega| \frac{\epsilon}{2}}$"),
    Claim("bojkovic2024.C.alg2.privacy", BOJKOVIC, "Algorithm 2 and Section III",
          "The perturbed histogram is epsilon-private if one record is replaced.",
          CONFIRMED, Method.EXACT, _histogram_privacy, theorems=HISTOGRAM, scope=Scope.REASONED,
          depends_on=ids("C.alg2.density"),
          quote="Suppose μ is obtained using the perturbed histogram method with privacy parameter ϵ"),
    Claim("bojkovic2024.C.alg2.bins", BOJKOVIC, "Appendix C-A",
          "The number of bins is |Omega| = t^p.", CONFIRMED, Method.EXACT, _bins, theorems=HISTOGRAM,
          scope=Scope.REASONED, quote=r"we take the number of bins $m = |\Omega| = t^p$"),
    Claim("bojkovic2024.C.alg2.side", BOJKOVIC, "Algorithm 2, step 1",
          "The m bins are cubes with sides of length 1/m^p.", REFUTED, Method.EXACT, _cube_side,
          "The side is 1/m^p only for p = 1. In general it is m^(-1/p); print or our text may have damaged the "
          "exponent. On a finite domain, the only case the theorem needs, no side length is used.",
          again=_cube_side_by_axis, severity=Severity.SLIP,
          quote=r"such that each bin is a cube with sides of length $h = \frac{1}{m^p}$"),
    Claim("bojkovic2024.C.alg2.normalisation", BOJKOVIC, "Algorithm 2, output",
          "The clipped noisy counts divided by their sum are a probability distribution.",
          REFUTED, Method.BALL, _normalisation,
          "They are whenever some noisy count is positive, which is nearly always the case under the conditions of "
          "Theorem III.1; otherwise a replacement that does not depend on the data is needed.",
          HISTOGRAM, again=_normalisation_by_one_cell, severity=Severity.SLIP,
          quote=r"The histogram estimate [...] where $\mu_j = D_j / \sum_s D_s$"),
    Claim("bojkovic2024.III1.composition", BOJKOVIC, "Theorem III.1, remark after it",
          "Estimating the reference measure and running Algorithm 1, each with epsilon, is 2 epsilon-private.",
          CONFIRMED, Method.EXACT, _composition, theorems=HISTOGRAM, scope=Scope.REASONED,
          depends_on=ids("C.alg2.privacy", "II1.privacy"),
          quote="the privacy parameter becomes 2ϵ due to basic composition"),
)  # fmt: skip
