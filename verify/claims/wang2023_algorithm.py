"""Algorithms of wang2023: gradients from batches, resampling, the proximal step and its log-domain form.

The body of Algorithm 1 is missing from our text; Algorithm 2 is its log-domain form.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

from flint import arb

from bounds.enclosure import as_fmpq, decimal_text
from bounds.solve import enclose
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, Withdrawn, confirmed_if, refuted_if

SMALL, GAMMA = Fraction(1, 200), Fraction(1, 10**5)
"""Two records, 0 and 1/200, each half of P_syn; q(x) = x, a = 1/200, and the gamma of Section 4."""


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
        f"the derivative is {true}; the ratio has mean {estimated} over batches of one record and {two} over batches "
        "of two"
    )
    return confirmed_if(true == Fraction(-3, 5) and estimated != true and two != true, text)


def _resampling() -> Evidence:
    """Rows drawn by weight against the tilt of the empirical distribution, for any counts and weights."""
    import sympy as sp

    counts, weights = sp.symbols("c1:4", positive=True), sp.symbols("w1:4", positive=True)
    rows = sum(counts)
    drawn = sum(c * w for c, w in zip(counts, weights, strict=True))
    by_rows = [c * w / drawn for c, w in zip(counts, weights, strict=True)]
    raw = [c / rows * w for c, w in zip(counts, weights, strict=True)]
    same = all(sp.simplify(p - r / sum(raw)) == 0 for p, r in zip(by_rows, raw, strict=True))
    deviation = enclose(lambda: 1 / (2 * arb(307_511).sqrt()))
    text = (
        "a value of c of the N rows is drawn with probability c w/sum of c w = (c/N) w/sum of (c/N) w, for three "
        "values and in the same way for more. The frequencies of a finite resample vary around these: a mean of 1/2 "
        f"over 307511 draws by {decimal_text(deviation.lo, 5, up=False)}... in standard deviation"
    )
    return confirmed_if(same, text)


def _support() -> Evidence:
    """Every weight is positive, so no point is excluded; it can be missing from the resample by chance."""
    tilt = [Fraction(1, 10) * Fraction(1, 100), Fraction(9, 10)]
    share = tilt[0] / sum(tilt)
    missing = (1 - share) ** 1000
    text = (
        "a weight exp(...) is positive, so it makes a record rarer but never excludes it, and no new record appears; "
        f"a point of mass 0.1 and factor 0.01 keeps {share} of the mass, and 1000 draws miss it with probability "
        f"{decimal_text(missing, 4, up=False)}..."
    )
    return confirmed_if(share > 0 and 0 < missing < 1, text, with_conditions=True)


def _proximal() -> Evidence:
    """Soft thresholding against the optimality condition x - z in alpha times the subdifferential of |z|."""
    import sympy as sp

    alpha, beyond, share = sp.symbols("alpha b s", positive=True)
    outer = sp.simplify(((alpha + beyond) - beyond) / alpha) == 1  # x = alpha + b, z = b > 0
    inner = alpha * share / (1 + share)  # 0 < x < alpha, z = 0: |x|/alpha <= 1
    within = sp.simplify(1 - inner / alpha).is_positive
    text = (
        "z = sign(x) max(|x| - alpha, 0) satisfies the optimality condition of alpha |z| + (z - x)^2/2: where |x| > "
        "alpha the slope (x - z)/alpha is sign(x), and where |x| <= alpha, z = 0, it lies in [-1, 1]; the function is "
        "strictly convex, so z is its only minimum"
    )
    return confirmed_if(bool(outer and within), text)


def _log_update() -> Evidence:
    import sympy as sp

    lam = sp.symbols("lam1:3", real=True)
    records = [sp.symbols(f"c{i}_1:3", real=True) for i in range(2)]
    stored = [sp.exp(value) for value in lam]
    weights = [sp.exp(-sum(v * c for v, c in zip(lam, record, strict=True))) for record in records]
    powers = [sp.prod(ll ** (-c) for ll, c in zip(stored, record, strict=True)) for record in records]
    same = all(sp.simplify(p - w) == 0 for p, w in zip(powers, weights, strict=True))
    tau = sum(weights) / 2
    step = sum(w * record[0] for w, record in zip(weights, records, strict=True)) / 2 / tau
    descent = sp.simplify(-sp.diff(sp.log(tau), lam[0]) - step) == 0
    text = (
        "the product of ll_k^(-q_k) is exp(-sum of lambda_k q_k), so tau is the mean of the weights and + (step/tau) "
        "mean is a step against the gradient of f, for two records and two queries and in the same way for more; exact "
        "if the batch is the whole data, stochastic if it is a part"
    )
    return confirmed_if(same and descent, text)


def _log_domain() -> Evidence:
    """With q(1/200) - gamma = mean, P(1/200) = 1 - 200 gamma; half of the smallest double is 2^-1075."""
    share = 1 - GAMMA / SMALL
    factor = share / (1 - share)
    lam = enclose(lambda: -(1 / as_fmpq(SMALL)) * arb(as_fmpq(factor)).log())
    stored = enclose(lambda: (-(1 / as_fmpq(SMALL)) * arb(as_fmpq(factor)).log()).exp())
    plain = min(1 / factor, Fraction(1))
    text = (
        f"records 0 and {SMALL}, half each, q(x) = x, a = {SMALL}, gamma = 1e-5: the optimum is lambda = "
        f"{decimal_text(lam.hi, 6, up=True)}..., and ll = exp(lambda) is less than half of the smallest double "
        f"2^-1074, so it is stored as 0 and log(ll) is undefined; the weights themselves are {plain} and 1"
    )
    return refuted_if(stored.hi < Fraction(1, 2**1075) and plain > Fraction(1, 1000), text)


def _in_floats() -> Evidence:
    """The same instance in the arithmetic of this machine."""
    share = float(1 - GAMMA / SMALL)
    lam = -math.log(share / (1 - share)) / float(SMALL)
    stored, weight = math.exp(lam), math.exp(lam * float(SMALL))
    text = (
        f"in doubles exp({lam:.1f}) is {stored}, while the weight exp(-lambda (q - a)) of the record 0 is {weight:.4f}"
    )
    return refuted_if(stored == 0 and weight > 1e-3, text)


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
        quote="Although this approach uses a biased gradient estimator",
    ),
    Claim(
        "wang2023.S3.resampling",
        PAPER,
        f"{SECTION}, after the gradient",
        "Resampling records with weights exp(-sum lambda (q - a)) follows the distribution (4).",
        C,
        Method.SYMBOLIC,
        _resampling,
        "True in distribution: the answers of a finite resample differ from those of (4) by chance. Keeping the "
        "weights avoids that.",
        quote="This ensures that the resampled data follow the optimal distribution",
        scope=Scope.REASONED,
    ),
    Claim(
        "wang2023.S3.support",
        PAPER,
        "Section 1 and Section 3",
        "Resampling does not expand the support and eliminates records that misrepresent the measures.",
        W,
        Method.EXACT,
        _support,
        "All weights are positive, so records become rarer but are not excluded; they are dropped only by chance.",
        quote="eliminating data points that do not accurately reflect the real data",
        severity=Severity.READING,
        scope=Scope.REASONED,
    ),
    Claim(
        "wang2023.A2.prox",
        PAPER,
        "Algorithm 2, function prox",
        "The proximal operator of alpha |.|_1 is sign(x) max(|x| - alpha, 0).",
        C,
        Method.SYMBOLIC,
        _proximal,
        quote=r"$\mathrm{prox}_{\alpha\|\cdot\|_1}(x) = \mathrm{sign}(x) \max\{|x|-\alpha,0\}$",
        scope=Scope.ALL_CASES,
    ),
    Claim(
        "wang2023.A2.update",
        PAPER,
        "Algorithm 2, dual variables update",
        "The update in ll = exp(lambda) is a proximal gradient step on (5).",
        C,
        Method.SYMBOLIC,
        _log_update,
        quote=r"ll_{j}^{(t+1)} &= \exp\left(\operatorname{prox}_{\alpha_{t}\gamma \|\cdot\|_{1}}"
        r"\left(\log\left(ll_{j}^{(t)}\right) + \frac{\alpha_t}{\tau^{(t)}}",
        scope=Scope.REASONED,
        depends_on=("wang2023.S3.gradient", "wang2023.A2.prox"),
    ),
    Claim(
        "wang2023.A2.log-domain",
        PAPER,
        f"{APPENDIX}, log domain, with Algorithm 2",
        "Algorithm 2 avoids underflow and overflow by computing in the log domain.",
        Verdict.REFUTED,
        Method.BALL,
        _log_domain,
        "It does so while the entries of lambda stay between -745 and 709, and the exponents of the weights below 709. "
        "Otherwise exp(lambda), which Algorithm 2 stores, is 0 or infinite in doubles, or a product of its powers is "
        "infinite. Storing lambda, and factoring the largest exponent out of the sums, avoids both. The paper does not "
        "say that any of its runs reaches that range.",
        again=_in_floats,
        quote="To avoid underflow and overflow problems, we use log-domain computations to implement this algorithm",
        severity=Severity.CONDITION,
    ),
)

WITHDRAWN = (
    Withdrawn(
        "wang2023.S4.tolerance",
        "(3b) bounds the answers of the distribution, and the paper says no more; that the answers of a resample vary "
        "is our addition.",
        "wang2023.S3.resampling",
    ),
)
