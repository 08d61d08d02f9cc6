"""Accounting of vietri2022: shares of rho, the conversion of Algorithm 2, Theorem 1, what noise its settings mean.

Neighbours replace one of n records and n is public. What the authors' program does is not judged here.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from flint import arb

from bounds.enclosure import Enclosure, as_fmpq, decimal_text
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.composition import compose_zcdp
from bounds.privacy.concentrated import largest_rho, zcdp_epsilon_simple
from bounds.privacy.statements import ZCDP
from bounds.solve import enclose
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if

ROWS = 100_000
"""An example of n: the text prints none."""
RHOS = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2))


def zcdp(rho: Fraction) -> ZCDP:
    return ZCDP(rho=Enclosure.of(rho), adjacency=Adjacency.REPLACE_ONE)


def paper_rho(epsilon: Fraction, rows: int) -> Enclosure:
    """The rho of Algorithm 2, line 2, at delta = 1/n^2: (sqrt(L + epsilon) - sqrt L)^2 with L = log(1/delta)."""
    return enclose(lambda: ((2 * arb(rows).log() + as_fmpq(epsilon)).sqrt() - (2 * arb(rows).log()).sqrt()) ** 2)


def _projection() -> Evidence:
    parts = []
    for m in (1, 10, 1000):
        total = compose_zcdp(*[zcdp(Fraction(1, 10) / m)] * m)
        parts.append(total.rho == Enclosure.of(Fraction(1, 10)))
    ratio = (1 / (2 * Fraction(1, 10) / 1000)) / (1 / (2 * Fraction(1, 10)))
    text = f"m shares rho/m add up to rho for m = 1, 10, 1000; the variance grows {ratio} times at m = 1000"
    return confirmed_if(all(parts) and ratio == 1000, text)


def _conversion_inverse() -> Evidence:
    import sympy as sp

    epsilon, log_term = sp.symbols("epsilon L", positive=True)
    root = sp.sqrt(log_term + epsilon) - sp.sqrt(log_term)
    left = sp.expand(root**2 + 2 * root * sp.sqrt(log_term))
    text = "rho = (sqrt(L + epsilon) - sqrt L)^2 with L = log(1/delta) solves it; the right side grows with rho"
    return confirmed_if(sp.simplify(left - epsilon) == 0, text)


def _conversion() -> Evidence:
    parts, fits = [], True
    for epsilon in (Fraction(3, 20), Fraction(1)):
        rho = paper_rho(epsilon, ROWS)
        best = largest_rho(epsilon=epsilon, dp_delta=Fraction(1, ROWS**2), adjacency="replace-one").rho
        back = zcdp_epsilon_simple(ZCDP(rho=rho, adjacency=Adjacency.REPLACE_ONE), dp_delta=Fraction(1, ROWS**2))
        fits = fits and rho.hi < best.lo and back.epsilon.contains(epsilon)
        gain = decimal_text((best.lo / rho.hi - 1) * 100, 3, up=False)
        parts.append(
            f"epsilon = {float(epsilon)}: rho = {decimal_text(rho.lo, 6, up=False)}..., {gain}% more is possible"
        )
    return confirmed_if(fits, f"n = {ROWS}, delta = 1/n^2; " + "; ".join(parts))


def _accounting() -> Evidence:
    fits = True
    for epochs, k, rho in product((1, 10, 50), (1, 10), RHOS):
        charges = [rho / (2 * epochs)] * epochs + [rho / (2 * epochs * k)] * (epochs * k)
        statements = [zcdp(charge) for charge in charges]
        fits = fits and compose_zcdp(*statements).rho == Enclosure.of(rho)
    text = "T (rho/(2T) + K rho/(2TK)) = rho exactly for T = 1, 10, 50, K = 1, 10 and three rho"
    return confirmed_if(fits, text, with_conditions=True)


def _stored_answers() -> Evidence:
    """Answers drawn once against answers drawn again in every epoch, in units of rho, with T = 50 and K = 10."""
    epochs, k = 50, 10
    each = Fraction(1, 2 * epochs * k)
    once = sum((k * each for _ in range(epochs)), Fraction(0))
    again = sum((t * k * each for t in range(1, epochs + 1)), Fraction(0))
    text = f"T = 50: stored answers cost {once} rho, answers with new noise in every epoch would cost {again} rho"
    return confirmed_if(once == Fraction(1, 2) and again == Fraction(epochs + 1, 4), text, with_conditions=True)


def _delta_range() -> Evidence:
    positive = enclose(lambda: -arb("0.999").log()).lo > 0
    negative = enclose(lambda: -arb(2).log()).hi < 0
    text = "log(1/delta) is positive at delta = 0.999 and -0.693... at delta = 2, where line 2 has no real rho > 0"
    return confirmed_if(positive and negative, text, with_conditions=True)


def _noise_of_answers() -> Evidence:
    """Definition 8 at rho/(2TK) with T = 50, K = 10."""
    fits = all(1 / (2 * (rho / (2 * 50 * 10)) * ROWS**2) == 500 / (rho * ROWS**2) for rho in RHOS)
    rho = paper_rho(Fraction(1), ROWS)
    deviation = enclose(lambda: (arb(500) / as_fmpq(rho.lo)).sqrt() / ROWS)
    text = (
        f"the variance is TK/(rho n^2), exactly; with T = 50, K = 10, epsilon = 1 and n = {ROWS} the standard "
        f"deviation is {decimal_text(deviation.lo, 6, up=False)}... and 500 answers are measured"
    )
    return confirmed_if(fits and deviation.hi < Fraction(1, 100), text)


def _selection_strength() -> Evidence:
    """One query with error 1 among 199,999 with error 0: the chance that it is chosen first."""
    rho = paper_rho(Fraction(1), ROWS)
    printed = enclose(lambda: 10 * (arb(50) / (as_fmpq(rho.lo) * ROWS)).sqrt())  # K/sqrt(2 (rho/2T) n)
    enough = enclose(lambda: (arb(500) / as_fmpq(rho.lo)).sqrt() / ROWS)

    weak = enclose(lambda: 1 / (1 + 199_999 * (-1 / arb(as_fmpq(printed.lo))).exp()))
    missed = enclose(lambda: 199_999 * (-1 / arb(as_fmpq(enough.hi))).exp())  # a union bound
    text = (
        f"T = 50, K = 10, epsilon = 1, n = {ROWS}: the printed scale is {decimal_text(printed.lo, 4, up=False)}..., "
        "more than any difference of scores, and the worst of 200000 queries comes first with probability "
        f"{decimal_text(weak.hi, 3, up=True)}; the sufficient scale is {decimal_text(enough.lo, 4, up=False)}... and "
        "that probability exceeds 1 - 1e-100"
    )
    right = printed.lo > 1 and weak.hi < Fraction(1, 10**5) and missed.hi < Fraction(1, 10**100)
    return confirmed_if(right, text, with_conditions=True)


def _enough_queries() -> Evidence:
    fits = all(
        m - (epochs - 1) * k >= k for k, m in product(range(1, 13), range(1, 61)) for epochs in range(1, m // k + 1)
    )
    least = all(m - (m // k) * k < k for k, m in product(range(1, 13), range(1, 61)))
    text = (
        "K <= 12, m <= 60: at every epoch t <= T <= m/K at least K unanswered queries are left, in epoch m/K + 1 fewer"
    )
    return confirmed_if(fits and least, text)


def _two_classes() -> Evidence:
    """Each class run at the whole rho, and at shares that add up to one."""
    rho = paper_rho(Fraction(1), ROWS)
    both = compose_zcdp(zcdp(rho.lo), zcdp(rho.lo))
    doubled = zcdp_epsilon_simple(both, dp_delta=Fraction(1, ROWS**2)).epsilon
    shared = compose_zcdp(zcdp(rho.lo * Fraction(2, 3)), zcdp(rho.lo * Fraction(1, 3))).rho == Enclosure.of(rho.lo)
    text = (
        f"n = {ROWS}, epsilon = 1: shares 2/3 and 1/3 of rho compose to rho; the whole rho for each of two classes "
        f"would be epsilon = {decimal_text(doubled.lo, 6, up=False)}..."
    )
    return confirmed_if(shared and doubled.lo > Fraction(7, 5), text, with_conditions=True)


C, W = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS
PAPER = "vietri2022"

CLAIMS = (
    Claim(
        "vietri2022.S3.shares",
        PAPER,
        "Section 3, projection mechanism",
        "Answering each of m queries with rho/m is rho-zCDP together; noise grows polynomially with m.",
        C,
        Method.EXACT,
        _projection,
        formula="standard deviation sqrt(m/(2 rho))/n",
    ),
    Claim(
        "vietri2022.A2.line2",
        PAPER,
        "Algorithm 2, line 2",
        "For every epsilon > 0 and delta in (0, 1) there is exactly one rho with "
        "epsilon = rho + 2 sqrt(rho log(1/delta)).",
        C,
        Method.SYMBOLIC,
        _conversion_inverse,
        formula="rho = (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2",
    ),
    Claim(
        "vietri2022.A2.conversion",
        PAPER,
        "Algorithm 2, line 2, with Section 5, delta = 1/n^2",
        "The rho of line 2 gives (epsilon, 1/n^2)-differential privacy at epsilon = 0.15 and 1.",
        C,
        Method.BALL,
        _conversion,
        "A tighter conversion allows a larger rho, that is less noise for the same promise.",
    ),
    Claim(
        "vietri2022.T1.accounting",
        PAPER,
        "Theorem 1 and Algorithm 2, lines 5 and 6",
        "The T selections at rho/(2T) and the TK answers at rho/(2TK) compose to rho.",
        W,
        Method.EXACT,
        _accounting,
        "For replaced records, public n, one query class, and each answer noised once.",
    ),
    Claim(
        "vietri2022.T1.delta",
        PAPER,
        "Theorem 1",
        "Algorithm 2 is (epsilon, delta)-differentially private for any epsilon, delta > 0.",
        W,
        Method.BALL,
        _delta_range,
        "delta < 1 is needed for line 2 to define rho; from delta = 1 on the promise is empty anyway.",
    ),
    Claim(
        "vietri2022.A2.line6",
        PAPER,
        "Algorithm 2, line 6, with Section 5.1, T_LT = 50 and K = 10",
        "Each selected query is answered once by the Gaussian mechanism with rho/(2TK).",
        C,
        Method.BALL,
        _noise_of_answers,
        formula="variance TK/(rho n^2)",
    ),
    Claim(
        "vietri2022.A2.line5",
        PAPER,
        "Algorithm 2, line 5, with Definition 9 and Section 5.1",
        "With rho/(2T) the selection finds queries on which the synthetic data are a poor approximation.",
        W,
        Method.BALL,
        _selection_strength,
        "It does at the scale sqrt(TK/rho)/n, which the privacy needs. At the scale as printed the choice would be "
        "almost uniform for n like these, so the print or the scan, not the method, is at fault.",
    ),
    Claim(
        "vietri2022.A2.line1",
        PAPER,
        "Algorithm 2, lines 1 and 5",
        "T <= m/K leaves K unanswered queries to choose from in every epoch.",
        C,
        Method.EXACT,
        _enough_queries,
        formula="m - (t-1)K >= K for t <= T",
    ),
    Claim(
        "vietri2022.S5.two-classes",
        PAPER,
        "Section 5.1, RAP++ with T_CM and T_LT, and Theorem 1",
        "The run with two query classes is covered by Theorem 1.",
        W,
        Method.EXACT,
        _two_classes,
        "If the shares of rho of the two classes add up to 1. The text states no split and Algorithm 2 has one class.",
    ),
    Claim(
        "vietri2022.A2.line7",
        PAPER,
        "Algorithm 2, lines 6 and 7",
        "The projection of epoch t uses the noisy answers of all epochs up to t at no further cost.",
        W,
        Method.EXACT,
        _stored_answers,
        "If the answers are stored, as line 7 writes them. New noise for all of them in every epoch would cost "
        "rho (T + 1)/4 instead of rho/2.",
        formula="sum over t of t K rho/(2TK) = rho (T + 1)/4",
    ),
)
