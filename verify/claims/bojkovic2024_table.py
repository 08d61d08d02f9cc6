"""Table I and Remark 1 of bojkovic2024: the sizes of its theorems in numbers."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from flint import arb, fmpq

from bounds.enclosure import Enclosure, precision
from bounds.sizes.require import require
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, Withdrawn, confirmed_if, inconsistent_if
from verify.claims.bojkovic2024_lemmas import BOJKOVIC, ids
from verify.claims.bojkovic2024_settings import DIMENSIONS, SETTING, queries, uniform_sizes


def _records() -> Evidence:
    with precision(64):
        ratio = [Enclosure.of(10 * (arb(20 * F).log() / arb(F).log())).hi for F in (2, 10, 1000, 10**9)]
    ordered = all(a > b for a, b in pairwise(ratio))
    ends = f"from {float(ratio[0]):.2f} to {float(ratio[-1]):.2f}"
    text = (
        "log(|F|/gamma) <= (1 + log(1/gamma)/log 2) log|F| for |F| >= 2; epsilon = 0.2, delta = 1/2, gamma = 1/20: "
        f"n/(2|F| log|F|) falls {ends} for |F| = 2, ..., 10^9"
    )
    return confirmed_if(ordered and ratio[-1] > 10, text, with_conditions=True)


def _records_with_density() -> Evidence:
    found = {}
    for p in (2, 6, 10):
        answer = require(theorem="bojkovic2024.histogram", p=p, tau1=f"1/{2**p}", tau2=f"1/{2**p}", **SETTING)
        with precision(64):
            found[p] = Enclosure.of(arb(answer.n) / (queries(p) * arb(queries(p)).log())).lo
    text = (
        "for a fixed domain and nu, only the conditions of Theorem II.1 grow with |F|; n/(|F| log|F|) for uniform nu "
        "is " + ", ".join(f"{float(v):.0f} (p = {p})" for p, v in found.items())
    )
    return confirmed_if(found[2] < found[6] < found[10] and found[10] > 10**7, text, with_conditions=True)


def _rows() -> Evidence:
    with precision(64):
        ratio = [Enclosure.of(4 * arb(20 * F).log() / arb(F).log()) for F in (2, 10, 1000, 10**9)]
    text = (
        "k/log|F| is 1/delta^2 + log(1/gamma)/(delta^2 log|F|): for delta = 1/2, gamma = 1/20 it falls from "
        f"{ratio[0].decimal(4)[1]} towards 1/delta^2 = 4"
    )
    return confirmed_if(all(a.lo > b.hi > 4 for a, b in pairwise(ratio)), text, with_conditions=True)


def _columns() -> Evidence:
    """K >= 1: m is at least 2|F|/(delta^2 gamma) for the histogram, and |Omega| |F|/(delta^2 gamma) for uniform mu."""
    per_point = {p: Fraction(uniform_sizes(p)[1], 2**p) for p in DIMENSIONS}
    found = {p: require(theorem="bojkovic2024.histogram-uniform", p=p, **SETTING).m or 0 for p in DIMENSIONS}
    grow = all(found[p] < found[p + 1] and per_point[p] < per_point[p + 1] for p in range(2, 10))
    never_less = all(m >= 32 * queries(p) for p, m in found.items())
    text = (
        f"figures' setting: m is {found[2]} (p = 2) to {found[10]} (p = 10) for the histogram, never below 32|F|, and "
        f"{per_point[2]} to {per_point[10]} times |Omega| for uniform sampling; |F| is not fixed in these rows, which "
        "contain |X| = O(|F| log|F|) and |Y| = O(log|F|)"
    )
    return inconsistent_if(grow and never_less, text)


def _columns_by_hand() -> Evidence:
    """On a fixed domain, with a growing number of functions into [-1, 1]; K >= 1 by Cauchy-Schwarz."""
    d, g = Fraction(1, 2), Fraction(1, 5)
    numbers = (1, 10**3, 10**6)
    sampled = [2 * Fraction(F) / (d * d * g) for F in numbers]
    uniform = [Fraction(F) / (d * d * g) for F in numbers]
    text = (
        f"delta = 1/2, gamma = 1/5: m is at least {', '.join(map(str, sampled))} for |F| = 1, 10^3, 10^6, and for "
        f"uniform sampling {', '.join(map(str, uniform))} times |Omega|"
    )
    return inconsistent_if(sampled[2] == 10**6 * sampled[0] and uniform[2] == 10**6 * uniform[0], text)


def first_saving(delta: Fraction, gamma: Fraction) -> int:
    """Smallest |F| from which k = ceil(log(|F|/gamma)/delta^2) is below |F|."""
    F = 2
    while True:
        with precision(64):
            level = (arb(F) / fmpq(*gamma.as_integer_ratio())).log() / fmpq(*(delta * delta).as_integer_ratio())
            if -((-Enclosure.of(level).hi).__floor__()) < F:
                return F
        F += 1


def _storage() -> Evidence:
    settings = [(Fraction(1, 2), Fraction(1, 4)), (Fraction(1, 8), Fraction(1, 20)), (Fraction(1, 10), Fraction(1, 20))]
    found = [first_saving(d, g) for d, g in settings]
    text = (
        "fewer rows than answers only from |F| = "
        + ", ".join(f"{F} (delta = {d}, gamma = {g})" for F, (d, g) in zip(found, settings, strict=True))
        + "; a row has p entries"
    )
    return confirmed_if(found == [19, 603, 991], text, with_conditions=True)


CONDITIONS = Verdict.CONFIRMED_WITH_CONDITIONS

CLAIMS = (
    Claim("bojkovic2024.T1.records", BOJKOVIC, "Table I, uniform sampling",
          "|X| is O(|F| log|F|).", CONDITIONS, Method.BALL, _records,
          "True for fixed epsilon, delta and gamma; the factor is 2/(epsilon delta).", ("bojkovic2024.uniform",),
          scope=Scope.REASONED,
          quote=r"Uniform sampling (Theorem B.1) | $\{0, 1, \dots, t-1\}^p$ | "
                r"$O(\mathcal{F} \log \mathcal{F})$"),
    Claim("bojkovic2024.T1.records-density", BOJKOVIC, "Table I, private histogram",
          "|X| is O(|F| log|F|).", CONDITIONS, Method.BALL, _records_with_density,
          "True for a fixed domain and nu. Theorem III.1 also requires 8 |Omega|/tau1^2 >= 8 |Omega|^3 records, which "
          "the column omits although another column shows |Omega|.", ("bojkovic2024.histogram",),
          severity=Severity.READING, scope=Scope.REASONED,
          quote=r"Sampling from a private histogram (Theorem III.1) | $\{0, 1, \dots, t-1\}^p$ | "
                r"$O(\mathcal{F} \log \mathcal{F})$"),
    Claim("bojkovic2024.T1.rows", BOJKOVIC, "Table I",
          "|Y| is O(log|F|).", CONDITIONS, Method.BALL, _rows,
          "True for fixed delta and gamma; the factor is 1/delta^2.",
          ("bojkovic2024.private-lp",), scope=Scope.REASONED,
          quote=r"Algorithm 1 is run with μ uniform | $O(\log \mathcal{F})$"),
    Claim("bojkovic2024.T1.lp-sampled", BOJKOVIC, "Table I, last column, against Theorems B.1, III.1 and IV.1",
          "The linear program has |F| + O(|Omega|) + 1 constraints with uniform sampling and |F| + O(1) + 1 with the "
          "two estimators.", Verdict.INCONSISTENT, Method.EXACT, _columns,
          "By the theorems and Section V-B, m is O(|Omega||F|) and O(|F|), respectively, for fixed delta and gamma. "
          "With |F| fixed and |Omega| not, as in Remark 2, the column is correct on its own, but not next to |X| = "
          "O(|F| log|F|) in the same rows.",
          ("bojkovic2024.uniform", "bojkovic2024.histogram"), again=_columns_by_hand, severity=Severity.READING,
          depends_on=ids("VB.constraints"),
          quote=r"$ \mathcal{F} + O(\Omega) + 1$ [...] $ \mathcal{F} + O(1) + 1$"),
    Claim("bojkovic2024.R1.storage", BOJKOVIC, "Remark 1",
          "Synthetic data take O(log|F|) storage, the answers to all queries O(|F|).",
          CONDITIONS, Method.BALL, _storage,
          "True in rows and for fixed delta and gamma; there are fewer rows than answers only for large |F|.",
          ("bojkovic2024.private-lp",), scope=Scope.REASONED, depends_on=ids("T1.rows"),
          quote=r"the overall storage cost of synthetic data is only $k = O(\log |\mathcal{F}|)$, as opposed to "
                r"$O(|\mathcal{F}|)$"),
)  # fmt: skip

WITHDRAWN = (
    Withdrawn("bojkovic2024.T1.lp-uniform", "It was about the same column of the same table.",
                                            "bojkovic2024.T1.lp-sampled"),
)  # fmt: skip
