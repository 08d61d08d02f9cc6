"""Gaussian noise in zhou2024: Theorems 2.6 and 2.7, where they are invoked, and the notation for noise."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from flint import arb, fmpq

from bounds.enclosure import as_fmpq, decimal_text, precision
from bounds.privacy.gaussian import classical_valid_up_to, gaussian_delta, gaussian_noise_of_ratio
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if, inconsistent_if

REPLACE = "replace-one"
PIECES = 400


def private_up_to(epsilon: int) -> bool:
    """Whether the classical formula is private for every delta and every epsilon up to this one.

    With c = sqrt(2 log(1.25/delta)) the noise is c/epsilon times the sensitivity, and the exact delta grows with
    epsilon at fixed c, by Mills' inequality. For c >= 3 the exact delta over delta is at most e^(epsilon/2)
    (epsilon/c)/(1 + (c - epsilon/(2c))^2)/(1.25 sqrt(2 pi)), which falls; on the rest of the range balls cover every c.
    """
    with precision(128):
        three = arb(3)
        tail = (arb(epsilon) / 2).exp() * epsilon / three / (1 + (three - arb(epsilon) / 6) ** 2)
        low = (2 * (arb(5) / 4).log()).sqrt().lower()
        half = (three - low) / (2 * PIECES)
        within = bool(tail < arb(5) / 4 * (2 * arb.pi()).sqrt())
        for k in range(PIECES):
            c = arb((low + (2 * k + 1) * half).mid(), (half * 1001 / 1000).upper())  # neighbours overlap
            within = within and bool(_delta_of_product(c, epsilon) * (c * c / 2).exp() < arb(5) / 4)
        return within


def _delta_of_product(c: arb, epsilon: int) -> arb:
    """Exact delta of noise c/epsilon times the sensitivity."""
    shift, root = epsilon / (2 * c), arb(2).sqrt()
    return ((c - shift) / root).erfc() / 2 - arb(epsilon).exp() * ((c + shift) / root).erfc() / 2


def _classical() -> Evidence:
    limits = {delta: classical_valid_up_to(delta, adjacency=REPLACE) for delta in ("1e-2", "1e-5", "1e-6", "1e-12")}
    holds = all(limit.lo > Fraction(15, 4) for limit in limits.values())
    shown = ", ".join(f"{decimal_text(limit.lo, 7, up=False)} at {delta}" for delta, limit in limits.items())
    text = (
        "at epsilon = 1 the exact delta is below delta for every delta: balls cover 2 log(1.25/delta) <= 9, and a "
        "decreasing bound the rest; at fixed epsilon sigma it grows with epsilon, by Mills' inequality. It stays "
        f"below delta up to epsilon = {shown}"
    )
    return confirmed_if(private_up_to(1) and holds, text)


def classical_delta(epsilon: int, dp_delta: str) -> arb:
    """Exact delta of the classical formula, from the distribution function of the normal law."""
    sigma = (2 * (arb(as_fmpq(Fraction(5, 4) / Fraction(dp_delta)))).log()).sqrt() / epsilon
    a, b = 1 / (2 * sigma) - epsilon * sigma, -1 / (2 * sigma) - epsilon * sigma
    root = arb(2).sqrt()
    return ((-a / root).erfc() - arb(epsilon).exp() * (-b / root).erfc()) / 2


def _budgets() -> Evidence:
    """Appendix C.1 uses the theorem for experiments with epsilon up to 2."""
    with precision(200):
        beyond = classical_delta(10, "1e-5")
        text = (
            "at epsilon = 2, and therefore below, the formula is private for every delta, as at epsilon = 1; at "
            f"epsilon = 10 and delta = 1e-5 its exact delta is {beyond.str(5, radius=False)}"
        )
        return confirmed_if(private_up_to(2) and bool(beyond > arb(1) / 10**5), text, with_conditions=True)


def _post_processing() -> Evidence:
    """Finite mechanisms: the least delta at e^epsilon = 2 is the sum of positive parts of p - 2q, both ways."""
    p = [Fraction(k, 21) for k in (1, 2, 3, 4, 5, 6)]
    q = [Fraction(k, 21) for k in (6, 1, 5, 2, 4, 3)]

    def least_delta(first: list[Fraction], second: list[Fraction]) -> Fraction:
        return sum((max(Fraction(0), a - 2 * b) for a, b in zip(first, second, strict=True)), Fraction(0))

    never, count = True, 0
    for f in product(range(3), repeat=6):
        images = [[sum((x[i] for i in range(6) if f[i] == j), Fraction(0)) for j in range(3)] for x in (p, q)]
        never = never and least_delta(*images) <= least_delta(p, q)
        count += 1
    text = (
        f"an event of the output is the event of its preimage, and a random map is a mixture of maps; on all {count} "
        "maps of six outputs to three the least delta at e^epsilon = 2 never grows"
    )
    return confirmed_if(never, text)


def _standard_deviation() -> Evidence:
    """m = 4, d = 2, epsilon = 1/2, delta = 1e-5: sigma as a standard deviation, and as a variance."""
    with precision(128):
        sigma = 2 * 4 * arb(as_fmpq(Fraction(125000))).log().sqrt() / (arb(1) / 2)
        ratio_as_sd, ratio_as_variance = sigma / arb(2 * 15).sqrt(), sigma.sqrt() / arb(2 * 15).sqrt()
        found = [Fraction(int(float(r) * 10**6), 10**6) for r in (ratio_as_sd, ratio_as_variance)]
    deltas = [
        gaussian_delta(gaussian_noise_of_ratio(noise_ratio=r, adjacency=REPLACE), epsilon="1/2").delta for r in found
    ]
    text = (
        f"m = 4, d = 2, epsilon = 1/2, required delta = 1e-5: exact delta {decimal_text(deltas[0].hi, 4, up=True)} "
        f"with sigma as standard deviation, {decimal_text(deltas[1].lo, 4, up=False)} with sigma as variance"
    )
    private = deltas[0].hi < Fraction(1, 10**5) < deltas[1].lo
    return inconsistent_if(private, text)


def _tail_as_variance() -> Evidence:
    """Appendix A.4 requires P(|N| > k sigma) <= 2 exp(-k^2/2): with the variance 1/4, that is sigma = 1/4, it fails."""
    with precision(96):
        k, sigma = arb(3), arb(fmpq(1, 4))
        tail = (k * sigma / sigma.sqrt() / arb(2).sqrt()).erfc()
        stated = 2 * (-k * k / 2).exp()
        text = (
            "k = 3, sigma = 1/4: a normal variable of variance 1/4 is outside k sigma with probability "
            f"{tail.str(5, radius=False)}, but Appendix A.4 has at most {stated.str(5, radius=False)}"
        )
        return inconsistent_if(bool(tail > stated), text)


GAUSSIAN = ("zhou2024.gaussian-mechanism",)
CLAIMS = (
    Claim("zhou2024.T26.private", "zhou2024", "Theorem 2.6",
          "Gaussian noise of variance 2 Delta^2 log(1.25/delta)/epsilon^2 is (epsilon, delta)-private for epsilon in "
          "(0, 1).", Verdict.CONFIRMED, Method.BALL, _classical,
          "It is private up to epsilon = 15/4 for every delta.", GAUSSIAN, hypotheses=("0 < epsilon < 1",),
          scope=Scope.ALL_CASES, quote="Let $\\epsilon \\in (0, 1)$ [...] The Gaussian mechanism that adds noises "
          "sampled from [...] is $(\\epsilon, \\delta)$-differential privacy"),
    Claim("zhou2024.C1.theorem-range", "zhou2024", "Appendix C.1, with the budgets of Figure 3",
          "Theorem 2.6 may be invoked for the noise of Private-PGM in the experiments, where epsilon is up to 2.",
          Verdict.CONFIRMED_WITH_CONDITIONS, Method.BALL, _budgets,
          "As stated, the theorem covers epsilon in (0, 1). Its formula is private at epsilon = 2 as well, but not for "
          "every epsilon.",
          GAUSSIAN, scope=Scope.ALL_CASES, depends_on=("zhou2024.T26.private",),
          quote="Invoking Theorem 2.6, adding a Gaussian noise to each query with variance"),
    Claim("zhou2024.T27.post-processing", "zhou2024", "Theorem 2.7",
          "A map of the output of an (epsilon, delta)-private mechanism is (epsilon, delta)-private.",
          Verdict.CONFIRMED, Method.EXACT, _post_processing, theorems=GAUSSIAN, scope=Scope.REASONED,
          quote="be arbitrary randomized mapping. Then $f \\circ \\mathcal{M}$ is $(\\epsilon, "
          "\\delta)$-differentially private"),
    Claim("zhou2024.A4.notation", "zhou2024", "Appendix A.4 and Algorithms 3 and 6 against Theorem 2.6",
          "The noise is drawn from N(0, sigma).",
          Verdict.INCONSISTENT, Method.BALL, _standard_deviation,
          "Sigma is the standard deviation, as in the N(0, sigma^2) of Theorem 2.6 and as the tails k sigma of "
          "Appendix A.4 require.", (*GAUSSIAN, "zhou2024.sensitivity"), again=_tail_as_variance, severity=Severity.SLIP,
          quote="\\sim \\mathcal{N}(0, \\sigma)$. Using Chernoff bound"),
)  # fmt: skip
