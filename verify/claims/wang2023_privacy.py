"""Privacy of wang2023: Laplace and Gaussian noise, composition, Proposition 1, the budgets of Section 4.

Neighbours replace one of n records and n is public, as Definition 1 has it.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from flint import acb, arb

from bounds.enclosure import Enclosure, as_fmpq, decimal_text
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.composition import compose_basic
from bounds.privacy.gaussian import analytic_gaussian, gaussian_delta, gaussian_noise_of_ratio
from bounds.privacy.laplace import laplace_epsilon
from bounds.privacy.sensitivity import l1_sensitivity
from bounds.privacy.statements import DP
from bounds.solve import enclose
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if

HOME_CREDIT = 307_511


def promise(epsilon: Fraction, delta: Fraction) -> DP:
    return DP(epsilon=Enclosure.of(epsilon), delta=Enclosure.of(delta), adjacency=Adjacency.REPLACE_ONE)


def _composition() -> Evidence:
    total = compose_basic(*(promise(Fraction(i, 10), Fraction(i, 10**6)) for i in range(1, 5)))
    right = total.epsilon == Enclosure.of(Fraction(1)) and total.delta == Enclosure.of(Fraction(1, 10**5))
    return confirmed_if(right, "promises (i/10, i/10^6), i = 1, ..., 4, compose to (1, 1/10^5)")


def _proposition() -> Evidence:
    extra = Fraction(1, HOME_CREDIT**2)
    fits = all(
        compose_basic(promise(Fraction(e), Fraction(1, 10**9)), promise(Fraction(1), extra)).epsilon
        == Enclosure.of(Fraction(e + 1))
        for e in (1, 3)
    )
    text = "epsilon = 1 and 3 with epsilon_post = 1 give 2 and 4; the two deltas add up"
    return confirmed_if(fits, text, with_conditions=True)


def _same_budget() -> Evidence:
    extra = Fraction(1, HOME_CREDIT**2)
    compared = [(2, 1 + 1), (4, 3 + 1)]
    text = (
        "2 = 1 + 1 and 4 = 3 + 1; delta grows by 1/n^2, for home-credit by "
        f"{decimal_text(extra, 3, up=False)}..., where the mechanism without post-processing has its own delta only"
    )
    return confirmed_if(all(a == b for a, b in compared) and extra > 0, text, with_conditions=True)


def _laplace() -> Evidence:
    fits = True
    for size, epsilon in product((Fraction(1, 100), Fraction(5)), (Fraction(1, 2), Fraction(1), Fraction(3))):
        amount = l1_sensitivity(value=size, adjacency=Adjacency.REPLACE_ONE, n_is_public=True)
        found = laplace_epsilon(scale=size / epsilon, sensitivity=amount)
        fits = fits and found.is_pure and found.epsilon == Enclosure.of(epsilon)
    return confirmed_if(fits, "scale Delta_1/epsilon gives epsilon and delta = 0 exactly in six cases")


def _lemma() -> Evidence:
    """The formula against the integral of max(0, density - e^epsilon density) for sigma = 1, 2, 4 and epsilon = 1."""
    fits, shown = True, ""
    for sigma in (1, 2, 4):
        start = arb(sigma) ** 2 + arb(1) / 2  # where the densities of N(1, sigma^2) and e N(0, sigma^2) cross

        def excess(x: acb, _: bool, sigma: int = sigma) -> acb:
            scale = 1 / (sigma * (2 * acb.pi()).sqrt())
            moved = (-((x - 1) ** 2) / (2 * sigma**2)).exp()
            return scale * (moved - acb(1).exp() * (-(x**2) / (2 * sigma**2)).exp())

        area = acb.integral(excess, acb(start), acb(start + 20 * sigma)).real
        formula = gaussian_delta(
            gaussian_noise_of_ratio(noise_ratio=sigma, adjacency=Adjacency.REPLACE_ONE), epsilon=Fraction(1)
        ).delta
        gap = abs(area - as_fmpq(formula.midpoint))
        fits = fits and bool(gap < arb(10) ** -10)
        shown = shown or decimal_text(formula.lo, 8, up=False)
    return confirmed_if(
        fits, f"epsilon = 1: formula and integral agree to 1e-10 for sigma = 1, 2, 4, e.g. {shown}... at 1"
    )


def _noise_choice() -> Evidence:
    """Standard deviations times n: ratio sqrt(K) for Gaussian noise, sqrt(2) K for Laplace noise with epsilon = 1."""
    ratio = analytic_gaussian(epsilon=1, dp_delta=Fraction(1, HOME_CREDIT**2), adjacency=Adjacency.REPLACE_ONE).ratio
    gauss = {k: enclose(lambda k=k: as_fmpq(ratio.hi) * arb(k).sqrt()) for k in (19, 20, 65)}  # type: ignore[misc]
    laplace = {k: enclose(lambda k=k: arb(2).sqrt() * k) for k in (19, 20, 65)}  # type: ignore[misc]
    text = (
        f"n = {HOME_CREDIT}, delta = 1/n^2: sigma/Delta_2 = {decimal_text(ratio.lo, 7, up=False)}...; "
        "with K = 65 queries n "
        f"times the standard deviation is {decimal_text(gauss[65].lo, 5, up=False)}... for Gaussian and "
        f"{decimal_text(laplace[65].lo, 5, up=False)}... for Laplace noise; Laplace is less up to K = 19"
    )
    right = gauss[65].hi < laplace[65].lo and gauss[20].hi < laplace[20].lo and laplace[19].hi < gauss[19].lo
    return confirmed_if(right, text, with_conditions=True)


def _which_n() -> Evidence:
    """All records, or the 80% from which synthetic data are generated: the noise of one query with K = 65."""
    kept = HOME_CREDIT * 8 // 10
    found = {}
    for n in (HOME_CREDIT, kept):
        ratio = analytic_gaussian(epsilon=1, dp_delta=Fraction(1, n**2), adjacency=Adjacency.REPLACE_ONE).ratio
        found[n] = enclose(lambda r=ratio, n=n: as_fmpq(r.hi) * arb(65).sqrt() / n)  # type: ignore[misc]
    shown = [decimal_text(v.lo, 5, up=False) for v in found.values()]
    text = (
        f"standard deviation {shown[0]}... for n = {HOME_CREDIT}, {shown[1]}... for n = {kept}; delta "
        f"{Fraction(25, 16)} times"
    )
    return confirmed_if(found[kept].lo > found[HOME_CREDIT].hi, text, with_conditions=True)


C, W = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS
PAPER = "wang2023"

CLAIMS = (
    Claim(
        "wang2023.S2.composition",
        PAPER,
        "Section 2.1",
        "A sequence of (epsilon_i, delta_i) mechanisms satisfies the sums of epsilon_i and delta_i.",
        C,
        Method.EXACT,
        _composition,
    ),
    Claim(
        "wang2023.P1",
        PAPER,
        "Proposition 1",
        "Post-processed data satisfy (epsilon + epsilon_post, delta + delta_post)-differential privacy.",
        W,
        Method.EXACT,
        _proposition,
        "Both promises must be for one adjacency, and composition must be adaptive, since the "
        "measures are chosen from the "
        "synthetic data; basic composition is.",
    ),
    Claim(
        "wang2023.S4.budget",
        PAPER,
        "Section 4, setup, and Tables 1 and 3, captions",
        "Data with and without post-processing are compared under the same privacy budget, 2 or 4.",
        W,
        Method.EXACT,
        _same_budget,
        "The same epsilon; delta is larger by delta_post = 1/n^2 with post-processing.",
    ),
    Claim(
        "wang2023.S2.laplace",
        PAPER,
        "Section 2.1",
        "Laplace noise of scale Delta_1/epsilon is (epsilon, 0)-private.",
        C,
        Method.EXACT,
        _laplace,
    ),
    Claim(
        "wang2023.L1",
        PAPER,
        "Lemma 1",
        "Gaussian noise is (epsilon, delta)-private if and only if the stated difference of normal "
        "probabilities is at most "
        "delta.",
        C,
        Method.BALL,
        _lemma,
        formula="Phi(D/(2 sigma) - epsilon sigma/D) - e^epsilon Phi(-D/(2 sigma) - epsilon sigma/D) <= delta",
    ),
    Claim(
        "wang2023.S4.gaussian",
        PAPER,
        "Section 4, setup",
        "The measures are estimated with Gaussian noise at epsilon_post = 1 and delta_post = 1/n^2.",
        W,
        Method.BALL,
        _noise_choice,
        "The better choice from K = 20 on at this n; with fewer queries Laplace noise has less variance and delta = 0.",
    ),
    Claim(
        "wang2023.S4.n",
        PAPER,
        "Section 4, setup and evaluation measure",
        "delta_post = 1/n^2 and the sensitivities use n, the number of real data points.",
        W,
        Method.BALL,
        _which_n,
        "If n counts the records that the mechanism sees, the 80% that are not set aside for testing; with all records "
        "noise and delta would be smaller than the promise needs. The text does not say which.",
    ),
)
