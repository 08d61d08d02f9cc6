"""The histogram theorem of bojkovic2024, Section III and Appendix C."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial
from typing import Any

from bounds.enclosure import Enclosure, decimal_text
from bounds.renyi import infinite_kappa_probability
from bounds.sizes.require import require
from bounds.sizes.requirement import Requirement
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, refuted_if
from verify.claims.bojkovic2024_lemmas import BOJKOVIC, ids

PAPER_SETTING: dict[str, Any] = {"degree": 2, "epsilon": ".2", "delta": ".5", "gamma": ".25"}


def infinite_at(epsilon: str) -> tuple[int, Enclosure, Enclosure, Fraction]:
    """An n that meets every condition, the claimed K, P(kappa infinite), and 3 gamma, for 32 equally likely points."""
    answer = require(
        theorem="bojkovic2024.histogram", edition="printed", p=5, queries=1,
        epsilon=epsilon, delta=".1", gamma=".1", tau1="1/32", tau2="1/32",
    )  # fmt: skip
    infinite = infinite_kappa_probability([Fraction(1, 32)] * 32, answer.n, Fraction(epsilon))
    assert answer.renyi_bound is not None
    assert infinite.exact
    return answer.n, answer.renyi_bound, infinite.lower, answer.guarantee.failure_probability.hi


def _condition_number() -> Evidence:
    """As epsilon falls, n grows without bound and the probability does not fall: no c in exp(-cn) helps."""
    found = [infinite_at(epsilon) for epsilon in ("1e-4", "1e-5", "1e-6")]
    shown = "; ".join(
        f"n = {n}: K = {decimal_text(k.hi, 8, up=True)}, infinite with probability {decimal_text(p.lo, 8, up=False)}"
        for n, k, p, _ in found
    )
    text = (
        "uniform on 32 points, one query, delta = gamma = 0.1, counts with Laplace noise of scale 2/epsilon, every "
        f"condition met, epsilon = 1e-4, 1e-5, 1e-6: {shown}; the paper claims at most 3 gamma + exp(-cn) = 0.3 + "
        "exp(-cn)"
    )
    return refuted_if(all(p.lo > Fraction(999, 1000) for _, _, p, _ in found), text)


def _condition_number_by_pairs() -> Evidence:
    """Chebyshev's inequality for the number of emptied cells, from exact moments of one and of two cells."""
    from mpmath import mp, mpf

    cells, delta, gamma = 32, Fraction(1, 10), Fraction(1, 10)
    with mp.workdps(60):
        emptied = []
        for exponent in (4, 5, 6):
            epsilon = mpf(10) ** -exponent
            log_of = {"F/gamma": mp.log(1 / mpf(".1")), "F/delta": mp.log(1 / mpf(".1")), "N": mp.log(cells)}
            terms = (
                2 / (epsilon * mpf(".1")) * log_of["F/gamma"],
                8 * cells**2 * (cells + 2 * log_of["F/gamma"]),
                8 * cells * 2 * log_of["N"] * cells / log_of["F/delta"],  # delta/gamma = 1, tau2 |Omega| = 1
                log_of["F/gamma"] / mpf(".01"),
            )
            n = int(mp.ceil(max(terms)))
            loss = -mp.expm1(-epsilon / 2)
            one = (1 - loss / cells) ** n / 2  # P(cell emptied): noise below minus its count
            two = (1 - 2 * loss / cells) ** n / 4
            mean = cells * one
            variance = mean + cells * (cells - 1) * two - mean**2
            emptied.append((n, 1 - variance / mean**2))
    shown = "; ".join(f"n = {n}: at least {mp.nstr(chance, 6)}" for n, chance in emptied)
    claimed = 3 * gamma
    text = (
        f"with delta = gamma = {delta}, P(some cell is emptied) by Chebyshev: {shown}; the paper claims at most "
        f"{claimed} + exp(-cn)"
    )
    return refuted_if(all(chance > mpf(".9") for _, chance in emptied), text)


def multinomial_mode(cells: int, draws: int) -> Fraction:
    """P(all counts equal) for uniform draws, exactly."""
    return Fraction(factorial(draws) // factorial(draws // cells) ** cells, cells**draws)


def _largest_frequency() -> Evidence:
    """If n is not a multiple of N some count is at least ceil(n/N) > n/N, for every sample."""
    pairs = [(cells, draws) for cells in range(2, 40) for draws in range(1, 400) if draws % cells]
    always = all(-(-draws // cells) * cells > draws for cells, draws in pairs)
    mode = multinomial_mode(4, 400)
    text = (
        "uniform nu: if n is not a multiple of N, the counts are whole numbers of mean n/N and cannot all be at most "
        "n/N, so some frequency exceeds tau2 = 1/N in every sample and the probability is 0 for arbitrarily large n; "
        f"at a multiple, N = 4 and n = 400, it is {decimal_text(mode, 6, up=False)}"
    )
    return refuted_if(always, text)


def _largest_frequency_of_two() -> Evidence:
    """Not only for uniform nu: the exact P(Bin(n, 3/5) <= 3n/5), which tends to 1/2."""
    likely = [
        Fraction(sum(comb(n, c) * 3**c * 2 ** (n - c) for c in range(3 * n // 5 + 1)), 5**n) for n in (10, 100, 1000)
    ]
    text = (
        "nu = (2/5, 3/5): the larger frequency is at most tau2 = 3/5 with probability "
        f"{', '.join(decimal_text(value, 6, up=False) for value in likely)} for n = 10, 100, 1000, decreasing to 1/2"
    )
    return refuted_if(likely[0] > likely[1] > likely[2] and likely[2] < Fraction(6, 10), text)


def _second_condition() -> Evidence:
    too_small = []
    for p in range(2, 11):
        share = f"1/{2**p}"
        corollary = require(theorem="bojkovic2024.histogram-uniform", edition="printed", p=p, **PAPER_SETTING)
        theorem = require(
            theorem="bojkovic2024.histogram", edition="printed", p=p, tau1=share, tau2=share, **PAPER_SETTING
        )
        printed, substituted = (_empirical_condition(answer) for answer in (corollary, theorem))
        if printed.hi < substituted.lo:
            too_small.append(p)
    verdict = Verdict.INCONSISTENT if too_small else Verdict.UNDECIDABLE
    text = f"in the paper's own setting the printed condition is weaker than the substituted one for p in {too_small}"
    return Evidence(verdict, text + " and stronger for the other p from 2 to 10")


def _second_condition_by_ratio() -> Evidence:
    """The two differ by the factor 1/(gamma log(|F|/delta)), below 1 exactly if |F| > delta e^(1/gamma)."""
    # e^4 between its series to 40 terms and that plus twice the next term
    series = sum((Fraction(4**i, factorial(i)) for i in range(40)), Fraction(0))
    limit_lo, limit_hi = series / 2, (series + 2 * Fraction(4**40, factorial(40))) / 2
    queries = {p: 1 + p + p * (p - 1) // 2 for p in range(2, 11)}
    below = [p for p, f in queries.items() if f > limit_hi]
    above = [p for p, f in queries.items() if f < limit_lo]
    text = (
        f"delta = 1/2, gamma = 1/4, d = 2: |F| exceeds delta e^(1/gamma) = {decimal_text(limit_lo, 8, up=False)}... "
        f"for p in {below}, where the printed condition is too small, and not for p in {above}"
    )
    verdict = Verdict.INCONSISTENT if below and above and len(below) + len(above) == 9 else Verdict.UNDECIDABLE
    return Evidence(verdict, text)


def _empirical_condition(answer: Requirement) -> Enclosure:
    return next(t.threshold for t in answer.terms if t.name == "empirical distribution near nu")


HISTOGRAM = ("bojkovic2024.histogram",)

CLAIMS = (
    Claim(
        "bojkovic2024.III1.kappa", BOJKOVIC, "Theorem III.1, proof, 5)",
        "Under the conditions on n, the Rényi condition number is at most K except with probability "
        "3 gamma + exp(-cn).",
        Verdict.REFUTED, Method.DISTRIBUTION, _condition_number,
        "K is computed with C1 = 57/16 and C2 = 57/8, from the proof; the event kappa = infinity refutes it for every "
        "C1, C2. With n >= max(32, 16/epsilon) log(N/gamma)/tau1, kappa <= 9/5 except with probability 2 gamma. This "
        "does not refute the accuracy that the theorem promises. Such examples need a small epsilon: 4 points, epsilon "
        "= 0.001, delta = 0.5 and gamma = 0.01 give 0.079 against 0.03; at epsilon = 0.01 and above we know of none.",
        HISTOGRAM, again=_condition_number_by_pairs, severity=Severity.PROOF_FALLS,
        root="bojkovic2024.C.noise-scale",
        depends_on=ids("C.constants", "C5.distance", "C11.radius", "III1.frequencies"),
        quote=r"Upper bound on $K = e^{D_2(\nu\|\mu)}$ [...] "
              r"with probability at least $1 - 3\gamma - \exp(-cn)$, by a union bound",
              lemma="bojkovic2024_histogram.condition_number_is_infinite",
    ),
    Claim(
        "bojkovic2024.III1.frequencies", BOJKOVIC, "Theorem III.1, proof after (9)",
        "Every empirical frequency is at most tau2 with probability at least 1 - exp(-cn).",
        Verdict.REFUTED, Method.EXACT, _largest_frequency,
        "Frequencies are at most (5/4) tau2 on an event that the proof already uses.",
        HISTOGRAM, again=_largest_frequency_of_two, severity=Severity.CONDITION, scope=Scope.REASONED,
        depends_on=ids("C.many-records"),
        quote=r"we see that $\sup_j \nu_1(j) \leq \tau_2$ with probability at least $1 - \exp(-cn)$",
        lemma="bojkovic2024_histogram.some_frequency_exceeds_tau2",
    ),
    Claim(
        "bojkovic2024.III11.second", BOJKOVIC, "Corollary III.1.1, against Theorem III.1",
        "For uniform nu the second condition on n is (8 N^3 + 16 N^2 log(1/gamma))/(gamma log(|F|/delta)).",
        Verdict.INCONSISTENT, Method.BALL, _second_condition,
        "Substituting tau1 = tau2 = 1/N into Theorem III.1 gives 8 N^3 + 16 N^2 log(1/gamma).",
        ("bojkovic2024.histogram-uniform",), again=_second_condition_by_ratio, severity=Severity.CONDITION,
        quote=r"\frac{8|\Omega|^3 + 16|\Omega|^2 \log \frac{1}{\gamma}}{\gamma \log(|\mathcal{F}|/\delta)}",
        lemma="bojkovic2024_histogram.corollary_has_another_condition",
    ),
)  # fmt: skip
