"""Algorithms of wang2023: gradients from batches, resampling, the proximal step and its log-domain form."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from flint import arb

from bounds.enclosure import decimal_text
from bounds.solve import enclose
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if


def _biased() -> Evidence:
    """q - a = -1 or 1 with probability 1/2 and e^-lambda = 2: batches of one record."""
    points, factor = (-1, 1), Fraction(2)
    weights = [factor**c for c in points]
    true = -sum((w * c for w, c in zip(weights, points, strict=True)), Fraction(0)) / sum(weights)
    estimated = sum((-(w * c) / w for w, c in zip(weights, points, strict=True)), Fraction(0)) / 2
    pairs = [
        -(weights[i] * points[i] + weights[j] * points[j]) / (weights[i] + weights[j])
        for i, j in product(range(2), repeat=2)
    ]
    two = sum(pairs, Fraction(0)) / 4
    text = (
        f"the derivative is {true}; the ratio has mean {estimated} over batches of one record, {two} over "
        "batches of two"
    )
    return confirmed_if(true == Fraction(-3, 5) and estimated != true and two != true, text)


def _resampling() -> Evidence:
    """Five synthetic records with repetitions: row weights against the tilt of the empirical distribution."""
    records = (0, 0, 1, 2, 2)
    weight = {0: Fraction(1), 1: Fraction(3), 2: Fraction(1, 2)}
    total = sum((weight[x] for x in records), Fraction(0))
    by_rows = {v: sum((weight[x] for x in records if x == v), Fraction(0)) / total for v in weight}
    raw = {v: Fraction(records.count(v), 5) * weight[v] for v in weight}
    by_tilt = {v: raw[v] / sum(raw.values()) for v in weight}
    text = f"records 0, 0, 1, 2, 2 with weights 1, 3, 1/2: both ways give {', '.join(str(p) for p in by_rows.values())}"
    return confirmed_if(by_rows == by_tilt, text)


def _support() -> Evidence:
    """Every weight is positive, so no point is excluded; it can be missing from the resample by chance."""
    tilt = [Fraction(1, 10) * Fraction(1, 100), Fraction(9, 10)]
    share = tilt[0] / sum(tilt)
    missing = (1 - share) ** 1000
    text = (
        f"a point of mass 0.1 and factor 0.01 keeps {share} of the mass; 1000 draws miss it with probability "
        f"{decimal_text(missing, 4, up=False)}..."
    )
    return confirmed_if(share > 0 and 0 < missing < 1, text, with_conditions=True)


def _tolerance() -> Evidence:
    """A binary query with mean 1/2 on n = 307,511 resampled records against gamma = 1e-5."""
    deviation = enclose(lambda: 1 / (2 * arb(307_511).sqrt()))
    ratio = deviation.lo * 10**5
    text = (
        f"resampling 307511 records moves a mean of 1/2 by {decimal_text(deviation.lo, 5, up=False)}... in standard "
        f"deviation, {decimal_text(ratio, 4, up=False)}... times gamma"
    )
    return confirmed_if(ratio > 90, text, with_conditions=True)


def _proximal() -> Evidence:
    """Soft thresholding against the optimality condition x - z in alpha times the subdifferential of |z|."""
    right = True
    for x, alpha in product([Fraction(i, 4) for i in range(-12, 13)], [Fraction(i, 4) for i in range(1, 6)]):
        z = (1 if x > 0 else -1 if x < 0 else 0) * max(abs(x) - alpha, Fraction(0))
        slope = (x - z) / alpha
        right = right and (slope == (1 if z > 0 else -1) if z else abs(slope) <= 1)
    text = "sign(x) max(|x| - alpha, 0) satisfies the optimality condition of |z| alpha + (z - x)^2/2 in 125 cases"
    return confirmed_if(right, text)


def _log_update() -> Evidence:
    import sympy as sp

    lam, c1, c2 = sp.symbols("lam c1 c2", real=True)
    exponential = sp.exp(lam)
    batch = sum(exponential ** (-c) * c for c in (c1, c2)) / 2
    mean = sum(sp.exp(-lam * c) * c for c in (c1, c2)) / 2
    same = sp.simplify(batch - mean) == 0
    f = sp.log(sum(sp.exp(-lam * c) for c in (c1, c2)) / 2)
    descent = sp.simplify(-sp.diff(f, lam) - mean / (sum(sp.exp(-lam * c) for c in (c1, c2)) / 2)) == 0
    text = "the product of ll^(-q) is exp(-lambda q), and + (step/tau) mean is a step against the gradient of f"
    return confirmed_if(same and descent, text)


def _log_domain() -> Evidence:
    """The largest double is (2 - 2^-52) 2^1023."""
    limit = enclose(lambda: ((2 - arb(2) ** -52) * arb(2) ** 1023).log())
    text = (
        "Algorithm 2 stores ll = exp(lambda), which exceeds every double for lambda > "
        f"{decimal_text(limit.lo, 8, up=False)}..., the same as exp(-lambda q) with |q| <= 1 in the plain form"
    )
    return confirmed_if(Fraction(709) < limit.lo and limit.hi < 710, text, with_conditions=True)


C, W = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS
PAPER, SECTION, APPENDIX = "wang2023", "Section 3", "Appendix B"

CLAIMS = (
    Claim(
        "wang2023.S3.biased",
        PAPER,
        f"{SECTION}, after (5)",
        "The mini-batch ratio is a biased estimator of the gradient.",
        C,
        Method.EXACT,
        _biased,
    ),
    Claim(
        "wang2023.S3.resampling",
        PAPER,
        f"{SECTION}, after the gradient",
        "Resampling records with weights exp(-sum lambda (q - a)) follows the distribution (4).",
        C,
        Method.EXACT,
        _resampling,
    ),
    Claim(
        "wang2023.S3.support",
        PAPER,
        f"{SECTION} and Section 1",
        "Resampling does not expand the support and filters out records that misrepresent the measures.",
        W,
        Method.EXACT,
        _support,
        "All weights are positive: records are made rarer, not excluded; chance alone drops them.",
    ),
    Claim(
        "wang2023.S4.tolerance",
        PAPER,
        "Section 4, setup, with (3b)",
        "With gamma = 1e-5, (3b) keeps the post-processed distribution within 1e-5 of the denoised answers.",
        W,
        Method.BALL,
        _tolerance,
        "The distribution (4) stays within; records resampled from it differ by far more. Keeping "
        "the weights avoids that.",
    ),
    Claim(
        "wang2023.A2.prox",
        PAPER,
        "Algorithm 2, function prox",
        "The proximal operator of alpha |.|_1 is sign(x) max(|x| - alpha, 0).",
        C,
        Method.EXACT,
        _proximal,
    ),
    Claim(
        "wang2023.A2.update",
        PAPER,
        "Algorithm 2, dual variables update",
        "The update in ll = exp(lambda) is a proximal gradient step on (5).",
        C,
        Method.SYMBOLIC,
        _log_update,
    ),
    Claim(
        "wang2023.A2.log-domain",
        PAPER,
        f"{APPENDIX}, log domain",
        "Algorithm 2 avoids underflow and overflow by computing in the log domain.",
        W,
        Method.BALL,
        _log_domain,
        "As long as the entries of lambda stay below 709; beyond, exp(lambda) overflows. Sums of exponentials kept as "
        "logarithms would avoid it. No run of the paper is said to reach that range.",
    ),
)
