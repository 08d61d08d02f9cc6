"""Auxiliary results of bojkovic2024, Appendix A."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from flint import arb, fmpq

from bounds.enclosure import decimal_text, precision
from bounds.registry import find_theorem
from bounds.values import evaluate_value
from verify.claim import Claim, Evidence, Method, Verdict, refuted_if

MOST = 500
"""Where the finite checks stop; what happens beyond is an argument, named in the evidence."""


def _harmonic_sum() -> Evidence:
    harmonic = Fraction(0)
    failing = []
    for n in range(1, MOST + 1):
        harmonic += Fraction(1, n)
        with precision(128):
            if arb(fmpq(harmonic.numerator, harmonic.denominator)) > arb(n).log():
                failing.append(n)
    text = (
        f"H_n > log n for {len(failing)} of n = 1, ..., {MOST}; H_n - log n decreases to Euler's constant 0.577..., "
        "so it never becomes negative"
    )
    return refuted_if(len(failing) == MOST, text)


def _harmonic_sum_by_products() -> Evidence:
    """e^(1/k) > 1 + 1/k, and the product of 1 + 1/k up to n is n + 1; far out, by the digamma function."""
    from mpmath import mp

    product, beyond = Fraction(1), []
    for k in range(1, MOST + 1):
        product *= 1 + Fraction(1, k)
        beyond.append(product > k)
    with mp.workdps(30):
        far = {n: mp.harmonic(n) - mp.log(n) for n in (10**3, 10**6, 10**12)}
    text = (
        f"e^(H_n) exceeds the product of 1 + 1/k, which is {product} > n at n = {MOST}; "
        f"H_n - log n = {', '.join(mp.nstr(v, 8) for v in far.values())} for n = 10^3, 10^6, 10^12"
    )
    return refuted_if(all(beyond) and all(value > 0 for value in far.values()), text)


def expected_maximum(n: int) -> Fraction:
    """E_n / sigma as the proof computes it: the mean of the positive part of the maximum, exactly."""
    return sum((Fraction(1, i) * (1 - Fraction(1, 2**i)) for i in range(1, n + 1)), Fraction(0))


def _expected_maximum() -> Evidence:
    within = []
    value = Fraction(0)
    for n in range(1, MOST + 1):
        value += Fraction(1, n) * (1 - Fraction(1, 2**n))
        with precision(128):
            if arb(fmpq(value.numerator, value.denominator)) <= arb(n).log():
                within.append(n)
    from_five = within == list(range(5, MOST + 1))
    verdict = Verdict.CONFIRMED_WITH_CONDITIONS if from_five else Verdict.UNDECIDABLE
    text = f"E_n <= log n holds for {len(within)} of n = 1, ..., {MOST}, the first being n = {within[0]}"
    return Evidence(verdict, text + "; E_n - log n decreases in n")


def l1_tail_of_uniform(cells: int, draws: int, least: int) -> Fraction:
    """P(sum over cells of |count - draws/cells| >= least) for uniform draws, exactly."""
    # ways[used, deviation]: number of sequences so far, deviations above `least` pooled
    ways: dict[tuple[int, int], int] = {(0, 0): 1}
    for cell in range(1, cells + 1):
        longer: dict[tuple[int, int], int] = {}
        for (used, deviation), number in ways.items():
            for count in range(draws - used + 1) if cell < cells else (draws - used,):
                key = (used + count, min(least, deviation + abs(count - draws // cells)))
                longer[key] = longer.get(key, 0) + number * comb(draws - used, count)
        ways = longer
    return Fraction(ways[draws, least], cells**draws)


def _empirical_distance() -> Evidence:
    """At t = 0.319 the event L1 > t is L1 >= 0.32, since L1 is a multiple of 0.02 here."""
    exact = l1_tail_of_uniform(10, 100, 32)
    allowed = Fraction(319, 1000) ** 2 >= Fraction(10, 100)
    values = {"count": 10, "n": 100, "deviation": "0.319"}
    printed = evaluate_value(find_theorem("bojkovic2024.empirical-tv"), values, "printed")[0].value
    assert printed is not None
    text = (
        f"uniform on 10 points, 100 draws: P(L1 > 0.319) = {decimal_text(exact, 10, up=False)}..., "
        f"the printed bound is {decimal_text(printed.hi, 10, up=True)}"
    )
    return refuted_if(allowed and printed.hi < exact, text)


def l1_tail_by_transform(cells: int, draws: int, least: int) -> float:
    """P(L1 >= 2 least/draws) for uniform draws: Poisson counts given their sum, by their characteristic function.

    L1 is twice the sum of the excesses over draws/cells, divided by draws. In floating point; what a grid of these
    sizes folds back is negligible.
    """
    from math import exp

    import numpy as np

    mean = draws // cells
    joint, weight = np.zeros((2 * draws, 2 * draws)), exp(-mean)
    for count in range(draws + 1):
        joint[count, max(0, count - mean)] = weight
        weight *= mean / (count + 1)
    together = np.fft.irfft2(np.fft.rfft2(joint) ** cells, s=joint.shape)[draws]
    return float(together[least:].sum() / together.sum())


def _larger_empirical_distance() -> Evidence:
    """Another example: at t = 0.319 the event L1 > t is that the excesses add up to at least 64 of 400."""
    from math import exp

    chance = l1_tail_by_transform(40, 400, 64)
    printed = exp(-200 * (0.319 - 0.1) ** 2)
    text = f"uniform on 40 points, 400 draws: P(L1 > 0.319) = {chance:.6f}, the printed bound is {printed:.6f}"
    return refuted_if(chance > 10 * printed, text)


CLAIMS = (
    Claim(
        "bojkovic2024.A1.harmonic",
        "bojkovic2024",
        "Lemma A.1, proof",
        "The sum of 1/i for i = 1, ..., n is at most log n.",
        Verdict.REFUTED,
        Method.BALL,
        _harmonic_sum,
        "H_n is at most 1 + log n; the lemma itself holds for n >= 2 by a union bound.",
        ("bojkovic2024.max-laplace",),
        again=_harmonic_sum_by_products,
    ),
    Claim(
        "bojkovic2024.A1.expectation",
        "bojkovic2024",
        "Lemma A.1, proof",
        "E_n = sigma times the sum of (1 - 2^-i)/i for i = 1, ..., n is at most sigma log n.",
        Verdict.CONFIRMED_WITH_CONDITIONS,
        Method.BALL,
        _expected_maximum,
        "It holds exactly from n = 5 on. E_n is the mean of the positive part of the maximum, which Markov's "
        "inequality may use.",
        ("bojkovic2024.max-laplace",),
    ),
    Claim(
        "bojkovic2024.A5",
        "bojkovic2024",
        "Theorem A.5",
        "The L1 distance of an empirical distribution on k points exceeds t with probability at most "
        "exp(-(n/2)(t - k/n)^2) for t >= sqrt(k/n).",
        Verdict.REFUTED,
        Method.EXACT,
        _empirical_distance,
        "As transcribed it disagrees with its own range and with its use before (11), where the root stands; the root "
        "may be lost in print or transcription. With sqrt(k/n) in place of k/n it holds, as in the source that is "
        "cited: not an error of substance.",
        ("bojkovic2024.empirical-tv",),
        again=_larger_empirical_distance,
    ),
)
