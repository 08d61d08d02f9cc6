"""Privacy of wang2023: Laplace and Gaussian noise, composition, Proposition 1, the budgets of Section 4.

Neighbours replace one of n records and n is public, as in Definition 1.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import prod

from flint import acb, arb

from bounds.enclosure import as_fmpq, decimal_text
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.gaussian import gaussian_delta, gaussian_noise_of_ratio
from bounds.quadrature import integral
from verify.claim import Claim, Evidence, Method, Scope, Verdict, Withdrawn, confirmed_if

Law = dict[tuple[int, ...], Fraction]


def leaking_response(bit: int, factor: Fraction, delta: Fraction) -> Law:
    """Randomized response of ratio `factor` = e^epsilon that tells the bit with probability delta (outputs 2 and 3)."""
    kept = (1 - delta) / (1 + factor)
    return {(bit,): factor * kept, (1 - bit,): kept, (2 + bit,): delta}


def excess(law: Law, other: Law, factor: Fraction) -> Fraction:
    """The smallest delta for e^epsilon = factor: sum of (law - factor other)_+."""
    return sum((max(Fraction(0), p - factor * other.get(o, Fraction(0))) for o, p in law.items()), Fraction(0))


def in_sequence(first: Law, then: Callable[[int], Law]) -> Law:
    """The joint distribution, where the second mechanism may depend on the output of the first."""
    return {o + r: p * q for o, p in first.items() for r, q in then(o[-1]).items()}


ARGUMENT = (
    "for an event S with sections S_x, P(S) is the mean of P_2(S_x) <= min(1, e^eps_2 Q_2(S_x)) + delta_2 under P_1, "
    "and the mean of g in [0, 1] under P_1 is at most e^eps_1 times that under Q_1 plus delta_1; together e^(eps_1 + "
    "eps_2) Q(S) + delta_1 + delta_2, even if the second mechanism depends on x, and by induction for more"
)


def _composition() -> Evidence:
    """Four responses composed in full, with and without leaks, against the sums."""
    factors, deltas = [Fraction(k + 1, k) for k in (9, 4, 3, 2)], [Fraction(i, 1000) for i in range(1, 5)]
    total = prod(factors, start=Fraction(1))
    laws: dict[tuple[int, bool], Law] = {}
    for bit, leaks in product((0, 1), (False, True)):
        law: Law = {(): Fraction(1)}
        for factor, delta in zip(factors, deltas, strict=True):
            step = leaking_response(bit, factor, delta if leaks else Fraction(0))
            law = {o + r: p * q for o, p in law.items() for r, q in step.items() if q}
        laws[bit, leaks] = law
    worst = max(p / laws[1, False][o] for o, p in laws[0, False].items())
    delta = max(excess(laws[b, True], laws[1 - b, True], total) for b in (0, 1))
    text = (
        f"{ARGUMENT}. Four randomized responses written out: the largest ratio is {worst}, the product of the four; "
        f"with leaks of {', '.join(str(d) for d in deltas)} the exact delta there is {delta}, at most {sum(deltas)}"
    )
    return confirmed_if(worst == total and 0 < delta <= sum(deltas), text)


def _proposition() -> Evidence:
    """Two records of one bit. Synthetic data answer for the first and decide which measure comes next."""
    factor, post, delta, delta_post = Fraction(3), Fraction(2), Fraction(1, 100), Fraction(1, 50)

    def released(data: tuple[int, ...]) -> Law:
        first = leaking_response(data[0], factor, delta)
        return in_sequence(first, lambda s: leaking_response(data[0] ^ (data[1] * (s % 2)), post, delta_post))

    tables = list(product((0, 1), repeat=2))
    pairs = [(a, b) for a in tables for b in tables if sum(x != y for x, y in zip(a, b, strict=True)) == 1]
    worst = max(excess(released(a), released(b), factor * post) for a, b in pairs)
    alone = max(excess(released(a), released(b), factor) for a, b in pairs)
    text = (
        "the real data are used twice, for the synthetic data and for the measures, which may be chosen from the "
        "synthetic data: composition covers this, and everything after it is post-processing. E.g. e^epsilon = "
        f"{factor}, e^epsilon_post = {post}, deltas {delta} and {delta_post}, measure chosen from the output: exact "
        f"delta at the sum of the epsilons is {worst}, at most {delta + delta_post}; at epsilon alone it is {alone}"
    )
    return confirmed_if(worst <= delta + delta_post < alone, text)


def _same_budget() -> Evidence:
    compared = [(2, 1 + 1), (4, 3 + 1)]
    text = "2 = 1 + 1 and 4 = 3 + 1, by Proposition 1; delta is larger by 1/n^2 with post-processing"
    return confirmed_if(all(a == b for a, b in compared), text)


def _laplace() -> Evidence:
    """(|y - v| - |y - u|) for y left of both, between, and right of both, where u < v: at most v - u."""
    import sympy as sp

    u, gap, left, share, right = sp.symbols("u g l s r", positive=True)
    v, between = u + gap, u + gap * share / (1 + share)
    changes = [abs(y - v) - abs(y - u) for y in (u - left, between, v + right)]
    bounded = [sp.simplify(gap - c).is_nonnegative and sp.simplify(gap + c).is_nonnegative for c in changes]
    text = (
        "|y - v| - |y - u| is |v - u| left of both, less in between, and -|v - u| right of both; so the logarithm of "
        "the ratio of densities of K answers is at most |f(D) - f(D')|_1/b <= Delta_1/b = epsilon at every point, and "
        "it is reached"
    )
    return confirmed_if(sp.simplify(changes[0] - gap) == 0 and all(bounded), text)


def _lemma() -> Evidence:
    """N(D, s^2) against N(0, s^2): where the ratio of densities exceeds e^epsilon, and how the excess grows with D."""
    import sympy as sp

    x, size, sigma, eps = sp.symbols("x D sigma epsilon", positive=True)
    logarithm = (-((x - size) ** 2) + x**2) / (2 * sigma**2)
    start = size / 2 + eps * sigma**2 / size
    crosses = sp.simplify(logarithm.subs(x, start) - eps) == 0 and sp.simplify(sp.diff(logarithm, x, 2)) == 0
    ends = (size / (2 * sigma) - eps * sigma / size, -size / (2 * sigma) - eps * sigma / size)
    standardised = sp.simplify(ends[0] - (size - start) / sigma) == 0 and sp.simplify(ends[1] + start / sigma) == 0
    delta = sp.erf(ends[0] / sp.sqrt(2)) / 2 - sp.exp(eps) * sp.erf(ends[1] / sp.sqrt(2)) / 2
    slope = sp.exp(-(ends[0] ** 2) / 2) / (sp.sqrt(2 * sp.pi) * sigma)
    grows = sp.simplify(sp.expand(sp.powsimp(sp.simplify(sp.diff(delta, size) - slope)))) == 0
    text = (
        "the logarithm of the ratio of densities is linear and equals epsilon at D/2 + epsilon sigma^2/D, so the worst "
        "event is the half-line beyond this point, or the half-space in K dimensions, whose probabilities are the two "
        "in the formula; its derivative in D is a normal density, so neighbours at distance Delta_2 are the worst"
    )
    return confirmed_if(bool(crosses and standardised and grows), text)


def _integral() -> Evidence:
    """The formula against the integral of max(0, density - e^epsilon density) for sigma = 1, 2, 4 and epsilon = 1."""
    fits, shown = True, ""
    for sigma in (1, 2, 4):
        start = arb(sigma) ** 2 + arb(1) / 2  # where the densities of N(1, sigma^2) and e N(0, sigma^2) cross

        def excess(x: acb, _: bool, sigma: int = sigma) -> acb:
            scale = 1 / (sigma * (2 * acb.pi()).sqrt())
            moved = (-((x - 1) ** 2) / (2 * sigma**2)).exp()
            return scale * (moved - acb(1).exp() * (-(x**2) / (2 * sigma**2)).exp())

        area = integral(excess, acb(start), acb(start + 20 * sigma)).real
        formula = gaussian_delta(
            gaussian_noise_of_ratio(noise_ratio=sigma, adjacency=Adjacency.REPLACE_ONE), epsilon=Fraction(1)
        ).delta
        gap = abs(area - as_fmpq(formula.midpoint))
        fits = fits and bool(gap < arb(10) ** -10)
        shown = shown or decimal_text(formula.lo, 8, up=False)
    return confirmed_if(
        fits, f"epsilon = 1: formula and integral agree to 1e-10 for sigma = 1, 2, 4, e.g. {shown}... at 1"
    )


C = Verdict.CONFIRMED
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
        quote=r"then  $\mathcal{M}$  is  $(\sum_{i=1}^k \epsilon_i, \sum_{i=1}^k \delta_i)$ -DP",
        scope=Scope.REASONED,
    ),
    Claim(
        "wang2023.P1",
        PAPER,
        "Proposition 1",
        "Post-processed data satisfy (epsilon + epsilon_post, delta + delta_post)-differential privacy.",
        C,
        Method.EXACT,
        _proposition,
        quote=r"post-processed data satisfy  $(\epsilon + \epsilon_{post}, \delta + \delta_{post})$ -DP",
        scope=Scope.REASONED,
        depends_on=("wang2023.S2.composition",),
    ),
    Claim(
        "wang2023.S4.budget",
        PAPER,
        "Section 4, setup, and Tables 1 and 3, captions",
        "Data with and without post-processing are compared under the same epsilon, 2 or 4.",
        C,
        Method.EXACT,
        _same_budget,
        "The epsilon is the same; delta is larger by delta_post = 1/n^2 with post-processing.",
        quote=r"all under the same privacy budget  $\epsilon = 2$",
        depends_on=("wang2023.P1",),
    ),
    Claim(
        "wang2023.S2.laplace",
        PAPER,
        "Section 2.1",
        "Laplace noise of scale Delta_1/epsilon is (epsilon, 0)-private.",
        C,
        Method.SYMBOLIC,
        _laplace,
        quote=r"if  $b = \Delta_1(f)/\epsilon$ , the Laplace mechanism satisfies  $(\epsilon, 0)$ -DP",
        scope=Scope.ALL_CASES,
    ),
    Claim(
        "wang2023.L1",
        PAPER,
        "Lemma 1",
        "Gaussian noise is (epsilon, delta)-private if and only if the stated difference of normal probabilities is "
        "at most delta.",
        C,
        Method.SYMBOLIC,
        _lemma,
        formula="Phi(D/(2 sigma) - epsilon sigma/D) - e^epsilon Phi(-D/(2 sigma) - epsilon sigma/D) <= delta",
        again=_integral,
        quote=r"$\delta \in [0, 1]$ , the Gaussian mechanism is  $(\epsilon, \delta)$ -DP if and only if",
        scope=Scope.ALL_CASES,
    ),
)

WITHDRAWN = (
    Withdrawn(
        "wang2023.S4.gaussian",
        "This is a setting; from how many queries on Gaussian noise is the better choice is our addition.",
    ),
    Withdrawn(
        "wang2023.S4.n", "This is a setting; the text does not say whether n counts the records kept for testing."
    ),
)
