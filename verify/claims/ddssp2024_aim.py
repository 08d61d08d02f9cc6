"""Marginals and AIM in ddssp2024: Section 2.3, Algorithms 2 to 4, and what Appendix F.3 says of higher orders."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, prod

from bounds.privacy.adjacency import Adjacency
from bounds.privacy.concentrated import exponential_zcdp, gaussian_zcdp
from bounds.privacy.gaussian import gaussian_noise
from bounds.privacy.marginals import MarginalWorkload
from bounds.privacy.sensitivity import l2_sensitivity
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if
from verify.claims.ddssp2024_settings import TABLE_1

ALPHA = Fraction(9, 10)
SIZES = (2, 3, 2, 4)


def moved_cells(chosen: tuple[int, ...]) -> set[int]:
    """Squared L2 change of the marginal on `chosen` by adding a record, over all records of a small domain."""
    changes = set()
    cells = list(product(*(range(SIZES[j]) for j in chosen)))
    for record in product(*(range(size) for size in SIZES)):
        changes.add(sum(int(all(record[j] == c for j, c in zip(chosen, cell, strict=True))) for cell in cells))
    return changes


def _sensitivity_one() -> Evidence:
    subsets = [chosen for k in range(1, 5) for chosen in combinations(range(4), k)]
    found = {len(chosen): moved_cells(chosen) for chosen in subsets}
    text = f"squared change of a marginal by one added record, by its order: {found}"
    return confirmed_if(all(moved_cells(chosen) == {1} for chosen in subsets), text)


def moved_together(order: int) -> set[int]:
    """Squared L2 change of all marginals of that order together by adding a record, by enumeration."""
    chosen = list(combinations(range(len(SIZES)), order))
    return {sum(next(iter(moved_cells(c))) for c in chosen)} if all(len(moved_cells(c)) == 1 for c in chosen) else set()


def _higher_orders() -> Evidence:
    """One marginal, all marginals of one order, and their cells."""
    single = [moved_cells(tuple(range(k))) for k in range(1, 5)]
    together = [moved_together(k) for k in range(1, 5)] == [{comb(4, k)} for k in range(1, 5)]
    whole = [
        MarginalWorkload(attributes=15, order=k, exactly=True).l2(adjacency=Adjacency.ADD_REMOVE).squared
        for k in range(1, 9)
    ]
    grows = all(x < y for x, y in pairwise(whole[:7])) and whole[7] <= whole[6]
    cells = [prod(SIZES[:k]) for k in range(1, 5)]
    text = (
        f"squared sensitivity of one marginal of order 1 to 4: {single}, of {cells} cells; of all marginals of order 1 "
        f"to 8 of 15 attributes together: {[str(s) for s in whole]}"
    )
    right = single == [{1}] * 4 and together and grows and all(x < y for x, y in pairwise(cells))
    return confirmed_if(right and whole == [comb(15, k) for k in range(1, 9)], text, with_conditions=True)


def _zcdp() -> Evidence:
    """rho = Delta^2/(2 sigma^2), exactly; Definition 2.4 has a general Delta."""
    rho = {}
    for squared in (1, 14**2):
        sensitivity = l2_sensitivity(squared=squared, adjacency=Adjacency.ADD_REMOVE, n_is_public=False)
        rho[squared] = gaussian_zcdp(gaussian_noise(sigma=5, sensitivity=sensitivity)).rho.lo
    text = f"sigma = 5: rho = {rho[1]} for Delta = 1, {rho[196]} for Delta = 14"
    return confirmed_if(rho[1] == Fraction(1, 50) and rho[196] == 196 * rho[1], text, with_conditions=True)


def _round_cost() -> Evidence:
    """In units of rho: sigma^2 = T/(2 alpha), epsilon^2 = 8 (1-alpha)/T."""
    costs = set()
    for _, _, d, _, _ in TABLE_1:
        rounds = 16 * d
        sigma_squared, epsilon_squared = Fraction(rounds) / (2 * ALPHA), 8 * (1 - ALPHA) / rounds
        costs.add((epsilon_squared / 8 + 1 / (2 * sigma_squared)) * rounds)
    half = exponential_zcdp(epsilon=Fraction(1, 2), adjacency=Adjacency.ADD_REMOVE).rho.lo
    return confirmed_if(costs == {1} and half == Fraction(1, 32), "a round before annealing costs rho/T for every d")


def _first_measurements() -> Evidence:
    shares = {d * ALPHA / (16 * d) for _, _, d, _, _ in TABLE_1}
    text = f"d measurements of alpha rho/T each are {[str(s) for s in shares]} of rho, 5.625 per cent, for every d"
    return confirmed_if(shares == {Fraction(9, 160)}, text)


def spent_in_total(d: int, anneal: Callable[[int], bool]) -> tuple[Fraction, int]:
    """Algorithms 2 to 4 with rho = 1: what is spent in all and in how many rounds; `anneal` says after which."""
    rounds = 16 * d
    sigma_squared, epsilon_squared = Fraction(rounds) / (2 * ALPHA), 8 * (1 - ALPHA) / rounds
    used, t = d / (2 * sigma_squared), 0
    while used < 1:
        t += 1
        used += epsilon_squared / 8 + 1 / (2 * sigma_squared)
        if anneal(t):
            epsilon_squared, sigma_squared = 4 * epsilon_squared, sigma_squared / 4
        left = 1 - used
        if 0 < left <= 2 * (1 / (2 * sigma_squared) + epsilon_squared / 8):
            epsilon_squared, sigma_squared = 8 * (1 - ALPHA) * left, 1 / (2 * ALPHA * left)
    return used, t


def _total() -> Evidence:
    """A round costs at most half of what is left, or exactly what is left: the sum never passes rho and reaches it."""
    patterns: dict[str, Callable[[int], bool]] = {
        "never": lambda t: False, "always": lambda t: True, "every fifth": lambda t: t % 5 == 0,
        "after 30": lambda t: t > 30,
    }  # fmt: skip
    found = {name: [spent_in_total(d, rule) for d in (1, 9, 11, 15, 20)] for name, rule in patterns.items()}
    exact = all(used == 1 for runs in found.values() for used, _ in runs)
    shown = ", ".join(f"{name} {runs[3][1]}" for name, runs in found.items())
    text = (
        "rho is spent exactly for d = 1, 9, 11, 15, 20 and annealing after no, all, every fifth and late rounds; "
        f"rounds for d = 15: {shown}"
    )
    return confirmed_if(exact, text)


def _last_round() -> Evidence:
    import sympy as sp

    alpha, left = sp.symbols("alpha left", positive=True)
    spent = 8 * (1 - alpha) * left / 8 + 1 / (2 * (1 / (2 * alpha * left)))
    return confirmed_if(sp.simplify(spent - left) == 0, "(1 - alpha) r + alpha r = r for what is left, r")


def _bias_term() -> Evidence:
    import sympy as sp

    x, sigma = sp.symbols("x sigma", positive=True)
    mean = 2 * sp.integrate(x * sp.exp(-(x**2) / (2 * sigma**2)), (x, 0, sp.oo)) / (sigma * sp.sqrt(2 * sp.pi))
    same = sp.simplify(mean - sp.sqrt(2 / sp.pi) * sigma) == 0
    text = "E|N(0, sigma^2)| = sqrt(2/pi) sigma, so n_r cells have an expected L1 error of that times n_r"
    return confirmed_if(same, text)


def score_weight(d: int, chosen: tuple[int, ...]) -> int:
    """w_r = sum over pairs s of |r and s have in common|, c_s = 1."""
    return sum(len(set(chosen) & set(pair)) for pair in combinations(range(d), 2))


def _choice() -> Evidence:
    weights = {k: {score_weight(15, chosen) for chosen in combinations(range(15), k)} for k in (1, 2)}
    text = (
        f"all pairs of 15 attributes: w_r = {weights[1]} for one attribute, {weights[2]} for two; a record moves a "
        "score by w_r"
    )
    return confirmed_if(weights == {1: {14}, 2: {28}}, text, with_conditions=True)


def _fit_weights() -> Evidence:
    """One count measured with sigma and sigma/2: weights 1 and 2 (print) or 1 and 4 (likelihood)."""
    variances = (Fraction(1), Fraction(1, 4))
    printed, likelihood = (
        sum(w * w * v for w, v in zip(weights, variances, strict=True)) / Fraction(sum(weights)) ** 2
        for weights in ((1, 2), (1, 4))
    )
    text = (
        f"after one annealing step the variance of a count measured twice is {printed} sigma^2 with weights "
        f"1/sigma, {likelihood} sigma^2 with 1/sigma^2"
    )
    return confirmed_if(printed == Fraction(2, 9) and likelihood == Fraction(1, 5), text, with_conditions=True)


def _signal() -> Evidence:
    """n/m_r records in a cell on average, against the same sigma for every marginal."""
    averages = [Fraction(50_000, 10**k) for k in range(1, 5)]
    falls = all(a > b for a, b in pairwise(averages))
    cells = [Fraction(10**k) for k in range(1, 5)]
    text = (
        f"50,000 records, 10 values each: {[str(a) for a in averages]} in a cell for order 1 to 4, with noise of "
        f"one size in {[str(c) for c in cells]} cells"
    )
    return confirmed_if(falls, text, with_conditions=True)


def _domain_growth() -> Evidence:
    sizes = [2**k for k in range(1, 16)]
    tables = [comb(15, k) for k in (2, 4)]
    exponential = all(b >= 2 * a for a, b in pairwise(sizes))
    text = (
        f"every attribute of at least two values doubles the cells; {tables[0]} pairs and {tables[1]} quadruples "
        "of 15 attributes"
    )
    return confirmed_if(exponential and tables == [105, 1365], text)


CLAIMS = (
    Claim(
        "ddssp2024.2-3.sensitivity", "ddssp2024", "Section 2.3, after Definition 2.9",
        "The L2 sensitivity of a marginal is 1, whatever its attributes.",
        Verdict.CONFIRMED, Method.EXACT, _sensitivity_one,
        hypotheses=("neighbours by adding or deleting a record, as in Definition 2.1",),
    ),
    Claim(
        "ddssp2024.F3.sensitivity", "ddssp2024", "Appendix F.3, last paragraph",
        "Marginals of higher order suffer from a lower ratio of signal to noise, due to higher sensitivity and larger "
        "output space.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _higher_orders,
        "For all marginals of order k together the sensitivity is sqrt(C(d, k)), which grows up to k = d/2; a single "
        "marginal has the same sensitivity, 1, at every order, as Section 2.3 says, and only its output space grows.",
        hypotheses=("every attribute has at least two values",),
    ),
    Claim(
        "ddssp2024.2-3.zcdp", "ddssp2024", "Section 2.3, AIM",
        "The Gaussian mechanism of Section 2.1 satisfies 1/(2 sigma^2)-zCDP.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _zcdp,
        "It holds for sensitivity 1, which a marginal has; in general rho = Delta^2/(2 sigma^2).",
    ),
    Claim(
        "ddssp2024.A.round", "ddssp2024", "Algorithm 2, lines 3, 4, 9 and 12",
        "A round costs epsilon_t^2/8 + 1/(2 sigma_t^2), with sigma_0^2 = T/(2 alpha rho) and epsilon^2 = 8 "
        "(1-alpha) rho/T.",
        Verdict.CONFIRMED, Method.EXACT, _round_cost, formula="epsilon^2/8 + 1/(2 sigma^2) = rho/T",
    ),
    Claim(
        "ddssp2024.A.first", "ddssp2024", "Algorithm 3",
        "The first measurements of all attributes are within the budget.",
        Verdict.CONFIRMED, Method.EXACT, _first_measurements, formula="d/(2 sigma_0^2) = alpha rho/16",
    ),
    Claim(
        "ddssp2024.A.total", "ddssp2024", "Algorithms 2 to 4", "The loop spends rho and no more.",
        Verdict.CONFIRMED, Method.EXACT, _total,
        hypotheses=("exact arithmetic", "alpha = 0.9 and T = 16 d"),
    ),
    Claim(
        "ddssp2024.A.last", "ddssp2024", "Algorithm 4, lines 9 and 10", "The last round spends what is left.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _last_round,
    ),
    Claim(
        "ddssp2024.A.bias", "ddssp2024", "Algorithm 2, line 14; Algorithm 4, line 1",
        "sqrt(2/pi) sigma n_r is the expected L1 error of a noisy marginal of n_r cells.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _bias_term,
    ),
    Claim(
        "ddssp2024.A.choice", "ddssp2024", "Algorithm 2, lines 8, 12 and 14",
        "Choosing a marginal by the exponential mechanism with scores q_r costs epsilon_t^2/8.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _choice,
        "The scores must be divided by twice the largest weight, 28 for all pairs of 15 attributes; the listing "
        "does not "
        "name this sensitivity.",
    ),
    Claim(
        "ddssp2024.A.weights", "ddssp2024", "Algorithm 2, line 16; Algorithm 3, line 8",
        "The fit weights a measurement by 1/sigma_i.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _fit_weights,
        "So it stands in the source. The likelihood of Gaussian noise has 1/sigma_i^2, which differs once sigma "
        "changes; "
        "privacy does not depend on it.",
    ),
    Claim(
        "ddssp2024.A.signal", "ddssp2024", "Appendix A; Appendix F.3",
        "Marginals of fewer attributes have a better ratio of signal to noise.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _signal,
        "Under the two hypotheses, which are ours: the paper does not say what signal and noise are.",
        hypotheses=("the same sigma for every marginal", "signal is the mean count of a cell"),
    ),
    Claim(
        "ddssp2024.F3.domain", "ddssp2024", "Appendix F.3, last paragraph",
        "The number of cells of a marginal grows exponentially with its order.",
        Verdict.CONFIRMED, Method.EXACT, _domain_growth,
        hypotheses=("every attribute has at least two values",),
    ),
)  # fmt: skip
