"""Smaller statements of zhou2024 that its theorems rest on: comparisons, budgets, steps of training."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import comb

from flint import arb

from bounds.enclosure import precision
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.gaussian import analytic_gaussian, gaussian_epsilon
from bounds.privacy.statements import GaussianDP
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if, inconsistent_if
from verify.claims.zhou2024_captions import stand

BUDGETS = tuple(Fraction(k, 4) for k in range(1, 9))
LISTING = (
    r"number of iterations: T, minibatch size: B, learning rate: $\eta$, gradient norm bound C. **Output:** Logistic "
    r"Regression Model with weights **w**"
)
UPDATE = r"Update weights: $\mathbf{w} = \mathbf{w} - \eta \cdot \nabla L_t(\mathbf{w})$"
CAPTION = (
    "We train the six dataset with DP-SGD approach that was described as Algorithm 6 [...] decay rate from {0.1, 0.5}"
)


def _tighter() -> Evidence:
    """3R^2/(4D) by Theorem 2.4, repaired, against 5/4 2R/sqrt D by equation (1), D = d - 1."""
    import sympy

    r, degree = sympy.symbols("R D", positive=True)
    difference = (sympy.Rational(5, 2) * r) ** 2 / degree - (sympy.Rational(3, 4) * r**2) ** 2 / degree**2
    factor = sympy.simplify(difference * degree**2 / r**2 * sympy.Rational(16, 9))
    equal = sympy.expand(factor - (sympy.Rational(100, 9) * degree - r**2)) == 0
    text = (
        "3R^2/(4(d-1)) < 5R/(2 sqrt(d-1)) iff R < (10/3) sqrt(d-1), proved in symbols: for R = 1, which Section 1.1 "
        "sets, at every d >= 2, and for any R once d is large enough"
    )
    return confirmed_if(bool(equal), text, with_conditions=True)


def _repeated_training() -> Evidence:
    """k trainings with Gaussian noise of the same size are like one with mu^2 k times as large."""
    spent = [
        gaussian_epsilon(
            GaussianDP(mu_squared=Fraction(k, 16), adjacency=Adjacency.REPLACE_ONE), dp_delta="1e-6"
        ).epsilon
        for k in (1, 2, 5, 20)
    ]
    text = (
        f"Gaussian noise with mu = 1/4, delta = 1e-6: exact epsilon {', '.join(f'{float(e.lo):.4f}' for e in spent)} "
        "after 1, 2, 5, 20 models. In general k trainings are like one with mu sqrt k, and at a fixed delta the exact "
        "epsilon rises with mu, because noise can be added afterwards"
    )
    return confirmed_if(all(a.hi < b.lo for a, b in pairwise(spent)), text, with_conditions=True)


def _less_noise() -> Evidence:
    ratios = [analytic_gaussian(epsilon=e, dp_delta="1e-8", adjacency="replace-one").ratio for e in BUDGETS]
    text = (
        "smallest noise over sensitivity at delta = 1e-8 and the eight budgets of Figure 3: "
        f"{', '.join(f'{float(r.hi):.3f}' for r in ratios)}. In general, what is private at some epsilon is private at "
        "every larger one, so the smallest noise never rises; in Theorem 2.6 sigma is a constant over epsilon"
    )
    return confirmed_if(all(b.hi < a.lo for a, b in pairwise(ratios)), text)


def _fixed_maps() -> Evidence:
    """Bucketing by fixed borders, and coding by the rank among the values that occur."""
    column = [10, 20, 20, 30, 30, 30]
    neighbour = [20, *column[1:]]

    def change(a: list[int], b: list[int]) -> int:
        counts = Counter(a)
        counts.subtract(Counter(b))
        return sum(abs(c) for c in counts.values())

    def ranks(values: list[int]) -> list[int]:
        order = sorted(set(values))
        return [order.index(v) for v in values]

    raw = change(column, neighbour)
    fixed = change([v // 25 for v in column], [v // 25 for v in neighbour])
    ranked = change(ranks(column), ranks(neighbour))
    text = (
        f"six records, one altered from 10 to 20: the counts move by {raw}, after bucketing by fixed borders by "
        f"{fixed}, after coding values by their rank among those that occur by {ranked}. A fixed map turns one altered "
        "record into at most one altered record"
    )
    return confirmed_if(fixed <= raw == 2 < ranked, text, with_conditions=True)


def _clip() -> Evidence:
    norms = [Fraction(k, 7) for k in range(50)]
    clipped = [g / max(Fraction(1), g / Fraction(3, 2)) for g in norms]
    exact = all(c == min(g, Fraction(3, 2)) for c, g in zip(clipped, norms, strict=True))
    text = (
        "up to the norm C the divisor is 1 and the norm stays; beyond C the divisor is norm/C and the norm becomes C. "
        "Norms 0, 1/7, ..., 7 and C = 3/2 give the smaller of the norm and C"
    )
    return confirmed_if(exact, text)


def _decay() -> Evidence:
    text = (
        "Figure 4 trains by Algorithm 6 with a decay rate of 0.1 or 0.5; the inputs of the listing are the learning "
        "rate, the iterations, the minibatch size and the norm bound, without a decay"
    )
    return inconsistent_if(stand(LISTING, CAPTION) and "decay" in CAPTION and "decay" not in LISTING, text)


def _decay_again() -> Evidence:
    """The factor of the gradient in the listing's update does not contain t."""
    factor = UPDATE.partition("=")[2].partition(r"\nabla")[0]
    symbols = re.sub(r"\\(mathbf|cdot)", "", factor)
    text = (
        "the listing's update is w - eta grad L_t(w) for every t: its step does not change with t, as a decaying one "
        "would"
    )
    return inconsistent_if(stand(UPDATE, CAPTION) and symbols.replace(r"\eta", "").strip(" {}-w") == "", text)


def _selected() -> Evidence:
    """Two cells of unit noise: |Z1| + |Z2| <= s has probability erf(s/2)^2, exactly."""
    with precision(128):
        quotients = []
        for k in range(41):
            deviation = arb(k) / 8
            limit = 2 * (2 / arb.pi()).sqrt() + deviation * arb(2).sqrt()
            quotients.append((1 - (limit / 2).erf() ** 2) * (deviation**2 / 2).exp())
        holds = bool(quotients[0] < 1) and all(bool(x < quotients[0]) for x in quotients[1:])
        text = (
            "two cells, lambda = 0, 1/8, ..., 5: the noise exceeds its mean by lambda sigma sqrt(n_q) with probability "
            f"at most {quotients[0].str(5, radius=False)} exp(-lambda^2/2); in general by Gaussian concentration, as "
            "the L1 norm is sqrt(n_q)-Lipschitz"
        )
        return confirmed_if(holds, text, with_conditions=True)


def _overwhelming() -> Evidence:
    """P(|Z| > k) <= exp(-k^2/2), and all N cells of all marginals: k^2 = 2 (ln 2 (1 + lambda) + ln N)."""
    import sympy

    lam, n = sympy.symbols("lambda N", positive=True)
    k_squared = 2 * (sympy.log(2) * (1 + lam) + sympy.log(n))
    failure = sympy.simplify(n * sympy.exp(-k_squared / 2) * 2 ** (lam + 1))
    growth = sympy.limit(k_squared / lam, lam, sympy.oo)
    number = sum(comb(11, j) * 2**j for j in range(4))
    with precision(96):
        sizes = [(2 * (arb(2).log() * (1 + at) + arb(number).log())).sqrt() for at in (10, 20, 40, 80)]
        text = (
            "k sigma bounds the noise of all N cells except with probability 2^-(1 + lambda), by the union bound, and "
            f"k^2 grows like {growth} lambda: the distance grows like its root, while the failure probability halves "
            f"with every unit of lambda; m = 10, l = 2, d = 3: k = {', '.join(s.str(5, radius=False) for s in sizes)} "
            "for lambda = 10, 20, 40, 80"
        )
        return confirmed_if(failure == 1 and growth == 2 * sympy.log(2), text)


CONFIRMED, CONDITIONS, PAPER = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS, "zhou2024"
REASONED, READING = Scope.REASONED, Severity.READING
CLAIMS = (
    Claim("zhou2024.31.tighter", PAPER, "Section 3.1, after Theorem 3.2, and Section 1.1",
          "Theorem 2.4 gives a tighter bound for the logistic loss than equation (1).",
          CONDITIONS, Method.SYMBOLIC, _tighter,
          "True for tau sqrt m below (10/3) sqrt(d-1), with the rescaling repaired, so for every d if tau sqrt m = 1; "
          "above, equation (1) is tighter.",
          ("zhou2024.bernstein-smooth", "zhou2024.bernstein-lipschitz"), severity=READING, scope=Scope.ALL_CASES,
          depends_on=("zhou2024.T23.error", "zhou2024.T24.logistic"),
          quote="the primary difference is we apply a tighter Bernstein polynomial approximation bound from Theorem "
          "2.4"),
    Claim("zhou2024.1.budget-grows", PAPER, "Section 1",
          "When noise is added in training the privacy budget grows with the number of models.",
          CONDITIONS, Method.BALL, _repeated_training,
          "True if each training is made private by Gaussian noise of the same size, as the paper describes; with more "
          "noise in each, the budget can be kept.", ("zhou2024.gaussian-mechanism",), scope=REASONED,
          quote="in Training-DPML techniques the privacy budget must grow with the total number of models trained"),
    Claim("zhou2024.55.less-noise", PAPER, "Section 5.5",
          "The higher the privacy budget, the less noise is added.",
          CONFIRMED, Method.BALL, _less_noise, theorems=("zhou2024.gaussian-mechanism",), scope=REASONED,
          hypotheses=("the Gaussian mechanism, at one delta and one sensitivity",),
          quote="the higher the privacy budget, the less noise added into marginal measurements"),
    Claim("zhou2024.53.fixed-maps", PAPER, "Section 5.3",
          "The steps of pre-processing do not change the sensitivity of the marginals.",
          CONDITIONS, Method.EXACT, _fixed_maps,
          "True for maps that are fixed before the records are seen. With codes, borders or ranges taken from the "
          "records, one record can move many others; the paper does not say which it uses.", ("zhou2024.sensitivity",),
          severity=READING, scope=REASONED,
          quote="since the data-preprocessing steps do not impact the sensitivity of the marginals"),
    Claim("zhou2024.Alg6.clip", PAPER, "Algorithm 6",
          "Dividing a gradient by max(1, norm/C) bounds its norm by C.", CONFIRMED, Method.EXACT, _clip, scope=REASONED,
          quote=r"**Clip gradient:** $\hat{\nabla}L(x_i, y_i) = \nabla L(x_i, y_i) / \max(1, \frac{\|\nabla L(x_i, "
          r"y_i)\|_2}{C})"),
    Claim("zhou2024.Alg6.decay", PAPER, "Algorithm 6 against Figure 4",
          "Figure 4 trains as described in Algorithm 6.",
          Verdict.INCONSISTENT, Method.READING, _decay,
          "The caption has a decay rate, the listing a constant step. Privacy does not depend on the step. A slip.",
          again=_decay_again, severity=Severity.SLIP, quote=CAPTION),
    Claim("zhou2024.C2.selected", PAPER, "Appendix C.2, before Theorem C.3",
          "For measured marginals, an upper bound on the L1 distance follows from the Gaussian noise.",
          CONDITIONS, Method.BALL, _selected,
          "sqrt(2/pi) sigma n_q + lambda sigma sqrt(n_q) bounds the distance between the measured and the real "
          "marginal. The distance between the measured and the synthetic marginal, which can be computed, must be "
          "added.", ("zhou2024.aim-confidence",),
          scope=REASONED,
          quote="The former can be easily derived as the selected marginal are measured with Gaussian noise"),
    Claim("zhou2024.32.overwhelming", PAPER, "Section 3.2",
          "All marginals of order up to d are preserved with overwhelming probability.",
          CONFIRMED, Method.SYMBOLIC, _overwhelming, theorems=("zhou2024.marginal-noise",), scope=Scope.ALL_CASES,
          depends_on=("zhou2024.L34.statement",),
          quote="of all marginals with order no more than d (with overwhelming probability)"),
)  # fmt: skip
