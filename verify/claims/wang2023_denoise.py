"""Denoising of wang2023: the programmes of Section 3 and Appendix B that make noisy answers attainable."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, Withdrawn, confirmed_if, refuted_if

HALF = Fraction(1, 2)


def _no_minimum() -> Evidence:
    """Support {0, 1}, q(x) = x, a = 6/5: over 0 < p < 1 the distance 6/5 - p falls with p."""
    a = Fraction(6, 5)
    ladder = [abs((1 - Fraction(1, 10**k)) - a) for k in range(1, 7)]
    improving = all(after < before for before, after in pairwise(ladder))
    inside = [Fraction(1, 3), Fraction(2, 3)]
    attained = inside[1] == Fraction(2, 3) and min(inside) > 0
    text = (
        "support {0, 1}, q(x) = x, noisy answer 6/5: |p - 6/5| = 6/5 - p falls over the whole of 0 < p < 1 towards "
        f"1/5, e.g. {ladder[0]}, {ladder[1]}, and no p > 0 attains it, in L1 or in L2, so p* does not exist. If it "
        "exists, as for the answer 2/3, Qp* = a* makes (3) feasible"
    )
    return refuted_if(improving and all(v > Fraction(1, 5) for v in ladder) and attained, text)


def _interior_minimum() -> Evidence:
    """At a minimum in the open simplex Q'(Qp - a) is constant over the points; with full dimension Qp = a."""
    import sympy as sp

    r1, r2, level = sp.symbols("r1 r2 level", real=True)
    corners = [(0, 0), (1, 0), (0, 1)]
    solution = sp.solve([x * r1 + y * r2 - level for x, y in corners], [r1, r2, level], dict=True)
    text = (
        "three points in general position, two queries: at a minimum with p > 0 of the quadratic programme the "
        "residual has the same product with all points, so it is 0; hence there is no minimum if the noisy answers are "
        "outside the triangle"
    )
    return refuted_if(solution == [{r1: 0, r2: 0, level: 0}], text)


def _denoising_accuracy() -> Evidence:
    """Nearest point of the interval of attainable answers."""

    def nearest(noisy: Fraction, low: Fraction, high: Fraction) -> Fraction:
        return min(max(noisy, low), high)

    truth, noisy = HALF, Fraction(6, 5)
    better = abs(nearest(noisy, Fraction(0), Fraction(1)) - truth) < abs(noisy - truth)
    outside = abs(nearest(Fraction(9, 10), Fraction(0), Fraction(2, 5)) - Fraction(9, 10))
    text = (
        "the nearest point of a convex set is no farther from any point of the set than the point it replaces: with "
        "attainable answers [0, 1] and a true one of 1/2, 1.2 becomes 1. If the synthetic records only reach [0, "
        f"0.4], a true and exact 0.9 becomes 0.4, an error of {outside}"
    )
    return confirmed_if(better and outside == HALF, text)


def _not_linear() -> Evidence:
    """A linear programme whose values are bounded below attains its minimum; this one does not."""
    values = [Fraction(6, 5) - (1 - Fraction(1, 10**k)) for k in range(1, 7)]
    falls = all(after < before for before, after in pairwise(values)) and min(values) > Fraction(1, 5)
    residuals = [Fraction(i, 4) for i in range(-4, 5)]
    bounds = all((-t <= r <= t) == (t >= abs(r)) for r, t in product(residuals, repeat=2))
    text = (
        "support {0, 1}, q(x) = x, a = 6/5: with p > 0 the sum of t falls towards 1/5 and never reaches it, but a "
        "bounded linear programme has a solution. The bounds are right: -t <= r <= t holds exactly for t >= |r|"
    )
    return refuted_if(falls and bounds, text)


def _not_closed() -> Evidence:
    """Another argument: the solution set of finitely many linear equations and inequalities is closed."""
    points = [(Fraction(1, 10**k), 1 - Fraction(1, 10**k)) for k in range(1, 7)]
    admitted = all(sum(p) == 1 and min(p) > 0 for p in points)
    limit = (Fraction(0), Fraction(1))
    text = (
        "(10^-k, 1 - 10^-k) is feasible for every k but the limit (0, 1) is not; the feasible set of a linear "
        "programme contains its limits"
    )
    return refuted_if(admitted and sum(limit) == 1 and not min(limit) > 0, text)


PAPER, SECTION, APPENDIX = "wang2023", "Section 3", "Appendix B"

CLAIMS = (
    Claim(
        "wang2023.S3.denoise",
        PAPER,
        f"{SECTION}, denoising",
        "With the denoised answers a* = Q p* of the programmes over p > 0 the projection (3) is guaranteed to be "
        "feasible.",
        Verdict.REFUTED,
        Method.EXACT,
        _no_minimum,
        "The projection is feasible if p* exists; p* is then also positive, as Theorem 1 needs. For unattainable "
        "answers p* does not exist; the closed simplex is then needed, and gamma > 0 for Theorem 1.",
        again=_interior_minimum,
        quote=r"if we solve (3) with  $\boldsymbol{a}^*$  instead, then it is guaranteed to be feasible",
        severity=Severity.CONDITION,
        lemma="wang2023.denoised_answers_need_not_exist",
    ),
    Claim(
        "wang2023.S3.denoise-accuracy",
        PAPER,
        f"{SECTION}, denoising",
        "Denoising could also increase the accuracy of the answers.",
        Verdict.CONFIRMED,
        Method.EXACT,
        _denoising_accuracy,
        "In L2 it never reduces accuracy if the synthetic records can attain the true answers; otherwise it can.",
        quote="This denoising step could also increase the accuracy of the released answers",
        scope=Scope.REASONED,
    ),
    Claim(
        "wang2023.B.lp",
        PAPER,
        f"{APPENDIX}, Laplace mechanism",
        "Minimising |Qp - a|_1 over p > 0 is a linear programme with bounds t on the residuals.",
        Verdict.REFUTED,
        Method.EXACT,
        _not_linear,
        "It is a linear programme over (p, t) and with p >= 0; the display has p > 0 and a minimum over p only.",
        again=_not_closed,
        quote="we can denoise the outputs from Laplace mechanism by solving a linear program (LP)",
        severity=Severity.SLIP,
        root="wang2023.S3.denoise",
    ),
)

WITHDRAWN = (
    Withdrawn(
        "wang2023.S3.denoise-interior",
        "It repeated that the minimum over p > 0 need not exist; it is now the second route there.",
        "wang2023.S3.denoise",
    ),
    Withdrawn(
        "wang2023.B.likelihood",
        "The paper takes L1 for Laplace and L2 for Gaussian noise without giving a reason; that these are the "
        "likelihoods is our own consequence.",
    ),
)
