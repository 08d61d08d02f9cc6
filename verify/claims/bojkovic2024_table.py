"""Table I and Remark 1 of bojkovic2024: what the sizes of its theorems come to."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from flint import arb, fmpq

from bounds.enclosure import Enclosure, precision
from bounds.sizes.require import require
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if, inconsistent_if
from verify.claims.bojkovic2024_settings import DIMENSIONS, SETTING, queries, uniform_sizes


def _records() -> Evidence:
    with precision(64):
        ratio = [Enclosure.of(10 * (arb(20 * F).log() / arb(F).log())).hi for F in (2, 10, 1000, 10**9)]
    ordered = all(a > b for a, b in pairwise(ratio))
    ends = f"from {float(ratio[0]):.2f} to {float(ratio[-1]):.2f}"
    text = f"epsilon = 0.2, delta = 1/2, gamma = 1/20: n/(2|F| log|F|) falls {ends} for |F| = 2, ..., 10^9"
    return confirmed_if(ordered and ratio[-1] > 10, text, with_conditions=True)


def _records_with_density() -> Evidence:
    found = {}
    for p in (2, 6, 10):
        answer = require(theorem="bojkovic2024.histogram", p=p, tau1=f"1/{2**p}", tau2=f"1/{2**p}", **SETTING)
        with precision(64):
            found[p] = Enclosure.of(arb(answer.n) / (queries(p) * arb(queries(p)).log())).lo
    text = "n/(|F| log|F|) for uniform nu is " + ", ".join(f"{float(v):.0f} (p = {p})" for p, v in found.items())
    return confirmed_if(found[2] < found[6] < found[10] and found[10] > 10**7, text, with_conditions=True)


def _rows() -> Evidence:
    with precision(64):
        ratio = [Enclosure.of(4 * arb(20 * F).log() / arb(F).log()) for F in (2, 10, 1000, 10**9)]
    text = f"delta = 1/2, gamma = 1/20: k/log|F| falls from {ratio[0].decimal(4)[1]} towards 1/delta^2 = 4"
    return confirmed_if(all(a.lo > b.hi > 4 for a, b in pairwise(ratio)), text, with_conditions=True)


def _columns_uniform() -> Evidence:
    per_point = {p: Fraction(uniform_sizes(p)[1], 2**p) for p in DIMENSIONS}
    grows = all(per_point[p] < per_point[p + 1] for p in range(2, 10))
    text = f"m/|Omega| grows with |F|, from {per_point[2]} (p = 2) to {per_point[10]} (p = 10), figures' setting"
    return inconsistent_if(grows, text)


def _columns_uniform_by_hand() -> Evidence:
    """On a fixed domain of 4 points, with more and more functions into [-1, 1]."""
    d, g = Fraction(1, 2), Fraction(1, 5)
    per_point = [Fraction(F) / (d * d * g) for F in (1, 10**3, 10**6)]
    text = f"delta = 1/2, gamma = 1/5: m/|Omega| is {', '.join(str(v) for v in per_point)} for |F| = 1, 10^3, 10^6"
    return inconsistent_if(per_point[2] == 10**6 * per_point[0], text)


def _columns_sampled() -> Evidence:
    """K >= 1, so m is at least 2|F|/(delta^2 gamma)."""
    found = {p: require(theorem="bojkovic2024.histogram-uniform", p=p, **SETTING).m or 0 for p in DIMENSIONS}
    grows = all(found[p] < found[p + 1] for p in range(2, 10)) and all(m >= 32 * queries(p) for p, m in found.items())
    return inconsistent_if(grows, f"m is {found[2]} at p = 2 and {found[10]} at p = 10, never below 32|F|")


def _columns_sampled_by_hand() -> Evidence:
    """K >= 1 by Cauchy-Schwarz, so m >= 2|F|/(delta^2 gamma) whatever the constants are."""
    d, g = Fraction(1, 2), Fraction(1, 5)
    least = [2 * Fraction(F) / (d * d * g) for F in (1, 10**3, 10**6)]
    text = f"delta = 1/2, gamma = 1/5: m is at least {', '.join(str(v) for v in least)} for |F| = 1, 10^3, 10^6"
    return inconsistent_if(least[2] == 10**6 * least[0], text)


def first_saving(delta: Fraction, gamma: Fraction) -> int:
    """Least |F| from which on k = ceil(log(|F|/gamma)/delta^2) is below |F|."""
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


BOJKOVIC = "bojkovic2024"
CONFIRMED, CONDITIONS, INCONSISTENT = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS, Verdict.INCONSISTENT

CLAIMS = (
    Claim("bojkovic2024.T1.records", BOJKOVIC, "Table I, uniform sampling",
          "|X| is O(|F| log|F|).", CONDITIONS, Method.BALL, _records,
          "For fixed epsilon, delta and gamma; the factor is 2/(epsilon delta).", ("bojkovic2024.uniform",)),
    Claim("bojkovic2024.T1.records-density", BOJKOVIC, "Table I, private histogram",
          "|X| is O(|F| log|F|).", CONDITIONS, Method.BALL, _records_with_density,
          "For a fixed domain and nu. Theorem III.1 also asks for 8 |Omega|/tau1^2 >= 8 |Omega|^3 records, which the "
          "column leaves out though another column shows |Omega|.", ("bojkovic2024.histogram",)),
    Claim("bojkovic2024.T1.rows", BOJKOVIC, "Table I",
          "|Y| is O(log|F|).", CONDITIONS, Method.BALL, _rows,
          "For fixed delta and gamma; the factor is 1/delta^2.", ("bojkovic2024.private-lp",)),
    Claim("bojkovic2024.T1.lp-uniform", BOJKOVIC, "Table I, uniform sampling",
          "The linear program has |F| + O(|Omega|) + 1 constraints.", INCONSISTENT, Method.EXACT, _columns_uniform,
          "Theorem B.1 and Section V-B give |F| + O(|Omega||F|) + 1 for fixed delta and gamma. The entry is right if O "
          "counts |Omega| with |F| fixed, as Remark 2 suggests.",
          ("bojkovic2024.uniform",), again=_columns_uniform_by_hand),
    Claim("bojkovic2024.T1.lp-sampled", BOJKOVIC, "Table I, private histogram and kernel estimate",
          "The linear program has |F| + O(1) + 1 constraints.", INCONSISTENT, Method.EXACT, _columns_sampled,
          "Theorems III.1 and IV.1 and Section V-B give O(|F|) for fixed delta and gamma, still without |Omega|. The "
          "entry is right if O counts |Omega| with |F| fixed, as Remark 2 suggests.",
          ("bojkovic2024.histogram",), again=_columns_sampled_by_hand),
    Claim("bojkovic2024.R1.storage", BOJKOVIC, "Remark 1",
          "Synthetic data take O(log|F|) storage, the answers to all queries O(|F|).",
          CONDITIONS, Method.BALL, _storage,
          "In rows and for fixed delta and gamma: fewer rows than answers only for large |F|.",
          ("bojkovic2024.private-lp",)),
)  # fmt: skip
